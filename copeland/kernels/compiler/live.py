"""Kernels that live use calls, plain as they are or compiled: the numbers are the same.

A simulation compiles its loop before it begins. A study is asked once in a while, and nobody waits half a
minute for a question; so it runs kernels as they are, until a server, say, has made the compiled ones
ready. What is called from Python is entered with the whole state, which takes longer than a small kernel
runs; hence the kernels here, which do at once what a question takes.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from copeland.kernels.compiler.compile import bind_parts
from copeland.kernels.loop import advance, crowded, finished, select, update
from copeland.kernels.mark import kernel

Parts = tuple[tuple[str, Callable[..., Any]], ...]

_ready: dict[tuple[Callable[..., Any], Parts], Callable[..., Any]] = {}


@kernel
def pend(state, first, second, change):
    """Count answers of a pair that are under way: nothing, for an algorithm that does not."""


@kernel
def pend_all(state, pairs, change):
    """Count answers of these pairs, n x 2, that are under way, until the state is crowded; return of how many."""
    n = 0
    while n < len(pairs) and not crowded(state):
        pend(state, pairs[n, 0], pairs[n, 1], change)
        n += 1
    return n


@kernel
def tie(state, first, second, rng):
    """Count a tie: nothing, for an algorithm that takes none."""


@kernel
def tell_all(state, answers, rng):
    """Count answers, n x 3 (a pair, and its winner or -1 for a tie), until the state is crowded; return how many."""
    n = 0
    while n < len(answers) and not crowded(state):
        i, j, winner = answers[n, 0], answers[n, 1], answers[n, 2]
        if winner == i:
            update(state, i, j, rng)
        elif winner == j:
            update(state, j, i, rng)
        else:
            tie(state, i, j, rng)
        n += 1
    return n


@kernel
def name_pairs(state, t, wanted, named, rng):
    """Name one pair after the other, each as if those before were under way; return how many.

    It ends with the first that is wanted (K x K; if that is empty, any is), when all room in ``named``, n x
    2, is taken, when the answer is final, or when the state is crowded. Nothing stays under way.
    """
    n = 0
    while n < len(named) and not finished(state) and not crowded(state):
        advance(state, t + n, rng)
        named[n, 0], named[n, 1] = select(state, t + n, rng)
        i, j = named[n, 0], named[n, 1]
        n += 1
        if i != j:
            pend(state, i, j, 1)
        if len(wanted) == 0 or wanted[i, j]:
            break
    for at in range(n):
        if named[at, 0] != named[at, 1]:
            pend(state, named[at, 0], named[at, 1], -1)
    return n


def live(template: Callable[..., Any], parts: Parts = ()) -> Callable[..., Any]:
    """Return a kernel with these parts in it: compiled if that was made ready, else as it is."""
    key = template, parts
    if key not in _ready and _making.made is not None:
        label = re.sub(r"\W", "_", f"{_making.name}_{template.__name__}")
        _making.made[key] = bind_parts(
            template, dict(parts), label, compile=True, keep=_making.keep
        )
        return _making.made[key]
    return _ready.get(key) or _plain(template, parts)


@cache
def _plain(template: Callable[..., Any], parts: Parts) -> Callable[..., Any]:
    return bind_parts(template, dict(parts), template.__name__, compile=False)


class _Making(threading.local):
    """What is being compiled by this thread; the others go on with plain kernels until all is ready."""

    name = ""
    keep = False
    made: dict[tuple[Callable[..., Any], Parts], Callable[..., Any]] | None = None


_making = _Making()


@contextmanager
def make_ready(name: str, keep: bool) -> Iterator[None]:
    """Compile the live kernels that are called here, and give them out afterwards; keep them on disk or not."""
    _making.name, _making.keep, _making.made = name, keep, {}
    try:
        yield
        _ready.update(_making.made)
    finally:
        _making.made = None
