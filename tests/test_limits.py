"""Lower bounds: worked by hand, against all matrices of few options, and against another solver."""

import itertools
import math

import numpy as np
import pytest
from helpers import random_matrix
from hypothesis import given
from hypothesis import strategies as st
from limit_oracle import by_enumeration, d, matrices, pairs_of, refuting, value, with_ties

import copeland
from copeland import PreferenceMatrix
from copeland.algorithms.cw_rmed import cheapest_certificate, new_program
from copeland.errors import InvalidMatrix, InvalidParameter, Undefined
from copeland.kernels.winner_evidence import (
    lightest_upset,
    new_tally,
    price_pairs,
    relaxed_price,
    rows_of_options,
    sort_options,
)
from copeland.theory import lower_bounds, winners

NAT = math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)  # d(3/4, 1/2)

# 0 beats both others, which tie.
TIED = PreferenceMatrix([[0.5, 0.75, 0.75], [0.25, 0.5, 0.5], [0.25, 0.5, 0.5]])
# 0 and 1 tie and both beat 2: two winners.
TIED_WINNERS = PreferenceMatrix([[0.5, 0.5, 0.75], [0.5, 0.5, 0.75], [0.25, 0.25, 0.5]])
# 0 beats 1, and 2 ties with both: if it won both ties it would be the winner.
ALL_TIES = PreferenceMatrix([[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]])
CIRCLE = PreferenceMatrix([[0.5, 0.75, 0.25], [0.25, 0.5, 0.75], [0.75, 0.25, 0.5]])

BOTH = [(lower_bounds.lower_regret, lower_bounds.lower_regret_ecw), (lower_bounds.lower_samples, lower_bounds.lower_samples_ecw)]  # fmt: skip


def regret_of(m):
    score = (m.p > 0.5).sum(axis=1) / (m.k - 1)
    return np.array([[2 * score.max() - a - b for b in score] for a in score]).round(12)


# By hand


def test_limits_of_two_and_three_options_by_hand():
    m = PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]])
    for exact, ecw in BOTH:  # a duel has regret 2 * 1 - 1 - 0
        assert exact(m) == pytest.approx(1 / NAT, rel=1e-12)
        assert ecw(m) == pytest.approx(1 / NAT, rel=1e-12)
    # 0 beats 1 and 2, 1 beats 2. Upsets: by 1, the pair 01; by 2, the pair 02 with 01 or with 12.
    # So w_01 = 1, and w_01 in the upset with w_02 is enough there: w_02 + w_12 = 1 remains.
    m = PreferenceMatrix([[0.5, 0.75, 0.75], [0.25, 0.5, 0.75], [0.25, 0.25, 0.5]])
    assert lower_bounds.lower_samples(m) == pytest.approx(2 / NAT, rel=1e-12)
    # r_01 = 1/2; r_02 = 1, r_12 = 3/2: the cheaper is 02
    assert lower_bounds.lower_regret(m) == pytest.approx(1.5 / NAT, rel=1e-12)
    # 0 must be shown to beat 1, and the one that beats 0 to lose once; that it beats 0 is no matter.
    assert lower_bounds.lower_regret(CIRCLE) == lower_bounds.lower_regret_ecw(CIRCLE) == 0
    assert lower_bounds.lower_samples(CIRCLE) == pytest.approx(2 / NAT, rel=1e-12)


@pytest.mark.parametrize(
    ("problem", "regret", "regret_ecw", "samples", "samples_ecw"),
    [
        ("cyclic-4", 27.55, 49.66, 78.6, 149.0),
        ("arithmetic-8", 36.32, 36.32, 299.9, 299.9),
        ("mslr-5", 261.95, 261.95, 4221.1, 4221.1),
    ],
)
def test_known_limits(problem, regret, regret_ecw, samples, samples_ecw):
    m = copeland.load(problem)  # regret is halved in the papers that give these
    assert lower_bounds.lower_regret(m) / 2 == pytest.approx(regret, abs=0.005)
    assert lower_bounds.lower_regret_ecw(m) / 2 == pytest.approx(regret_ecw, abs=0.005)
    assert lower_bounds.lower_samples(m) == pytest.approx(samples, abs=0.05)
    assert lower_bounds.lower_samples_ecw(m) == pytest.approx(samples_ecw, abs=0.05)


