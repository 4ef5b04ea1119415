"""How hard a problem is: the gaps and counts in which the paper states its bounds.

Every function takes a PreferenceMatrix. The paper relabels the options so that 1..C are the Copeland
winners; here "i > C" reads "i is not a Copeland winner", and nothing is relabelled. Definitions carry
the numbers that the paper prints: Zoghi, Karnin, Whiteson, de Rijke, "Copeland Dueling Bandits", 2015.

A quantity that does not exist (the least of no numbers, one over zero) raises
:class:`copeland.errors.Undefined`, which says which options are the reason. The paper assumes that no
two options tie (Assumption A); with ties each quantity is given as long as its definition has a value.

Examples
--------
>>> import copeland
>>> copeland.gaps.losses(copeland.load("cyclic-4")).tolist()
[0, 2, 2, 2]
"""

from __future__ import annotations

import math

import numpy as np

from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix
from copeland.support.arrays import Floats, Ints
from copeland.theory.winners import copeland_scores, copeland_winners


def losses(m: PreferenceMatrix) -> Ints:
    """Return how many options each option loses to, the size of its set L_i (Definition 3.1).

    Examples
    --------
    >>> losses(PreferenceMatrix([[.5, .7, .8], [.3, .5, .6], [.2, .4, .5]])).tolist()
    [0, 1, 2]
    """
    return np.count_nonzero(m.p < 0.5, axis=1)


def winner_count(m: PreferenceMatrix) -> int:
    """Return C, the number of Copeland winners (Section 2).

    Examples
    --------
    >>> import copeland
    >>> winner_count(copeland.load("cyclic-4"))
    1
    """
    return len(copeland_winners(m))


def l_c(m: PreferenceMatrix) -> int:
    """Return L_C, the losses of a Copeland winner (Definition 3.1).

    Without ties all winners lose equally often. With ties they may not: then it is the largest number
    of losses that any winner has, as the paper's table of notation says.

    Examples
    --------
    >>> import copeland
    >>> l_c(copeland.load("cyclic-4"))
    0
    """
    return int(losses(m)[copeland_winners(m)].max())


def gaps(m: PreferenceMatrix) -> Floats:
    """Return the K x K matrix ``Delta_ij = |p_ij - 1/2|`` (Definition 3.2).

    Examples
    --------
    >>> gaps(PreferenceMatrix([[.5, .75], [.25, .5]])).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """
    return np.abs(m.p - 0.5)


def gap_min(m: PreferenceMatrix, ties: bool = False) -> float:
    """Return Delta_min, the smallest gap between two options (Definition 3.2).

    Parameters
    ----------
    m
        The problem.
    ties
        The paper's text takes the least over all pairs, which is 0 when a pair ties; its table of
        notation leaves exact ties out. The table's reading is the default; True gives the text's.

    Examples
    --------
    >>> import copeland
    >>> round(gap_min(copeland.load("cyclic-4")), 4)
    0.1
    """
    between = gaps(m)[np.triu_indices(m.k, 1)]
    if not ties:
        between = between[between > 0]
    if between.size == 0:
        raise Undefined("Delta_min is undefined: every pair ties exactly, so no gap is above 0.")
    return float(between.min())


def i_star(m: PreferenceMatrix) -> dict[int, int]:
    """Return i* for each option i that is not a Copeland winner (Definition 3.3).

    i* is the opponent at which i's losing gaps, from the largest down, reach place L_C + 1: the loss
    that proves that i is not a winner. Of equal gaps the lower index comes first.

    Examples
    --------
    >>> i_star(PreferenceMatrix([[.5, .7, .8], [.3, .5, .6], [.2, .4, .5]]))
    {1: 0, 2: 0}
    """
    rest = non_winners(m)
    place = l_c(m)
    short = rest[losses(m)[rest] <= place]
    if short.size:
        i = int(short[0])
        raise Undefined(
            f"i* is undefined for option {i}: because of ties it is not a Copeland winner and "
            f"yet loses to only {losses(m)[i]}, but L_C + 1 = {place + 1} losses are needed."
        )
    # Ascending p is descending gap among losses, and puts whatever is not a loss behind them.
    order = np.argsort(m.p[rest], axis=1, kind="stable")
    return dict(zip(rest.tolist(), order[:, place].tolist(), strict=True))


def gaps_star(m: PreferenceMatrix) -> Floats:
    """Return Delta*_i for each option: its gap to i*, and 0 for a Copeland winner (Definition 3.4).

    Examples
    --------
    >>> import copeland
    >>> gaps_star(copeland.load("cyclic-4")).round(3).tolist()
    [0.0, 0.4, 0.4, 0.4]
    """
    star = i_star(m)
    values = np.zeros(m.k)
    values[list(star)] = gaps(m)[list(star), list(star.values())]
    return values


