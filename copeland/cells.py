"""One run of one algorithm on one problem: the unit of work of every simulation."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.kernels.loop import Ledger, loop_of, new_ledger
from copeland.policy import PARTS, Algorithm, Spec, find
from copeland.problems import Problem, problem_of_run
from copeland.streams import stream

WORK = 200_000  # turns of the loop between two looks at the keyboard


@dataclass(frozen=True)
class Cell:
    """One run of one algorithm: the unit of work."""

    source: Problem | str  # a name is drawn anew for each run
    spec: Spec
    run: int
    horizon: int
    marks: NDArray[np.int64]
    seed: int
    jump: bool = True
    compiled: bool = True
    most_duels: int = 0  # the run is cut once it has dueled so often; 0: never

    @property
    def problem(self) -> Problem:
        """The problem that this run meets."""
        if isinstance(self.source, str):
            return problem_of_run(self.source, self.seed, self.run)
        return self.source


@dataclass(frozen=True)
class Finished:
    """What a cell came to."""

    label: str
    run: int
    horizon: int
    ledger: Ledger
    correct: NDArray[np.bool_]
    seconds: float


def run_cell(cell: Cell) -> Finished:
    """Run a cell to its horizon, or until it is cut."""
    problem, spec = cell.problem, cell.spec
    algorithm = find(spec.name)
    loop = loop_for(algorithm, problem, cell.compiled)
    world = _writable(problem.world)
    state = algorithm.start(problem.k, cell.horizon, **spec.params)
    ledger = new_ledger(cell.marks)
    own = (cell.run, cell.horizon) if algorithm.needs_horizon else (cell.run,)
    noise = stream(cell.seed, "noise", problem.key, *own)
    rng = stream(cell.seed, "algorithm", str(spec), problem.key, *own)
    shortfall = problem.scores.max() - problem.scores
    among = np.zeros(problem.k, np.int64)
    work = WORK if cell.compiled else WORK // 100
    with _interrupts_between_calls() as look:
        # The first call may compile, or load what was compiled before: not part of the run's time.
        loop(state, world, shortfall, among, ledger, 0, cell.jump, noise, rng)
        start = time.perf_counter()
        most_duels = cell.most_duels or sys.maxsize
        while ledger.mark[0] < len(cell.marks) and ledger.duels[0] < most_duels:
            look()
            if algorithm.crowded is not None and algorithm.crowded(state):
                assert algorithm.enlarge is not None
                state = algorithm.enlarge(state)
            loop(state, world, shortfall, among, ledger, work, cell.jump, noise, rng)
        seconds = time.perf_counter() - start
    _leave_unreached(ledger)
    correct = np.isin(ledger.answer_at, problem.winners)
    return Finished(str(spec), cell.run, cell.horizon, ledger, correct, seconds)


def _writable(world: Any) -> Any:
    """Copy what a cluster hands over read-only; numba would compile another loop for it."""
    if isinstance(world, np.ndarray):
        return np.require(world, requirements="W")
    if isinstance(world, tuple) and hasattr(world, "_make"):
        return type(world)(*map(_writable, world))
    return world


def _leave_unreached(ledger: Ledger) -> None:
    """Say of the marks that a cut run did not reach that nothing is known there."""
    reached = int(ledger.mark[0])
    ledger.regret_at[reached:] = np.nan
    ledger.duels_at[reached:] = ledger.duels[0]
    ledger.answer_at[reached:] = -1


@contextmanager
def _interrupts_between_calls() -> Iterator[Callable[[], None]]:
    """Give a function that raises what Ctrl-C asked for; inside a compiled call it must not be raised.

    There it may surface while numba takes a generator apart, as another error or as a crash.
    """
    pressed: list[int] = []

    def look() -> None:
        if pressed:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield look  # Python gives signals to the main thread alone
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield look
    finally:
        signal.signal(signal.SIGINT, before)
    look()


def loop_for(algorithm: Algorithm, problem: Problem, compiled: bool) -> Callable[..., None]:
    """Return the duel loop of an algorithm on a kind of problem."""
    parts = [(name, algorithm.part(name)) for name in PARTS]
    given = tuple((name, part) for name, part in parts if part is not None)
    name = f"{algorithm.name}_{problem.answer.__module__}".replace("-", "_").replace(".", "_")
    home = getattr(sys.modules[algorithm.init.__module__], "__file__", None)
    return loop_of((*given, ("answer", problem.answer)), name, home, compiled)
