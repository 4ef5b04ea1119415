"""Votes of people and of judges on the same cases, from a table with a column for each, a table with a voter in each row, or a study.

A *case* is a question with two answers: an item and a pair of options. Where votes name no item, the pair itself is the case.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter, InvalidRow, UnknownName, nearest
from copeland.formats import read_votes
from copeland.formats.answers import split_tags
from copeland.study import Study
from copeland.study.log.sides import ONCE, TWICE
from copeland.study.log.state import Vote
from copeland.study.votes import rows_of_table
from copeland.support.phrasing import format_count, join_names
from copeland.support.row_files import Table, column_name, table_of
from copeland.support.timestamps import seconds_since_1970
from copeland.support.vote_tables import (
    ColumnLayout,
    VoteRow,
    blank,
    find_layout,
    name_items,
    read_rows,
    text_in,
)

TAGS = ("tags", "tag")
PEOPLE = "people"  # their name, beside those of judges

_SCORES = {"left": 1.0, "right": 0.0, "tie": 0.5, "both_bad": 0.5}


class CastVote(NamedTuple):
    """What one person or judge said of one case."""

    voter: str | None
    item: str | None
    left: str
    right: str
    score: float  # of the left one: 1, 1/2 for a tie, or 0
    has_sides: bool = True  # whether left is where it was shown first
    time: float | None = None
    lengths: tuple[float, float] | None = None
    tags: tuple[str, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        """The options in the order of their names."""
        return (self.left, self.right) if self.left < self.right else (self.right, self.left)

    @property
    def case(self) -> tuple[str | None, str, str]:
        """What was judged."""
        return (self.item, *self.pair)

    @property
    def first_score(self) -> float:
        """The score of the first one by name."""
        return self.score if self.left < self.right else 1 - self.score


class Comparison(NamedTuple):
    """A vote of a person, and what the judge said of the same case, as the score of the first option by name."""

    vote: CastVote
    verdict: float


@dataclass(frozen=True)
class JudgedCases:
    """All votes of people, all verdicts of each judge, and the votes of people on cases that the judge answered."""

    people: Sequence[CastVote]
    verdicts: Mapping[str, Sequence[CastVote]]
    matched: Mapping[str, Sequence[Comparison]]
    asked_twice: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    # of each judge that a study asked with the sides both ways: on how many ballots, and how many flipped


class Columns(NamedTuple):
    """Columns of a table that hold more than votes; None where the usual names are taken, if they are there."""

    lengths: tuple[str, str] | None = None  # numbers: of the left answer, and of the right one
    texts: tuple[str, str] | None = None  # or the answers themselves
    tags: str | None = None


def read_cases(
    votes: Any,
    people: str | None,
    judges: Sequence[str],
    columns: Mapping[str, str] | None = None,
    more: Columns | None = None,
    format: str | None = None,
) -> JudgedCases:
    """Return the votes of people and judges of a file, a table or a study, matched by case."""
    if isinstance(votes, Study):
        return match_votes(*_split_study(votes, judges))
    table, layout = _open_table(votes, people, judges, columns, format)
    table = table._replace(rows=list(table.rows))
    reader = _Reader(table, layout, more or Columns())
    if people is not None:
        return _read_wide(table, layout, judges, reader)
    return match_votes(*_split_voters(table, layout, judges, reader))


def _open_table(
    votes: Any,
    people: str | None,
    judges: Sequence[str],
    columns: Mapping[str, str] | None,
    format: str | None,
) -> tuple[Table, ColumnLayout]:
    named = dict(columns or {})
    if people is not None:
        named["outcome"] = people
    if isinstance(votes, str | os.PathLike):
        table, layout = read_votes(Path(votes), format, named or None)
    else:
        table = table_of(rows_of_table(votes), "the votes")
        if not table.columns:
            raise InvalidRow("there are no votes; give rows with the options and who won.")
        layout = find_layout(table, named or None)
    if layout.wins not in (None, "times"):
        raise InvalidRow(
            f"{table.where}: the column '{layout.wins}' holds counts, and an audit compares single votes; give a row for each vote."
        )
    taken = {column_name(judge) for judge in judges} if people is not None else set[str]()
    if layout.voter in taken:  # LMArena calls people's names "judge"
        layout = layout._replace(voter=None)
    return table, name_items(layout, table.columns)


@dataclass
class _Reader:
    """What a row says besides its outcome."""

    table: Table
    layout: ColumnLayout
    more: Columns

    def __post_init__(self) -> None:
        tags = self.more.tags
        self.tags = next((one for one in TAGS if one in self.table.columns), None)
        if tags is not None:
            self.tags = self.table.require(tags, " (--tags)")
        self.measure: Callable[[str], float] = float
        pair = self.more.lengths
        if self.more.texts is not None:
            pair, self.measure = self.more.texts, len
        self.lengths = None if pair is None else [self.table.require(one) for one in pair]

    def read(self, row: VoteRow, voter: str | None) -> CastVote:
        time = row.row.get(self.layout.time or "")
        return CastVote(
            voter,
            text_in(row.row, self.layout.item),
            row.left,
            row.right,
            _SCORES[row.outcome],
            self.layout.has_sides,
            None if self.layout.time is None or blank(time) else seconds_since_1970(time),
            self._lengths(row),
            split_tags(row.row.get(self.tags)) if self.tags else (),
        )

    def _lengths(self, row: VoteRow) -> tuple[float, float] | None:
        if self.lengths is None or any(blank(row.row.get(one)) for one in self.lengths):
            return None
        try:
            left, right = (self.measure(str(row.row[one])) for one in self.lengths)
        except ValueError:
            raise InvalidRow(
                f"{row.where}: {join_names(self.lengths)} are not both numbers; if they are the answers themselves, name them as texts."
            ) from None
        return left, right


def _read_wide(
    table: Table, layout: ColumnLayout, judges: Sequence[str], reader: _Reader
) -> JudgedCases:
    """Read a table with a column for people and one for each judge."""
    if not judges:
        raise InvalidParameter(
            "name the column of at least one judge: --judge COLUMN, or judges=[...]."
        )
    wheres = {where: text_in(row, layout.voter) for where, row in table.rows}
    by_people = _read_column(table, layout, layout.outcome or "", reader, wheres)
    verdicts, matched = {}, {}
    for judge in judges:
        column = _require_judge(table, judge)
        said = _read_column(table, layout, column, reader, dict.fromkeys(wheres, judge))
        verdicts[judge] = list(said.values())
        both = [(by_people[where], vote) for where, vote in said.items() if where in by_people]
        matched[judge] = [Comparison(person, vote.first_score) for person, vote in both]
    return JudgedCases(list(by_people.values()), verdicts, matched)


def _require_judge(table: Table, judge: str) -> str:
    name = column_name(judge)
    if name not in table.columns:
        known = nearest(name, table.short_names)
        raise UnknownName(f"there is no column '{judge}' to be a judge; {known}")
    return table.require(judge)


def _read_column(
    table: Table,
    layout: ColumnLayout,
    column: str,
    reader: _Reader,
    voters: Mapping[str, str | None],
) -> dict[str, CastVote]:
    """What one column says in each row that it says something in, by where the row stands."""
    told = [(where, row) for where, row in table.rows if not blank(row.get(column))]
    rows = read_rows(table._replace(rows=told), layout._replace(outcome=column))
    # A row without an item is a case of its own.
    cast = ((row.where, reader.read(row, voters[row.where])) for row in rows if row.counts)
    return {
        where: vote if vote.item is not None else vote._replace(item=where) for where, vote in cast
    }


def _split_voters(
    table: Table, layout: ColumnLayout, judges: Sequence[str], reader: _Reader
) -> tuple[list[CastVote], dict[str, list[CastVote]]]:
    """Read a table with a voter in each row."""
    if layout.voter is None:
        known = join_names(table.short_names)
        raise InvalidRow(
            f"{table.where}: no column says who voted; the columns are {known}. Name it with --voter, or name the column of people's "
            "outcomes with --people and give each judge a column."
        )
    votes = [
        reader.read(row, text_in(row.row, layout.voter))
        for row in read_rows(table, layout)
        if row.counts
        for _ in range(row.times)
    ]
    return _part(votes, judges, table.columns)


def _part(
    votes: Iterable[CastVote], judges: Sequence[str], columns: Sequence[str] = ()
) -> tuple[list[CastVote], dict[str, list[CastVote]]]:
    """The votes of people, and those of each judge."""
    if not judges:
        raise InvalidParameter(
            "name at least one judge among the voters: --judge NAME, or judges=[...]."
        )
    said: dict[str, list[CastVote]] = {judge: [] for judge in judges}
    people, voters = [], set[str]()
    for vote in votes:
        if vote.voter is not None:
            voters.add(vote.voter)
        said.get(vote.voter or "", people).append(vote)
    for judge in judges:
        if not said[judge]:
            raise UnknownName(_unknown_voter(judge, voters, columns))
    return people, said


def _unknown_voter(judge: str, voters: set[str], columns: Sequence[str]) -> str:
    if column_name(judge) in columns:
        return f"there is no voter '{judge}', but a column of that name; name the column of people's outcomes with --people as well."
    return f"there is no voter '{judge}' with a vote; {nearest(judge, list(voters))}"


def _split_study(
    study: Study, judges: Sequence[str]
) -> tuple[list[CastVote], dict[str, list[CastVote]], dict[str, tuple[int, int]]]:
    """The votes of a study; its judges are whoever ``copeland study judge`` let vote, unless they are named."""
    votes = [one for one in study.votes() if not one.undone and one.outcome in _SCORES]
    if not judges:
        own = [one for one in votes if (one.source or "").split(":")[0] in (ONCE, TWICE)]
        judges = sorted({one.voter for one in own if one.voter})
        if not judges:
            raise InvalidParameter(
                f"no judge has voted in the study '{study.name}'; name the voters that are judges with --judge."
            )
    people, said = _part((vote for one in votes for vote in _read_study_vote(one)), judges)
    swaps = study.standing(voters=False).swaps
    asked = {name: (s.confirmed, s.flips) for name, s in swaps.items() if name in said}
    return people, said, asked


def _read_study_vote(vote: Vote) -> Iterable[CastVote]:
    sides = vote.times == 1 and not (vote.source or "").startswith(TWICE)
    cast = CastVote(
        vote.voter, vote.item, vote.left, vote.right, _SCORES[vote.outcome], sides, vote.time
    )
    return [cast] * vote.times


def match_votes(
    people: Sequence[CastVote],
    verdicts: Mapping[str, Sequence[CastVote]],
    asked_twice: Mapping[str, tuple[int, int]] | None = None,
) -> JudgedCases:
    """Return votes of people with what each judge said of the same case; if it said two things, that is a tie."""
    matched = {}
    for judge, votes in verdicts.items():
        said = settle_verdicts(votes)
        matched[judge] = [Comparison(v, said[v.case]) for v in people if v.case in said]
    return JudgedCases(people, verdicts, matched, asked_twice or {})


def tag_cases(cases: JudgedCases, tags: Mapping[str, Sequence[str]]) -> JudgedCases:
    """Return the same cases, with the tags of each item."""
    matched = {
        judge: [
            one._replace(vote=one.vote._replace(tags=tuple(tags.get(one.vote.item or "", ()))))
            for one in found
        ]
        for judge, found in cases.matched.items()
    }
    return replace(cases, matched=matched)


def settle_verdicts(votes: Iterable[CastVote]) -> dict[tuple[str | None, str, str], float]:
    """Return what a judge says of each case: what it always said, else a tie, as the score of the first option by name."""
    said: defaultdict[tuple[str | None, str, str], set[float]] = defaultdict(set)
    for vote in votes:
        said[vote.case].add(vote.first_score)
    return {case: scores.pop() if len(scores) == 1 else 0.5 for case, scores in said.items()}


def require_matches(cases: JudgedCases) -> None:
    """Refuse a judge that has no case in common with people."""
    for judge, matched in cases.matched.items():
        if not matched:
            own = format_count(len({vote.case for vote in cases.verdicts[judge]}), "case")
            others = format_count(len({vote.case for vote in cases.people}), "case")
            raise InvalidParameter(
                f"people and the judge '{judge}' have no case in common: people voted on {others}, {judge} on {own}. "
                "A case is the same pair of options on the same item."
            )
