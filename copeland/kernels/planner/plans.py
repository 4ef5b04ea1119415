"""The price of the cheapest certificate (i, l) of an option: its cheapest wins, and losses of all others."""

from __future__ import annotations

import math

from copeland.kernels.heaps import sink
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.claims import is_held
from copeland.kernels.planner.losses import losses_price
from copeland.kernels.planner.meetings import NONE, after, claim_of, opponent
from copeland.kernels.planner.planner_state import count_shown_losses, win_level
from copeland.kernels.planner.prices import BLOCKED, price_of

UNPRICED = 1.0  # in a row of prices less than 0
FAR = 1e13  # the weight of a claim that cannot be asked: that of hundreds of the dearest that can


@kernel
def weight(cost, blocked):
    """Return what plans are compared by: the claims that cannot be asked, then the price of the others."""
    return cost + blocked * FAR


@kernel
def price_row(planner, i):
    """Price every win of option i, and list them in a heap, the dearest first: by prices less than 0."""
    level = win_level(planner, planner.skipped[i])
    for j in range(len(planner.row)):
        planner.row[j] = UNPRICED
        planner.left_out[j] = False
        planner.fresh[j] = j != i
    price_met(planner, i, level)
    size = 0
    for j in range(len(planner.row)):
        if j != i:
            if planner.row[j] == UNPRICED:
                planner.row[j] = -price_of(planner, NONE, i, j, level)
            planner.heap[size] = j
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        sink(planner.heap, None, planner.row, at, size)


@kernel
def price_met(planner, i, level):
    """Price the wins of option i over those that it met: without a search for each of all others."""
    meetings = planner.meetings
    entry = meetings.head[i]
    while entry != NONE:
        j = opponent(meetings, entry, i)
        planner.row[j] = -price_of(planner, entry, i, j, level)
        planner.fresh[j] = not is_held(planner.claims, claim_of(meetings, entry, i))
        entry = after(meetings, entry, i)


@kernel
def leave_out_dearest(planner, size):
    """Leave the dearest win of the row out, of ``size`` that are left in the heap."""
    dearest = planner.heap[0]
    planner.left_out[dearest] = True
    planner.heap[0] = planner.heap[size - 1]
    sink(planner.heap, None, planner.row, 0, size - 1)


@apart
def plan(planner, i):
    """Find the cheapest certificate of option i with l near what it was; keep that l.

    Return its weight, and the price of what can be asked of it. The weight is infinite if decisions rule it out.
    """
    k = len(planner.row)
    if planner.margin[0] == 0:  # then a loss that is shown rules the win out, so l is no less
        planner.skipped[i] = max(planner.skipped[i], min(count_shown_losses(planner, i), k - 2))
    least, most = range_of_l(planner, i)
    before = planner.skipped[i] = min(planner.skipped[i], most)
    price_row(planner, i)
    best, best_cost, best_l = math.inf, 0.0, before
    for l in range(min(before + 1, k - 2) + 1):
        if l > 0:
            leave_out_dearest(planner, k - l)
        if l >= max(before - 1, least) and l <= most:
            wins, blocked = planned_wins(planner, i)
            losses, more = other_losses(planner, i, l, best - weight(wins, blocked))
            total = weight(wins + losses, blocked + more)
            if total < best:
                best, best_cost, best_l = total, wins + losses, l
    planner.skipped[i] = best_l
    return best, best_cost


@kernel
def range_of_l(planner, i):
    """Return the least and the highest l with which decisions may leave (i, l) a certificate.

    The wins of i that are ruled out are left out; and an option with w proved wins loses K - 1 - w times at most.
    The option of the most proved wins has such an l, and l or l - 1 leaves every loss open that it needs.
    """
    k = len(planner.row)
    if not planner.exclusive[0]:
        return 0, k - 2
    won = 0
    for j in range(k):
        if j != i:
            won = max(won, planner.claims.won[j])
    return planner.claims.lost[i], min(k - 1 - won, k - 2)


@kernel
def planned_wins(planner, i):
    """Return the price of the wins that are not left out, and how many of them cannot be asked."""
    cost, blocked = 0.0, 0
    for j in range(len(planner.row)):
        if j != i and not planner.left_out[j]:
            if planner.row[j] == -BLOCKED:
                blocked += 1
            else:
                cost -= planner.row[j]
    return cost, blocked


@kernel
def other_losses(planner, i, l, enough):
    """Return the same of the losses that certificate (i, l) needs beside the wins of i.

    Stop where they weigh more than ``enough``.
    """
    cost, blocked = 0.0, 0
    if l == 0:
        return cost, blocked
    for j in range(len(planner.row)):
        missing = losses_missing(planner, i, j, l, planner.left_out[j])
        if j != i and missing > 0:
            more, unaskable = losses_price(planner, j, missing, i)
            cost += more
            blocked += unaskable
            if weight(cost, blocked) > enough:
                break
    return cost, blocked


@kernel
def losses_missing(planner, i, j, l, left_out):
    """Return how many losses of j must still be proved for (i, l), beside the one that i may prove."""
    needed = l - int(planner.fresh[j] and not left_out)
    return 0 if count_shown_losses(planner, j) >= needed else needed - planner.claims.lost[j]
