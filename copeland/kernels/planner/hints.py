"""Votes that are only believed: they move prices and plans, and are evidence of nothing.

Whoever has an opinion but no vote hints at pairs. A hint, from -1 to 1, is the correlation of "i beats j" with
what is so, and counts in what is believed of the pair (:mod:`copeland.kernels.planner.prices`). Claims are weighed
by votes alone (:mod:`copeland.kernels.planner.vote_updates`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.planner.champion import make_due
from copeland.kernels.planner.meetings import NONE, enter, entry_of, full
from copeland.kernels.planner.planner_state import Planner, with_more_pairs
from copeland.kernels.planner.vote_updates import credit_pair


def with_hints(planner: Planner, hints: NDArray[Any]) -> Planner:
    """Return the planner with these hints in place of all earlier ones: ``hints[i, j]`` = ``-hints[j, i]``."""
    pairs = np.argwhere(np.triu(hints != 0, 1)).tolist()
    for i, j in pairs:
        planner = _with_entry(planner, i, j)
    _credit_all(planner, -1)
    planner = planner._replace(hints=np.zeros(int(planner.meetings.size[0])))
    for i, j in pairs:
        planner.hints[entry_of(planner.meetings, i, j)] = hints[i, j]
    _credit_all(planner, +1)
    planner.edition[0] += 1  # listed losses have other prices now
    make_due(planner)
    return planner


def _with_entry(planner: Planner, i: int, j: int) -> Planner:
    """The planner with an entry for a pair."""
    if entry_of(planner.meetings, i, j) != NONE:
        return planner
    if full(planner.meetings):
        planner = with_more_pairs(planner)
    credit_pair(planner, enter(planner.meetings, i, j), +1)
    return planner


def _credit_all(planner: Planner, change: int) -> None:
    for entry in range(int(planner.meetings.size[0])):
        credit_pair(planner, entry, change)
