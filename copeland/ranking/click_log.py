"""A click log of any size as counts of wins by pair.

Three steps, each cut into tasks, on this machine or on a cluster:

1. Files are read a batch at a time. Their rows, as records of one size, go into temporary files by a hash of the
   impression's id.
2. Of each such part, clicks are joined to lists and credited. The votes go into files by a hash of the user.
3. Of each part of the users, bots are left out and the votes counted.

So memory holds one part at a time: 6 MiB of the files, or a 256th of them if that is more.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, nearest
from copeland.kernels import kernel
from copeland.kernels.compiler.compile import compile_kernel
from copeland.ranking.click_files import (
    CLICK_COLUMNS,
    SHOWN_COLUMNS,
    batches,
    files_of,
    named_columns,
    readable_types,
)
from copeland.ranking.click_records import (
    CLICK,
    SHOWN,
    VOTE,
    Records,
    clicks_of,
    mix_bits,
    shown_of,
)
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.escaping import cell
from copeland.support.progress import progress_bar
from copeland.support.tasks import Arrays, check_workers, finish

PART = 6 * 2**20  # bytes of log files to a part: few enough lists to stay near the processor
MOST_PARTS = 256  # a reader keeps two files of each open, and systems allow some 1,000
MOST_RANKERS = 2_000
READERS = 4  # shares of the files for each process, so that none waits long for another
NAMED = 100  # unreadable rows that a task names; the others are counted

A_BIN = 8  # lists in a bin of users, in the mean
MINUTE, DAY = 60, 86_400  # seconds; both begin at 1970, UTC

LEFT, RIGHT, TIE, NO_CLICK = range(4)  # outcomes of a list

# What becomes of lists and of clicks; each is counted. Steps 2 and 3 know the fates of lists.
JOINED_LISTS, TALLIED_LISTS = ("repeated", "outside"), ("bots", "no click", "further", "votes")
CLICKS = ("never shown", "out of range", "too early", "too late", "repeated", "outside", "taken")
NEVER_SHOWN, OUT_OF_RANGE, EARLY, LATE, AGAIN, ON_OUTSIDE, TAKEN = range(len(CLICKS))

_0, _1 = np.uint64(0), np.uint64(1)
_SPREAD = np.uint64(0x9E3779B185EBCA87)

Progress = Callable[[int, int], None]


class Rules(NamedTuple):
    """Which lists and clicks count; times are seconds."""

    window: float = 1800.0  # from a list to its last click
    since: float = 0.0  # lists shown from here
    until: float = np.inf  # to before this
    bots: int = 60  # a user with more lists than this in a minute of the clock is none
    once: bool = False  # whether a user's first vote on a pair alone counts

    def check(self) -> None:
        """Refuse rules that leave nothing to count."""
        if not self.window > 0:
            raise InvalidParameter(f"window is {self.window:g}; it must be above 0 seconds.")
        if not self.since < self.until:
            raise InvalidParameter("until is not later than since, so no list is shown in between.")
        if self.bots < 1:
            raise InvalidParameter(f"bots is {self.bots}; allow a user at least 1 list a minute.")


@dataclass(frozen=True)
class ClickCounts:
    """Ints of wins and ties by pair of rankers, and what became of every row.

    Each list that was read is counted once in ``lists``, each click once in ``clicks``, by what became of it.
    Rows that are neither are counted in ``damaged``; ``unreadable`` names the first ones with file, line and reason.
    """

    labels: tuple[str, ...]
    wins: Ints  # wins[i, j]: of i over j
    ties: Ints
    lists: Mapping[str, int]
    clicks: Mapping[str, int]
    damaged: int = 0
    unreadable: tuple[str, ...] = ()

    def csv(self) -> str:
        """Return a row for each direction of each pair with votes: i, j, wins, ties.

        Rows of several such tables add up. Ties stand in the first row of their pair alone.
        """
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("i", "j", "wins", "ties"))
        for i, j in np.argwhere(np.triu(self.wins + self.wins.T + self.ties)):
            one, other = cell(self.labels[i]), cell(self.labels[j])
            rows.writerow((one, other, self.wins[i, j], self.ties[i, j]))
            rows.writerow((other, one, self.wins[j, i], 0))
        return text.getvalue()


def count_clicks(
    shown: str,
    clicks: str,
    rules: Rules = Rules(),  # noqa: B008 - a tuple
    columns: Mapping[str, str] | None = None,
    scratch: Path | None = None,
    jobs: int = 1,
    backend: str = "loky",
    progress: Progress | None = None,
    part: int = PART,
) -> ClickCounts:
    """Return counts of wins by pair, from logs of lists that were shown and of clicks on them.

    Parameters
    ----------
    shown, clicks
        A file, a folder or a pattern with ``*``; .ndjson, .csv or .parquet.
    rules
        Which lists and clicks count.
    columns
        What columns are called, by what they say: impression, time, user, left, right, teams, position.
    scratch
        A folder for temporary files, about as large as the log; workers on other machines must see it too.
    jobs, backend
        As in :func:`copeland.support.tasks.finish`; no count depends on them.
    progress
        Called with (tasks done, tasks in all).
    part
        Bytes of log files to a part.
    """
    check_workers(jobs, backend)
    rules.check()
    for role in columns or {}:
        if role not in (known := {**SHOWN_COLUMNS, **CLICK_COLUMNS}):
            raise InvalidParameter(f"there is no column role '{role}'; {nearest(role, known)}")
    lists, events = files_of(shown), files_of(clicks)
    size = sum(path.stat().st_size for path in lists + events)
    parts = min(MOST_PARTS, max(1, -(-size // part)))
    shares = 1 if jobs == 1 else min(READERS * jobs, max(len(lists), len(events)))
    total, done = shares + 2 * parts, 0
    temporary = tempfile.TemporaryDirectory(dir=scratch, prefix="copeland-clicks-")
    with progress_bar("parts", progress) as tell, temporary as place:

        def run(tasks: Sequence[Any]) -> list[Arrays]:
            nonlocal done
            before, done = done, done + len(tasks)
            return finish(tasks, None, jobs, backend, lambda n, _: tell(before + n, total))

        folder = Path(place)
        own = [(_share(lists, shares, n), _share(events, shares, n)) for n in range(shares)]
        read = run([Reading(folder, parts, n, *files, columns) for n, files in enumerate(own)])
        labels, tables = _merge_names([one["names"].tolist() for one in read])
        joined = run([Joining(folder, parts, n, tables, rules) for n in range(parts)])
        ends = np.array([one["ends"] for one in joined])
        spans = [ends[:, n : n + 2].copy() for n in range(parts)]
        tallied = run([Tallying(folder, parts, span, len(labels), rules) for span in spans])
    return _add_up(labels, read, joined, tallied)


def _share(files: list[Path], shares: int, n: int) -> tuple[Path, ...]:
    """One share of the files: a run of them, so that their order is kept."""
    return tuple(files[n * len(files) // shares : (n + 1) * len(files) // shares])


def _merge_names(names: list[list[str]]) -> tuple[list[str], list[NDArray[np.int16]]]:
    """All names, and for each reader the numbers of its own among them; the first one's are 0, 1, ..."""
    labels = list(dict.fromkeys(name for own in names for name in own))
    if len(labels) > MOST_RANKERS:
        raise InvalidParameter(
            f"the log names {len(labels):,} rankers, but at most {MOST_RANKERS:,} can be compared; are left and "
            "right the right columns?"
        )
    numbers = {name: n for n, name in enumerate(labels)}
    return labels, [np.array([numbers[name] for name in own], np.int16) for own in names]


