"""Claims and the heap of those held, against plain lists."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copeland.kernels.arrays import ABSENT
from copeland.kernels.planner.planner_state import (
    copy_into,
    is_held,
    new_claims,
    release,
    set_evidence,
    weakest,
)

ENTRIES = 12
OPTIONS = 4


def loser(claim):
    """Some option for each claim."""
    return claim % OPTIONS


def winner(claim):
    """Another option for each claim."""
    return (claim + 1) % OPTIONS


operations = st.lists(
    st.tuples(
        st.integers(0, 2 * ENTRIES - 1),
        st.one_of(st.integers(0, 6).map(float), st.floats(-3, 9), st.just(-math.inf)),
        st.integers(0, 5),
    ),
    max_size=80,
)


def weighed(some):
    """Claims after these operations, and what they should hold: evidence by claim."""
    claims = new_claims(OPTIONS, ENTRIES)
    expected = {}
    for claim, evidence, level in some:
        set_evidence(claims, claim, winner(claim), loser(claim), evidence, level)
        expected.pop(claim, None)
        if evidence > level:
            expected[claim] = evidence
    return claims, expected


@given(operations)
def test_claims_are_held_counted_and_kept_in_a_heap(some):
    claims, expected = weighed(some)
    assert {c for c in range(2 * ENTRIES) if is_held(claims, c)} == set(expected)
    assert set(claims.heap[: claims.size[0]].tolist()) == set(expected)
    for claim, evidence in expected.items():
        assert claims.evidence[claim] == evidence
    claims, expected = weighed(some)
    for found, side in ((claims.lost, loser), (claims.won, winner)):
        counted = [sum(side(claim) == option for claim in expected) for option in range(OPTIONS)]
        assert found.tolist() == counted
    claims, expected = weighed(some)
    heap = claims.heap[: claims.size[0]]
    for at in range(1, len(heap)):
        assert claims.evidence[heap[(at - 1) // 2]] <= claims.evidence[heap[at]]
    assert all(claims.place[claim] == at for at, claim in enumerate(heap))
    assert weakest(claims) == min(expected.values(), default=math.inf)


@given(operations)
def test_claims_released_from_the_top_come_weakest_first(some):
    claims, expected = weighed(some)
    seen = []
    while claims.size[0] > 0:
        seen.append(weakest(claims))
        top = claims.heap[0]
        release(claims, top, winner(top), loser(top))
    assert seen == sorted(expected.values())
    assert not claims.lost.any() and not claims.won.any()
    assert (claims.place == ABSENT).all()


@given(operations, operations)
def test_a_larger_copy_goes_on_as_the_smaller_would(before, later):
    claims, _ = weighed(before)
    larger = copy_into(new_claims(OPTIONS, 3 * ENTRIES), claims)
    assert len(larger.evidence) == 6 * ENTRIES
    for one in (claims, larger):
        for claim, evidence, level in later:
            set_evidence(one, claim, winner(claim), loser(claim), evidence, level)
    assert np.array_equal(claims.heap[: claims.size[0]], larger.heap[: larger.size[0]])
    assert np.array_equal(claims.lost, larger.lost) and np.array_equal(claims.won, larger.won)
    assert np.array_equal(claims.place, larger.place[: 2 * ENTRIES])
    assert (larger.place[2 * ENTRIES :] == ABSENT).all()
    assert weakest(claims) == weakest(larger)


def test_only_evidence_above_the_level_holds_a_claim():
    assert weakest(new_claims(3, 4)) == math.inf
    claims = new_claims(2, 1)
    set_evidence(claims, 0, 0, 1, 3.0, 3.0)
    assert not is_held(claims, 0) and claims.lost.tolist() == [0, 0]
    set_evidence(claims, 0, 0, 1, 3.1, 3.0)
    assert is_held(claims, 0) and claims.lost.tolist() == [0, 1]
