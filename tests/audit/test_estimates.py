"""Intervals of shares, differences, kappa and correlation hold as often as they say, and groups widen them."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import stats

from copeland.audit.estimates import (
    Groups,
    compare_shares,
    estimate_correlation,
    estimate_difference,
    estimate_kappa,
    estimate_share,
    group_votes,
    spread_of_mean,
)
from copeland.study.judges import agreement

ALONE = Groups()


def plain_spread(values, labels, late=None, alike=0.0):
    """CR2 and Satterthwaite's degrees of freedom as the papers print them, with matrices of votes x votes.

    The values are regressed on a constant, or on one for each part; estimated is the mean, or the later part less the earlier.
    """
    values, labels = np.asarray(values, float), np.asarray(labels)
    n = len(values)
    x = np.ones((n, 1)) if late is None else np.column_stack([~late, late]).astype(float)
    wanted = np.array([1.0]) if late is None else np.array([-1.0, 1.0])
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    residuals = values - hat @ values
    variance, columns = 0.0, []
    for label in np.unique(labels):
        own = labels == label
        roots, vectors = np.linalg.eigh(np.eye(own.sum()) - hat[np.ix_(own, own)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T
        weights = adjusted @ x[own] @ bread @ wanted
        variance += (weights @ residuals[own]) ** 2
        columns.append((np.eye(n) - hat)[own].T @ weights)
    model = np.where(labels[:, None] == labels, alike, 0.0)
    np.fill_diagonal(model, 1.0)
    known = np.array(columns) @ model @ np.array(columns).T
    return variance, np.trace(known) ** 2 / np.trace(known @ known)


def plain_likeness(residuals, labels):
    """The mean product of two votes of one group, over the mean square."""
    pairs = [
        (residuals[i] * residuals[j])
        for i, j in product(range(len(labels)), repeat=2)
        if i != j and labels[i] == labels[j]
    ]
    return min(1.0, max(0.0, float(np.mean(pairs) / np.mean(residuals**2))))


def draw_groups(seed):
    """0/1 votes of eight groups of 1 to 15 votes, each with a rate of its own."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(8), rng.integers(1, 16, 8))
    return (rng.random(len(labels)) < rng.beta(2, 1, 8)[labels]) * 1.0, labels, rng


@pytest.mark.parametrize(("hits", "n"), [(0, 9), (3, 10), (10, 10), (830, 1000)])
def test_a_share_has_wilsons_interval(hits, n):
    found = estimate_share(np.arange(n) < hits)
    known = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert found == pytest.approx((hits / n, known.low, known.high, n))


def test_votes_that_say_the_same_in_a_group_count_once():
    hits = np.arange(200) < 140
    alone = estimate_share(hits)
    copies = estimate_share(np.repeat(hits, 3), group_votes(case=np.repeat(range(200), 3).tolist()))
    assert copies.high - copies.low == pytest.approx(alone.high - alone.low, rel=0.02)
    assert copies.value == alone.value


@pytest.mark.parametrize(
    ("votes", "variance", "freedom"),
    [
        # The two votes of a group differ, so that votes count as independent: their variance is 4 x (1/4) / 16, and
        # the freedom 4^2 / (2^2 + 1 + 1 + 26/9).
        ([1, 0, 1, 0], 1 / 16, 1.8),
        # Sums 1, -1/2 and -1/2: (1 / (1/2) + 2 x (1/4) / (3/4)) / 16. The two are equal, so that groups count as one vote each.
        ([1, 1, 0, 0], 1 / 6, 1.6),
    ],
)
def test_three_groups_of_two_one_and_one_votes_by_hand(votes, variance, freedom):
    hits = np.array(votes, float)
    found = spread_of_mean(hits - hits.mean(), group_votes(person=["ann", "ann", "bo", "cy"]))
    assert found == pytest.approx((variance, freedom))


@pytest.mark.parametrize("seed", range(5))
def test_spreads_are_those_of_the_matrices(seed):
    votes, labels, _ = draw_groups(seed)
    residuals = votes - votes.mean()
    found = spread_of_mean(residuals, group_votes(x=labels.tolist()))
    variance, freedom = plain_spread(votes, labels, alike=plain_likeness(residuals, labels))
    plain = residuals @ residuals / len(votes) ** 2
    assert found == pytest.approx((max(plain, variance), freedom))


