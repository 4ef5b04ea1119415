"""Tests that end each pair once and for all, valid however long they are watched.

The *prior-posterior ratio* of a coin's bias q: a uniform prior over q against its posterior after w
wins in n. The q whose posterior density is above delta form a confidence set that contains the truth
at all times together with probability 1 - delta (Ville's inequality; Waudby-Smith & Ramdas 2020). A
pair is won once 1/2 has left the set, and tied once the set lies within ``resolution`` of 1/2. So a pair
whose gap is ``resolution`` or more is called a tie no more often than a loser is called the winner.

The density is kept at 1/2, where it stays near 1: its logarithm keeps its digits after 1e12 duels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bytes, Floats, Ints, new_record
from copeland.kernels.mark import kernel

OPEN, WON, LOST, TIED = 0, 1, -1, 2


class Trials(NamedTuple):
    """Counts of every pair, and how its test ended."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric
    log_even: Floats  # K x K, symmetric: ln of the density at 1/2
    verdict: Bytes  # K x K: OPEN, WON, LOST or TIED, of i against j


def new_trials(k: int) -> Trials:
    """Return K options whose tests have not begun."""
    return new_record(Trials, k, matrices="wins duels log_even verdict")


@kernel
def observe(trials, winner, loser, level, resolution):
    """Add one duel; end the pair's test if it can be ended with error probability exp(-level)."""
    n = trials.duels[winner, loser] + 1
    w = trials.wins[winner, loser] + 1
    trials.wins[winner, loser] = w
    trials.duels[winner, loser] = trials.duels[loser, winner] = n
    log_even = trials.log_even[winner, loser] + math.log((n + 1) / (2 * w))
    trials.log_even[winner, loser] = trials.log_even[loser, winner] = log_even
    if trials.verdict[winner, loser] != OPEN:
        return
    if log_even <= -level:
        won = 2 * w > n
        trials.verdict[winner, loser] = WON if won else LOST
        trials.verdict[loser, winner] = LOST if won else WON
    elif resolution > 0 and is_tied(n, w, log_even, level, resolution):
        trials.verdict[winner, loser] = trials.verdict[loser, winner] = TIED


@kernel
def is_tied(n, w, log_even, level, resolution):
    """Tell whether both 1/2 - resolution and 1/2 + resolution have left the confidence set."""
    if abs(w / n - 0.5) >= resolution:
        return False
    more = max(w, n - w)
    near, far = math.log1p(2 * resolution), math.log1p(-2 * resolution)
    return log_even + more * near + (n - more) * far <= -level


@kernel
def resume_ties(trials):
    """Take all ties back: their tests go on from their counts."""
    k = len(trials.verdict)
    for i in range(k):
        for j in range(k):
            if trials.verdict[i, j] == TIED:
                trials.verdict[i, j] = OPEN


@kernel
def forget_pair(trials, i, j):
    """Begin the test of one pair anew."""
    trials.wins[i, j] = trials.wins[j, i] = 0
    trials.duels[i, j] = trials.duels[j, i] = 0
    trials.log_even[i, j] = trials.log_even[j, i] = 0.0
    trials.verdict[i, j] = trials.verdict[j, i] = OPEN


@kernel
def forget(trials):
    """Begin all tests anew."""
    trials.wins[:, :] = 0
    trials.duels[:, :] = 0
    trials.log_even[:, :] = 0.0
    trials.verdict[:, :] = OPEN


# An algorithm that stops with an answer: `state.answer[0]` is it, -1 until it is found


def check_delta(name: str, delta: float) -> None:
    """Refuse what is not a failure probability."""
    if not 0 < delta < 1:
        raise InvalidParameter(
            f"{name}: delta is {delta}; a failure probability lies between 0 and 1."
        )


@kernel
def finished(state):
    """Tell whether the answer is found."""
    return state.answer[0] >= 0


@kernel
def select(state, t, rng):
    """Return the pair of this step, or the answer against itself."""
    if state.answer[0] >= 0:
        return state.answer[0], state.answer[0]
    return state.pair[0], state.pair[1]
