"""Some runs of one algorithm on one problem: the unit of work of every simulation."""

from __future__ import annotations

import hashlib
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.compiler.compile import is_from_file
from copeland.kernels.compiler.digest import digest_sources
from copeland.kernels.compiler.script_classes import with_stand_in
from copeland.kernels.loop import RunRecord, loop_of, new_ledger, weak_cost
from copeland.problems import Problem, problem_of_run
from copeland.registry import Algorithm
from copeland.simulation.runs import BOUNDED
from copeland.support.arrays import Floats, Ints
from copeland.support.rng import stream
from copeland.support.spec import Spec
from copeland.support.tasks import Arrays

WORK = 200_000  # turns of the loop between two looks at the keyboard

# What every run goes through, whatever the algorithm.
_RUNNING = (
    "copeland.kernels.loop",
    "copeland.simulation.cell",
    "copeland.support.rng",
    "copeland.problems.problem",
    "copeland.problems.generators",
)


@dataclass(frozen=True)
class Cell:
    """Some runs of one algorithm on one problem, to one horizon: a task whose result can be kept."""

    source: Problem | str = field(repr=False)  # a name is drawn anew for each run
    algorithm: Algorithm = field(repr=False)
    spec: Spec
    first: int
    count: int
    horizon: int
    marks: Ints = field(repr=False)
    seed: int
    jump: bool = True
    compiled: bool = True
    most_duels: int = 0  # a run is cut once it has dueled so often; 0: never
    regret: str = "definition-1"  # how it is counted; half of it is taken later

    def about(self) -> dict[str, Any]:
        """Return everything that the result depends on: the sources of the rule too."""
        parts = {name: part.__qualname__ for name, part in self.algorithm.kernels().items()}
        fixed = None if isinstance(self.source, str) else self.source
        return {
            "kind": "simulation",
            "problem": self.source if fixed is None else [fixed.key, _numbers(fixed)],
            "algorithm": [str(self.spec), parts],
            "runs": [self.first, self.count],
            "horizon": self.horizon,
            "marks": self.marks.tolist(),
            "seed": self.seed,
            "how": [self.jump, self.compiled, self.most_duels],
            "sources": sources(self.algorithm, fixed and fixed.answer),
            **({} if self.regret in BOUNDED else {"regret": self.regret}),
        }

    def run(self) -> Arrays:
        """Run them one after the other, each to its horizon or until it is cut; a row for each."""
        done = [self._run(run) for run in range(self.first, self.first + self.count)]
        return {name: np.stack([one[name] for one in done]) for name in done[0]}

    def _run(self, run: int) -> Arrays:
        algorithm, problem = self.algorithm, self.source
        if isinstance(problem, str):
            problem = problem_of_run(problem, self.seed, run)
        loop = self.loop(problem)
        world = _writable(problem.world)
        state = with_stand_in(algorithm.start(problem.k, self.horizon, **self.spec.params))
        ledger = new_ledger(self.marks)
        own = (run, self.horizon) if algorithm.needs_horizon else (run,)
        noise = stream(self.seed, "noise", problem.key, *own)
        rng = stream(self.seed, "algorithm", str(self.spec), problem.key, *own)
        shortfall = shortfall_of(problem, self.regret)
        among = np.zeros(problem.k, np.int64)
        work = WORK if self.compiled else WORK // 100
        with interrupts_between_calls() as look:
            # The first call may compile, or load what was compiled before: not part of the run's time.
            loop(state, world, shortfall, among, ledger, 0, self.jump, noise, rng)
            start = time.perf_counter()
            most_duels = self.most_duels or sys.maxsize
            while ledger.mark[0] < len(self.marks) and ledger.duels[0] < most_duels:
                look()
                if algorithm.crowded is not None and algorithm.crowded(state):
                    assert algorithm.enlarge is not None
                    state = with_stand_in(algorithm.enlarge(state))
                loop(state, world, shortfall, among, ledger, work, self.jump, noise, rng)
                first, second = ledger.astray.tolist()
                algorithm.check_pair(first, second, problem.k, int(ledger.t[0]))
            seconds = time.perf_counter() - start
        _clear_later_marks(ledger)
        return {
            "regret": ledger.regret_at,
            "comparisons": ledger.duels_at,
            "answers": ledger.answer_at,
            "correct": np.isin(ledger.answer_at, problem.winners),
            "reached": np.array(ledger.regret[0]),
            "seconds": np.array(seconds),
        }

    def loop(self, problem: Problem) -> Callable[..., None]:
        """Return the duel loop that runs on a problem."""
        return loop_for(self.algorithm, problem, self.compiled, self.regret.endswith("weak"))


def shortfall_of(problem: Problem, regret: str) -> Floats:
    """Return what each option is short of the best: in Copeland score, or in duels with the Condorcet winner."""
    if not regret.startswith("condorcet"):
        return problem.scores.max() - problem.scores
    p = getattr(problem.world, "p", None)
    if p is None or problem.scores.max() < 1:
        lacks = "is no table of probabilities" if p is None else "has none"
        raise InvalidParameter(
            f"regret is {regret!r}, measured against a Condorcet winner, and {problem.name} {lacks}; "
            "choose definition-1, half or weak."
        )
    return p[problem.winners[0]] - 0.5


@cache
def sources(algorithm: Algorithm, answer: Callable[..., int] | None = None) -> str:
    """Return a digest of the sources of an algorithm, of who answers, and of all that runs them."""
    own = [algorithm.init, *algorithm.kernels().values(), *([answer] if answer else [])]
    return digest_sources(*own, *_RUNNING)


def _numbers(problem: Problem) -> str:
    """A digest of what answers: a problem's key does not tell how often there are ties."""
    digest = hashlib.sha256(problem.scores.tobytes())
    for array in problem.world:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _writable(world: Any) -> Any:
    """Copy what a cluster hands over read-only; numba would compile another loop for it."""
    if isinstance(world, np.ndarray):
        return np.require(world, requirements="W")
    if isinstance(world, tuple) and hasattr(world, "_make"):
        return type(world)(*map(_writable, world))
    return world


def _clear_later_marks(ledger: RunRecord) -> None:
    """Say of the marks that a cut run did not reach that nothing is known there."""
    reached = int(ledger.mark[0])
    ledger.regret_at[reached:] = np.nan
    ledger.duels_at[reached:] = ledger.duels[0]
    ledger.answer_at[reached:] = -1


@contextmanager
def interrupts_between_calls() -> Iterator[Callable[[], None]]:
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


def loop_for(
    algorithm: Algorithm, problem: Problem, compiled: bool, weak: bool = False
) -> Callable[..., None]:
    """Return the duel loop of an algorithm on a kind of problem, with weak regret if so wished."""
    name = re.sub(r"\W", "_", f"{algorithm.name}_{problem.answer.__module__}")
    parts = (*algorithm.kernels().items(), ("answer", problem.answer))
    if weak:
        parts = (*parts, ("cost", weak_cost))
    # Only what can be imported here is kept on disk: numba looks there for modules and classes.
    importable = all(_importable(part) for _, part in parts)
    return loop_of(parts, name, compiled, keep=importable and is_from_file(algorithm.select))


def _importable(part: Callable[..., Any]) -> bool:
    """Whether a function is of a module of this process, not sent by another one."""
    space = getattr(part, "__globals__", {})
    module = sys.modules.get(space.get("__name__", ""))
    return module is not None and vars(module) is space
