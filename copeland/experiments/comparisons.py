"""A comparison of algorithms on a problem, cut into tasks: (problem, algorithm, run range)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.cells import Cell, Finished, run_cell
from copeland.experiments.store import Arrays
from copeland.kernels.mark import source_digest
from copeland.policy import PARTS, Spec, find
from copeland.problems import Problem
from copeland.runs import Curves, Runs

# What every run goes through, whatever the algorithm: the loop, the cell, the streams.
_RUNNING = ("copeland.kernels.loop", "copeland.cells", "copeland.streams")


@dataclass(frozen=True)
class Comparison:
    """Which algorithms meet which problem, for how long and how often."""

    problem: Problem
    algorithms: tuple[str, ...]
    horizon: int
    runs: int
    horizons: tuple[
        int, ...
    ] = ()  # marks for all; ends of runs of their own for those that must know
    marks: int = 60
    seed: int = 0
    most_duels: int = 0  # a run is cut after so many; 0: never
    runs_a_task: int = 5

    def tasks(self) -> list[SimulationTask]:
        """Return the work, in pieces that do not depend on each other."""
        return [
            SimulationTask(
                self.problem,
                name,
                first,
                min(self.runs_a_task, self.runs - first),
                end,
                tuple(marks.tolist()),
                self.seed,
                self.most_duels,
            )
            for name in self.algorithms
            for end, marks in self._ends(name)
            for first in range(0, self.runs, self.runs_a_task)
        ]

    def collect(self, results: Sequence[Arrays]) -> Runs:
        """Put the results of :meth:`tasks`, in their order, together."""
        left = iter(results)
        curves = tuple(self._curves(name, left) for name in self.algorithms)
        return Runs(
            problem=self.problem.name,
            k=self.problem.k,
            key=self.problem.key,
            redrawn=False,
            horizon=self.horizon,
            seed=self.seed,
            regret="definition-1",
            marks=self._marks(),
            curves=curves,
        )

    def _marks(self) -> NDArray[np.int64]:
        spaced = np.rint(np.geomspace(1, self.horizon, self.marks))
        return np.unique(np.append(spaced, [*self.horizons, self.horizon]).astype(np.int64))

    def _ends(self, name: str) -> list[tuple[int, NDArray[np.int64]]]:
        """The runs of an algorithm for one seed: where each ends, and what it records on the way."""
        if self.horizons and find(Spec.parse(name).name).needs_horizon:
            return [(end, np.array([end])) for end in self.horizons]
        return [(self.horizon, self._marks())]

    def _curves(self, name: str, results: Iterator[Arrays]) -> Curves:
        pieces = -(-self.runs // self.runs_a_task)
        ends = self._ends(name)
        # One column of the table for each horizon, made of its pieces one below the other.
        columns = [[next(results) for _ in range(pieces)] for _ in ends]

        def table(what: str) -> NDArray[Any]:
            return np.concatenate(
                [np.concatenate([piece[what] for piece in column]) for column in columns], axis=1
            )

        spec = Spec.parse(name)
        return Curves(
            name=spec.name,
            params=dict(spec.params),
            marks=np.concatenate([marks for _, marks in ends]),
            regret=table("regret"),
            comparisons=table("comparisons"),
            answers=table("answers"),
            correct=table("correct"),
            seconds=float(sum(piece["seconds"].sum() for column in columns for piece in column)),
            independent=len(ends) > 1,
        )


@dataclass(frozen=True)
class SimulationTask:
    """Some runs of one algorithm on one problem."""

    problem: Problem = field(repr=False)
    algorithm: str
    first: int
    count: int
    horizon: int
    marks: tuple[int, ...] = field(repr=False)
    seed: int
    most_duels: int

    def about(self) -> dict[str, Any]:
        """Return everything that the result depends on: the sources of the rule too."""
        algorithm = find(Spec.parse(self.algorithm).name)
        parts = [part for name in PARTS if (part := algorithm.part(name)) is not None]
        modules = {part.__module__ for part in (*parts, algorithm.init, self.problem.answer)}
        return {
            "kind": "simulation",
            "problem": self.problem.key,
            "algorithm": self.algorithm,
            "runs": [self.first, self.count],
            "horizon": self.horizon,
            "marks": list(self.marks),
            "seed": self.seed,
            "most duels": self.most_duels,
            "sources": source_digest({*modules, *_RUNNING}),
        }

    def run(self) -> Arrays:
        """Run them one after the other."""
        done = [self._run_one(run) for run in range(self.first, self.first + self.count)]
        return {
            "regret": np.array([one.ledger.regret_at for one in done]),
            "comparisons": np.array([one.ledger.duels_at for one in done]),
            "answers": np.array([one.ledger.answer_at for one in done]),
            "correct": np.array([one.correct for one in done]),
            "seconds": np.array([one.seconds for one in done]),
        }

    def _run_one(self, run: int) -> Finished:
        return run_cell(
            Cell(
                source=self.problem,
                spec=Spec.parse(self.algorithm),
                run=run,
                horizon=self.horizon,
                marks=np.array(self.marks, np.int64),
                seed=self.seed,
                most_duels=self.most_duels,
            )
        )
