"""How likely each option is to be best: an estimate from plausible worlds, not a proof."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.forecast.worlds import belief_of, best_in, worlds
from copeland.streams import stream

if TYPE_CHECKING:
    from copeland.study.meaning.standing import Standing

MOST_OPTIONS = 300  # of more, chances take too long to be told in passing
WORLDS = 4_000
WORK = 2_000_000  # pairs drawn


class Chances(NamedTuple):
    """In which share of plausible worlds each option is best, and some options are exactly the best."""

    each: tuple[float, ...]
    together: float
    worlds: int
    mean: NDArray[np.floating]  # K x K: of the preferences in these worlds


def chances_of(standing: Standing, together: Collection[int] = ()) -> Chances:
    """Return how likely each option is to be best, and those of ``together`` to be exactly the best.

    Best is meant as the certificate means it, up to its margin.
    """
    k = len(standing.options)
    count = max(min(WORLDS, WORK // (k * k)), 100)
    named = np.isin(np.arange(k), list(together))
    each, exactly, total = np.zeros(k), 0, np.zeros((k, k))
    belief = belief_of(standing.wins, standing.ties)
    for p in worlds(belief, count, stream(standing.settings.seed, "chances")):
        best = best_in(p, standing.settings.indifference)
        each += best
        exactly += int((best == named).all())
        total += p
    return Chances(tuple((each / count).tolist()), exactly / count, count, total / count)
