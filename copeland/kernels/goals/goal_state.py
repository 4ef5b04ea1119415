"""What the planner for a goal knows: what the votes prove, and the plan to prove the rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints, new_record
from copeland.kernels.goals.proofs import Proof
from copeland.kernels.planner.planner_state import FIRST_PRIOR

UNPLANNED = -math.inf  # in place of the evidence that the plan needs of a claim
NEVER = -1  # in place of the number of votes at the last plan


class GoalPlanner(NamedTuple):
    """What was voted, what that proves, and the plan to prove the rest."""

    proof: Proof
    pending: Ints  # K x K: answers under way, on both sides
    strength: Floats  # by option: the share of its votes that it won, drawn towards 1/2
    asking: Bools  # by option: False while it is paused
    promise: Floats  # (3,): what the levels come from: delta, the epoch, whether votes may depend
    prior: Floats  # (1,): votes that strengths count for
    counted: Ints  # (1,): votes in all
    score: Floats  # by option: plausible wins at the last plan
    order: Ints  # the options, those of the plan's set S first
    chosen: Bools  # by option: whether it is in S
    skipped: Ints  # (1,): l
    by_price: Bools  # (1,): whether the plan is to decide pairs, the cheapest first, either way
    aim: Floats  # K x K: the evidence that the plan needs of "i beats j"; see UNPLANNED
    cost: Floats  # K x K: the votes that may take
    risk: Floats  # K x K: the lowest is asked next; infinite where nothing is to be asked
    price: Floats  # (1,): all votes that the plan may take
    price_when_planned: Floats  # (1,)
    unproved: Ints  # (1,): claims of the plan that may be asked for
    planned_at: Ints  # (1,): votes when it was planned; see NEVER
    due: Bools  # (1,): whether a new plan is due at once
    prices: Floats  # K x K, room: what each claim may take alone
    drafted: Floats  # K x K, room: what the wins of S take in a draft
    least: Floats  # K x K, room: sums of the least prices of each option's wins
    worst: Floats  # K x K, room: and of its losses
    row: Floats  # room for K
    sorted_row: Floats  # room for K
    taken: Bools  # room for K
    best: Bools  # room for K

    def counts(self) -> tuple[Ints, Ints]:
        """Return wins and ties of all pairs, K x K."""
        return self.proof.wins.copy(), self.proof.ties.copy()


def new_planner(proof: Proof) -> GoalPlanner:
    """Return a planner of options without a vote."""
    k = len(proof.points)
    return new_record(
        GoalPlanner,
        k,
        vectors="score chosen row sorted_row taken best",
        matrices="pending cost prices drafted least worst",
        proof=proof,
        strength=np.full(k, 0.5),
        asking=np.ones(k, np.bool_),
        promise=np.zeros(3),
        prior=FIRST_PRIOR,
        order=np.arange(k, dtype=np.int64),
        aim=np.full((k, k), UNPLANNED),
        risk=np.full((k, k), math.inf),
        planned_at=NEVER,
    )
