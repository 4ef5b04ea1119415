"""Matrices and counts of votes to look ahead from."""

import numpy as np


def order(k, gap):
    """Every option beats those after it."""
    p = np.full((k, k), 0.5)
    p[np.triu_indices(k, 1)] += gap
    p[np.tril_indices(k, -1)] -= gap
    return p


def counts(wins):
    """Wins, and no ties."""
    wins = np.array(wins)
    return wins, np.zeros_like(wins)
