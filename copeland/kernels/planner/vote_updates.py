"""Votes as they come, one or many, of any pair at any time; options that come, pause or go on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.compiler.live import live
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import compare, list_claims, make_due, rate_losses, rate_pair
from copeland.kernels.planner.joint_losses import file_claim, show
from copeland.kernels.planner.planner_state import (
    NONE,
    Planner,
    enter,
    entry_of,
    full,
    is_held,
    loss_level,
    lowest_leaf,
    new_planner,
    release,
    set_evidence,
    side_of,
    smallest,
    weakest,
    with_more_pairs,
)
from copeland.kernels.planner.prices import pair_credit, weigh_gap, worth
from copeland.kernels.vote_evidence import decision_index, log_evidence, nats_ahead

STEADY = 128  # after so many votes of a pair, one more hardly moves its price

# Counting


@apart
def take_in(planner, i, j, wins, losses, ties):
    """Count votes of a pair and weigh its claims; let the plan follow if that changes a decision, or if it is time."""
    entry = count_votes(planner, i, j, wins, losses, ties)
    has_changed = update_claims(planner, entry)
    has_changed = show_losses(planner, entry) or has_changed
    if has_changed or wins + losses + ties > 1 or is_due(planner, entry):
        rate_pair(planner, entry)


@kernel
def is_due(planner, entry):
    """Tell whether the plan follows the last vote of a pair: each of the first 256, then one in n / 256 to n / 128 of n.

    Prices and risks hardly move in between. Decisions follow every vote; where wins need other evidence than losses,
    they are part of the prices, so there the plan does too.
    """
    if not planner.costly[0]:
        return True
    meetings = planner.meetings
    n = meetings.won[entry, 0] + meetings.won[entry, 1] + meetings.tied[entry]
    step = 1
    while 2 * STEADY * step <= n:
        step *= 2
    return n % step == 0


@kernel
def count_votes(planner, i, j, wins, losses, ties):
    """Count votes of a pair; return its entry."""
    meetings = planner.meetings
    unmet = entry_of(meetings, i, j) == NONE
    entry = enter(meetings, i, j)
    if not unmet:
        credit_pair(planner, entry, -1)
    side = side_of(meetings, entry, i)
    meetings.won[entry, side] += wins
    meetings.won[entry, 1 - side] += losses
    meetings.tied[entry] += ties
    credit_pair(planner, entry, +1)
    n = wins + losses + ties
    planner.points[i] += wins + ties / 2
    planner.points[j] += losses + ties / 2
    planner.votes[i] += n
    planner.votes[j] += n
    planner.counted[0] += n
    # A wrong claim costs a win at most at each step that it is believed. A vote never counts for less.
    meetings.paid[entry] += n * max(worth(planner, i, j), 1.0)
    return entry


@kernel
def credit_pair(planner, entry, change):
    """Count a pair in (+1) or out of (-1) the credits and the estimate of the gaps."""
    meetings = planner.meetings
    credit = pair_credit(planner, entry)
    planner.credit[meetings.first[entry]] += change * credit
    planner.credit[meetings.second[entry]] += change * (1 - credit)
    won, lost = meetings.won[entry, 0], meetings.won[entry, 1]
    weight, square = weigh_gap(won, lost, won + lost + meetings.tied[entry])
    planner.gaps[0] += change * weight
    planner.gaps[1] += change * square


@kernel
def update_claims(planner, entry):
    """Give both claims of a pair the evidence of its votes, for p > 1/2 - margin: alone, and among those against one option.

    Return whether one of them is decided now that was not, or the reverse.
    """
    has_changed = False
    meetings, margin, level = planner.meetings, planner.margin[0], loss_level(planner)
    ties = meetings.tied[entry]
    n = meetings.won[entry, 0] + meetings.won[entry, 1] + ties
    for side in range(2):
        claim = 2 * entry + side
        winner = meetings.first[entry] if side == 0 else meetings.second[entry]
        loser = meetings.second[entry] if side == 0 else meetings.first[entry]
        won = meetings.won[entry, side]
        if planner.costly[0]:  # regret goes by the index
            nats = nats_ahead(won + ties / 2, n, margin)
            evidence = decision_index(nats, n, meetings.paid[entry], planner.caution[0])
        else:
            nats = 0.0
            evidence = log_evidence(won, meetings.won[entry, 1 - side], ties, margin)
        was_held = is_held(planner.claims, claim)
        set_evidence(planner.claims, claim, winner, loser, evidence, level)
        has_changed = has_changed or is_held(planner.claims, claim) != was_held
        if planner.joint.used[0]:
            file_claim(planner.joint, claim, loser, nats)
    return has_changed


@kernel
def show_losses(planner, entry):
    """Find out how many losses of the two options of a pair are shown; tell whether that is a change."""
    joint, meetings = planner.joint, planner.meetings
    if not joint.used[0]:
        return False
    i, j = meetings.first[entry], meetings.second[entry]
    before = joint.shown[i], joint.shown[j]
    show(joint, planner.claims, i, loss_level(planner))
    show(joint, planner.claims, j, loss_level(planner))
    return before[0] != joint.shown[i] or before[1] != joint.shown[j]


@kernel
def expire(planner):
    """Give up the claims whose evidence the level for a loss has reached, and what is shown by several together."""
    claims, meetings = planner.claims, planner.meetings
    while weakest(claims) <= loss_level(planner):
        claim = claims.heap[0]
        entry = claim // 2
        first, second = meetings.first[entry], meetings.second[entry]
        if claim % 2 == 0:
            release(claims, claim, first, second)
        else:
            release(claims, claim, second, first)
        show_losses(planner, entry)
        rate_pair(planner, entry)
    while smallest(planner.joint.until) <= loss_level(planner):
        j = lowest_leaf(planner.joint.until)
        show(planner.joint, claims, j, loss_level(planner))
        if planner.champion[0] != NONE:
            rate_losses(planner, j)


# Many votes, new options, pauses, answers under way


def with_votes(planner: Planner, wins: NDArray[Any], ties: NDArray[Any]) -> Planner:
    """Return the planner with these votes counted too: wins of i over j, and ties on both sides."""
    met = (wins > 0) | (wins.T > 0) | (ties > 0)  # bytes: sums would take eight times the memory
    # In one layout for one pair and for many: numba would compile each, and voters would wait for that.
    pairs = np.ascontiguousarray(np.argwhere(np.triu(met, 1)))
    while len(planner.meetings.first) < planner.meetings.size[0] + len(pairs):
        planner = with_more_pairs(planner)
    i, j = pairs.T
    live(take_all)(planner, pairs, wins[i, j], wins[j, i], ties[i, j])
    return planner


@kernel
def take_all(planner, pairs, wins, losses, ties):
    """Count votes of these pairs, n x 2."""
    for at in range(len(pairs)):
        take_in(planner, pairs[at, 0], pairs[at, 1], wins[at], losses[at], ties[at])
    make_due(planner)


def with_options(planner: Planner, k: int) -> Planner:
    """Return the planner with new options, up to ``k`` in all; the champion stays."""
    old = len(planner.points)
    meetings = planner.meetings
    joint = bool(planner.joint.used[0])
    wider = new_planner(k, bool(planner.costly[0]), planner.margin[0], joint)
    for name in ("levels", "caution", "promise"):
        getattr(wider, name)[:] = getattr(planner, name)
    while len(wider.meetings.first) < len(meetings.first):
        wider = with_more_pairs(wider)
    for entry in range(int(meetings.size[0])):
        i, j = int(meetings.first[entry]), int(meetings.second[entry])
        won, tied = meetings.won[entry].tolist(), int(meetings.tied[entry])
        take_in(wider, i, j, won[0], won[1], tied)
        wider.meetings.paid[entry] = meetings.paid[entry]
        update_claims(wider, entry)
        show_losses(wider, entry)
        wider.meetings.pending[entry] = meetings.pending[entry]
    wider.points[:old] = planner.points
    wider.skipped[:old] = planner.skipped
    wider.asking[:old] = planner.asking
    wider.champion[0] = planner.champion[0]
    if wider.champion[0] != NONE:
        compare(wider)
    return wider


@kernel
def pause(planner, option, paused):
    """Ask no more about an option, or ask again."""
    planner.asking[option] = not paused
    planner.edition[0] += 1  # listed losses are dearer now, or cheaper
    make_due(planner)


@kernel
def pend(planner, i, j, change):
    """Count answers of a pair that are under way; there must be room for a new pair."""
    met = entry_of(planner.meetings, i, j) != NONE
    entry = enter(planner.meetings, i, j)
    if not met:
        credit_pair(planner, entry, +1)
    planner.meetings.pending[entry] += change
    rate_pair(planner, entry)


# The parts of an algorithm that are the same, whatever proves a claim


@kernel
def update(planner, winner, loser, rng):
    """Count a vote."""
    take_in(planner, winner, loser, 1, 0, 0)


@kernel
def tie(planner, first, second, rng):
    """Count a tie, half a vote for each."""
    take_in(planner, first, second, 0, 0, 1)


@kernel
def recommend(planner):
    """Return the option of the cheapest certificate."""
    return max(planner.champion[0], 0)


@kernel
def crowded(planner):
    """Tell whether a new pair would find no room."""
    return full(planner.meetings)


PLANNER_PARTS = {
    "update": update,
    "tie": tie,
    "recommend": recommend,
    "crowded": crowded,
    "enlarge": with_more_pairs,
    "absorb": with_votes,
    "pause": pause,
    "pend": pend,
    "claims": list_claims,
}