def gaps_star_pairs(m: PreferenceMatrix) -> Floats:
    """Return the K x K matrix Delta*_ij (Definition 3.5).

    It is Delta*_i + Delta_ij where i does not lose to j, else the larger of the two, and never below
    Delta_ij. The diagonal, which the paper does not use, is 0.

    Examples
    --------
    >>> gaps_star_pairs(PreferenceMatrix([[.5, .75, 1], [.25, .5, .75], [0, .25, .5]])).tolist()
    [[0.0, 0.25, 0.5], [0.25, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    between = gaps(m)
    star = gaps_star(m)[:, np.newaxis]
    pairs = np.where(m.p >= 0.5, star + between, np.maximum(star, between))
    np.fill_diagonal(pairs, 0.0)
    return pairs


def gap_star_min(m: PreferenceMatrix) -> float:
    """Return Delta*_min, the least Delta*_i of an option that is not a winner (Definition 3.4).

    Examples
    --------
    >>> import copeland
    >>> round(gap_star_min(copeland.load("cyclic-4")), 4)
    0.4
    """
    rest = _some_non_winners(m, "Delta*_min")
    return float(gaps_star(m)[rest].min())


def gap(m: PreferenceMatrix) -> float:
    """Return Delta, the gap in the paper's bound on CCB's regret (Definition 3.6).

    It is the least of Delta*_min and of all gaps between a Copeland winner and another option.

    Examples
    --------
    >>> round(gap(PreferenceMatrix([[.5, .7, .8], [.3, .5, .6], [.2, .4, .5]])), 12)
    0.2
    """
    _some_non_winners(m, "Delta")
    across = gaps_across(m, "Delta", "so no number of duels tells them apart")
    return min(float(across.min()), gap_star_min(m))


def gaps_across(m: PreferenceMatrix, what: str, why: str) -> Floats:
    """Return the gaps between winners and non-winners; ``what`` is undefined, and why, if one is 0.

    Examples
    --------
    >>> import copeland
    >>> gaps_across(copeland.load("cyclic-4"), "Delta", "so nothing tells them apart").round(3).tolist()
    [[0.1, 0.1, 0.1]]
    """
    best, rest = copeland_winners(m), non_winners(m)
    across = gaps(m)[np.ix_(best, rest)]
    if not across.all():
        i, j = np.argwhere(across == 0)[0]
        raise Undefined(
            f"{what} is undefined: the Copeland winner {best[i]} and option {rest[j]} tie exactly, {why}."
        )
    return across


def gap_ratio(m: PreferenceMatrix) -> float:
    """Return Delta^2 / Delta_min^2: how much a bound gains by Delta in place of Delta_min (App. C.4).

    Examples
    --------
    >>> import copeland
    >>> round(gap_ratio(copeland.load("cyclic-4")), 4)
    1.0
    """
    return (gap(m) / gap_min(m)) ** 2


def h(m: PreferenceMatrix) -> Floats:
    """Return H_i, the sum over opponents j of 1 / Delta_ij^2, for each option (Definition 12.3).

    Examples
    --------
    >>> import copeland
    >>> h(copeland.load("cyclic-4")).round(3).tolist()
    [300.0, 112.5, 112.5, 112.5]
    """
    tie = first_tie(m)
    if tie is not None:
        raise Undefined(
            f"H_i is undefined: options {tie[0]} and {tie[1]} tie exactly, and 1 / Delta_ij^2 of a tie "
            "is infinite."
        )
    between = gaps(m)
    np.fill_diagonal(between, np.inf)
    return (1 / between**2).sum(axis=1)


def h_inf(m: PreferenceMatrix) -> float:
    """Return H_inf, the largest H_i (Definition 12.3).

    Examples
    --------
    >>> import copeland
    >>> round(h_inf(copeland.load("cyclic-4")), 4)
    300.0
    """
    return float(h(m).max())


def score_gaps(m: PreferenceMatrix, epsilon: float = 0.0) -> Floats:
    """Return how far each option's normalised Copeland score is below the best (Definition 12).

    With ``epsilon`` 0 this is Delta_i = max(cpld* - cpld_i, 1 / (K - 1)), item 3; in general it is
    Delta_i^epsilon = max(Delta_i, epsilon (1 - cpld*)), item 4.

    Examples
    --------
    >>> score_gaps(PreferenceMatrix([[.5, .7, .8], [.3, .5, .6], [.2, .4, .5]])).tolist()
    [0.5, 0.5, 1.0]
    """
    if not 0 <= epsilon < math.inf:
        raise InvalidParameter(f"epsilon is {epsilon}; it must be a number of at least 0.")
    scores = copeland_scores(m)
    behind = np.maximum(scores.max() - scores, 1) / (m.k - 1)
    return np.maximum(behind, epsilon * (1 - normalised_scores(m).max()))


def normalised_scores(m: PreferenceMatrix) -> Floats:
    """Return cpld_i, the share of its opponents that each option beats (Section 2).

    Examples
    --------
    >>> import copeland
    >>> normalised_scores(copeland.load("cyclic-4")).round(3).tolist()
    [1.0, 0.333, 0.333, 0.333]
    """
    return copeland_scores(m) / (m.k - 1)


def first_tie(m: PreferenceMatrix) -> tuple[int, int] | None:
    """Return a pair of options that tie exactly, or None: the paper's Assumption A is that none do.

    Examples
    --------
    >>> first_tie(PreferenceMatrix([[.5, .7, .6], [.3, .5, .5], [.4, .5, .5]]))
    (1, 2)
    """
    tied = np.argwhere(np.triu(m.p == 0.5, 1))
    return (int(tied[0, 0]), int(tied[0, 1])) if len(tied) else None


def non_winners(m: PreferenceMatrix) -> Ints:
    """Return the options that are not Copeland winners.

    Examples
    --------
    >>> import copeland
    >>> non_winners(copeland.load("cyclic-4")).tolist()
    [1, 2, 3]
    """
    return np.setdiff1d(np.arange(m.k), copeland_winners(m))


def _some_non_winners(m: PreferenceMatrix, what: str) -> Ints:
    rest = non_winners(m)
    if rest.size == 0:
        raise Undefined(
            f"{what} is undefined: all {m.k} options are Copeland winners, and it is the least over "
            "those that are not."
        )
    return rest
