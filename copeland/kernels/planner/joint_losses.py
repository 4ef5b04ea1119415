"""Losses that are shown together: the evidence of several pairs against one option, added up.

If an option loses fewer than m times, all but m - 1 of the claims against it are false. So the m - 1 strongest
are dropped, and the rest counts together: the strongest of it by its index, each further one by its nats less a
charge for having been looked at. What that comes to, J(m), is evidence for "it loses at least m times", and is
held against the level and expires as that of a single claim does. docs/one-algorithm.md says why.

A certificate for votes multiplies instead: each claim stakes a share a of its capital E, and has ln(1 - a + a E)
nats. There is no charge, but a claim whose E is below 1 has less than 0, and that counts as well: a *debt*.
docs/certificate.md has the proof.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints
from copeland.kernels.mark import kernel
from copeland.kernels.planner.meetings import NONE
from copeland.kernels.planner.tournament_tree import new_tree, put

# Nats that each further pair is charged. For s even pairs, P(sum of nats of those ahead >= X) exceeds that of
# one by some 5 nats for s = 6, and 10 for s = 18. A claim of no more than the charge counts for nothing.
CHARGE = 1.0
MOST_EVIDENCE = 600.0  # beyond it, more nats change nothing, and E would not fit into a double


class Joint(NamedTuple):
    """Claims of more nats than the charge, a list for each loser, from its weakest up; what they show."""

    used: Bools  # (1,): whether evidence is added up at all
    nats: Floats  # by claim: n d, or ln(1 - a + a E); 0 or less if it is in no list
    stronger: Ints  # by claim: the next one in the list, NONE at its end
    weaker: Ints  # by claim: the one before it
    weakest: Ints  # by option: where its list begins
    number: Ints  # by option: the length of its list
    shown: Ints  # by option: losses that are shown, together or singly
    until: Floats  # a tree over the options: J of these, infinite where single claims show them
    share: Ints  # by option: in how many parts the evidence for its last loss is planned; see `sharing`
    aim: Floats  # by option: the nats that each part is to have
    slack: Floats  # by option: nats by which aims turned out to fall short
    stake: Floats  # (1,): a, if capitals are multiplied; 0 if n d are added up
    level: Floats  # (1,): the nats that capitals need together
    debt: Floats  # by option: the sum of the nats below 0 of the claims against it


def new_joint(k: int, room: int, used: bool) -> Joint:
    """Return K options without evidence, with room for the claims of ``room`` entries."""
    claims = 2 * room if used else 0
    return Joint(
        used=np.array([used]),
        nats=np.zeros(claims),
        stronger=np.full(claims, NONE, np.int64),
        weaker=np.full(claims, NONE, np.int64),
        weakest=np.full(k, NONE, np.int64),
        number=np.zeros(k, np.int64),
        shown=np.zeros(k, np.int64),
        until=new_tree(k),
        share=np.ones(k, np.int64),
        aim=np.zeros(k),
        slack=np.zeros(k),
        stake=np.zeros(1),
        level=np.zeros(1),
        debt=np.zeros(k),
    )


def joint_with_room(joint: Joint, room: int) -> Joint:
    """Return the same evidence with room for the claims of ``room`` entries."""
    larger = new_joint(len(joint.number), room, bool(joint.used[0]))
    kept = {name: getattr(joint, name) for name in joint._fields}
    for name in ("nats", "stronger", "weaker"):
        getattr(larger, name)[: len(kept[name])] = kept[name]
        kept[name] = getattr(larger, name)
    return Joint(**kept)


@kernel
def charge(joint):
    """Return the nats that each further pair is charged."""
    return 0.0 if joint.stake[0] > 0 else CHARGE


@kernel
def staked_nats(joint, evidence):
    """Return ln(1 - a + a E) of a claim with ln E nats of evidence."""
    a = joint.stake[0]
    return math.log1p(-a) + math.log1p(a / (1 - a) * math.exp(min(evidence, MOST_EVIDENCE)))


@kernel
def evidence_of_nats(joint, nats):
    """Return ln E with ln(1 - a + a E) = nats, for nats above 0."""
    return math.log1p(math.expm1(nats) / joint.stake[0])


@kernel
def file_claim(joint, claim, loser, nats):
    """Put a claim where its nats belong in the list of its loser, or out of it."""
    listed = joint.nats[claim] > 0
    joint.debt[loser] += min(nats, 0.0) - min(joint.nats[claim], 0.0)
    if nats <= charge(joint):
        if listed:
            unlink(joint, claim, loser)
            joint.number[loser] -= 1
        joint.nats[claim] = min(nats, 0.0)
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
    claim, rest = joint.weakest[j], joint.debt[j]
    for _ in range(joint.number[j] - m):
        rest += joint.nats[claim] - charge(joint)
        claim = joint.stronger[claim]
    return nats_of_strongest(joint, claims, claim) + rest if joint.number[j] >= m else 0.0


@kernel
def nats_of_strongest(joint, claims, claim):
    """Return what the strongest claim counts for: its index, or its share of the product like the others."""
    return joint.nats[claim] if joint.stake[0] > 0 else claims.evidence[claim]


@kernel
def show(joint, claims, j, level):
    """Find out how many losses of j are shown: the most for which J is above the level, or those shown singly."""
    claim, rest = joint.weakest[j], joint.debt[j]
    for m in range(joint.number[j], claims.lost[j], -1):
        together = nats_of_strongest(joint, claims, claim) + rest
        if together > level:
            joint.shown[j] = m
            put(joint.until, j, together)
            return
        rest += joint.nats[claim] - charge(joint)
        claim = joint.stronger[claim]
    joint.shown[j] = claims.lost[j]
    put(joint.until, j, math.inf)
