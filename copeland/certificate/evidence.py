"""Counts of votes, checked, and the evidence of many pairs at once, in nats."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import PRIOR
from copeland.support.arrays import Bools, Floats, Ints


def check_counts(
    wins: ArrayLike, ties: ArrayLike | None = None, missing: ArrayLike | None = None
) -> tuple[Ints, Ints, Ints]:
    """Return the three tables of counts, all of one size."""
    won = _whole_counts(wins, "wins")
    k = len(won)
    return won, _symmetric_counts(ties, "ties", k), _symmetric_counts(missing, "missing", k)


def _whole_counts(values: ArrayLike, what: str) -> Ints:
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


def _symmetric_counts(values: ArrayLike | None, what: str, k: int) -> Ints:
    """Return a symmetric table of counts of k options, all 0 if there is none."""
    if values is None:
        return np.zeros((k, k), dtype=np.int64)
    given = _whole_counts(values, what)
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


DENSE = 2_500  # pairs, of which all are looked at


def log_evidence_of_pairs(wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
    """:func:`log_evidence_of_votes` of all pairs at once; of many options, most pairs have no votes and the same evidence."""
    met = wins + losses + ties != 0
    if met.size > DENSE and 2 * np.count_nonzero(met) < met.size:
        none = np.zeros(1, np.int64)
        found = np.full(met.shape, log_evidence_of_votes(none, none, none, margin)[0])
        found[met] = log_evidence_of_votes(wins[met], losses[met], ties[met], margin)
    else:
        found = log_evidence_of_votes(wins, losses, ties, margin)
    np.fill_diagonal(found, -math.inf)
    return found


def log_evidence_of_votes(wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
    """:func:`copeland.kernels.vote_evidence.log_evidence` of many counts at once.

    A negative margin asks for more than 1/2: a tie then counts as so much of a loss.
    """
    m = 0.5 - margin
    a = wins + ties * max(margin / (1 - m), 0.0) + PRIOR
    b = losses + ties * max(-margin / m, 0.0) + PRIOR
    n = a + b
    information = a * np.log(a / n / m) + b * np.log(b / n / (1 - m))
    above = np.where(a > m * n, np.maximum(-np.expm1(-information), 0.0), 0.0)
    spread = 6 * m * m / (1 + 2 * m) * np.sqrt(2 * math.pi * n / a / b)
    with np.errstate(divide="ignore"):
        return information + _stirling(a) + _stirling(b) - _stirling(n) + np.log(spread * above)


def _stirling(z: Floats) -> Floats:
    y = 1 / (z * z)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / z