def _add_up(
    labels: list[str], read: list[Arrays], joined: list[Arrays], tallied: list[Arrays]
) -> ClickCounts:
    k = len(labels)
    counts = np.zeros(k * k * 3, np.int64)
    for one in tallied:
        counts[one["cells"]] += one["votes"]
    left, right, ties = counts.reshape(k, k, 3).transpose(2, 0, 1)
    order = np.argsort(np.array(labels, np.str_), kind="stable")
    rows = np.sum([one["rows"] for one in read], axis=0)

    def name_fates(names: Sequence[str], results: list[Arrays], key: str) -> dict[str, int]:
        total = np.sum([one[key] for one in results], axis=0)
        return dict(zip(names, map(int, total), strict=True))

    return ClickCounts(
        tuple(labels[i] for i in order),
        (left + right.T)[np.ix_(order, order)],
        (ties + ties.T)[np.ix_(order, order)],
        {
            "read": int(rows[0]),
            **name_fates(TALLIED_LISTS, tallied, "lists"),
            **name_fates(JOINED_LISTS, joined, "lists"),
        },
        {"read": int(rows[1]), **name_fates(CLICKS, joined, "clicks")},
        int(rows[2]),
        tuple(str(line) for one in read for line in one["unreadable"]),
    )


@dataclass(frozen=True)
class Step:
    """A task of a count. Tasks know nothing of each other but the files of records in a folder."""

    folder: Path
    parts: int

    def about(self) -> dict[str, Any]:
        """Return nothing: no result is kept."""
        return {}


