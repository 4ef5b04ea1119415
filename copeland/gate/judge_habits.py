"""Habits of a judge that say nothing about the answers: it follows the sides, or calls every pair a tie.

Each side is drawn, so a judge that reads the answers names the left one in half of the calls, whichever set is better.
A judge whom the side decides more than half of the time names one side in more than three quarters of the calls, and
changes its answer in more than half of the cases when the sides are swapped. Both shares are held against an exact
lower bound, so few answers convict nobody.

A judge that calls every pair a tie may see no difference. Its ties would prove "not worse" of any candidate. So they
do not, unless the claim would hold even if the candidate had lost all these pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from copeland.gate.claims import FAILED, PASSED, UNDECIDED, Finding, GateTerms
from copeland.gate.judgments import Judgment, Tally, count_choices, tally_judgments
from copeland.gate.worst_case import find_claims_at_worst
from copeland.support.judge_statistics import SideCounts, is_share_above
from copeland.support.phrasing import format_count, quote_name

FEWEST_CALLS, NAMED = 20, 0.75  # calls that named a side, and the share of one side
FEWEST_CASES, CHANGED = 10, 0.5  # cases asked in both orders, and the share that changed
FEW, FEWEST = 0.05, 20  # a judge is warned of that names an answer in so small a share of so many
TRY_WORSE = "Try it on answers that are plainly worse."


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
    if sides.both >= FEWEST_CASES and is_share_above(CHANGED, sides.flips, sides.both):
        cases = format_count(sides.both, "case")
        return (
            f"{head} with the sides swapped, it changed its answer in {sides.flips:,} of {cases}."
        )
    named = sides.left + sides.right
    more, side = max((sides.left, "left"), (sides.right, "right"))
    if named >= FEWEST_CALLS and is_share_above(NAMED, more, named):
        return f"{head} it named the {side} answer in {more:,} of {format_count(named, 'call')}."
    return ""


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


def find_only_ties(judge: str, judgments: Sequence[Judgment], terms: GateTerms) -> str:
    """Return a sentence about a judge whose ties alone pass the candidate; empty if it named an answer, or its ties do not decide that.

    Examples
    --------
    >>> terms = GateTerms("not-worse", margin=0.05, delta=0.05, questions=3, exact=True)
    >>> find_only_ties("echo", [Judgment(i, i, "candidate", "tie") for i in range(3)], terms)
    'The judge echo called every pair a tie (3 answers): nothing shows that it sees a difference.'
    """
    named, answers = count_choices(judgments)
    if named or not answers:
        return ""
    tally = tally_judgments(judgments)
    others = tally.verdicts._replace(ties=tally.verdicts.ties - answers)
    without = Tally(others, tally.unanswered + answers)
    if (
        find_claims_at_worst(tally, terms).outcome != PASSED
        or find_claims_at_worst(without, terms).outcome == PASSED
    ):
        return ""
    said = format_count(answers, "answer")
    return f"The judge {quote_name(judge)} called every pair a tie ({said}): nothing shows that it sees a difference."


def warn_of_ties(named: int, answers: int) -> str:
    """Return a warning of a judge that names an answer hardly ever; empty if it does, or said too little to tell.

    Examples
    --------
    >>> warn_of_ties(1, 40)
    'The judge named an answer in 1 of 40 calls: it may miss differences. Try it on answers that are plainly worse.'
    >>> warn_of_ties(10, 40)
    ''
    """
    if answers < FEWEST or named > FEW * answers:
        return ""
    return f"The judge named an answer in {named:,} of {answers:,} calls: it may miss differences. {TRY_WORSE}"
