"""Who is best: Condorcet, Copeland, Borda, von Neumann, random walk, Smith set and cycles.

Each notion is a function of a matrix. A set of options is a sorted array of indices, and options
that tie for first are all in it. Option i *beats* option j if ``p[i, j] > 1/2``; a pair in which
neither beats the other is a tie.

A Copeland score here counts wins, and a tie as nothing, as the paper does. Voting theory counts wins less losses, which
ranks options as half a win for each tie does; so does pref_voting. Where pairs tie exactly the winners may differ:
``ties=0.5`` gives those.

Examples
--------
>>> import copeland
>>> m = copeland.load("cyclic-4")
>>> copeland.winners.condorcet_winner(m), copeland.winners.copeland_winners(m).tolist()
(0, [0])
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.support.arrays import Bools, Floats, Ints

_ROUNDING = 1e-12  # differences up to this come from arithmetic, not from the preferences
_NO_WEIGHT = 1e-9  # the linear program cannot tell a weight or a margin below this from none
_WIDEST = 500  # cycles are looked for among this many options unless the caller names them

_Indices = NDArray[np.intp]


def condorcet_winner(m: PreferenceMatrix) -> int | None:
    """Return the option that beats every other, or None if there is none.

    Examples
    --------
    >>> condorcet_winner(PreferenceMatrix([[0.5, 0.4, 0.1], [0.6, 0.5, 0.7], [0.9, 0.3, 0.5]]))
    1
    """
    wins = copeland_scores(m)
    best = int(wins.argmax())
    return best if wins[best] == m.k - 1 else None


def copeland_scores(m: PreferenceMatrix, ties: float = 0.0) -> Ints | Floats:
    """Return how many others each option beats.

    Parameters
    ----------
    ties
        What a tie is worth to each option, from 0 to 1. With 0 (the paper's definition) the scores
        are integers. With 1/2 they order the options as wins less losses do, which is the usual Copeland score
        of voting theory, and that of pref_voting.

    References
    ----------
    Zoghi et al. 2015, Section 2.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.5, 0.6], [0.5, 0.5, 0.8], [0.4, 0.2, 0.5]])
    >>> copeland_scores(m).tolist()
    [1, 1, 0]
    >>> copeland_scores(m, ties=0.5).tolist()
    [1.5, 1.5, 0.0]
    """
    if not 0 <= ties <= 1:
        raise InvalidParameter(f"ties is {ties}; a tie is worth between 0 and 1 points.")
    beats = _beats(m)
    wins = beats.sum(axis=1)
    if ties == 0:
        return wins
    tied = (~beats & ~beats.T).sum(axis=1) - 1  # without the tie with itself
    return wins + ties * tied


def copeland_winners(m: PreferenceMatrix, ties: float = 0.0) -> _Indices:
    """Return the options that beat the most others.

    Parameters
    ----------
    ties
        What a tie is worth to each option, from 0 to 1. 0 is the paper's definition, and 1/2 that of
        pref_voting: where pairs tie exactly, the two may name different winners, as here.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.6, 0.4], [0.4, 0.5, 0.5], [0.6, 0.5, 0.5]])
    >>> copeland_winners(m).tolist()
    [0, 2]
    >>> copeland_winners(m, ties=0.5).tolist()
    [2]
    """
    return _best(copeland_scores(m, ties))


def epsilon_copeland_winners(m: PreferenceMatrix, epsilon: float) -> _Indices:
    """Return the options whose share of pairs not won is within 1 + epsilon of the smallest.

    With cpld(i) the share of the others that i beats and cpld* the largest such share, these are the
    options with 1 - cpld(i) <= (1 - cpld*)(1 + epsilon). When there is a Condorcet winner it is the
    only one, whatever epsilon.

    References
    ----------
    Zoghi et al. 2015, Definition 12.2.

    Examples
    --------
    >>> m = PreferenceMatrix(
    ...     [[0.5, 0.6, 0.6, 0.4], [0.4, 0.5, 0.6, 0.4], [0.4, 0.4, 0.5, 0.6], [0.6, 0.6, 0.4, 0.5]]
    ... )
    >>> copeland_scores(m).tolist()
    [2, 1, 1, 2]
    >>> epsilon_copeland_winners(m, 0.5).tolist(), epsilon_copeland_winners(m, 1).tolist()
    ([0, 3], [0, 1, 2, 3])
    """
    if not 0 <= epsilon < math.inf:
        raise InvalidParameter(f"epsilon is {epsilon}; it must be a finite number, 0 or more.")
    not_won = m.k - 1 - copeland_scores(m)
    return np.flatnonzero(not_won <= not_won.min() * (1 + epsilon) * (1 + _ROUNDING))


def insensitive_copeland_scores(m: PreferenceMatrix, margin: float) -> Ints:
    """Return how many others each option beats by more than a margin.

    Parameters
    ----------
    margin
        The gap over 1/2 that does not yet count as a win, from 0 (the Copeland score) to below 1/2.

    References
    ----------
    Busa-Fekete, Szörényi and Hüllermeier 2014; Zoghi et al. 2015, Section 6.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.6, 0.9], [0.4, 0.5, 0.51], [0.1, 0.49, 0.5]])
    >>> insensitive_copeland_scores(m, 0.05).tolist()
    [2, 0, 0]
    """
    if not 0 <= margin < 0.5:
        raise InvalidParameter(f"margin is {margin}; it must be at least 0 and less than 1/2.")
    return (m.p - 0.5 > margin * (1 + _ROUNDING)).sum(axis=1)


def insensitive_copeland_winners(m: PreferenceMatrix, margin: float) -> _Indices:
    """Return the options that beat the most others by more than a margin.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.51, 0.6], [0.49, 0.5, 0.7], [0.4, 0.3, 0.5]])
    >>> insensitive_copeland_winners(m, 0).tolist(), insensitive_copeland_winners(m, 0.05).tolist()
    ([0], [0, 1])
    """
    return _best(insensitive_copeland_scores(m, margin))


def borda_scores(m: PreferenceMatrix) -> Floats:
    """Return, for each option, the sum of its probabilities to beat the others.

    Divided by K - 1 it is the probability to beat another option drawn at random.

    References
    ----------
    Zoghi et al. 2015, Appendix C.2.

    Examples
    --------
    >>> borda_scores(PreferenceMatrix([[0.5, 0.75, 1], [0.25, 0.5, 0.5], [0, 0.5, 0.5]])).tolist()
    [1.75, 0.75, 0.5]
    """
    return m.p.sum(axis=1) - 0.5  # without the half a point against itself


def borda_winners(m: PreferenceMatrix) -> _Indices:
    """Return the options with the highest Borda score; a Condorcet winner need not be one.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    >>> condorcet_winner(m), borda_winners(m).tolist()
    (0, [1])
    """
    return _best(borda_scores(m))


def von_neumann(m: PreferenceMatrix) -> Floats:
    """Return the lottery over options that beats or ties with every single option.

    These K probabilities x make the smallest of the (x^T P)_j as large as possible: exactly 1/2. No
    option outside the Smith set has any. The lottery is unique unless ties or equal margins leave a
    choice. Then the one returned has the widest support (every option that some such lottery
    plays) and, on it, a smallest probability as large as possible; where even that leaves
    a choice, the linear program makes it. Margins below 1e-9 of the largest may count as ties.

    References
    ----------
    Dudík et al. 2015; Zoghi et al. 2015, Appendix C.2.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.6, 0.2], [0.4, 0.5, 0.7], [0.8, 0.3, 0.5]])
    >>> von_neumann(m).round(6).tolist()
    [0.333333, 0.5, 0.166667]
    """
    options = smith_set(m)
    lottery = np.zeros(m.k)
    lottery[options] = _maximal_lottery(m.p[np.ix_(options, options)])
    return lottery


def von_neumann_support(m: PreferenceMatrix, tolerance: float = _NO_WEIGHT) -> _Indices:
    """Return the options that the von Neumann lottery plays with probability over ``tolerance``.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.5, 0.9], [0.5, 0.5, 0.8], [0.1, 0.2, 0.5]])
    >>> von_neumann_support(m).tolist()
    [0, 1]
    """
    return np.flatnonzero(von_neumann(m) > tolerance)


def random_walk_distribution(m: PreferenceMatrix) -> Floats:
    """Return how often a walk that moves to better options visits each of them.

    From option i the walk goes to j with probability p_ji / sum_k p_ki, staying included
    (p_ii = 1/2). Of any two options one can be left for the other, so the walk ends up in one closed
    class, whatever its start, and the distribution is unique even when some p are 0 or 1. Options
    that the walk leaves forever have exactly 0.

    References
    ----------
    Busa-Fekete and Hüllermeier 2014; Zoghi et al. 2015, Appendix C.2.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.8], [0.2, 0.5]])
    >>> (random_walk_distribution(m) * 41).round(6).tolist()
    [28.0, 13.0]
    """
    visited = _dominant_set(m.p.T == 0)
    p = m.p[np.ix_(visited, visited)]
    equations = p / p.sum(axis=0) - np.eye(len(p))
    equations[-1] = 1  # the balance equations are dependent: one gives way to "they sum to 1"
    right = np.zeros(len(p))
    right[-1] = 1
    distribution = np.zeros(m.k)
    distribution[visited] = _clean_weights(np.linalg.solve(equations, right))
    return distribution


def random_walk_winners(m: PreferenceMatrix) -> _Indices:
    """Return the options that the random walk visits most.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]])
    >>> random_walk_winners(m).tolist()
    [0, 1]
    """
    return _best(random_walk_distribution(m))


def smith_set(m: PreferenceMatrix) -> _Indices:
    """Return the smallest set of options that each beat every option outside it.

    An option that ties with a member is not beaten by it, so it is a member too.

    Examples
    --------
    >>> m = PreferenceMatrix(
    ...     [[0.5, 0.6, 0.4, 0.9], [0.4, 0.5, 0.6, 0.9], [0.6, 0.4, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]]
    ... )
    >>> smith_set(m).tolist()
    [0, 1, 2]
    """
    return _dominant_set(_beats(m))


def cycles(
    m: PreferenceMatrix, among: Iterable[int | str] | None = None, limit: int = 20, longest: int = 5
) -> list[tuple[int, ...]]:
    """Return cycles in the preferences: each option beats the next, and the last beats the first.

    A cycle starts from its smallest index. Shorter cycles come first; of equal lengths, those through
    options with higher Copeland scores.

    Parameters
    ----------
    among
        Options, by index or label, to look among; by default the Smith set (its 500 options with
        the highest Copeland scores, if it is larger).
    limit
        How many cycles to list at most.
    longest
        The length up to which to look. Up to 5 each cycle is found at once; longer ones may take a
        search that grows quickly with the length.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.4, 0.6], [0.6, 0.5, 0.4], [0.4, 0.6, 0.5]])
    >>> cycles(m)
    [(0, 2, 1)]
    """
    if limit < 1:
        raise InvalidParameter(f"limit is {limit}; list at least 1 cycle.")
    if longest < 3:
        raise InvalidParameter(f"longest is {longest}; a cycle has at least 3 options.")
    if among is None:
        options = _best_first(m, smith_set(m))[:_WIDEST]
    else:
        named = sorted({m.index(option) for option in among})
        options = _best_first(m, np.array(named, dtype=np.intp))
    found = _cycles_by_length(_beats(m)[np.ix_(options, options)], longest)
    listed = [options[list(cycle)].tolist() for cycle in islice(found, min(limit, sys.maxsize))]
    starts = [cycle.index(min(cycle)) for cycle in listed]
    return [(*cycle[at:], *cycle[:at]) for cycle, at in zip(listed, starts, strict=True)]


def _beats(m: PreferenceMatrix) -> Bools:
    return m.p > 0.5


def _best(scores: Ints | Floats) -> _Indices:
    return np.flatnonzero(scores >= scores.max() - _ROUNDING)


def _best_first(m: PreferenceMatrix, options: _Indices) -> _Indices:
    return options[np.argsort(-copeland_scores(m)[options], kind="stable")]


def _dominant_set(beats: Bools) -> _Indices:
    """Return the smallest set of options that each beat every option outside it."""
    wins = beats.sum(axis=1)
    inside = np.zeros(len(beats), dtype=bool)
    # A member beats every outsider, an outsider beats only outsiders: most wins means member.
    joining = np.flatnonzero(wins == wins.max())
    while joining.size:
        inside[joining] = True
        joining = np.flatnonzero(~inside & ~beats[joining].all(axis=0))
    return np.flatnonzero(inside)


def _clean_weights(weights: Floats) -> Floats:
    """Return ``weights`` as probabilities, without what arithmetic left where 0 should be."""
    kept = np.where(weights > _ROUNDING, weights, 0)
    return kept / kept.sum()


def _maximal_lottery(p: Floats) -> Floats:
    if len(p) == 1:
        return np.ones(1)
    margins = p - p.T
    margins /= np.abs(margins).max() or 1
    lottery = _lottery(margins.T, margins, -1)
    assert lottery is not None, "some lottery has the largest smallest margin"
    # A vertex at which every option is either played or beaten is the only solution there is.
    if (lottery + lottery @ margins).min() > _NO_WEIGHT:
        return lottery
    widened = _widen_support(margins, float((lottery @ margins).min()))
    return lottery if widened is None else widened


def _widen_support(margins: Floats, least: float) -> Floats | None:
    """Return the most even lottery of the widest support; None if rounding hides it."""
    each = np.eye(len(margins))
    # Tucker 1956: some solution plays or beats every option, and it plays all that any other plays.
    widest = _lottery(each + margins.T, margins, least)
    if widest is None:
        return None
    return _lottery(each[widest > widest @ margins], margins, least)


def _lottery(rows: Floats, margins: Floats, least: float) -> Floats | None:
    """Return x of largest min(rows @ x) among lotteries with min(x @ margins) >= least."""
    from scipy.optimize import linprog

    k = len(margins)
    tightest = 1e-10  # the smallest tolerance that HiGHS takes
    solution = linprog(
        np.append(np.zeros(k), -1),
        A_ub=np.block([[-margins.T, np.zeros((k, 1))], [-rows, np.ones((len(rows), 1))]]),
        b_ub=np.append(np.full(k, -least), np.zeros(len(rows))),
        A_eq=np.append(np.ones(k), 0)[np.newaxis],
        b_eq=[1],
        bounds=[(0, None)] * k + [(None, None)],
        method="highs-ds",  # the simplex method ends at a vertex
        options={"primal_feasibility_tolerance": tightest, "dual_feasibility_tolerance": tightest},
    )
    return _clean_weights(solution.x[:k]) if solution.status == 0 else None


def _cycles_by_length(beats: Bools, longest: int) -> Iterator[tuple[int, ...]]:
    k = len(beats)
    for length in range(3, min(longest, k) + 1):
        for start in range(k):
            # Cycles through earlier options have been listed: look among the later ones.
            for cycle in _cycles_through_first(beats[start:, start:], length):
                yield tuple(start + option for option in cycle)


def _cycles_through_first(beats: Bools, length: int) -> Iterator[tuple[int, ...]]:
    back = [beats[:, 0]]  # back[r]: the options from which r + 1 steps can lead to option 0
    while len(back) < length - 1:
        further = beats @ back[-1]
        further[0] = False
        back.append(further)
    return _complete_cycles((0,), beats, back)


def _complete_cycles(
    path: tuple[int, ...], beats: Bools, back: list[Bools]
) -> Iterator[tuple[int, ...]]:
    """Yield ``path`` with one more option from each of ``back``, taken last to first."""
    if not back:
        yield path
        return
    for option in np.flatnonzero(beats[path[-1]] & back[-1]).tolist():
        # Only from length 6 on can steps that lead back meet the path before its start.
        if option not in path:
            yield from _complete_cycles((*path, option), beats, back[:-1])
