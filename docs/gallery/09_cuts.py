"""Other choices of five rankers

The regret of each algorithm over that of `ccb`: a dot for each choice of five options, a bar for the median. `copeland reproduce` draws it.
"""

import copeland
from copeland.reproduction.paper_experiments import cut, cuts
from copeland.reproduction.paper_figures import cuts_figure

matrix = copeland.load("tournament-12:seed=1")
played = []
for five in cuts(matrix, seed=0)[:5]:
    runs = copeland.simulate(matrix.sub(five), ["ccb", "rucb"], 10**3, runs=2, compiled=False)
    played.append((cut(matrix, five, full=False, seed=0), runs))
figures = {"Regret over that of ccb, on five choices": cuts_figure(played)}
