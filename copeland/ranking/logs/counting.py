"""A click log of any size as counts of wins by pair.

Three steps, each cut into tasks, on this machine or on a cluster:

1. Files are read a batch at a time. Their rows, as records of one size, go into temporary files by a hash of the
   impression's id.
2. Of each such part, clicks are joined to lists and credited. The votes go into files by a hash of the user.
3. Of each part of the users, bots are left out and the votes counted.

So memory holds one part at a time: 6 MiB of the files, or a 256th of them if that is more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter, nearest
from copeland.ranking.logs.counts import ClickCounts
from copeland.ranking.logs.files import CLICK_COLUMNS, SHOWN_COLUMNS, files_of
from copeland.ranking.logs.joining import CLICKS, LISTS, Rules
from copeland.ranking.logs.steps import Joining, Reading, Tallying
from copeland.ranking.logs.tallying import FATES
from copeland.support.tasks import Arrays, check_workers, finish
from copeland.waiting import waiting

PART = 6 * 2**20  # bytes of log files to a part: few enough lists to stay near the processor
MOST_PARTS = 256  # a reader keeps two files of each open, and systems allow some 1,000
MOST_RANKERS = 2_000
READERS = 4  # shares of the files for each process, so that none waits long for another

Progress = Callable[[int, int], None]


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
    check_rules(rules)
    _check_columns(columns or {})
    lists, events = files_of(shown), files_of(clicks)
    size = sum(path.stat().st_size for path in lists + events)
    parts = min(MOST_PARTS, max(1, -(-size // part)))
    scratched = tempfile.TemporaryDirectory(dir=scratch, prefix="copeland-clicks-")
    with waiting("parts", progress) as tell, scratched as place:
        readers = _readers(lists, events, Path(place), parts, columns or {}, jobs)
        total, done = len(readers) + 2 * parts, 0

        def results(tasks: Sequence[Any]) -> list[Arrays]:
            nonlocal done
            before = done
            found = finish(tasks, None, jobs, backend, lambda n, _: tell(before + n, total))
            done += len(tasks)
            return found

        read = results(readers)
        labels, tables = _merged([one["names"].tolist() for one in read])
        folder = Path(place)
        joined = results([Joining(p, folder, parts, tables, rules) for p in range(parts)])
        ends = np.array([one["ends"] for one in joined])
        spans = [ends[:, p : p + 2].copy() for p in range(parts)]
        tallied = results([Tallying(folder, span, len(labels), rules) for span in spans])
    return _counts(labels, read, joined, tallied)


def check_rules(rules: Rules) -> None:
    """Refuse rules that leave nothing to count."""
    if not rules.window > 0:
        raise InvalidParameter(f"window is {rules.window:g}; it must be above 0 seconds.")
    if not rules.since < rules.until:
        raise InvalidParameter("until is not later than since, so no list is shown in between.")
    if rules.bots < 1:
        raise InvalidParameter(f"bots is {rules.bots}; allow a user at least 1 list a minute.")


def _check_columns(columns: Mapping[str, str]) -> None:
    known = {**SHOWN_COLUMNS, **CLICK_COLUMNS}
    for role in columns:
        if role not in known:
            raise InvalidParameter(f"there is no column role '{role}'; {nearest(role, known)}")


def _readers(
    lists: list[Path],
    events: list[Path],
    folder: Path,
    parts: int,
    columns: Mapping[str, str],
    jobs: int,
) -> list[Reading]:
    """Share out the files; each share is a run of files, so that their order is kept."""
    shares = 1 if jobs == 1 else min(READERS * jobs, max(len(lists), len(events)))
    return [
        Reading(n, _share(lists, shares, n), _share(events, shares, n), folder, parts, columns)
        for n in range(shares)
    ]


def _share(files: list[Path], shares: int, n: int) -> tuple[Path, ...]:
    return tuple(files[n * len(files) // shares : (n + 1) * len(files) // shares])


def _merged(named: list[list[str]]) -> tuple[list[str], list[NDArray[np.int16]]]:
    """All names, and for each reader the numbers of its own among them; the first one's are 0, 1, ..."""
    labels = list(dict.fromkeys(name for names in named for name in names))
    if len(labels) > MOST_RANKERS:
        raise InvalidParameter(
            f"the log names {len(labels):,} rankers, but at most {MOST_RANKERS:,} can be compared; are left and "
            "right the right columns?"
        )
    numbers = {name: n for n, name in enumerate(labels)}
    return labels, [np.array([numbers[name] for name in names], np.int16) for names in named]


def _counts(
    labels: list[str], read: list[Arrays], joined: list[Arrays], tallied: list[Arrays]
) -> ClickCounts:
    k = len(labels)
    counts = np.zeros((k * k, 3), np.int64)
    for one in tallied:
        counts[one["pairs"]] += one["counts"]
    left, right, ties = counts.reshape(k, k, 3).transpose(2, 0, 1)
    order = np.argsort(np.array(labels, np.str_), kind="stable")
    lists = {
        **_named(FATES, tallied, "fates"),
        **_named(LISTS, joined, "lists"),
    }
    rows = np.sum([one["rows"] for one in read], axis=0)
    named = [str(line) for one in read for line in one["unreadable"]]
    return ClickCounts(
        tuple(labels[i] for i in order),
        (left + right.T)[np.ix_(order, order)],
        (ties + ties.T)[np.ix_(order, order)],
        {"read": int(rows[0]), **lists},
        {"read": int(rows[1]), **_named(CLICKS, joined, "clicks")},
        int(rows[2]),
        tuple(named),
    )


def _named(names: Sequence[str], results: list[Arrays], key: str) -> dict[str, int]:
    total = np.sum([one[key] for one in results], axis=0)
    return dict(zip(names, map(int, total), strict=True))
