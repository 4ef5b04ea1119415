"""What votes prove of a goal, by the rules of the certificate, kept up to date vote by vote; and votes until it is reached.

A vote changes the evidence of one pair. So bounds of scores are adjusted, not computed anew: O(1) a vote, and more only when a
claim appears or falls. They come from the row argument (docs/notes/certificate-proofs.md): an option that wins K - 1 - l
comparisons, each with the evidence x_w(l), beats so many others at least.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Bools, Floats, Ints, new_record, pick
from copeland.kernels.mark import kernel
from copeland.kernels.vote_evidence import (
    Levels,
    baseline_level,
    levels,
    log_evidence,
    loss_level,
    win_level,
)

TOP, ABOVE, TIERS = range(3)  # kinds of goals

# Places in arrays.
KIND, NUMBER = range(2)  # goal: its kind, and how many are the best few or who is the baseline
PAIR, EXACT = 5, 6  # levels: as in `vote_evidence.Levels`


class Proof(NamedTuple):
    """What was voted, and what that proves."""

    wins: Ints  # K x K: votes for i over j
    ties: Ints  # K x K: on both sides
    points: Floats  # by option: votes won, and half of those tied
    votes: Ints  # by option
    evidence: Floats  # K x K: for "i beats j", up to the margin of a claim
    close: Floats  # K x K: for "i is not behind j by the margin"; unused if there is none
    depth: Ints  # K x K: how many of the levels x_w(0), x_w(1), ... a claim reaches
    at_depth: Ints  # K x K: how many options of a row have which depth
    lower: Ints  # by option: how many others it is proved to beat at least
    upper: Ints  # by option: and at most
    undecided: Ints  # (1,): open pairs, of the baseline if there is one
    proved: Bools  # (1,): whether the goal is reached
    goal: Ints  # (2,): see KIND, NUMBER
    levels: Floats  # (7,): the evidence that a claim needs, as in `Levels`
    margin: Floats  # (1,)
    claim_margin: Floats  # (1,): by how much p_ij may be below 1/2 where i is said to beat j
    taken: Bools  # room for K


def goal_levels(
    k: int, kind: int, number: int, margin: float, delta: float, epoch: int, dependent: bool
) -> Levels:
    """Return how much evidence a goal needs; where it is about pairs, one by one, wins and losses need what these do."""
    if kind == ABOVE:
        level = baseline_level(k, delta, epoch, dependent)
        return Levels(level, 0.0, level, level, 0.0, level, level)
    at = levels(k, delta, epoch, dependent, margin=margin, top=number)
    if kind == TOP:
        return at._replace(pair=math.inf, exact=math.inf)
    return at._replace(win=at.exact, win_growth=0.0, loss=at.exact)


def new_proof(
    k: int, kind: int, number: int, margin: float, delta: float, epoch: int, dependent: bool
) -> Proof:
    """Return what is proved of K options without a vote."""
    claim_margin = margin if kind == TOP else 0.0  # up to it both sides of a pair may be proved
    evidence = np.full((k, k), log_evidence(0, 0, 0, claim_margin))
    close = np.full((k, k), log_evidence(0, 0, 0, margin))
    np.fill_diagonal(evidence, -math.inf)
    np.fill_diagonal(close, -math.inf)
    at_depth = np.zeros((k, k), np.int64)
    at_depth[:, 0] = k - 1
    return new_record(
        Proof,
        k,
        vectors="points votes lower taken",
        matrices="wins ties depth",
        evidence=evidence,
        close=close,
        at_depth=at_depth,
        upper=np.full(k, k - 1, np.int64),
        undecided=k - 1 if kind == ABOVE else k * (k - 1) // 2,
        goal=np.array([kind, number], np.int64),
        levels=np.array(goal_levels(k, kind, number, margin, delta, epoch, dependent)),
        margin=margin,
        claim_margin=claim_margin,
    )


@kernel
def levels_of(proof):
    """Return the evidence that claims need."""
    at = proof.levels
    return Levels(at[0], at[1], at[2], at[3], at[4], at[5], at[6])


@kernel
def count_votes(proof, i, j, wins, losses, ties):
    """Count votes of a pair, and bring what is proved up to date."""
    proof.wins[i, j] += wins
    proof.wins[j, i] += losses
    proof.ties[i, j] += ties
    proof.ties[j, i] += ties
    proof.points[i] += wins + ties / 2
    proof.points[j] += losses + ties / 2
    proof.votes[i] += wins + losses + ties
    proof.votes[j] += wins + losses + ties
    open_before = is_open(proof, i, j)
    has_moved = weigh_claim(proof, i, j)
    has_moved = weigh_claim(proof, j, i) or has_moved
    if has_moved or open_before != is_open(proof, i, j):
        proof.undecided[0] += int(is_open(proof, i, j)) - int(open_before)
        proof.proved[0] = is_reached(proof)


@kernel
def weigh_claim(proof, i, j):
    """Give "i beats j" the evidence of its votes; return whether a bound of a score has changed."""
    before = claim_of(proof, i, j)
    wins, losses, ties = proof.wins[i, j], proof.wins[j, i], proof.ties[i, j]
    proof.evidence[i, j] = log_evidence(wins, losses, ties, proof.claim_margin[0])
    if proof.margin[0] > 0:
        proof.close[i, j] = log_evidence(wins, losses, ties, proof.margin[0])
    found = claim_of(proof, i, j)
    return move_claim(proof, levels_of(proof), len(proof.points), i, j, before, found)


@kernel
def claim_of(proof, i, j):
    """Return the evidence for "i beats j", which includes that i is not behind by the margin."""
    if proof.claim_margin[0] < proof.margin[0] and proof.close[i, j] < proof.levels[PAIR]:
        return -math.inf
    return proof.evidence[i, j]


@kernel
def move_claim(bounds, at, k, i, j, before, found):
    """Take in that the evidence for "i beats j" has changed; return whether a bound of a score of K options has.

    It takes any tuple with the fields depth, at_depth, lower and upper.
    """
    has_moved = False
    if (found >= loss_level(at)) != (before >= loss_level(at)):
        bounds.upper[j] += 1 if before >= loss_level(at) else -1
        has_moved = True
    deep = bounds.depth[i, j]
    while deep > 0 and found < win_level(at, deep - 1):
        deep -= 1
    while deep < k - 1 and found >= win_level(at, deep):
        deep += 1
    if deep != bounds.depth[i, j]:
        bounds.at_depth[i, bounds.depth[i, j]] -= 1
        bounds.at_depth[i, deep] += 1
        bounds.depth[i, j] = deep
        count_wins(bounds, k, i)
        has_moved = True
    return has_moved


@kernel
def count_wins(bounds, k, i):
    """Write the lower bound of a score: K - 1 - l, if so many wins reach x_w(l)."""
    reached = k - 1
    bounds.lower[i] = 0
    for l in range(k - 1):
        reached -= bounds.at_depth[i, l]
        if reached >= k - 1 - l:
            bounds.lower[i] = k - 1 - l
            return


@kernel
def is_reached(proof):
    """Tell whether the goal is reached."""
    if proof.goal[KIND] == TOP:
        return find_best_few(proof)
    if proof.goal[KIND] == ABOVE:
        return proof.undecided[0] == 0
    return are_tiers_final(proof)


@kernel
def beats(proof, i, j):
    """Tell whether i is proved to beat j, beside any verdict."""
    return claim_of(proof, i, j) >= proof.levels[EXACT]


@kernel
def is_open(proof, i, j):
    """Tell whether the goal may still ask for a pair: neither side is proved, nor a tie within the margin."""
    if proof.goal[KIND] == ABOVE and proof.goal[NUMBER] != i and proof.goal[NUMBER] != j:
        return False
    if beats(proof, i, j) or beats(proof, j, i):
        return False
    level = proof.levels[PAIR]
    tied = proof.close[i, j] >= level and proof.close[j, i] >= level
    return not (proof.margin[0] > 0 and tied)


@kernel
def find_best_few(proof):
    """Mark the m options of the highest lower bounds; tell whether no other may beat more than any of them."""
    k = len(proof.points)
    proof.taken[:] = False
    last = 0
    for _ in range(proof.goal[NUMBER]):
        last = -1
        for i in range(k):
            if not proof.taken[i] and (last < 0 or is_surer(proof, i, last)):
                last = i
        proof.taken[last] = True
    if proof.goal[NUMBER] == 1 and proof.lower[last] == 0:
        return False  # who is proved best beats somebody
    for j in range(k):
        if not proof.taken[j] and proof.upper[j] > proof.lower[last]:
            return False
    return True


@kernel
def is_surer(proof, i, j):
    """Tell whether i comes before j among the best: by the bounds of their scores, then by the votes that they won."""
    if proof.lower[i] != proof.lower[j]:
        return proof.lower[i] > proof.lower[j]
    if proof.upper[i] != proof.upper[j]:
        return proof.upper[i] > proof.upper[j]
    return proof.points[i] * max(proof.votes[j], 1) > proof.points[j] * max(proof.votes[i], 1)


@kernel
def are_tiers_final(proof):
    """Tell whether every open pair is of two options that are each a tier of their own: more votes tell no more apart."""
    k = len(proof.points)
    mark_single(proof, proof.taken)
    for i in range(k):
        for j in range(i + 1, k):
            if not (proof.taken[i] and proof.taken[j]) and is_open(proof, i, j):
                return False
    return True


@kernel
def mark_single(proof, single):
    """Mark the options that are each a tier of their own, by the cuts that are proved."""
    k = len(proof.points)
    single[:] = False
    before, ceiling = 0, k  # options above the last cut, and the least score that they may have
    for border in range(k - 2, -2, -1):
        above, below = count_sides(proof, border)
        if above > before and above + below == k:
            if above == before + 1:
                for i in range(k):
                    single[i] = single[i] or border < proof.lower[i] < ceiling
            before, ceiling = above, border + 1


@kernel
def count_sides(proof, border):
    """Return how many options are proved to beat more others than the border says, and how many are proved not to."""
    above, below = 0, 0
    for i in range(len(proof.points)):
        above += int(proof.lower[i] > border)
        below += int(proof.upper[i] <= border)
    return above, below


@kernel
def mark_cuts(proof, cuts):
    """Mark each t for which t options are proved to have higher scores than all others."""
    k = len(proof.points)
    cuts[:] = False
    for border in range(k - 1):
        above, below = count_sides(proof, border)
        if above > 0 and above + below == k:
            cuts[above] = True


@kernel
def votes_to_proof(proof, wins, ties, p, tie, pairs, in_turn, most, noise):
    """Vote on from these counts until the goal is reached; return how many votes that took, ``most`` at most.

    Parameters
    ----------
    p, tie
        K x K: P(win) + P(tie) / 2, and P(tie).
    pairs
        n x 2: what may be asked.
    in_turn
        Whether the pairs are asked one after the other, or drawn.
    """
    for i in range(len(wins)):
        for j in range(i + 1, len(wins)):
            count_votes(proof, i, j, wins[i, j], wins[j, i], ties[i, j])
    for vote in range(most):
        if proof.proved[0]:
            return vote
        nth = vote % len(pairs) if in_turn else pick(noise, len(pairs))
        i, j = pairs[nth, 0], pairs[nth, 1]
        luck = noise.random()
        won = luck < p[i, j] - tie[i, j] / 2
        tied = not won and luck < p[i, j] + tie[i, j] / 2
        count_votes(proof, i, j, int(won), int(not won and not tied), int(tied))
    return most
