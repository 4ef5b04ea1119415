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
    claim = f"{top} {several} the top {goal.number}{_scope(c)}"
    if len(c.top) > others:
        return f"{claim}: no other option is left"
    if c.margin:
        return (
            f"{claim} up to a margin of {c.margin:g}: each beats, or ties within the margin, at least as many as "
            "any other option beats by more than the margin"
        )
    least = min(c.scores[i][0] for i in c.top)
    return f"{claim}: each beats at least {least} of the {others} others, and no other option beats more than any of these"


def _state_baseline(c: BaseCertificate, goal: Goal, one: str, several: str) -> str:
    base, names = quote_name(goal.name), quote_names(c.labels)
    if goal.baseline(c.labels) not in c.among:
        return f"nothing is said, because {base} is not active"

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
    if number == 1 and c.decided:
        return f"all options{_scope(c)} are one tier, and no pair is left that could split it"
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


IN, OPEN, OUT = "in", "open", "out"  # where an option stands by a goal


def place_option(c: BaseCertificate, option: int) -> tuple[str, str]:
    """Return where an option stands by the goal, in a word and in a few."""
    goal = Goal.parse(c.goal)
    base = quote_name(goal.name)
    if goal.kind == TOP:
        if option in c.top:
            return IN, f"top {goal.number}"
        out = bool(c.top) or option not in list_contenders(c, goal.number)
        return (OUT, f"not in the top {goal.number}") if out else (OPEN, "not ruled out")
    if goal.kind == ABOVE:
        told = {IN: (c.above, f"better than {base}"), OUT: (c.below, f"worse than {base}")}
        for where, (options, words) in told.items():
            if option in options:
                return where, words
        if option == goal.baseline(c.labels):
            return OPEN, "the baseline"
        return OPEN, f"even with {base}" if option in c.even else "not decided"
    tiers = cut_by_certificate(c)
    number = tiers.get(option, 1)
    where = IN if number == 1 and max(tiers.values()) > 1 else OPEN if number == 1 else OUT
    return where, f"tier {number}"


def count_goal(c: BaseCertificate) -> dict[str, str]:
    """Return how far the goal is reached, in a few numbers."""
    goal = Goal.parse(c.goal)
    if goal.kind == TOP:
        left = goal.number if c.top else len(list_contenders(c, goal.number))
        return {"may be in the top": f"{left:,}", f"proved top {goal.number}": f"{len(c.top):,}"}
    if goal.kind == ABOVE:
        left = len(list(list_open(c, goal)))
        return {
            "better": f"{len(c.above):,}",
            "worse": f"{len(c.below):,}",
            "not decided": f"{left:,}",
        }
    return {"tiers": f"{max(cut_by_certificate(c).values()):,}"}


def share_of_goal(c: BaseCertificate) -> float:
    """Return how far the goal is reached, from 0 to 1: the options, or the pairs of tiers, that are decided."""
    goal, k = Goal.parse(c.goal), len(c.among)
    if c.decided:
        return 1.0
    if goal.kind == TOP:
        return (k - len(list_contenders(c, goal.number))) / (k - goal.number)
    if goal.kind == ABOVE:
        return 1 - len(list(list_open(c, goal))) / max(k - 1, 1)
    return (len(c.beats) + len(c.ties)) / (k * (k - 1) / 2)
