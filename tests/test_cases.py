"""Evidence from a fixed number of test cases, each judged once: held against sums and enumerations."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest

from copeland.certificate.case_evidence import _log_ratio, cannot_lose, log_evidence_of_cases
from copeland.certificate.certificate import Certificate, certify
from copeland.certificate.proof import Terms, is_decided
from copeland.certificate.samples import evidence
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import all_level, levels, loss_level, win_level


def falling(x, y):
    return math.prod(x - i for i in range(y))


@cache
def ratio(d, m0, w, l):
    """E_D as docs/notes/certificate-proofs.md has it."""
    if m0 < 0 or w > m0:
        return math.inf
    weights = {m: (m + 1) * (d - m + 1) for m in range(m0 + 1, d + 1)}
    under = falling(m0, w) * falling(d - m0, l)
    if not weights or under == 0:
        return 0.0
    over = sum(weight * falling(m, w) * falling(d - m, l) for m, weight in weights.items())
    return over / sum(weights.values()) / under


def border(d, slack):
    return math.floor((d - slack) / 2)


def counts_up_to(n):
    return np.array([(w, l) for w in range(n + 1) for l in range(n - w + 1)]).T


def evidence_of(wins, losses, ties, cases, margin=0.0):
    given = (np.array([x]) for x in (wins, losses, ties))
    return float(log_evidence_of_cases(*given, cases, margin)[0])


@pytest.mark.sampled(10)
@pytest.mark.parametrize("slack", [-4, -1, 0, 1, 3])
@pytest.mark.parametrize("d", [1, 2, 7, 16])
def test_the_closed_form_is_the_sum(d, slack):
    w, l = counts_up_to(d)
    found = np.exp(_log_ratio(w, l, np.full_like(w, d), slack))
    expected = [ratio(d, border(d, slack), *map(int, one)) for one in zip(w, l, strict=True)]
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-7)


def find_least(most, slack):
    """ln E_D of the two largest numbers D of decided cases, and the least of all D, for all counts."""
    w, l = counts_up_to(most)
    each = np.full((most + 1, len(w)), math.inf)
    for d in range(most + 1):
        possible = w + l <= d
        of = np.full(possible.sum(), d)
        each[d, possible] = _log_ratio(w[possible], l[possible], of, slack)
    return each[-2:].min(axis=0), each.min(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("slack", [0, 0.5, 1, 2, 3, 5])
def test_above_a_twentieth_the_least_evidence_is_that_of_one_of_the_two_largest_numbers(slack):
    for most in [*range(1, 41), 80]:
        found, least = find_least(most, slack)
        matters = found > 0.05
        assert found[matters] == pytest.approx(least[matters], abs=1e-9)


def test_below_that_it_need_not_be():
    """2 wins and 1 loss of 8 cases."""
    found, least = find_least(8, 0)
    at = np.flatnonzero((counts_up_to(8) == [[2], [1]]).all(axis=0))
    assert 0 < found[at] < 0.05 and least[at] < 0


@pytest.mark.parametrize("delta", [0.05, 0.5, 0.99])
@pytest.mark.parametrize("k", [2, 3, 20])
def test_every_level_is_far_above_that(k, delta):
    at = levels(k, delta)
    rows = [win_level(at, missing) for missing in range(k - 1)]
    assert min(*rows, loss_level(at), all_level(at, 1), at.pair, at.exact) > 0.6


def populations(n, margin):
    """All numbers of wins, losses and ties among n cases of which the null is true."""
    for w, l in product(range(n + 1), repeat=2):
        if w + l <= n and w - l <= -2 * margin * n + 1e-9:
            yield w, l, n - w - l


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_the_capital_of_the_true_population_is_a_supermartingale(n):
    """Given any past, the mean after one more case is at most what it was: by enumeration."""
    for total_w, total_l, _ in populations(n, 0.0):
        d = total_w + total_l
        m0 = d // 2
        for w, l in product(range(total_w + 1), range(total_l + 1)):
            left = d - w - l
            if left == 0:
                continue
            chances = ((total_w - w) / left, (total_l - l) / left)
            after = (ratio(d, m0, w + 1, l), ratio(d, m0, w, l + 1))
            mean = sum(p * e for p, e in zip(chances, after, strict=True) if p > 0)
            assert mean <= ratio(d, m0, w, l) * (1 + 1e-12)


def chance_to_reach(level, population, cases, margin):
    """P(the evidence is ever at the level), over all orders of the cases."""

    @cache
    def chance(w, l, t):
        if evidence_of(w, l, t, cases, margin) >= level:
            return 1.0
        left = cases - w - l - t
        if left == 0:
            return 0.0
        more = [
            (population[0] - w, (w + 1, l, t)),
            (population[1] - l, (w, l + 1, t)),
            (population[2] - t, (w, l, t + 1)),
        ]
        return sum(n / left * chance(*state) for n, state in more if n > 0)

    return chance(0, 0, 0)


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.1, -0.1])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_evidence_is_ever_as_large_as_x_with_probability_1_over_x_at_most(n, margin):
    for population in populations(n, margin):
        for x in (1.2, 2.0, 5.0, 20.0, math.inf):
            assert chance_to_reach(math.log(x), population, n, margin) <= 1 / x + 1e-12


def test_two_even_options_on_ten_cases_reach_4_with_a_probability_worked_out_for_all_orders():
    found = chance_to_reach(math.log(4), (5, 5, 0), 10, 0.0)
    assert 0.02 < found <= 0.25


def test_an_answer_under_way_that_counts_as_a_loss_never_helps():
    """Whatever it turns out to be: so slow answers cannot make a claim come too early."""
    n = 24
    w, l = counts_up_to(n - 2)
    for t in (0, 1, 5):
        fits = w + l + t < n
        one, other, tied = w[fits], l[fits], np.full(fits.sum(), t)
        for margin in (0.0, 0.05, -0.05):
            as_loss = log_evidence_of_cases(one, other + 1, tied, n, margin)
            for came in ((one + 1, other, tied), (one, other, tied + 1)):
                found = log_evidence_of_cases(*came, n, margin)
                assert (np.maximum(found, 0) >= np.maximum(as_loss, 0) - 1e-9).all()


def test_of_very_many_cases_it_is_the_evidence_of_independent_votes():
    wins = np.array([30, 60, 300, 25])
    losses = np.array([10, 40, 250, 30])
    found = log_evidence_of_cases(wins, losses, 0 * wins, 10**6)
    for w, l, nats in zip(wins, losses, found, strict=True):
        plain = evidence([[0, w], [l, 0]])[0, 1]
        assert (nats > 0) == (plain > 0) or abs(nats) < 0.5
        if plain > 2:
            assert nats == pytest.approx(plain, abs=0.05)


def test_a_hundred_thousand_cases_take_little_time_and_are_never_too_much():
    rng = np.random.default_rng(3)
    wins = rng.integers(0, 50_000, 400)
    found = log_evidence_of_cases(wins, 50_000 - wins, 0 * wins, 100_000)
    assert not np.isnan(found).any()
    assert evidence_of(26_000, 25_000, 0, 100_000) == pytest.approx(15.4, abs=0.5)


@pytest.mark.slow
def test_who_is_far_behind_on_thousands_of_cases_has_no_evidence():
    """The tail of so unlikely a lead is smaller than any number of a computer."""
    losses = np.arange(0, 10_000, 50)
    for wins in (0, 100, losses // 4, losses // 2):
        fits = wins + losses <= 10_000
        won = np.broadcast_to(wins, losses.shape)[fits]
        for margin in (0.0, -0.05):
            found = log_evidence_of_cases(won, losses[fits], 0 * won, 10_000, margin)
            assert (found[won < losses[fits]] <= 0).all()
    found = certify([[0, 400], [1600, 0]], voters="judge, these cases", judges=["x"], cases=4000)
    assert (found.verdict, found.best) == ("winner", (1,))


@pytest.mark.parametrize(
    ("wins", "losses", "ties", "margin", "sure"),
    [
        (51, 0, 0, 0.0, True),
        (50, 0, 0, 0.0, False),
        (50, 0, 1, 0.0, True),  # at most 49 others
        (50, 49, 1, 0.0, True),
        (50, 50, 0, 0.0, False),
        (46, 0, 0, 0.05, True),
        (45, 0, 0, 0.05, False),  # it may still be 45 to 55: behind by the margin
        (56, 0, 0, -0.05, True),
        (40, 10, 50, -0.05, True),
        (30, 20, 50, -0.05, False),
    ],
)
def test_what_the_rest_cannot_change_is_sure(wins, losses, ties, margin, sure):
    assert (evidence_of(wins, losses, ties, 100, margin) == math.inf) == sure


def test_who_cannot_lose_any_more_need_not_win():
    assert cannot_lose(np.array([50]), np.array([50]), np.array([0]), 100).all()
    assert cannot_lose(np.array([50]), np.array([49]), np.array([0]), 100).all()
    assert not cannot_lose(np.array([50]), np.array([49]), np.array([0]), 101).any()


THESE = {"voters": "judge, these cases", "judges": ["gpt"]}
LIKE_THESE = THESE | {"voters": "judge, cases like these"}


def test_when_all_cases_are_judged_the_verdict_is_exact():
    found = certify([[0, 51], [49, 0]], cases=100, **THESE, labels=["A", "B"])
    assert (found.verdict, found.best, found.is_all, found.scores) == (
        "winner",
        (0,),
        True,
        ((1, 1), (0, 0)),
    )
    assert found.statement == (
        "On these 100 cases, by the judge gpt: after 100 votes, A is proved the only winner: it beats the "
        "other, and no other option beats as many (exact: all cases are judged)."
    )


def test_options_that_are_exactly_even_on_all_cases_are_tied():
    found = certify([[0, 40], [40, 0]], [[0, 20], [20, 0]], cases=100, **THESE, labels=["A", "B"])
    assert (found.verdict, found.best, found.is_all) == ("tied", (0, 1), True)
    assert "A and B are proved tied for first: no option beats another" in found.statement


def test_an_exactly_even_pair_bounds_both_scores_from_above():
    """A beats C; A and B are even, B and C too: A alone is best."""
    wins = [[0, 5, 6], [5, 0, 5], [4, 5, 0]]
    found = certify(wins, cases=10, **THESE)
    assert (found.best, found.is_all, found.scores) == ((0,), True, ((1, 1), (0, 0), (0, 0)))
    assert is_decided(
        np.array(wins), np.zeros((3, 3), int), Terms(epoch=1, cases=10, voters=THESE["voters"])
    )
    assert not is_decided(
        np.array(wins), np.zeros((3, 3), int), Terms(epoch=1, cases=11, voters=THESE["voters"])
    )


def test_the_same_counts_on_cases_like_these_prove_nothing_and_say_so():
    found = certify([[0, 51], [49, 0]], cases=100, **LIKE_THESE)
    assert found.verdict == "open"
    assert found.statement.startswith(
        "On cases like these, by the judge gpt: after 100 votes, nothing is proved; every"
    )


def test_cases_like_these_take_the_levels_of_single_claims():
    """At 10 options a row of 9 wins at 6 nats each is enough only where rows have a proof."""
    by_rows, alone = levels(10, 0.05), levels(10, 0.05, dependent=True)
    wins = next(n for n in range(1, 99) if evidence([[0, n], [0, 0]])[0, 1] >= by_rows.win)
    assert evidence([[0, wins], [0, 0]])[0, 1] < alone.win
    table = np.zeros((10, 10), int)
    table[0, 1:] = wins
    assert certify(table).best == (0,)
    assert certify(table, cases=99, **LIKE_THESE).best == ()


def test_a_certificate_on_cases_is_written_read_and_checked_again():
    wins = [[0, 40], [20, 0]]
    found = certify(wins, cases=100, **THESE)
    again = Certificate.from_json(found.to_json())
    assert again == found
    assert again.recheck(wins) == ()
    changed = Certificate.from_json(found.to_json().replace('"cases": 100', '"cases": 1000'))
    assert changed.recheck(wins) != ()


def test_undone_votes_leave_the_smaller_evidence_on_cases_too():
    even = ([[0, 5], [5, 0]], [[0, 0], [0, 0]])
    assert certify([[0, 6], [4, 0]], cases=10, given=even, **THESE).best == ()


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"cases": 10, **THESE}, "have 11 votes, but there are 10 cases"),
        ({**THESE}, "say how many test cases there are"),
        ({"cases": 100}, "say how many test cases there are"),
        ({"cases": 0, **THESE}, "1 or more"),
    ],
)
def test_what_does_not_fit_is_refused(told, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        certify([[0, 6], [5, 0]], **told)
