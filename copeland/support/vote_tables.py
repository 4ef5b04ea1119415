"""Tables of votes: which columns say what, the votes in each row, and counts of who won how often.

======================================  ==============================================================
columns                                 what a row says
======================================  ==============================================================
left, right, outcome                    one vote, as studies export them; with ``count``, so many
model_a, model_b, winner                the same, as LMArena writes it
winner, loser                           one vote; with ``wins``, ``count`` or ``n``, so many
i, j, wins                              so many wins of i over j; also ``left, right`` and ``count``, ``n``
======================================  ==============================================================

Studies export counts in a column ``times``. A column ``ties`` beside counts of wins holds counts of ties. An outcome
is ``left``, ``right``, the name of the winner or that of its column, ``tie`` or ``both_bad``, which is a tie too;
``skip`` and ``error`` are no votes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import InvalidParameter, InvalidRow, InvalidVote, nearest
from copeland.support.arrays import Floats
from copeland.support.phrasing import join_names
from copeland.support.row_files import Table, column_name

OUTCOMES = ("left", "right", "tie", "both_bad", "skip", "error")
ROLES = ("left", "right", "outcome", "voter", "item", "time", "event_id")
LONGEST = 4_000  # characters of the name of an option
LARGEST = 10**15  # of a count; any sum of a few of them is exact in floating point

QUESTIONS = ("item", "question_id", "question", "prompt")  # the first that a table has is its items

_SIDES = (("left", "right"), ("model_a", "model_b"), ("i", "j"))
_WON = ("winner", "loser")
_COUNTS = ("wins", "count", "n")
_TIES = ("tie", "both_bad")
_BOTH_BAD = ("tie_(bothbad)", "bothbad")  # as LMArena writes it
_NO = ("false", "0", "no")
_ELSEWHERE = {"voter": "judge", "time": "tstamp"}  # LMArena's names


class Tally(NamedTuple):
    """Counts of the votes on each pair of options, in the order in which options are first named."""

    wins: Floats
    ties: Floats
    labels: list[str]


class ColumnLayout(NamedTuple):
    """Which columns of a table say what; None where there is none."""

    left: str
    right: str
    outcome: str | None  # None: the left one won
    wins: str | None = None  # how many such votes
    ties: str | None = None
    voter: str | None = None
    item: str | None = None
    time: str | None = None
    event_id: str | None = None
    sides: bool = True  # False: left and right are not where the options were shown
    order: bool = True  # False: the rows are in no order of time

    @property
    def has_sides(self) -> bool:
        """Whether a row says on which side the winner was shown, not only who won."""
        return self.sides and self.outcome is not None

    @property
    def has_order(self) -> bool:
        """Whether a row is a vote that came before or after others, not a count of many."""
        return (self.order and self.wins is None) or self.time is not None


def name_items(layout: ColumnLayout, columns: Sequence[str]) -> ColumnLayout:
    """Return a layout that says which column has the items, if one has the name of that."""
    if layout.item is not None:
        return layout
    return layout._replace(item=next((one for one in QUESTIONS if one in columns), None))


class VoteRow(NamedTuple):
    """What a row says of a pair, and how many times."""

    where: str
    left: str
    right: str
    outcome: str
    times: int
    row: Mapping[str, Any]

    @property
    def is_undone(self) -> bool:
        """Whether the row says that it was undone."""
        value = self.row.get("undone")
        return not blank(value) and str(value).strip().lower() not in _NO

    @property
    def counts(self) -> bool:
        """Whether the row is a vote, and does not say that it counts no more."""
        told = str(self.row.get("counted", "")).strip().lower()
        return told not in _NO and not self.is_undone and self.outcome in ("left", "right", *_TIES)


def outcome_word(said: str) -> str:
    """Return an outcome as it is kept, however it was spelled."""
    return said.strip().lower().replace(" ", "_").replace("-", "_")


def outcome_of(said: Any, left: str, right: str, names: Container[str] = ()) -> str:
    """Return the outcome that was said, also if it was said by the name of the winner.

    ``names`` are those of all options.
    """
    if said == left:
        return "left"
    if said == right:
        return "right"
    word = outcome_word(str(said))
    if word in OUTCOMES:
        return word
    if str(said) in names:
        raise InvalidVote(f"'{said}' is not on the ballot, which is of '{left}' and '{right}'.")
    raise InvalidVote(f"'{said}' is not an outcome; {nearest(word, OUTCOMES)}")


def is_votes(columns: Sequence[str]) -> bool:
    """Tell whether a first line names the columns of a table of votes."""
    return _main_columns([column_name(name) for name in columns], {}) is not None


def find_layout(table: Table, named: Mapping[str, str] | None = None) -> ColumnLayout:
    """Return which columns of a table say what; ``named`` says it where their names do not.

    Its keys are those of :data:`ROLES`.
    """
    for role in named or {}:
        if role not in ROLES:
            raise InvalidParameter(f"there is no column role '{role}'; {nearest(role, ROLES)}")
    given = {
        role: table.require(name, f" (--{'id' if role == 'event_id' else role})")
        for role, name in (named or {}).items()
    }
    found = _main_columns(table.columns, given)
    if found is None:
        raise InvalidRow(_unknown(table, given))
    form = found._replace(**_other_columns(table.columns, given))
    for column in form:
        if isinstance(column, str):
            table.require(column)  # once
    return form


def _main_columns(columns: Sequence[str], given: Mapping[str, str]) -> ColumnLayout | None:
    """The columns of pairs, outcomes and counts: as given, or by their names."""
    left, right, outcome = (_sides(columns, given)[role] for role in ("left", "right", "outcome"))
    named = bool({"left", "right", "outcome"} & set(given))
    pair_won = set(_WON) <= set(columns) and not named
    if left and right and outcome and not (pair_won and "outcome" not in columns):
        return ColumnLayout(left, right, outcome, _times_column(columns))
    wins = next((name for name in _COUNTS if name in columns), None)
    ties = "ties" if wins and "ties" in columns else None
    if pair_won:
        return ColumnLayout(*_WON, None, wins, ties)
    return ColumnLayout(left, right, None, wins, ties) if left and right and wins else None


def _times_column(columns: Sequence[str]) -> str | None:
    """The column that says how many votes with an outcome a row stands for; studies, which write ids, call it ``times``."""
    if "count" in columns:
        return "count"
    return "times" if {"times", "event_id"} <= set(columns) else None


def _sides(columns: Sequence[str], given: Mapping[str, str]) -> dict[str, str | None]:
    """The columns of the two options and of the outcome, None where there is none."""
    left, right = next((pair for pair in _SIDES if set(pair) <= set(columns)), (None, None))
    outcome = next((name for name in ("outcome", "winner") if name in columns), None)
    return {"left": left, "right": right, "outcome": outcome} | dict(given)


def _other_columns(columns: Sequence[str], given: Mapping[str, str]) -> dict[str, str | None]:
    """The columns of what else is known of a vote."""
    known = {role: (role, _ELSEWHERE.get(role)) for role in ROLES[3:]}
    return {
        role: given.get(role) or next((name for name in names if name in columns), None)
        for role, names in known.items()
    }


def _unknown(table: Table, given: Mapping[str, str]) -> str:
    missing = _find_missing(table.columns, _sides(table.columns, given))
    return (
        f"{table.where}: there is no column '{missing}'; the columns are "
        f"{join_names(table.short_names)}. Name those of the votes with --left, "
        "--right and --outcome."
    )


def _find_missing(columns: Sequence[str], found: Mapping[str, str | None]) -> str:
    """The column that a table of votes would need first; if it has one of two sides, the other."""
    for pair in _SIDES[:2]:
        there = [name for name in pair if name in columns]
        if len(there) == 1 and not (found["left"] and found["right"]):
            return pair[1 - pair.index(there[0])]
    return next(role for role in ("left", "right", "outcome") if not found[role])


def read_rows(table: Table, form: ColumnLayout, names: Container[str] = ()) -> Iterator[VoteRow]:
    """Yield what each row of a table says; refuse a row that is damaged.

    Spaces around the name of an option are left out, unless it is among ``names`` with them.
    """
    for where, row in table.rows:
        try:
            yield from _read_row(where, row, form, names)
        except (InvalidRow, InvalidVote) as error:
            raise InvalidRow(f"{where}: {error}") from error


def _read_row(
    where: str, row: Mapping[str, Any], form: ColumnLayout, names: Container[str]
) -> Iterator[VoteRow]:
    left, right = (_name(row, column, names) for column in (form.left, form.right))
    if left == right:
        raise InvalidRow(f"'{left}' is on both sides.")
    outcome = "left" if form.outcome is None else _outcome(row, form, left, right, names)
    times = 1 if form.wins is None else _count(row, form.wins)
    yield VoteRow(where, left, right, outcome, times, row)
    if form.ties is not None and not blank(row.get(form.ties)):
        yield VoteRow(where, left, right, "tie", _count(row, form.ties), row)


def _name(row: Mapping[str, Any], column: str, names: Container[str]) -> str:
    name = text_in(row, column)
    if name is None or not name.strip():
        raise InvalidRow(f"it has no {column}.")
    if len(name) > LONGEST:
        raise InvalidRow(f"its {column} has {len(name):,} characters, too many for a name.")
    return name if name in names else name.strip()


def _outcome(
    row: Mapping[str, Any], form: ColumnLayout, left: str, right: str, names: Container[str]
) -> str:
    assert form.outcome is not None
    said = _name(row, form.outcome, (left, right))
    if said in (left, right):
        return outcome_of(said, left, right)
    if said.lower() in (form.left, form.right):
        return "left" if said.lower() == form.left else "right"
    return "both_bad" if outcome_word(said) in _BOTH_BAD else outcome_of(said, left, right, names)


def _count(row: Mapping[str, Any], column: str) -> int:
    """A count as spreadsheets write it: 3, or 3.0."""
    text = (text_in(row, column) or "").strip()
    whole = re.fullmatch(r"0*([0-9]+?)(\.0*)?", text)
    if whole is None:
        raise InvalidRow(f"{column} is '{text[:40]}'; a count is a whole number, 0 or more.")
    if len(whole[1]) > len(str(LARGEST)) or int(whole[1]) > LARGEST:
        raise InvalidRow(f"{column} is {text[:40]}; a count may be at most {LARGEST:,}.")
    return int(whole[1])


def text_in(row: Mapping[str, Any], column: str | None) -> str | None:
    """Return what a row has in a column, as text; None if it has nothing."""
    value = None if column is None else row.get(column)
    if isinstance(value, dict | list):
        raise InvalidRow(f"its {column} is not text but a {type(value).__name__}.")
    return None if blank(value) else str(value)


def blank(value: Any) -> bool:
    """Tell whether a value is none: empty text, or a gap of a data frame."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value is None or (isinstance(value, str) and value == "") or bool(value != value)


def count_votes(said: Iterable[VoteRow]) -> Tally:
    """Return counts of the votes that count."""
    votes: Counter[tuple[str, str, str]] = Counter()
    options: dict[str, int] = {}
    for one in said:
        for name in (one.left, one.right):
            options.setdefault(name, len(options))
        if one.counts:
            votes[one.left, one.right, one.outcome] += one.times
    k = len(options)
    won, tied = np.zeros((k, k)), np.zeros((k, k))
    for (left, right, outcome), times in votes.items():
        i, j = options[left], options[right]
        if outcome in _TIES:
            tied[[i, j], [j, i]] += times
        else:
            won[(i, j) if outcome == "left" else (j, i)] += times
    return Tally(won, tied, list(options))
