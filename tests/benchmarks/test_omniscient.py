"""What a certificate costs a player who knows the matrix: by hand, and between the limits it must keep."""

import math

import numpy as np
import pytest

from benchmarks.omniscient import nats_to_decide, omniscient_regret
from copeland import PreferenceMatrix
from copeland.kernels.vote_evidence import imed_index
from copeland.problems import load


@pytest.mark.quick
def test_two_options_by_hand():
    # n ln 2 + ln n = 10 at n = 10.971, and a duel costs half of a win.
    m = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    assert omniscient_regret(m, math.exp(10)) == pytest.approx(10.971 / 2, abs=1e-3)


def test_an_order_of_three_by_hand():
    # The best beats both; duels cost a quarter and a half. Close pairs need half the level each.
    p = 0.5 + 0.01 * (np.tri(3).T - np.tri(3))
    m, d = PreferenceMatrix(p), 2.00007e-4
    assert omniscient_regret(m, math.exp(10)) == pytest.approx((0.25 + 0.5) * 5 / d, rel=1e-4)


@pytest.mark.parametrize("gap", [0.01, 0.1, 0.4])
def test_a_pair_is_decided_by_as_many_nats(gap):
    share, level = 0.5 + gap, 12.0
    d = share * math.log(2 * share) + (1 - share) * math.log(2 - 2 * share)
    n = nats_to_decide(d, level) / d
    assert imed_index(share * n, n, 0.0) == pytest.approx(level)


@pytest.mark.slow
def test_losses_shown_together_cost_no_more_and_far_less_in_a_large_tournament():
    small, large = load("cyclic-4"), load("easy-100:seed=1")
    assert omniscient_regret(small, 1e6) <= omniscient_regret(small, 1e6, together=False)
    assert omniscient_regret(large, 1e6) < 0.5 * omniscient_regret(large, 1e6, together=False)


def test_wins_shown_together_cost_no_less_where_all_gaps_are_equal():
    m = load("rotated-10-0.1")
    singly = omniscient_regret(m, 1e6)
    assert omniscient_regret(m, 1e6, wins_together=True) == pytest.approx(singly)


def test_wins_shown_together_cost_less_where_the_others_lose_more_clearly_to_each_other():
    p = np.array(load("rotated-10-0.4").p)
    p[0, 1:], p[1:, 0] = 0.6, 0.4
    m = PreferenceMatrix(p)
    singly = omniscient_regret(m, 1e6)
    assert omniscient_regret(m, 1e6, wins_together=True) < 0.8 * singly