@pytest.mark.parametrize(
    ("problem", "condorcet", "in_copeland"),
    [("cyclic-4", 0.815, 5.434), ("arithmetic-8", 12.71, 36.32)],
)
def test_known_condorcet_bounds(problem, condorcet, in_copeland):
    m = copeland.load(problem)
    assert lower_bounds.lower_condorcet(m) == pytest.approx(condorcet, rel=5e-4)
    assert lower_bounds.lower_condorcet_copeland(m) / 2 == pytest.approx(in_copeland, rel=5e-4)


def test_five_rankers_in_full_digits(real_matrix):
    m = real_matrix("mslr_informational_5_noncondorcet")
    assert lower_bounds.lower_regret(m) / 2 == pytest.approx(259.11, abs=0.005)
    assert lower_bounds.lower_samples(m) == pytest.approx(4256.8, abs=0.05)
    each = [lower_bounds.lower_regret(m, champion) / 2 for champion in range(3)]
    assert each == pytest.approx([755.6, 259.1, 7383.7], abs=0.05)


@pytest.mark.slow
def test_the_papers_136_rankers_are_solved_exactly(real_matrix):
    m = real_matrix("mslr_informational_136")
    assert lower_bounds.lower_regret(m) == pytest.approx(14_914.78, abs=0.005)
    assert lower_bounds.lower_samples(m) == pytest.approx(206_809.1, abs=0.05)


# Against other ways to compute them


@pytest.mark.slow
@given(matrices(most=4))
def test_limits_are_those_of_all_matrices(m):
    require_limits_of_all_matrices(m)


def require_limits_of_all_matrices(m):
    for champion in winners.copeland_winners(m):
        for limit, cost in (
            (lower_bounds.lower_regret, regret_of(m)),
            (lower_bounds.lower_samples, np.ones_like(m.p)),
        ):
            expected = by_enumeration(m, cost, refuting(m.k, champion))
            assert value(limit, m, champion) == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_limits_of_five_options_are_those_of_all_matrices(seed):
    require_limits_of_all_matrices(random_matrix(5, seed))


def tally_of(p):
    """The tally that CW-RMED plans with, if its estimates were the truth."""
    tally = new_tally(len(p))
    tally.side[:] = np.sign(p - 0.5)
    tally.losses[:] = (p < 0.5).sum(axis=1)
    tally.information[:] = [[d(x) for x in row] for row in p]
    return tally


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 8, 12])
@pytest.mark.parametrize("seed", range(4))
def test_limits_are_the_plans_that_cw_rmed_and_ecw_rmed_track(k, seed):
    m = random_matrix(k, seed)
    tally, cost, order = tally_of(m.p), np.zeros((k, k)), rows_of_options(k)
    price_pairs(tally, tally.losses.min(), cost, order)  # regret in losses: times 1 / (K - 1)
    for c in winners.copeland_winners(m):
        exact = cheapest_certificate(new_program(k), tally, cost, c) / (k - 1)
        assert lower_bounds.lower_regret(m, c) == pytest.approx(exact, rel=1e-5, abs=1e-6)
        relaxed = relaxed_price(tally, cost, order, c) / (k - 1)
        assert lower_bounds.lower_regret_ecw(m, c) == pytest.approx(relaxed, rel=1e-9, abs=1e-12)


# Laws


@pytest.mark.slow
@given(matrices())
def test_ecw_is_never_below_the_limit_and_equal_if_several_options_win(m):
    for exact, ecw in BOTH:
        assert exact(m) <= ecw(m)
        if len(winners.copeland_winners(m)) > 1:
            assert exact(m) == ecw(m)


@pytest.mark.slow
@given(matrices(), st.randoms(use_true_random=False))
def test_names_of_options_do_not_matter(m, luck):
    order = list(range(m.k))
    luck.shuffle(order)
    for limit in itertools.chain(*BOTH):
        assert limit(m.sub(order)) == pytest.approx(limit(m), rel=1e-7, abs=1e-9)


