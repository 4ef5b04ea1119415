"""What the planner for a goal knows: the votes, what they prove, and the plan to prove the rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints
from copeland.kernels.mark import kernel
from copeland.kernels.planner.planner_state import FIRST_PRIOR
from copeland.kernels.vote_evidence import log_evidence

TOP, ABOVE, TIERS = range(3)  # kinds of goals

# Places in arrays.
KIND, NUMBER = range(2)  # goal: its kind, and how many are the best few or who is the baseline
WIN, WIN_GROWTH, LOSS, PAIR, EXACT = range(5)  # levels: as in `vote_evidence.Levels`

UNPLANNED = -math.inf  # in place of the evidence that the plan needs of a claim
NEVER = -1  # in place of the number of votes at the last plan


class GoalPlanner(NamedTuple):
    """What was voted, what that proves, and the plan to prove the rest."""

    wins: Ints  # K x K: votes for i over j
    ties: Ints  # K x K: on both sides
    pending: Ints  # K x K: answers under way, on both sides
    evidence: Floats  # K x K: for "i beats j", up to the margin if the goal is the best few
    close: Floats  # K x K: for "i is not behind j by the margin"; unused if there is none
    points: Floats  # by option: votes won, and half of those tied
    votes: Ints  # by option
    strength: Floats  # by option: the share of its votes that it won, drawn towards 1/2
    asking: Bools  # by option: False while it is paused
    goal: Ints  # (2,): see KIND, NUMBER
    levels: Floats  # (5,): the evidence that a claim needs; see WIN, WIN_GROWTH, LOSS, PAIR, EXACT
    promise: Floats  # (3,): what the levels come from: delta, the epoch, whether votes may depend
    margin: Floats  # (1,)
    prior: Floats  # (1,): votes that strengths count for
    counted: Ints  # (1,): votes in all
    lower: Ints  # by option: how many others it is proved to beat at least
    upper: Ints  # by option: and at most
    undecided: Ints  # (1,): open pairs, of the baseline if there is one
    proved: Bools  # (1,): whether the goal is reached
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


def new_planner(k: int, kind: int, number: int, margin: float) -> GoalPlanner:
    """Return a planner of K options without a vote."""
    margins = np.array([margin], np.float64)
    own = margin if kind == TOP else 0.0
    evidence = np.full((k, k), log_evidence(0, 0, 0, own))
    close = np.full((k, k), log_evidence(0, 0, 0, margin))
    np.fill_diagonal(evidence, -math.inf)
    np.fill_diagonal(close, -math.inf)
    return GoalPlanner(
        wins=np.zeros((k, k), np.int64),
        ties=np.zeros((k, k), np.int64),
        pending=np.zeros((k, k), np.int64),
        evidence=evidence,
        close=close,
        points=np.zeros(k),
        votes=np.zeros(k, np.int64),
        strength=np.full(k, 0.5),
        asking=np.ones(k, np.bool_),
        goal=np.array([kind, number], np.int64),
        levels=np.zeros(5),
        promise=np.zeros(3),
        margin=margins,
        prior=np.array([FIRST_PRIOR]),
        counted=np.zeros(1, np.int64),
        lower=np.zeros(k, np.int64),
        upper=np.full(k, k - 1, np.int64),
        undecided=np.array([k - 1 if kind == ABOVE else k * (k - 1) // 2], np.int64),
        proved=np.zeros(1, np.bool_),
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


@kernel
def win_level(planner, l):
    """Return the evidence that a win of one of the best few needs, if l of its comparisons stay unproved."""
    return planner.levels[WIN] + planner.levels[WIN_GROWTH] * math.log(l + 1.0)


@kernel
def claim_margin(planner):
    """Return by how much p_ij may be below 1/2 where i is said to beat j."""
    return planner.margin[0] if planner.goal[KIND] == TOP else 0.0
