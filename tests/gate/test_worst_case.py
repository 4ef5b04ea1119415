"""A question without an answer counts against every claim: what is proved holds for every answer that it could have had."""

import pytest

from copeland.gate.claims import (
    BETTER,
    FAILED,
    MUCH_WORSE,
    NOT_WORSE,
    PASSED,
    WORSE,
    GateTerms,
    VerdictCounts,
    find_claims,
    find_interval,
)
from copeland.gate.judgments import Judgment, Tally, count_sides, tally_judgments
from copeland.gate.worst_case import (
    find_bounds,
    find_claims_at_worst,
    find_tag_claims_at_worst,
    is_hopeless,
)


def completions(tally):
    """All counts that a tally could have become."""
    wins, losses, ties = tally.verdicts
    for more in range(tally.unanswered + 1):
        for less in range(tally.unanswered + 1 - more):
            yield VerdictCounts(wins + more, losses + less, ties + tally.unanswered - more - less)


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("require", ["better", "not-worse"])
@pytest.mark.parametrize(
    "tally",
    [
        Tally(VerdictCounts(12, 1, 2), 2),
        Tally(VerdictCounts(9, 1, 2), 5),
        Tally(VerdictCounts(1, 14, 2), 3),
        Tally(VerdictCounts(3, 3, 3), 4),
        Tally(VerdictCounts(17, 0, 0), 3),  # all 20 were put
        Tally(VerdictCounts(0, 16, 0), 4),
    ],
)
def test_what_is_proved_is_proved_by_every_completion(tally, require):
    terms = GateTerms(require, margin=0.1, delta=0.2, questions=20, exact=True)
    found = find_claims_at_worst(tally, terms)
    every = [find_claims(verdicts, terms) for verdicts in completions(tally)]
    common = set.intersection(*(set(one.claims) for one in every))
    assert set(found.claims) == common
    if found.outcome != "undecided":
        assert {one.outcome for one in every} == {found.outcome}
    low, high = find_bounds(tally, terms)
    for verdicts in completions(tally):
        inner = find_interval(verdicts, terms)
        assert low <= inner[0] + 1e-12 and high >= inner[1] - 1e-12
    assert not found.complete and not found.even


def test_the_worst_case_by_hand():
    terms = GateTerms("better", margin=0.05, delta=0.05, questions=60, exact=True)
    verdicts = VerdictCounts(30, 2, 3)
    assert find_claims_at_worst(Tally(verdicts), terms) == find_claims(verdicts, terms)
    terms = GateTerms("not-worse", margin=0.05, delta=0.05, questions=60, exact=True)
    assert find_claims_at_worst(Tally(VerdictCounts(20, 2, 0)), terms).outcome == PASSED
    assert find_claims_at_worst(Tally(VerdictCounts(20, 2, 0), 15), terms).outcome == "undecided"
    assert find_claims_at_worst(Tally(VerdictCounts(2, 30, 0)), terms).outcome == FAILED
    assert find_claims_at_worst(Tally(VerdictCounts(2, 30, 0), 15), terms).outcome == "undecided"
    terms = GateTerms("better", margin=0.05, delta=0.05, questions=40, exact=True)
    assert not is_hopeless(Tally(VerdictCounts(0, 0, 0)), 10, terms)
    assert is_hopeless(Tally(VerdictCounts(0, 0, 0), 10), 10, terms)
    terms = GateTerms("better", margin=0.05, delta=0.05, questions=120, exact=True)
    tallies = {
        "a": (Tally(VerdictCounts(30, 1, 0)), 60),
        "b": (Tally(VerdictCounts(30, 1, 0), 25), 60),
    }
    found = find_tag_claims_at_worst(tallies, terms)
    assert BETTER in found["a"].claims
    assert BETTER not in found["b"].claims


def test_counts_by_hand():
    said = [
        Judgment(0, 0, "candidate", "left"),
        Judgment(1, 0, "baseline", "left"),
        Judgment(2, 1, "baseline", "right"),
        Judgment(3, 2, "baseline", "both_bad"),
        Judgment(4, 3, "baseline", "identical", calls=0),
        Judgment(5, 4, "baseline", "skip"),
        Judgment(6, 5, "baseline", "error"),
    ]
    assert tally_judgments(said) == Tally(VerdictCounts(wins=2, losses=1, ties=2), unanswered=2)
    assert count_sides(said) == (2, 1, 1, 1)
    assert {BETTER, NOT_WORSE, WORSE, MUCH_WORSE} == {
        *GateTerms("better", 0.1, 0.1, 1, True).claims
    }
