"""CW-RMED, Relative Minimum Empirical Divergence for Copeland winners: the optimal form.

Komiyama, Honda & Nakagawa 2016. It is ECW-RMED (:mod:`copeland.algorithms.ecw_rmed`, which also says what
could be checked and how silent places are ruled) but for one step: where no apparent winner is sure, it
tracks the optimum of the regret lower bound with the estimates in place of the truth, and not a relaxation of
it. The paper says that this optimum is not known to be efficiently computable, because it is a linear
program with exponentially many constraints. The most violated of them is found by sorting, so it is solved
exactly here, in microseconds for five options and about a millisecond for sixteen: see
:func:`cheapest_certificate`.

The two forms differ where one option is the only Copeland winner: then the optimum can confirm its wins
together, the relaxation confirms each alone.

Ruling: if rounding keeps the solver from the optimum (never seen), the relaxation is tracked instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms import ecw_rmed
from copeland.algorithms.ecw_rmed import (
    begin_step,
    choose,
    fill_next_list,
    find_sure_winner,
    first_pair,
    take_from_list,
)
from copeland.algorithms.ecw_rmed import plan as plan_relaxed
from copeland.algorithms.ecw_rmed import recommend as recommend_tracked
from copeland.algorithms.ecw_rmed import rest as rest_tracked
from copeland.algorithms.ecw_rmed import select as select_tracked
from copeland.algorithms.ecw_rmed import update as update_tracked
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, least, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.winner_evidence import price_pairs, rows_of_options, sort_options, upset_by
from copeland.registry import register

MOST_OPTIONS = 16

TOLERANCE = 1e-9
VIOLATION = 1e-6  # an upset that weighs 1 but for this is taken to weigh 1
NUDGE = 1e-9  # of costs, so that no two are equal: without it, equals could be exchanged for ever
MOST_ROUNDS = 1000
MOST_PIVOTS = 1000  # in a round
SLACK = -1

# The least regret at which an option can be made a sure Copeland winner. With w_ij = q_ij d_ij, the nats of evidence on each
# pair, it is a linear program: minimise the sum of (r_ij / d_ij) w_ij such that every upset (see
# `copeland.kernels.winner_evidence`) weighs at least 1. There are exponentially many upsets, but the lightest is found by
# sorting: so the program begins with none, is solved, and takes in the upsets that its solution violates, until there are
# none.
#
# Costs are not negative, so w = 0 is optimal at first, and every further solution is reached by the dual simplex method. It
# works on a dictionary: each basic variable, and the objective, as a constant and a sum of multiples of the nonbasic
# variables, which are 0. Variables are the w of the pairs and the slacks of the upsets; a slack may be forgotten once it is
# basic, because then its upset does not bind.


class Program(NamedTuple):
    """The linear program of one option, n = K (K - 1) / 2 pairs."""

    number: Ints  # K x K: the number of each pair
    rows: Floats  # R x n: what each basic variable has of each nonbasic variable
    values: Floats  # R: the basic variables
    gains: Floats  # n: what the objective has of each nonbasic variable, never negative
    basic: Ints  # R: the pair whose w is basic here, or SLACK
    nonbasic: Ints  # n: the pair whose w is nonbasic here, or SLACK
    place: Ints  # n: where the w of each pair is, its row or -1 - its column
    size: Ints  # (1,): the number of rows
    weight: Floats  # K x K, symmetric: w
    order: Ints  # K x K: row i lists the options by their weight with i


def new_program(k: int) -> Program:
    """Return room for the program of K options."""
    n = k * (k - 1) // 2
    number = np.zeros((k, k), np.int64)
    number[np.triu_indices(k, 1)] = np.arange(n)
    most = n + k  # every w, and the slack of a new upset by each rival
    return new_record(
        Program,
        k,
        matrices="weight",
        number=number + number.T,
        rows=np.zeros((most, n)),
        values=np.zeros(most),
        gains=np.zeros(n),
        basic=np.zeros(most, np.int64),
        nonbasic=np.zeros(n, np.int64),
        place=np.zeros(n, np.int64),
        order=rows_of_options(k),
    )


@kernel
def cheapest_certificate(program, tally, cost, c):
    """Find the weights of least cost at which every upset of c weighs 1; return that cost.

    Infinite if the solver gives up, which rounding alone could make it do.
    """
    begin(program, cost)
    for _ in range(MOST_ROUNDS):
        read_weights(program)
        lightest = add_violations(program, tally, c)
        if lightest >= 1 - VIOLATION:
            scale_weights(program, 1 / min(lightest, 1.0))
            return total_cost(program, cost)
        if not reoptimise(program):
            return math.inf
    return math.inf


@kernel
def begin(program, cost):
    """Start without upsets: all weights are 0 and nonbasic."""
    dearest = 0.0
    for row in cost:
        for value in row:
            dearest = max(dearest, value)
    program.size[0] = 0
    k, n = len(cost), len(program.gains)
    for i in range(k):
        for j in range(i + 1, k):
            pair = program.number[i, j]
            program.gains[pair] = cost[i, j] + NUDGE * (1 + dearest) * (1 + pair / n)
            program.nonbasic[pair] = pair
            program.place[pair] = -1 - pair


@kernel
def read_weights(program):
    """Copy the solution into the matrix of weights, and sort its rows."""
    k = len(program.weight)
    for i in range(k):
        for j in range(i + 1, k):
            at = program.place[program.number[i, j]]
            w = program.values[at] if at >= 0 else 0.0
            program.weight[i, j] = program.weight[j, i] = w
    for i in range(k):
        sort_options(program.order[i], program.weight[i])


@kernel
def scale_weights(program, factor):
    """Multiply all weights: what is left of a violation is made good."""
    for i in range(len(program.weight)):
        for j in range(len(program.weight)):
            program.weight[i, j] *= factor


@kernel
def total_cost(program, cost):
    """Return the cost of the weights."""
    total = 0.0
    for i in range(len(cost)):
        for j in range(i):
            total += cost[i, j] * program.weight[i, j]
    return total


@kernel
def add_violations(program, tally, c):
    """Take in the lightest upset by each rival if it weighs less than 1; return the least weight."""
    forget_loose(program)
    lightest = math.inf
    for rival in range(len(tally.losses)):
        if rival != c:
            weight, wins, losses, joint = upset_by(tally, program.weight, program.order, c, rival)
            lightest = min(lightest, weight)
            if weight < 1 - VIOLATION:
                add_upset(program, tally, c, rival, wins, losses, joint)
    return lightest


@kernel
def forget_loose(program):
    """Forget every upset that does not bind."""
    at = 0
    while at < program.size[0]:
        if program.basic[at] == SLACK:
            program.size[0] -= 1
            move_row(program, program.size[0], at)
        else:
            at += 1


@kernel
def move_row(program, old, new):
    """Put a row into another place."""
    program.values[new] = program.values[old]
    program.basic[new] = program.basic[old]
    for column in range(len(program.gains)):
        program.rows[new, column] = program.rows[old, column]
    if program.basic[new] != SLACK:
        program.place[program.basic[new]] = new


@kernel
def add_upset(program, tally, c, rival, wins, losses, joint):
    """Add the row of an upset: its slack is the sum of its weights, less 1."""
    row = program.size[0]
    program.size[0] += 1
    program.basic[row] = SLACK
    program.values[row] = -1.0
    program.rows[row, :] = 0.0
    if joint:
        add_weight(program, row, program.number[c, rival])
    for j in program.order[c]:
        if wins > 0 and j != rival and tally.side[c, j] > 0:
            add_weight(program, row, program.number[c, j])
            wins -= 1
    for j in program.order[rival]:
        if losses > 0 and j != c and tally.side[rival, j] < 0:
            add_weight(program, row, program.number[rival, j])
            losses -= 1


@kernel
def add_weight(program, row, pair):
    """Add the w of a pair to a row, in terms of the nonbasic variables."""
    at = program.place[pair]
    if at < 0:
        program.rows[row, -1 - at] += 1
    else:
        program.values[row] += program.values[at]
        for column in range(len(program.gains)):
            program.rows[row, column] += program.rows[at, column]


@kernel
def reoptimise(program):
    """Pivot until no basic variable is negative; tell whether that was possible."""
    for _ in range(MOST_PIVOTS):
        row = most_negative(program)
        if row < 0:
            return True
        column = entering(program, row)
        if column < 0:
            return False
        pivot(program, row, column)
    return False


@kernel
def most_negative(program):
    """Return the row of the basic variable that is furthest below 0, -1 if none is."""
    found = -1
    lowest = -TOLERANCE
    for row in range(program.size[0]):
        if program.values[row] < lowest:
            found, lowest = row, program.values[row]
    return found


@kernel
def entering(program, row):
    """Return the column that raises a basic variable at the least cost, -1 if none raises it."""
    found = -1
    least_ratio = math.inf
    for column in range(len(program.gains)):
        raises = program.rows[row, column]
        if raises > TOLERANCE and program.gains[column] / raises < least_ratio:
            found, least_ratio = column, program.gains[column] / raises
    return found


@kernel
def pivot(program, row, column):
    """Let a basic and a nonbasic variable change places."""
    n = len(program.gains)
    scale = 1 / program.rows[row, column]
    program.rows[row, column] = -1.0
    program.values[row] *= -scale
    for other in range(n):
        program.rows[row, other] *= -scale
    for other in range(program.size[0]):
        share = program.rows[other, column]
        if other != row and share != 0:
            program.rows[other, column] = 0.0
            program.values[other] += share * program.values[row]
            for at in range(n):
                program.rows[other, at] += share * program.rows[row, at]
    share = program.gains[column]
    program.gains[column] = 0.0
    for at in range(n):
        program.gains[at] += share * program.rows[row, at]
    exchange(program, row, column)


@kernel
def exchange(program, row, column):
    """Note which variable is where after a pivot."""
    leaves, enters = program.basic[row], program.nonbasic[column]
    program.basic[row], program.nonbasic[column] = enters, leaves
    if enters != SLACK:
        program.place[enters] = row
    if leaves != SLACK:
        program.place[leaves] = -1 - column


# The algorithm


class State(NamedTuple):
    """What CW-RMED knows: what ECW-RMED does, and room for the linear program."""

    tracked: ecw_rmed.State
    program: Program


def init(k: int, alpha: float = 3.0, beta: float = 0.01) -> State:
    """Begin; the parameters are those of ECW-RMED."""
    if k > MOST_OPTIONS:
        raise InvalidParameter(
            f"cw-rmed: {k} options are too many; it solves a linear program over all pairs at every "
            f"duel and takes at most {MOST_OPTIONS}. Use ecw-rmed, its efficient form."
        )
    return State(tracked=ecw_rmed.init(k, alpha, beta), program=new_program(k))


@kernel
def advance(state, t, rng):
    """Choose the pair of step t as ECW-RMED does, but for the plan."""
    tracked = state.tracked
    begin_step(tracked, t, rng)
    code = first_pair(tracked, t, rng)
    if code < 0:
        if tracked.begun[0]:
            if not find_sure_winner(tracked, t):
                plan(state)
            fill_next_list(tracked, t)
        code = take_from_list(tracked, rng)
    choose(tracked, code)


@kernel
def plan(state):
    """Find i_1, the apparent winner that can be made sure at least regret, and the duels q for it."""
    tracked = state.tracked
    if tracked.planned[0]:
        return
    tally = tracked.tally
    fewest = least(tally.losses)
    price_pairs(tally, fewest, tracked.cost, tracked.by_cost)
    lowest = math.inf
    for c in range(len(tally.losses)):
        if tally.losses[c] == fewest:
            price = cheapest_certificate(state.program, tally, tracked.cost, c)
            if price < lowest:
                lowest = price
                tracked.champion[0] = c
                write_quota(tracked, state.program.weight)
    tracked.planned[0] = lowest < math.inf
    plan_relaxed(tracked)  # unless it is planned


@kernel
def write_quota(tracked, weight):
    """Turn nats of evidence into duels: q = w / d."""
    k = len(weight)
    for i in range(k):
        for j in range(i):
            q = weight[i, j] / tracked.tally.information[i, j]
            tracked.quota[i, j] = tracked.quota[j, i] = q


@kernel
def select(state, t, rng):
    """Return the pair of this step."""
    return select_tracked(state.tracked, t, rng)


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    update_tracked(state.tracked, winner, loser, rng)


@kernel
def recommend(state):
    """Return i_1 while it looks like a winner, else the apparent winner that won most of its duels."""
    return recommend_tracked(state.tracked)


@kernel
def rest(state, t):
    """Return the next step at which two options may meet."""
    return rest_tracked(state.tracked, t)


ALGORITHM = register(
    __name__,
    name="cw-rmed",
    paper="Komiyama, Honda & Nakagawa 2016 (CW-RMED)",
    summary="Follows the optimal plan of duels to be sure of a Copeland winner; for few options",
    target="copeland",
)
