"""The heat maps of the leaderboard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.heat import heat_map
from benchmarks.leaderboard.rows import Row, rows_of
from benchmarks.leaderboard.scores import Score
from copeland.report.document import image

FAR = 5.0  # from here on all are alike
_BOARDS = {"Regret": "mean regret", "Identification": "mean votes"}


def board_map(rows: Sequence[Row], board: str) -> Figure:
    """Return the means of one board in multiples of the least of each problem."""
    on = [row for row in rows if row.board == board]
    problems = list(dict.fromkeys(row.problem for row in on))
    found = {(row.algorithm, row.problem): min(row.ratio or FAR, FAR) for row in on}
    label = f"{_BOARDS[board]}, in multiples of the least on the problem; grey: not run, or cut"
    return heat_map(
        np.array([[found.get((a, p), math.nan) for p in problems] for a in _ranked(on)]),
        [f"{a} †" if _assumes(on, a) else a for a in _ranked(on)],
        problems,
        ticks=(1, 1.5, 2, 3, FAR),
        label=label,
        names=("1 or less", "1.5", "2", "3", f"{FAR:g} or more"),
    )


def _ranked(rows: Sequence[Row]) -> list[str]:
    """The algorithms, the lowest on the whole first: by the mean logarithm over the problems each was run on."""
    logs: dict[str, list[float]] = {}
    for row in rows:
        ratio = min(row.ratio or FAR, FAR)
        logs.setdefault(row.algorithm, []).extend([] if math.isnan(ratio) else [math.log(ratio)])
    return sorted(logs, key=lambda name: sum(logs[name]) / max(len(logs[name]), 1))


def _assumes(rows: Sequence[Row], algorithm: str) -> bool:
    return any(row.assumes for row in rows if row.algorithm == algorithm)


def write_maps(scores: Sequence[Score], folder: Path) -> None:
    """Draw every board into a folder."""
    rows = rows_of(scores)
    folder.mkdir(parents=True, exist_ok=True)
    for board in dict.fromkeys(row.board for row in rows):
        name = f"leaderboard-{board.lower()}.svg"
        (folder / name).write_bytes(image(board_map(rows, board), "svg"))
