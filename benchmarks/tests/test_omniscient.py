"""What a certificate costs a player who knows the matrix: by hand, and between the limits it must keep."""

import math

import numpy as np
import pytest

from benchmarks.omniscient import (
    nats_to_decide,
    omniscient_regret,
    omniscient_votes,
    votes_to_prove,
)
from copeland import PreferenceMatrix
from copeland.kernels.vote_evidence import index_of_leader, levels, log_evidence
from copeland.problems import load


def test_two_options_by_hand():
    # n / Phi(-sqrt(2 n ln 2)) = e^10 at n = 8.2043, and a duel costs half of a win.
    m = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    assert omniscient_regret(m, math.exp(10)) == pytest.approx(8.2043 / 2, abs=1e-3)


def test_an_order_of_three_by_hand():
    # The best beats both; duels cost a quarter and a half. A close pair is let go after 3,005.35 duels: they have .60109
    # nats, Phi(-sqrt(1.20218)) = .13645, and 3,005.35 / .13645 = e^10.
    p = 0.5 + 0.01 * (np.tri(3).T - np.tri(3))
    m, d = PreferenceMatrix(p), 2.00007e-4
    assert omniscient_regret(m, math.exp(10)) == pytest.approx((0.25 + 0.5) * 0.60109 / d, rel=1e-3)


@pytest.mark.parametrize("gap", [0.01, 0.1, 0.4])
def test_a_pair_is_decided_by_as_many_nats(gap):
    share, level = 0.5 + gap, 12.0
    d = share * math.log(2 * share) + (1 - share) * math.log(2 - 2 * share)
    n = nats_to_decide(d, level) / d
    assert index_of_leader(share * n, n, 0.0) == pytest.approx(level)


def test_losses_shown_together_cost_no_more_and_less_in_a_large_tournament():
    small, large = load("cyclic-4"), load("easy-100:seed=1")
    assert omniscient_regret(small, 1e6) <= omniscient_regret(small, 1e6, together=False)
    assert omniscient_regret(large, 1e6) < 0.75 * omniscient_regret(large, 1e6, together=False)


def test_wins_shown_together_cost_no_less_where_all_gaps_are_equal():
    m = load("rotated-10-0.1")
    singly = omniscient_regret(m, 1e6)
    assert omniscient_regret(m, 1e6, wins_together=True) == pytest.approx(singly)


def test_wins_shown_together_cost_less_where_the_others_lose_more_clearly_to_each_other():
    p = np.array(load("rotated-40-0.4").p)
    p[0, 1:], p[1:, 0] = 0.55, 0.45
    m = PreferenceMatrix(p)
    assert omniscient_regret(m, 1e6, wins_together=True) < omniscient_regret(m, 1e6)


# Votes


def test_two_options_take_the_votes_of_their_pair():
    m = PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]])
    votes = omniscient_votes(m, levels(2, 0.05))
    assert log_evidence(0.7 * votes, 0.3 * votes, 0, 0.0) == pytest.approx(math.log(2 / 0.05))


def test_the_cheapest_certificate_is_that_of_a_search_over_all():
    # Three options in an order: the best beats both, or the best and a loss of each other.
    p = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.8], [0.1, 0.2, 0.5]])
    at = levels(3, 0.05)
    each = votes_to_prove(PreferenceMatrix(p), at.win)
    assert omniscient_votes(PreferenceMatrix(p), at) == pytest.approx(each[0, 1] + each[0, 2])
    assert (
        each[0, 1] + each[0, 2] > each[0, 2] + each[1, 2]
    )  # which prove that 2 is not the best, and no more


def test_a_cycle_needs_a_loss_of_every_option():
    p = 0.5 + 0.2 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    at = levels(3, 0.05)
    one = votes_to_prove(PreferenceMatrix(p), at.win)[0, 1]
    assert omniscient_votes(PreferenceMatrix(p), at) == pytest.approx(2 * one)
