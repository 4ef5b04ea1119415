"""A comparison of algorithms on a problem, cut into cells, and the curves that come of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.problems import Problem, problem_of
from copeland.registry import Algorithm, entrant
from copeland.simulation.cell import Cell
from copeland.simulation.runs import REGRETS, Curves, Runs
from copeland.support.arrays import Ints
from copeland.support.progress import Load
from copeland.support.spec import Spec
from copeland.support.tasks import Arrays


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
