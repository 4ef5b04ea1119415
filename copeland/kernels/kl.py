"""The Kullback-Leibler divergence of two coins, and the confidence bounds it gives."""

from __future__ import annotations

import math

from copeland.kernels.mark import kernel

HALVINGS = 52  # of an interval within [0, 1]: down to a double's precision


@kernel
def kl(p, q):
    """Return d(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), with 0 ln 0 = 0."""
    divergence = 0.0
    if p > 0:
        if q <= 0:
            return math.inf
        divergence += p * math.log(p / q)
    if p < 1:
        if q >= 1:
            return math.inf
        divergence += (1 - p) * math.log((1 - p) / (1 - q))
    return max(divergence, 0.0)


@kernel
def kl_upper(p, level):
    """Return the largest q with d(p, q) <= level."""
    return _farthest(p, 1.0, level)


@kernel
def kl_lower(p, level):
    """Return the smallest q with d(p, q) <= level."""
    return _farthest(p, 0.0, level)


@kernel
def _farthest(p, end, level):
    """Bisect between p, where the divergence is 0, and an end of [0, 1]."""
    if kl(p, end) <= level:
        return end
    near, far = p, end
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        if kl(p, middle) <= level:
            near = middle
        else:
            far = middle
    return near
