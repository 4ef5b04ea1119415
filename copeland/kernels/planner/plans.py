"""The price of the cheapest certificate (i, l) of an option: its cheapest wins, and losses of all others."""

from __future__ import annotations

import math

from copeland.kernels.claims import is_held
from copeland.kernels.mark import apart, kernel
from copeland.kernels.meetings import NONE, entry_of, side_of
from copeland.kernels.planner.losses import losses_price
from copeland.kernels.planner.prices import price_of
from copeland.kernels.planner.state import win_level


@kernel
def price_row(planner, i):
    """Price every win of option i, and list them in a heap, the dearest first."""
    level = win_level(planner, planner.skipped[i])
    has_met = planner.meetings.met[i] > 0
    size = 0
    for j in range(len(planner.row)):
        planner.left_out[j] = False
        planner.fresh[j] = False
        if j == i:
            continue
        entry = entry_of(planner.meetings, i, j) if has_met else NONE
        planner.row[j] = price_of(planner, entry, i, j, level)
        planner.heap[size] = j
        size += 1
        planner.fresh[j] = entry == NONE or not is_held(
            planner.claims, 2 * entry + side_of(planner.meetings, entry, i)
        )
    for at in range(size // 2 - 1, -1, -1):
        _sink(planner, at, size)


@kernel
def _sink(planner, at, size):
    """Let an option sink in the heap of dear ones to where it belongs."""
    heap, row = planner.heap, planner.row
    option = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and row[heap[child + 1]] > row[heap[child]]:
            child += 1
        if row[option] >= row[heap[child]]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = option


@kernel
def leave_out_dearest(planner, size):
    """Leave the dearest win of the row out, of ``size`` that are left in the heap."""
    dearest = planner.heap[0]
    planner.left_out[dearest] = True
    planner.heap[0] = planner.heap[size - 1]
    _sink(planner, 0, size - 1)


@apart
def plan(planner, i):
    """Return the price of the cheapest certificate of option i with l near what it was; keep that l."""
    k = len(planner.row)
    if planner.margin[0] == 0:  # then a loss that is shown rules the win out, so l is no less
        planner.skipped[i] = max(planner.skipped[i], min(planner.claims.lost[i], k - 2))
    before = planner.skipped[i]
    price_row(planner, i)
    best, best_l = math.inf, before
    for l in range(min(before + 1, k - 2) + 1):
        if l > 0:
            leave_out_dearest(planner, k - l)
        if l >= before - 1:
            wins = planned_wins(planner, i)
            total = wins + other_losses(planner, i, l, best - wins)
            if total < best:
                best, best_l = total, l
    planner.skipped[i] = best_l
    return best


@kernel
def planned_wins(planner, i):
    """Return the price of the wins that are not left out."""
    total = 0.0
    for j in range(len(planner.row)):
        if j != i and not planner.left_out[j]:
            total += planner.row[j]
    return total


@kernel
def other_losses(planner, i, l, enough):
    """Return the price of the losses that certificate (i, l) needs beside the wins of i."""
    total = 0.0
    if l == 0:
        return total
    for j in range(len(planner.row)):
        missing = losses_missing(planner, i, j, l, planner.left_out[j])
        if j != i and missing > 0:
            total += losses_price(planner, j, missing, i)
            if total > enough:
                break
    return total


@kernel
def losses_missing(planner, i, j, l, left_out):
    """Return how many losses of j must still be proved for (i, l), beside the one that i may prove."""
    return l - planner.claims.lost[j] - int(planner.fresh[j] and not left_out)
