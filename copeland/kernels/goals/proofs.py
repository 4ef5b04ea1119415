"""What the votes prove, by the rules of the certificate: pairs, bounds of scores, and whether the goal is reached."""

from __future__ import annotations

from copeland.kernels.arrays import copy_row, sort
from copeland.kernels.goals.goal_state import (
    ABOVE,
    EXACT,
    KIND,
    LOSS,
    NUMBER,
    PAIR,
    TOP,
    WIN,
    win_level,
)
from copeland.kernels.mark import kernel
from copeland.kernels.vote_evidence import log_evidence


@kernel
def update_proof(planner, i, j):
    """Give the claims of a pair the evidence of its votes, and bring what is proved up to date."""
    open_before = is_open(planner, i, j)
    strong = reaches_any(planner, i, j)
    wins, losses, ties = planner.wins[i, j], planner.wins[j, i], planner.ties[i, j]
    margin = planner.margin[0]
    own = margin if planner.goal[KIND] == TOP else 0.0
    planner.evidence[i, j] = log_evidence(wins, losses, ties, own)
    planner.evidence[j, i] = log_evidence(losses, wins, ties, own)
    if margin > 0:
        planner.close[i, j] = log_evidence(wins, losses, ties, margin)
        planner.close[j, i] = log_evidence(losses, wins, ties, margin)
    if strong or reaches_any(planner, i, j):
        bound_score(planner, i)
        bound_score(planner, j)
        planner.undecided[0] += int(is_open(planner, i, j)) - int(open_before)
        planner.proved[0] = is_reached(planner)


@kernel
def is_reached(planner):
    """Tell whether the goal is reached."""
    if planner.goal[KIND] == TOP:
        return find_best_few(planner)
    if planner.goal[KIND] == ABOVE:
        return planner.undecided[0] == 0
    return are_tiers_final(planner)


@kernel
def reaches_any(planner, i, j):
    """Tell whether a claim of a pair has evidence enough for something: else nothing is proved of it."""
    least = min(planner.levels[WIN], planner.levels[LOSS])
    if planner.goal[KIND] != TOP:
        least = min(planner.levels[PAIR], planner.levels[EXACT])
    most = max(planner.evidence[i, j], planner.evidence[j, i])
    if planner.margin[0] > 0:
        most = max(most, max(planner.close[i, j], planner.close[j, i]))
    return most >= least


@kernel
def beats(planner, i, j):
    """Tell whether i is proved to beat j, beside any verdict."""
    if planner.evidence[i, j] < planner.levels[EXACT]:
        return False
    return planner.margin[0] == 0 or planner.close[i, j] >= planner.levels[PAIR]


@kernel
def is_open(planner, i, j):
    """Tell whether a pair that the goal asks for is undecided: neither side is proved, nor a tie within the margin."""
    if planner.goal[KIND] == ABOVE and planner.goal[NUMBER] != i and planner.goal[NUMBER] != j:
        return False
    if beats(planner, i, j) or beats(planner, j, i):
        return False
    level = planner.levels[PAIR]
    tied = planner.close[i, j] >= level and planner.close[j, i] >= level
    return not (planner.margin[0] > 0 and tied)


@kernel
def bound_score(planner, i):
    """Bound how many others an option beats, by what is proved of its pairs."""
    k = len(planner.points)
    if planner.goal[KIND] == TOP:
        planner.lower[i] = 0
        strongest = planner.sorted_row
        copy_row(planner.evidence[i], strongest)
        sort(strongest)
        for r in range(1, k):
            if strongest[k - r] >= win_level(planner, k - 1 - r):
                planner.lower[i] = r
        planner.upper[i] = k - 1
        for j in range(k):
            planner.upper[i] -= int(planner.evidence[j, i] >= planner.levels[LOSS])
        return
    planner.lower[i], planner.upper[i] = 0, k - 1
    for j in range(k):
        if j != i:
            planner.lower[i] += int(beats(planner, i, j))
            planner.upper[i] -= int(beats(planner, j, i))


@kernel
def find_best_few(planner):
    """Mark the m options of the highest lower bounds; tell whether no other may beat more than any of them."""
    k = len(planner.points)
    planner.taken[:] = False
    last = 0
    for _ in range(planner.goal[NUMBER]):
        last = -1
        for i in range(k):
            if not planner.taken[i] and (last < 0 or is_surer(planner, i, last)):
                last = i
        planner.taken[last] = True
    for j in range(k):
        if not planner.taken[j] and planner.upper[j] > planner.lower[last]:
            return False
    return True


@kernel
def is_surer(planner, i, j):
    """Tell whether i comes before j among the best: by the bounds of their scores, then by the votes that they won."""
    if planner.lower[i] != planner.lower[j]:
        return planner.lower[i] > planner.lower[j]
    if planner.upper[i] != planner.upper[j]:
        return planner.upper[i] > planner.upper[j]
    return planner.points[i] * max(planner.votes[j], 1) > planner.points[j] * max(
        planner.votes[i], 1
    )


@kernel
def are_tiers_final(planner):
    """Tell whether every open pair is of two options that are each a tier of their own: more votes tell no more apart."""
    k = len(planner.points)
    mark_single(planner, planner.taken)
    for i in range(k):
        for j in range(i + 1, k):
            if not (planner.taken[i] and planner.taken[j]) and is_open(planner, i, j):
                return False
    return True


@kernel
def mark_single(planner, single):
    """Mark the options that are each a tier of their own, by the cuts that are proved."""
    k = len(planner.points)
    single[:] = False
    before, ceiling = 0, k  # options above the last cut, and the least score that they may have
    for border in range(k - 2, -2, -1):
        above, below = count_sides(planner, border)
        if above > before and above + below == k:
            if above == before + 1:
                for i in range(k):
                    single[i] = single[i] or border < planner.lower[i] < ceiling
            before, ceiling = above, border + 1


@kernel
def count_sides(planner, border):
    """Return how many options are proved to beat more others than the border says, and how many are proved not to."""
    above, below = 0, 0
    for i in range(len(planner.points)):
        above += int(planner.lower[i] > border)
        below += int(planner.upper[i] <= border)
    return above, below


@kernel
def mark_cuts(planner, cuts):
    """Mark each t for which t options are proved to have higher scores than all others."""
    k = len(planner.points)
    cuts[:] = False
    for border in range(k - 1):
        above, below = count_sides(planner, border)
        if above > 0 and above + below == k:
            cuts[above] = True