@dataclass(frozen=True)
class Reading(Step):
    """Some files of the log, read and put into parts by the ids of lists."""

    number: int
    shown: tuple[Path, ...]
    clicks: tuple[Path, ...]
    columns: Mapping[str, str] | None

    def run(self) -> Arrays:
        """Return the names of rankers, how many rows there are of each kind, and what cannot be read."""
        names: dict[str, int] = {}
        unreadable: list[str] = []
        rows = np.zeros(3, np.int64)  # lists, clicks, unreadable ones
        for n, (kind, known, paths) in enumerate(
            (("s", SHOWN_COLUMNS, self.shown), ("c", CLICK_COLUMNS, self.clicks))
        ):
            columns = named_columns(known, self.columns or {})
            with ExitStack() as stack:
                places = [part_file(self.folder, kind, self.number, p) for p in range(self.parts)]
                files = [stack.enter_context(place.open("ab")) for place in places]
                for batch in (batch for path in paths for batch in batches(path, columns)):
                    with readable_types(batch):
                        records, bad = shown_of(batch, names) if kind == "s" else clicks_of(batch)
                    words, ends = sort_by_part(records, records["id"], self.parts)
                    for file, begin, end in zip(files, ends, ends[1:], strict=False):
                        if end > begin:
                            file.write(words[begin:end].data)
                    rows[n] += len(records)
                    rows[2] += len(bad)
                    unreadable.extend(str(one) for one in bad[: NAMED - len(unreadable)])
        return {
            "names": np.array(list(names), np.str_),
            "rows": rows,
            "unreadable": np.array(unreadable, np.str_),
        }


@dataclass(frozen=True)
class Joining(Step):
    """One part of the ids: clicks joined to lists, and the votes put into parts by users."""

    part: int
    tables: Sequence[NDArray[np.int16]]  # of each reader's names: their numbers among all
    rules: Rules

    def run(self) -> Arrays:
        """Return what became of lists and clicks, and where the votes of each part of the users end."""
        shown = self._read("s", SHOWN)
        for records, table in zip(shown[1:], self.tables[1:], strict=True):  # the first has all's
            for side in ("left", "right"):
                records[side] = table[records[side]]
        votes, lists, clicks = join(
            _concatenate(shown), _concatenate(self._read("c", CLICK)), self.rules
        )
        # Votes without a user are spread evenly.
        spread = np.arange(len(votes), dtype=np.uint64) << np.uint64(48)
        users = np.where(votes["user"] == 0, spread, votes["user"])
        words, ends = sort_by_part(votes, users, self.parts)
        words.tofile(part_file(self.folder, "v", 0, self.part))
        return {"lists": lists, "clicks": clicks, "ends": ends}

    def _read(self, kind: str, form: np.dtype[Any]) -> list[Records]:
        """The records of each reader, whose files are then deleted."""
        files = [part_file(self.folder, kind, n, self.part) for n in range(len(self.tables))]
        records = [np.fromfile(file, form) for file in files]
        for file in files:
            file.unlink()
        return records


