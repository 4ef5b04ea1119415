"""A question without an answer counts against every claim: what is proved holds for every answer that it could have had."""

import pytest

from copeland.gate.claims import (
    BETTER,
    FAILED,
    MUCH_WORSE,
    NOT_WORSE,
    PASSED,
    WORSE,
    Terms,
    Verdicts,
    find_interval,
    weigh,
)
from copeland.gate.judgments import Judgment, Tally, count_sides, tally_judgments
from copeland.gate.worst_case import find_bounds, is_hopeless, weigh_tags, weigh_tally


def completions(tally):
    """All counts that a tally could have become."""
    wins, losses, ties = tally.verdicts
    for more in range(tally.unanswered + 1):
        for less in range(tally.unanswered + 1 - more):
            yield Verdicts(wins + more, losses + less, ties + tally.unanswered - more - less)


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("require", ["better", "not-worse"])
@pytest.mark.parametrize(
    "tally",
    [
        Tally(Verdicts(12, 1, 2), 2),
        Tally(Verdicts(9, 1, 2), 5),
        Tally(Verdicts(1, 14, 2), 3),
        Tally(Verdicts(3, 3, 3), 4),
        Tally(Verdicts(17, 0, 0), 3),  # all 20 were put
        Tally(Verdicts(0, 16, 0), 4),
    ],
)
def test_what_is_proved_is_proved_by_every_completion(tally, require):
    terms = Terms(require, margin=0.1, delta=0.2, questions=20, exact=True)
    found = weigh_tally(tally, terms)
    every = [weigh(verdicts, terms) for verdicts in completions(tally)]
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
    terms = Terms("better", margin=0.05, delta=0.05, questions=60, exact=True)
    verdicts = Verdicts(30, 2, 3)
    assert weigh_tally(Tally(verdicts), terms) == weigh(verdicts, terms)
    terms = Terms("not-worse", margin=0.05, delta=0.05, questions=60, exact=True)
    assert weigh_tally(Tally(Verdicts(20, 2, 0)), terms).outcome == PASSED
    assert weigh_tally(Tally(Verdicts(20, 2, 0), 15), terms).outcome == "undecided"
    assert weigh_tally(Tally(Verdicts(2, 30, 0)), terms).outcome == FAILED
    assert weigh_tally(Tally(Verdicts(2, 30, 0), 15), terms).outcome == "undecided"
    terms = Terms("better", margin=0.05, delta=0.05, questions=40, exact=True)
    assert not is_hopeless(Tally(Verdicts(0, 0, 0)), 10, terms)
    assert is_hopeless(Tally(Verdicts(0, 0, 0), 10), 10, terms)
    terms = Terms("better", margin=0.05, delta=0.05, questions=120, exact=True)
    tallies = {"a": (Tally(Verdicts(30, 1, 0)), 60), "b": (Tally(Verdicts(30, 1, 0), 25), 60)}
    found = weigh_tags(tallies, terms)
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
    assert tally_judgments(said) == Tally(Verdicts(wins=2, losses=1, ties=2), unanswered=2)
    assert count_sides(said) == (2, 1, 1, 1)
    assert {BETTER, NOT_WORSE, WORSE, MUCH_WORSE} == {*Terms("better", 0.1, 0.1, 1, True).claims}
