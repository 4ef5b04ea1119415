"""The certificate of one winner, kept up to date vote by vote, for measurements that look after every vote.

The kernels here take any tuple with the fields k, wins, ties, evidence, depth, at_depth, strength, lower, upper, best and
is_all: see `Watch` in :mod:`benchmarks.false_certificates`.
"""

from __future__ import annotations

import numpy as np

from copeland.kernels import kernel
from copeland.kernels.goals.proofs import move_claim
from copeland.kernels.vote_evidence import all_level, log_evidence


@kernel
def begin(state, at, margin):
    """Weigh every pair anew, for as many options as there are now."""
    k = state.k[0]
    for i in range(k):
        state.at_depth[i, :] = 0
        state.at_depth[i, 0] = k - 1
        state.strength[i] = 0.0
        state.lower[i] = 0
        state.upper[i] = k - 1
        for j in range(k):
            state.depth[i, j] = 0
            state.evidence[i, j] = -np.inf
    for i in range(k):
        for j in range(k):
            if i != j:
                update_pair(state, at, i, j, margin)


@kernel
def update_pair(state, at, i, j, margin):
    """Take in the votes of i against j; return whether a bound of a score has changed."""
    before = state.evidence[i, j]
    found = log_evidence(state.wins[i, j], state.wins[j, i], state.ties[i, j], margin)
    state.evidence[i, j] = found
    state.strength[i] += min(max(found, 0.0), at.win) - min(max(before, 0.0), at.win)
    return move_claim(state, at, state.k[0], i, j, before, found)


@kernel
def judge(state, at, margin):
    """Write which options are proved best, and whether they are all; return how many they are."""
    k = state.k[0]
    m = 0
    for i in range(k):
        state.best[i] = state.lower[i] > 0 and state.lower[i] >= largest_other(state.upper, i, k)
        m += int(state.best[i])
    state.is_all[0] = False
    if m > 0:
        top = max(state.lower[0], largest_other(state.lower, 0, k))
        state.is_all[0] = True
        for i in range(k):
            if not state.best[i]:
                score = k - 1
                for j in range(k):
                    if j != i and state.evidence[j, i] >= all_level(at, m):
                        score -= 1
                if score >= top:
                    state.is_all[0] = False
        if margin == 0 and top == k - 1:  # one that beats every other is the only winner
            state.is_all[0] = True
    return m


@kernel
def largest_other(values, i, k):
    """Return the largest of the first k values but that of option i."""
    found = -1
    for j in range(k):
        if j != i and values[j] > found:
            found = values[j]
    return found
