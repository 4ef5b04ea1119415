"""Votes from elsewhere and votes to take away: rows, data frames, CSV files."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from copeland.errors import InvalidParameter, InvalidRow, nearest, need
from copeland.formats import read_votes
from copeland.study.log.events import check_text, new_event_id
from copeland.study.log.state import Vote
from copeland.support.atomic_files import whole_file
from copeland.support.escaping import cell
from copeland.support.phrasing import format_count
from copeland.support.row_files import rows_of_table, table_of
from copeland.support.timestamps import seconds_since_1970
from copeland.support.vote_tables import (
    ColumnLayout,
    VoteRow,
    blank,
    find_layout,
    read_rows,
    text_in,
)

MOST_COUNTED = 1_000_000  # votes that the counts of one file may stand for: some studies keep each


class ImportedVote(NamedTuple):
    """A vote from elsewhere, or many that say the same, checked: options are indices."""

    event_id: str
    voter: str | None
    left: int
    right: int
    outcome: str
    time: float | None
    item: str | None
    sides: bool = True  # whether left and right are where the options were shown
    order: bool = True  # whether it came before or after others, not as a part of a count
    times: int = 1  # how many votes
    content: tuple[Any, ...] | None = None  # of which ids are made; None: of the first id
    again: bool = False  # whether it takes the place of votes that were undone

    @property
    def marks(self) -> dict[str, Any]:
        """What the log says of its sides and its order, and of how many votes it stands for."""
        order = {} if self.order else {"order": False}
        return {"sides": self.sides} | order | ({"times": self.times} if self.times > 1 else {})

    def nth_id(self, n: int) -> str:
        """Return the id of one of its votes; the first has number 1."""
        if n == 1:
            return self.event_id
        return f"{self.event_id}/{n}" if self.content is None else _import_id(self.content, n)

    def part(self, first: int, times: int) -> ImportedVote:
        """Return some of its votes, from one on."""
        return self._replace(event_id=self.nth_id(first), times=times, content=None)


class Imported(int):
    """How many new votes came in, and what became of all rows: it is that number, and says the rest."""

    counted: int  # of the new ones
    repeats: int  # left out: only a voter's first vote on a pair counts
    skipped: int  # skips, errors, and both_bad where that is dropped
    known: int  # rows that were there already
    undone: int  # rows that are marked as undone, or whose vote was undone here
    extra: int  # new ones that prove nothing: their voters had been here before
    copy_of: str | None  # another source that all these votes came from before

    def __new__(
        cls,
        counted: int = 0,
        repeats: int = 0,
        skipped: int = 0,
        known: int = 0,
        undone: int = 0,
        extra: int = 0,
        copy_of: str | None = None,
    ) -> Imported:
        """Return the number of new votes."""
        self = super().__new__(cls, counted + repeats + skipped + extra)
        self.counted, self.repeats, self.skipped = counted, repeats, skipped
        self.known, self.undone, self.extra, self.copy_of = known, undone, extra, copy_of
        return self

    def also(self, undone: int) -> Imported:
        """Return the same, with more rows that are marked as undone."""
        return self._with(undone=self.undone + undone)

    def copied_from(self, source: str | None) -> Imported:
        """Return the same, with another source that all these votes came from before."""
        return self._with(copy_of=source)

    def _with(self, **changes: Any) -> Imported:
        return Imported(**{**vars(self), **changes})

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, and what this is a copy of, if it is one."""
        rows = self + self.known + self.undone
        said = {name: value for name, value in vars(self).items() if value is not None}
        return {"rows": rows, "imported": int(self), **said}

    @property
    def sentence(self) -> str:
        """All of it, in words."""
        fate = {
            "counted": self.counted,
            "left out as repeats of a voter's first vote": self.repeats,
            "skipped or failed": self.skipped,
            "that prove nothing, because their voters had voted before": self.extra,
        }
        fates = [f"{number:,} {what}" for what, number in fate.items() if number]
        why = f": {', '.join(fates)}" if self.counted < self else ""
        known = f" Already there: {self.known:,}." if self.known else ""
        undone = f" Undone: {self.undone:,}." if self.undone else ""
        copy = ""
        if self.copy_of is not None:
            copy = (
                f" Warning: the import '{self.copy_of}' has the same votes. If this is a copy of it, they now count "
                "twice."
            )
        return f"Added {format_count(self, 'new vote')}{why}.{known}{undone}{copy}"


class Incoming(NamedTuple):
    """Votes from elsewhere as they are told: a CSV or JSON file, a data frame or mappings."""

    said: list[VoteRow]
    form: ColumnLayout | None  # None: there is no row at all
    is_file: bool

    @property
    def names(self) -> list[str]:
        """The options, in the order in which they are first named."""
        return list(dict.fromkeys(name for one in self.said for name in (one.left, one.right)))


def incoming(
    votes: Any,
    columns: Mapping[str, str] | None = None,
    names: Container[str] = (),
    format: str | None = None,
) -> Incoming:
    """Return what a file, a data frame or mappings say; ``names`` are those of known options.

    ``columns`` says which columns of another form hold what: see :func:`copeland.support.vote_tables.find_layout`.
    ``format`` names that of a file: see :mod:`copeland.formats`.
    """
    if isinstance(votes, Incoming):
        return votes
    if isinstance(votes, str | Path):
        table, form = read_votes(Path(votes), format, columns)
        return Incoming(list(read_rows(table, form, names)), form, is_file=True)
    if format is not None:
        raise InvalidParameter(f"format is '{format}', but only files have one; leave it out.")
    table = table_of(rows_of_table(votes), "the rows")
    if not table.columns and not columns:
        return Incoming([], None, is_file=False)
    form = find_layout(table, columns)
    return Incoming(list(read_rows(table, form, names)), form, is_file=False)