@pytest.mark.slow
@given(matrices())
def test_lower_regret_lies_between_its_bounds_and_is_no_less_without_a_condorcet_winner(m):
    costs = [regret_of(m)[pair] for pair in pairs_of(m.k)]
    regret, samples = lower_bounds.lower_regret(m), lower_bounds.lower_samples(m)
    assert regret <= max(costs) * samples * (1 + 1e-9)
    assert regret >= min(costs) * samples * (1 - 1e-9)
    if winners.condorcet_winner(m) is not None:
        assert lower_bounds.lower_condorcet_copeland(m) <= lower_bounds.lower_regret(m) * (1 + 1e-9)


def test_pairs_close_to_a_tie_that_no_certificate_needs_are_as_good_as_ties():
    near = np.array([[0.5, 0.7, 0.8], [0.3, 0.5, 0.5 + 1e-13], [0.2, 0.5 - 1e-13, 0.5]])
    m, tied = PreferenceMatrix(near), PreferenceMatrix(np.where(abs(near - 0.5) < 0.1, 0.5, near))
    # 1 over 2 is too dear to confirm, so the wins of 0 are confirmed, each alone.
    assert lower_bounds.lower_samples(m) == pytest.approx(1 / d(0.7) + 1 / d(0.8), rel=1e-9)
    assert lower_bounds.lower_samples(tied) == pytest.approx(1 / d(0.7) + 1 / d(0.8), rel=1e-9)


# Ties


@pytest.mark.slow
@given(with_ties())
def test_limits_with_ties_are_those_of_all_matrices(m):
    require_limits_of_all_matrices(m)


@pytest.mark.slow
@given(with_ties(most=6))
def test_with_ties_ecw_is_infinite_where_the_limit_is(m):
    for exact, ecw in BOTH:
        assert value(exact, m) <= value(ecw, m)
        assert math.isinf(value(exact, m)) == math.isinf(value(ecw, m))


def test_ties_cost_nothing_or_make_limits_infinite():
    # 1 may win its tie and turn its loss to 0: that loss must be sure alone, and so for 2.
    assert lower_bounds.lower_samples(TIED) == pytest.approx(2 / NAT, rel=1e-12)
    assert lower_bounds.lower_regret(TIED) == pytest.approx(2 / NAT, rel=1e-12)
    # Their tie is settled at no regret; what remains is one win over 2, of regret 1/2.
    assert lower_bounds.lower_regret(TIED_WINNERS) == pytest.approx(0.5 / NAT, rel=1e-12)
    with pytest.raises(Undefined, match="duels is infinite: option 1 ties exactly with 0"):
        lower_bounds.lower_samples(TIED_WINNERS)
    for limit in itertools.chain(*BOTH):
        with pytest.raises(Undefined, match=r"option 2 ties exactly with 0, 1.*winner 0"):
            limit(ALL_TIES)
    with pytest.raises(InvalidParameter, match=r"champion is 1.*one of \[0\]"):
        lower_bounds.lower_regret(copeland.load("cyclic-4"), champion=1)


# What is refused, and how far they reach


def test_many_options_are_refused_unless_they_win_together():
    m = random_matrix(6, 2)
    assert len(winners.copeland_winners(m)) == 1
    with pytest.raises(InvalidParameter, match=r"6 options.*up to 5.*ECW"):
        lower_bounds.lower_samples(m, most_options=5)
    assert lower_bounds.lower_samples_ecw(m) >= lower_bounds.lower_samples(m)
    # All gaps 1/10; 0, 1 and 2 in a circle. Option i > 2 loses to all before it: to be a winner it must
    # turn i losses, so the one to 0 among them; that costs (i - 1) / 499 a duel. Winners cost nothing.
    m = copeland.load("order-500-0.1:seed=0")
    expected = sum(i - 1 for i in range(3, 500)) / 499 / d(0.6)
    assert lower_bounds.lower_regret(m) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_sixty_four_options_are_solved():
    m = copeland.load("tournament-64:seed=0")
    expected = 1660.9937  # by an interior point method
    assert lower_bounds.lower_regret(m) == pytest.approx(expected, abs=1e-3)


