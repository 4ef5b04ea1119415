"""The pair test against its closed form, and its promise."""

import math

import numpy as np
import pytest
from scipy.special import betaln

from copeland.kernels.trials import LOST, OPEN, TIED, WON, new_trials, observe

LEVEL = math.log(1000)


def log_density(n, w, q):
    """The log of the posterior density at q after w wins in n, from the beta distribution."""
    return w * math.log(q) + (n - w) * math.log(1 - q) - betaln(w + 1, n - w + 1)


def feed(votes, level=LEVEL, resolution=0.0):
    trials = new_trials(2)
    for vote in votes:
        observe(trials, *((0, 1) if vote else (1, 0)), level, resolution)
    return trials


def test_the_running_log_is_that_of_the_closed_form():
    votes = np.random.default_rng(0).random(500) < 0.6
    trials = feed(votes)
    n, w = 500, int(votes.sum())
    assert trials.log_even[0, 1] == pytest.approx(log_density(n, w, 0.5), rel=1e-11)
    assert (trials.wins[0, 1], trials.wins[1, 0], trials.duels[1, 0]) == (w, n - w, n)


@pytest.mark.slow
def test_the_running_log_keeps_its_digits():
    # After m wins each: ln[(2 m + 1) (2 m choose m) / 4^m], by Stirling's series.
    m = 50_000
    stirling = math.log((2 * m + 1) / math.sqrt(math.pi * m)) - 1 / (8 * m)
    assert feed([1, 0] * m).log_even[0, 1] == pytest.approx(stirling, abs=1e-11)


def test_a_pair_is_won_or_tied_as_soon_as_its_set_allows():
    votes = np.random.default_rng(1).random(3000) < 0.6
    wins = np.cumsum(votes)
    first = next(n for n in range(1, 3000) if log_density(n, wins[n - 1], 0.5) <= -LEVEL)
    assert feed(votes[: first - 1]).verdict[0, 1] == OPEN
    assert feed(votes[:first]).verdict.tolist() == [[0, WON], [LOST, 0]]
    assert feed([1] * 40 + [0] * 200).verdict[0, 1] == WON
    votes = [1, 0] * 3000
    first = next(n for n in range(2, 6000, 2) if log_density(n, n // 2, 0.45) <= -LEVEL)
    assert feed(votes[: first - 2], resolution=0.05).verdict[0, 1] == OPEN
    assert feed(votes[:first], resolution=0.05).verdict.tolist() == [[0, TIED], [TIED, 0]]
    assert feed(votes).verdict[0, 1] == OPEN


@pytest.mark.slow
def test_a_fair_coin_is_called_biased_no_more_often_than_promised():
    n, level = 2000, math.log(20)
    called = sum(
        feed(np.random.default_rng(seed).random(400) < 0.5, level).verdict[0, 1] != OPEN
        for seed in range(n)
    )
    assert called <= n / 20  # at most 1 in 20 for ever; here within 400 votes
