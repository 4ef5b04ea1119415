"""Problems made of another one: a part of its options, or its numbers with noise."""

from __future__ import annotations

import numpy as np

from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.support.rng import stream
from copeland.theory.winners import condorcet_winner

DRAWS = 1_000  # of options, to find some with a Condorcet winner, or without


def part(
    k: int, of: PreferenceMatrix, seed: int = 0, condorcet: bool | None = None
) -> PreferenceMatrix:
    """Return a matrix of K options drawn from another.

    Parameters
    ----------
    condorcet
        Whether one option is to beat all others; drawn as it comes if that is not said.
    """
    if not 2 <= k <= of.k:
        raise InvalidParameter(f"{k} options cannot be drawn from {of.k}; take 2 to {of.k}.")
    rng = stream(seed, "part")
    for _ in range(DRAWS):
        drawn = of.sub(rng.permutation(of.k)[:k].tolist())
        if condorcet is None or (condorcet_winner(drawn) is not None) == bool(condorcet):
            return PreferenceMatrix(drawn.p, drawn.labels, name=f"part-{k}-of-{of.name}")
    sought = "with" if condorcet else "without"
    raise InvalidParameter(
        f"{DRAWS:,} draws of {k} options from {of.name} had none {sought} a Condorcet winner."
    )


def add_noise(sd: float, of: PreferenceMatrix, seed: int = 0) -> PreferenceMatrix:
    """Return a matrix with normal noise of standard deviation ``sd`` on every pair, kept in [0, 1]."""
    if not 0 <= sd < 1:
        raise InvalidParameter(f"the noise is {sd}; it must lie from 0 to below 1.")
    noise = np.triu(stream(seed, "perturbed").normal(0, sd, of.p.shape), 1)
    p = np.clip(of.p + noise - noise.T, 0.0, 1.0)
    return PreferenceMatrix(p, of.labels, name=f"perturbed-{sd:g}-of-{of.name}")
