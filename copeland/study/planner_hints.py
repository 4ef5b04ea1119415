"""What guides tell the planner, and how far it believes them: as far as people agree with them so far."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# Before people have voted guides are trusted as if they named the side of people on 7 pairs of 10, which four
# pairs had shown.
FIRST_TRUST, FIRST_PAIRS = 0.4, 4.0
# What a side that is surely right is worth: it says nothing of the size of the gap. Measured: more than this costs
# votes where gaps differ much.
WORTH = 0.6
MOVED = 0.02  # hints that have moved by less are as good as new
MOST = 0.95  # of a hint: no guide is sure
FAIR_VOTES = 8.0  # votes by which the lead of people on a pair is drawn towards none

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def hints_of(guide_wins: Counts, guide_ties: Counts, wins: Counts, ties: Counts) -> Floats:
    """Return for each pair how far guides make it believed that i beats j, from -1 to 1.

    It is their lean, times the trust in them, times what a side is worth.
    """
    lean = leanings(guide_wins, guide_ties)
    return np.clip(WORTH * trust_in(lean, wins, ties) * lean, -MOST, MOST)


def are_stale(old: Floats | None, new: Floats) -> bool:
    """Tell whether hints have moved so far that the planner should know the new ones."""
    return old is None or float(abs(new - old).max()) > MOVED


def leanings(wins: Counts, ties: Counts) -> Floats:
    """Return how far votes lean to i against j, from -1 to 1; 0 where there are none."""
    return (wins - wins.T) / np.maximum(wins + wins.T + ties, 1)


def trust_in(lean: Floats, wins: Counts, ties: Counts) -> float:
    """Return by how much the side of people moves with the lean of guides; 0 if it moves against it.

    Least squares over the pairs that both voted on. Where few people voted their side is not known for sure,
    and the pair tells the less.

    Examples
    --------
    >>> says = np.array([[0, 1], [-1, 0]])
    >>> votes = np.array([[0, 90], [10, 0]])
    >>> none = np.zeros((2, 2))
    >>> [round(trust_in(says, *counts), 2) for counts in ((none, none), (votes, none), (votes.T, none))]
    [0.4, 0.52, 0.12]
    """
    voted = np.triu(lean != 0, 1) & (wins + wins.T > 0)
    lead = (wins - wins.T)[voted]
    spread = np.sqrt(2 * ((wins + wins.T + ties)[voted] + FAIR_VOTES))
    sides = [math.erf(z) for z in (lead / spread).tolist()]  # P(i is ahead) - P(j is)
    both = np.array(sides) * lean[voted]
    trust = (FIRST_TRUST * FIRST_PAIRS + both.sum()) / (FIRST_PAIRS + (both**2).sum())
    return max(float(trust), 0.0)
