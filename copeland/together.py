"""How many losses of each option several pairs show together, from counts alone.

docs/certificate.md says why a product of capitals shows it, and when it counts.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.evidence import STAKE


def losses_together(
    evidence: NDArray[np.floating], asked: NDArray[np.bool_], level: float
) -> NDArray[np.int64]:
    """Return how many losses of each option its pairs show together at a level in nats.

    They show m if the product of 1 - a + a E over all others but the m - 1 of the largest E reaches the level.
    E is 1 for a pair that was not asked.

    Examples
    --------
    >>> found = np.array([[-np.inf, 6.0, 6.0], [-np.inf, -np.inf, 6.0], [-np.inf, -np.inf, -np.inf]])
    >>> losses_together(found, ~np.eye(3, dtype=bool), level=3.0).tolist()
    [0, 1, 2]
    """
    k = len(evidence)
    staked = np.logaddexp(math.log1p(-STAKE), math.log(STAKE) + evidence)
    against = np.where(asked, staked, 0.0).T[~np.eye(k, dtype=bool)].reshape(k, k - 1)
    products = np.cumsum(np.sort(against, axis=1), axis=1)  # of the weakest 1, 2, ..., K - 1
    return ((products >= level) * np.arange(k - 1, 0, -1)).max(axis=1)
