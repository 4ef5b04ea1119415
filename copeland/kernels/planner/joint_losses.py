"""Losses shown together: the evidence of several pairs against one option.

If an option loses fewer than m times, all but m - 1 of the claims against it are false. So the m - 1 strongest are dropped, and
the rest counts together: the strongest of it by its index, each further one by its nats less a charge for having been looked at.
What that comes to, J(m), is evidence for "it loses at least m times", and is held against the level and expires as that of a
single claim does. docs/one-algorithm.md says why.
"""

from __future__ import annotations

import math

from copeland.kernels.mark import kernel
from copeland.kernels.planner.planner_state import NONE, put

# Nats that each further pair is charged. For s even pairs, P(sum of nats of those ahead >= X) exceeds that of
# one by some 5 nats for s = 6, and 10 for s = 18. A claim of no more than the charge counts for nothing.
CHARGE = 1.0


@kernel
def file_claim(joint, claim, loser, nats):
    """Put a claim where its nats belong in the list of its loser, or out of it."""
    listed = joint.nats[claim] > 0
    if nats <= CHARGE:
        if listed:
            unlink(joint, claim, loser)
            joint.number[loser] -= 1
        joint.nats[claim] = 0.0
        return
    joint.nats[claim] = nats
    if not listed:
        joint.number[loser] += 1
        link(joint, claim, loser, NONE)
    elif is_out_of_order(joint, claim):
        before = joint.weaker[claim]
        unlink(joint, claim, loser)
        link(joint, claim, loser, before)


@kernel
def is_out_of_order(joint, claim):
    """Tell whether a neighbour in the list should stand on the other side."""
    weaker, stronger = joint.weaker[claim], joint.stronger[claim]
    return (weaker != NONE and joint.nats[weaker] > joint.nats[claim]) or (
        stronger != NONE and joint.nats[stronger] < joint.nats[claim]
    )


@kernel
def unlink(joint, claim, loser):
    """Take a claim out of the list of its loser."""
    weaker, stronger = joint.weaker[claim], joint.stronger[claim]
    if weaker == NONE:
        joint.weakest[loser] = stronger
    else:
        joint.stronger[weaker] = stronger
    if stronger != NONE:
        joint.weaker[stronger] = weaker


@kernel
def link(joint, claim, loser, before):
    """Put a claim into the list of its loser: the place is looked for from ``before``, NONE for its beginning."""
    nats = joint.nats[claim]
    while before != NONE and joint.nats[before] > nats:
        before = joint.weaker[before]
    after = joint.weakest[loser] if before == NONE else joint.stronger[before]
    while after != NONE and joint.nats[after] < nats:
        before, after = after, joint.stronger[after]
    joint.weaker[claim], joint.stronger[claim] = before, after
    if before == NONE:
        joint.weakest[loser] = claim
    else:
        joint.stronger[before] = claim
    if after != NONE:
        joint.weaker[after] = claim


@kernel
def evidence_together(joint, claims, j, m):
    """Return J(m) of option j: the evidence that it loses at least m times, m >= 1."""
    claim, rest = joint.weakest[j], 0.0
    for _ in range(joint.number[j] - m):
        rest += joint.nats[claim] - CHARGE
        claim = joint.stronger[claim]
    return claims.evidence[claim] + rest if joint.number[j] >= m else 0.0


@kernel
def show(joint, claims, j, level):
    """Find out how many losses of j are shown: the most for which J is above the level, or those shown singly."""
    claim, rest = joint.weakest[j], 0.0
    for m in range(joint.number[j], claims.lost[j], -1):
        together = claims.evidence[claim] + rest
        if together > level:
            joint.shown[j] = m
            put(joint.until, j, together)
            return
        rest += joint.nats[claim] - CHARGE
        claim = joint.stronger[claim]
    joint.shown[j] = claims.lost[j]
    put(joint.until, j, math.inf)
