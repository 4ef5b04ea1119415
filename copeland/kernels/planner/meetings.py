"""Votes of the pairs that met, and nothing of those that did not: memory for 100,000 options.

Each pair that ever met has an entry; a hash table leads from the pair to it, and from each option a
linked list runs through its entries. Kernels allocate nothing: when the entries are used up the table
is :func:`full`, and :func:`with_room` returns a larger copy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Ints
from copeland.kernels.mark import kernel

NONE = -1


class Meetings(NamedTuple):
    """The pairs that met, in the order of their first meeting."""

    slots: Ints  # a power of two of them: the entry of a pair by its hash, NONE if free
    first: Ints  # by entry: the lower of its two options
    second: Ints  # by entry: the higher
    won: Ints  # entries x 2: votes for the first, for the second
    tied: Ints  # by entry
    pending: Ints  # by entry: answers under way
    following: Ints  # entries x 2: the entry that follows in the first's list, in the second's
    head: Ints  # by option: where its list begins
    met: Ints  # by option: how many others it met
    size: Ints  # (1,): the number of entries in use


def new_meetings(k: int, room: int) -> Meetings:
    """Return K options that never met, with entries for ``room`` pairs."""
    return Meetings(
        slots=np.full(_slots_for(room), NONE, np.int64),
        first=np.zeros(room, np.int64),
        second=np.zeros(room, np.int64),
        won=np.zeros((room, 2), np.int64),
        tied=np.zeros(room, np.int64),
        pending=np.zeros(room, np.int64),
        following=np.full((room, 2), NONE, np.int64),
        head=np.full(k, NONE, np.int64),
        met=np.zeros(k, np.int64),
        size=np.zeros(1, np.int64),
    )


def _slots_for(room: int) -> int:
    return 1 << (2 * room).bit_length()  # at most half of them in use: chains stay short


def with_room(meetings: Meetings, room: int) -> Meetings:
    """Return the same meetings with entries for ``room`` pairs."""
    size = int(meetings.size[0])
    larger = new_meetings(len(meetings.head), room)
    for name in ("first", "second", "won", "tied", "pending", "following"):
        getattr(larger, name)[:size] = getattr(meetings, name)[:size]
    larger.head[:] = meetings.head
    larger.met[:] = meetings.met
    larger.size[:] = size
    _index_all(larger.slots, larger.first[:size], larger.second[:size])
    return larger


def _index_all(slots: Ints, first: Ints, second: Ints) -> None:
    """Put every entry where :func:`entry_of` will look for it: all at once, round by round."""
    waiting = np.arange(len(first))
    at = pair_hash(first, second) & (len(slots) - 1)
    while len(waiting):
        free = slots[at] == NONE
        _, placed = np.unique(at[free], return_index=True)  # of those that want a slot, one has it
        chosen = np.flatnonzero(free)[placed]
        slots[at[chosen]] = waiting[chosen]
        left = np.ones(len(waiting), bool)
        left[chosen] = False
        waiting, at = waiting[left], (at[left] + 1) & (len(slots) - 1)


@kernel
def pair_hash(a, b):
    """Return a whole number from 0 that looks random, for a < b."""
    x = (a * 0x1E3779B1 + b * 0x45EBCA77) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    return x ^ (x >> 15)


@kernel
def full(meetings):
    """Tell whether there is no entry left for a new pair."""
    return meetings.size[0] == len(meetings.first)


@kernel
def entry_of(meetings, i, j):
    """Return the entry of a pair, NONE if it never met."""
    return meetings.slots[_slot(meetings, min(i, j), max(i, j))]


@kernel
def enter(meetings, i, j):
    """Return the entry of a pair, made now if it never met; there must be room."""
    a, b = min(i, j), max(i, j)
    slot = _slot(meetings, a, b)
    if meetings.slots[slot] != NONE:
        return meetings.slots[slot]
    entry = meetings.size[0]
    meetings.size[0] += 1
    meetings.slots[slot] = entry
    meetings.first[entry] = a
    meetings.second[entry] = b
    meetings.following[entry, 0] = meetings.head[a]
    meetings.following[entry, 1] = meetings.head[b]
    meetings.head[a] = meetings.head[b] = entry
    meetings.met[a] += 1
    meetings.met[b] += 1
    return entry


@kernel
def _slot(meetings, a, b):
    """Return the slot that holds the pair a < b, or the free one where it belongs."""
    mask = len(meetings.slots) - 1
    slot = pair_hash(a, b) & mask
    entry = meetings.slots[slot]
    while entry != NONE and (meetings.first[entry] != a or meetings.second[entry] != b):
        slot = (slot + 1) & mask
        entry = meetings.slots[slot]
    return slot


@kernel
def side_of(meetings, entry, option):
    """Return 0 if the option is the entry's first, 1 if it is its second."""
    return 0 if meetings.first[entry] == option else 1


@kernel
def claim_of(meetings, entry, winner):
    """Return the number that :class:`Claims` has for "the winner beats the other of this entry"."""
    return 2 * entry + side_of(meetings, entry, winner)


@kernel
def opponent(meetings, entry, option):
    """Return whom the option met in this entry."""
    return meetings.first[entry] + meetings.second[entry] - option


@kernel
def after(meetings, entry, option):
    """Return the entry that follows in the option's list, NONE at its end."""
    return meetings.following[entry, side_of(meetings, entry, option)]
