"""A collection made by rule and seed, so that the whole pipeline runs without anybody's data.

Every document has a latent relevance z, standard normal; a part of it is shared by its query, so some
queries have many good documents and some none. The grade is z cut at fixed levels, chosen such that
the shares of the grades 0 to 4 are those of web search: .52, .32, .13, .02, .01. Features are

- from the first on, z plus noise, the correlation with z falling from .8 to 0; every second one is
  rounded to a small whole number, not below 0, so that many documents tie as they do on term counts;
- the last but two and the last but one: duplicates of the first and the second;
- the last: a constant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from copeland.errors import InvalidParameter
from copeland.ranking.collection import Collection
from copeland.support.rng import stream

SHARES = (0.52, 0.32, 0.13, 0.02, 0.01)  # of the grades 0 to 4
SHARED = 0.3  # of the variance of z, by the documents of a query
BEST = 0.8  # the correlation of the first feature with z
LEAST_FEATURES = 5
MOST_CELLS = 10**9  # documents times features


def synthetic(
    queries: int = 100, documents: int = 20, features: int = 12, seed: int = 0
) -> Collection:
    """Return a collection in which the first features rank best; see the top of the module.

    Parameters
    ----------
    documents
        The average number for each query; they have between half of it and one and a half times it.
    features
        At least 5, the two duplicates and the constant among them.

    Examples
    --------
    >>> c = synthetic(queries=3, documents=10, seed=7)
    >>> c.n_queries, c.n_features, bool((c.features[:, 0] == c.features[:, 9]).all())
    (3, 12, True)
    """
    if queries < 1 or documents < 1:
        raise InvalidParameter(
            f"queries is {queries} and documents {documents}; there must be at least 1 of each."
        )
    if features < LEAST_FEATURES:
        raise InvalidParameter(f"features is {features}; make at least {LEAST_FEATURES}.")
    if queries * documents * features > MOST_CELLS:
        raise InvalidParameter(
            f"{queries:.3g} queries of {documents:.3g} documents with {features:.3g} features are more than "
            f"{MOST_CELLS:,} numbers; make fewer."
        )
    rng = stream(seed, "synthetic-letor")
    sizes = rng.integers((documents + 1) // 2, documents + documents // 2, queries, endpoint=True)
    shared = np.repeat(rng.normal(size=len(sizes)), sizes)
    own = rng.normal(size=int(sizes.sum()))
    relevance = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own
    levels = ndtri(
        np.cumsum(SHARES)[:-1]
    )  # a share of SHARES[0] of z lies below the first, and so on
    return Collection(
        np.searchsorted(levels, relevance).astype(np.int8),
        _features(relevance, features, rng),
        np.concatenate([[0], np.cumsum(sizes)]),
        name=f"synthetic-{queries}-{documents}-{features}",
    )


def _features(
    relevance: NDArray[np.float64], n: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    telling = n - 3
    correlation = np.linspace(BEST, 0, telling)
    noise = rng.normal(size=(len(relevance), telling))
    table = correlation * relevance[:, None] + np.sqrt(1 - correlation**2) * noise
    table[:, 1::2] = np.maximum(np.round(2 * table[:, 1::2]), 0)
    constant = np.ones((len(relevance), 1))
    return np.hstack([table, table[:, :2], constant]).astype(np.float32)