@pytest.mark.parametrize("seed", range(5))
def test_so_is_that_of_two_parts_that_groups_reach_over(seed):
    votes, labels, rng = draw_groups(seed)
    late = rng.random(len(votes)) < 0.4
    many = np.array([(~late).sum(), late.sum()])
    means = np.array([votes[~late].mean(), votes[late].mean()])
    residuals = votes - means[late * 1]
    found = spread_of_mean(
        residuals, group_votes(x=labels.tolist()), late * 1, len(votes) / many * [-1, 1]
    )
    variance, freedom = plain_spread(votes, labels, late, plain_likeness(residuals, labels))
    plain = sum(residuals[part] @ residuals[part] / part.sum() ** 2 for part in (late, ~late))
    assert found == pytest.approx((max(plain, variance), freedom))


def test_groups_of_one_size_have_one_degree_of_freedom_less_than_there_are_groups():
    means = np.array([0.1, 0.5, 0.3, 0.9, 0.2])
    found = spread_of_mean(
        np.repeat(means - means.mean(), 4), group_votes(x=np.repeat(range(5), 4).tolist())
    )
    assert found == pytest.approx((means.var(ddof=1) / 5, 4))
    known = stats.t.interval(0.95, 4, means.mean(), stats.sem(means))
    away = found.count_errors() * np.sqrt(found.variance)
    assert (means.mean() - away, means.mean() + away) == pytest.approx(known)


