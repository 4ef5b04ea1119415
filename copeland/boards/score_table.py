"""Tables of scores: how well each system did on each case, from files, data frames and Python values.

Long tables have a row for each score (columns system, case, score, and perhaps run, cluster), wide ones a row for each case and a column
for each system, or the other way round. A score is a number, or pass or fail. Several runs of a case are averaged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from copeland.errors import InvalidParameter, InvalidRow
from copeland.support.arrays import Floats, Ints
from copeland.support.phrasing import format_count, join_names, quote_names
from copeland.support.row_files import Table, read_table, rows_of_table, table_of

Missing = Literal["refuse", "zero", "drop"]

SYSTEM = ("system", "model", "option", "ranker", "agent", "method", "submission")
CASE = (
    *("case", "id", "item", "instance_id", "question_id", "question", "task", "problem"),
    *("doc_id", "sample_id", "instance", "example", "test"),
)
SCORE = (
    *("score", "value", "correct", "passed", "pass", "resolved", "accuracy", "acc", "result"),
    *("metric", "success", "reward"),
)
RUN = ("run", "epoch", "seed", "repeat", "trial")
CLUSTER = ("cluster",)
_BESIDE = ("tag", "tags", "cost", "latency", "time")  # columns that are never systems or cases

_PASS = ("true", "pass", "passed", "yes", "correct", "resolved", "solved", "c")
_FAIL = ("false", "fail", "failed", "no", "incorrect", "unresolved", "unsolved", "i")
_SHOWN = 5  # names in an error


class Score(NamedTuple):
    """One score of a system on a case; None is missing."""

    where: str
    system: str
    case: str
    value: float | None
    run: str = ""
    cluster: str = ""


@dataclass(frozen=True)
class ScoreTable:
    """The scores of systems on cases, complete, and how cases hang together."""

    systems: tuple[str, ...]
    cases: tuple[str, ...]
    scores: Floats  # systems x cases: the mean over the runs of a case
    clusters: tuple[str, ...]  # of each case; its own name where cases are the units
    unit: str = "case"  # what is drawn at random: "case", or what clusters are called
    runs: int = 1  # of a case, at most
    notes: tuple[str, ...] = ()  # what was done about missing scores

    @property
    def sizes(self) -> Ints:
        """How many cases each cluster has, in the order in which clusters come first."""
        return np.bincount(self.members)

    @property
    def members(self) -> Ints:
        """The number of the cluster of each case."""
        numbers = {name: n for n, name in enumerate(dict.fromkeys(self.clusters))}
        return np.array([numbers[name] for name in self.clusters])

    def sum_clusters(self, values: Floats) -> Floats:
        """Return values of cases, the last axis, summed by clusters."""
        order = np.argsort(self.members, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        return np.add.reduceat(values[..., order], starts, axis=-1)

    @property
    def are_passes(self) -> bool:
        """Whether each score is one of two numbers: pass or fail."""
        return len(np.unique(self.scores)) <= 2


def read_scores(
    scores: Any, *, cluster: str | None = None, missing: Missing = "refuse"
) -> ScoreTable:
    """Return a table of scores.

    Parameters
    ----------
    scores
        A file, several of them, a data frame or rows of mappings, or scores by system: ``{"gpt": {"case 1": 1.0}}`` or ``{"gpt": [1.0, 0.0]}``.
    cluster
        The column that says which cases hang together; a column ``cluster`` needs no name.
    missing
        What a missing score is: ``"zero"``, or ``"drop"`` leaves out the cases that any system lacks.

    Examples
    --------
    >>> table = read_scores({"gpt": [1, 0, 1], "llama": [1, 1, 0]})
    >>> table.systems, table.scores.sum(axis=1).tolist()
    (('gpt', 'llama'), [2.0, 2.0])
    """
    if missing not in ("refuse", "zero", "drop"):
        raise InvalidParameter(f"missing is {missing!r}; it must be 'refuse', 'zero' or 'drop'.")
    if isinstance(scores, ScoreTable):
        return scores
    found, unit = _list_scores(scores, cluster)
    return _arrange(found, unit, missing)


def _list_scores(scores: Any, cluster: str | None) -> tuple[list[Score], str]:
    """All scores, and what their clusters are called."""
    if isinstance(scores, str | Path):
        return _read_tables([read_table(Path(scores))], cluster)
    if isinstance(scores, Mapping):
        return list(_list_by_system(scores)), "case"
    if isinstance(scores, Sequence) and all(isinstance(one, str | Path) for one in scores):
        return _read_tables([read_table(Path(one)) for one in scores], cluster)
    return _read_tables([table_of(rows_of_table(scores), "the table")], cluster)


def _list_by_system(scores: Mapping[str, Any]) -> Iterator[Score]:
    for system, row in scores.items():
        told = row if isinstance(row, Mapping) else dict(enumerate(np.asarray(row).tolist()))
        for case, value in told.items():
            where = f"system '{system}', case '{case}'"
            yield Score(where, str(system), str(case), _read_score(where, value))


def _read_tables(tables: Iterable[Table], cluster: str | None) -> tuple[list[Score], str]:
    found: list[Score] = []
    units: set[str] = set()
    for table in tables:
        column = None if cluster is None else table.require(cluster)
        column = column or _find(table, CLUSTER)
        units.add(column or "case")
        found += _read_rows(table, column)
    if len(units) > 1:
        raise InvalidRow(
            "only some of the files have a column of clusters; give it to all of them."
        )
    return found, units.pop() if units else "case"


def _find(table: Table, names: Sequence[str]) -> str | None:
    """The first of these columns that a table has."""
    return next((name for name in names if name in table.columns), None)


def _read_rows(table: Table, cluster: str | None) -> Iterator[Score]:
    system, case, score = (_find(table, names) for names in (SYSTEM, CASE, SCORE))
    run = _find(table, RUN)
    if system and case and score:
        for where, row in table.rows:
            value = _read_score(where, row.get(score))
            about = _name(where, row, system), _name(where, row, case)
            yield Score(where, *about, value, *_describe(where, row, run, cluster))
        return
    if bool(system) == bool(case):
        raise InvalidRow(
            f"{table.where}: it has neither columns for system, case and score, nor one for case or system beside the scores of each; "
            f"its columns are {join_names(quote_names(table.short_names))}."
        )
    taken = {system or case, run, cluster, *_BESIDE}
    scored = [name for name in table.columns if name and name not in taken]
    for where, row in table.rows:
        own = _name(where, row, str(system or case))
        for column in scored:
            name = table.titles.get(column, column)
            about = (own, name) if system else (name, own)
            place = f"{where}, column '{name}'"
            value = _read_score(place, row.get(column))
            yield Score(place, *about, value, *_describe(where, row, run, cluster))


def _name(where: str, row: Mapping[str, Any], column: str) -> str:
    name = row.get(column)
    if name is None or not str(name).strip():
        raise InvalidRow(f"{where}: its {column} is empty.")
    return str(name).strip()


def _describe(
    where: str, row: Mapping[str, Any], run: str | None, cluster: str | None
) -> tuple[str, str]:
    """The run and the cluster of a row."""
    own = "" if run is None else str(row.get(run, "")).strip()
    return own, "" if cluster is None else _name(where, row, cluster)


def _read_score(where: str, value: Any) -> float | None:
    """A score as a number; None if there is none."""
    if isinstance(value, bool | np.bool_):
        return float(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    word = str(value).strip().lower()
    if word in _PASS or word in _FAIL:
        return float(word in _PASS)
    try:
        number = float(word)
    except ValueError:
        number = math.inf
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise InvalidRow(f"{where}: the score is {value!r}; give a number, or pass or fail.")
    return number


def _arrange(found: Sequence[Score], unit: str, missing: Missing) -> ScoreTable:
    """Scores as a table: the mean of the runs of each case, and what is missing as somebody decided."""
    clusters: dict[str, str] = {}
    runs: dict[tuple[str, str], dict[str, Score]] = {}
    for one in found:
        if clusters.setdefault(one.case, one.cluster) != one.cluster:
            raise InvalidRow(
                f"{one.where}: case '{one.case}' is of the {unit} '{one.cluster}' here and of '{clusters[one.case]}' before."
            )
        same = runs.setdefault((one.system, one.case), {})
        if one.run in same:
            raise InvalidRow(
                f"{one.where}: system '{one.system}' has two scores on case '{one.case}' (the other: {same[one.run].where}); "
                "if they are runs, number these in a column 'run'."
            )
        same[one.run] = one
    systems = tuple(dict.fromkeys(one.system for one in found))
    cases = tuple(clusters)
    table = np.full((len(systems), len(cases)), math.nan)
    rows, columns = ({name: n for n, name in enumerate(names)} for names in (systems, cases))
    for (system, case), same in runs.items():
        values = [one.value for one in same.values() if one.value is not None]
        if values:
            table[rows[system], columns[case]] = sum(values) / len(values)
    table, kept, notes = _settle_missing(table, systems, cases, missing)
    names = tuple(cases[n] for n in kept)
    of = tuple(clusters[name] if unit != "case" else name for name in names)
    most = max((len(same) for same in runs.values()), default=1)
    return ScoreTable(systems, names, table, of, unit, most, notes)


def _settle_missing(
    table: Floats, systems: Sequence[str], cases: Sequence[str], missing: Missing
) -> tuple[Floats, Ints, tuple[str, ...]]:
    """The table without gaps, which of its cases are left, and what was done."""
    gaps = np.isnan(table)
    every = np.arange(len(cases))
    if not gaps.any():
        return table, every, ()
    lacking = [
        f"{name} ({int(number):,})"
        for name, number in zip(quote_names(systems), gaps.sum(axis=1), strict=True)
        if number
    ]
    more = f" and {len(lacking) - _SHOWN:,} more" if len(lacking) > _SHOWN else ""
    who = f"{join_names(lacking[:_SHOWN])}{more}"
    if missing == "zero":
        return np.where(gaps, 0.0, table), every, (f"Missing scores count as 0: {who}.",)
    if missing == "drop":
        left = np.flatnonzero(~gaps.any(axis=0))
        gone = format_count(len(cases) - len(left), "case")
        return (
            table[:, left],
            left,
            (f"{gone} without a score of every system are left out: {who}.",),
        )
    system, case = np.argwhere(gaps)[0]
    raise InvalidRow(
        f"system '{systems[system]}' has no score on case '{cases[case]}'; scores that are missing: {who}. Say what they are: "
        "missing='zero' or 'drop' (--missing)."
    )
