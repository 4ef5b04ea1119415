"""Formats of files: what each is recognised by, how its records become votes, and how votes are written in it.

Some formats hold no votes but the answers that options gave to test cases: :mod:`copeland.formats.answers` reads
these. A format is a :class:`Format` that its own file in this package registers, or that an installed package names
among its entry points ``copeland.formats``. A plain table of votes (:mod:`copeland.support.vote_tables`) needs none.
"""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from copeland.errors import InvalidParameter, InvalidRow, InvalidVote, UnknownName, nearest
from copeland.formats.answer_cases import AnswerFile
from copeland.support.phrasing import join_names
from copeland.support.row_files import (
    JSON_LINES,
    Row,
    Table,
    column_name,
    file_type,
    read_table,
    table_of,
)
from copeland.support.vote_tables import ColumnLayout, Tally, count_votes, find_layout, read_rows

GROUP = "copeland.formats"  # the entry points by which an installed package names its formats

Record = Mapping[str, Any]

__all__ = [
    "Format",
    "count_file",
    "find_format",
    "formats",
    "has_vote_columns",
    "read_votes",
    "register_format",
    "vote_suffixes",
    "write_votes",
]


@dataclass(frozen=True)
class Format:
    """How files of one kind hold votes, or the answers that options gave to test cases.

    ``convert(record)`` yields the votes of one record, by the names of :data:`~copeland.support.vote_tables.ROLES`; what
    else the record has stays in the row. ``write(votes, texts, path)`` returns the content for a file, from all votes as studies
    export them and from the text of each option. ``answers(path)`` returns the cases of a file of answers, of which ``read`` is None.

    Examples
    --------
    >>> found = find_format("alpaca-eval")
    >>> found.columns
    ('generator_1', 'generator_2', 'preference')
    """

    name: str
    summary: str
    columns: tuple[str, ...] = ()  # what every record has: by these it is recognised
    suffixes: tuple[str, ...] = ()  # what only its files end in
    keys: tuple[str, ...] = ()  # what a .json file has that is one object, not a list of records
    read: Callable[[Path], Table] | None = read_table  # None: it holds no votes, or is only written
    convert: Callable[[Record], Iterable[Record]] | None = None  # None: records are votes already
    write: Callable[[Sequence[Record], Mapping[str, str], Path], bytes] | None = None
    sides: bool = True  # whether left and right are where the options were shown
    order: bool = True  # whether votes come one after the other in time
    answers: Callable[[Path], AnswerFile] | None = None  # None: it holds no answers to test cases

    @property
    def holds(self) -> str:
        """What its files hold: votes, or answers to test cases."""
        return "votes" if self.answers is None else "answers"

    @property
    def is_read(self) -> bool:
        """Whether files of it are read, not only written."""
        return self.read is not None or self.answers is not None

    def fits(self, table: Table) -> bool:
        """Tell whether a table has the columns by which the format is recognised."""
        return bool(self.columns) and {column_name(one) for one in self.columns} <= set(
            table.columns
        )

    def votes(self, table: Table, columns: Mapping[str, str] | None) -> tuple[Table, ColumnLayout]:
        """Return the votes of a table of records, and which columns say what."""
        for column in self.columns:
            table.require(column, f", which the format {self.name} needs")
        if self.convert is not None:
            records = list(table.rows)
            found = table_of(self._convert_all(table._replace(rows=records)), table.where)
            if records and not found.rows:
                raise InvalidRow(f"{table.where}: none of its {len(records):,} records has a vote.")
            # Also if no record has a vote, errors name the columns that there are.
            table = found._replace(columns=[*dict.fromkeys([*table.columns, *found.columns])])
        layout = find_layout(table, columns)
        return table, layout._replace(sides=self.sides, order=self.order)

    def _convert_all(self, table: Table) -> Iterator[Row]:
        assert self.convert is not None
        for where, record in table.rows:
            try:
                for vote in self.convert(record):
                    yield where, {**record, **vote}
            except (InvalidRow, InvalidVote) as error:
                raise InvalidRow(f"{where}: {error}") from error


_registry: dict[str, Format] = {}


def register_format(found: Format) -> Format:
    """Make a format known by its name; return it.

    Examples
    --------
    >>> register_format(find_format("preflib")).name
    'preflib'
    """
    _registry[found.name] = found
    return found


def formats() -> dict[str, Format]:
    """Return every format that has a name, in alphabetical order.

    It leaves out an installed package's format that cannot be loaded, with a warning.

    Examples
    --------
    >>> [name for name, one in formats().items() if one.write is not None]
    ['parquet', 'preflib', 'trl']
    """
    _import_all()
    for name, point in _list_entry_points().items():
        try:
            _load(name, point)
        except InvalidParameter as error:
            warnings.warn(str(error), UserWarning, stacklevel=2)
    return dict(sorted(_registry.items()))


def find_format(name: str) -> Format:
    """Return the format of this name; an installed package's is loaded when first asked for.

    Examples
    --------
    >>> find_format("preflib").suffixes
    ('.soc', '.soi', '.toc', '.toi')
    """
    _import_all()
    if name in _registry:
        return _registry[name]
    installed = _list_entry_points()
    if name not in installed:
        raise UnknownName(f"there is no format '{name}'; {nearest(name, [*_registry, *installed])}")
    return _load(name, installed[name])


