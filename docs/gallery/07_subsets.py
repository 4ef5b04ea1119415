"""Random subsets of the options

How likely a subset has a Condorcet winner, how many Copeland winners it has and how often these lose, and what the paper's bound
gains by the gap that matters. `copeland reproduce` draws them for the paper's 136 rankers.
"""

import copeland
from copeland.reproduction.paper_figures import (
    condorcet_figure,
    gap_ratio_figure,
    losses_figure,
    winners_figure,
)
from copeland.reproduction.subset_analyses import analyse, cell

matrix = copeland.load("tournament-12:seed=1")
found = analyse(matrix, [cell(matrix, k, 0, 500, seed=0, lotteries=False) for k in range(1, 13)])
figures = {
    "How likely a subset has a Condorcet winner": condorcet_figure(found.condorcet),
    "How many Copeland winners a subset has": winners_figure(found.observed),
    "How many options beat a Copeland winner": losses_figure(found.observed),
    "What the bound gains by the gap that matters": gap_ratio_figure(found.gap_ratios, matrix.k),
}
