"""What judgments prove, where questions without an answer count against whatever is claimed.

A judge does not skip or fail at random: it may do so where one side is better. So a question that was put and not answered
is a loss of the candidate in every claim for it, and a win in every claim against it. Whatever is proved then holds for every
answer that these questions could have had.
"""

from __future__ import annotations

from collections.abc import Mapping

from copeland.gate.claims import (
    BETTER,
    NOT_WORSE,
    PASSED,
    UNDECIDED,
    Finding,
    Terms,
    find_interval,
    is_futile,
    weigh,
)
from copeland.gate.judgments import Tally
from copeland.gate.slices import weigh_slices

FOR_CANDIDATE = (BETTER, NOT_WORSE)


def weigh_tally(tally: Tally, terms: Terms) -> Finding:
    """Return what judgments prove, whatever the answers that are missing would have been.

    Examples
    --------
    >>> from copeland.gate.claims import Verdicts
    >>> terms = Terms(require="better", margin=0.05, delta=0.05, questions=100, exact=True)
    >>> weigh_tally(Tally(Verdicts(30, 2, 0)), terms).outcome
    'passed'
    >>> weigh_tally(Tally(Verdicts(30, 2, 0), unanswered=25), terms).outcome
    'undecided'
    """
    lowest = weigh(tally.lowest, terms)
    if not tally.unanswered:
        return lowest
    return _combine(lowest, weigh(tally.highest, terms))


def weigh_tags(tallies: Mapping[str, tuple[Tally, int]], terms: Terms) -> dict[str, Finding]:
    """Return what the judgments on each tag prove, all tags together; with how many questions each tag has."""
    low = {tag: (tally.lowest, questions) for tag, (tally, questions) in tallies.items()}
    high = {tag: (tally.highest, questions) for tag, (tally, questions) in tallies.items()}
    lowest = weigh_slices(low, terms)
    highest = weigh_slices(high, terms) if low != high else lowest
    return {
        tag: _combine(lowest[tag], highest[tag]) if tally.unanswered else lowest[tag]
        for tag, (tally, _) in tallies.items()
    }


def find_bounds(tally: Tally, terms: Terms) -> tuple[float, float]:
    """Return an interval for theta that holds whatever the answers that are missing would have been."""
    low, high = find_interval(tally.lowest, terms)
    return (low, high) if not tally.unanswered else (low, find_interval(tally.highest, terms)[1])


def is_hopeless(tally: Tally, left: int, terms: Terms) -> bool:
    """Tell whether no answers to the questions left could prove the required claim."""
    return is_futile(tally.lowest, left, terms)


def _combine(lowest: Finding, highest: Finding) -> Finding:
    """What holds in the worst case: claims for the candidate from the lowest counts, others from the highest."""
    mine = [claim for claim in lowest.claims if claim in FOR_CANDIDATE]
    against = [claim for claim in highest.claims if claim not in FOR_CANDIDATE]
    outcome = UNDECIDED if highest.outcome == PASSED else highest.outcome
    evidence = {
        claim: (lowest if claim in FOR_CANDIDATE else highest).evidence[claim]
        for claim in lowest.evidence
    }
    return lowest._replace(
        claims=(*mine, *against),
        outcome=PASSED if lowest.outcome == PASSED else outcome,
        complete=False,
        even=False,
        evidence=evidence,
    )
