"""Algorithm 1 with the bounds of every pair rebuilt at every step, as the paper prints it.

The oracle of :mod:`copeland.algorithms.ccb` (same seed, same duels) and the yardstick of the
benchmark. It draws in the same order and under the same rulings; everything else is done anew.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.kernels import kernel, pick
from copeland.registry import Algorithm


class State(NamedTuple):
    """The variables of Algorithm 1."""

    w: NDArray[np.int64]
    u: NDArray[np.float64]
    l: NDArray[np.float64]
    upper_score: NDArray[np.int64]
    lower_score: NDArray[np.int64]
    best: NDArray[np.bool_]
    rivals: NDArray[np.bool_]
    losses: NDArray[np.int64]
    alpha: NDArray[np.float64]


def init(k: int, alpha: float = 0.51) -> State:
    """Lines 1 to 4."""
    return State(
        w=np.zeros((k, k), np.int64),
        u=np.zeros((k, k)),
        l=np.zeros((k, k)),
        upper_score=np.zeros(k, np.int64),
        lower_score=np.zeros(k, np.int64),
        best=np.ones(k, np.bool_),
        rivals=np.zeros((k, k), np.bool_),
        losses=np.array([k]),
        alpha=np.array([alpha]),
    )


@kernel
def advance(state, t, rng):
    """Lines 6 to 9."""
    k = len(state.best)
    spread = state.alpha[0] * math.log(t)
    for i in range(k):
        state.upper_score[i] = 0
        state.lower_score[i] = 0
        for j in range(k):
            n = state.w[i, j] + state.w[j, i]
            if i == j:
                state.u[i, j] = state.l[i, j] = 0.5
            elif n == 0:
                state.u[i, j] = math.inf
                state.l[i, j] = -math.inf
            else:
                state.u[i, j] = state.w[i, j] / n + math.sqrt(spread / n)
                state.l[i, j] = state.w[i, j] / n - math.sqrt(spread / n)
            if i != j:
                state.upper_score[i] += int(state.u[i, j] >= 0.5)
                state.lower_score[i] += int(state.l[i, j] >= 0.5)
    top_upper = 0
    top_lower = 0
    for i in range(k):
        top_upper = max(top_upper, state.upper_score[i])
        top_lower = max(top_lower, state.lower_score[i])
    disproved = False
    for i in range(k):
        for j in range(k):
            if state.rivals[i, j] and state.l[i, j] > 0.5:
                disproved = True
    if disproved:
        reset(state)
    left = 0
    for i in range(k):
        if state.best[i] and state.upper_score[i] < top_lower:
            state.best[i] = False
            if size(state, i) != state.losses[0] + 1:
                for j in range(k):
                    state.rivals[i, j] = state.u[i, j] < 0.5
        left += int(state.best[i])
    if left == 0:
        reset(state)
    found = False
    for i in range(k):
        if state.upper_score[i] == top_upper and state.lower_score[i] == top_upper:
            found = True
            state.best[i] = True
            state.losses[0] = k - 1 - state.upper_score[i]
            for j in range(k):
                state.rivals[i, j] = False
    if found:
        for j in range(k):
            n = size(state, j)
            if n < state.losses[0] + 1:
                for m in range(k):
                    state.rivals[j, m] = False
            elif n > state.losses[0] + 1:
                thin(state, j, n, state.losses[0] + 1, rng)


@kernel
def reset(state):
    """Lines 2 to 4."""
    k = len(state.best)
    state.losses[0] = k
    for i in range(k):
        state.best[i] = True
        for j in range(k):
            state.rivals[i, j] = False


@kernel
def size(state, i):
    """Return |B^i|."""
    n = 0
    for j in range(len(state.best)):
        n += int(state.rivals[i, j])
    return n


@kernel
def thin(state, i, left, wanted, rng):
    """Keep a random subset of B^i."""
    for j in range(len(state.best)):
        if state.rivals[i, j]:
            state.rivals[i, j] = wanted > 0 and rng.random() * left < wanted
            left -= 1
            wanted -= int(state.rivals[i, j])


@kernel
def select(state, t, rng):
    """Lines 10 to 13."""
    k = len(state.best)
    n_open = 0
    for i in range(k):
        for j in range(k):
            if state.rivals[i, j] and state.l[i, j] <= 0.5 <= state.u[i, j]:
                n_open += 1
    if n_open > 0 and rng.random() < 1 / 4:
        nth = pick(rng, n_open)
        for i in range(k):
            for j in range(k):
                if state.rivals[i, j] and state.l[i, j] <= 0.5 <= state.u[i, j]:
                    if nth == 0:
                        return i, j
                    nth -= 1
    top = 0
    for i in range(k):
        top = max(top, state.upper_score[i])
    n_top = 0
    n_both = 0
    for i in range(k):
        if state.upper_score[i] == top:
            n_top += 1
            n_both += int(state.best[i])
    both = n_both == n_top or (n_both > 0 and rng.random() < 2 / 3)
    nth = pick(rng, n_both if both else n_top)
    c = -1
    for i in range(k):
        if state.upper_score[i] == top and (state.best[i] or not both):
            if nth == 0:
                c = i
            nth -= 1
    eligible = 0
    for j in range(k):
        eligible += int(state.rivals[c, j] and state.l[j, c] <= 0.5)
    only_rivals = eligible > 0 and rng.random() < 1 / 2
    d = c
    highest = -math.inf if only_rivals else 0.5  # u_cc
    n = 0
    for j in range(k):
        if j != c and state.l[j, c] <= 0.5 and (state.rivals[c, j] or not only_rivals):
            if state.u[j, c] > highest or (d == c and state.u[j, c] == highest):
                d, highest, n = j, state.u[j, c], 1
            elif state.u[j, c] == highest:
                n += 1
                if rng.random() * n < 1:
                    d = j
    return c, d


@kernel
def update(state, winner, loser, rng):
    """Line 14."""
    state.w[winner, loser] += 1


@kernel
def recommend(state):
    """Return an optimistic winner of the highest pessimistic score."""
    answer = 0
    for i in range(len(state.best)):
        more = state.upper_score[i] - state.upper_score[answer]
        if more > 0 or (more == 0 and state.lower_score[i] > state.lower_score[answer]):
            answer = i
    return answer


PLAIN_CCB = Algorithm(
    name="ccb-plain",
    paper="Zoghi, Karnin, Whiteson & de Rijke 2015, Algorithm 1",
    summary="CCB with every bound rebuilt at every step: the oracle and the yardstick",
    target="copeland",
    init=init,
    advance=advance,
    select=select,
    update=update,
    recommend=recommend,
)