POWER_USERS = (200, 100, 50, 25, 12, 6, 3, 2, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes",
    [
        (10,) * 3,
        (10,) * 30,
        POWER_USERS,
        tuple(400 // rank for rank in range(1, 41)),
        (100, *[1] * 60),
    ],
    ids=["three groups", "thirty groups", "power users", "by rank", "one question"],
)
def test_intervals_of_unequal_groups_miss_in_7_percent_at_most(sizes):
    rng, labels = np.random.default_rng(11), np.repeat(np.arange(len(sizes)), sizes)
    groups = Groups((labels,), ("person",))
    check_misses(
        estimate_share(rng.random(len(labels)) < rng.beta(8, 2, len(sizes))[labels], groups)
        for _ in range(300)
    )


@pytest.mark.slow
@pytest.mark.parametrize(("questions", "votes"), [(20, 10), (60, 10), (100, 5)])
def test_intervals_of_few_bad_questions_miss_in_7_percent_at_most(questions, votes):
    rng, labels = np.random.default_rng(12), np.repeat(np.arange(questions), votes)
    groups = Groups((labels,), ("question",))
    rates = (np.where(rng.random(questions) < 0.05, 0.1, 0.95)[labels] for _ in range(300))
    found = [estimate_share(rng.random(len(labels)) < each, groups) for each in rates]
    check_misses(found, 0.9075)


@pytest.mark.slow
@pytest.mark.parametrize("same", [0.3, 0.7, 0.9])
def test_intervals_of_kappa_of_50_votes_miss_in_7_percent_at_most(same):
    rng = np.random.default_rng(13)

    def draw():
        people = rng.choice([0, 0.5, 1], 50, p=[0.35, 0.3, 0.35])
        own = rng.choice([0, 0.5, 1], 50, p=[0.35, 0.3, 0.35])
        return estimate_kappa(people, np.where(rng.random(50) < same, people, own), ALONE)

    check_misses((draw() for _ in range(300)), same)  # both have the same shares of ties


def check_misses(found, truth=0.8):
    """Where intervals miss in 7 %, more misses than the bound have a probability below 1 / 1000."""
    missed = [not one.low <= truth <= one.high for one in found]
    assert sum(missed) <= stats.binom.ppf(0.999, len(missed), 0.07)


def test_groups_of_two_kinds_are_both_taken_in():
    rng = np.random.default_rng(1)
    questions, persons = rng.integers(0, 40, 800), rng.integers(0, 40, 800)
    values = rng.normal(size=40)[questions] + rng.normal(size=40)[persons]
    centred = values - values.mean()
    one, other = (
        spread_of_mean(centred, group_votes(x=way.tolist())).variance
        for way in (questions, persons)
    )
    both = spread_of_mean(centred, group_votes(x=questions.tolist(), y=persons.tolist())).variance
    # Each kind alone misses the other: by construction both have the variance 1 / 40 of a mean.
    assert both > max(one, other)
    assert both == pytest.approx(2 / 40, rel=0.5)


def test_groups_of_one_vote_tell_nothing():
    one = group_votes(question=["q"] * 20)
    hits = np.arange(20) < 15
    assert estimate_share(hits, one)[1:3] == (0, 1)
    assert estimate_difference(hits * 1.0, one)[1:3] == (-1, 1)
    assert group_votes(question=["a", "b"], person=[None, None]) == Groups()


@pytest.mark.slow
@pytest.mark.parametrize("each", [1, 6])
def test_the_interval_of_a_grouped_share_holds_as_often_as_it_says(each):
    rng, held = np.random.default_rng(9), 0
    questions = np.repeat(np.arange(60), each)
    groups = group_votes(question=questions.tolist())
    for _ in range(400):
        easy = rng.beta(4, 1, 60)  # how often people agree on each question: .8 on average
        found = estimate_share(rng.random(60 * each) < easy[questions], groups)
        held += found.low <= 0.8 <= found.high
    # Fewer than 364 of 400 at 95 % have a probability below 1 / 1000.
    assert held >= 364


def cover(n, p, q, alpha):
    """How often the interval of a difference holds p - q, by going through all outcomes of n cases."""
    held = 0.0
    for more, less in product(range(n + 1), repeat=2):
        if more + less > n:
            continue
        chance = (
            comb(n, more)
            * comb(n - more, less)
            * p**more
            * q**less
            * (1 - p - q) ** (n - more - less)
        )
        if chance < 1e-12:
            continue
        signs = np.array([1.0] * more + [-1.0] * less + [0.0] * (n - more - less))
        found = estimate_difference(signs, ALONE, alpha)
        held += chance * (found.low <= p - q <= found.high)
    return held


@pytest.mark.slow
@pytest.mark.parametrize(("p", "q"), [(0.1, 0.1), (0.3, 0.1), (0.02, 0.02), (0.4, 0.05)])
def test_the_interval_of_a_difference_holds_as_often_as_it_says(p, q):
    assert cover(30, p, q, 0.05) >= 0.94


@pytest.mark.slow
def test_it_also_holds_at_the_level_of_a_correction_for_many_pairs():
    assert 1 - cover(50, 0.2, 0.1, 0.05 / 100) <= 2 * 0.05 / 100


def test_perfect_agreement_on_a_few_cases_is_no_certainty():
    found = estimate_difference(np.zeros(50))
    assert found.value == 0
    assert found.low < -0.04 and found.high > 0.04
    votes = np.array([1.0, 0.0] * 10)
    assert estimate_kappa(votes, votes, ALONE).low < 0.9


def random_votes(n, seed):
    rng = np.random.default_rng(seed)
    people = rng.choice([0, 0.5, 1], n, p=[0.4, 0.2, 0.4])
    judge = np.where(rng.random(n) < 0.6, people, rng.choice([0, 0.5, 1], n))
    return people, judge


def test_kappa_is_that_of_two_judges():
    people, judge = random_votes(300, seed=2)
    words = {0: "right", 0.5: "tie", 1: "left"}
    rows = [
        {"voter": voter, "left": "a", "right": "b", "outcome": words[score], "item": str(i)}
        for voter, scores in (("people", people), ("judge", judge))
        for i, score in enumerate(scores.tolist())
    ]
    assert estimate_kappa(people, judge, ALONE).value == pytest.approx(
        agreement(rows).pairs[0].kappa
    )


def bootstrap(measure, *columns, times=600, seed=3):
    """The standard error of a measure, by drawing the votes again."""
    rng = np.random.default_rng(seed)
    n = len(columns[0])
    draws = (rng.integers(0, n, n) for _ in range(times))
    return np.std([measure(*(column[draw] for column in columns)) for draw in draws])


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimate",
    [estimate_kappa, lambda x, y, g: estimate_correlation(x - x.mean(), y - y.mean(), g)],
)
def test_standard_errors_are_those_of_a_bootstrap(estimate):
    people, judge = random_votes(500, seed=4)
    found = estimate(people, judge, ALONE)
    error = bootstrap(lambda x, y: estimate(x, y, ALONE).value, people, judge)
    # 600 draws tell a standard error to within 1 / sqrt(1200), a fortieth; 15 % is more than four times that.
    assert (found.high - found.low) / 2 / 1.96 == pytest.approx(error, rel=0.15)


def test_a_correlation_is_the_usual_one_if_there_is_one():
    people, judge = random_votes(200, seed=5)
    found = estimate_correlation(people - people.mean(), judge - judge.mean(), ALONE)
    assert found.value == pytest.approx(np.corrcoef(people, judge)[0, 1])
    votes = np.array([0.5, -0.5] * 5)
    assert estimate_correlation(votes, np.zeros(10), ALONE) is None
    ties = np.full(10, 0.5)
    assert estimate_kappa(ties, ties, ALONE) is None


def test_two_shares_differ_by_the_usual_standard_error():
    hits = np.array([True] * 80 + [False] * 20 + [True] * 50 + [False] * 50)
    earlier = np.arange(200) < 100
    found = compare_shares(earlier, hits, ALONE)
    error = np.sqrt(0.8 * 0.2 / 100 + 0.5 * 0.5 / 100)
    assert found.value == pytest.approx(-0.3)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.02)
