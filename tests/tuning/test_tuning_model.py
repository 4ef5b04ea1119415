"""The model of a tuning against plain versions of itself: dense formulae, an optimiser, quadrature, exact moments."""

import numpy as np
import pytest
from oracles import tuning as plain
from scipy.optimize import minimize

from copeland.tuning.preference_model import (
    PointPairs,
    Theta,
    Votes,
    against,
    compare_with_votes,
    covariance,
    fit,
    prepare_points,
    prior_at,
    relation,
    sample,
    solve_half,
    sum_covariances,
    waves,
)
from copeland.tuning.walkers import (
    WALKERS,
    prior_of,
    refit_walker,
    start_walkers,
    theta_at,
    walk_on,
)

THETA = Theta(np.array([0.4, 0.7]), 1.3, 1.5, 0.9)
RNG = np.random.default_rng(5)
POINTS = RNG.random((8, 2))
PAIRS = PointPairs(POINTS[:4], POINTS[4:])
VOTES = Votes(PAIRS, np.array([3.0, 0.5, 0.0, 2.0]), np.array([1.0, 0.5, 2.0, 0.0]))


def as_list(pairs):
    return list(zip(pairs.x, pairs.z, strict=True))


def test_covariances_are_those_of_the_formula_however_the_table_grows():
    other = PointPairs(RNG.random((3, 2)), RNG.random((3, 2)))
    assert covariance(THETA, PAIRS, other) == pytest.approx(
        plain.table(THETA, as_list(PAIRS), as_list(other)), abs=1e-12
    )
    swapped = PointPairs(PAIRS.z, PAIRS.x)
    assert covariance(THETA, PAIRS, swapped) == pytest.approx(-covariance(THETA, PAIRS, PAIRS))
    first = Votes(PointPairs(PAIRS.x[:2], PAIRS.z[:2]), VOTES.wins[:2], VOTES.losses[:2])
    assert (fit(THETA, VOTES, fit(THETA, first)).gram == fit(THETA, VOTES).gram).all()


def test_sums_over_votes_are_those_of_the_covariances():
    v, points = np.array([0.3, -1.0, 0.2, 0.7]), RNG.random((3, 2))
    rows = columns = compare_with_votes(THETA, points, PAIRS)
    found = sum_covariances(THETA, v, rows, columns)
    for i, x in enumerate(points):
        expected = plain.table(THETA, [(x, z) for z in points], as_list(PAIRS))
        assert found[i] == pytest.approx(expected @ v, abs=1e-12)
        one = compare_with_votes(THETA, x[None], PAIRS)
        assert against(THETA, columns, one) == pytest.approx(-expected, abs=1e-12)


def test_the_mode_is_the_one_that_an_optimiser_finds_from_any_start():
    gram = plain.table(THETA, as_list(PAIRS), as_list(PAIRS))
    best = minimize(
        lambda g: -plain.log_joint(gram, VOTES.wins, VOTES.losses, g), np.zeros(4), tol=1e-10
    )
    found = fit(THETA, VOTES)
    assert found.gram @ found.v == pytest.approx(best.x, abs=2e-3)
    elsewhere = fit(Theta(np.array([2.0, 0.1]), 0.7, 6.0, 4.0), VOTES)
    a, b = fit(THETA, VOTES), fit(THETA, VOTES, elsewhere)
    assert a.v == pytest.approx(b.v, abs=1e-3)
    assert a.evidence == pytest.approx(b.evidence, abs=1e-3)


@pytest.mark.slow
def test_evidence_and_means_are_near_those_of_numerical_integration():
    pairs = PointPairs(POINTS[:2], POINTS[2:4])
    votes = Votes(pairs, np.array([3.0, 1.5]), np.array([1.0, 2.5]))
    gram = plain.table(THETA, as_list(pairs), as_list(pairs))
    exact, mean = plain.evidence(gram, votes.wins, votes.losses)
    found = fit(THETA, votes)
    # Laplace's method is not exact; with eight votes it is off by this much at most.
    assert found.evidence == pytest.approx(exact, abs=0.1)
    assert found.gram @ found.v == pytest.approx(mean, abs=0.25)


