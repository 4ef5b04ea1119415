"""How long the work that is left will take, judged by the work that is done.

Tasks differ in cost by orders of magnitude, so they are not counted evenly: a task is judged by those of its own kind,
and by size between those that were seen. Where nothing like it was seen, there is no estimate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np


class Load(NamedTuple):
    """What a task costs, as far as one can tell before it runs."""

    kind: Hashable  # tasks of one kind and size take about as long
    size: float = (
        1.0  # what makes one longer than another of its kind: a horizon, a number of options
    )
    times: int = 1  # how often the same is done


def samples_first(loads: Sequence[Load]) -> list[int]:
    """Return the places of tasks in the order to run them: the smallest and the largest of each kind come first.

    Examples
    --------
    >>> samples_first([Load("ccb", 100), Load("ccb", 100), Load("scb", 10), Load("scb", 20), Load("scb", 40)])
    [0, 2, 4, 1, 3]
    """
    ends: dict[Hashable, tuple[int, int]] = {}
    for place, load in enumerate(loads):
        least, most = ends.get(load.kind, (place, place))
        ends[load.kind] = (
            place if load.size < loads[least].size else least,
            place if load.size > loads[most].size else most,
        )
    first = sorted({place for pair in ends.values() for place in pair})
    return first + sorted(set(range(len(loads))) - set(first))


class Pace:
    """What is left to do, and how long the same took so far.

    Examples
    --------
    >>> pace = Pace([Load("slow"), Load("slow"), Load("quick"), Load("quick")])
    >>> pace.finished(Load("slow"), 60.0)
    >>> pace.left() is None  # nobody knows yet what a quick one takes
    True
    >>> pace.finished(Load("quick"), 1.0)
    >>> pace.left()
    61.0
    """

    def __init__(self, loads: Sequence[Load], workers: int = 1) -> None:
        self._left = Counter(loads)
        self._workers = workers
        self._seen: dict[Hashable, dict[float, tuple[float, int]]] = defaultdict(dict)

    def learn(self, load: Load, seconds: float) -> None:
        """Take note of how long a task took that was done before."""
        took, times = self._seen[load.kind].get(load.size, (0.0, 0))
        self._seen[load.kind][load.size] = took + seconds, times + load.times

    def finished(self, load: Load, seconds: float) -> None:
        """Take note of a task that is done now."""
        self._left -= Counter([load])
        self.learn(load, seconds)

    def left(self) -> float | None:
        """Return the seconds that the rest takes; None while a part of it is like nothing that was seen."""
        each = {load: self._seconds(load) for load in self._left}
        if any(seconds is None for seconds in each.values()):
            return None
        total = sum(self._left[load] * (seconds or 0.0) for load, seconds in each.items())
        return total / max(1, min(self._workers, self._left.total()))

    def _seconds(self, load: Load) -> float | None:
        """What a task will take: between two sizes that were seen, as a power of the size."""
        seen = self._seen.get(load.kind, {})
        if not seen or not min(seen) <= load.size <= max(seen):
            return None
        sizes = sorted(seen)
        means = [max(took / times, _LEAST) for took, times in map(seen.__getitem__, sizes)]
        each = means[sizes.index(load.size)] if load.size in seen else _between(sizes, means, load)
        return load.times * each


def _between(sizes: list[float], means: list[float], load: Load) -> float:
    return float(np.exp(np.interp(np.log(load.size), np.log(sizes), np.log(means))))


_LEAST = 1e-9  # seconds: a clock may say that no time passed
