"""What a study said at an earlier event: it never changes, so it is computed once, and only a few at a time.

Going through a long log takes seconds. Whoever comes while others wait for theirs is asked to come again: readers who
waited here would hold the threads that voters need.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from fastapi import HTTPException

AT_ONCE = 2  # computed at a time, in one process
MOST = 20_000_000  # characters that are kept
AGAIN = 3  # seconds after which to come again


class Past:
    """Texts that were computed, those that were read last.

    Examples
    --------
    >>> past = Past(most=4)
    >>> [past.find(n, lambda: "ab") for n in (1, 2, 3)], len(past)
    (['ab', 'ab', 'ab'], 2)
    """

    def __init__(self, most: int = MOST, at_once: int = AT_ONCE):
        self._most = most
        self._kept: OrderedDict[Hashable, str] = OrderedDict()  # what was read last is the last
        self._size = 0  # characters
        self._turn = threading.Lock()
        self._places = threading.Semaphore(at_once)

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: Hashable, compute: Callable[[], str]) -> str:
        """Return a text that is kept, or compute it; refuse if too many are being computed."""
        with self._turn:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        if not self._places.acquire(blocking=False):
            raise HTTPException(503, headers={"Retry-After": str(AGAIN)})
        try:
            text = compute()
        finally:
            self._places.release()
        self._keep(key, text)
        return text

    def _keep(self, key: Hashable, text: str) -> None:
        with self._turn:
            self._size += len(text) - len(self._kept.pop(key, ""))
            self._kept[key] = text
            while self._size > self._most:
                self._size -= len(self._kept.popitem(last=False)[1])
