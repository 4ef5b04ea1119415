"""Counts of votes as they come in: checked, and refused in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools, Ints


def check_counts(
    wins: ArrayLike, ties: ArrayLike | None = None, missing: ArrayLike | None = None
) -> tuple[Ints, Ints, Ints]:
    """Return the three tables of counts, all of one size."""
    won = whole_counts(wins, "wins")
    k = len(won)
    return won, symmetric_counts(ties, "ties", k), symmetric_counts(missing, "missing", k)


def whole_counts(values: ArrayLike, what: str) -> Ints:
    """Return a square table of counts."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"{what} must be a square table of counts.") from None
    if given.ndim != 2 or given.shape[0] != given.shape[1] or len(given) < 2:
        raise InvalidParameter(
            f"{what} must be square, a row and a column for each of 2 or more options; "
            f"got shape {given.shape}."
        )
    wrong = ~((given >= 0) & (given == np.floor(given)) & (given < 2**53))  # true also for NaN
    wrong |= np.eye(len(given), dtype=bool) & (given != 0)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise InvalidParameter(
            f"{what}[{i}, {j}] is {given[i, j]:g}; counts are whole numbers from 0 up, and 0 on the diagonal."
        )
    return given.astype(np.int64)


def symmetric_counts(values: ArrayLike | None, what: str, k: int) -> Ints:
    """Return a symmetric table of counts of k options, all 0 if there is none."""
    if values is None:
        return np.zeros((k, k), dtype=np.int64)
    given = whole_counts(values, what)
    if len(given) != k:
        raise InvalidParameter(
            f"{what} has {len(given)} options, and wins has {k}; make them equal."
        )
    if not np.array_equal(given, given.T):
        i, j = np.argwhere(given != given.T)[0]
        raise InvalidParameter(
            f"{what} must be symmetric, but {what}[{i}, {j}] is {given[i, j]} and "
            f"{what}[{j}, {i}] is {given[j, i]}."
        )
    return given


def check_margin(margin: float) -> None:
    """Refuse what is no margin."""
    if not 0 <= margin < 0.5:
        raise InvalidParameter(f"margin is {margin}; it is 0 or more, and less than 0.5.")


def mask_of(active: Sequence[int] | None, k: int) -> Bools:
    """Return which options a statement is about."""
    if active is None:
        return np.ones(k, dtype=bool)
    if len(set(active)) < 2 or not all(0 <= i < k for i in active):
        raise InvalidParameter(
            f"active is {list(active)}; name two or more of the options 0 to {k - 1} by index."
        )
    return np.isin(np.arange(k), list(active))


def check_labels(labels: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Return a name for each option."""
    names = tuple(map(str, range(k) if labels is None else labels))
    if len(names) != k or len(set(names)) != k:
        raise InvalidParameter(
            f"there are {len(set(names))} different labels for {k} options; give each option its own label."
        )
    return names
