"""Bradley-Terry strengths beside Copeland's scores: one number for each option, and what they cannot say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from copeland.errors import MissingExtra, need
from copeland.forecast.worlds import MOST_OPTIONS
from copeland.study.meaning.reading import Reading
from copeland.words import counted, listed

PRIOR = 0.1  # of a vote for each option over each other, where the votes alone bound no strength
_ROUNDS = 1_000

Floats = NDArray[np.floating]


def strengths_of(reading: Reading) -> tuple[Floats | None, tuple[str, ...]]:
    """Return the strengths s, where ln(p_ij / p_ji) = s_i - s_j fits the votes best, and what to mind.

    Their mean is 0. They are None, and the words say why, without votes, without the extra ``strengths``, or
    with very many options. A tie is half a win for each.
    """
    if reading.standing.votes == 0:
        return None, ("Bradley-Terry strengths need votes.",)
    if reading.k > MOST_OPTIONS:
        return None, (f"Bradley-Terry strengths are computed for up to {MOST_OPTIONS} options.",)
    points = reading.standing.wins + reading.standing.ties / 2
    lacks = tuple(_lacks(reading, points))
    prior = PRIOR * (1 - np.eye(reading.k)) if lacks else 0.0
    try:
        found = _fitted(points + prior)
    except MissingExtra as error:
        return None, (str(error),)
    except (RuntimeError, ValueError, np.linalg.LinAlgError):
        return None, ("Bradley-Terry strengths could not be found: the votes are too one-sided.",)
    return found, (*lacks, *_circles(reading))


def _fitted(points: Floats) -> Floats:
    choix = need("choix", extra="strengths", what="the Bradley-Terry model")
    found = choix.ilsr_pairwise_dense(points, max_iter=_ROUNDS)
    return found - found.mean()


def _lacks(reading: Reading, points: Floats) -> Iterator[str]:
    """Yield why the votes alone bound no strengths: a proof of who can be how much stronger is missing."""
    if reading.k < 2 or _groups(points, "strong").max() == 0:
        return
    parts = _groups(points, "weak")
    if parts.max() > 0:
        yield (
            f"The votes fall into {counted(int(parts.max()) + 1, 'part')} that never met: strengths of options in "
            "different parts cannot be compared."
        )
    never_won, never_lost = (
        [reading.names[i] for i in np.flatnonzero(total == 0)]
        for total in (points.sum(axis=1), points.sum(axis=0))
    )
    bounded = f"only by regularisation, {PRIOR:g} of a vote for each option over each other"
    for names, what in ((never_won, "never won"), (never_lost, "never lost")):
        if names:
            its = "its strength is" if len(names) == 1 else "their strengths are"
            yield f"{listed(names)} {what}: {its} bounded {bounded}."
    if not never_won and not never_lost and parts.max() == 0:
        yield f"Some options together never won against the others: how far apart they are is bounded {bounded}."


def _groups(points: Floats, connection: str) -> NDArray[np.int64]:
    """The group of each option: all of a group are joined by votes, by chains of wins if it is strong."""
    return connected_components(points > 0, connection=connection)[1]


def _circles(reading: Reading) -> Iterator[str]:
    for circle in reading.circles[:1]:
        yield (
            f"{listed([reading.names[i] for i in circle])} beat each other in a cycle, which strengths on one "
            "scale cannot show."
        )