def test_no_condorcet_winner_no_condorcet_bound():
    for limit in (lower_bounds.lower_condorcet, lower_bounds.lower_condorcet_copeland):
        with pytest.raises(Undefined, match="no option beats all others"):
            limit(CIRCLE)


# The generalised likelihood ratio


@st.composite
def counts(draw, most=4):
    k = draw(st.integers(2, most))
    return np.array(draw(st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)))  # fmt: skip


def glr_by_enumeration(wins, champion):
    """The least evidence against a matrix of which the champion is no winner."""
    k = len(wins)
    pairs = pairs_of(k)
    n = np.array([wins[i, j] + wins[j, i] for i, j in pairs])
    side = np.array([np.sign(wins[i, j] - wins[j, i]) for i, j in pairs])
    weight = [n[at] * d(wins[i, j] / n[at]) if n[at] else 0.0 for at, (i, j) in enumerate(pairs)]
    return ((refuting(k, champion) != side) @ np.array(weight)).min()


@pytest.mark.slow
@given(counts())
def test_the_glr_is_the_least_evidence_against_a_matrix_without_the_champion(wins):
    for champion in range(len(wins)):
        expected = glr_by_enumeration(wins, champion)
        assert lower_bounds.glr(wins, champion) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_the_glr_of_five_options_is_the_least_evidence_against_any_matrix(seed):
    wins = np.random.default_rng(seed).integers(0, 20, (5, 5))
    for champion in range(5):
        expected = glr_by_enumeration(wins, champion)
        assert lower_bounds.glr(wins, champion) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_glr_is_the_evidence_that_cw_rmed_asks_for(seed):
    m = random_matrix(9, seed)
    wins = np.random.default_rng(seed).integers(50, 150, (9, 9)) * m.p
    wins = np.where(np.triu(np.ones((9, 9)), 1) > 0, wins, wins.T * m.p / m.p.T)  # shares are p
    tally = tally_of(m.p)
    tally.evidence[:] = (wins + wins.T) * tally.information
    for i in range(9):
        sort_options(tally.order[i], tally.evidence[i])
    for c in winners.copeland_winners(m):
        expected = lightest_upset(tally, tally.evidence, tally.order, c)
        assert lower_bounds.glr(wins, int(c)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@given(matrices(), st.integers(0, 2**32 - 1))
def test_no_counts_have_more_evidence_a_duel_than_the_sample_limit_allows(m, seed):
    duels = np.triu(np.random.default_rng(seed).integers(1, 1000, m.p.shape), 1)
    wins = (duels + duels.T) * m.p
    for champion in winners.copeland_winners(m):
        evidence = lower_bounds.glr(wins, int(champion))
        assert evidence * lower_bounds.lower_samples(m, champion) <= duels.sum() * (1 + 1e-9)


def test_an_option_that_others_outdo_has_no_evidence():
    assert lower_bounds.glr([[0, 9, 9], [1, 0, 9], [1, 1, 0]], champion=1) == 0
    assert lower_bounds.glr(np.zeros((3, 3)), champion=0) == 0


@pytest.mark.parametrize(
    ("wins", "champion", "error"),
    [
        ([[0, 1]], 0, InvalidMatrix),
        ([[0]], 0, InvalidMatrix),
        ([[0, -1], [2, 0]], 0, InvalidMatrix),
        ([[0, math.nan], [2, 0]], 0, InvalidMatrix),
        ([[0, 1], [2, 0]], 2, InvalidParameter),
        ([[0, 1], [2, 0]], -1, InvalidParameter),
    ],
)
def test_what_are_no_counts_is_refused(wins, champion, error):
    with pytest.raises(error):
        lower_bounds.glr(wins, champion)


def test_divergence_keeps_its_digits_close_to_a_tie():
    p = 0.5 + np.array([0.0, 2.0**-45, 2.0**-20, 0.1, 0.25, 0.5])
    expected = [0, 2 * 2.0**-90, 2 * 2.0**-40, d(0.6), NAT, math.log(2)]
    np.testing.assert_allclose(lower_bounds.divergence(p), expected, rtol=1e-11)
    np.testing.assert_allclose(lower_bounds.divergence(1 - p), expected, rtol=1e-11)
