"""The paper, run anew: its experiments and analyses, resumable, on any joblib backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland import winners
from copeland.errors import InvalidParameter, Undefined, nearest
from copeland.experiments import paper
from copeland.experiments.analyses import Analyses, Cell, analyse, cell
from copeland.experiments.subsets import BLOCK
from copeland.kernels.mark import source_digest
from copeland.limits import lower_regret
from copeland.matrix import PreferenceMatrix
from copeland.problems import Problem
from copeland.registry import entrant
from copeland.runs import Runs, number
from copeland.tasks import Arrays, Task, finish

EXPERIMENTS = ("small", "large", "condorcet", "modern")
PARTS = (*EXPERIMENTS, "analyses")

# What subsets are counted with.
_COUNTING = (
    "copeland.experiments.subsets",
    "copeland.experiments.subset_gaps",
    "copeland.winners",
    "copeland.gaps",
    "copeland.streams",
)

QUICK_SAMPLES = BLOCK
FULL_SAMPLES = 10_000


@dataclass(frozen=True)
class Reproduction:
    """What came of it: the regret of each experiment, and the analyses."""

    full: bool
    seed: int
    matrix: PreferenceMatrix | None
    figures: tuple[tuple[paper.Figure, Runs], ...]
    analyses: Analyses | None
    condorcet_winners: dict[str, int | None]  # of the other click models, where they are at hand
    lower_bounds: dict[str, float] = field(default_factory=dict)  # of figures, regret for each ln T


def reproduce(
    folder: str | Path,
    *,
    full: bool = False,
    matrix: PreferenceMatrix | None = None,
    others: dict[str, PreferenceMatrix] | None = None,
    only: Sequence[str] = (),
    also: Sequence[str] = (),
    seed: int = 0,
    jobs: int = 1,
    backend: str = "loky",
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> Reproduction:
    """Run the paper's experiments and analyses; what is in ``folder`` already is not run again.

    Parameters
    ----------
    full
        The paper's sizes, which take half an hour of CPU time, instead of quick ones.
    matrix
        The 136 rankers (or others) for the analyses, and for the five rankers in full digits.
    others
        Matrices of the same rankers under other click models, by name.
    only
        Some of ``small``, ``large``, ``condorcet``, ``modern`` and ``analyses``; all by default.
    also
        Algorithms to show in Figures 1 and 2 beside the paper's, as in ``scb:literal=1``.
    """
    parts = _parts(only)
    figures = _figures(parts, matrix, full, seed, _specs(also))
    subsets = _subsets(matrix, full, seed) if matrix is not None and "analyses" in parts else []
    work: list[list[Task]] = [list(figure.comparison.tasks()) for figure in figures]
    tasks = [task for piece in [*work, subsets] for task in piece]
    results = iter(finish(tasks, Path(folder), jobs, backend, progress, note))
    runs = [
        figure.comparison.collect([next(results) for _ in piece])
        for figure, piece in zip(figures, work, strict=True)
    ]
    cells = [Cell.of(next(results)) for _ in subsets]
    return Reproduction(
        full=full,
        seed=seed,
        matrix=matrix,
        figures=tuple(zip(figures, runs, strict=True)),
        analyses=analyse(matrix, cells) if matrix is not None and cells else None,
        condorcet_winners={
            name: winners.condorcet_winner(other) for name, other in (others or {}).items()
        },
        lower_bounds=_lower_bounds(figures),
    )


def _lower_bounds(figures: Sequence[paper.Figure]) -> dict[str, float]:
    """The lower bound of each figure by its name, where there is one."""
    found = {figure.name: _lower_bound(figure.comparison.problem) for figure in figures}
    return {name: bound for name, bound in found.items() if bound is not None}


def _lower_bound(problem: Problem) -> float | None:
    try:
        return lower_regret(PreferenceMatrix(problem.world.p))
    except (Undefined, InvalidParameter):
        return None


def _parts(only: Sequence[str]) -> Sequence[str]:
    for name in only:
        if name not in PARTS:
            raise InvalidParameter(f"there is no part '{name}'; {nearest(name, PARTS)}")
    return only or PARTS


def _specs(also: Sequence[str]) -> Sequence[str]:
    """Return the algorithms, if they and their parameters can be run."""
    for text in also:
        algorithm, spec = entrant(text)
        algorithm.start(k=5, horizon=1000, **spec.params)
    return also


def _figures(
    parts: Sequence[str],
    matrix: PreferenceMatrix | None,
    full: bool,
    seed: int,
    also: Sequence[str],
) -> list[paper.Figure]:
    gaps = (paper.SCANNED_GAPS if full else paper.QUICK_GAPS) if "large" in parts else ()
    made = {
        "small": [paper.small(matrix, full, seed).beside(also)],
        "large": [paper.large(name, full, seed).beside(also) for name in gaps],
        "condorcet": [paper.condorcet(matrix, full, seed)],
        "modern": [paper.modern(matrix, full, seed)],
    }
    return [figure for name in EXPERIMENTS if name in parts for figure in made[name]]


@dataclass(frozen=True)
class SubsetTask:
    """Random subsets of one size, counted."""

    matrix: PreferenceMatrix
    k: int
    first: int
    count: int
    seed: int
    lotteries: bool

    def about(self) -> dict[str, Any]:
        """Return everything that the result depends on."""
        return {
            "kind": "subsets",
            "matrix": self.matrix.key,
            "k": self.k,
            "samples": [self.first, self.count],
            "seed": self.seed,
            "lotteries": self.lotteries,
            "sources": source_digest(cell, *_COUNTING),
        }

    def run(self) -> Arrays:
        """Count them."""
        found = cell(
            self.matrix, self.k, self.first, self.count, self.seed, lotteries=self.lotteries
        )
        return found.arrays()


def _subsets(matrix: PreferenceMatrix, full: bool, seed: int) -> list[SubsetTask]:
    """The subsets to count: equally many of each size, and linear programs for the first block."""
    samples = FULL_SAMPLES if full else QUICK_SAMPLES
    return [
        SubsetTask(matrix, k, first, BLOCK, seed, lotteries=full or first == 0)
        for k in range(1, matrix.k + 1)
        for first in range(0, samples, BLOCK)
    ]


def as_json(found: Reproduction) -> dict[str, Any]:
    """Return the numbers of a reproduction, ready for JSON."""
    out: dict[str, Any] = {
        "full": found.full,
        "seed": found.seed,
        "experiments": {
            figure.name: _regrets(runs) | {"lower_regret": found.lower_bounds.get(figure.name)}
            for figure, runs in found.figures
        },
    }
    if found.condorcet_winners:
        out["condorcet_winners"] = found.condorcet_winners
    if found.analyses is not None:
        out |= _analyses_json(found.analyses)
    return out


def _regrets(runs: Runs) -> dict[str, Any]:
    return {
        "problem": runs.problem,
        "horizon": runs.horizon,
        "runs": runs.runs,
        "algorithms": {
            curve.label: {
                "marks": curve.marks.tolist(),
                "mean_at_marks": [number(x) for x in curve.regret.mean(axis=0)],
                "cut": int(np.isnan(curve.regret[:, -1]).sum()),
            }
            for curve in runs.curves
        },
    }


def _analyses_json(found: Analyses) -> dict[str, Any]:
    def by_size(sizes: NDArray[np.int64], values: NDArray[np.float64]) -> dict[int, float | None]:
        return {k: number(x) for k, x in zip(sizes.tolist(), values, strict=True)}

    table = dict(zip(found.overlaps.names, found.overlaps.percent.tolist(), strict=True))
    inside = table.pop("copeland_in_support")
    return {
        "table1": table,
        "table1_samples": int(found.overlaps.samples.min()),
        "copeland_in_support": inside,
        "gap_ratio": number(found.gap_ratios.full),
        "p_condorcet": by_size(found.condorcet.sizes, found.condorcet.exact),
        "p_condorcet_sampled": by_size(found.condorcet.sizes, found.condorcet.sampled),
        "mean_gap_ratio": by_size(found.gap_ratios.sizes, found.gap_ratios.mean),
    }
