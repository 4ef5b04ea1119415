"""What ties do to a matrix of rankers

A ranker that gives many documents the same score needs a rule for ties, and the rule changes who wins. [Ties](../ties.md) tells the
whole story. Here the rows are few and drawn at random. `copeland reproduce` draws these figures for the paper's rankers.
"""

import numpy as np

import copeland
from copeland.ranking import Collection, letor
from copeland.reproduction.paper_figures import tie_figures
from copeland.reproduction.reproduction import reproduce
from copeland.reproduction.score_ties import Rows

rng = np.random.default_rng(0)
grades = rng.integers(0, 5, 36)
features = (grades[:, None] + rng.normal(size=(36, 6))) // np.arange(1, 7)
letor.write(Collection(grades, features, offsets=[0, 12, 24, 36]), "rows.txt")

matrix = copeland.load("tournament-6:seed=3")
rows = Rows.load(["rows.txt"])
found = reproduce("ties", matrix=matrix, rows=rows, comparisons=50, only=["ties"])
titles = {
    "ties-condorcet": "How likely a subset has a Condorcet winner, by the rule for ties",
    "ties-entries": "The entries of two matrices against each other, by the rule for ties",
    "ties-scores": "How good a ranker is, by how often its scores tie",
}
figures = {titles[name]: figure for name, figure in tie_figures(found.ties).items()}
