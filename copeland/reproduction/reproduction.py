"""The paper, run anew: its experiments and analyses, resumable, on any joblib backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from copeland.errors import InvalidParameter, Undefined, nearest
from copeland.matrix import PreferenceMatrix
from copeland.problems import Problem
from copeland.ranking.estimation import Estimate
from copeland.registry import entrant
from copeland.reproduction import paper_experiments as paper
from copeland.reproduction import score_ties as ties
from copeland.reproduction.score_ties import Rows, TieStudy
from copeland.reproduction.subset_analyses import (
    Analyses,
    SubsetCounts,
    SubsetTask,
    analyse,
    consistent_sizes,
    subsets_of,
)
from copeland.reproduction.subsets import BLOCK
from copeland.simulation.cell import Cell
from copeland.simulation.compilation import compile_cells
from copeland.simulation.runs import Runs, number
from copeland.simulation.simulator import load_of as load_of_cell
from copeland.support.arrays import Floats, Ints
from copeland.support.progress import Load, Tell, progress_bar, tell_left
from copeland.support.tasks import Arrays, Task, finish, is_kept
from copeland.theory import winners
from copeland.theory.lower_bounds import lower_regret


@dataclass
class Work:
    """Where work is done and kept, and who is told of its progress."""

    folder: Path
    jobs: int
    backend: str
    progress: Tell | None
    note: Callable[[str], None] | None
    total: int
    before: int = 0  # what earlier calls have finished

    def finish(self, tasks: Sequence[Task]) -> Iterator[Arrays]:
        """Give the results of tasks, in their order."""
        tasks = _compile_tasks(tasks, self.folder, self.note)
        loads = [load_of(task) for task in tasks]
        with progress_bar("parts", self.progress) as tell:
            told = _Told(tell, self.before, self.total, last=self.before + len(tasks) >= self.total)
            done = finish(tasks, self.folder, self.jobs, self.backend, told, self.note, loads)
        self.before += len(tasks)
        return iter(done)


@dataclass(frozen=True)
class _Told:
    """Tells of a part of the work as of all of it."""

    tell: Tell
    before: int
    total: int
    last: bool

    def __call__(self, done: int, total: int) -> None:
        self.tell(self.before + done, self.total)

    def left(self, seconds: float | None) -> None:
        """Show an estimate only in the last part: what comes after another is like nothing that was seen."""
        tell_left(self.tell, seconds if self.last else None)


def load_of(task: Task) -> Load:
    """Return what is like a task."""
    if isinstance(task, Cell):
        return load_of_cell(task)
    if isinstance(task, SubsetTask):
        return Load(("subsets", task.matrix.key, task.lotteries), task.k)
    return Load(type(task).__qualname__)


def _compile_tasks(
    tasks: Sequence[Task], folder: Path, note: Callable[[str], None] | None
) -> list[Task]:
    """Compile what is still to be run before the work begins: two processes would each compile it."""
    cells = {
        place: task
        for place, task in enumerate(tasks)
        if isinstance(task, Cell) and not is_kept(task, folder)
    }
    ready = dict(zip(cells, compile_cells(list(cells.values()), note), strict=True))
    return [ready.get(place, task) for place, task in enumerate(tasks)]


# CPU seconds of each part, quick and full, on one core of a server of 2024; compiling is not counted.
MEASURED = {
    "small": (15, 330),
    "large": (40, 900),
    "condorcet": (4, 60),
    "modern": (10, 120),
    "sensitivity": (12, 600),
    "cuts": (12, 300),
    "analyses": (28, 500),
    "ties": (20, 400),  # the analyses of the consistent matrix
}
_COMPARISONS_A_SECOND = 1_200_000

EXPERIMENTS = ("small", "large", "condorcet", "modern", "sensitivity")
PARTS = (*EXPERIMENTS, "cuts", "analyses", "ties")


@dataclass(frozen=True)
class Reproduction:
    """What came of it: the regret of each experiment, the analyses, and what ties do."""

    full: bool
    seed: int
    matrix: PreferenceMatrix | None
    figures: tuple[tuple[paper.Figure, Runs], ...]
    analyses: Analyses | None
    condorcet_winners: dict[str, int | None]  # of the other click models, where they are at hand
    lower_bounds: dict[str, float] = field(default_factory=dict)  # of figures, regret for each ln T
    cuts: tuple[tuple[paper.Figure, Runs], ...] = ()  # the first experiment with other rankers
    ties: TieStudy | None = None


def reproduce(
    folder: str | Path,
    *,
    full: bool = False,
    matrix: PreferenceMatrix | None = None,
    others: dict[str, PreferenceMatrix] | None = None,
    rows: Rows | None = None,
    comparisons: int = 0,
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
    rows
        LETOR rows, to estimate the rankers' matrix from with equal scores ordered in each way.
    comparisons
        Of each pair of rankers then; by default 600, in full size 20,000.
    only
        Some of ``small``, ``large``, ``condorcet``, ``modern``, ``sensitivity``, ``cuts``, ``analyses``
        and ``ties``; all by default.
    also
        Algorithms to show in Figures 1 and 2 beside the paper's, as in ``scb:literal=1``.
    seed, jobs, backend, progress, note
        As in :func:`copeland.simulate`; the progress is that of parts.
    """
    for name in only:
        if name not in PARTS:
            raise InvalidParameter(f"there is no part '{name}'; {nearest(name, PARTS)}")
    for text in also:  # which refuses what cannot be run
        algorithm, spec = entrant(text)
        algorithm.start(k=5, horizon=1000, **spec.params)
    parts = only or PARTS
    figures = _figures(parts, matrix, full, seed, also)
    cuts = []
    if matrix is not None and "cuts" in parts:
        cuts = [paper.cut(matrix, five, full, seed) for five in paper.cuts(matrix, seed)]
    subsets = subsets_of(matrix, full, seed) if matrix is not None and "analyses" in parts else []
    kinds = {}
    if rows is not None and "ties" in parts:
        kinds = ties.comparison_tasks(rows, comparisons or ties.COMPARISONS[full], seed)
    experiments = [list(one.comparison.tasks()) for one in (*figures, *cuts)]
    first: list[Task] = [
        task for piece in (*experiments, subsets, *kinds.values()) for task in piece
    ]
    later = consistent_sizes(rows.features, full) if rows is not None and kinds else []
    run = Work(
        Path(folder),
        jobs,
        backend,
        progress,
        note,
        total=len(first) + len(later) + 2 * len(kinds) // len(ties.MODES),
    )
    results = run.finish(first)
    runs = [
        figure.comparison.collect([next(results) for _ in piece])
        for figure, piece in zip((*figures, *cuts), experiments, strict=True)
    ]
    cells = [SubsetCounts.of(next(results)) for _ in subsets]
    study = None
    if rows is not None and kinds:
        found = {k: ties.tally_results(rows, [next(results) for _ in kinds[k]]) for k in kinds}
        authors = {name.removeprefix("mslr-"): other for name, other in (others or {}).items()}
        authors |= {} if matrix is None else {ties.CLICKS[0]: matrix}
        same = {clicks: one for clicks, one in authors.items() if one.k == rows.features}
        study = _tie_study(rows, found, same, full, seed, run)
    limits = {figure.name: _lower_bound(figure.comparison.problem) for figure in figures}
    return Reproduction(
        full=full,
        seed=seed,
        matrix=matrix,
        figures=tuple(zip(figures, runs, strict=False)),
        analyses=analyse(matrix, cells) if matrix is not None and cells else None,
        condorcet_winners={
            name: winners.condorcet_winner(other) for name, other in (others or {}).items()
        },
        lower_bounds={name: limit for name, limit in limits.items() if limit is not None},
        cuts=tuple(zip(cuts, runs[len(figures) :], strict=True)),
        ties=study,
    )


