"""What judgments prove, where questions without an answer count against whatever is claimed.

A judge does not skip or fail at random: it may do so where one side is better. So a question that was put and not answered
is a loss of the candidate in every claim for it, and a win in every claim against it. Whatever is proved then holds for every
answer that these questions could have had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from copeland.gate.claims import (
    BETTER,
    NOT_WORSE,
    PASSED,
    UNDECIDED,
    WORSE,
    Finding,
    GateTerms,
    VerdictCounts,
    find_claims,
    find_interval,
    is_futile,
)
from copeland.gate.judgments import Tally

FOR_CANDIDATE = (BETTER, NOT_WORSE)


def find_claims_at_worst(tally: Tally, terms: GateTerms) -> Finding:
    """Return what judgments prove, whatever the answers that are missing would have been.

    Examples
    --------
    >>> from copeland.gate.claims import VerdictCounts
    >>> terms = GateTerms(require="better", margin=0.05, delta=0.05, questions=100, exact=True)
    >>> find_claims_at_worst(Tally(VerdictCounts(30, 2, 0)), terms).outcome
    'passed'
    >>> find_claims_at_worst(Tally(VerdictCounts(30, 2, 0), unanswered=25), terms).outcome
    'undecided'
    """
    lowest = find_claims(tally.lowest, terms)
    if not tally.unanswered:
        return lowest
    return _combine(lowest, find_claims(tally.highest, terms))


def find_tag_claims_at_worst(
    tallies: Mapping[str, tuple[Tally, int]], terms: GateTerms
) -> dict[str, Finding]:
    """Return what the judgments on each tag prove, all tags together; with how many questions each tag has."""
    low = {tag: (tally.lowest, questions) for tag, (tally, questions) in tallies.items()}
    high = {tag: (tally.highest, questions) for tag, (tally, questions) in tallies.items()}
    lowest = find_tag_claims(low, terms)
    highest = find_tag_claims(high, terms) if low != high else lowest
    return {
        tag: _combine(lowest[tag], highest[tag]) if tally.unanswered else lowest[tag]
        for tag, (tally, _) in tallies.items()
    }


def find_bounds(tally: Tally, terms: GateTerms) -> tuple[float, float]:
    """Return an interval for theta that holds whatever the answers that are missing would have been."""
    low, high = find_interval(tally.lowest, terms)
    return (low, high) if not tally.unanswered else (low, find_interval(tally.highest, terms)[1])


def is_hopeless(tally: Tally, left: int, terms: GateTerms) -> bool:
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


def find_tag_claims(
    by_tag: Mapping[str, tuple[VerdictCounts, int]], terms: GateTerms
) -> dict[str, Finding]:
    """Return what is proved of each tag, from its verdicts and its number of questions.

    The claims of all tags hold together with probability 1 - delta: each tag has its share of delta. A case may have several tags.

    Examples
    --------
    >>> terms = GateTerms("better", margin=0.0, delta=0.05, questions=200, exact=True)
    >>> found = find_tag_claims({"code": (VerdictCounts(40, 9, 0), 100), "chat": (VerdictCounts(9, 40, 0), 100)}, terms)
    >>> {tag: one.claims for tag, one in found.items()}
    {'code': ('better',), 'chat': ('worse',)}
    """
    return {
        tag: find_claims(
            verdicts, replace(terms, delta=terms.delta / len(by_tag), questions=questions)
        )
        for tag, (verdicts, questions) in by_tag.items()
    }


def find_conflicts(overall: Finding, by_tag: Mapping[str, Finding]) -> tuple[str, ...]:
    """Return the tags that are proved better where another, or all together, is proved worse, and the other way round.

    Examples
    --------
    >>> terms = GateTerms("better", margin=0.0, delta=0.05, questions=200, exact=True)
    >>> found = find_tag_claims({"code": (VerdictCounts(40, 9, 0), 100), "chat": (VerdictCounts(9, 40, 0), 100)}, terms)
    >>> find_conflicts(find_claims(VerdictCounts(49, 49, 0), terms), found)
    ('code', 'chat')
    """
    every = [overall, *by_tag.values()]
    opposed = {BETTER: WORSE, WORSE: BETTER}
    return tuple(
        tag
        for tag, one in by_tag.items()
        if any(a in one.claims and any(b in o.claims for o in every) for a, b in opposed.items())
    )
