"""What a certificate says of a goal beyond one winner, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.goal_proof import cut_by_certificate, list_contenders, list_open
from copeland.support.goal import ABOVE, TOP, Goal
from copeland.support.phrasing import format_count, join_names, quote_name, quote_names


def state_goal(c: BaseCertificate, sure: str, one: str, several: str) -> str:
    """Return how far the goal is reached: that something ``one`` (is proved) or ``several`` (are proved), or is not ``sure`` yet."""
    goal = Goal.parse(c.goal)
    if goal.kind == TOP:
        return _state_top(c, goal, sure, several)
    if goal.kind == ABOVE:
        return _state_baseline(c, goal, one, several)
    return _state_tiers(c, sure, several)


def _state_top(c: BaseCertificate, goal: Goal, sure: str, several: str) -> str:
    names, others = quote_names(c.labels), len(c.among) - 1
    if not c.top:
        left = list_contenders(c, goal.number)
        who = "every option" if len(left) == len(c.among) else join_names([names[i] for i in left])
        return f"no {goal.number} options are {sure} the top {goal.number}{_scope(c)} yet; {who} could still be among them"
    top = join_names([names[i] for i in c.top])
    least = min(c.scores[i][0] for i in c.top)
    reach = "" if c.margin else f"each beats at least {least} of the {others} others, and "
    by = f" up to a margin of {c.margin:g}" if c.margin else ""
    than = "by more than the margin " if c.margin else ""
    return (
        f"{top} {several} the top {goal.number}{_scope(c)}{by}: {reach}no other option beats more "
        f"{than}than any of these"
    )


def _state_baseline(c: BaseCertificate, goal: Goal, one: str, several: str) -> str:
    base, names = quote_name(goal.name), quote_names(c.labels)
    if goal.baseline(c.labels) not in c.among:
        return f"nothing is said, because {base} is retired"

    def tell() -> Iterator[str]:
        yield from _tell(c.above, f"better than {base}")
        yield from _tell(c.below, f"worse than {base}")
        yield from _tell(c.even, f"even with {base}{' within the margin' if c.margin else ''}")
        alone = [i for i in c.not_worse if i not in (*c.above, *c.even)]
        yield from _tell(alone, f"not worse than {base} by {c.margin:g}")

    def _tell(options: Sequence[int], what: str) -> Iterator[str]:
        if options:
            who = join_names([names[i] for i in options])
            yield f"{who} {one if len(options) == 1 else several} {what}"

    left = list(list_open(c, goal))
    told = list(tell())
    if left:
        told.append(
            f"{format_count(len(left), 'option')} {'is' if len(left) == 1 else 'are'} not decided yet: {join_names([names[i] for i in left])}"
        )
    return "; ".join(told)


def _state_tiers(c: BaseCertificate, sure: str, several: str) -> str:
    tiers, names = cut_by_certificate(c), quote_names(c.labels)
    number = max(tiers.values())
    if number == 1:
        return f"no tiers are {sure} apart{_scope(c)} yet"
    shown = [
        join_names([names[i] for i in sorted(tiers) if tiers[i] == tier])
        for tier in range(1, number + 1)
    ]
    more = "" if number <= _LISTED else "; ..."
    return f"{number} tiers {several} apart{_scope(c)}: {'; '.join(shown[:_LISTED])}{more}"


_LISTED = 8  # tiers in a sentence


def _scope(c: BaseCertificate) -> str:
    return "" if c.active is None else f" among the {len(c.active)} active options"