@dataclass(frozen=True)
class Tallying(Step):
    """One part of the users: their votes, counted."""

    spans: Ints  # where its votes begin and end in the file of each part of the ids
    k: int
    rules: Rules

    def run(self) -> Arrays:
        """Return the counts that are not 0, and what became of lists."""
        votes = [
            np.fromfile(
                part_file(self.folder, "v", 0, part),
                VOTE,
                end - begin,
                offset=begin * VOTE.itemsize,
            )
            for part, (begin, end) in enumerate(self.spans.tolist())
        ]
        cells, counts, lists = tally(_concatenate(votes), self.k, self.rules)
        return {"cells": cells, "votes": counts, "lists": lists}


def part_file(folder: Path, kind: str, writer: int, part: int) -> Path:
    """Return the file of one writer's records of one part: lists (s), clicks (c) or votes (v)."""
    return folder / f"{kind}-{writer}-{part}"


def _concatenate(records: list[Records]) -> Records:
    return records[0] if len(records) == 1 else np.concatenate(records)


def sort_by_part(
    records: Records, keys: NDArray[np.uint64], parts: int
) -> tuple[NDArray[Any], Ints]:
    """Return the records part by part, which the highest bits of keys say, and where each part ends."""
    words = records.view(np.uint64).reshape(len(records), records.dtype.itemsize // 8)
    if parts == 1:
        return words, np.array([0, len(words)])
    part = (((keys >> np.uint64(48)) * np.uint64(parts)) >> np.uint64(16)).astype(np.uint16)
    ends = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=parts))])
    # Rows of words are taken faster than records, which are copied one by one.
    return words.take(np.argsort(part, kind="stable"), axis=0), ends


@kernel
def find_slot(table, ids, mores, id, more):
    """Return where the row with an id is in a table of rows, or where it would be."""
    last = np.uint64(len(table) - 1)
    slot = id & last
    while True:
        row = table[np.int64(slot)]
        if row < 0 or (ids[row] == id and mores[row] == more):
            return np.int64(slot)
        slot = (slot + _1) & last


@kernel
def enter_lists(ids, mores, times, table, repeats):
    """Put each list into the table; of several with one id, the earliest, and mark the others."""
    for row in range(len(ids)):
        slot = find_slot(table, ids, mores, ids[row], mores[row])
        other = table[slot]
        if other < 0:
            table[slot] = row
        elif times[row] < times[other]:
            table[slot] = row
            repeats[other] = True
        else:
            repeats[row] = True


@kernel
def find_lists(click_ids, click_mores, ids, mores, table, rows):
    """Write the row of each click's list, -1 if it was never shown."""
    for click in range(len(click_ids)):
        rows[click] = table[find_slot(table, ids, mores, click_ids[click], click_mores[click])]


@kernel
def mark_clicks(rows, positions, clicked):
    """Set the bit of each position that was clicked in the word of its list; return how many were set before."""
    again = 0
    for click in range(len(rows)):
        bit = _1 << np.uint64(positions[click] - 1)
        again += clicked[rows[click]] & bit != _0
        clicked[rows[click]] |= bit
    return again


def join(shown: Records, clicks: Records, rules: Rules) -> tuple[Records, Ints, Ints]:
    """Return the vote of each list, and what became of lists and clicks: who has more clicks on its team has won.

    One call sees all rows of one part of the ids, so that its tables fit into memory however long the log is.
    """
    ids, mores, times = (shown[name] for name in ("id", "more", "time"))
    table = np.full(1 << (2 * len(shown)).bit_length(), -1, np.int32)
    repeats, rows = np.zeros(len(shown), np.bool_), np.empty(len(clicks), np.int64)
    compile_kernel(enter_lists)(ids, mores, times, table, repeats)
    compile_kernel(find_lists)(clicks["id"], clicks["more"], ids, mores, table, rows)
    inside = (times >= rules.since) & (times < rules.until)
    clicked, fates = _take_clicks(shown, inside, clicks, rows, rules.window)
    ours, theirs = (np.bitwise_count(clicked & shown[team]) for team in ("left_team", "right_team"))
    kept = inside & ~repeats
    votes = np.empty(np.count_nonzero(kept), VOTE)
    for name in ("user", "time", "left", "right"):
        votes[name] = shown[name][kept]
    outcomes = [NO_CLICK, LEFT, RIGHT]
    outcome = np.select([clicked == 0, ours > theirs, ours < theirs], outcomes, TIE)
    votes["outcome"] = outcome[kept]
    lists = np.array([np.count_nonzero(repeats), np.count_nonzero(~inside & ~repeats)])
    return votes, lists, fates


