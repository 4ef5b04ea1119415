"""Compiling what cells run: whether numba can, whether it has, how long one waits, and doing it before anybody waits."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from copeland.errors import AlgorithmWarning
from copeland.kernels.mark import is_kernel, reach_kernels
from copeland.policy import warm
from copeland.problems import problem_of
from copeland.registry import Algorithm, find
from copeland.simulation.cell import Cell, loop_for
from copeland.support.progress import progress_bar
from copeland.support.spec import Spec

USUAL = "mslr-5"  # any table of probabilities: all of them share one loop

BYTES_A_SECOND = 1_800  # of the bytecode of kernels; measured with cpc, ccb and dts
FIRST_SECONDS = 1.5  # what the least takes


def compile_cells(cells: list[Cell], note: Callable[[str], None] | None = None) -> list[Cell]:
    """Compile what the cells run, once; what numba cannot compile is run as it is, with a warning.

    Other processes then find the compiled loops on disk. ``note`` is called with a sentence before each that
    somebody waits for; without it, a bar says the same.
    """
    reasons: dict[Hashable, str] = {}
    for cell in cells:
        one = _loop_key(cell)
        if cell.compiled and one not in reasons:
            with _announce_waiting(cell, note):
                reasons[one] = _explain_failure(cell)
            if reasons[one]:
                warnings.warn(reasons[one], AlgorithmWarning, stacklevel=3)
    return [replace(c, compiled=False) if reasons.get(_loop_key(c)) else c for c in cells]


def _loop_key(cell: Cell) -> Hashable:
    """What cells have in common that run the same loop: it depends on who answers, too."""
    answers = cell.source if isinstance(cell.source, str) else cell.source.answer
    return str(cell.spec), answers, cell.regret.endswith("weak")


def compile_now(name: str, note: Callable[[str], None] | None = None) -> None:
    """Compile what simulations of an algorithm run on a table of probabilities, if it is not compiled yet."""
    compile_cells([_usual_cell(name)], note)


def is_compiled(name: str) -> bool:
    """Tell whether simulations of an algorithm on a table of probabilities run at once, as machine code."""
    cell = _usual_cell(name)
    return cell.algorithm not in _refused and not _sentence_of_waiting(cell)


def _usual_cell(name: str) -> Cell:
    spec = Spec.parse(name)
    algorithm = find(spec.name).with_parameters(spec.params)
    source, marks = problem_of(USUAL), np.zeros(0, np.int64)
    return Cell(source, algorithm, spec, 0, 1, 1, marks, seed=0)


def _explain_failure(cell: Cell) -> str:
    """Why numba cannot compile what a cell runs, in a sentence; empty if it can."""
    algorithm = cell.algorithm
    known = _refused.get(algorithm, "")
    plain = _find_plain_parts(algorithm)
    if plain and not known:
        known = f"{', '.join(plain)} {'is' if len(plain) == 1 else 'are'} not marked with @kernel"
    if not known:
        try:
            replace(cell, count=1, marks=np.zeros(0, np.int64)).run()
            return ""
        except Exception as error:  # numba raises many kinds, and this does nothing but compile
            known = f"numba cannot compile {_place_and_reason(str(error))}"
    _refused[algorithm] = known
    return f"{algorithm.name} runs as plain Python, many times slower: {known}."


_refused: dict[Algorithm, str] = {}  # a refusal takes numba as long as compiling


def _find_plain_parts(algorithm: Algorithm) -> list[str]:
    """The parts of an algorithm that are no kernels, with their lines."""
    found = []
    for name, part in algorithm.kernels().items():
        code = getattr(part, "__code__", None)
        line = f" ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code else ""
        found += [] if is_kernel(part) else [f"`{name}`{line}"]
    return found


def _place_and_reason(told: str) -> str:
    """The innermost line of code that numba names, and the first thing that it says of it."""
    told = re.sub(r"\x1b\[[\d;]*m", "", told)
    place = re.search(r'File "(.+?)", line (\d+)', told)
    where = f"{Path(place[1]).name}, line {place[2]}" if place else "it"
    noise = ("Failed in", "[1] During", "During:", "Overload of", "- Of which", "File ", ">>>")
    lines = [line.strip() for line in told.splitlines()]
    reason = next((line for line in lines if line and not line.startswith(noise)), "")
    return f"{where}: {reason}".rstrip(".: ")


def find_loop_file(loop: Callable[..., None]) -> Path | None:
    """Return the file in which a compiled loop is listed, None if it is not kept on disk."""
    cache = getattr(loop, "_cache", None)  # numba has no public name for it
    folder, files = getattr(cache, "cache_path", None), getattr(cache, "_cache_file", None)
    name = getattr(files, "_index_name", None)
    return Path(folder, name) if folder and name else None


def seconds_to_compile(algorithm: Algorithm) -> float:
    """Return about how long numba takes for an algorithm: it grows with the code that is reached."""
    kernels = reach_kernels([part for part in algorithm.kernels().values() if is_kernel(part)])
    return FIRST_SECONDS + sum(len(one.__code__.co_code) for one in kernels) / BYTES_A_SECOND


@contextmanager
def _announce_waiting(cell: Cell, note: Callable[[str], None] | None) -> Iterator[None]:
    """Say that a cell waits for the compiler, if it does."""
    sentence = _sentence_of_waiting(cell)
    if note is None and sentence:
        with progress_bar(sentence):
            yield
        return
    if note is not None and sentence:
        note(f"{sentence}.")
    yield


def _sentence_of_waiting(cell: Cell) -> str:
    """What a cell waits for and about how long; empty if it runs at once."""
    if cell.algorithm in _refused or _find_plain_parts(cell.algorithm):
        return ""
    loop = cell.loop(problem_of(cell.source))
    kept = find_loop_file(loop)
    if getattr(loop, "overloads", None) or (kept is not None and kept.exists()):
        return ""
    seconds = seconds_to_compile(cell.algorithm)
    once = "" if kept is None else ", once on this machine"
    return f"compiling {cell.spec.name}{once}, about {seconds:.0f} s"


class Compiled(NamedTuple):
    """What became of an algorithm that was to be compiled."""

    algorithm: str
    seconds: float
    was_ready: bool
    reason: str = ""  # why it cannot be compiled, in a sentence


def find_cache_file(algorithm: Algorithm) -> Path | None:
    """Return the file in which the compiled loop of an algorithm is listed, None if it is not kept on disk."""
    return find_loop_file(loop_for(algorithm, problem_of(USUAL), compiled=True))


def is_ready(algorithm: Algorithm) -> bool:
    """Tell whether an algorithm runs at once, without a compiler."""
    kept = find_cache_file(algorithm)
    return kept is not None and kept.exists()


def compile_ahead(name: str) -> Compiled:
    """Compile what simulations of an algorithm run, and what studies call that use it; keep it on disk."""
    algorithm = _usual_cell(name).algorithm
    was_ready, start = is_ready(algorithm), time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlgorithmWarning)
        compile_now(name)
    reasons = [str(warning.message) for warning in caught]
    if algorithm.absorb is not None and not reasons:  # studies plan with it
        warm(algorithm)
    return Compiled(name, time.perf_counter() - start, was_ready, " ".join(reasons))


def cache_folders(algorithms: Sequence[Algorithm]) -> list[Path]:
    """Return the folders that hold what was compiled of these algorithms."""
    return sorted({kept.parent for one in algorithms if (kept := find_cache_file(one)) is not None})
