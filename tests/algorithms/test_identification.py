"""Who ends by itself errs no more often than promised; `copeland.testing` checks it on one small world."""

import pytest
from scipy.stats import binom

import copeland
from copeland import PreferenceMatrix, winners
from copeland.registry import algorithms

RUNS, DELTA, HORIZON = 200, 0.05, 10**7
MOST = int(binom.ppf(1 - 1e-4, RUNS, DELTA))  # of wrong runs, if they are as frequent as promised
# The winner of most others and the winner by most votes differ.
TWO_NOTIONS = PreferenceMatrix([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
WINNERS = {"borda": winners.borda_winners, "random walk": winners.random_walk_winners}
ENDING = [n for n, one in algorithms().items() if one.stops and "delta" in one.parameters]
CONDORCET = ["two notions", "cyclic-4", "arithmetic-8"]
CASES = [
    (name, world)
    for name in ENDING
    for world in CONDORCET + ["easy-8", "order-6-0.2"] * (not algorithms()[name].assumes_condorcet)
]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "world"), CASES)
def test_identification_errs_no_more_often_than_promised(name, world):
    matrix = TWO_NOTIONS if world == "two notions" else copeland.load(world)
    algorithm = algorithms()[name]
    sought = WINNERS.get(algorithm.target, winners.copeland_winners)(matrix)
    spec = f"{name}:delta={DELTA}" + ",goal=best" * (name == "cpc-goal")
    curve = copeland.simulate(matrix, spec, HORIZON, runs=RUNS, seed=0, marks=1).curves[0]
    wrong = sum(answer not in sought for answer in curve.answers[:, -1])
    assert wrong <= MOST
    assert curve.comparisons[:, -1].max() < HORIZON  # every run ended by itself
