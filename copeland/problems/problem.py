"""Problem: what a simulation needs to know of the world, and the world of a preference matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from copeland.errors import InvalidMatrix
from copeland.kernels import kernel
from copeland.kernels.loop import TIE
from copeland.matrix import PreferenceMatrix, numbers_of
from copeland.support.arrays import Floats, Ints
from copeland.theory.winners import copeland_scores


@dataclass(frozen=True)
class Problem:
    """A world that answers duels, and the score that regret is counted by.

    ``answer(world, first, second, noise)`` is a kernel that returns the winner, or ``TIE``. ``key``
    names the numbers behind the problem. It keys the noise, so the same problem draws the same random
    numbers under any name and for any algorithm.
    """

    name: str
    k: int
    key: str
    scores: Floats  # K: normalised Copeland scores
    world: Any
    answer: Callable[..., int]

    @property
    def winners(self) -> Ints:
        """The options with the highest score."""
        return np.flatnonzero(self.scores == self.scores.max())


class MatrixWorld(NamedTuple):
    """Answers by a table. P(i wins) = p - ties/2; the ties lie in the middle of [0, 1)."""

    p: Floats
    ties: Floats  # K x K probabilities of a tie, or 0 x 0 for none


@kernel
def answer(world, first, second, noise):
    """Let a table of probabilities answer."""
    luck = noise.random()
    half = 0.0
    if world.ties.size > 0:
        half = world.ties[first, second] / 2
    if luck < world.p[first, second] - half:
        return first
    if luck < world.p[first, second] + half:
        return TIE
    return second


def matrix_problem(m: PreferenceMatrix, ties: ArrayLike | None = None) -> Problem:
    """Return the problem in which ``m`` answers the duels.

    Parameters
    ----------
    m
        ``p[i, j]`` is the probability that i wins plus half that of a tie.
    ties
        K x K symmetric probabilities of a tie; none by default.

    Examples
    --------
    >>> problem = matrix_problem(PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]]), ties=[[0, 0.2], [0.2, 0]])
    >>> problem.answer(problem.world, 0, 1, np.random.default_rng(1))  # option 0 wins
    0
    >>> problem.scores.tolist()
    [1.0, 0.0]
    """
    table = np.zeros((0, 0)) if ties is None else _check_ties(m, ties)
    return Problem(
        name=m.name or f"{m.k} options",
        k=m.k,
        key=m.key,
        scores=copeland_scores(m) / (m.k - 1),
        world=MatrixWorld(np.array(m.p), table),
        answer=answer,
    )


def _check_ties(m: PreferenceMatrix, ties: ArrayLike) -> Floats:
    table = numbers_of(ties, "ties")
    if table.shape != m.p.shape:
        raise InvalidMatrix(f"ties have shape {table.shape}, the matrix {m.p.shape}.")
    room = 2 * np.minimum(m.p, m.p.T)  # p - ties/2 and 1 - p - ties/2 are probabilities too
    bad = ~((table >= 0) & (table <= room) & (table == table.T))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise InvalidMatrix(
            f"ties[{i}, {j}] is {table[i, j]:g}; it must be symmetric and between 0 "
            f"and {room[i, j]:g}, twice the smaller of p[{i}, {j}] and p[{j}, {i}]."
        )
    return table
