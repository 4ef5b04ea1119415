"""Votes as a board collects them: by the Bradley-Terry model, and real ones."""

import csv
import gzip

import numpy as np
from scipy.special import expit

STRENGTHS = np.array([1.2, 0.4, 0.1, -0.5, -1.2])


def draw_counts(strengths, votes, ties=0.0, seed=0):
    """Votes on random pairs by the Bradley-Terry model; some of them are ties whatever the strengths."""
    rng, k = np.random.default_rng(seed), len(strengths)
    first = rng.integers(k, size=votes)
    second = (first + 1 + rng.integers(k - 1, size=votes)) % k
    won = rng.random(votes) < expit(strengths[first] - strengths[second])
    even = rng.random(votes) < ties
    wins, tied = np.zeros((k, k), int), np.zeros((k, k), int)
    np.add.at(wins, (np.where(won, first, second)[~even], np.where(won, second, first)[~even]), 1)
    np.add.at(tied, (first[even], second[even]), 1)
    return wins, tied + tied.T


def read_arena(folder):
    """Names, wins and ties of real votes on language models."""
    with gzip.open(folder / "votes" / "arena_2023.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    names = sorted({row[side] for row in rows for side in ("model_a", "model_b")})
    wins, ties = np.zeros((2, len(names), len(names)), int)
    for row in rows:
        i, j = names.index(row["model_a"]), names.index(row["model_b"])
        if row["winner"] in ("model_a", "model_b"):
            wins[(i, j) if row["winner"] == "model_a" else (j, i)] += 1
        else:
            ties[i, j] += 1
            ties[j, i] += 1
    return names, wins, ties
