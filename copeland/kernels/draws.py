"""Random choices inside kernels."""

from __future__ import annotations

from copeland.kernels.mark import kernel


@kernel
def pick(rng, n):
    """Return a uniform draw from 0..n-1; where there is no choice (n = 1) nothing is drawn."""
    return 0 if n == 1 else int(rng.random() * n)
