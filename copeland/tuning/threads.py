"""One thread for linear algebra: on tables this small, threads wait for each other longer than they work.

On a busy machine of two cores an ask took 27 times as long with two threads. And sums in one order, on any number
of cores, make the same seed the same run. numpy and scipy bring an OpenBLAS each; another library is left as it is.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import scipy

_SUFFIXES = ("64_", "")  # of the functions' names, by the width of their integers
_Control = tuple[Callable[[], int], Callable[[int], object]]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread, and as many as before afterwards."""
    before = [(put, get()) for get, put in _controls()]
    for put, _ in before:
        put(1)
    try:
        yield
    finally:
        for put, threads in before:
            put(threads)


@cache
def _controls() -> tuple[_Control, ...]:
    """What tells and sets the number of threads of each library."""
    found = (_control(path) for path in _libraries())
    return tuple(one for one in found if one is not None)


def _libraries() -> Iterator[Path]:
    for package in (np, scipy):
        home = Path(package.__file__ or "").parent
        for folder in (home.with_name(f"{home.name}.libs"), home / ".dylibs"):
            yield from sorted(folder.glob("*openblas*"))


def _control(path: Path) -> _Control | None:
    try:
        library = ctypes.CDLL(str(path))
    except OSError:
        return None
    for suffix in _SUFFIXES:
        names = [f"scipy_openblas_{verb}_num_threads{suffix}" for verb in ("get", "set")]
        if all(hasattr(library, name) for name in names):
            get, put = (getattr(library, name) for name in names)
            return get, put
    return None
