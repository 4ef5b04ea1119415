"""Regret beside the lower bound

The dashed line is the least regret in the long run, for any algorithm that does well on every problem.
"""

import copeland

matrix = copeland.load("cyclic-4")
runs = copeland.simulate(matrix, "cpc", horizon=10**4, runs=3, seed=7, compiled=False)
least = copeland.limits.lower_regret(matrix)
figures = {"Regret of cpc and the lower bound": copeland.plot(runs, lower_bound=least)}
