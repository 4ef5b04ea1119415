"""Who would prove a loss of each option at the lowest price: short lists, renewed when prices have moved."""

from __future__ import annotations

from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.claims import is_held
from copeland.kernels.planner.evidence_shares import best_share, loss_price, set_share
from copeland.kernels.planner.meetings import NONE, after, claim_of, entry_of, opponent
from copeland.kernels.planner.planner_state import is_refuted
from copeland.kernels.planner.prices import BLOCKED

MANY_MET = 4  # lists: an option that met more than so many times as many as are listed has met many
FEW = 8  # so many refuters are enough among many options: looking at all of them would take K^2 prices


@apart
def refresh_losses(planner, j):
    """List anew who would prove a loss of option j at the lowest price.

    Of those it never met only the challengers come into question, for the strong are cheap: the first few among
    many options. All others do if too few are listed.
    """
    if not planner.joint.used[0]:
        list_losses(planner, j)
    else:
        set_share(planner, j, planner.joint.share[j])
        list_losses(planner, j)
        s = best_share(planner, j)
        if s != planner.joint.share[j]:
            set_share(planner, j, s)
            list_losses(planner, j)


@kernel
def list_losses(planner, j):
    """List who would prove a loss of option j in as many parts as are planned."""
    meetings = planner.meetings
    planner.cheap_edition[j] = planner.edition[0]
    for place in range(planner.cheap.shape[1]):
        planner.cheap[j, place] = NONE
    entry = meetings.head[j]
    while entry != NONE:
        k = opponent(meetings, entry, j)
        list_loss(planner, k, j, entry)
        entry = after(meetings, entry, j)
    left = wanted = planner.wanted[0]
    for k in planner.challengers:
        if k != NONE and k != j and left > 0 and entry_of(meetings, k, j) == NONE:
            list_loss(planner, k, j, NONE)
            left -= 1
    if planner.cheap[j, wanted - 1] == NONE and len(planner.points) > len(planner.challengers):
        for k in range(len(planner.points)):
            if k != j and not is_challenger(planner, k) and entry_of(meetings, k, j) == NONE:
                list_loss(planner, k, j, NONE)


@kernel
def is_challenger(planner, k):
    """Tell whether k is one of the challengers."""
    for i in planner.challengers:
        if i == k:
            return True
    return False


@kernel
def list_loss(planner, k, j, entry):
    """Put k among those who would prove a loss of j, unless that is decided or too dear."""
    if entry != NONE and is_decided(planner, entry, k):
        return
    cost, room = loss_price(planner, entry, k, j), planner.cheap.shape[1]
    if planner.cheap[j, room - 1] != NONE and planner.cheap_price[j, room - 1] <= cost:
        return
    place = 0
    while planner.cheap[j, place] != NONE and planner.cheap_price[j, place] <= cost:
        place += 1
    while place < room and k != NONE:  # each that is dearer moves on by one place
        planner.cheap[j, place], k = k, planner.cheap[j, place]
        planner.cheap_price[j, place], cost = cost, planner.cheap_price[j, place]
        place += 1


@kernel
def is_decided(planner, entry, k):
    """Tell whether k is proved to beat the other option of an entry, or ruled out to."""
    held = is_held(planner.claims, claim_of(planner.meetings, entry, k))
    return held or is_refuted(planner, entry, k)


@kernel
def relist_loss(planner, k, j, entry):
    """Bring the place of k among the refuters of j up to date."""
    if planner.cheap_edition[j] != planner.edition[0]:
        return  # the whole row will be listed anew when it is looked at
    room = planner.cheap.shape[1]
    is_long = planner.cheap[j, room // 2] != NONE
    unlist(planner, k, j)
    list_loss(planner, k, j, entry)
    # One that is not listed may be cheaper now. A look at all of many takes long: it waits until half are used up.
    if planner.meetings.met[j] <= MANY_MET * room:
        is_due = is_decided(planner, entry, k) or planner.cheap[j, room - 1] == k
    else:
        is_due = is_long and unlist_last(planner, k, j) < room // 2
    if is_due:
        planner.cheap_edition[j] = 0


@kernel
def unlist(planner, k, j):
    """Take k off the refuters of j, if it is one of them."""
    place, room = 0, planner.cheap.shape[1]
    while place < room and planner.cheap[j, place] != k:
        if planner.cheap[j, place] == NONE:
            return
        place += 1
    while place < room - 1 and planner.cheap[j, place] != NONE:
        planner.cheap[j, place] = planner.cheap[j, place + 1]
        planner.cheap_price[j, place] = planner.cheap_price[j, place + 1]
        place += 1
    if place == room - 1:
        planner.cheap[j, place] = NONE


@kernel
def unlist_last(planner, k, j):
    """Take k off the refuters of j if it is the dearest of them; return the place of the dearest left."""
    place = planner.cheap.shape[1] - 1
    while place > 0 and planner.cheap[j, place] == NONE:
        place -= 1
    if planner.cheap[j, place] == k:
        planner.cheap[j, place] = NONE
        place -= 1
    return place


@kernel
def are_ruled_out(planner, j, number, without):
    """Tell whether j has fewer than so many open pairs, not counting that with ``without``."""
    claims = planner.claims
    left = len(planner.points) - 1 - claims.won[j] - claims.lost[j]
    if not planner.exclusive[0] or number < left:
        return False
    entry = entry_of(planner.meetings, without, j)
    is_open = entry == NONE or not is_decided(planner, entry, without)
    return number > left - int(is_open)


@kernel
def losses_price(planner, j, number, without):
    """Return what so many further losses of j cost, and how many of them cannot be asked.

    They are the cheapest, but not that ``without`` would prove; those beyond the list cost twice its last. With
    several parts there are as many more claims, each of fewer nats. The cost is BLOCKED if decisions leave j too
    few losses.
    """
    if are_ruled_out(planner, j, number, without):
        return BLOCKED, 0
    if planner.cheap_edition[j] != planner.edition[0]:
        refresh_losses(planner, j)
    number += planner.joint.share[j] - 1
    cost, blocked, last = 0.0, 0, BLOCKED
    for place in range(planner.cheap.shape[1]):
        k = planner.cheap[j, place]
        if number == 0 or k == NONE:
            break
        if k != without:
            last = planner.cheap_price[j, place]
            number -= 1
            if last == BLOCKED:
                blocked += 1
            else:
                cost += last
    if last == BLOCKED:
        return cost, blocked + number
    return cost + number * (2 * last), blocked
