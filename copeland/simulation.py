"""Simulation: algorithms x problems x seeds -> Runs, with the same numbers for any number of jobs."""

from __future__ import annotations

import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copeland.errors import AssumptionWarning, Interrupted, InvalidParameter
from copeland.kernels.loop import Ledger, loop_of, new_ledger
from copeland.matrix import PreferenceMatrix
from copeland.policy import PARTS, Algorithm, Spec, find
from copeland.problems import Problem, problem_of, problem_of_run, redrawn
from copeland.streams import stream

LONGEST = 2**53  # beyond it, steps are no longer exact as floating-point numbers
WORK = 200_000  # turns of the loop between two looks at the keyboard

REGRETS = {"definition-1": 1.0, "half": 0.5}


@dataclass(frozen=True)
class Curves:
    """What one algorithm did: one row for each run, one column for each mark."""

    name: str
    params: dict[str, Any]
    marks: NDArray[np.int64]
    regret: NDArray[np.float64]
    comparisons: NDArray[np.int64]  # real duels
    answers: NDArray[np.int64]  # recommendations
    correct: NDArray[np.bool_]  # whether the recommendation is a Copeland winner
    seconds: float  # in the loop, all runs together
    independent: bool = (
        False  # each mark is the end of runs of its own, which knew it as their horizon
    )

    @property
    def label(self) -> str:
        """Its name and parameters, as in a spec."""
        return str(Spec(self.name, self.params))


@dataclass(frozen=True)
class Runs:
    """The outcome of a simulation: regret at log-spaced marks, for each algorithm and run."""

    problem: str
    k: int
    key: str
    redrawn: bool  # whether every run met a draw of its own
    horizon: int
    seed: int
    regret: str  # "definition-1" or "half"
    marks: NDArray[np.int64]
    curves: tuple[Curves, ...]
    interrupted: bool = field(default=False)

    @property
    def runs(self) -> int:
        """The number of runs (of the algorithm that has the most, after an interruption)."""
        return max(len(curve.regret) for curve in self.curves)

    def summary(self) -> list[dict[str, Any]]:
        """Return a row for each algorithm: regret at the horizon, real comparisons, correctness."""
        return [_summary(curve) for curve in self.curves]

    def to_pandas(self) -> Any:
        """Return a data frame with one row for each algorithm, run and mark (extra: pandas)."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install 'copeland[pandas]'") from error
        return pandas.DataFrame(self.columns())

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the long table, one row for each algorithm, run and mark, as columns."""
        rows = [curve.regret.shape for curve in self.curves]
        return {
            "algorithm": np.repeat([c.label for c in self.curves], [r * m for r, m in rows]),
            "run": np.concatenate([np.repeat(np.arange(r), m) for r, m in rows]),
            "t": np.concatenate([np.tile(c.marks, len(c.regret)) for c in self.curves]),
            "regret": np.concatenate([c.regret.ravel() for c in self.curves]),
            "comparisons": np.concatenate([c.comparisons.ravel() for c in self.curves]),
            "answer": np.concatenate([c.answers.ravel() for c in self.curves]),
            "correct": np.concatenate([c.correct.ravel() for c in self.curves]),
        }


def _summary(curve: Curves) -> dict[str, Any]:
    last = curve.regret[:, -1]
    n = len(last)
    low, median, high = np.quantile(last, [0.05, 0.5, 0.95])
    return {
        "algorithm": curve.label,
        "runs": n,
        "mean": float(last.mean()),
        "sd": float(last.std(ddof=1)) if n > 1 else 0.0,
        "q05": float(low),
        "median": float(median),
        "q95": float(high),
        "worst": float(last.max()),
        "comparisons": float(curve.comparisons[:, -1].mean()),
        "correct": float(curve.correct[:, -1].mean()),
        "seconds": curve.seconds,
    }


