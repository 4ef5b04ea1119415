"""Simulation: algorithms x problems x seeds -> Runs, with the same numbers for any number of jobs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copeland.errors import AssumptionWarning, Interrupted, InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.problems import Problem, problem_of, redrawn
from copeland.registry import Algorithm, entrant
from copeland.simulation.cell import Cell, shortfall_of
from copeland.simulation.compilation import compile_cells
from copeland.simulation.runs import REGRETS, Curves, Runs
from copeland.support.arrays import Ints
from copeland.support.progress import Load
from copeland.support.spec import Spec
from copeland.support.tasks import Arrays, check_workers, finish

LONGEST = 2**53  # beyond it, steps are no longer exact as floating-point numbers

RUNS = 10  # unless more are asked for: enough for a mean and its error, soon
MOST_RUNS = 1_000_000  # of an algorithm: every run is kept, with its marks
MOST_MARKS = 100_000


def simulate(
    problem: Problem | PreferenceMatrix | str,
    algorithms: str | Algorithm | Sequence[str | Algorithm],
    horizon: float | Sequence[float],
    runs: int = RUNS,
    seed: int = 0,
    jobs: int = 1,
    marks: int | ArrayLike = 60,
    regret: str = "definition-1",
    *,
    jump: bool = True,
    compiled: bool = True,
    folder: str | Path | None = None,
    backend: str = "loky",
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> Runs:
    """Run algorithms on a problem and return their regret.

    Parameters
    ----------
    problem
        A matrix, a problem, a built-in name or a matrix file.
    algorithms
        Names, optionally with parameters: ``["ccb", "ccb:alpha=1.01"]``; ``"mine.py:NAME"`` for one that
        a file defines; or an :class:`~copeland.Algorithm` itself.
    horizon
        The number of steps; an option played against itself is a step too. In a list, the largest
        counts; an algorithm that must know its horizon runs separately for each of them, as in the
        paper's first figure, and has a mark at each.
    runs, seed
        How many runs of each algorithm, 10 by default. Run r of every algorithm draws its answers from the same random
        numbers: comparisons are paired. Algorithms that must know their horizon draw other numbers for each horizon.
    jobs
        Processes; the numbers do not depend on it.
    marks
        How many log-spaced steps to record, or the steps themselves.
    regret
        ``"definition-1"`` (2 cpld* - cpld_i - cpld_j), ``"half"`` of it, as later papers plot, or
        ``"weak"`` (cpld* less the larger of the two). Where option 1 is a Condorcet winner also
        ``"condorcet"``, (Delta_1i + Delta_1j) / 2, and ``"condorcet-weak"``, the smaller of the two.
    jump
        False steps through every self-duel: the oracle of the jumps, same distribution, slower.
    compiled
        False interprets the same code: same numbers, slower. What numba cannot compile is
        interpreted too, with a warning.
    folder
        Where finished runs are kept, so the same call after a stop continues from there; by default
        nothing is kept.
    backend
        ``loky`` (this machine), ``dask`` or ``ray``; the numbers do not depend on it.
    progress
        Called with (runs done, runs in all). By default a bar shows it in a terminal or a notebook, if it takes
        over two seconds.
    note
        Called with a sentence for each algorithm that must be compiled first, which says about how long that
        takes, and for each kept run that is damaged and so run again.

    Examples
    --------
    >>> p = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
    >>> runs = simulate(p, ["ccb"], horizon=1e6, runs=5, seed=1)
    >>> runs.summary()[0]["correct"]
    1.0
    """
    horizons = _horizons(horizon)
    _check(runs, seed, jobs, backend, regret)
    plan = Comparison(
        source=problem if isinstance(problem, str) and redrawn(problem) else problem_of(problem),
        algorithms=tuple([algorithms] if isinstance(algorithms, str | Algorithm) else algorithms),
        horizons=horizons,
        runs=runs,
        marks=_marks(marks, horizons[-1]),
        seed=seed,
        regret=regret,
        jump=jump,
        compiled=compiled,
    )
    _check_entrants(plan)
    cells = compile_cells(plan.tasks(), note)
    try:
        kept = None if folder is None else Path(folder)
        loads = [load_of(cell) for cell in cells]
        return plan.collect(finish(cells, kept, jobs, backend, progress, note, loads))
    except Interrupted as stop:
        assert isinstance(stop.runs, list)
        done = sum(arrays is not None for arrays in stop.runs)
        collected = plan.collect(stop.runs)
        raise Interrupted(
            f"stopped after {done} of {len(cells)} runs; the finished runs are in `.runs`.",
            collected if collected.curves else None,
        ) from None


def _check(runs: int, seed: int, jobs: int, backend: str, regret: str) -> None:
    for name, value, least in (("runs", runs, 1), ("seed", seed, 0)):
        if value < least:
            raise InvalidParameter(f"{name} is {value}; it must be at least {least}.")
    if runs > MOST_RUNS:
        raise InvalidParameter(f"runs is {runs:.3g}; it must be at most {MOST_RUNS:,}.")
    check_workers(jobs, backend)
    if regret not in REGRETS:
        raise InvalidParameter(f"regret is {regret!r}; choose one of {', '.join(REGRETS)}.")


def _check_entrants(plan: Comparison) -> None:
    """Refuse bad parameters before anything runs, and warn of what does not suit the problem."""
    if not plan.entrants:
        raise InvalidParameter("there is no algorithm; name at least one.")
    if len({str(spec) for _, spec in plan.entrants}) < len(plan.entrants):
        raise InvalidParameter("an algorithm is named twice with the same parameters.")
    for algorithm, spec in plan.entrants:
        algorithm.start(plan.problem.k, plan.horizons[-1], **spec.params)
        fixed = not isinstance(plan.source, str)
        if fixed:
            shortfall_of(plan.problem, plan.regret)
        if fixed and algorithm.assumes_condorcet and plan.problem.scores.max() < 1:
            warnings.warn(
                f"{spec.name} assumes a Condorcet winner, and {plan.problem.name} has none: "
                "its regret may grow linearly.",
                AssumptionWarning,
                stacklevel=3,
            )


def _horizons(horizon: float | Sequence[float]) -> tuple[int, ...]:
    """The horizons in increasing order."""
    given = np.atleast_1d(np.asarray(horizon, dtype=np.float64)).tolist()
    if not given:
        raise InvalidParameter("there is no horizon; give at least one.")
    for value in given:
        if not 1 <= value <= LONGEST:
            raise InvalidParameter(f"horizon is {value}; it must lie between 1 and {LONGEST:.0e}.")
    return tuple(sorted({int(value) for value in given}))


def _marks(marks: int | ArrayLike, last: int) -> int | tuple[int, ...]:
    """How many steps to record, or which."""
    if isinstance(marks, int | np.integer):
        if not 1 <= marks <= MOST_MARKS:
            raise InvalidParameter(f"marks is {marks}; give from 1 to {MOST_MARKS:,}.")
        return int(marks)
    steps = np.asarray(marks, dtype=np.float64).ravel()
    if len(steps) == 0 or steps.min() < 1 or steps.max() > last:
        raise InvalidParameter(f"marks must lie between 1 and the horizon, {last}.")
    return tuple(steps.astype(np.int64).tolist())


@dataclass(frozen=True)
class Comparison:
    """Which algorithms meet which problem, for how long and how often."""

    source: Problem | str  # a name is that of a random family, drawn anew for each run
    algorithms: tuple[str | Algorithm, ...]
    horizons: tuple[int, ...]  # rising, to the last; those that must know theirs are run for each
    runs: int
    marks: int | tuple[int, ...] = 60  # how many log-spaced steps to record, or which
    seed: int = 0
    regret: str = "definition-1"
    jump: bool = True
    compiled: bool = True
    most_duels: int = 0  # a run is cut after so many; 0: never
    runs_a_task: int = 1

    @cached_property
    def problem(self) -> Problem:
        """The problem, or one of its draws."""
        return problem_of(self.source)

    @cached_property
    def entrants(self) -> list[tuple[Algorithm, Spec]]:
        """The algorithms, each with its name and parameters."""
        return [entrant(given) for given in self.algorithms]

    @cached_property
    def steps(self) -> Ints:
        """The steps to record: log-spaced and rounded, or as given; every horizon is one of them."""
        if not isinstance(self.marks, int):
            steps = np.array(self.marks, np.float64)
        else:  # a single one is the horizon
            spaced = np.geomspace(1, self.horizons[-1], self.marks)
            steps = np.rint(spaced[self.marks == 1 :])
        return np.unique(np.append(steps, self.horizons).astype(np.int64))

    def tasks(self) -> list[Cell]:
        """Return the work, in pieces that do not depend on each other."""
        return [
            Cell(
                source=self.source,
                algorithm=algorithm,
                spec=spec,
                first=first,
                count=min(self.runs_a_task, self.runs - first),
                horizon=end,
                marks=marks,
                seed=self.seed,
                jump=self.jump,
                compiled=self.compiled,
                most_duels=self.most_duels,
                regret=self.regret,
            )
            for first in range(0, self.runs, self.runs_a_task)
            for algorithm, spec in self.entrants
            for end, marks in self._ends(algorithm)
        ]

    def collect(self, results: Sequence[Arrays | None]) -> Runs:
        """Put the results of :meth:`tasks`, in their order, together.

        After an interruption some are None: the runs they belong to are left out, and so is an
        algorithm of which no run is finished.
        """
        left = iter(results)
        rows: list[list[list[Arrays]]] = [[] for _ in self.entrants]
        for _ in range(0, self.runs, self.runs_a_task):
            for row, (algorithm, _) in zip(rows, self.entrants, strict=True):
                parts = [next(left) for _ in self._ends(algorithm)]
                done = [part for part in parts if part is not None]
                if len(done) == len(parts):
                    row.append(done)
        return Runs(
            problem=self.source if isinstance(self.source, str) else self.problem.name,
            k=self.problem.k,
            key=self.problem.key,
            redrawn=isinstance(self.source, str),
            horizon=self.horizons[-1],
            seed=self.seed,
            regret=self.regret,
            marks=self.steps,
            curves=tuple(
                self._curves(*one, row) for one, row in zip(self.entrants, rows, strict=True) if row
            ),
            interrupted=any(arrays is None for arrays in results),
        )

    def _ends(self, algorithm: Algorithm) -> list[tuple[int, Ints]]:
        """The runs that one seed gives an algorithm: where each ends, and what it records on the way."""
        *earlier, last = self.horizons
        if earlier and algorithm.needs_horizon:
            return [(end, np.array([end])) for end in self.horizons]
        return [(last, self.steps)]

    def _curves(self, algorithm: Algorithm, spec: Spec, rows: list[list[Arrays]]) -> Curves:
        ends = self._ends(algorithm)

        def table(name: str) -> NDArray[Any]:
            return np.concatenate([side_by_side(parts, name) for parts in rows])

        return Curves(
            name=spec.name,
            params=dict(spec.params),
            marks=np.concatenate([marks for _, marks in ends]),
            regret=REGRETS[self.regret] * table("regret"),
            comparisons=table("comparisons"),
            answers=table("answers"),
            correct=table("correct"),
            seconds=float(sum(part["seconds"].sum() for parts in rows for part in parts)),
            independent=len(ends) > 1,
        )


def load_of(cell: Cell) -> Load:
    """Return what is like a cell: runs of the same algorithm on the same problem, by their horizon."""
    problem = cell.source if isinstance(cell.source, str) else cell.source.key
    return Load((problem, str(cell.spec)), cell.horizon, cell.count)


def side_by_side(parts: Sequence[Arrays], name: str) -> NDArray[Any]:
    """Return one table of what runs to several horizons recorded."""
    return np.concatenate([part[name] for part in parts], axis=1)