def _tie_study(
    rows: Rows,
    found: Mapping[ties.Kind, Estimate],
    authors: Mapping[str, PreferenceMatrix],
    full: bool,
    seed: int,
    run: Work,
) -> TieStudy:
    """What ties do, with the analyses of the consistent matrix."""
    kept = found[ties.CLICKS[0], ties.CONSISTENT]
    matrix = kept.matrix()
    subsets = [
        SubsetTask(matrix, k, first, BLOCK, seed, lotteries=True)
        for k, first in consistent_sizes(rows.features, full)
    ]
    cells = [SubsetCounts.of(arrays) for arrays in run.finish(subsets)]
    comparisons = int(kept.n.max())
    return TieStudy(
        rows=rows,
        comparisons=comparisons,
        estimates=found,
        authors=authors,
        analyses=analyse(matrix, cells),
        tied=ties.tied_share(rows.collection),
        champions=_champions(rows, found, comparisons, seed, run),
    )


def _champions(
    rows: Rows, found: Mapping[ties.Kind, Estimate], comparisons: int, seed: int, run: Work
) -> dict[str, ties.Champion]:
    """The best ranker of each consistent matrix, looked at closer, and then closer where it matters."""
    k = rows.features
    best = {
        clicks: int(winners.copeland_winners(found[clicks, ties.CONSISTENT].matrix())[0])
        for clicks in ties.CLICKS
    }
    rivals = {clicks: (i, [j for j in range(k) if j != i]) for clicks, i in best.items()}
    tasks = ties.champions_tasks(rows, seed, rivals, ties.CLOSER * comparisons)
    results = list(run.finish(tasks))
    seen = {
        clicks: ties.champion(i, k, [task], [arrays])
        for (clicks, i), task, arrays in zip(best.items(), tasks, results, strict=True)
    }
    open_ = {clicks: (one.option, one.close()) for clicks, one in seen.items()}
    again = ties.champions_tasks(rows, seed, open_, ties.CLOSEST * comparisons)
    more = list(run.finish(again))
    return {
        clicks: ties.champion(i, k, [tasks[at], again[at]], [results[at], more[at]])
        for at, (clicks, i) in enumerate(best.items())
    }


