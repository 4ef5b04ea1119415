"""The certificate of :mod:`copeland.certificate.certificate`, kept up to date vote by vote, and votes until it holds.

A vote changes the evidence of one pair. So bounds of scores are adjusted, not computed anew: O(1) a
vote, and O(K^2) only when a claim appears or falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints, pick
from copeland.kernels.mark import kernel
from copeland.kernels.vote_evidence import all_level, log_evidence, loss_level, win_level


class CertifiedVotes(NamedTuple):
    """Votes, and the certificate that they give. The kernels here take any tuple with these fields."""

    k: Ints  # (1,): how many of the options count
    wins: Ints  # K x K
    ties: Ints  # K x K, symmetric
    evidence: Floats  # K x K
    depth: Ints  # K x K: how many of the levels x_w(0), x_w(1), ... the evidence reaches
    at_depth: Ints  # K x K: how many options of a row have which depth
    strength: Floats  # by option: the evidence of its row, each from 0 to x_w(0)
    lower: Ints
    upper: Ints
    best: Bools
    is_all: Bools  # (1,)


def new_certified_votes(wins: Ints, ties: Ints) -> CertifiedVotes:
    """Return room for the certificate of these votes, which are copied; :func:`begin` comes next."""
    k = len(wins)
    return CertifiedVotes(
        k=np.array([k]),
        wins=np.array(wins, np.int64),
        ties=np.array(ties, np.int64),
        evidence=np.full((k, k), -np.inf),
        depth=np.zeros((k, k), np.int64),
        at_depth=np.zeros((k, k), np.int64),
        strength=np.zeros(k),
        lower=np.zeros(k, np.int64),
        upper=np.zeros(k, np.int64),
        best=np.zeros(k, np.bool_),
        is_all=np.zeros(1, np.bool_),
    )


@kernel
def begin(state, at, margin):
    """Weigh every pair anew, for as many options as there are now."""
    k = state.k[0]
    for i in range(k):
        state.at_depth[i, :] = 0
        state.at_depth[i, 0] = k - 1
        state.strength[i] = 0.0
        state.upper[i] = k - 1
        for j in range(k):
            state.depth[i, j] = 0
            state.evidence[i, j] = -np.inf
    for i in range(k):
        _count_wins(state, i)
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
    changed = False
    if (found >= loss_level(at)) != (before >= loss_level(at)):
        state.upper[j] += 1 if before >= loss_level(at) else -1
        changed = True
    deep = state.depth[i, j]
    while deep > 0 and found < win_level(at, deep - 1):
        deep -= 1
    while deep < state.k[0] - 1 and found >= win_level(at, deep):
        deep += 1
    if deep != state.depth[i, j]:
        state.at_depth[i, state.depth[i, j]] -= 1
        state.at_depth[i, deep] += 1
        state.depth[i, j] = deep
        _count_wins(state, i)
        changed = True
    return changed


@kernel
def _count_wins(state, i):
    """Write the lower bound of a score: K - 1 - l, if so many wins reach x_w(l)."""
    others = state.k[0] - 1
    reached = others
    state.lower[i] = 0
    for l in range(others):
        reached -= state.at_depth[i, l]
        if reached >= others - l:
            state.lower[i] = others - l
            return


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


@kernel
def votes_to_proof(state, at, margin, p, tie, pairs, in_turn, most, noise):
    """Vote until some option is proved best; return how many votes that took, ``most`` at most.

    Parameters
    ----------
    p, tie
        K x K: P(win) + P(tie) / 2, and P(tie).
    pairs
        n x 2: what may be asked.
    in_turn
        Whether the pairs are asked one after the other, or drawn.
    """
    begin(state, at, margin)
    if judge(state, at, margin) > 0:
        return 0
    for vote in range(most):
        nth = vote % len(pairs) if in_turn else pick(noise, len(pairs))
        i, j = pairs[nth, 0], pairs[nth, 1]
        luck = noise.random()
        if luck < p[i, j] - tie[i, j] / 2:
            state.wins[i, j] += 1
        elif luck < p[i, j] + tie[i, j] / 2:
            state.ties[i, j] += 1
            state.ties[j, i] += 1
        else:
            state.wins[j, i] += 1
        changed = update_pair(state, at, i, j, margin)
        changed = update_pair(state, at, j, i, margin) or changed
        if changed and judge(state, at, margin) > 0:
            return vote + 1
    return most
