"""What is compiled on this machine, and how to compile it before somebody waits for it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from copeland import compiling
from copeland.cells import Cell, loop_for
from copeland.errors import AlgorithmWarning
from copeland.policy import warm
from copeland.problems import problem_of
from copeland.registry import Algorithm, find
from copeland.spec import Spec

USUAL = "mslr-5"  # any table of probabilities: all of them share one loop


class Compiled(NamedTuple):
    """What became of an algorithm that was to be compiled."""

    algorithm: str
    seconds: float
    was_ready: bool
    reason: str = ""  # why it cannot be compiled, in a sentence


def kept_at(algorithm: Algorithm) -> Path | None:
    """Return the file in which the compiled loop of an algorithm is listed, None if it is not kept on disk."""
    return compiling.kept_at(loop_for(algorithm, problem_of(USUAL), compiled=True))


def is_ready(algorithm: Algorithm) -> bool:
    """Tell whether an algorithm runs at once, without a compiler.

    Examples
    --------
    >>> _ = compile_ahead("random")
    >>> is_ready(find("random"))
    True
    """
    kept = kept_at(algorithm)
    return kept is not None and kept.exists()


def compile_ahead(name: str) -> Compiled:
    """Compile what simulations of an algorithm run, and what studies call that use it; keep it on disk."""
    spec = Spec.parse(name)
    algorithm = find(spec.name)
    was_ready, start = is_ready(algorithm), time.perf_counter()
    cell = Cell(problem_of(USUAL), algorithm, spec, 0, 1, 1, np.zeros(0, np.int64), seed=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlgorithmWarning)
        compiling.compiled_where_possible([cell])
    reasons = [str(warning.message) for warning in caught]
    if algorithm.absorb is not None and not reasons:  # studies plan with it
        warm(algorithm)
    return Compiled(name, time.perf_counter() - start, was_ready, " ".join(reasons))


def cache_folders(algorithms: Sequence[Algorithm]) -> list[Path]:
    """Return the folders that hold what was compiled of these algorithms."""
    return sorted({kept.parent for one in algorithms if (kept := kept_at(one)) is not None})
