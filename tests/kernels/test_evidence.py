"""Evidence for one pair against its integrals and its promise, and the levels worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import betainc, betaln
from scipy.stats import multinomial

from copeland.certificate.certificate import certify
from copeland.certificate.proof import Terms, is_decided
from copeland.kernels import compiled
from copeland.kernels.vote_evidence import (
    all_level,
    fewest_votes,
    levels,
    log_evidence,
    loss_level,
    may_decide,
    win_level,
)

counts = st.integers(0, 3_000)
margins = st.sampled_from([0.0, 0.01, 0.05, 0.2, -0.01, -0.05, -0.2])  # below 0: above 1/2


def exact(wins, losses, margin):
    """ln E without ties, by the incomplete beta function."""
    m = 0.5 - margin
    a, b = wins + 2, losses + 2
    return (
        -wins * math.log(m)
        - losses * math.log(1 - m)
        + betaln(a, b)
        - betaln(2, 2)
        + math.log(betainc(b, a, 1 - m))
        - math.log(betainc(2, 2, 1 - m))
    )


def wealth(wins, losses, ties, margin):
    """E with ties, by integrating over the bets theta."""
    m = 0.5 - margin

    def after(theta):
        bet = (theta - m) / (m * (1 - m))
        grown = (1 + bet * (1 - m)) ** wins * (1 - bet * m) ** losses * (1 + bet * margin) ** ties
        return grown * theta * (1 - theta)

    return quad(after, m, 1)[0] / quad(lambda theta: theta * (1 - theta), m, 1)[0]


@given(counts, counts, margins)
def test_evidence_is_never_above_the_closed_form(wins, losses, margin):
    found = log_evidence(wins, losses, 0, margin)
    if found > -math.inf:
        assert found <= exact(wins, losses, margin) + 1e-9


@given(counts, counts, margins)
def test_evidence_that_can_make_a_claim_is_the_closed_form_but_for_a_trifle(wins, losses, margin):
    if betainc(losses + 2, wins + 2, 0.5 + margin) > 0 and exact(wins, losses, margin) > 5:
        found = log_evidence(wins, losses, 0, margin)
        assert found == pytest.approx(exact(wins, losses, margin), abs=0.01)


def test_evidence_of_a_few_votes_by_hand():
    # 2^2 * 2 Beta(4, 2) / Beta(2, 2) = 2.4, and P(Beta(4, 2) > 1/2) = 26/32 >= 1 - (3/4)^4 (3/2)^2
    assert math.exp(exact(2, 0, 0.0)) == pytest.approx(2.4 * 26 / 32)
    assert math.exp(log_evidence(2, 0, 0, 0.0)) == pytest.approx(
        2.4 * (1 - 0.75**4 * 1.5**2), rel=3e-6
    )
    assert log_evidence(0, 0, 0, 0.0) == -math.inf
    assert log_evidence(40, 60, 0, 0.0) == -math.inf


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9, 10**11])
def test_no_digits_are_lost_at_large_counts(n):
    wins = n // 2 + 5 * math.isqrt(n)
    step = log_evidence(wins + 1, n - wins, 0, 0.0) - log_evidence(wins, n - wins, 0, 0.0)
    assert step == pytest.approx(math.log(2 * (wins + 2) / (n + 4)), abs=1e-15 * n + 1e-9)


@given(counts, counts, counts)
def test_ties_cancel_without_a_margin(wins, losses, ties):
    assert log_evidence(wins, losses, ties, 0.0) == log_evidence(wins, losses, 0, 0.0)


@given(
    st.integers(0, 60),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from([0.02, 0.1, 0.3, -0.02, -0.1, -0.3]),
)
def test_evidence_with_ties_is_never_above_the_integral(wins, losses, ties, margin):
    found = log_evidence(wins, losses, ties, margin)
    assert math.exp(found) <= wealth(wins, losses, ties, margin) * (1 + 1e-6)


def test_ties_speak_for_both_sides_within_a_margin():
    assert log_evidence(0, 0, 500, 0.05) > 10


@pytest.mark.slow
def test_compiled_and_interpreted_evidence_are_equal():
    fast = compiled(log_evidence)
    rng = np.random.default_rng(0)
    for margin in (0.0, 0.01, 0.2):
        for votes in rng.integers(0, 10 ** rng.integers(1, 8, (500, 1)), (500, 3)):
            assert fast(*votes, margin) == log_evidence(*votes, margin)


NULLS = [  # p_win, p_loss, p_tie, margin; p_win + p_tie / 2 <= 1/2 - margin
    (0.5, 0.5, 0.0, 0.0),
    (0.45, 0.55, 0.0, 0.0),
    (0.3, 0.3, 0.4, 0.0),
    (0.4, 0.6, 0.0, 0.1),
    (0.2, 0.4, 0.4, 0.1),
    (0.0, 0.2, 0.8, 0.1),
    (0.1, 0.4, 0.5, 0.1),
    (0.6, 0.4, 0.0, -0.1),
    (0.4, 0.2, 0.4, -0.1),
    (0.2, 0.0, 0.8, -0.1),
]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("p_win, p_loss, p_tie, margin", NULLS)
@pytest.mark.parametrize("n", [1, 5, 20])
def test_evidence_has_a_mean_of_at_most_one_where_there_is_nothing_to_prove(
    n, p_win, p_loss, p_tie, margin
):
    outcomes = [(w, l, n - w - l) for w in range(n + 1) for l in range(n - w + 1)]
    chances = multinomial.pmf(outcomes, n, [p_win, p_loss, p_tie])
    assert chances @ np.exp([log_evidence(*votes, margin) for votes in outcomes]) <= 1


def chance_of_reaching(x, n, p_win, p_loss, p_tie, margin):
    """P(E >= x at some vote up to n), by stepping the distribution of (wins, losses)."""
    open_at = np.zeros((n + 1, n + 1))
    open_at[0, 0] = 1.0
    reached = 0.0
    for vote in range(1, n + 1):
        after = p_tie * open_at
        after[1:, :] += p_win * open_at[:-1, :]
        after[:, 1:] += p_loss * open_at[:, :-1]
        for wins, losses in np.argwhere(after):
            if log_evidence(wins, losses, vote - wins - losses, margin) >= math.log(x):
                reached += after[wins, losses]
                after[wins, losses] = 0.0
        open_at = after
    return reached


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("p_win, p_loss, p_tie, margin", NULLS)
@pytest.mark.parametrize("x", [3, 20])
def test_evidence_ever_reaches_x_with_probability_at_most_one_in_x(x, p_win, p_loss, p_tie, margin):
    n = 60 if p_tie == 0 else 40
    assert chance_of_reaching(x, n, p_win, p_loss, p_tie, margin) <= 1 / x


def test_the_promise_is_not_much_too_careful():
    assert chance_of_reaching(20, 120, 0.5, 0.5, 0.0, 0.0) > 0.3 / 20


@pytest.mark.parametrize("k, claims", [(2, 2), (3, 6), (4, 12)])
def test_up_to_four_options_every_claim_needs_the_plain_union(k, claims):
    at = levels(k, 0.05)
    x = math.log(claims / 0.05)
    needed = [win_level(at, 0), win_level(at, 2), loss_level(at), all_level(at, 2), at.pair]
    assert needed == [x] * 5


def test_levels_by_hand():
    at = levels(5, 0.05)
    assert math.exp(win_level(at, 0)) == pytest.approx(5 / 0.03)
    assert math.exp(win_level(at, 2)) == pytest.approx(5 * 3 / 0.03)
    assert math.exp(loss_level(at)) == pytest.approx(4 / 0.015)
    assert math.exp(all_level(at, 1)) == pytest.approx(1 * 2 * 4 / 0.005)
    assert math.exp(all_level(at, 3)) == pytest.approx(3 * 4 * 4 / 0.005)
    assert math.exp(at.pair) == pytest.approx(20 / (0.6 * 0.05))
    # E_ij >= x_p makes the average of a row at least x_p / (K-1), and that is K / (.6 delta): case 1 of the proof
    at = levels(20, 0.05)
    assert math.exp(at.pair) / 19 == pytest.approx(math.exp(win_level(at, 0)))
    at, without = levels(20, 0.05, margin=0.1), levels(20, 0.05)
    lost = 0.6 + 0.3 + 2 * (20 * 19 / math.exp(at.exact)) / 0.05
    assert lost == pytest.approx(1.0)
    assert math.exp(at.all) == pytest.approx(2 * math.exp(without.all))
    assert (at.win, at.loss, at.pair) == (without.win, without.loss, without.pair)
    assert levels(8, 0.1, epoch=1) == pytest.approx(levels(8, 0.09))
    at = levels(5, 0.05, epoch=3)
    delta = 0.1 * 0.05 / (9 * 2)
    assert math.exp(win_level(at, 1)) == pytest.approx(5 * 2 / (0.6 * delta))
    assert math.exp(loss_level(at)) == pytest.approx(20 / (0.3 * delta))
    assert math.exp(all_level(at, 1)) == pytest.approx(20 / (0.1 * delta))
    assert all_level(at, 3) == all_level(at, 1)


@pytest.mark.parametrize("k", [3, 10])
def test_epochs_share_one_delta(k):
    # in epoch e an average that grew at chosen moments reaches x with probability at most e / x
    spent = [e * k * (k - 1) / math.exp(levels(k, 0.05, e).pair) for e in range(1, 2_000)]
    share = 1.0 if k <= 4 else 0.6  # the rest is for losses, and for saying that the best are all
    assert 0.0499 * share < sum(spent) <= 0.05 * share


def test_levels_of_dependent_voters_by_hand():
    at = levels(5, 0.05, dependent=True)
    assert math.exp(win_level(at, 0)) == pytest.approx(20 / 0.03)
    assert win_level(at, 3) == win_level(at, 0)
    assert (loss_level(at), all_level(at, 2)) == (
        loss_level(levels(5, 0.05)),
        all_level(levels(5, 0.05), 2),
    )
    # the pairs of option number s are 2 (s - 1), and each needs s^2 (s - 1) / delta at least
    at = levels(6, 0.05, epoch=2, dependent=True)
    assert math.exp(at.pair) == pytest.approx(6 * 30 / (0.6 * 0.1 * 0.05 / 4))
    first = 2
    spent = 1 / first + sum(2 * (s - 1) / (s**2 * (s - 1)) for s in range(first + 1, 10_000))
    assert spent < 2
    at = levels(9, 0.05, union=True)
    x = math.log(72 / (0.6 * 0.05))  # so that it holds beside the verdict on all options
    assert (at.win, at.loss, at.all, at.pair, at.exact) == pytest.approx((x, x, x, x, x))
    assert win_level(at, 4) == x


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_whatever_is_decided_may_be_decided_and_few_votes_may_not(k, margin):
    rng, seen = np.random.default_rng(k), set()
    for _ in range(400):
        p = rng.uniform(0.5, 1, (k, k))
        n = rng.integers(0, rng.integers(2, 120), (k, k))
        wins = np.triu(rng.binomial(n, p), 1) + np.triu(rng.binomial(n, 1 - p), 1).T
        ties = np.triu(rng.integers(0, 3, (k, k)), 1)
        ties = (ties + ties.T) * rng.integers(2)
        decided = is_decided(wins, ties, Terms(margin=margin))
        may = may_decide(wins, ties, 0.05, margin)
        assert may or not decided
        seen.add((decided, may))
    assert seen >= {(False, False), (True, True)}


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.2])
@pytest.mark.parametrize("epoch", [0, 1, 2])
@pytest.mark.parametrize("voters", ["independent", "dependent"])
@pytest.mark.parametrize("shape", ["order", "cycle", "star"])
def test_no_option_is_proved_best_with_fewer_votes_than_the_fewest(margin, epoch, voters, shape):
    for k in (2, 3, 5, 9):
        i, j = np.triu_indices(k, 1)
        wins = np.zeros((k, k), np.int64)
        if shape == "cycle":  # each beats the next, which with a margin may do
            wins[np.arange(k), (np.arange(k) + 1) % k] = 1
        else:
            wins[i, j] = 1 if shape == "order" else i == 0
        fewest = fewest_votes(k, 0.05, margin, epoch, voters == "dependent")
        for n in range(1, 60):
            found = certify(n * wins, margin=margin, epoch=epoch, voters=voters)
            assert found.verdict == "open" or found.votes >= fewest
        if shape == "order":
            assert found.verdict == "winner"
