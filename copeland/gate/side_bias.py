"""Whether a judge's answers follow the sides: then they tell little about the answers, and prove nothing for a candidate.

Each side is drawn, so a judge that reads the answers names the left one in half of the calls, whichever set is better. A judge whom the side decides
more than half of the time names one side in more than three quarters of the calls, and changes its answer in more than half of the cases when the sides
are swapped. Both shares are held against an exact lower bound, so few answers convict nobody.
"""

from __future__ import annotations

from scipy.special import bdtrc

from copeland.gate.claims import FAILED, UNDECIDED, Finding
from copeland.gate.judgments import SideCounts
from copeland.support.phrasing import format_count, quote_name

FEWEST_CALLS, NAMED = 20, 0.75  # calls that named a side, and the share of one side
FEWEST_CASES, CHANGED = 10, 0.5  # cases asked in both orders, and the share that changed
SURE = 0.95  # of each lower bound


def find_objection(judge: str, sides: SideCounts) -> str:
    """Return why a judge's answers are not to be relied on, in a sentence; empty if nothing speaks against them.

    Examples
    --------
    >>> find_objection("echo", SideCounts(left=30, right=0, both=0, flips=0))
    'The judge echo follows the side, not the answer: it named the left answer in 30 of 30 calls.'
    >>> find_objection("sums", SideCounts(left=12, right=18, both=9, flips=1))
    ''
    """
    head = f"The judge {quote_name(judge)} follows the side, not the answer:"
    if sides.both >= FEWEST_CASES and is_above(CHANGED, sides.flips, sides.both):
        cases = format_count(sides.both, "case")
        return (
            f"{head} with the sides swapped, it changed its answer in {sides.flips:,} of {cases}."
        )
    named = sides.left + sides.right
    more, side = max((sides.left, "left"), (sides.right, "right"))
    if named >= FEWEST_CALLS and is_above(NAMED, more, named):
        return f"{head} it named the {side} answer in {more:,} of {format_count(named, 'call')}."
    return ""


def is_above(share: float, count: int, of: int) -> bool:
    """Tell whether the exact lower bound of a share is above another.

    Examples
    --------
    >>> is_above(0.5, 8, 10), is_above(0.5, 9, 10)
    (False, True)
    """
    return count > 0 and bool(bdtrc(count - 1, of, share) < 1 - SURE)


def withhold(finding: Finding) -> Finding:
    """Return a finding without what it claims, unless it refutes the required claim.

    Examples
    --------
    >>> withhold(Finding(("not worse",), "passed", True, False, {})).outcome
    'undecided'
    """
    if finding.outcome == FAILED:
        return finding
    return finding._replace(claims=(), outcome=UNDECIDED, complete=False, even=False)
