"""What verdicts prove about each tag of the test cases, all together, and where tags contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from copeland.gate.claims import BETTER, WORSE, Finding, Terms, Verdicts, weigh


def weigh_slices(by_tag: Mapping[str, tuple[Verdicts, int]], terms: Terms) -> dict[str, Finding]:
    """Return what is proved of each tag, from its verdicts and its number of questions.

    The claims of all tags hold together with probability 1 - delta: each tag has its share of delta. A case may have several tags.

    Examples
    --------
    >>> terms = Terms("better", margin=0.0, delta=0.05, questions=200, exact=True)
    >>> found = weigh_slices({"code": (Verdicts(40, 9, 0), 100), "chat": (Verdicts(9, 40, 0), 100)}, terms)
    >>> {tag: one.claims for tag, one in found.items()}
    {'code': ('better',), 'chat': ('worse',)}
    """
    return {
        tag: weigh(verdicts, replace(terms, delta=terms.delta / len(by_tag), questions=questions))
        for tag, (verdicts, questions) in by_tag.items()
    }


def find_conflicts(overall: Finding, by_tag: Mapping[str, Finding]) -> tuple[str, ...]:
    """Return the tags that are proved better where another, or all together, is proved worse, and the other way round.

    Examples
    --------
    >>> terms = Terms("better", margin=0.0, delta=0.05, questions=200, exact=True)
    >>> found = weigh_slices({"code": (Verdicts(40, 9, 0), 100), "chat": (Verdicts(9, 40, 0), 100)}, terms)
    >>> find_conflicts(weigh(Verdicts(49, 49, 0), terms), found)
    ('code', 'chat')
    """
    every = [overall, *by_tag.values()]
    opposed = {BETTER: WORSE, WORSE: BETTER}
    return tuple(
        tag
        for tag, one in by_tag.items()
        if any(a in one.claims and any(b in o.claims for o in every) for a, b in opposed.items())
    )
