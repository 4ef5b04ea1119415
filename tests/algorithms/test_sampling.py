"""RCS, D-TS and D-TS+: coins against the sampled matrices they stand for, and published figures."""

import itertools

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import chi2_contingency, chisquare

from copeland.algorithms import dts, rcs
from copeland.kernels.pairs import count, new_pairs
from copeland.kernels.thompson_sampling import (
    believe,
    conditional_theta,
    new_beliefs,
    sample_sides,
    sampled_scores,
)
from copeland.kernels.vote_evidence import kl

pytestmark = pytest.mark.slow  # the oracles of rivals are left out of `make fast`

WINS = np.array([[0, 7, 3, 9], [5, 0, 4, 2], [6, 4, 0, 5], [1, 3, 4, 0]])
SAFE = 1e-4  # of a test of distribution


def learned(wins, seed=0):
    """Pairs and beliefs that saw these wins, in a random order."""
    pairs, beliefs = new_pairs(len(wins)), new_beliefs(len(wins))
    votes = [(i, j) for i in range(len(wins)) for j in range(len(wins)) for _ in range(wins[i, j])]
    for place in np.random.default_rng(seed).permutation(len(votes)):
        believe(beliefs, pairs, *votes[place])
        count(pairs, *votes[place])
    return pairs, beliefs


def above(wins):
    """P(theta_ij > 1/2) from the incomplete beta function."""
    return 1 - betainc(wins + 1, wins.T + 1, 0.5)


def sampled_matrix(wins, rng):
    """A whole matrix of thetas, mirrored."""
    drawn = np.triu(rng.beta(wins + 1, wins.T + 1), 1)
    return drawn + np.tril(1 - drawn.T, -1) + np.eye(len(wins)) / 2


def assert_same_frequencies(one, other):
    """Compare two samples of outcomes, those that are rare taken together."""
    table = np.array([[sample.count(key) for key in set(one + other)] for sample in (one, other)])
    rare = table.sum(axis=0) < 10
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1) + 1])
    assert chi2_contingency(table).pvalue > SAFE


@pytest.mark.quick
def test_beliefs_are_those_of_the_incomplete_beta_function():
    _, beliefs = learned(WINS)
    off = ~np.eye(4, dtype=bool)
    assert np.allclose(beliefs.above[off], above(WINS)[off], rtol=1e-12)


def test_beliefs_stay_right_after_many_duels():
    wins = np.array([[0, 60_000], [61_000, 0]])
    _, beliefs = learned(wins)
    assert beliefs.above[0, 1] == pytest.approx(above(wins)[0, 1], rel=1e-6)


def test_coins_are_tossed_once_for_a_pair_and_as_often_as_theta_is_above_a_half():
    _, beliefs = learned(WINS)
    rng = np.random.default_rng(1)
    rows, done = np.array([True, False, True, False]), np.zeros(4, bool)
    sides = np.zeros((4, 4), np.int8)
    n = 20_000
    heads = np.zeros((4, 4))
    for _ in range(n):
        sample_sides(beliefs, rows, done, sides, rng)
        assert (sides == -sides.T).all()
        heads += sides > 0
    assert sides[1, 3] == 0  # no candidate in it
    for i, j in itertools.combinations(range(4), 2):
        if rows[i] or rows[j]:
            p = above(WINS)[i, j]
            assert abs(heads[i, j] / n - p) < 4.5 * np.sqrt(p * (1 - p) / n)


@pytest.mark.nightly
def test_theta_given_its_side_is_distributed_as_theta_on_that_side():
    pairs, _ = learned(WINS)
    rng = np.random.default_rng(2)
    given = np.array([conditional_theta(pairs, 0, 3, False, rng) for _ in range(4000)])
    free = rng.beta(10, 2, 400_000)
    free = free[free <= 0.5]
    assert (given <= 0.5).all()
    error = np.sqrt(given.var() / len(given) + free.var() / len(free))
    assert abs(given.mean() - free.mean()) < 4.5 * error


@pytest.mark.nightly
def test_rcs_names_the_condorcet_winner_of_a_sampled_matrix_as_often_as_it_exists():
    _, beliefs = learned(WINS)
    rng = np.random.default_rng(3)
    n = 20_000
    quick = [int(rcs.sampled_winner(beliefs, rng)) for _ in range(n)]
    whole = []
    for _ in range(n):
        wins = (sampled_matrix(WINS, rng) > 0.5).sum(axis=1)
        whole.append(int(wins.argmax()) if wins.max() == 3 else -1)
    assert_same_frequencies(quick, whole)


def literal_dts(wins, t, alpha, rng, plus):
    """The first and second option of D-TS, straight from whole sampled matrices."""
    k = len(wins)
    n = wins + wins.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(n > 0, wins / n, 1.0)
        spread = np.where(n > 0, np.sqrt(alpha * np.log(t) / n), 1.0)
    off = ~np.eye(k, dtype=bool)
    upper = ((mean + spread >= 0.5) & off).sum(axis=1)
    candidates = np.flatnonzero(upper == upper.max())
    theta = sampled_matrix(wins, rng)
    scores = ((theta > 0.5) & off).sum(axis=1)
    tied = candidates[scores[candidates] == scores[candidates].max()]
    if plus and len(tied) > 1:
        costs = [
            sum(
                (scores.max() - (scores[i] + scores[j]) / 2) / kl(theta[i, j], 0.5)
                for j in range(k)
                if j != i
            )
            for i in tied
        ]
        first = tied[int(np.argmin(costs))]
    else:
        first = rng.choice(tied)
    second_sample = [
        0.5 if j == first else rng.beta(wins[j, first] + 1, wins[first, j] + 1) for j in range(k)
    ]
    allowed = [j for j in range(k) if j == first or mean[j, first] - spread[j, first] <= 0.5]
    return int(first), max(allowed, key=lambda j: second_sample[j])


@pytest.mark.parametrize("algorithm", [dts.ALGORITHM, dts.PLUS])
def test_the_pair_is_drawn_as_from_whole_sampled_matrices(algorithm):
    rng = np.random.default_rng(4)
    state = algorithm.init(4)
    base = getattr(state, "base", state)
    algorithm.advance(state, 1, rng)
    for i, j in itertools.permutations(range(4), 2):
        for _ in range(WINS[i, j]):
            algorithm.update(state, i, j, rng)
    assert np.array_equal(base.pairs.wins, WINS)
    t, n = 60, 3000
    ours, literal = [], []
    for _ in range(n):
        algorithm.advance(state, t, rng)
        ours.append(tuple(int(x) for x in algorithm.select(state, t, rng)))
        literal.append(literal_dts(WINS, t, 0.51, rng, plus=algorithm is dts.PLUS))
    assert_same_frequencies(ours, literal)


def test_scores_and_the_option_chosen_least_often_by_hand():
    sides = np.array([[0, 1, -1], [-1, 0, -1], [1, 1, 0]], np.int8)
    scores = np.zeros(3, np.int64)
    sampled_scores(sides, np.array([True, False, True]), scores)
    assert scores.tolist() == [1, 0, 2]
    rng = np.random.default_rng(5)
    drawn = [int(rcs.least_chosen(np.array([3, 1, 2, 1, 1]), rng)) for _ in range(3000)]
    assert set(drawn) == {1, 3, 4}
    assert chisquare([drawn.count(i) for i in (1, 3, 4)]).pvalue > SAFE
