"""The one duel loop, and the parts of an algorithm that it calls.

The functions above :func:`duel_loop` stand for the parts of an algorithm; those that it may leave out
say what happens then.
:func:`loop_of` puts an algorithm's own parts, and the answerer of a problem, in their place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from copeland.kernels.arrays import Floats, Ints, new_record
from copeland.kernels.compiler.compile import bind_parts
from copeland.kernels.mark import kernel

TIE = -1  # what an answerer returns for a tie

TAKES_TIES = False  # whether the algorithm has its own `tie`


class RunRecord(NamedTuple):
    """Where a run stands, and what it was worth at each mark."""

    t: Ints  # (1,): the step to come, from 1
    mark: Ints  # (1,): the mark to come
    duels: Ints  # (1,): real comparisons so far; an option against itself is none
    regret: Floats  # (1,): so far
    marks: Ints  # the steps after which to take stock; the last is the horizon
    regret_at: Floats
    duels_at: Ints
    answer_at: Ints  # the recommendation
    astray: Ints  # (2,): a pair that the algorithm named although it is not there; 0, 0 if all were


def new_ledger(marks: Ints) -> RunRecord:
    """Return the ledger of a run that has not begun."""
    return new_record(
        RunRecord,
        t=1,
        marks=marks,
        regret_at=np.zeros(len(marks)),
        duels_at=np.zeros(len(marks), np.int64),
        answer_at=np.zeros(len(marks), np.int64),
        astray=np.zeros(2, np.int64),
    )


@kernel
def select(state, t, rng):
    """Return the pair to duel at step t; change nothing. Every algorithm has its own."""
    return 0, 0


@kernel
def update(state, winner, loser, rng):
    """Take in an answer. Every algorithm has its own."""


@kernel
def recommend(state):
    """Return the option to name now. Every algorithm has its own."""
    return 0


@kernel
def advance(state, t, rng):
    """Bring the state to step t: nothing, for an algorithm that time alone does not change."""


@kernel
def rest(state, t):
    """After an option met itself: return the first later step at which two options may meet."""
    return t + 1


@kernel
def resting(state, among):
    """List the options of which each resting step draws one; 0: always the one just selected."""
    return 0


@kernel
def finished(state):
    """Tell whether the answer is final."""
    return False


@kernel
def crowded(state):
    """Tell whether the state must be enlarged before it can take another answer in."""
    return False


@kernel
def tie(state, first, second, rng):
    """Take in a tie; without an own `tie`, the loop tosses a coin instead."""


@kernel
def answer(world, first, second, noise):
    """Return the winner of a duel, or TIE. Every problem has its own."""
    return TIE


@kernel
def duel_loop(state, world, shortfall, among, ledger, work, jump, noise, rng):
    """Duel until the last mark, until ``work`` turns are spent or the state is crowded.

    The ledger tells how far it came, and whether the algorithm went astray: then nothing is dueled any more.

    Parameters
    ----------
    state
        The algorithm's state; changed.
    world
        What the problem's `answer` reads.
    shortfall
        What each option is short of the best: the regret of (i, j) is made of theirs by `cost`.
    among
        Room for K options.
    jump
        Whether to pass over resting steps at once, or one by one.
    noise, rng
        Generators: of the answers, of the algorithm.
    """
    while ledger.mark[0] < len(ledger.marks) and work > 0 and not crowded(state):
        work -= 1
        t = ledger.t[0]
        until = ledger.marks[ledger.mark[0]] + 1
        n = 0
        is_final = finished(state)
        if is_final:
            first = second = recommend(state)
        else:
            advance(state, t, rng)
            first, second = select(state, t, rng)
        if min(first, second) < 0 or max(first, second) >= len(shortfall):
            ledger.astray[0], ledger.astray[1] = first, second
            return
        if first != second:
            until = t + 1
            duel(state, world, first, second, noise, rng)
            ledger.duels[0] += 1
            ledger.regret[0] += cost(shortfall[first], shortfall[second])
        else:
            if not is_final:
                until = min(until, rest(state, t) if jump else t + 1)
                if until > t + 1:
                    n = resting(state, among)
            if n == 0:
                among[0] = first
                n = 1
            ledger.regret[0] += cost(1.0, 1.0) * resting_shortfall(
                shortfall, among, n, until - t, rng
            )
        ledger.t[0] = until
        if until > ledger.marks[ledger.mark[0]]:
            take_stock(ledger, recommend(state))


@kernel
def cost(one, other):
    """Return the regret of a duel of two options that are so much short of the best."""
    return one + other


@kernel
def weak_cost(one, other):
    """Return the weak regret of a duel, which takes the place of :func:`cost`: that of the better one."""
    return min(one, other)


@kernel
def duel(state, world, first, second, noise, rng):
    """Let two options meet and tell the algorithm who won."""
    winner = answer(world, first, second, noise)
    if winner != TIE:
        update(state, winner, first + second - winner, rng)
    elif TAKES_TIES:
        tie(state, first, second, rng)
    elif noise.random() < 0.5:
        update(state, first, second, rng)
    else:
        update(state, second, first, rng)


@kernel
def resting_shortfall(shortfall, among, n, steps, rng):
    """Return the summed shortfall of the option that ``steps`` resting steps draw."""
    return steps * shortfall[among[0]]


@kernel
def drawn_shortfall(shortfall, among, n, steps, rng):
    """Return the summed shortfall of ``steps`` options drawn uniformly from the first n of ``among``.

    It takes the place of :func:`resting_shortfall` for an algorithm that has its own `resting`: binomials take
    long to compile. Only where they differ is anything drawn: a multinomial split, by binomials.
    """
    alike = True
    for m in range(1, n):
        alike = alike and shortfall[among[m]] == shortfall[among[0]]
    if alike:
        return steps * shortfall[among[0]]
    total = 0.0
    for m in range(n):
        share = rng.binomial(steps, 1 / (n - m)) if m < n - 1 else steps
        total += share * shortfall[among[m]]
        steps -= share
    return total


@kernel
def take_stock(ledger, option):
    """Write down what the run is worth at the mark it has reached."""
    mark = ledger.mark[0]
    ledger.regret_at[mark] = ledger.regret[0]
    ledger.duels_at[mark] = ledger.duels[0]
    ledger.answer_at[mark] = option
    ledger.mark[0] = mark + 1


@cache
def loop_of(
    parts: tuple[tuple[str, Callable[..., Any]], ...], name: str, compile: bool, keep: bool
) -> Callable[..., None]:
    """Return :func:`duel_loop` for the parts of one algorithm and the `answer` of one kind of problem.

    numba keeps the compiled loop on disk if we ``keep`` it. A `cost` among the parts takes the place of
    regret as the sum of what two options are short of the best.
    """
    given: dict[str, Any] = dict(parts)
    given["TAKES_TIES"] = "tie" in given
    if "resting" in given:
        given["resting_shortfall"] = drawn_shortfall
    given["duel"] = bind_parts(duel, given, "duel", compile, whole=False)
    return bind_parts(duel_loop, given, name, compile, keep)
