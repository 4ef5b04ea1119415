"""Votes of users counted by pair, without bots and, if wished, once a user and pair.

One call sees all votes of one part of the users. A user without a name is nobody's repeat, and no bot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.kernels import kernel
from copeland.ranking.logs.hashing import fast, mixed, place_in
from copeland.ranking.logs.joining import NO_CLICK, Rules
from copeland.ranking.logs.records import Records

MINUTE, DAY = 60.0, 86_400.0  # seconds; both begin at 1970, UTC

FATES = ("bots", "no click", "further", "votes")  # of a list: each is counted
BOT, WITHOUT_CLICK, FURTHER, VOTED = range(len(FATES))

_0, _1 = np.uint64(0), np.uint64(1)
A_BIN = 8  # lists in a bin of users, in the mean


class Tallied(NamedTuple):
    """Counts of one part of the users: left won, right won, ties of each pair; and what became of lists."""

    counts: NDArray[np.int64]
    fates: NDArray[np.int64]  # one for each of FATES


@kernel
def place_of(table, users, keys, user, key):
    """Return where a user and a key are in the table, or where they would be."""
    start = mixed(user ^ np.uint64(key) * np.uint64(0x9E3779B185EBCA87))
    return place_in(table, users, keys, user, key, start)


@kernel
def bin_of(user, lists):
    """Return the bin of a user; several share one."""
    return np.int64((user >> _1) & np.uint64(len(lists) - 1))


@kernel
def fill_bins(users, lists):
    """Count the lists of each bin: if it has few, none of its users is a bot, which spares most a closer look."""
    for row in range(len(users)):
        if users[row] != _0:
            lists[bin_of(users[row], lists)] += 1


@kernel
def is_suspect(user, lists, most):
    """Tell whether a user may be a bot, by the bin."""
    return user != _0 and lists[bin_of(user, lists)] > most


@kernel
def find_bots(users, times, lists, most, days, minutes, table, seen, bots):
    """Put a row of each bot's day into the table of bots: a day with more than ``most`` lists in a minute."""
    for row in range(len(users)):
        if not is_suspect(users[row], lists, most):
            continue
        minutes[row] = np.int64(times[row] // MINUTE)
        days[row] = np.int64(times[row] // DAY)
        slot = place_of(table, users, minutes, users[row], minutes[row])
        if table[slot] < 0:
            table[slot] = row
        seen[slot] += 1
        if seen[slot] > most:
            bots[place_of(bots, users, days, users[row], days[row])] = row


@kernel
def is_bot(bots, users, days, lists, most, row):
    """Tell whether a user is a bot on the day of this row."""
    if not is_suspect(users[row], lists, most):
        return False
    return bots[place_of(bots, users, days, users[row], days[row])] >= 0


@kernel
def find_first(users, pairs, times, outcomes, found, first):
    """Put each user's earliest vote on each pair into the table."""
    bots, days, lists, most = found
    for row in range(len(users)):
        if users[row] == _0 or outcomes[row] == NO_CLICK:
            continue
        if is_bot(bots, users, days, lists, most, row):
            continue
        slot = place_of(first, users, pairs, users[row], pairs[row])
        if first[slot] < 0 or times[row] < times[first[slot]]:
            first[slot] = row


@kernel
def count_votes(users, pairs, outcomes, found, first, once, counts, fates):
    """Add each vote that counts to its pair."""
    bots, days, lists, most = found
    for row in range(len(users)):
        if is_bot(bots, users, days, lists, most, row):
            fates[BOT] += 1
        elif outcomes[row] == NO_CLICK:
            fates[WITHOUT_CLICK] += 1
        elif (
            once
            and users[row] != _0
            and first[place_of(first, users, pairs, users[row], pairs[row])] != row
        ):
            fates[FURTHER] += 1
        else:
            fates[VOTED] += 1
            counts[pairs[row], outcomes[row]] += 1


def tally(votes: Records, pairs: NDArray[np.int64], number: int, rules: Rules) -> Tallied:
    """Return counts of the votes by pair.

    Parameters
    ----------
    pairs
        Of each vote: its pair's number, below ``number``.
    """
    users, times, outcomes = votes["user"], votes["time"], votes["outcome"]
    found = _bots(users, times, rules.bots)
    first = _table(len(votes) if rules.once else 0)
    if rules.once:
        fast(find_first)(users, pairs, times, outcomes, found, first)
    counts, fates = np.zeros((number, 3), np.int64), np.zeros(len(FATES), np.int64)
    fast(count_votes)(users, pairs, outcomes, found, first, rules.once, counts, fates)
    return Tallied(counts, fates)


def _bots(users: NDArray[np.uint64], times: NDArray[np.float64], most: int) -> tuple[Any, ...]:
    """A table of bots' days; what else :func:`is_bot` asks for."""
    lists = np.zeros(1 << (len(users) // A_BIN).bit_length(), np.int32)
    fast(fill_bins)(users, lists)
    suspects = int(lists[lists > most].sum())
    table, bots = _table(suspects), _table(suspects)
    days, minutes = np.empty((2, len(users)), np.int64)
    seen = np.zeros(len(table), np.int32)
    fast(find_bots)(users, times, lists, most, days, minutes, table, seen, bots)
    return bots, days, lists, most


def _table(rows: int) -> NDArray[np.int32]:
    """An empty table with room for so many rows."""
    return np.full(1 << (2 * rows).bit_length(), -1, np.int32)
