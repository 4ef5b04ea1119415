"""Regret over time

What each algorithm lost by step t: the mean of the runs. The band holds 90 % of them. `copeland simulate` draws it.
"""

import copeland

runs = copeland.simulate(
    "cyclic-4", ["cpc", "ccb", "scb"], horizon=10**4, runs=3, seed=7, compiled=False
)
figures = {
    "Regret of three algorithms on a cycle of four options": copeland.plot(runs),
    "The same on logarithmic axes": copeland.plot(runs, yscale="log"),
    "Each algorithm on axes of its own": copeland.plot(runs, yscale="log", by="algorithm"),
    "At the width of a journal's column": copeland.plot(runs, yscale="log", width="single"),
}
