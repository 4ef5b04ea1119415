"""One thread for linear algebra: on tables this small, threads wait for each other longer than they work.

On a busy machine of two cores an ask took 27 times as long with two threads. And sums in one order, on any number
of cores, make the same seed the same run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread, and as many as before afterwards."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> ThreadpoolController:
    """What numpy and scipy have loaded: looking for it takes longer than a question."""
    return ThreadpoolController()
