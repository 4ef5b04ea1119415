"""What the planner for a goal knows: what the votes prove, and the plan to prove the rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints
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
    return GoalPlanner(
        proof=proof,
        pending=np.zeros((k, k), np.int64),
        strength=np.full(k, 0.5),
        asking=np.ones(k, np.bool_),
        promise=np.zeros(3),
        prior=np.array([FIRST_PRIOR]),
        counted=np.zeros(1, np.int64),
        score=np.zeros(k),
        order=np.arange(k, dtype=np.int64),
        chosen=np.zeros(k, np.bool_),
        skipped=np.zeros(1, np.int64),
        by_price=np.zeros(1, np.bool_),
        aim=np.full((k, k), UNPLANNED),
        cost=np.zeros((k, k)),
        risk=np.full((k, k), math.inf),
        price=np.zeros(1),
        price_when_planned=np.zeros(1),
        unproved=np.zeros(1, np.int64),
        planned_at=np.array([NEVER], np.int64),
        due=np.zeros(1, np.bool_),
        prices=np.zeros((k, k)),
        drafted=np.zeros((k, k)),
        least=np.zeros((k, k)),
        worst=np.zeros((k, k)),
        row=np.zeros(k),
        sorted_row=np.zeros(k),
        taken=np.zeros(k, np.bool_),
        best=np.zeros(k, np.bool_),
    )