def source_of(votes: Any, source: str | None) -> str | None:
    """Return where votes come from: as told, or the name of their file."""
    return Path(votes).name if source is None and isinstance(votes, str | Path) else source


def votes_from(
    told: Incoming, options: Mapping[str, int], source: str | None
) -> tuple[list[ImportedVote], int]:
    """Return the votes, all checked, and the number of those left out because they are marked as undone.

    ``options`` are the indices of the options by name. A row of counts stays one vote, of many times; in a file, so do
    several rows of counts that say the same.
    """
    found: list[ImportedVote] = []
    places: dict[tuple[Any, ...], int] = {}  # of counts, by what they say
    undone = more = 0
    seen: Counter[tuple[Any, ...]] = Counter()
    is_count = told.form is not None and told.form.wins is not None
    for one in told.said:
        more += one.times - 1
        if more > MOST_COUNTED:
            raise InvalidRow(
                f"{one.where}: the counts up to here are over {MOST_COUNTED:,} votes, the most of "
                "one import; use smaller counts, or several files."
            )
        vote = _check_row(one, told.form, options)
        if one.is_undone:
            undone += one.times
            continue
        if one.times == 0:
            continue
        vote = vote._replace(times=one.times)
        if vote.event_id or not told.is_file:
            found.append(vote._replace(event_id=vote.event_id or new_event_id()))
            continue
        content = (source, one.left, one.right, vote.outcome, vote.voter, vote.item, vote.time)
        if content in places:
            before = found[places[content]]
            found[places[content]] = before._replace(times=before.times + one.times)
            continue
        seen[content] += 1
        if is_count:
            places[content] = len(found)
            vote = vote._replace(content=content)
        found.append(vote._replace(event_id=_import_id(content, seen[content])))
    return found, undone


def _check_row(one: VoteRow, form: ColumnLayout | None, options: Mapping[str, int]) -> ImportedVote:
    """A vote whose id is what the row says, or empty."""
    assert form is not None
    for name in (one.left, one.right):
        if name not in options:
            raise InvalidRow(f"{one.where}: there is no option '{name}'; {nearest(name, options)}")
    try:
        texts = {role: _text(one.row, form, role) for role in ("event_id", "voter", "item")}
        check_text(**texts)
        time = one.row.get(form.time) if form.time else None
        seconds = None if blank(time) else seconds_since_1970(time)
    except (InvalidRow, InvalidParameter) as error:
        raise InvalidRow(f"{one.where}: {error}") from error
    left, right = options[one.left], options[one.right]
    shown = (texts["voter"], left, right, one.outcome, seconds, texts["item"])
    return ImportedVote(texts["event_id"] or "", *shown, form.has_sides, form.has_order)


def _text(row: Mapping[str, Any], form: ColumnLayout, role: str) -> str | None:
    """What a row says of its voter, item or id; what a study exported, with ids, is taken to the letter."""
    text = text_in(row, getattr(form, role))
    return text if text is None or form.event_id else text.strip() or None


def _import_id(content: tuple[Any, ...], number: int) -> str:
    """The id that a vote without one has whenever its file is read, so that a file that grew adds what is new.

    It is made of the source, of what the vote says, and of its number among those that say the same.
    """
    return f"import:{sha256(json.dumps([*content, number]).encode()).hexdigest()}"


def iso(seconds: float) -> str:
    """Return a time as ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def write_csv(votes: Iterable[Vote], path: Path) -> None:
    """Write votes as a CSV file that can be imported again, and that no spreadsheet runs."""
    with writable(path) as file:
        file.writelines(csv_lines(votes))


def csv_lines(votes: Iterable[Vote]) -> Iterator[str]:
    """Yield the lines of such a file."""
    votes = list(votes)
    columns = _columns(votes)
    yield _csv_line(columns)
    for vote in votes:
        values = vote._replace(time=iso(vote.time))[: len(columns)]
        yield _csv_line(cell(v) if isinstance(v, str) else v for v in values)


def _columns(votes: Iterable[Vote]) -> list[str]:
    """The columns of votes; the last, ``times``, is there only if some came as counts."""
    columns = list(Vote._fields)
    return columns if any(vote.times > 1 for vote in votes) else columns[:-1]


def _csv_line(values: Iterable[Any]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line).writerow(values)
    return line.getvalue()


@contextmanager
def writable(path: Path) -> Iterator[TextIO]:
    """Give a text file to write to, whole or not at all; refuse a path where there can be none."""
    try:
        with whole_file(path, private=True) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            yield text
            text.detach()  # writes what is left, and leaves the file open
    except OSError as error:
        raise InvalidParameter(f"{path} cannot be written: {error.strerror}.") from error


def frame_of(votes: Iterable[Vote]) -> Any:
    """Return votes as a data frame (extra: pandas)."""
    pandas = need("pandas", "pandas", "votes")
    votes = list(votes)
    frame = pandas.DataFrame(votes, columns=list(Vote._fields))[_columns(votes)]
    frame["ballot"] = frame["ballot"].astype("Int64")
    frame["time"] = pandas.to_datetime(frame["time"], unit="s", utc=True)
    return frame
