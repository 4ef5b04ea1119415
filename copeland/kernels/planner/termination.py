"""What makes sure that voting ends, whatever the plans are: docs/one-algorithm.md has the proof.

Plans are searched for locally, and for few options at a time. So a look is taken now and then whether the
claims that are proved make a certificate of any option; and at vote numbers 64^2, 65^2, 66^2, ..., ever
rarer, a vote goes to a pair that no plan may want, each open pair in its turn.
"""

from __future__ import annotations

import math

from copeland.kernels.arrays import find_greatest
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import lay_out
from copeland.kernels.planner.meetings import NONE, entry_of
from copeland.kernels.planner.planner_state import count_shown_losses, win_level

FIRST_TURN = 64  # its square is beyond most studies, and few of any number of votes are squares


@kernel
def turn(planner):
    """Return n if the votes so far are n^2 for n >= FIRST_TURN, else 0."""
    n = round(math.sqrt(planner.counted[0]))
    return n if n >= FIRST_TURN and n * n == planner.counted[0] else 0


@apart
def waiting_pair(planner, n):
    """Return the open pair whose turn it is: number n of all pairs, or the next that is open.

    NONE twice if no pair is.
    """
    k = len(planner.points)
    pairs = k * (k - 1) // 2
    i, place = 0, n % pairs
    while place >= k - 1 - i:
        place -= k - 1 - i
        i += 1
    j = i + 1 + place
    for _ in range(pairs):
        if is_waiting(planner, i, j):
            return i, j
        j += 1
        if j == k:
            i = i + 1 if i + 2 < k else 0
            j = i + 1
    return NONE, NONE


@kernel
def is_waiting(planner, i, j):
    """Tell whether a pair may be asked, no answer is under way, and neither side is proved for good."""
    if not (planner.asking[i] and planner.asking[j]):
        return False
    entry = entry_of(planner.meetings, i, j)
    if entry == NONE:
        return True
    evidence = planner.claims.evidence
    level = highest_level(planner)
    return (
        planner.meetings.pending[entry] == 0
        and evidence[2 * entry] <= level
        and evidence[2 * entry + 1] <= level
    )


@kernel
def highest_level(planner):
    """Return the evidence that makes a claim good for every certificate."""
    return win_level(planner, len(planner.points) - 2)


@apart
def crown_winner(planner):
    """Make an option the champion whose certificate is proved, if the claims good for all make one.

    Once each pair is decided, they do: the option of the most wins has l = K - 1 - wins, and any other
    has at least K - 1 - (its own wins) >= l losses.
    """
    k = len(planner.points)
    meetings, evidence = planner.meetings, planner.claims.evidence
    level = highest_level(planner)
    won = planner.row
    won[:] = 0.0
    for entry in range(meetings.size[0]):
        won[meetings.first[entry]] += int(evidence[2 * entry] > level)
        won[meetings.second[entry]] += int(evidence[2 * entry + 1] > level)
    champion = find_greatest(won)
    l = k - 1 - int(won[champion])
    if l == k - 1:
        return
    for j in range(k):
        if j != champion and count_shown_losses(planner, j) < l:
            return
    planner.champion[0] = champion
    planner.skipped[champion] = l
    lay_out(planner)
