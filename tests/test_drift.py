"""Evidence that votes changed: its level under peeking, its power, and its value against a plain sum."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from copeland.certificate.drift_evidence import EARLIEST, change_in, check_level, share_of
from copeland.errors import InvalidParameter


def plain_evidence(won):
    """The largest logarithm of the ratio, from its definition, after each vote."""
    best = -math.inf
    for j in range(100):
        t, up, down = int(EARLIEST * 2 ** (j / 3)), 0, 0
        weight = 8 / ((j + 8) * (j + 9))
        for late, early in zip(won[t : 2 * t], won, strict=False):
            up, down = up + (late > early), down + (late < early)
            best = max(best, math.log(weight * (ratio(up, down, 2) + ratio(up, down, 20)) / 2))
    return best


def ratio(up, down, s):
    """One win after the other: a coin with a belief of s wins and s losses, against a fair one."""
    value, wins, losses = 1.0, s, s
    for _ in range(up):
        value, wins = value * 2 * wins / (wins + losses), wins + 1
    for _ in range(down):
        value, losses = value * 2 * losses / (wins + losses), losses + 1
    return value


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(4))
def test_the_evidence_is_the_ratio_it_says_it_is(seed):
    rng = np.random.default_rng(seed)
    won = (rng.random(70) < np.where(np.arange(70) < 35, 0.3, 0.8)).tolist()
    assert change_in(won).evidence == pytest.approx(plain_evidence(won))


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.5, 0.9])
def test_the_ratio_is_fair_whatever_the_probability_that_stays(p):
    """Over all sequences of the votes that a time of change compares, its mean stays 1: which makes it valid."""
    t, mean = 6, 0.0
    for code in range(4**t):
        won = [bool(code >> place & 1) for place in range(2 * t)]
        up = sum(late > early for late, early in zip(won[t:], won[:t], strict=True))
        down = sum(late < early for late, early in zip(won[t:], won[:t], strict=True))
        likely = p ** sum(won) * (1 - p) ** (2 * t - sum(won))
        mean += likely * (ratio(up, down, 2) + ratio(up, down, 20)) / 2
    assert mean == pytest.approx(1)
    assert sum(8 / ((j + 8) * (j + 9)) for j in range(10**6)) == pytest.approx(1, abs=1e-4)


def false_flags(p, runs, votes, level=0.05):
    rng = np.random.default_rng(int(1000 * p))
    return sum(change_in(rng.random(votes) < p).is_proved(level) for _ in range(runs))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("p", [0.5, 0.9])
def test_votes_that_stay_are_rarely_said_to_change_however_often_one_looks(p):
    """At most 5 % of runs, looked at after every vote; one more than this has a probability below 1e-6."""
    assert false_flags(p, runs=1000, votes=1500) <= binom.isf(1e-6, 1000, 0.05)


@pytest.mark.slow
def test_a_drift_of_a_tenth_is_found_within_four_times_the_votes_of_a_fixed_test():
    """As often as by a z-test of level .05 and power .8 that has a quarter of the votes, split in half.

    If 85 % of runs find it, fewer than this have a probability below 1e-6.
    """
    half = 2 * 0.25 * (norm.isf(0.025) + norm.isf(0.2)) ** 2 / 0.1**2  # 392
    n, runs = 4 * int(half), 400
    rng = np.random.default_rng(5)
    p = np.repeat([0.5, 0.6], n)
    found = sum(change_in(rng.random(2 * n) < p).is_proved(0.05) for _ in range(runs))
    assert found >= binom.ppf(1e-6, runs, 0.85)


def test_where_the_change_is(seed=3):
    rng = np.random.default_rng(seed)
    change = change_in(rng.random(900) < np.repeat([0.8, 0.3], [500, 400]))
    assert change.is_proved(1e-6) and 360 < change.early < 520
    assert change.before > 0.7 and change.after < 0.4 and change.votes == 900


def test_few_votes_say_nothing():
    assert change_in([True] * 9) is None
    assert not change_in([True] * 10_000).is_proved(0.5)


@pytest.mark.parametrize("level", [0, 1, -1.0, math.nan, True, "high"])
def test_a_level_is_a_probability(level):
    with pytest.raises(InvalidParameter, match="level"):
        check_level(level)


@pytest.mark.parametrize("won", [None, [0, 1] * 9, [[True]], ["yes"] * 12])
def test_what_is_no_list_of_truth_values_is_refused(won):
    with pytest.raises(InvalidParameter, match="truth values"):
        change_in(won)


@pytest.mark.parametrize("known", [2, 3, 10, 50])
def test_all_pairs_that_may_ever_be_share_the_level(known):
    """Option j has j pairs with earlier ones; those from n on have .1 known / n together."""
    n = 2000
    pairs = sum(j * share_of(j, known) for j in range(1, n))
    assert pairs + 0.1 * known / n == pytest.approx(1)


def test_options_known_at_the_start_need_a_nat_more_at_most_than_if_none_could_come():
    for known in (2, 10, 100):
        alone = 1 / (known * (known - 1) / 2)
        assert math.log(alone / share_of(1, known)) < 1
