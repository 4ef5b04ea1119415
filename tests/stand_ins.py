"""Matrices of the shape of real ones, for tests that hold of any: made by a rule, not from data."""

import re

import numpy as np

from copeland import PreferenceMatrix
from copeland.support.rng import stream


def stand_in(name: str) -> PreferenceMatrix:
    """Return what votes might say of as many options as the last number in ``name``.

    Options have strengths, and every pair its own whim: so cycles, exact ties and unanimous pairs
    occur as they do where people vote.
    """
    k = int(re.findall(r"\d+", name)[-1])
    rng = stream(0, "stand-in", name)
    strengths, whims = rng.normal(size=k), np.triu(rng.normal(size=(k, k)), 1)
    likings = strengths[:, np.newaxis] - strengths + whims - whims.T
    votes = rng.integers(5, 60, (k, k))
    wins = np.triu(rng.binomial(votes, 1 / (1 + np.exp(-likings))), 1)
    return PreferenceMatrix.from_wins(wins + np.triu(votes - wins, 1).T, name=name)
