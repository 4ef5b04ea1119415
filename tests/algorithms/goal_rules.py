"""What counts prove of a goal, written as docs/notes/certificate-proofs.md says it, over plain tables."""

from itertools import combinations

import numpy as np

from copeland.kernels.vote_evidence import baseline_level, levels, log_evidence, win_level


def weigh(wins, ties, margin):
    """The evidence of every claim "p_ij > 1/2 - margin"."""
    k = len(wins)
    found = [
        [
            log_evidence(wins[i, j], wins[j, i], ties[i, j], margin) if i != j else -np.inf
            for j in range(k)
        ]
        for i in range(k)
    ]
    return np.array(found)


def proved_top(wins, ties, m, delta=0.05, margin=0.0, epoch=0, dependent=False):
    """Every set of m options that is proved the best m, by trying all of them."""
    k = len(wins)
    at, found = levels(k, delta, epoch, dependent, top=m), weigh(wins, ties, margin)
    lower = [
        max(
            [r for r in range(1, k) if (found[i] >= win_level(at, k - 1 - r)).sum() >= r], default=0
        )
        for i in range(k)
    ]
    upper = [k - 1 - (found[:, j] >= at.loss).sum() for j in range(k)]
    return [
        set(chosen)
        for chosen in combinations(range(k), m)
        if min(lower[i] for i in chosen) >= max(upper[j] for j in range(k) if j not in chosen)
    ]


def proved_sides(wins, ties, base, delta=0.05, margin=0.0, epoch=0):
    """For each other option 1 if it is proved to beat the baseline, -1 if it loses, 0 if it is tied; None if open."""
    level = baseline_level(len(wins), delta, epoch)
    close = weigh(wins, ties, margin) >= level
    exact = close & (weigh(wins, ties, 0.0) >= level)
    sides = {}
    for i in set(range(len(wins))) - {base}:
        tied = margin > 0 and close[i, base] and close[base, i]
        sides[i] = 1 if exact[i, base] else -1 if exact[base, i] else 0 if tied else None
    return sides


def decided_pairs(wins, ties, delta=0.05, margin=0.0, epoch=0, dependent=False):
    """Which pairs are decided: one side is proved to beat the other, or they are tied within the margin."""
    at = levels(len(wins), delta, epoch, dependent, margin=margin)
    close = weigh(wins, ties, margin) >= at.pair
    beats = close & (weigh(wins, ties, 0.0) >= at.exact)
    return beats | beats.T | ((margin > 0) & close & close.T)
