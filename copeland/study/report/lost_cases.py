"""Test cases that an option lost, with both answers and what the judge said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from copeland.study.log.events import LEFT, RIGHT
from copeland.study.log.sides import reason_in
from copeland.study.options import name_of
from copeland.study.report.study_page import Part
from copeland.study.results.analysis import Analysis
from copeland.study.results.standing import Standing
from copeland.study.votes import Vote
from copeland.support.goal import Goal
from copeland.support.phrasing import quote_name, shorten

OTHERS = 3  # options whose losses are told
CASES = 10  # of each
LETTERS = 300  # of a text


def find_lost_cases(votes: Iterable[Vote], loser: str, winner: str) -> list[Vote]:
    """Return the votes that count in which a case was lost to another option."""
    return [
        vote
        for vote in votes
        if vote.counted
        and not vote.undone
        and (vote.outcome, vote.left, vote.right) in ((LEFT, winner, loser), (RIGHT, loser, winner))
    ]


def tabulate_lost_cases(
    standing: Standing,
    votes: Callable[[], Sequence[Vote]],
    items: Iterable[Any] | None = None,
) -> tuple[Part, ...]:
    """Return a table for each option that lost cases which matter: to the baseline, to the leader, or of two to the other.

    ``items`` are the test cases with their texts and answers, which a log does not have.
    """
    if not standing.votes or standing.settings.cases == 1:
        return ()
    known, given = {name_of(item): item for item in items or ()}, votes()
    parts = (
        _tabulate(find_lost_cases(given, *pair), *pair, known) for pair in _list_pairs(standing)
    )
    return tuple(part for part in parts if part.rows)


def _list_pairs(standing: Standing) -> Iterator[tuple[str, str]]:
    """Yield losers with those whom they lost to."""
    names = [standing.labels[i] for i in Analysis(standing).order]
    goal = Goal.parse(standing.settings.goal)
    first = goal.name or names[0]
    others = [name for name in names if name != first]
    yield from ((other, first) for other in islice(others, OTHERS))
    if len(others) == 1:
        yield first, others[0]


def _tabulate(lost: Sequence[Vote], loser: str, winner: str, items: dict[str, Any]) -> Part:
    columns = ["case", *(["input", loser, winner] if items else []), "on the left", "the judge"]
    rows = []
    for vote in lost[:CASES]:
        item = items.get(vote.item or "")
        answers = getattr(item, "answers", None) or {}
        texts = (getattr(item, "text", item), answers.get(loser), answers.get(winner))
        reason = reason_in(vote.source)
        said = f"{vote.voter}: {reason}" if reason else vote.voter
        cells = (vote.item, *(texts if items else ()), vote.left, said)
        rows.append([shorten(cell or "", LETTERS) for cell in cells])
    count = f"{len(rows)} of {len(lost):,}" if len(rows) < len(lost) else f"{len(lost)}"
    title = f"Lost by {quote_name(loser)} to {quote_name(winner)}: {count}"
    return Part(columns=columns, rows=rows, title=title)
