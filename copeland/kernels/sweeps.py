"""Sweeps: a roster that is visited in turn, in a new random order each time round.

That is the rule "take the one taken least often, ties at random", at a cost that does not depend on the roster's length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Ints, draw, new_record
from copeland.kernels.mark import kernel


class Roster(NamedTuple):
    """Numbers that are visited in turn until they are struck off."""

    items: Ints  # those on the roster first; of these, the ones that this round has visited first
    size: Ints  # (1,): how many are on the roster
    visited: Ints  # (1,): how many of them this round has visited


def new_roster(items: Ints) -> Roster:
    """Return a roster of these numbers, none of them visited."""
    return new_record(Roster, items=items.astype(np.int64), size=len(items))


@kernel
def turn(roster, rng):
    """Visit the next item, drawn from those this round has not visited; -1 if the roster is empty."""
    if roster.size[0] == 0:
        return -1
    if is_swept(roster):
        roster.visited[0] = 0
    item = draw(roster.items[: roster.size[0]], roster.visited[0], rng)
    roster.visited[0] += 1
    return item


@kernel
def is_swept(roster):
    """Tell whether every item on the roster has been visited this round."""
    return roster.visited[0] == roster.size[0]


@kernel
def visiting(roster):
    """Return the item visited last."""
    return roster.items[roster.visited[0] - 1]


@kernel
def strike(roster, at):
    """Strike off the item at place ``at``, one of those visited this round."""
    roster.visited[0] -= 1
    roster.size[0] -= 1
    roster.items[at] = roster.items[roster.visited[0]]
    roster.items[roster.visited[0]] = roster.items[roster.size[0]]
