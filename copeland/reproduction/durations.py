"""How long the reproduction will take, from what each part took before."""

from __future__ import annotations

from collections.abc import Sequence

from copeland.reproduction import score_ties as ties
from copeland.reproduction.reproduction import PARTS

# CPU seconds of each part, quick and full, on one core of a server of 2024; compiling is not counted.
MEASURED = {
    "small": (15, 330),
    "large": (40, 900),
    "condorcet": (4, 60),
    "modern": (10, 120),
    "sensitivity": (12, 600),
    "cuts": (12, 300),
    "analyses": (28, 500),
    "ties": (20, 400),  # the analyses of the consistent matrix
}
OF_MATRIX = ("cuts", "analyses")
_COMPARISONS_A_SECOND = 1_200_000


def duration(
    only: Sequence[str],
    full: bool,
    jobs: int,
    matrix: bool,
    rows: ties.Rows | None,
    comparisons: int = 0,
) -> str:
    """Return how long it will take, in a sentence.

    Examples
    --------
    >>> duration(["condorcet"], full=True, jobs=2, matrix=False, rows=None)
    'this takes about 1 minute of CPU time, 30 seconds with 2 processes; finished work takes none.'
    """
    parts = [part for part in only or PARTS if matrix or part not in OF_MATRIX]
    seconds = sum(MEASURED[part][full] for part in parts if part in MEASURED and part != "ties")
    if rows is not None and "ties" in parts:
        asked = comparisons or (ties.FULL_COMPARISONS if full else ties.QUICK_COMPARISONS)
        pairs = rows.features * (rows.features - 1) // 2
        kinds = len(ties.MODES) * len(ties.CLICKS)
        closer = len(ties.CLICKS) * rows.features * ties.CLOSER * 2  # and some as closely again
        seconds += MEASURED["ties"][full] + (kinds * pairs + closer) * asked / _COMPARISONS_A_SECOND
    shared = f", {_time(seconds / jobs)} with {jobs} processes" if jobs > 1 else ""
    return f"this takes about {_time(seconds)} of CPU time{shared}; finished work takes none."


def _time(seconds: float) -> str:
    if seconds < 50:
        return f"{max(10, round(seconds, -1)):.0f} seconds"
    minutes = max(1, round(seconds / 60))
    if minutes < 100:
        return f"{minutes} minute{'s' if minutes > 1 else ''}"
    return f"{round(minutes / 60)} hours"
