"""POCOWISTA, POtential COpeland WInner STays: Bengs, Haddenhorst & Hüllermeier 2024.

It finds a Copeland winner with probability 1 - delta, where a duel may also end in a tie. The option
with the highest *potential* Copeland score (every pair not settled yet counted as won) meets the best
scorer among the options it is not settled with, until it is sure which outcome of that pair is the
likeliest. It stops once one score reaches the potential of every other option.

A pair is settled by the test PPR-1v1 (Jain et al. 2022): of its wins, losses and ties take the two
largest counts, S1 >= S2; it ends when the density of Beta(S1 + 1, S2 + 1) at 1/2 is small enough. A
pair tested on and on has no end where its two likeliest outcomes are equally likely; that is the
authors' rule, kept here, and on near ties POCOWISTA takes accordingly long. ``resolution`` is ours and
off by default: a pair whose two largest counts prove a share within it of 1/2 is called a tie.

The paper's text was not at hand. Rule and thresholds follow its authors' public code, with these rulings:

- Threshold: with delta' = delta / (K choose 2), delta' for a pair that has seen no tie, delta'/2 after
  its first (the public code: always delta'/2). Two outcomes end on the wrong side with half of
  Ville's bound at most (by symmetry at p = 1/2, and monotone in p): delta'/2 between win and loss,
  delta'/4 between win and tie, each up to a factor 1 + delta', so delta' covers both.
- A ``resolution`` gives that half away: the promise then holds for binary duels, and with 1.5 delta
  where there are ties too.
- Equal potentials, equal scores, several winners at the end: the first in an order drawn at random
  before the first duel. The public code takes the first, so this is its rule on shuffled options.
  A new draw at each tie would not do: it lets the winner go, and costs a fifth more on an
  order of 20 options.
- It stops if *any* of the best scorers reaches the potential of all others.
- A settled pair stays settled; duels of it that nobody asked for are counted but change no score.
- The recommendation before the end is the best scorer that won the largest share of its duels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bytes, Floats, Ints, draw, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.trials import LOST, OPEN, TIED, WON, check_delta, finished, select
from copeland.kernels.trials import is_tied as near_tie
from copeland.registry import register

LOG_HALF = math.log(0.5)


class State(NamedTuple):
    """What is settled, and the pair under test."""

    wins: Ints  # K x K: wins of i over j
    ties: Ints  # K x K, symmetric
    log_peak: Floats  # K x K, symmetric: ln[(n + 1) (n choose w)] of the pair's wins and losses
    log_peak_tied: Floats  # K x K: the same of the wins of i over j and their ties
    verdict: Bytes  # K x K: OPEN, WON, LOST or TIED, of i against j
    score: Floats  # settled wins, and half of the settled ties
    settled: Ints  # how many pairs of each option are settled
    points: Floats  # duels won by each option, and half of those tied
    duels: Ints  # of each option
    order: Ints  # the options, the first to be preferred among equals
    pair: Ints  # (2,): the pair under test; -1 before the first
    answer: Ints  # (1,): -1 until it is found
    level: Floats  # (1,): ln(1 / delta')
    resolution: Floats  # (1,)


def init(k: int, delta: float = 0.05, resolution: float = 0.0) -> State:
    """Begin; a Copeland winner is found with probability 1 - ``delta``."""
    check_delta("pocowista", delta)
    if not 0 <= resolution < 0.5:
        raise InvalidParameter(
            f"pocowista: resolution is {resolution}; a gap lies between 0 and 1/2."
        )
    return new_record(
        State,
        k,
        vectors="score settled points duels",
        matrices="wins ties log_peak log_peak_tied verdict",
        order=np.arange(k),
        pair=np.array([-1, -1]),
        answer=-1,
        level=math.log(math.comb(k, 2) / delta),
        resolution=resolution,
    )


@kernel
def advance(state, t, rng):
    """Name the next pair to test, once the last is settled."""
    if state.answer[0] >= 0:
        return
    i, j = state.pair[0], state.pair[1]
    if i < 0:
        for at in range(len(state.order)):
            draw(state.order, at, rng)
    if i < 0 or state.verdict[i, j] != OPEN:
        i = highest_potential(state)
        state.pair[0] = i
        state.pair[1] = best_open_opponent(state, i)


@kernel
def potential(state, i):
    """Return the Copeland score of option i if it wins every pair that is not settled yet."""
    return len(state.score) - 1 - state.settled[i] + state.score[i]


@kernel
def highest_potential(state):
    """Return the first of the options that can still reach the highest score."""
    best = state.order[0]
    for i in state.order:
        if potential(state, i) > potential(state, best):
            best = i
    return best


@kernel
def best_open_opponent(state, i):
    """Return the first of the best scorers among those with which i is not settled."""
    best = -1
    for j in state.order:
        is_open = j != i and state.verdict[i, j] == OPEN
        if is_open and (best < 0 or state.score[j] > state.score[best]):
            best = j
    return best


@kernel
def update(state, winner, loser, rng):
    """Count a win, and settle the pair if that is enough."""
    w = state.wins[winner, loser] + 1
    state.wins[winner, loser] = w
    log_peak = state.log_peak[winner, loser] + log_growth(w, state.wins[loser, winner])
    state.log_peak[winner, loser] = state.log_peak[loser, winner] = log_peak
    state.log_peak_tied[winner, loser] += log_growth(w, state.ties[winner, loser])
    score_duel(state, winner, loser, 1.0)
    settle(state, winner, loser)


@kernel
def tie(state, first, second, rng):
    """Count a tie, and settle the pair if that is enough."""
    n = state.ties[first, second] + 1
    state.ties[first, second] = state.ties[second, first] = n
    state.log_peak_tied[first, second] += log_growth(n, state.wins[first, second])
    state.log_peak_tied[second, first] += log_growth(n, state.wins[second, first])
    score_duel(state, first, second, 0.5)
    settle(state, first, second)


@kernel
def log_growth(count, other):
    """Return by how much ln[(n + 1) (n choose count)] grew with the last of ``count``; n is both."""
    return math.log((count + other + 1) / count)


@kernel
def score_duel(state, i, j, points):
    """Give i its points for one duel, and j the rest."""
    state.points[i] += points
    state.points[j] += 1 - points
    state.duels[i] += 1
    state.duels[j] += 1


@kernel
def settle(state, i, j):
    """Score the pair if its test ends now, and look whether a winner is certain."""
    if state.verdict[i, j] != OPEN:
        return
    outcome = ending(state, i, j)
    if outcome == OPEN:
        return
    state.verdict[i, j] = outcome
    state.verdict[j, i] = TIED if outcome == TIED else -outcome
    worth = 0.5 * int(outcome == TIED) + int(outcome == WON)
    state.score[i] += worth
    state.score[j] += 1 - worth
    state.settled[i] += 1
    state.settled[j] += 1
    if state.answer[0] < 0:
        state.answer[0] = certain_winner(state)


@kernel
def ending(state, i, j):
    """PPR-1v1: return the likeliest outcome for i, once that is sure; OPEN until then."""
    wins, losses, ties = state.wins[i, j], state.wins[j, i], state.ties[i, j]
    if ties <= min(wins, losses):
        outcome = WON if wins > losses else LOST
        most, n, log_peak = max(wins, losses), wins + losses, state.log_peak[i, j]
    elif losses <= wins:
        outcome = WON if wins > ties else TIED
        most, n, log_peak = max(wins, ties), wins + ties, state.log_peak_tied[i, j]
    else:
        outcome = LOST if losses > ties else TIED
        most, n, log_peak = max(losses, ties), losses + ties, state.log_peak_tied[j, i]
    level = state.level[0] - (LOG_HALF if ties > 0 else 0.0)
    log_even = log_peak + n * LOG_HALF
    if log_even <= -level:
        return outcome
    resolution = state.resolution[0]
    if resolution > 0 and near_tie(n, most, log_even, level, resolution):
        return TIED
    return OPEN


@kernel
def certain_winner(state):
    """Return the first option whose score reaches the potential of every other; -1 if none does."""
    top = highest_potential(state)
    second = 0.0  # the highest potential of the others
    for i in state.order:
        if i != top:
            second = max(second, potential(state, i))
    for i in state.order:
        if state.score[i] >= (second if i == top else potential(state, top)):
            return i
    return -1


@kernel
def recommend(state):
    """Return the answer; before it is found, the best scorer that won the most of its duels."""
    if state.answer[0] >= 0:
        return state.answer[0]
    best = 0
    for i in range(1, len(state.score)):
        ahead = state.score[i] - state.score[best]
        if ahead > 0 or (ahead == 0 and win_rate(state, i) > win_rate(state, best)):
            best = i
    return best


@kernel
def win_rate(state, i):
    """Return the share of its duels that option i won, 1/2 before any."""
    return state.points[i] / state.duels[i] if state.duels[i] > 0 else 0.5


ALGORITHM = register(
    __name__,
    name="pocowista",
    paper="Bengs, Haddenhorst & Hüllermeier 2024",
    summary="The option with the highest potential stays until its pairs are settled; takes ties",
    target="copeland",
    select=select,
    finished=finished,
)