def simulate(
    problem: Problem | PreferenceMatrix | str,
    algorithms: str | Sequence[str],
    horizon: float | Sequence[float],
    runs: int = 1,
    seed: int = 0,
    jobs: int = 1,
    marks: int | ArrayLike = 60,
    regret: str = "definition-1",
    *,
    jump: bool = True,
    compiled: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Runs:
    """Run algorithms on a problem and return their regret.

    Parameters
    ----------
    problem
        A matrix, a problem, a built-in name or a matrix file.
    algorithms
        Names, with parameters if wished: ``["ccb", "ccb:alpha=1.01"]``.
    horizon
        The number of steps; an option played against itself is a step too. Of a list, the largest
        counts; an algorithm that must know its horizon is run for each of them independently, as in
        the paper's first figure, and has a mark at each.
    runs, seed
        Run r of every algorithm meets the same luck: comparisons are paired.
    jobs
        Processes; the numbers do not depend on it.
    marks
        How many log-spaced steps to record, or the steps themselves.
    regret
        ``"definition-1"`` (2 cpld* - cpld_i - cpld_j) or ``"half"`` of it, as later papers plot.
    jump
        False steps through every self-duel: the oracle of the jumps, same distribution, slower.
    compiled
        False interprets the same code: same numbers, slower.
    progress
        Called with (runs done, runs in all).

    Examples
    --------
    >>> p = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
    >>> runs = simulate(p, ["ccb"], horizon=1e6, runs=5, seed=1)
    >>> runs.summary()[0]["correct"]
    1.0
    """
    world = problem_of(problem)
    source = problem if isinstance(problem, str) and redrawn(problem) else world
    specs = _specs(algorithms)
    horizons = _horizons(horizon)
    when = _marks(marks, horizons)
    _check(runs, seed, jobs, regret)
    for spec in specs:  # refuse bad parameters before anything runs
        find(spec.name).start(world.k, horizons[-1], **spec.params)
        if source is world:
            _warn_without_condorcet_winner(spec, world)
    shared = {"source": source, "seed": seed, "jump": jump, "compiled": compiled}
    cells = [
        _Cell(spec=spec, run=run, horizon=end, marks=stops, **shared)
        for run in range(runs)
        for spec in specs
        for end, stops in _ends(spec, horizons, when)
    ]
    done: list[_Finished] = []
    interrupted = False
    try:
        for finished in _run_all(cells, jobs):
            done.append(finished)
            if progress is not None:
                progress(len(done), len(cells))
    except KeyboardInterrupt:
        interrupted = True
    collected = Runs(
        problem=source if isinstance(source, str) else world.name,
        k=world.k,
        key=world.key,
        redrawn=isinstance(source, str),
        horizon=horizons[-1],
        seed=seed,
        regret=regret,
        marks=when,
        curves=tuple(_all_curves(specs, horizons, when, done, REGRETS[regret])),
        interrupted=interrupted,
    )
    if interrupted:
        raise Interrupted(
            f"stopped after {len(done)} of {len(cells)} runs; what is done is in `.runs`.",
            collected if collected.curves else None,
        )
    return collected


def _check(runs: int, seed: int, jobs: int, regret: str) -> None:
    for name, value, least in (("runs", runs, 1), ("seed", seed, 0), ("jobs", jobs, 1)):
        if value < least:
            raise InvalidParameter(f"{name} is {value}; it must be at least {least}.")
    if regret not in REGRETS:
        raise InvalidParameter(f"regret is {regret!r}; choose one of {', '.join(REGRETS)}.")


def _warn_without_condorcet_winner(spec: Spec, problem: Problem) -> None:
    if find(spec.name).assumes_condorcet and problem.scores.max() < 1:
        warnings.warn(
            f"{spec.name} assumes a Condorcet winner, and {problem.name} has none: "
            "its regret may grow linearly.",
            AssumptionWarning,
            stacklevel=3,
        )


def _specs(algorithms: str | Sequence[str]) -> list[Spec]:
    names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    specs = [Spec.parse(name) for name in names]
    if not specs:
        raise InvalidParameter("no algorithm is named; name at least one.")
    if len({str(spec) for spec in specs}) < len(specs):
        raise InvalidParameter("an algorithm is named twice with the same parameters.")
    return specs


def _horizons(horizon: float | Sequence[float]) -> list[int]:
    """The horizons in increasing order."""
    given = [horizon] if isinstance(horizon, int | float) else list(horizon)
    if not given:
        raise InvalidParameter("no horizon is given; name at least one.")
    for value in given:
        if not 1 <= value <= LONGEST:
            raise InvalidParameter(f"horizon is {value}; it must lie between 1 and {LONGEST:.0e}.")
    return sorted({int(value) for value in given})


def _marks(marks: int | ArrayLike, horizons: list[int]) -> NDArray[np.int64]:
    """The steps to record: log-spaced and rounded, or as given; every horizon is one of them."""
    last = horizons[-1]
    if isinstance(marks, int):
        if marks < 1:
            raise InvalidParameter(f"marks is {marks}; at least 1 is needed.")
        steps = np.rint(np.geomspace(1, last, marks)) if marks > 1 else np.array([last])
    else:
        steps = np.asarray(marks, dtype=np.float64).ravel()
        if len(steps) == 0 or steps.min() < 1 or steps.max() > last:
            raise InvalidParameter(f"marks must lie between 1 and the horizon, {last}.")
    return np.unique(np.append(steps, horizons).astype(np.int64))


def _independent(spec: Spec, horizons: list[int]) -> bool:
    return len(horizons) > 1 and find(spec.name).needs_horizon


def _ends(
    spec: Spec, horizons: list[int], marks: NDArray[np.int64]
) -> list[tuple[int, NDArray[np.int64]]]:
    """The runs that one seed gives an algorithm: where each ends, and what it records on the way."""
    if _independent(spec, horizons):
        return [(end, np.array([end])) for end in horizons]
    return [(horizons[-1], marks)]


@dataclass(frozen=True)
class _Cell:
    """One run of one algorithm: the unit of work."""

    source: Problem | str  # a name is drawn anew for each run
    spec: Spec
    run: int
    horizon: int
    marks: NDArray[np.int64]
    seed: int
    jump: bool
    compiled: bool

    @property
    def problem(self) -> Problem:
        """The problem that this run meets."""
        if isinstance(self.source, str):
            return problem_of_run(self.source, self.seed, self.run)
        return self.source


@dataclass(frozen=True)
class _Finished:
    """What a cell came to."""

    label: str
    run: int
    horizon: int
    ledger: Ledger
    correct: NDArray[np.bool_]
    seconds: float


def _run_all(cells: list[_Cell], jobs: int) -> Iterator[_Finished]:
    if jobs == 1 or len(cells) == 1:
        yield from map(_run, cells)
        return
    import joblib

    _compile_all(cells)  # once here, so that the workers find it on disk
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    yield from parallel(joblib.delayed(_run)(cell) for cell in cells)  # type: ignore[misc]


def _compile_all(cells: list[_Cell]) -> None:
    first = {str(cell.spec): cell for cell in reversed(cells)}
    for cell in first.values():
        if cell.compiled:
            _run(replace(cell, marks=np.ones(1, np.int64)))


def _run(cell: _Cell) -> _Finished:
    problem, spec = cell.problem, cell.spec
    algorithm = find(spec.name)
    loop = loop_for(algorithm, problem, cell.compiled)
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
        loop(state, problem.world, shortfall, among, ledger, 0, cell.jump, noise, rng)
        start = time.perf_counter()
        while ledger.mark[0] < len(cell.marks):
            look()
            loop(state, problem.world, shortfall, among, ledger, work, cell.jump, noise, rng)
        seconds = time.perf_counter() - start
    correct = np.isin(ledger.answer_at, problem.winners)
    return _Finished(str(spec), cell.run, cell.horizon, ledger, correct, seconds)


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
    home = sys.modules[algorithm.select.__module__].__dict__.get("__file__")
    return loop_of((*given, ("answer", problem.answer)), name, home, compiled)


def _all_curves(
    specs: list[Spec],
    horizons: list[int],
    marks: NDArray[np.int64],
    done: list[_Finished],
    scale: float,
) -> Iterator[Curves]:
    """What every algorithm came to; those of which no run is finished are left out."""
    for spec in specs:
        mine = [one for one in done if one.label == str(spec)]
        ends = horizons if _independent(spec, horizons) else horizons[-1:]
        complete = {
            run: parts
            for run, parts in _by_run(mine).items()
            if [part.horizon for part in parts] == ends
        }
        if complete:
            stops = np.array(ends) if len(ends) > 1 else marks
            yield _curves(spec, stops, list(complete.values()), scale)


def _by_run(done: list[_Finished]) -> dict[int, list[_Finished]]:
    """The finished parts of each run, runs and horizons in order."""
    runs: dict[int, list[_Finished]] = {}
    for one in sorted(done, key=lambda one: (one.run, one.horizon)):
        runs.setdefault(one.run, []).append(one)
    return runs


def _curves(
    spec: Spec, marks: NDArray[np.int64], runs: list[list[_Finished]], scale: float
) -> Curves:
    """The curves of an algorithm; the parts of a run with several horizons are put side by side."""

    def table(column: Callable[[_Finished], NDArray[Any]]) -> NDArray[Any]:
        return np.array([np.concatenate([column(part) for part in parts]) for parts in runs])

    return Curves(
        name=spec.name,
        params=dict(spec.params),
        marks=marks,
        regret=scale * table(lambda one: one.ledger.regret_at),
        comparisons=table(lambda one: one.ledger.duels_at),
        answers=table(lambda one: one.ledger.answer_at),
        correct=table(lambda one: one.correct),
        seconds=sum(part.seconds for parts in runs for part in parts),
        independent=len(runs[0]) > 1,
    )
