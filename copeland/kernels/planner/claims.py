"""Claims "i beats j", each with the evidence for it; those strong enough are held.

Evidence fades against a level that rises with time, so the claims held are kept in a heap, the weakest
first: what falls below the level is found without a search.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Floats, Ints
from copeland.kernels.heaps import ABSENT, put_in, take_out
from copeland.kernels.mark import kernel


class Claims(NamedTuple):
    """Two claims for each entry of the meetings: 2 e says that the first beats the second, 2 e + 1 the reverse."""

    evidence: Floats  # by claim, in nats
    place: Ints  # by claim: where in the heap, ABSENT if it is not held
    heap: Ints  # the claims held, the weakest first
    size: Ints  # (1,): how many are held
    lost: Ints  # by option: the claims held against it
    won: Ints  # by option: the claims held for it


def new_claims(k: int, room: int) -> Claims:
    """Return room for the claims of ``room`` entries, none of them held."""
    return Claims(
        evidence=np.zeros(2 * room),
        place=np.full(2 * room, ABSENT, np.int64),
        heap=np.zeros(2 * room, np.int64),
        size=np.zeros(1, np.int64),
        lost=np.zeros(k, np.int64),
        won=np.zeros(k, np.int64),
    )


def claims_with_room(claims: Claims, room: int) -> Claims:
    """Return the same claims with room for those of ``room`` entries."""
    larger = new_claims(len(claims.lost), room)
    for name in ("evidence", "place", "heap"):
        kept = getattr(claims, name)
        getattr(larger, name)[: len(kept)] = kept
    larger.size[:] = claims.size
    larger.lost[:] = claims.lost
    larger.won[:] = claims.won
    return larger


@kernel
def is_held(claims, claim):
    """Tell whether a claim counts as proved."""
    return claims.place[claim] != ABSENT


@kernel
def weigh(claims, claim, winner, loser, evidence, level):
    """Give a claim its evidence; it is held if that is above the level."""
    claims.evidence[claim] = evidence
    if evidence > level:
        new = int(not is_held(claims, claim))
        claims.won[winner] += new
        claims.lost[loser] += new
        put_in(claims, claims.evidence, claim)
    elif is_held(claims, claim):
        release(claims, claim, winner, loser)


@kernel
def release(claims, claim, winner, loser):
    """Hold a claim no longer."""
    claims.won[winner] -= 1
    claims.lost[loser] -= 1
    take_out(claims, claims.evidence, claim)


@kernel
def weakest(claims):
    """Return the least evidence of the claims held; infinite if there are none."""
    return claims.evidence[claims.heap[0]] if claims.size[0] > 0 else math.inf
