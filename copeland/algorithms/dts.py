"""D-TS and D-TS+, Double Thompson Sampling: Wu & Liu 2016, Algorithm 1 and its variant.

Two independent samples of the preference matrix: the first names the candidate, among the options whose
optimistic Copeland score is highest; the second names its opponent, among those not sure to beat it.

Of the first sample only the entries above 1/2 in the candidates' rows are ever used, so a coin for
each of them stands for the sampled matrix. It is drawn when the step begins. Long rows of steps at which the
candidate meets itself are passed over exactly. See :mod:`copeland.kernels.thompson_sampling` for both.

D-TS+ breaks ties between candidates by their estimated regret: among several with the highest sampled score it takes the one
whose pairs look cheapest to decide, the smallest sum over j of r_ij / d(theta_ij, 1/2), where r_ij is the regret of dueling i
and j by the sampled scores. Only where candidates tie is more drawn than in D-TS: the rest of the sampled matrix for its
scores, and for the tied rows theta itself, given the side of 1/2 that its coin has shown.

Rulings where the paper is silent, or could not be read:

- A pair that never met is open; its theta is uniform.
- The recommendation is the option whose expected Copeland score is highest, given the duels.
- r_ij = max_k z_k - (z_i + z_j) / 2 with z the sampled scores; the maximum is over all options, not
  over the candidates alone, so that it is never negative.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Bytes, Floats, Ints, greatest, least, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import Pairs, least_beaten, new_pairs, record, reopen
from copeland.kernels.thompson_sampling import (
    FREELY,
    NOBODY,
    OFTEN,
    SOMEBODY,
    Beliefs,
    Calm,
    a_leader,
    begin_step,
    believe,
    challenged_leader,
    challenger,
    conditional_theta,
    disturb,
    expected_winner,
    is_calm,
    is_planned,
    least_log_chance_alone,
    list_leaders,
    mark_leaders,
    mark_needs,
    new_beliefs,
    new_calm,
    plan_calm,
    rest_until,
    sample_sides,
    sample_unusual_sides,
    sampled_scores,
    theta,
    usual_sides,
)
from copeland.kernels.vote_evidence import kl
from copeland.registry import register


class State(NamedTuple):
    """What D-TS knows, and the sample of this step."""

    pairs: Pairs
    beliefs: Beliefs
    candidates: Bools  # C_t
    nobody: Bools  # all false
    sides: Bytes  # K x K: +1 where the sampled theta_ij > 1/2, -1 where not
    scores: Ints  # sampled Copeland scores of the candidates
    candidate: Ints  # (1,): the first option of this step
    alpha: Floats  # (1,)
    step: Ints  # (1,)
    calm: Calm  # steps at which the candidate meets itself


def init(k: int, alpha: float = 0.51) -> State:
    """Begin; ``alpha`` > 1/2 widens the intervals."""
    if not alpha > 0.5:
        raise InvalidParameter(f"dts: alpha is {alpha}; Algorithm 1 requires alpha > 1/2.")
    return new_record(
        State,
        k,
        vectors="nobody scores",
        matrices="sides",
        pairs=new_pairs(k),
        beliefs=new_beliefs(k),
        candidates=np.ones(k, np.bool_),
        candidate=-1,
        alpha=alpha,
        calm=new_calm(k),
    )


@kernel
def advance(state, t, rng):
    """Lines 4 to 8: the intervals at step t, the first sample and the candidate."""
    if first_sample(state, t, True, rng):
        state.candidate[0] = highest_score(state, rng)


@kernel
def first_sample(state, t, fair, rng):
    """Toss the coins of step t as far as they are needed; tell whether the candidate is still to be named by them.

    ``fair`` says that candidates with the highest sampled score are drawn uniformly.
    """
    state.step[0] = t
    reopen(state.pairs, state.alpha[0], t)
    if is_calm(state.calm, t):
        state.candidate[0] = a_leader(state.calm, rng)
        return False
    planned = is_planned(state.calm, t)
    quiet = begin_step(state.calm)
    n = mark_candidates(state)
    if (planned or quiet) and look_for_calm(state, t, n, planned, fair, rng):
        return state.candidate[0] < 0
    if n == 1:
        state.candidate[0] = least_beaten(state.pairs)
        return False
    sample_sides(state.beliefs, state.candidates, state.nobody, state.sides, rng)
    sampled_scores(state.sides, state.candidates, state.scores)
    return True


@kernel
def look_for_calm(state, t, n, planned, fair, rng):
    """Plan calm steps from t on, or draw one that is ``planned`` not to be; tell whether either was done.

    The candidate is -1 if it is still to be named by the coins.
    """
    calm, beliefs, pairs = state.calm, state.beliefs, state.pairs
    usual_sides(beliefs, state.candidates, state.sides)
    leaders, most = mark_leaders(calm, state.candidates, state.sides)
    log_usual = mark_needs(calm, beliefs, state.candidates, state.sides, most) if n > 1 else 0.0
    log_least = least_log_chance_alone(calm, beliefs, pairs)
    if not planned:
        chance = math.exp(log_usual + log_least)
        if chance < OFTEN or (leaders > 1 and not fair):
            return False
        plan_calm(calm, pairs, chance, t, rng)
        if is_calm(calm, t):
            state.candidate[0] = a_leader(calm, rng)
            return True
        calm.wake[0] = 0
    odd = -math.expm1(log_usual)
    if rng.random() * (odd - math.exp(log_usual) * math.expm1(log_least)) < odd:
        sample_unusual_sides(calm, beliefs, state.candidates, state.sides, log_usual, rng)
        sampled_scores(state.sides, state.candidates, state.scores)
        calm.second[0] = FREELY
        state.candidate[0] = -1
    else:
        state.candidate[0] = challenged_leader(calm, beliefs, pairs, log_least, rng)
    return True


@kernel
def mark_candidates(state):
    """Mark C_t, the options with the fewest sure losses; return how many there are."""
    fewest = least(state.pairs.lost)
    n = 0
    for i in range(len(state.candidates)):
        state.candidates[i] = state.pairs.lost[i] == fewest
        n += int(state.candidates[i])
    return n


@kernel
def highest_score(state, rng):
    """Line 8: draw a candidate with the highest sampled score."""
    best = -1
    n = 0
    for i in range(len(state.scores)):
        if state.candidates[i]:
            if best < 0 or state.scores[i] > state.scores[best]:
                best, n = i, 1
            elif state.scores[i] == state.scores[best]:
                n += 1
                if rng.random() * n < 1:
                    best = i
    return best


@kernel
def select(state, t, rng):
    """Lines 9 to 12: the candidate, and the highest of the second sample against it."""
    c = state.candidate[0]
    if state.calm.second[0] == SOMEBODY:
        return c, challenger(state.beliefs, state.pairs, c, rng)
    if state.calm.second[0] == NOBODY:
        return c, c
    d = c
    highest = 0.5  # theta_cc
    for j in range(len(state.scores)):
        if j != c and state.pairs.verdict[j, c] <= 0:  # l_jc <= 1/2
            sampled = theta(state.pairs, j, c, rng)
            if sampled > highest:
                d, highest = j, sampled
    return c, d


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    disturb(state.calm)
    believe(state.beliefs, state.pairs, winner, loser)
    record(state.pairs, winner, loser, state.alpha[0], state.step[0] + 1)


@kernel
def rest(state, t):
    """Return the first step that is not sure to be calm."""
    return rest_until(state.calm, t)


@kernel
def resting(state, among):
    """List the options of which each calm step draws one."""
    return list_leaders(state.calm, among)


@kernel
def recommend(state):
    """Return the option that expects to beat the most others."""
    return expected_winner(state.beliefs)


# D-TS+


class PlusState(NamedTuple):
    """What D-TS knows, and theta where D-TS tosses only a coin."""

    base: State
    everyone: Bools  # all true
    thetas: Floats  # K x K: drawn for the rows that tie


def init_plus(k: int, alpha: float = 0.51) -> PlusState:
    """Begin; ``alpha`` > 1/2 widens the intervals."""
    return PlusState(base=init(k, alpha), everyone=np.ones(k, np.bool_), thetas=np.zeros((k, k)))


@kernel
def advance_plus(state, t, rng):
    """The intervals at step t, the first sample and the candidate."""
    if first_sample(state.base, t, False, rng):
        state.base.candidate[0] = cheapest_of_the_highest(state, rng)


@kernel
def cheapest_of_the_highest(state, rng):
    """Return the candidate of the highest sampled score; of several, the cheapest to decide."""
    base = state.base
    top = -1
    n = 0
    best = -1
    for i in range(len(base.scores)):
        if base.candidates[i]:
            if base.scores[i] > top:
                top, n, best = base.scores[i], 1, i
            elif base.scores[i] == top:
                n += 1
    if n == 1:
        return best
    draw_the_rest(state, top, rng)
    cheapest = math.inf
    highest = greatest(base.scores)
    for i in range(len(base.scores)):
        if base.candidates[i] and base.scores[i] == top:
            cost = cost_to_decide(state, i, highest)
            if cost < cheapest:
                best, cheapest = i, cost
    return best


@kernel
def draw_the_rest(state, top, rng):
    """Complete the sampled matrix: the coins of all other pairs, and theta in the rows that tie."""
    base = state.base
    sample_sides(base.beliefs, state.everyone, base.candidates, base.sides, rng)
    for i in range(len(base.scores)):
        if base.candidates[i] and base.scores[i] == top:
            for j in range(len(base.scores)):
                twin = j < i and base.candidates[j] and base.scores[j] == top
                if twin:  # the pair was drawn in the row of j
                    state.thetas[i, j] = 1 - state.thetas[j, i]
                elif j != i:
                    above = base.sides[i, j] > 0
                    state.thetas[i, j] = conditional_theta(base.pairs, i, j, above, rng)
    sampled_scores(base.sides, state.everyone, base.scores)


@kernel
def cost_to_decide(state, i, highest):
    """Return the sum over j of r_ij / d(theta_ij, 1/2), up to a factor common to all options."""
    scores = state.base.scores
    cost = 0.0
    for j in range(len(scores)):
        if j != i:
            regret = highest - (scores[i] + scores[j]) / 2
            cost += regret / max(kl(state.thetas[i, j], 0.5), 1e-300)
    return cost


@kernel
def select_plus(state, t, rng):
    """Return the candidate, and the highest of the second sample against it."""
    return select(state.base, t, rng)


@kernel
def update_plus(state, winner, loser, rng):
    """Count the duel."""
    update(state.base, winner, loser, rng)


@kernel
def rest_plus(state, t):
    """Return the first step that is not sure to be calm."""
    return rest_until(state.base.calm, t)


@kernel
def recommend_plus(state):
    """Return the option that expects to beat the most others."""
    return recommend(state.base)


ALGORITHM = register(
    __name__,
    name="dts",
    paper="Wu & Liu 2016, Algorithm 1",
    summary="Double Thompson Sampling: a sampled candidate, a sampled opponent",
    target="copeland",
)

PLUS = register(
    __name__,
    name="dts-plus",
    paper="Wu & Liu 2016, D-TS+",
    summary="Double Thompson Sampling that prefers the winner cheapest to confirm",
    target="copeland",
    init=init_plus,
    advance=advance_plus,
    select=select_plus,
    update=update_plus,
    rest=rest_plus,
    resting=None,
    recommend=recommend_plus,
)
