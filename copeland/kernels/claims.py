"""Claims "i beats j", each with the evidence for it; those strong enough are held.

Evidence fades against a level that rises with time, so the claims held are kept in a heap, the weakest
first: what falls below the level is found without a search.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.mark import kernel
from copeland.kernels.meetings import NONE

Ints = NDArray[np.int64]


class Claims(NamedTuple):
    """Two claims for each entry of the meetings: 2 e says that the first beats the second, 2 e + 1 the reverse."""

    evidence: NDArray[np.float64]  # by claim, in nats
    place: Ints  # by claim: where in the heap, NONE if it is not held
    heap: Ints  # the claims held, the weakest first
    size: NDArray[np.int64]  # (1,): how many are held
    lost: Ints  # by option: the claims held against it


def new_claims(k: int, room: int) -> Claims:
    """Return room for the claims of ``room`` entries, none of them held."""
    return Claims(
        evidence=np.zeros(2 * room),
        place=np.full(2 * room, NONE, np.int64),
        heap=np.zeros(2 * room, np.int64),
        size=np.zeros(1, np.int64),
        lost=np.zeros(k, np.int64),
    )


def claims_with_room(claims: Claims, room: int) -> Claims:
    """Return the same claims with room for those of ``room`` entries."""
    larger = new_claims(len(claims.lost), room)
    for name in ("evidence", "place", "heap"):
        kept = getattr(claims, name)
        getattr(larger, name)[: len(kept)] = kept
    larger.size[:] = claims.size
    larger.lost[:] = claims.lost
    return larger


@kernel
def is_held(claims, claim):
    """Tell whether a claim counts as proved."""
    return claims.place[claim] != NONE


@kernel
def weigh(claims, claim, loser, evidence, level):
    """Give a claim its evidence; it is held if that is above the level."""
    claims.evidence[claim] = evidence
    if evidence > level:
        if claims.place[claim] == NONE:
            claims.lost[loser] += 1
            claims.place[claim] = claims.size[0]
            claims.heap[claims.size[0]] = claim
            claims.size[0] += 1
        _sift_down(claims, _sift_up(claims, claims.place[claim]))
    elif claims.place[claim] != NONE:
        release(claims, claim, loser)


@kernel
def release(claims, claim, loser):
    """Hold a claim no longer."""
    at = claims.place[claim]
    claims.place[claim] = NONE
    claims.lost[loser] -= 1
    claims.size[0] -= 1
    last = claims.heap[claims.size[0]]
    if last != claim:
        claims.heap[at] = last
        claims.place[last] = at
        _sift_down(claims, _sift_up(claims, at))


@kernel
def weakest(claims):
    """Return the least evidence of the claims held; infinite if there are none."""
    return claims.evidence[claims.heap[0]] if claims.size[0] > 0 else math.inf


@kernel
def _sift_up(claims, at):
    claim = claims.heap[at]
    while at > 0:
        parent = claims.heap[(at - 1) // 2]
        if claims.evidence[parent] <= claims.evidence[claim]:
            break
        claims.heap[at] = parent
        claims.place[parent] = at
        at = (at - 1) // 2
    claims.heap[at] = claim
    claims.place[claim] = at
    return at


@kernel
def _sift_down(claims, at):
    claim = claims.heap[at]
    size = claims.size[0]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        right = child + 1
        if (
            right < size
            and claims.evidence[claims.heap[right]] < claims.evidence[claims.heap[child]]
        ):
            child = right
        if claims.evidence[claim] <= claims.evidence[claims.heap[child]]:
            break
        claims.heap[at] = claims.heap[child]
        claims.place[claims.heap[child]] = at
        at = child
    claims.heap[at] = claim
    claims.place[claim] = at
