"""ECW-RMED, Relative Minimum Empirical Divergence for Copeland winners, the efficient form.

Komiyama, Honda & Nakagawa 2016 ("Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal
Algorithm, and Computationally Efficient Algorithm"). It keeps a list of pairs to duel. After each of
them it asks whether the evidence makes an apparent winner sure at level ln t; if so that option goes
on the next list, to meet itself; if not, so do the pairs that have fewer duels than the cheapest plan
to make one sure. ECW-RMED plans by a relaxation with a closed form (:func:`relaxed_plan`); CW-RMED by
the optimum (:mod:`copeland.algorithms.cw_rmed`). A pair with few duels, or close to 1/2, goes first.

What could be checked: the paper's text could not be opened. The lists, the rule for pairs that go
first and the relaxation are those of a public code by the authors of D-TS; alpha = 3 and beta = 0.01 are
in two public codes, one of which calls them the paper's own. Two doubtful lines of the first code are
not followed: it lets l (see :mod:`copeland.kernels.winner_evidence`) begin at L_c instead of L_c - 1, and
holds no option for sure as soon as one pair has more evidence than it needs.

Rulings where the paper is silent:

- ln ln t is taken as 1 where it is smaller.
- Of the pairs that go first one is drawn; so is the next pair of the list.
- A pair that never met has m = 1/2, so it goes first.
- What goes on the next list is decided when the list is next used: by then no pair has m = 1/2.
- An option is held for sure by the exact test (the lightest upset), not by the relaxed one. Of several
  that are sure, the one with the most evidence meets itself. (On ``cyclic-4`` at T = 1e6 the halved regret is
  541 this way; 698 with the relaxed test, where an earlier prototype had 690.)
- The options are numbered anew at random, and equals are taken by number.

The rule for pairs close to 1/2 has a price. A run whose estimate of some pair comes within beta / ln ln t
of 1/2 (0.004 at beta = 0.01 and t = 1e6) and stays there duels that pair for ever. It is rare, and so
dear that it governs the mean: on ``arxiv-6``, which has an exact tie, one of 200 runs to T = 1e6 had a
halved regret of 882,195, where the median is 3,168. With beta = 1e-9 the worst is 15,535. Long tails
remain where gaps are tiny, because a wrong estimate may keep the cheapest winner from being seen: on
``mslr-5`` the median is about 5,000, the mean about 14,000 (11,000 with beta = 1e-9).

With ``threshold`` "eager" or "cautious", a pair's evidence is the index of :mod:`copeland.kernels.vote_evidence` in
place of n d, with the caution of that setting, both for an option to be sure and for a pair to be behind
its quota.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms.copeland_pac import win_rate
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, draw, least, new_record, pick
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import LATEST, NEVER
from copeland.kernels.vote_evidence import OWN, caution_of, index_of_leader
from copeland.kernels.winner_evidence import (
    PairEvidence,
    count_duel,
    lightest_upset,
    new_tally,
    price_pairs,
    relaxed_plan,
    relaxed_price,
    rows_of_options,
    take_evidence,
)
from copeland.registry import register


class Bag(NamedTuple):
    """A set of pairs to draw from. A pair (i, j), i <= j, has the code i K + j."""

    codes: Ints
    place: Ints  # K*K, by code: where in the bag, -1 if it is not
    size: Ints  # (1,)


class State(NamedTuple):
    """What ECW-RMED knows. Inside, options go by their numbers."""

    tally: PairEvidence
    options: Ints  # the option of each number
    numbers: Ints  # the number of each option
    first: Bag  # pairs that may have to go first
    listed: Bag  # L_R, what is left of the list
    later: Bag  # L_N, the next list
    due: Ints  # (1,): a pair with fewer duels goes first
    pair: Ints  # (2,): the pair of this step
    begun: Bools  # (1,): whether a pair of the list was dueled
    numbered: Bools  # (1,): whether the options are numbered
    champion: Ints  # (1,): i_1, -1 before there is one
    surest: Ints  # (1,): the apparent winner with the most evidence
    evidence: Floats  # (1,): its evidence
    weighed: Bools  # (1,): whether `surest` and `evidence` are those of the duels so far
    planned: Bools  # (1,): whether `quota` is
    quota: Floats  # K x K: q, the duels that each pair should have for each unit of ln t
    cost: Floats  # K x K: r_ij / d_ij
    by_cost: Ints  # K x K: row i lists the options by their cost against i
    alpha: Floats  # (1,)
    beta: Floats  # (1,)
    borrowed: Bools  # (1,): whether evidence and level are those of CPC
    caution: Floats  # (1,): the nats beyond ln t that few duels need then
    step: Ints  # (1,): the step that `advance` came to


def init(k: int, alpha: float = 3.0, beta: float = 0.01, threshold: str = OWN) -> State:
    """Begin; ``alpha`` and ``beta`` say which pairs go first.

    ``threshold`` is "own", or the setting of CPC by which pairs are decided.
    """
    caution = caution_of("ecw-rmed", threshold)
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0 < value < math.inf:
            raise InvalidParameter(f"{name} is {value}; Komiyama et al. require {name} > 0.")
    pairs = np.array([i * k + j for i in range(k) for j in range(i + 1, k)])
    return new_record(
        State,
        k,
        matrices="quota cost",
        tally=new_tally(k),
        options=np.arange(k),
        numbers=np.arange(k),
        first=new_bag(k, pairs),
        listed=new_bag(k, pairs),
        later=new_bag(k, pairs[:0]),
        pair=np.zeros(2, np.int64),
        champion=-1,
        surest=-1,
        by_cost=rows_of_options(k),
        alpha=alpha,
        beta=beta,
        borrowed=caution is not None,
        caution=caution or 0.0,
        step=1,
    )


def new_bag(k: int, codes: Ints) -> Bag:
    """Return a bag of these pairs, with room for all."""
    bag = Bag(
        codes=np.zeros(k * (k + 1) // 2, np.int64),
        place=np.full(k * k, -1, np.int64),
        size=np.array([len(codes)]),
    )
    bag.codes[: len(codes)] = codes
    bag.place[codes] = np.arange(len(codes))
    return bag


@kernel
def put(bag, code):
    """Put a pair into the bag, if it is not in it."""
    if bag.place[code] < 0:
        bag.place[code] = bag.size[0]
        bag.codes[bag.size[0]] = code
        bag.size[0] += 1


@kernel
def take(bag, code):
    """Take a pair out of the bag, if it is in it."""
    at = bag.place[code]
    if at >= 0:
        bag.size[0] -= 1
        last = bag.codes[bag.size[0]]
        bag.codes[at] = last
        bag.place[last] = at
        bag.place[code] = -1


@kernel
def number_options(state, rng):
    """Number the options at random, once."""
    if not state.numbered[0]:
        state.numbered[0] = True
        for number in range(len(state.options)):
            state.numbers[draw(state.options, number, rng)] = number


@kernel
def advance(state, t, rng):
    """Choose the pair of step t: one that goes first, else the next of the list."""
    begin_step(state, t, rng)
    code = first_pair(state, t, rng)
    if code < 0:
        if state.begun[0]:
            if not find_sure_winner(state, t):
                plan(state)
            fill_next_list(state, t)
        code = take_from_list(state, rng)
    choose(state, code)


@kernel
def begin_step(state, t, rng):
    """Bring the number of duels that is due to step t."""
    number_options(state, rng)
    state.step[0] = t
    due = math.ceil(state.alpha[0] * math.sqrt(math.log(t)))
    if due > state.due[0]:
        state.due[0] = due
        k = len(state.options)
        for i in range(k):
            for j in range(i + 1, k):
                if state.tally.duels[i, j] < due:
                    put(state.first, i * k + j)


@kernel
def goes_first(state, i, j, t):
    """Tell whether a pair has too few duels, or lies too close to 1/2, to wait for the list."""
    n = state.tally.duels[i, j]
    if n == 0 or n < state.due[0]:
        return True
    log_log = math.log(max(math.log(t), math.e))
    return abs(state.tally.wins[i, j] / n - 0.5) < state.beta[0] / log_log


@kernel
def first_pair(state, t, rng):
    """Draw one of the pairs that go first; -1 if there is none."""
    k = len(state.options)
    while state.first.size[0] > 0:
        code = state.first.codes[pick(rng, state.first.size[0])]
        if goes_first(state, code // k, code % k, t):
            return code
        take(state.first, code)
    return -1


@kernel
def take_from_list(state, rng):
    """Draw the next pair of the list; when none is left, the next list takes its place."""
    if state.listed.size[0] == 0:
        for at in range(state.later.size[0]):
            put(state.listed, state.later.codes[at])
            state.later.place[state.later.codes[at]] = -1
        state.later.size[0] = 0
    code = state.listed.codes[pick(rng, state.listed.size[0])]
    take(state.listed, code)
    state.begun[0] = True
    return code


@kernel
def choose(state, code):
    """Keep the pair of this step for `select`."""
    state.pair[0] = code // len(state.options)
    state.pair[1] = code % len(state.options)


@kernel
def find_sure_winner(state, t):
    """Tell whether an apparent winner is sure at step t; the one with the most evidence is i_1 then."""
    if not state.weighed[0]:
        state.weighed[0] = True
        find_surest(state)
    if sure(state, t):
        state.champion[0] = state.surest[0]
        return True
    return False


@kernel
def sure(state, t):
    """Tell whether some apparent winner is sure at step t."""
    return state.evidence[0] >= math.log(t)


@kernel
def find_surest(state):
    """Find the apparent winner with the most evidence."""
    tally = state.tally
    fewest = least(tally.losses)
    state.evidence[0] = -1.0
    for c in range(len(tally.losses)):
        if tally.losses[c] == fewest:
            found = lightest_upset(tally, tally.evidence, tally.order, c)
            if found > state.evidence[0]:
                state.surest[0] = c
                state.evidence[0] = found


@kernel
def plan(state):
    """Find i_1, the apparent winner that the relaxed plan makes sure at least regret, and the plan q."""
    if state.planned[0]:
        return
    state.planned[0] = True
    tally = state.tally
    fewest = least(tally.losses)
    price_pairs(tally, fewest, state.cost, state.by_cost)
    lowest = math.inf
    for c in range(len(tally.losses)):
        if tally.losses[c] == fewest:
            price = relaxed_price(tally, state.cost, state.by_cost, c)
            if price < lowest:
                state.champion[0] = c
                lowest = price
    relaxed_plan(tally, state.cost, state.by_cost, state.champion[0], state.quota)


@kernel
def fill_next_list(state, t):
    """Put i_1 with itself on the next list and, unless it is sure, every pair behind its quota."""
    k = len(state.options)
    put_later(state, state.champion[0] * (k + 1))
    if not sure(state, t):
        for i in range(k):
            for j in range(i + 1, k):
                if behind_quota(state, i, j, t):
                    put_later(state, i * k + j)


@kernel
def behind_quota(state, i, j, t):
    """Tell whether a pair has fewer duels than the plan wants of it by step t."""
    tally = state.tally
    if state.borrowed[0]:
        nats = state.quota[i, j] * tally.information[i, j]  # for each nat of the level
        return tally.evidence[i, j] < nats * math.log(t)
    return tally.duels[i, j] < state.quota[i, j] * math.log(t)


@kernel
def put_later(state, code):
    """Put a pair on the next list, unless this list still has it."""
    if state.listed.place[code] < 0:
        put(state.later, code)


@kernel
def select(state, t, rng):
    """Return the pair of this step."""
    return state.options[state.pair[0]], state.options[state.pair[1]]


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    number_options(state, rng)
    i, j = state.numbers[winner], state.numbers[loser]
    count_duel(state.tally, i, j)
    if state.borrowed[0]:
        wins, duels = state.tally.wins[i, j], state.tally.duels[i, j]
        index = index_of_leader(wins, duels, state.caution[0])
        take_evidence(state.tally, i, j, max(index, 0.0))
    state.weighed[0] = False
    state.planned[0] = False
    if goes_first(state, i, j, state.step[0]):
        put(state.first, min(i, j) * len(state.options) + max(i, j))


@kernel
def recommend(state):
    """Return i_1 while it looks like a winner, else the apparent winner that won most of its duels."""
    tally = state.tally
    fewest = least(tally.losses)
    best = state.champion[0]
    if best < 0 or tally.losses[best] > fewest:
        best = -1
        for i in range(len(tally.losses)):
            if tally.losses[i] == fewest and (
                best < 0 or win_rate(tally, i) > win_rate(tally, best)
            ):
                best = i
    return state.options[best]


@kernel
def rest(state, t):
    """Return the next step at which two options may meet.

    A sure winner alone on the list is put there again until its evidence falls short of ln t, or
    until some pair has too few duels.
    """
    others = state.listed.size[0] + state.later.size[0]
    if others > 0 or not state.weighed[0] or not sure(state, t):
        return t + 1
    enough = (fewest_duels(state.tally) / state.alpha[0]) ** 2  # ln t at which pairs are due
    return max(t + 1, just_before(min(state.evidence[0], enough)))


@kernel
def fewest_duels(tally):
    """Return the number of duels of the pair that has the fewest."""
    k = len(tally.losses)
    fewest = tally.duels[0, 1]
    for i in range(k):
        for j in range(i + 1, k):
            fewest = min(fewest, tally.duels[i, j])
    return fewest


@kernel
def just_before(log_t):
    """Return the last step t whose ln t is surely not above ``log_t``, allowing for rounding."""
    return NEVER if log_t > LATEST else int(math.exp(log_t) * (1 - 1e-14))


ALGORITHM = register(
    __name__,
    name="ecw-rmed",
    paper="Komiyama, Honda & Nakagawa 2016 (ECW-RMED)",
    summary="Follows a closed-form plan of duels to be sure of a Copeland winner",
    target="copeland",
)
