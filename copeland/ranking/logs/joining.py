"""Clicks joined to the lists that were clicked, and credited: who has more clicks on its team has won.

One call sees all rows of one part of the ids, so that its tables fit into memory however long the log is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.kernels import kernel
from copeland.ranking.logs.hashing import fast, place_in
from copeland.ranking.logs.records import CLICK, VOTE, Records

LEFT, RIGHT, TIE, NO_CLICK = 0, 1, 2, 3  # outcomes of a list

# What becomes of lists and of clicks; each is counted.
LISTS = ("repeated", "outside")
REPEATED, OUTSIDE = range(len(LISTS))
CLICKS = ("never shown", "out of range", "too early", "too late", "repeated", "outside", "taken")
NEVER_SHOWN, OUT_OF_RANGE, EARLY, LATE, AGAIN, ON_OUTSIDE, TAKEN = range(len(CLICKS))

_0, _1 = np.uint64(0), np.uint64(1)


class Rules(NamedTuple):
    """Which lists and clicks count; times are seconds."""

    window: float = 1800.0  # from a list to its last click
    since: float = 0.0  # lists shown from here
    until: float = np.inf  # to before this
    bots: int = 60  # a user with more lists than this in a minute of the clock is none
    once: bool = False  # whether a user's first vote on a pair alone counts


class Joined(NamedTuple):
    """The votes of one part of the log, and what became of its lists and clicks."""

    votes: Records
    lists: NDArray[np.int64]  # one for each of LISTS
    clicks: NDArray[np.int64]  # one for each of CLICKS


@kernel
def enter(ids, mores, times, table, repeats, counts):
    """Put each list into the table; of several with one id, the earliest, and mark the others."""
    for row in range(len(ids)):
        slot = place_in(table, ids, mores, ids[row], mores[row], ids[row])
        other = table[slot]
        if other < 0:
            table[slot] = row
            continue
        counts[REPEATED] += 1
        if times[row] < times[other]:
            table[slot] = row
            repeats[other] = True
        else:
            repeats[row] = True


@kernel
def fate_of(time, position, row, times, lengths, rules):
    """Return what becomes of a click on a list."""
    window, since, until = rules
    if times[row] < since or times[row] >= until:
        return ON_OUTSIDE
    if position < 1 or position > lengths[row]:
        return OUT_OF_RANGE
    if time < times[row]:
        return EARLY
    return LATE if time > times[row] + window else TAKEN


@kernel
def take_clicks(clicks, shown, table, rules, clicked, counts):
    """Mark the positions that were clicked on each list."""
    click_ids, click_mores, click_times, positions = clicks
    ids, mores, times, lengths = shown
    for click in range(len(click_ids)):
        slot = place_in(table, ids, mores, click_ids[click], click_mores[click], click_ids[click])
        row = table[slot]
        if row < 0:
            counts[NEVER_SHOWN] += 1
            continue
        fate = fate_of(click_times[click], positions[click], row, times, lengths, rules)
        if fate == TAKEN:
            bit = _1 << np.uint64(positions[click] - 1)
            if clicked[row] & bit != _0:
                fate = AGAIN
            clicked[row] |= bit
        counts[fate] += 1


@kernel
def bits_in(word):
    """Return how many bits of a word are set."""
    number = 0
    while word != _0:
        word &= word - _1
        number += 1
    return number


@kernel
def outcome_of(clicked, left_team, right_team):
    """Return who has more clicks on its team."""
    if clicked == _0:
        return NO_CLICK
    lead = bits_in(clicked & left_team) - bits_in(clicked & right_team)
    if lead == 0:
        return TIE
    return LEFT if lead > 0 else RIGHT


@kernel
def credit_lists(repeats, lists, clicked, rules, votes, counts):
    """Write the vote of each list that counts; return how many there are."""
    users, times, lefts, rights, left_teams, right_teams = lists
    _, since, until = rules
    to_users, to_times, to_lefts, to_rights, outcomes = votes
    n = 0
    for row in range(len(repeats)):
        if repeats[row]:
            continue
        if times[row] < since or times[row] >= until:
            counts[OUTSIDE] += 1
            continue
        to_users[n] = users[row]
        to_times[n] = times[row]
        to_lefts[n] = lefts[row]
        to_rights[n] = rights[row]
        outcomes[n] = outcome_of(clicked[row], left_teams[row], right_teams[row])
        n += 1
    return n


def join(shown: Records, clicks: Records, rules: Rules) -> Joined:
    """Return the vote of each list, and what became of lists and clicks."""
    table = np.full(1 << (2 * len(shown)).bit_length(), -1, np.int32)
    lists, fates = np.zeros(len(LISTS), np.int64), np.zeros(len(CLICKS), np.int64)
    clicked, votes = np.zeros(len(shown), np.uint64), np.empty(len(shown), VOTE)
    told = (float(rules.window), float(rules.since), float(rules.until))
    repeats = np.zeros(len(shown), np.bool_)
    fast(enter)(shown["id"], shown["more"], shown["time"], table, repeats, lists)
    known = _columns(shown, "id", "more", "time", "length")
    fast(take_clicks)(_columns(clicks, *CLICK.fields or ()), known, table, told, clicked, fates)
    whole = _columns(shown, "user", "time", "left", "right", "left_team", "right_team")
    made = _columns(votes, *VOTE.fields or ())
    n = fast(credit_lists)(repeats, whole, clicked, told, made, lists)
    return Joined(votes[:n], lists, fates)


def _columns(records: Records, *names: str) -> tuple[NDArray[Any], ...]:
    return tuple(records[name] for name in names)
