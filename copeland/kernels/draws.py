"""Random choices inside kernels."""

from __future__ import annotations

from copeland.kernels.mark import kernel


@kernel
def pick(rng, n):
    """Return a uniform draw from 0..n-1; where there is no choice (n = 1) nothing is drawn."""
    return 0 if n == 1 else int(rng.random() * n)


@kernel
def draw(items, at, rng):
    """Draw one of the items from place ``at`` on, without replacement: it is put there, and returned.

    Called with at = 0, 1, 2, ... it shuffles the array, one draw at a time.
    """
    chosen = at + pick(rng, len(items) - at)
    items[at], items[chosen] = items[chosen], items[at]
    return items[at]
