"""Evidence of populations with ties: held against sums over all populations, and over all orders."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest

from copeland.certificate.case_evidence import (
    log_evidence_of_cases,
    log_evidence_of_populations,
    log_evidence_of_winners,
)


def falling(x, y):
    return math.prod(x - i for i in range(y))


def counts_of(n):
    return [(w, l, n - w - l) for w, l in product(range(n + 1), repeat=2) if w + l <= n]


def likelihood(counts, population):
    """The probability of these verdicts in one order."""
    return math.prod(map(falling, population, counts)) / falling(sum(population), sum(counts))


def plain_evidence(counts, questions, border):
    """The mean over all populations over the largest of the null, each written out."""
    every = [likelihood(counts, one) for one in counts_of(questions)]
    null = [likelihood(counts, one) for one in counts_of(questions) if one[0] - one[1] <= border]
    largest = max(null, default=0.0)
    return sum(every) / len(every) / largest if largest > 0 else math.inf


@pytest.mark.parametrize("border", [-3, -1, 0, 2])
@pytest.mark.parametrize("questions", [3, 8, 10])
def test_it_is_never_above_the_plain_sum_and_close_to_it(questions, border):
    seen = [c for n in range(questions + 1) for c in counts_of(n)]
    w, l, t = np.array(seen).T
    found = np.exp(log_evidence_of_populations(w, l, t, questions, border))
    short = []
    for counts, one in zip(seen, found, strict=True):
        plain = plain_evidence(counts, questions, border)
        assert one <= plain * (1 + 1e-9)
        if 2 < plain < math.inf:
            short.append(one / plain)
    # The null is taken at whole numbers and between them: that costs most where there are few.
    assert not short or np.median(short) > 0.6
    assert (found == math.inf).any()


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.125, -0.125, 0.25])
@pytest.mark.parametrize("questions", [4, 8])
def test_it_is_ever_as_large_as_x_with_probability_1_over_x_at_most(questions, margin):
    seen = [c for n in range(questions + 1) for c in counts_of(n)]
    w, l, t = np.array(seen).T
    nats = log_evidence_of_cases(w, l, t, questions, margin)
    evidence = dict(zip(seen, nats, strict=True))
    for population in counts_of(questions):
        if population[0] - population[1] > -2 * margin * questions:
            continue
        for x in (1.1, 1.5, 2.0, 5.0, 1e9):

            @cache
            def chance(state, x=x, population=population):
                if evidence[state] >= math.log(x):
                    return 1.0
                left = questions - sum(state)
                total = 0.0
                for side in range(3):
                    if population[side] > state[side]:
                        more = tuple(v + (i == side) for i, v in enumerate(state))
                        total += (population[side] - state[side]) / left * chance(more)
                return total

            assert chance((0, 0, 0)) <= 1 / x + 1e-12


def test_ties_cancel_at_one_half_and_help_where_they_abound():
    for n in (40, 80, 120):
        few, ties = np.array([n // 50]), np.array([n - 2 * (n // 50)])
        plain = log_evidence_of_winners(few, few, ties, 400, 0.1)[0]
        assert log_evidence_of_cases(few, few, ties, 400, 0.1)[0] > plain + 1
    w, l, t = np.array([[30, 5], [10, 9], [50, 3]])
    assert np.array_equal(
        log_evidence_of_cases(w, l, t, 200, 0.0), log_evidence_of_winners(w, l, t, 200, 0.0)
    )


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.05, -0.05])
def test_a_win_speaks_for_the_claim_more_than_a_tie_and_that_more_than_a_loss(margin):
    """So who stays short of a level with wins alone cannot reach it at all."""
    questions = 60
    seen = np.array([c for n in range(0, questions, 4) for c in counts_of(n)])
    w, l, t = seen.T
    as_win, as_loss, as_tie = (
        np.maximum(log_evidence_of_cases(w + a, l + b, t + c, questions, margin), 1.0)
        for a, b, c in np.eye(3, dtype=int)
    )
    now = np.maximum(log_evidence_of_cases(w, l, t, questions, margin), 1.0)
    assert (as_win >= as_tie - 1e-9).all()
    assert (as_tie >= as_loss - 1e-9).all()
    assert (as_win >= now - 1e-9).all()
    assert (as_loss <= now + 1e-9).all()