def read_votes(
    path: Path, name: str | None = None, columns: Mapping[str, str] | None = None
) -> tuple[Table, ColumnLayout]:
    r"""Return the votes of a file, and which columns say what.

    A file is taken as a plain table of votes if it is one, unless ``name`` says its format or its name ends as only one
    format's does. Else the first format whose columns it has is taken.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "tea.soi")
    ...     _ = file.write_text("# ALTERNATIVE NAME 1: green\n# ALTERNATIVE NAME 2: black\n3: 2,1\n")
    ...     table, layout = read_votes(file)
    >>> [row["left"] for _, row in table.rows], layout.has_sides
    (['black', 'black', 'black'], False)
    """
    if name is not None:
        chosen = find_format(name)
        if chosen.read is None:
            readable = [one.name for one in formats().values() if one.read is not None]
            holds = "is only written" if chosen.answers is None else "holds answers, not votes"
            raise InvalidParameter(
                f"the format {name} {holds}; those that are read are {join_names(readable)}."
            )
        return chosen.votes(chosen.read(path), columns)
    own = _find_by_suffix(path)
    if own is not None and own.read not in (None, read_table):
        return own.votes(own.read(path), columns)
    table = read_table(path)
    try:
        return table, find_layout(table, columns)
    except InvalidRow as error:
        return _find_by_columns(table, error).votes(table, columns)


def count_file(path: Path, columns: Mapping[str, str] | None = None) -> Tally:
    r"""Return counts of the votes of a file that count, whatever its format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "battles.csv")
    ...     _ = file.write_text("model_a,model_b,winner\nx,y,model_a\ny,x,model_a\n")
    ...     found = count_file(file)
    >>> found.labels, found.wins.tolist()
    (['x', 'y'], [[0.0, 1.0], [1.0, 0.0]])
    """
    return count_votes(read_rows(*read_votes(path, columns=columns)))


def has_vote_columns(columns: Iterable[str]) -> bool:
    """Tell whether columns are those by which a format of votes is recognised.

    Examples
    --------
    >>> has_vote_columns(["model_a", "model_b", "winner_tie"]), has_vote_columns(["a", "b"])
    (True, False)
    """
    table = Table("", [column_name(one) for one in columns], ())
    return any(one.fits(table) for one in formats().values() if one.read is not None)


def vote_suffixes() -> list[str]:
    """Return what files end in that hold only votes.

    Examples
    --------
    >>> vote_suffixes()
    ['.jsonl', '.ndjson', '.parquet', '.pq', '.soc', '.soi', '.toc', '.toi']
    """
    known = [one for one in formats().values() if one.read is not None]
    return [*JSON_LINES, *(end for one in known for end in one.suffixes)]


def write_votes(
    path: Path, name: str | None, votes: Sequence[Record], texts: Mapping[str, str]
) -> bytes:
    """Return the content for a file of votes, in the format of this name or of what the file ends in.

    Examples
    --------
    >>> vote = {"left": "a", "right": "b", "outcome": "left", "item": None, "counted": True, "times": 1}
    >>> print(write_votes(Path("rows.jsonl"), "trl", [vote], {"a": "", "b": ""}).decode().strip())
    {"prompt": "", "chosen": "a", "rejected": "b"}
    """
    chosen = _find_by_suffix(path) if name is None else find_format(name)
    writable = [one for one in formats().values() if one.write is not None]
    if chosen is None or chosen.write is None:
        ends = join_names([end for one in writable for end in one.suffixes])
        named = join_names([one.name for one in writable])
        raise InvalidParameter(
            f"{path} must end in .csv, for the votes, or .jsonl, for the whole log; or in {ends}; "
            f"or name one of the formats {named}."
        )
    return chosen.write(votes, texts, path)


def _find_by_suffix(path: Path) -> Format | None:
    """The format whose files alone end like this one."""
    _import_all()
    end = file_type(path)
    return next((one for one in _registry.values() if end in one.suffixes), None)


def _find_by_columns(table: Table, error: InvalidRow) -> Format:
    """The first format whose columns a table has; if there is none, say which were tried."""
    known = [one for one in formats().values() if one.columns and one.read is not None]
    found = next((one for one in known if one.fits(table)), None)
    if found is None:
        tried = join_names([one.name for one in known])
        raise InvalidRow(f"{error} Nor does it fit the formats {tried}.") from error
    return found


@cache
def _import_all() -> None:
    """Import every file of this package: each registers what it defines."""
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        importlib.import_module(module.name)


def _list_entry_points() -> dict[str, metadata.EntryPoint]:
    """What installed packages name, not loaded; a name of this package's stays its own."""
    return {p.name: p for p in metadata.entry_points(group=GROUP) if p.name not in _registry}


def _load(name: str, point: metadata.EntryPoint) -> Format:
    """Load a format of an installed package, and register it."""
    package = point.dist.name if point.dist is not None else point.value
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        raise InvalidParameter(
            f"the format '{name}' of the package {package} cannot be loaded: {type(error).__name__}: "
            f"{error}; update the package or remove it."
        ) from error
    if not isinstance(found, Format) or found.name != name:
        raise InvalidParameter(
            f"the package {package} offers {point.value} as the format '{name}', and it is not a "
            "Format of this name; update the package or remove it."
        )
    return register_format(found)