def _take_clicks(
    shown: Records, inside: Bools, clicks: Records, rows: Ints, window: float
) -> tuple[NDArray[np.uint64], Ints]:
    """The positions of each list that were clicked, as bits; what became of clicks, each on the list of a row."""
    is_known = rows >= 0
    rows, time, position = (of[is_known] for of in (rows, clicks["time"], clicks["position"]))
    since = shown["time"][rows]
    faults = [
        ~inside[rows],
        (position < 1) | (position > shown["length"][rows]),
        time < since,
        time > since + window,
    ]
    fate = np.select(faults, [ON_OUTSIDE, OUT_OF_RANGE, EARLY, LATE], TAKEN)
    fates = np.bincount(fate, minlength=len(CLICKS))
    clicked, taken = np.zeros(len(shown), np.uint64), fate == TAKEN
    fates[NEVER_SHOWN] = np.count_nonzero(~is_known)
    fates[AGAIN] = compile_kernel(mark_clicks)(rows[taken], position[taken], clicked)
    fates[TAKEN] -= fates[AGAIN]
    return clicked, fates


def tally(votes: Records, k: int, rules: Rules) -> tuple[Ints, Ints, Ints]:
    """Return which cells of a table by left, right and outcome have votes, how many, and what became of lists.

    One call sees all votes of one part of the users. A user without a name is nobody's repeat, and no bot.
    """
    is_bot = _find_bots(votes["user"], votes["time"], rules.bots)
    has_click = votes["outcome"] != NO_CLICK
    counted = has_click & ~is_bot
    left, right = (votes[side][counted].astype(np.int64) for side in ("left", "right"))
    cells = (left * k + right) * 3 + votes["outcome"][counted]
    if rules.once:
        pairs = np.minimum(left, right) * k + np.maximum(left, right)
        cells = cells[_is_first(votes["user"][counted], pairs, votes["time"][counted])]
    without = np.count_nonzero(~has_click & ~is_bot)
    lists = [np.count_nonzero(is_bot), without, len(left) - len(cells), len(cells)]
    counts = np.bincount(cells)
    return np.flatnonzero(counts), counts[counts > 0], np.array(lists)


def _find_bots(users: NDArray[np.uint64], times: Floats, most: int) -> Bools:
    """Which votes are of a user's day with more than ``most`` lists in a minute."""
    is_bot = np.zeros(len(users), np.bool_)
    # Users share bins. In a bin with few lists nobody is a bot, which spares most users a closer look.
    last = np.uint64((1 << (len(users) // A_BIN).bit_length()) - 1)
    bins = (users >> _1 & last).astype(np.int64)
    suspects = np.flatnonzero((np.bincount(bins)[bins] > most) & (users != 0))
    users, times = users[suspects], times[suspects]
    minutes, days = (_join_words(users, times // length) for length in (MINUTE, DAY))
    ordered = np.sort(minutes)
    # A word that stands there more than ``most`` times is the same so many places on.
    crowded = ordered[most:][ordered[most:] == ordered[:-most]]
    is_bot[suspects] = np.isin(days, days[np.isin(minutes, crowded)])
    return is_bot


def _is_first(users: NDArray[np.uint64], pairs: Ints, times: Floats) -> Bools:
    """Which votes are a user's earliest on their pair, or have no user."""
    keys = _join_words(users, pairs)
    order = np.lexsort((times, keys))
    first = users == 0
    first[order[:1]] = True
    first[order[1:]] |= keys[order[1:]] != keys[order[:-1]]
    return first


def _join_words(users: NDArray[np.uint64], numbers: NDArray[Any]) -> NDArray[np.uint64]:
    """A word for each user with a number, such as a minute; different ones share it as seldom as two users do."""
    return mix_bits(users ^ numbers.astype(np.uint64) * _SPREAD)
