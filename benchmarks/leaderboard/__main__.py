"""`make leaderboard`: problems x algorithms, written to docs/leaderboard.csv and docs/leaderboard.md.

`ONLY="cpc cpc-pac"` plays these algorithms anew and keeps the lines of the others. The files are written anew
after each group of problems; stopped at any time, it goes on where it was. `QUICK=--quick` plays a small board
within minutes, and writes to out/leaderboard/quick.md instead.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import date
from pathlib import Path

from benchmarks.leaderboard.board import contests, giants, groups, play
from benchmarks.leaderboard.files import write
from benchmarks.leaderboard.scores import Giant
from copeland.registry import algorithms
from copeland.support.tasks import finish
from copeland.version import __version__

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "out" / "leaderboard"
JOBS = 2


def main() -> None:
    """Play what is not played yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", choices=list(algorithms()), metavar="ALGORITHM")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    page = FOLDER / "quick.md" if given.quick else ROOT / "docs" / "leaderboard.md"
    data = Path(os.environ.get("COPELAND_TEST_DATA", "")) / "matrices"
    day = f"{date.today()} by copeland {__version__}"
    for group in groups(given.quick, data if data.is_dir() else None):
        print(group.title, file=sys.stderr)
        listed = contests([group], given.only)
        write(page, play(FOLDER, listed, quick=given.quick, jobs=JOBS, day=day, progress=_tell))
    write(page, giants=_measured(given.quick, given.only, day))
    print(page.relative_to(ROOT), file=sys.stderr)


def _measured(quick: bool, only: list[str], day: str) -> list[Giant]:
    """What very many options take."""
    listed = [one for one in giants(quick) if not only or one.algorithm in only]
    found = finish(listed, FOLDER)
    return [one.measured(arrays, day) for one, arrays in zip(listed, found, strict=True)]


def _tell(done: int, tasks: int) -> None:
    end = "\n" if done == tasks else ""
    print(f"\r{done} of {tasks}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
