"""Votes to goals beyond one winner: every way of asking ends, with what is so."""

import numpy as np
import pytest

from benchmarks.goals import PLANNED, WAYS, GoalRuns, fixed_votes


def test_a_fixed_number_of_votes_is_that_of_the_textbook():
    # Two options, a gap of .1, error .05 on two sides and power .8: ((1.96 + .84 sqrt(.96)) / .2)^2 = 193.8.
    assert fixed_votes(np.array([[0.5, 0.6], [0.4, 0.5]])) == 194


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_asking_finds_the_best_three(way):
    found = GoalRuns("cyclic-4", "top:3", way, runs=2).run()
    assert found["right"].all() and (found["votes"] < 10_000).all()


def test_a_baseline_is_asked_for_fewer_votes_than_fixed_ones_if_gaps_differ():
    found = GoalRuns("order-20-U(.01,.5)", "above:0", PLANNED, runs=2).run()
    assert found["right"].all() and (found["votes"] < found["fixed"]).all()
