"""`make leaderboard`: problems x algorithms, written to docs/leaderboard.md.

The page is written anew after each group of problems; stopped at any time, it goes on where it was.
`--quick` plays a small board within minutes, and writes to out/leaderboard/quick.md instead.
"""

from __future__ import annotations

import os
import sys
from datetime import date
from pathlib import Path

from benchmarks.leaderboard.board import giants, groups, play
from benchmarks.leaderboard.maps import write_maps
from benchmarks.leaderboard.page import leaderboard_page
from benchmarks.pages import leaderboard
from copeland.results import versions, write_file

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "out" / "leaderboard"
JOBS = 2


def main() -> None:
    """Play what is not played yet, and write the page."""
    quick = "--quick" in sys.argv[1:]
    page = FOLDER / "quick.md" if quick else ROOT / "docs" / "leaderboard.md"
    data = Path(os.environ.get("COPELAND_TEST_DATA", "")) / "matrices"
    listed = groups(quick, data if data.is_dir() else None)
    for n, group in enumerate(listed, 1):
        print(group.title, file=sys.stderr)
        measured = giants(quick) if n == len(listed) else ()
        board = play(
            FOLDER, listed[:n], quick=quick, footprints=measured, jobs=JOBS, progress=_tell
        )
        text = leaderboard(leaderboard_page(board, str(date.today()), versions()))
        write_file(page, text.encode())
        write_maps(text, page.parent / "images")
    print(page.relative_to(ROOT), file=sys.stderr)


def _tell(done: int, tasks: int) -> None:
    end = "\n" if done == tasks else ""
    print(f"\r{done} of {tasks}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
