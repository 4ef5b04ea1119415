"""The three steps of a count as tasks that know nothing of each other but files.

A part file holds records of one size and kind; those of the first step are deleted once they are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.ranking.logs.files import (
    CLICK_COLUMNS,
    SHOWN_COLUMNS,
    Batch,
    batches,
    named_columns,
    readable_types,
)
from copeland.ranking.logs.joining import LEFT, RIGHT, Rules, join
from copeland.ranking.logs.records import CLICK, SHOWN, VOTE, Records, clicks_of, shown_of
from copeland.ranking.logs.tallying import tally
from copeland.support.tasks import Arrays

NAMED = 100  # unreadable rows that a task names; the others are counted


class Parts:
    """Records put into files by a number that each of them has."""

    def __init__(self, folder: Path, kind: str, writer: int, parts: int, opened: ExitStack):
        self._parts = parts
        self._files = [
            opened.enter_context(part_file(folder, kind, writer, part).open("ab"))
            for part in range(parts)
        ]

    def put(self, records: Records, keys: NDArray[np.uint64]) -> None:
        """Append each record to the part that its key says."""
        ordered, ends = sorted_out(records, keys, self._parts)
        for file, begin, end in zip(self._files, ends, ends[1:], strict=False):
            if end > begin:
                file.write(ordered[begin:end].data)


def sorted_out(
    records: Records, keys: NDArray[np.uint64], parts: int
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the records part by part, which the highest bits of keys say, and where each part ends."""
    words = records.view(np.uint64).reshape(len(records), records.dtype.itemsize // 8)
    if parts == 1:
        return words, np.array([0, len(words)])
    part = (((keys >> np.uint64(48)) * np.uint64(parts)) >> np.uint64(16)).astype(np.uint16)
    ends = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=parts))])
    # Rows of words are taken faster than records, which are copied one by one.
    return words.take(np.argsort(part, kind="stable"), axis=0), ends


def part_file(folder: Path, kind: str, writer: int, part: int) -> Path:
    """Return the file of one writer's records of one part."""
    return folder / f"{kind}-{writer}-{part}"


def read_part(folder: Path, kind: str, writer: int, part: int, form: np.dtype[Any]) -> Records:
    """Return the records of a part file, and delete it."""
    file = part_file(folder, kind, writer, part)
    records = np.fromfile(file, form)
    file.unlink()
    return records


@dataclass(frozen=True)
class Reading:
    """Some files of the log, read and put into parts by the ids of lists."""

    number: int
    shown: tuple[Path, ...]
    clicks: tuple[Path, ...]
    folder: Path
    parts: int
    columns: Mapping[str, str]

    def about(self) -> dict[str, Any]:
        """Return nothing: no result is kept."""
        return {}

    def run(self) -> Arrays:
        """Return the names of rankers, how many rows there are of each kind, and what cannot be read."""
        names: dict[str, int] = {}
        damaged: list[str] = []
        rows = np.zeros(3, np.int64)  # lists, clicks, unreadable ones
        lists, events = (named_columns(c, self.columns) for c in (SHOWN_COLUMNS, CLICK_COLUMNS))

        def keep(batch: Batch, is_click: bool, parts: Parts) -> None:
            with readable_types(batch):
                records, bad = clicks_of(batch) if is_click else shown_of(batch, names)
            parts.put(records, records["id"])
            rows[int(is_click)] += len(records)
            rows[2] += len(bad)
            damaged.extend(str(one) for one in bad[: NAMED - len(damaged)])

        with ExitStack() as opened:
            places = [Parts(self.folder, k, self.number, self.parts, opened) for k in ("s", "c")]
            for files, columns, is_click in (
                (self.shown, lists, False),
                (self.clicks, events, True),
            ):
                for path in files:
                    for batch in batches(path, columns):
                        keep(batch, is_click, places[int(is_click)])
        return {
            "names": np.array(list(names), np.str_),
            "rows": rows,
            "unreadable": np.array(damaged, np.str_),
        }


@dataclass(frozen=True)
class Joining:
    """One part of the ids: clicks joined to lists, and the votes put into parts by users."""

    part: int
    folder: Path
    parts: int
    tables: Sequence[NDArray[np.int16]]  # of each reader's names: their numbers among all
    rules: Rules

    def about(self) -> dict[str, Any]:
        """Return nothing: no result is kept."""
        return {}

    def run(self) -> Arrays:
        """Return what became of lists and clicks."""
        readers = range(len(self.tables))
        shown = [read_part(self.folder, "s", n, self.part, SHOWN) for n in readers]
        for records, table in zip(shown[1:], self.tables[1:], strict=True):  # the first has all's
            for side in ("left", "right"):
                records[side] = table[records[side]]
        clicks = [read_part(self.folder, "c", n, self.part, CLICK) for n in readers]
        found = join(_joined(shown), _joined(clicks), self.rules)
        votes, ends = sorted_out(found.votes, _keys(found.votes["user"]), self.parts)
        votes.tofile(votes_file(self.folder, self.part))
        return {"lists": found.lists, "clicks": found.clicks, "ends": ends}


def _joined(records: list[Records]) -> Records:
    return records[0] if len(records) == 1 else np.concatenate(records)


def _keys(users: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The user of each vote; those without one are spread evenly."""
    spread = np.arange(len(users), dtype=np.uint64) << np.uint64(48)
    return np.where(users == 0, spread, users)


def votes_file(folder: Path, part: int) -> Path:
    """Return the file of the votes of one part of the ids, by parts of the users."""
    return folder / f"v-{part}"


@dataclass(frozen=True)
class Tallying:
    """One part of the users: their votes, counted."""

    folder: Path
    spans: NDArray[np.int64]  # where its votes begin and end in the file of each part of the ids
    k: int
    rules: Rules

    def about(self) -> dict[str, Any]:
        """Return nothing: no result is kept."""
        return {}

    def run(self) -> Arrays:
        """Return the pairs that have votes, with their counts, and what became of lists."""
        votes = _joined(
            [
                np.fromfile(
                    votes_file(self.folder, n), VOTE, end - begin, offset=begin * VOTE.itemsize
                )
                for n, (begin, end) in enumerate(self.spans.tolist())
            ]
        )
        found = tally(votes, _pairs(votes, self.k), self.k**2, self.rules)
        pairs = np.flatnonzero(found.counts.any(axis=1))
        return {"pairs": pairs, "counts": found.counts[pairs], "fates": found.fates}


def _pairs(votes: Records, k: int) -> NDArray[np.int64]:
    """The pair of each vote as one number, the smaller option first; outcomes are turned with it."""
    left, right = (votes[side].astype(np.int64) for side in ("left", "right"))
    turned = (left > right) & (votes["outcome"] <= RIGHT)
    votes["outcome"][turned] = LEFT + RIGHT - votes["outcome"][turned]
    return np.minimum(left, right) * k + np.maximum(left, right)
