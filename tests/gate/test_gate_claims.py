"""What verdicts prove: held against all orders of small populations, and against plain versions."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest

from copeland import certify
from copeland.errors import CopelandError
from copeland.gate.claims import (
    BETTER,
    MUCH_WORSE,
    NOT_WORSE,
    WORSE,
    GateTerms,
    Tally,
    find_claims,
    find_conflicts,
    find_interval,
)
from copeland.gate.gate_result import weigh_judgments
from copeland.gate.gate_settings import GateSettings
from copeland.gate.judgments import Judgment
from copeland.study.judges.prompts import Item

TERMS = GateTerms("not-worse", margin=0.05, delta=0.05, cases=400, exact=True)


def holds(claim, theta, margin):
    """What the claim says, as docs/notes/certificate-proofs.md has it."""
    return {
        BETTER: theta > 0.5 + 1e-9,
        NOT_WORSE: theta > 0.5 - margin + 1e-9,
        WORSE: theta < 0.5 - 1e-9,
        MUCH_WORSE: theta < 0.5 - margin - 1e-9,
    }[claim]


def populations(n):
    return [Tally(w, l, n - w - l) for w, l in product(range(n + 1), repeat=2) if w + l <= n]


def next_states(state, population):
    """The counts after one more question, with how many questions lead there."""
    for side in range(3):
        if population[side] > state[side]:
            more = tuple(x + (i == side) for i, x in enumerate(state[:3]))
            yield population[side] - state[side], Tally(*more)


def chance_of(event, population):
    """P(event holds after some number of questions), over all orders."""

    @cache
    def chance(state):
        if event(state):
            return 1.0
        left = population.answers - state.answers
        return sum(n / left * chance(more) for n, more in next_states(state, population))

    return chance(Tally())


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("margin", [0.0, 0.1, 0.25])
def test_over_all_orders_a_false_claim_has_probability_delta_at_most(margin, delta):
    worst = 0.0
    for n in (1, 2, 3, 4, 6):
        terms = GateTerms("better", margin, delta, n, exact=True)
        findings = cache(lambda state, terms=terms: find_claims(state, terms))
        for population in populations(n):
            theta = population.theta
            assert theta is not None

            def is_wrong(state, findings=findings, theta=theta):
                return not all(holds(claim, theta, margin) for claim in findings(state).claims)

            worst = max(worst, chance_of(is_wrong, population))
    assert worst <= delta + 1e-12
    assert worst > 0 or delta < 0.5  # the bound bites, where six questions can show anything


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.2, 0.5])
def test_over_all_orders_the_interval_misses_with_probability_delta_at_most(delta):
    for n in (2, 5, 6):
        terms = GateTerms("better", 0.0, delta, n, exact=True)
        intervals = cache(lambda state, terms=terms: find_interval(state, terms))
        for population in populations(n):
            theta = population.theta
            assert theta is not None

            def is_missed(state, intervals=intervals, theta=theta):
                low, high = intervals(state)
                return not low - 1e-9 <= theta <= high + 1e-9

            assert chance_of(is_missed, population) <= delta + 1e-12


def plain_wealth(successes, failures, ties, border, steps=20_000):
    """The capital of bets on a mean above the border, spread by Beta(2, 2): a sum over a fine grid."""
    theta = border + (np.arange(steps) + 0.5) / steps * (1 - border)
    bet = (theta - border) / (border * (1 - border))
    density = theta * (1 - theta)
    factors = [(1 - border, successes), (-border, failures), (0.5 - border, ties)]
    log_wealth = sum(n * np.log1p(bet * gain) for gain, n in factors)
    return float((np.exp(log_wealth) * density).sum() / density.sum())


@pytest.mark.parametrize(
    "counts", [(30, 10, 0), (30, 10, 15), (10, 30, 15), (3, 60, 40), (70, 60, 70)]
)
def test_of_a_sample_the_evidence_is_at_most_the_gamblers_capital(counts):
    wins, losses, ties = counts
    found = find_claims(Tally(*counts), TERMS._replace(exact=False)).evidence
    capital = {
        BETTER: plain_wealth(wins, losses, ties, 0.5),
        NOT_WORSE: plain_wealth(wins, losses, ties, 0.45),
        WORSE: plain_wealth(losses, wins, ties, 0.5),
        MUCH_WORSE: plain_wealth(losses, wins, ties, 0.55),
    }
    for claim, wealth in capital.items():
        assert found[claim] <= math.log(wealth) + 1e-6
        if ties == 0 and math.log(wealth) > 3:
            assert found[claim] == pytest.approx(math.log(wealth), abs=0.02)


@pytest.mark.slow
def test_when_all_questions_are_judged_the_claims_that_hold_are_known():
    n, margin = 5, 0.1
    for population in populations(n):
        for require in ("better", "not-worse"):
            found = find_claims(population, GateTerms(require, margin, 0.05, n, exact=True))
            theta = population.theta
            assert theta is not None
            assert set(found.claims) == {
                c for c in (BETTER, NOT_WORSE, WORSE, MUCH_WORSE) if holds(c, theta, margin)
            }
            assert found.complete
            assert found.even == (population.wins == population.losses)
            required = BETTER if require == "better" else NOT_WORSE
            assert found.outcome == ("passed" if required in found.claims else "failed")
            assert find_interval(population, GateTerms(require, margin, 0.05, n, exact=True)) == (
                pytest.approx(theta),
                pytest.approx(theta),
            )


def test_a_sample_is_never_complete_and_may_fail_early():
    found = find_claims(Tally(5, 5, 0), GateTerms("better", 0.0, 0.05, 10, exact=False))
    assert (found.outcome, found.complete, found.even) == ("undecided", False, False)
    terms = GateTerms("better", 0.0, 0.05, 100, exact=True)
    assert find_claims(Tally(49, 50, 0), terms).outcome == "failed"  # at best it is even
    assert find_claims(Tally(49, 49, 0), terms).outcome == "undecided"


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    "counts", [(40, 20, 30), (15, 55, 30), (0, 12, 3), (84, 56, 60), (9, 9, 80)]
)
def test_the_interval_is_what_the_claims_say_at_every_margin(counts, exact):
    verdicts = Tally(*counts)
    low, high = find_interval(verdicts, TERMS._replace(exact=exact))
    for margin in np.arange(1, 49) / 100 + 0.0013:
        claims = find_claims(verdicts, GateTerms("better", float(margin), 0.05, 400, exact)).claims
        assert (NOT_WORSE in claims) == (low > 0.5 - margin)
        assert (MUCH_WORSE in claims) == (high < 0.5 - margin)
    claims = find_claims(verdicts, TERMS._replace(exact=exact)).claims
    assert (BETTER in claims) == (low > 0.5)
    assert (WORSE in claims) == (high < 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("questions", [12, 60])
def test_a_mean_is_refuted_together_with_all_beyond_it(questions):
    """So an interval is what the claims at every margin say."""
    counts = np.array([c[:3] for n in range(questions + 1) for c in populations(n)])
    if questions > 12:
        counts = counts[np.random.default_rng(0).choice(len(counts), 500, replace=False)]
    w, l, t = counts.T
    for delta in (0.05, 0.2):
        terms = GateTerms("better", 0.0, delta, questions, exact=True)
        borders = np.arange(2 * questions + 1) / (2 * questions)
        weigh = terms.weigh(w, l, t)
        refuted = [weigh(0.5 - float(b))[0] >= terms.find_level(BETTER) for b in borders]
        assert (np.diff(np.array(refuted).astype(int), axis=0) <= 0).all()


def test_what_speaks_against_the_candidate_needs_the_more_evidence_the_more_judges_there_are():
    ten = TERMS._replace(judges=10)
    assert [ten.find_level(claim) for claim in (BETTER, NOT_WORSE)] == [math.log(2 / 0.05)] * 2
    assert [ten.find_level(claim) for claim in (WORSE, MUCH_WORSE)] == [math.log(20 / 0.05)] * 2
    assert find_claims(Tally(28, 55, 5), TERMS).claims == (WORSE,)
    assert find_claims(Tally(28, 55, 5), ten).claims == ()
    assert find_claims(Tally(55, 30, 5), ten).claims == find_claims(Tally(55, 30, 5), TERMS).claims
    (low, high), alone = (find_interval(Tally(28, 55, 5), one) for one in (ten, TERMS))
    assert low == alone[0] and high > alone[1]


def test_ten_judges_fail_a_good_candidate_as_rarely_as_one_does():
    """Over all orders of seven wins and six losses, of judges that draw theirs independently."""

    def chance_of_failing(terms):
        wrong = chance_of(lambda state: WORSE in find_claims(state, terms).claims, Tally(7, 6, 0))
        return 1 - (1 - wrong) ** 10

    alone = GateTerms("better", 0.0, 0.3, 13, exact=True)
    assert chance_of_failing(alone) > 0.3
    assert chance_of_failing(alone._replace(judges=10)) <= 0.3 / 2


def test_claims_bring_weaker_ones_along_and_no_verdicts_bring_none():
    assert find_interval(Tally(), TERMS) == (0.0, 1.0)
    assert find_interval(Tally(), TERMS._replace(exact=False)) == (0.0, 1.0)
    assert find_claims(Tally(60, 20, 10), TERMS).claims == (BETTER, NOT_WORSE)
    assert find_claims(Tally(5, 80, 5), TERMS).claims == (MUCH_WORSE, WORSE)
    assert find_claims(Tally(60, 20, 10), TERMS._replace(require="better", margin=0.0)).claims == (
        BETTER,
    )


def test_tags_have_shares_of_delta_and_may_conflict():
    tags = ("code", "chat", "code", "all", "all")
    items = [Item(f"q{i}", "", tags=(tags[i % 5], "every")) for i in range(100)]
    said = [
        Judgment(one.name, "baseline", "right" if i % 3 else "left") for i, one in enumerate(items)
    ]
    settings = GateSettings(population="these")
    found = weigh_judgments("x", said, items, settings.make_terms(items), settings)
    assert [(one.tag, one.cases) for one in found.slices] == [
        ("code", 40),
        ("chat", 20),
        ("all", 40),
    ]
    for one in found.slices:
        own = settings.make_terms(items)._replace(delta=0.05 / 3, cases=one.cases)
        assert one.finding == find_claims(one.tally, own)
    good, bad, open_ = (
        find_claims(Tally(*counts), TERMS) for counts in [(60, 10, 0), (10, 60, 0), (9, 9, 9)]
    )
    assert find_conflicts(good, {"a": good, "b": open_}) == ()
    assert find_conflicts(good, {"a": good, "b": bad}) == ("a", "b")
    assert find_conflicts(bad, {"a": good, "b": open_}) == ("a",)
    assert find_conflicts(open_, {"a": good, "b": open_}) == ()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"require": "best"}, "require is 'best'; it must be 'better' or 'not-worse'"),
        ({"margin": 0.5}, "below 1/2"),
        ({"margin": 0.0}, "not-worse needs one above 0"),
        ({"margin": math.nan}, "margin"),
        ({"delta": 0.0}, "a number between 0 and 1"),
        ({"delta": math.nan}, "a number between 0 and 1"),
        ({"population": "all"}, "population is 'all'"),
        ({"empty": "win"}, "empty is 'win'"),
        ({"workers": 0}, "workers is 0"),
    ],
)
def test_settings_that_mean_nothing_are_refused(changed, sentence):
    with pytest.raises(CopelandError, match=sentence):
        GateSettings(**changed)


def test_an_answer_that_is_missing_is_a_loss_of_both_sides():
    for exact in (True, False):
        terms = TERMS._replace(exact=exact)
        found = find_claims(Tally(60, 20, 10, unanswered=30), terms).evidence
        lost = find_claims(Tally(60, 50, 10), terms).evidence
        won = find_claims(Tally(90, 20, 10), terms).evidence
        assert (found[BETTER], found[NOT_WORSE]) == (lost[BETTER], lost[NOT_WORSE])
        assert (found[WORSE], found[MUCH_WORSE]) == (won[WORSE], won[MUCH_WORSE])
        low, high = find_interval(Tally(60, 20, 10, unanswered=30), terms)
        assert low == find_interval(Tally(60, 50, 10), terms)[0]
        assert high == find_interval(Tally(90, 20, 10), terms)[1]


def test_the_claims_are_those_of_a_study_of_two_options():
    rng = np.random.default_rng(5)
    for exact, voters in ((True, "judge, these cases"), (False, "judge, cases like these")):
        terms = TERMS._replace(exact=exact, epoch=int(exact))
        for _ in range(40):
            won, lost, tied, missing = rng.multinomial(
                rng.integers(10, 400), (0.5, 0.25, 0.2, 0.05)
            )
            found = find_claims(Tally(*map(int, (won, lost, tied, missing))), terms).claims
            made = certify(
                [[0, lost], [won, 0]],
                [[0, tied], [tied, 0]],
                missing=[[0, missing], [missing, 0]],
                **{"voters": voters, "cases": 400, "goal": "above:0", "margin": 0.05},
                epoch=terms.epoch,
            )
            assert (BETTER in found) == (made.above == (1,))
            assert (NOT_WORSE in found) == (made.not_worse == (1,))
            assert (WORSE in found) == (made.below == (1,))