def test_ties_are_half_votes_for_both():
    tied = fit(THETA, VOTES._replace(wins=np.full(4, 1.5), losses=np.full(4, 1.5)))
    assert tied.v == pytest.approx(np.zeros(4), abs=1e-9)


@pytest.mark.slow
def test_prior_draws_have_the_covariances_of_the_formula():
    rng, n = np.random.default_rng(1), 1500
    draws = np.array([prior_at(waves(THETA, rng), PAIRS) for _ in range(n)])
    products = draws[:, :, None] * draws[:, None, :]
    error = products.std(axis=0) / np.sqrt(n)
    # 5 standard errors: of 10 numbers, one is farther off with probability 6e-6.
    off = np.abs(products.mean(axis=0) - covariance(THETA, PAIRS, PAIRS))
    assert (off < 5 * error).all()


@pytest.mark.slow
def test_posterior_samples_have_the_exact_mean_and_covariance():
    rng, n, found = np.random.default_rng(2), 1500, fit(THETA, VOTES)
    points = np.array([[0.2, 0.3], [0.8, 0.5], [0.5, 0.9]])
    sight = compare_with_votes(THETA, points, PAIRS)
    draws = []
    for _ in range(n):
        one = sample(found, PAIRS, rng)
        ear = prepare_points(one, points, sight)
        draws.append(relation(one, ear, ear)[0, 1:])
    pairs = [(points[0], points[1]), (points[0], points[2])]
    cross = plain.table(THETA, pairs, as_list(PAIRS))
    noisy = found.gram + np.diag(1 / found.root**2)
    exact = plain.table(THETA, pairs, pairs) - cross @ np.linalg.solve(noisy, cross.T)
    away = np.array(draws) - cross @ found.v
    assert (np.abs(away.mean(axis=0)) < 5 * np.sqrt(exact.diagonal() / n)).all()
    products = away[:, :, None] * away[:, None, :]
    assert (np.abs(products.mean(axis=0) - exact) < 5 * products.std(axis=0) / np.sqrt(n)).all()
    q = solve_half(found, cross)
    assert plain.table(THETA, pairs, pairs) - q.T @ q == pytest.approx(exact, abs=1e-9)


def test_a_sample_is_skew_symmetric_and_without_votes_the_posterior_is_the_prior():
    found = fit(THETA, VOTES)
    one = sample(found, PAIRS, np.random.default_rng(3))
    ear = prepare_points(one, POINTS, compare_with_votes(THETA, POINTS, PAIRS))
    g = relation(one, ear, ear)
    assert g == pytest.approx(-g.T, abs=1e-4)
    nothing = Votes(PointPairs(np.zeros((0, 2)), np.zeros((0, 2))), np.zeros(0), np.zeros(0))
    found = fit(THETA, nothing)
    assert (found.evidence, len(found.v)) == (0, 0)


@pytest.mark.slow
def test_walkers_stay_near_the_prior_without_votes_and_exchange_moves_nobody_far():
    nothing = Votes(PointPairs(np.zeros((0, 2)), np.zeros((0, 2))), np.zeros(0), np.zeros(0))
    prior, rng = prior_of(np.array([0, 1])), np.random.default_rng(0)
    walkers = [refit_walker(prior, one, nothing) for one in start_walkers(prior, rng)]
    seen_at = []
    for turn in range(800):
        nth = turn % WALKERS
        walkers[nth] = walk_on(prior, walkers, nth, nothing, 2, rng)
        seen_at.append((walkers[nth].place - prior.mean) / prior.deviation)
    # Four walkers that look at each other: an estimate of what is a unit normal, roughly.
    assert np.abs(np.mean(seen_at, axis=0)).max() < 0.5
    assert (np.std(seen_at, axis=0) > 0.5).all()
    assert (np.std(seen_at, axis=0) < 1.5).all()
    assert theta_at(prior, prior.mean).su == pytest.approx(2)
