"""Simulation: algorithms x problems x seeds -> Runs, with the same numbers for any number of jobs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copeland.cells import Cell, Finished, run_cell
from copeland.errors import AssumptionWarning, Interrupted, InvalidParameter
from copeland.matrix import PreferenceMatrix
from copeland.policy import Spec, find
from copeland.problems import Problem, problem_of, redrawn
from copeland.runs import Curves, Runs

LONGEST = 2**53  # beyond it, steps are no longer exact as floating-point numbers

MOST_RUNS = 1_000_000  # of an algorithm: every run is kept, with its marks
MOST_MARKS = 100_000

REGRETS = {"definition-1": 1.0, "half": 0.5}


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
        Run r of every algorithm meets the same luck: comparisons are paired. Those that must know
        their horizon meet another for each horizon.
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
        Cell(spec=spec, run=run, horizon=end, marks=stops, **shared)
        for run in range(runs)
        for spec in specs
        for end, stops in _ends(spec, horizons, when)
    ]
    done: list[Finished] = []
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
    if runs > MOST_RUNS:
        raise InvalidParameter(f"runs is {runs:.3g}; it must be at most {MOST_RUNS:,}.")
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
    given = np.atleast_1d(np.asarray(horizon, dtype=np.float64)).tolist()
    if not given:
        raise InvalidParameter("no horizon is given; name at least one.")
    for value in given:
        if not 1 <= value <= LONGEST:
            raise InvalidParameter(f"horizon is {value}; it must lie between 1 and {LONGEST:.0e}.")
    return sorted({int(value) for value in given})


def _marks(marks: int | ArrayLike, horizons: list[int]) -> NDArray[np.int64]:
    """The steps to record: log-spaced and rounded, or as given; every horizon is one of them."""
    last = horizons[-1]
    if isinstance(marks, int | np.integer):
        if not 1 <= marks <= MOST_MARKS:
            raise InvalidParameter(f"marks is {marks}; give from 1 to {MOST_MARKS:,}.")
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


def _run_all(cells: list[Cell], jobs: int) -> Iterator[Finished]:
    if jobs == 1 or len(cells) == 1:
        yield from map(run_cell, cells)
        return
    import joblib

    _compile_all(cells)  # once here, so that the workers find it on disk
    # More processes than cores and runs would only wait for each other.
    most = min(jobs, len(cells), max(2, joblib.cpu_count()))
    parallel = joblib.Parallel(n_jobs=most, return_as="generator_unordered")
    yield from parallel(joblib.delayed(run_cell)(cell) for cell in cells)  # type: ignore[misc]


def _compile_all(cells: list[Cell]) -> None:
    first = {str(cell.spec): cell for cell in reversed(cells)}
    for cell in first.values():
        if cell.compiled:
            run_cell(replace(cell, marks=np.ones(1, np.int64)))


def _all_curves(
    specs: list[Spec],
    horizons: list[int],
    marks: NDArray[np.int64],
    done: list[Finished],
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


def _by_run(done: list[Finished]) -> dict[int, list[Finished]]:
    """The finished parts of each run, runs and horizons in order."""
    runs: dict[int, list[Finished]] = {}
    for one in sorted(done, key=lambda one: (one.run, one.horizon)):
        runs.setdefault(one.run, []).append(one)
    return runs


def _curves(
    spec: Spec, marks: NDArray[np.int64], runs: list[list[Finished]], scale: float
) -> Curves:
    """The curves of an algorithm; the parts of a run with several horizons are put side by side."""

    def table(column: Callable[[Finished], NDArray[Any]]) -> NDArray[Any]:
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
