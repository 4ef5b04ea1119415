"""Habits of a judge that say nothing about the answers: it follows the sides, or hardly ever names an answer.

Each side is drawn, so a judge that reads the answers names the left one in half of the calls, whichever option is better.
A judge whom the side decides more than half of the time names one side in more than three quarters of the calls, and
changes its answer in more than half of the cases when the sides are swapped. Both shares are held against an exact
lower bound, so few answers convict nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from copeland.study.log.events import LEFT, RIGHT
from copeland.support.judge_statistics import SideCounts, is_share_above
from copeland.support.phrasing import format_count, quote_name

FEWEST_CALLS, NAMED = 14, 0.75  # calls that named a side, and the share of one side
FEWEST_CASES, CHANGED = 10, 0.5  # cases asked in both orders, and the share that changed
FEW, FEWEST = 0.05, 20  # a judge is warned of that names an answer in so small a share of so many
TRY_WORSE = "Try it on answers that are plainly worse."


def find_side_habit(judge: str, sides: SideCounts, unit: str = "case") -> str:
    """Return that a judge follows the sides, in a sentence; empty if that is not proved. ``unit``: what was asked in both orders."""
    head = f"The judge {quote_name(judge)} follows the side, not the answer:"
    if sides.both >= FEWEST_CASES and is_share_above(CHANGED, sides.flips, sides.both):
        cases = format_count(sides.both, unit)
        return (
            f"{head} with the sides swapped, it changed its answer in {sides.flips:,} of {cases}."
        )
    named = sides.left + sides.right
    more, side = max((sides.left, "left"), (sides.right, "right"))
    if named >= FEWEST_CALLS and is_share_above(NAMED, more, named):
        return f"{head} it named the {side} answer in {more:,} of {format_count(named, 'call')}."
    return ""


def list_habits(said: Mapping[str, Sequence[tuple[str, bool | None]]]) -> Iterator[str]:
    """Yield the habits of judges, by what each said: outcomes, and whether the swapped sides changed them, None if that was not asked."""
    for judge, answers in said.items():
        once = [outcome for outcome, flipped in answers if flipped is None]
        twice = [flipped for _, flipped in answers if flipped is not None]
        yield find_side_habit(
            judge, SideCounts(once.count(LEFT), once.count(RIGHT), len(twice), sum(twice))
        )
        named = sum(outcome in (LEFT, RIGHT) or bool(flipped) for outcome, flipped in answers)
        yield warn_of_ties(named, len(answers), f" {quote_name(judge)}")


def warn_of_ties(named: int, answers: int, judge: str = "") -> str:
    """Return a warning of a judge that names an answer hardly ever; empty if it does, or said too little to tell."""
    if answers < FEWEST or named > FEW * answers:
        return ""
    return f"The judge{judge} named an answer in {named:,} of {answers:,} calls: it may miss differences. {TRY_WORSE}"
