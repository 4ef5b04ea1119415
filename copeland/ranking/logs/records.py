"""Rows of logs as records of one size, and the rows that are none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from copeland.ranking.logs.columns import (
    Flags,
    names_of,
    positions_of,
    seconds_of,
    teams_of,
    texts_of,
    words_of,
)
from copeland.ranking.logs.files import Batch, Damage

# A list that was shown: its id in two words, who saw it (0: nobody is named), who made it, and whose its positions are.
SHOWN = np.dtype(
    [
        ("id", np.uint64),
        ("more", np.uint64),
        ("user", np.uint64),
        ("time", np.float64),
        ("left_team", np.uint64),
        ("right_team", np.uint64),
        ("left", np.int16),
        ("right", np.int16),
        ("length", np.int32),
    ]
)
CLICK = np.dtype(
    [("id", np.uint64), ("more", np.uint64), ("time", np.float64), ("position", np.int64)]
)
VOTE = np.dtype(
    [
        ("user", np.uint64),
        ("time", np.float64),
        ("left", np.int16),
        ("right", np.int16),
        ("outcome", np.int32),
    ]
)

_NO_ID = "it has no impression."
_NO_TIME = "its time is neither in ISO 8601 nor in seconds since 1970."
_NO_NAME = "it does not name two rankers."
_SAME = "the same ranker is on both sides."
_NO_TEAMS = "its teams are not 1 to 64 letters L, R or a point, nor a list of 0, 1 and null."
_NO_POSITION = "its position is no whole number."

Records = NDArray[np.void]


def shown_of(batch: Batch, names: dict[str, int]) -> tuple[Records, list[Damage]]:
    """Return the lists shown that a batch tells of, and the rows that cannot be read."""
    texts = texts_of(batch.values["impression"])
    time, timed = seconds_of(batch.values["time"])
    left, is_left = names_of(batch.values["left"], names)
    right, is_right = names_of(batch.values["right"], names)
    teams, drafted = teams_of(batch.values["teams"])
    rows = np.zeros(len(texts.there), SHOWN)
    rows["id"], rows["more"] = words_of(texts)
    rows["time"], rows["left"], rows["right"] = time, left, right
    rows["left_team"], rows["right_team"], rows["length"] = teams
    if "user" in batch.values:
        users = texts_of(batch.values["user"])
        rows["user"] = np.where(users.there, words_of(users)[0] | np.uint64(1), 0)
    faults = (
        (_NO_ID, texts.there),
        (_NO_TIME, timed),
        (_NO_NAME, is_left & is_right),
        (_SAME, left != right),
        (_NO_TEAMS, drafted),
    )
    return _sound(batch, rows, faults)


def clicks_of(batch: Batch) -> tuple[Records, list[Damage]]:
    """Return the clicks that a batch tells of, and the rows that cannot be read."""
    texts = texts_of(batch.values["impression"])
    time, timed = seconds_of(batch.values["time"])
    position, whole = positions_of(batch.values["position"])
    rows = np.zeros(len(texts.there), CLICK)
    rows["id"], rows["more"] = words_of(texts)
    rows["time"], rows["position"] = time, position
    return _sound(batch, rows, ((_NO_ID, texts.there), (_NO_TIME, timed), (_NO_POSITION, whole)))


def _sound(
    batch: Batch, rows: Records, faults: tuple[tuple[str, Flags], ...]
) -> tuple[Records, list[Damage]]:
    """Return the rows without a fault, and each other row with its first one."""
    fine = np.logical_and.reduce([holds for _, holds in faults])
    if fine.all():
        return rows, batch.damaged
    return rows[fine], [*batch.damaged, *_damages(batch, np.flatnonzero(~fine), faults)]


def _damages(
    batch: Batch, bad: NDArray[np.int64], faults: tuple[tuple[str, Flags], ...]
) -> Iterator[Damage]:
    for at in bad:
        reason = next(reason for reason, holds in faults if not holds[at])
        yield Damage(batch.file, int(batch.numbers[at]), reason)