def _lower_bound(problem: Problem) -> float | None:
    try:
        return lower_regret(PreferenceMatrix(problem.world.p))
    except (Undefined, InvalidParameter):
        return None


def _figures(
    parts: Sequence[str],
    matrix: PreferenceMatrix | None,
    full: bool,
    seed: int,
    also: Sequence[str],
) -> list[paper.Figure]:
    gaps = paper.SCANNED_GAPS if full else paper.QUICK_GAPS
    made = {
        "small": [paper.small(matrix, full, seed).beside(also)],
        "large": [paper.large(name, full, seed).beside(also) for name in gaps if "large" in parts],
        "condorcet": [paper.condorcet(matrix, full, seed)],
        "modern": [paper.modern(matrix, full, seed)],
        "sensitivity": [make(matrix, full, seed) for make in (paper.alphas, paper.deltas)],
    }
    return [figure for name in EXPERIMENTS if name in parts for figure in made[name]]


def duration(
    only: Sequence[str],
    full: bool,
    jobs: int,
    matrix: bool,
    rows: Rows | None,
    comparisons: int = 0,
) -> str:
    """Return how long it will take, in a sentence."""
    parts = [part for part in only or PARTS if matrix or part not in ("cuts", "analyses")]
    seconds = sum(MEASURED[part][full] for part in parts if part in MEASURED and part != "ties")
    if rows is not None and "ties" in parts:
        asked = comparisons or ties.COMPARISONS[full]
        pairs = rows.features * (rows.features - 1) // 2
        kinds = len(ties.MODES) * len(ties.CLICKS)
        closer = len(ties.CLICKS) * rows.features * ties.CLOSER * 2  # and some as closely again
        seconds += MEASURED["ties"][full] + (kinds * pairs + closer) * asked / _COMPARISONS_A_SECOND
    shared = f", {_duration_words(seconds / jobs)} with {jobs} processes" if jobs > 1 else ""
    return f"this takes about {_duration_words(seconds)} of CPU time{shared}; finished work takes none."


def _duration_words(seconds: float) -> str:
    if seconds < 50:
        return f"{max(10, round(seconds, -1)):.0f} seconds"
    minutes = max(1, round(seconds / 60))
    if minutes < 100:
        return f"{minutes} minute{'s' if minutes > 1 else ''}"
    return f"{round(minutes / 60)} hours"


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
    if found.cuts:
        out["cuts"] = {figure.name: _regrets(runs) for figure, runs in found.cuts}
    if found.analyses is not None:
        out |= _analyses_json(found.analyses)
    if found.ties is not None:
        out["ties"] = ties.ties_json(found.ties)
        out["ties"]["analyses"] = _analyses_json(found.ties.analyses)
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
                "error_at_marks": [number(x) for x in curve.errors],
                "cut": int(np.isnan(curve.regret[:, -1]).sum()),
            }
            for curve in runs.curves
        },
    }


def _analyses_json(found: Analyses) -> dict[str, Any]:
    def by_size(sizes: Ints, values: Floats) -> dict[int, float | None]:
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
