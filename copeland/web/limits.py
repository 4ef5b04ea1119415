"""Who comes too often: counts in this process's memory, of the last moments alone."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

MANY = 10_000  # names that are remembered before old ones are looked for


class Rate(NamedTuple):
    """So many times within so many seconds."""

    times: int
    seconds: float


VOTES = Rate(60, 60.0)  # of a voter
ATTEMPTS = Rate(10, 60.0)  # from an address, with links, keys and tokens that open nothing
REQUESTS = Rate(100, 1.0)  # of a key


class Limits:
    """How often each came of late.

    Examples
    --------
    >>> limits = Limits(clock=lambda: 5.0)
    >>> [limits.wait(Rate(2, 10.0), "ann") for _ in range(3)]
    [0, 0, 10]
    """

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._seen: dict[tuple[Rate, str], deque[float]] = {}
        self._turn = threading.Lock()

    def wait(self, rate: Rate, who: str, counts: bool = True) -> int:
        """Return for how many seconds somebody should wait, 0 if not at all; then this time counts."""
        now = self._clock()
        with self._turn:
            times = self._recent(rate, who, now)
            if len(times) >= rate.times:
                return max(1, math.ceil(times[0] + rate.seconds - now))
            if counts:
                times.append(now)
            return 0

    def _recent(self, rate: Rate, who: str, now: float) -> deque[float]:
        if len(self._seen) > MANY:
            self._seen = {
                key: seen for key, seen in self._seen.items() if _is_recent(key[0], seen, now)
            }
        times = self._seen.setdefault((rate, who), deque())
        while times and times[0] <= now - rate.seconds:
            times.popleft()
        return times


def _is_recent(rate: Rate, times: deque[float], now: float) -> bool:
    return bool(times) and times[-1] > now - rate.seconds
