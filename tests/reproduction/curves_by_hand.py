"""Curves of regret made by hand."""

import numpy as np

from copeland.simulation.runs import Curves, Runs


def curves(name, regret, marks=(10, 100, 1000)):
    regret = np.array(regret, np.float64)
    shape = regret.shape
    return Curves(
        name=name,
        params={},
        marks=np.array(marks, np.int64),
        regret=regret,
        comparisons=np.ones(shape, np.int64),
        answers=np.zeros(shape, np.int64),
        correct=np.ones(shape, np.bool_),
        seconds=1.0,
    )


def runs_of(**regrets):
    return Runs(
        problem="by hand",
        k=5,
        key="key",
        redrawn=False,
        horizon=1000,
        seed=0,
        regret="definition-1",
        marks=np.array([10, 100, 1000]),
        curves=tuple(curves(name, regret) for name, regret in regrets.items()),
    )


CUT = runs_of(ccb=[[10, 50, 60]], scb=[[10, 90, np.nan]])
