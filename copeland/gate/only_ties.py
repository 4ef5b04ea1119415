"""Whether a judge names an answer now and then: one that calls every pair a tie may see no difference, and proves nothing for a candidate.

Its ties would prove "not worse" of any candidate. So they do not, unless the claim would hold even if the candidate had lost all these pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from copeland.gate.claims import PASSED, Terms
from copeland.gate.judgments import Judgment, Tally, count_choices, tally_judgments
from copeland.gate.worst_case import weigh_tally
from copeland.support.phrasing import format_count, quote_name

FEW, FEWEST = 0.05, 20  # a judge is warned of that names an answer in so small a share of so many
TRY_WORSE = "Try it on answers that are plainly worse."


def find_only_ties(judge: str, judgments: Sequence[Judgment], terms: Terms) -> str:
    """Return a sentence about a judge whose ties alone pass the candidate; empty if it named an answer, or its ties do not decide that.

    Examples
    --------
    >>> terms = Terms("not-worse", margin=0.05, delta=0.05, questions=3, exact=True)
    >>> find_only_ties("echo", [Judgment(i, i, "candidate", "tie") for i in range(3)], terms)
    'The judge echo called every pair a tie (3 answers): nothing shows that it sees a difference.'
    """
    named, answers = count_choices(judgments)
    if named or not answers:
        return ""
    tally = tally_judgments(judgments)
    others = tally.verdicts._replace(ties=tally.verdicts.ties - answers)
    without = Tally(others, tally.unanswered + answers)
    if weigh_tally(tally, terms).outcome != PASSED or weigh_tally(without, terms).outcome == PASSED:
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
