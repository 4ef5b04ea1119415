"""What is compiled on this machine, and how to compile it before somebody waits for it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from copeland.errors import AlgorithmWarning
from copeland.policy import warm
from copeland.problems import problem_of
from copeland.registry import Algorithm, find
from copeland.simulation import compilation
from copeland.simulation.cell import loop_for
from copeland.support.spec import Spec


class Compiled(NamedTuple):
    """What became of an algorithm that was to be compiled."""

    algorithm: str
    seconds: float
    was_ready: bool
    reason: str = ""  # why it cannot be compiled, in a sentence


def find_cache_file(algorithm: Algorithm) -> Path | None:
    """Return the file in which the compiled loop of an algorithm is listed, None if it is not kept on disk."""
    return compilation.find_loop_file(
        loop_for(algorithm, problem_of(compilation.USUAL), compiled=True)
    )


def is_ready(algorithm: Algorithm) -> bool:
    """Tell whether an algorithm runs at once, without a compiler.

    Examples
    --------
    >>> _ = compile_ahead("random")
    >>> is_ready(find("random"))
    True
    """
    kept = find_cache_file(algorithm)
    return kept is not None and kept.exists()


def compile_ahead(name: str) -> Compiled:
    """Compile what simulations of an algorithm run, and what studies call that use it; keep it on disk."""
    algorithm = find(Spec.parse(name).name)
    was_ready, start = is_ready(algorithm), time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlgorithmWarning)
        compilation.compile_now(name)
    reasons = [str(warning.message) for warning in caught]
    if algorithm.absorb is not None and not reasons:  # studies plan with it
        warm(algorithm)
    return Compiled(name, time.perf_counter() - start, was_ready, " ".join(reasons))


def cache_folders(algorithms: Sequence[Algorithm]) -> list[Path]:
    """Return the folders that hold what was compiled of these algorithms."""
    return sorted({kept.parent for one in algorithms if (kept := find_cache_file(one)) is not None})
