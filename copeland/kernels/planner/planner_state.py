"""What the planner knows: the votes, what they prove, and the plan to prove the rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints
from copeland.kernels.mark import kernel
from copeland.kernels.planner.claims import Claims, claims_with_room, is_held, new_claims
from copeland.kernels.planner.joint_losses import Joint, joint_with_room, new_joint
from copeland.kernels.planner.meetings import (
    NONE,
    Meetings,
    claim_of,
    entry_of,
    new_meetings,
    with_room,
)
from copeland.kernels.planner.tournament_tree import new_tree

# Places in arrays of three.
WIN, WIN_GROWTH, LOSS = range(3)  # levels: for a win with l = 0, its growth with ln(l + 1), a loss
DELTA, EPOCH, DEPENDENT = range(3)  # promises; the last, whether votes may depend on each other

# A claim is priced at its believed gap plus so many standard deviations. With more of it, close options are
# tried for longer before a plan is given up; with less, a plan that had bad luck. For votes less is cheaper.
OPTIMISM_FOR_REGRET = 2.0
OPTIMISM_FOR_VOTES = 1.5
CHALLENGERS = 16  # the options of the highest plausible scores are planned for; if more, plans change too often
REFUTERS = 64  # the cheapest open losses that are remembered of each option, at most;
MANY_REFUTERS = 256  # all of them where they are shown together, among up to so many options
FIRST_ROOM = 256  # pairs; doubled whenever they are used up
# Before there are votes gaps are taken to be near .2, as if eight votes had said so; then strengths count
# for 1 / (2 gap)^2 votes.
FIRST_GAP_SQUARED, FIRST_GAP_VOTES, FIRST_PRIOR = 0.04, 8.0, 6.25


class Planner(NamedTuple):
    """What was voted, what that proves, and the plan to prove the rest."""

    meetings: Meetings
    claims: Claims
    joint: Joint
    points: Floats  # by option: votes won, and half of those tied
    votes: Ints  # by option
    credit: Floats  # by option: plausible wins over those it met
    skipped: Ints  # by option: l, the comparisons that its certificate leaves unproved
    asking: Bools  # by option: False while it is paused
    levels: Floats  # (3,): the evidence that a claim needs; see WIN, WIN_GROWTH, LOSS
    costly: Bools  # (1,): whether prices are regret, or votes
    optimism: Floats  # (1,): standard deviations by which a gap may be larger than believed
    caution: Floats  # (1,): evidence beyond ln t that a decision needs, if they are regret
    promise: (
        Floats  # (3,): what the levels come from, if they are votes; see DELTA, EPOCH, DEPENDENT
    )
    margin: Floats  # (1,): "i beats j" means p_ij > 1/2 - margin
    exclusive: (
        Bools  # (1,): whether a claim that is held rules the other of its pair out of all plans
    )
    contradicted: Bools  # (1,): whether what is laid out needs a claim that is ruled out by now
    prior: Floats  # (1,): votes that strengths count for
    hints: Floats  # by entry, of the first ones or of none: see `hint_for`
    gaps: (
        Floats  # (2,): to estimate it, sums over the pairs of weights and of weighted squared gaps
    )
    counted: Ints  # (1,): votes in all
    compared_at: Ints  # (1,): the votes at the last comparison
    edition: Ints  # (1,): number of the edition that lists of losses must have to be up to date
    listed_at: Ints  # (1,): the votes when the edition began
    edition_level: Floats  # (1,): the level for a loss by then
    wanted: Ints  # (1,): how many losses of each option are to be listed at least
    top: Floats  # (1,): the highest plausible score
    champion: Ints  # (1,)
    chosen_at: Ints  # (1,): the votes when it was chosen, or confirmed
    plans_made: Ints  # (1,): how many plans that took, or as much work
    last_price: Floats  # by option: weight of its last plan, see `plans`; 0 if a new one is due
    price: Floats  # (1,): of what can be asked of the champion's certificate, now
    price_when_chosen: Floats  # (1,): or when it was last confirmed
    planned: Bools  # by option: whether the champion is to be proved to beat it
    refuter: Ints  # by option: who is to prove that it loses once more
    leaf_price: Floats  # 2 K: of the champion's win over each option; of the other losses of each
    unproved: Ints  # (1,): how many of these are not free
    risk: Floats  # a tree over the 2 K leaves: those to ask for, the riskiest first
    challengers: Ints
    cheap: Ints  # K x room: who would prove a loss of each option, the cheapest first
    cheap_price: Floats
    cheap_edition: Ints  # by option: the edition of its row
    row: Floats  # room for a number of each option
    fresh: Bools  # room for K
    left_out: Bools  # room for K
    heap: Ints  # room for K options


def new_planner(k: int, costly: bool, margin: float, joint: bool = False) -> Planner:
    """Return a planner of K options without a vote; ``joint`` lets losses be shown together."""
    room = FIRST_ROOM
    refuters = k if joint and k <= MANY_REFUTERS else min(k, REFUTERS)
    return Planner(
        meetings=new_meetings(k, room),
        claims=new_claims(k, room),
        joint=new_joint(k, room, joint),
        points=np.zeros(k),
        votes=np.zeros(k, np.int64),
        credit=np.zeros(k),
        skipped=np.zeros(k, np.int64),
        asking=np.ones(k, np.bool_),
        levels=np.zeros(3),
        costly=np.array([costly]),
        optimism=np.array([OPTIMISM_FOR_REGRET if costly else OPTIMISM_FOR_VOTES]),
        caution=np.zeros(1),
        promise=np.zeros(3),
        margin=np.array([margin], np.float64),
        exclusive=np.array([costly and margin == 0]),
        contradicted=np.zeros(1, np.bool_),
        prior=np.array([FIRST_PRIOR]),
        hints=np.zeros(0),
        gaps=np.array([FIRST_GAP_VOTES, FIRST_GAP_VOTES * FIRST_GAP_SQUARED]),
        counted=np.zeros(1, np.int64),
        compared_at=np.zeros(1, np.int64),
        edition=np.ones(1, np.int64),
        listed_at=np.zeros(1, np.int64),
        edition_level=np.zeros(1),
        wanted=np.array([min(k, REFUTERS)]),
        top=np.zeros(1),
        champion=np.array([NONE]),  # none before the first comparison
        chosen_at=np.zeros(1, np.int64),
        plans_made=np.zeros(1, np.int64),
        last_price=np.zeros(k),
        price=np.zeros(1),
        price_when_chosen=np.zeros(1),
        planned=np.zeros(k, np.bool_),
        refuter=np.full(k, NONE, np.int64),
        leaf_price=np.zeros(2 * k),
        unproved=np.zeros(1, np.int64),
        risk=new_tree(2 * k),
        challengers=np.full(min(k, CHALLENGERS), NONE, np.int64),
        cheap=np.full((k, refuters), NONE, np.int64),
        cheap_price=np.zeros((k, refuters)),
        cheap_edition=np.zeros(k, np.int64),
        row=np.zeros(k),
        fresh=np.zeros(k, np.bool_),
        left_out=np.zeros(k, np.bool_),
        heap=np.zeros(k, np.int64),
    )


def with_more_pairs(planner: Planner) -> Planner:
    """Return the planner with room for twice as many pairs."""
    room = 2 * len(planner.meetings.first)
    return planner._replace(
        meetings=with_room(planner.meetings, room),
        claims=claims_with_room(planner.claims, room),
        joint=joint_with_room(planner.joint, room),
    )


@kernel
def win_level(planner, l):
    """Return the evidence that a win of the champion needs, if l of its comparisons stay unproved.

    With l > 0 the win must also count as a loss of the other.
    """
    level = planner.levels[WIN] + planner.levels[WIN_GROWTH] * math.log(l + 1.0)
    return max(level, planner.levels[LOSS]) if l > 0 else level


@kernel
def loss_level(planner):
    """Return the evidence that a loss of another option needs."""
    return planner.levels[LOSS]


@kernel
def together_level(planner):
    """Return the evidence that several claims together need."""
    return planner.joint.level[0] if planner.joint.stake[0] > 0 else loss_level(planner)


@kernel
def count_shown_losses(planner, j):
    """Return how many losses of j are shown."""
    return planner.joint.shown[j] if planner.joint.used[0] else planner.claims.lost[j]


@kernel
def is_refuted(planner, entry, i):
    """Tell whether the other option of an entry is proved to beat i, so that no plan may say the reverse."""
    other = claim_of(planner.meetings, entry, i) ^ 1
    return planner.exclusive[0] and is_held(planner.claims, other)


@kernel
def is_shown(planner, i, j):
    """Tell whether i is proved to beat j by the evidence that a loss of j needs."""
    entry = entry_of(planner.meetings, i, j)
    return entry != NONE and is_held(planner.claims, claim_of(planner.meetings, entry, i))
