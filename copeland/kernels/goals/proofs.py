"""What the votes prove, by the rules of the certificate: pairs, bounds of scores, and whether the goal is reached."""

from __future__ import annotations

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
from copeland.kernels.goals.order_statistics import copy_row, sort
from copeland.kernels.mark import kernel
from copeland.kernels.vote_evidence import log_evidence


@kernel
def weigh(planner, i, j):
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
        if planner.goal[KIND] == TOP:
            planner.proved[0] = find_border(planner) > 0
        else:
            planner.proved[0] = planner.undecided[0] == 0


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
    if planner.margin[0] == 0 or planner.goal[KIND] == ABOVE:
        return True
    return planner.close[i, j] >= planner.levels[PAIR]


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
def find_border(planner):
    """Return a score that m options are proved to reach and no other to exceed; 0 if none is."""
    k = len(planner.points)
    m = planner.goal[NUMBER]
    for border in range(k - 1, 0, -1):
        reaching, exceeding = 0, 0
        for i in range(k):
            reaching += int(planner.lower[i] >= border)
            if planner.upper[i] > border:
                exceeding += 1 if planner.lower[i] >= border else k
        if exceeding <= m <= reaching:
            return border
    return 0


@kernel
def choose_best_few(planner, border):
    """Make those the set S that are proved the best few: who may exceed the border, then the surest."""
    m = planner.goal[NUMBER]
    left = m
    for i in range(len(planner.points)):
        planner.chosen[i] = planner.upper[i] > border
        left -= int(planner.chosen[i])
    while left > 0:
        surest = -1
        for i in range(len(planner.points)):
            if not planner.chosen[i] and planner.lower[i] >= border:
                if surest < 0 or planner.lower[i] > planner.lower[surest]:
                    surest = i
        planner.chosen[surest] = True
        left -= 1


@kernel
def mark_cuts(planner, cuts):
    """Mark each t for which t options are proved to have higher scores than all others."""
    k = len(planner.points)
    cuts[:] = False
    for border in range(k - 1):
        above, below = 0, 0
        for i in range(k):
            above += int(planner.lower[i] > border)
            below += int(planner.upper[i] <= border)
        if above > 0 and above + below == k:
            cuts[above] = True
