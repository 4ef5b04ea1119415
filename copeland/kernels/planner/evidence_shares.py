"""How the evidence for the last of the losses that an option must be shown to have is spread over claims.

With s parts, m further losses are planned as m + s - 1 claims of so many nats each that s of them make up the
level together. One s is kept for each option, and chosen when its list is made.
"""

from __future__ import annotations

import math

from copeland.kernels.mark import kernel
from copeland.kernels.planner.joint_losses import CHARGE, evidence_together
from copeland.kernels.planner.meetings import NONE, entry_of
from copeland.kernels.planner.planner_state import loss_level, together_level
from copeland.kernels.planner.prices import BLOCKED, price_of, price_to_nats

SHARES = (1, 2, 3, 5, 8, 13, 21, 34)
VOTES_A_NAT = 10.0  # that ln n is guessed by: of a pair with a gap of .22
ROUNDS = 8  # each of which shrinks the error by a factor of s x at least
LEAST_SLACK = 0.1


@kernel
def nats_each(s, level):
    """Return x with min(x + ln 10 x, 2 x) + (s - 1)(x - CHARGE) = level."""
    total = level + (s - 1) * CHARGE
    least = x = total / (s + 1)
    for _ in range(ROUNDS):
        x = max((total - math.log(max(VOTES_A_NAT * x, 1.0))) / s, least)
    return x


@kernel
def set_share(planner, j, s):
    """Plan the losses of j in s parts."""
    planner.joint.share[j] = s
    planner.joint.aim[j] = aim_of(planner, j, s)


@kernel
def aim_of(planner, j, s):
    """Return the nats that each of s parts of the losses of j is to have."""
    joint = planner.joint
    level = together_level(planner) + joint.slack[j]
    return (level - joint.debt[j]) / s if joint.stake[0] > 0 else nats_each(s, level)


@kernel
def loss_price(planner, entry, k, j):
    """Return the price of what k is to contribute to the losses of j."""
    if planner.joint.share[j] == 1:
        return price_of(planner, entry, k, j, loss_level(planner))
    return price_to_nats(planner, entry, k, j, planner.joint.aim[j])


@kernel
def best_share(planner, j):
    """Return in how many parts the losses of j that the champion needs are cheapest."""
    champion = planner.champion[0]
    if champion == NONE or loss_level(planner) <= 2 * CHARGE:
        return 1
    missing = max(planner.skipped[champion] - planner.claims.lost[j], 1)
    best, least = 1, math.inf
    for s in SHARES:
        cost = price_in_parts(planner, j, s, missing + s - 1)
        if cost >= least:
            break  # with more parts it would only become dearer
        best, least = s, cost
    return best


@kernel
def price_in_parts(planner, j, s, number):
    """Return what the first so many of the listed claims cost in s parts; infinite if there are not as many."""
    level = loss_level(planner)
    aim = aim_of(planner, j, s)
    cost = 0.0
    for place in range(planner.cheap.shape[1]):
        k = planner.cheap[j, place]
        if number == 0 or k == NONE:
            break
        if k == planner.champion[0]:
            continue
        entry = entry_of(planner.meetings, k, j)
        if s == 1:
            more = price_of(planner, entry, k, j, level)
        else:
            more = price_to_nats(planner, entry, k, j, aim)
        if more == BLOCKED:
            break
        cost += more
        number -= 1
    return cost if number == 0 else math.inf


@kernel
def raise_aim(planner, j, m):
    """Aim higher where all parts are there, but do not yet show that j loses m times: the debt may have grown."""
    joint = planner.joint
    in_debt = joint.stake[0] > 0 and aim_of(planner, j, joint.share[j]) > joint.aim[j]
    if not in_debt:
        lacking = together_level(planner) - evidence_together(joint, planner.claims, j, m)
        joint.slack[j] += max(lacking, LEAST_SLACK)
    set_share(planner, j, joint.share[j])
