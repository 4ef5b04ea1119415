"""Strengths and Borda shares against other fits, plain sums and simulated errors."""

import choix
import numpy as np
import pytest
from board_votes import STRENGTHS, draw_counts
from scipy.special import expit

from copeland.orders import rank
from copeland.orders.option_estimates import (
    Ballots,
    estimate_borda,
    estimate_strengths,
    fit_strengths,
    radius_of,
)


def fit_by_minorising(points):
    """Hunter's iteration (2004), plainly."""
    number, gamma = points + points.T, np.ones(len(points))
    for _ in range(5_000):
        gamma = points.sum(axis=1) / (number / np.add.outer(gamma, gamma)).sum(axis=1)
        gamma /= gamma.sum()
    found = np.log(gamma)
    return found - found.mean()


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_strengths_are_those_of_two_other_fits(ties):
    wins, tied = draw_counts(STRENGTHS, 600, ties)
    points = wins + tied / 2
    found = fit_strengths(wins, tied)
    assert found == pytest.approx(fit_by_minorising(points), abs=1e-9)
    theirs = choix.ilsr_pairwise_dense(points, max_iter=1_000)
    assert found == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_strengths_are_finite_however_far_apart():
    far = np.array([[0, 10**6, 10**6], [1, 0, 10**6], [1, 1, 0]])
    found = fit_strengths(far, 0 * far)
    expected = ((far + far.T) * expit(np.subtract.outer(found, found))).sum(axis=1)
    assert expected == pytest.approx(far.sum(axis=1), rel=1e-9)
    wins = np.array([[0, 5, 9], [4, 0, 9], [0, 0, 0]])
    found = estimate_strengths(wins, 0 * wins)
    assert np.isfinite(found.values).all() and found.values[2] < found.values[1]
    assert found.group[0] == found.group[1] != found.group[2]


def test_borda_is_the_mean_over_opponents_that_were_met():
    wins = np.array([[0, 90, 1], [10, 0, 0], [1, 0, 0]])
    wins[1, 2] = wins[2, 1] = 5
    found = estimate_borda(wins, 0 * wins)
    assert found.values[0] == pytest.approx((0.9 + 0.5) / 2)
    assert found.values.mean() == pytest.approx(0.5)
    assert not found.below.any() and not found.above.any()
    wins = np.array([[0, 8, 0], [2, 0, 8], [0, 2, 0]])  # the first and the last never met
    found = estimate_borda(wins, 0 * wins)
    assert found.values[0] > 0.8  # it beats the second, which beats the last
    assert found.values[0] - found.below[0] == pytest.approx(0.4)
    assert found.values[0] + found.above[0] == pytest.approx(0.9)


@pytest.mark.slow
@pytest.mark.parametrize("estimate", [estimate_borda, estimate_strengths])
def test_the_covariance_is_that_of_the_errors(estimate):
    """Over many draws, each standard error is within 15 % of how far the numbers really scatter."""
    drawn = [estimate(*draw_counts(STRENGTHS, 2_000, 0.2, seed)) for seed in range(300)]
    true = np.std([one.values for one in drawn], axis=0)
    said = np.sqrt(np.mean([np.diag(one.covariance) for one in drawn], axis=0))
    # A standard deviation of 300 draws is off by 4 % in the mean; four times that, and the added caution.
    assert said / true == pytest.approx(np.ones(5), abs=0.16)
    apart = np.sqrt(np.mean([one.variance_of_differences() for one in drawn], axis=0))
    scatter = np.std([np.subtract.outer(one.values, one.values) for one in drawn], axis=0)
    off = ~np.eye(5, dtype=bool)
    assert apart[off] / scatter[off] == pytest.approx(np.ones(20), abs=0.16)


@pytest.mark.parametrize("estimate", [estimate_borda, estimate_strengths])
def test_voters_of_one_vote_each_are_as_good_as_counts(estimate):
    wins, ties = draw_counts(STRENGTHS, 2_000, 0.2)
    rows = [(i, j, 1.0) for i, j in np.argwhere(wins) for _ in range(wins[i, j])]
    rows += [(i, j, 0.5) for i, j in np.argwhere(np.triu(ties)) for _ in range(ties[i, j])]
    first, second, outcome = map(np.array, zip(*rows, strict=True))
    ballots = Ballots(first, second, outcome, np.arange(len(rows)))
    alone, grouped = estimate(wins, ties), estimate(wins, ties, ballots)
    assert grouped.values == pytest.approx(alone.values)
    assert grouped.covariance == pytest.approx(alone.covariance, rel=2e-3, abs=1e-9)
    assert grouped.units == 2_000


def test_what_one_voter_repeats_says_no_more():
    wins, ties = draw_counts(STRENGTHS, 500)
    rows = [(i, j) for i, j in np.argwhere(wins) for _ in range(wins[i, j])] * 10
    first, second = map(np.array, zip(*rows, strict=True))
    ballots = Ballots(first, second, np.ones(len(rows)), np.tile(np.arange(500), 10))
    once, often = estimate_strengths(wins, ties), estimate_strengths(10 * wins, ties, ballots)
    assert often.units == 500
    assert np.diag(often.covariance) == pytest.approx(np.diag(once.covariance), rel=0.05)
    wins = np.array([[0, 3], [1, 0]])
    ballots = Ballots(np.zeros(4, int), np.ones(4, int), np.array([1.0, 1, 1, 0]), np.zeros(4, int))
    assert estimate_borda(wins, 0 * wins, ballots).units == 0
    found = rank(wins, by="borda", ballots=ballots)
    assert {(place.low, place.high) for place in found.places} == {(-np.inf, np.inf)}


def test_the_radius_is_that_of_the_formula_and_wider_for_few_units():
    assert radius_of(10_000, 10_000, 0.05 / 190) == pytest.approx(4.53, abs=0.005)
    assert radius_of(0, 100, 0.05) == np.inf
    best = radius_of(1_000, 1_000, 0.01)
    assert best < min(radius_of(1_000, 800, 0.01), radius_of(1_000, 1_250, 0.01))
    wide = [radius_of(n, n, 0.01, fitted=5) for n in (6, 20, 100, 1_000, 100_000)]
    assert wide == sorted(wide, reverse=True)
    assert wide[-1] == pytest.approx(radius_of(10**9, 10**9, 0.01), abs=0.001)
    assert radius_of(5, 5, 0.01, fitted=5) == np.inf
    assert radius_of(1, 10**6, 0.01) == np.inf
