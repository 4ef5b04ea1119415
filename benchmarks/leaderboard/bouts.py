"""The cells of the leaderboard as tasks: runs of one algorithm, limits of one problem, a footprint."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.leaderboard.scores import Giant
from copeland.errors import Undefined
from copeland.kernels.compiler.digest import digest_sources
from copeland.matrix import PreferenceMatrix
from copeland.problems import problem_of, problem_of_run, redrawn
from copeland.registry import entrant
from copeland.simulation.cell import Cell, sources
from copeland.simulation.simulator import Comparison, side_by_side
from copeland.support.tasks import Arrays
from copeland.theory import lower_bounds

PROBE = 20_000  # steps by which the speed of an algorithm is judged
DRAWS = 10  # of a random problem, to average its limits over
MOST_EXACT = 60  # options up to which limits are exact


@dataclass(frozen=True)
class Effort:
    """How much is spent on one algorithm on one problem."""

    seconds: float  # as many runs as fit
    least: int  # runs, even if they do not fit
    most: int
    longest: float = 0.0  # seconds after which, roughly, a run is cut; 0: never


@dataclass(frozen=True)
class Bout:
    """One algorithm on one problem, as many runs as its effort allows."""

    problem: str
    algorithm: str
    marks: tuple[int, ...]
    effort: Effort
    seed: int

    def about(self) -> dict[str, Any]:
        """Return everything that the numbers of a run depend on, and how many runs may be made."""
        return {
            "kind": "bout",
            "problem": _identity(self.problem),
            "algorithm": self.algorithm,
            "caution": _caution(self.algorithm),
            "marks": list(self.marks),
            "effort": asdict(self.effort),
            "seed": self.seed,
            "sources": sources(entrant(self.algorithm)[0]),
        }

    def run(self) -> Arrays:
        """Run until the seconds are spent."""
        cells = self._cells(self.marks, self.effort.most, self._most_duels())
        each = len(cells) // self.effort.most  # who must know its horizon has a cell for each mark
        done: list[list[Arrays]] = []
        seconds: list[float] = []
        while len(done) < self.effort.most:
            first = each * len(done)
            start = time.process_time()
            done.append([cell.run() for cell in cells[first : first + each]])
            seconds.append(time.process_time() - start)
            if len(done) >= self.effort.least and sum(seconds) > self.effort.seconds:
                break

        def table(name: str) -> NDArray[Any]:
            return np.concatenate([side_by_side(parts, name) for parts in done])

        return {
            "regret": table("regret"),
            "duels": table("comparisons"),
            "correct": table("correct"),
            "reached": np.concatenate([parts[-1]["reached"] for parts in done]),
            "seconds": np.array(seconds),
        }

    def _most_duels(self) -> int:
        """How many duels a run may have, by the speed of a short one; 0: any. This also compiles.

        The processor's time counts: others may be at work on the machine.
        """
        probe = self._cells((PROBE,), 1)[0]
        probe.run()
        if not self.effort.longest:
            return 0
        start = time.process_time()
        duels = probe.run()["comparisons"][0, -1]
        return max(1, int(self.effort.longest * duels / max(time.process_time() - start, 1e-6)))

    def _cells(self, marks: tuple[int, ...], runs: int, most_duels: int = 0) -> list[Cell]:
        """The runs one after the other."""
        source = self.problem if redrawn(self.problem) else problem_of(self.problem)
        return Comparison(
            source, (self.algorithm,), marks, runs, marks, self.seed, most_duels=most_duels
        ).tasks()


@dataclass(frozen=True)
class Limit:
    """What theory forbids on a problem: regret for each ln T, votes for each ln(1/delta)."""

    problem: str
    seed: int

    def about(self) -> dict[str, Any]:
        """Return everything that the limits depend on."""
        return {
            "kind": "limit",
            "problem": _identity(self.problem),
            "draws": DRAWS,
            "exact": MOST_EXACT,
            "seed": self.seed,
            "sources": digest_sources(
                "copeland.theory.lower_bounds",
                "copeland.theory.upsets",
                "copeland.problems.generators",
            ),
        }

    def run(self) -> Arrays:
        """Return the mean over some draws of the problem; nan where there is no limit."""
        found = [_limits(m) for m in self._matrices()]
        regret, votes = np.mean(found, axis=0)
        return {"regret": np.array(regret), "votes": np.array(votes)}

    def _matrices(self) -> Iterator[PreferenceMatrix]:
        if not redrawn(self.problem):
            yield PreferenceMatrix(problem_of(self.problem).world.p)
            return
        for run in range(DRAWS):
            yield PreferenceMatrix(problem_of_run(self.problem, self.seed, run).world.p)


def _limits(m: PreferenceMatrix) -> tuple[float, float]:
    """The exact limits, or those of ECW-RMED's plan, which has at least as much, for many options."""
    if m.k <= MOST_EXACT:
        return _or_nan(lower_bounds.lower_regret, m), _or_nan(lower_bounds.lower_samples, m)
    return _or_nan(lower_bounds.lower_regret_ecw, m), _or_nan(lower_bounds.lower_samples_ecw, m)


def _or_nan(limit: Callable[[PreferenceMatrix], float], m: PreferenceMatrix) -> float:
    try:
        return limit(m)
    except Undefined:
        return math.nan


@dataclass(frozen=True)
class Footprint:
    """The memory and the time of an algorithm on very many options, in a process of its own."""

    problem: str
    algorithm: str
    steps: int

    def about(self) -> dict[str, Any]:
        """Return what is measured."""
        return {
            "kind": "footprint",
            "problem": self.problem,
            "algorithm": self.algorithm,
            "steps": self.steps,
            "sources": sources(entrant(self.algorithm)[0]),
        }

    def run(self) -> Arrays:
        """Measure."""
        command = [sys.executable, "-c", _MEASURED, self.problem, self.algorithm, str(self.steps)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return {name: np.array(value) for name, value in json.loads(told).items()}

    def measured(self, found: Arrays, day: str) -> Giant:
        """Return what was found as a line."""
        duels, seconds = int(found["duels"]), float(found["seconds"])
        return Giant(
            problem=self.problem,
            algorithm=self.algorithm,
            steps=self.steps,
            duels=duels,
            mebibytes=float(found["mebibytes"]),
            microseconds=1e6 * seconds / max(duels, 1),
            played=day,
        )


# Run once for a step first: compiling is not what is measured, and takes memory. Where the kernel tells
# the peak of this process alone it is asked; rusage may count that of the process that started it.
_MEASURED = """
import json, resource, subprocess, sys
from pathlib import Path
import copeland

def peak():
    status = Path("/proc/self/status")
    if status.exists():
        told = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(told["VmHWM"].split()[0]) / 2**10
    scale = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale

problem, algorithm, steps = sys.argv[1:]
if steps != "1":
    subprocess.run([sys.executable, *sys.orig_argv[1:-1], "1"], check=True, capture_output=True)
row = copeland.simulate(problem, algorithm, int(steps), runs=1, marks=1).summary()[0]
print(json.dumps({"mebibytes": peak(), "seconds": row["seconds"], "duels": row["comparisons"]}))
"""


def _identity(problem: str) -> str:
    """What fixes the numbers of a problem: its name if it is drawn for each run, else they themselves."""
    return problem if redrawn(problem) else problem_of(problem).key


def _caution(algorithm: str) -> float:
    """The caution of its decision threshold, which may be the setting of another file."""
    found, spec = entrant(algorithm)
    state = found.start(2, horizon=PROBE, **spec.params)
    return float(state.caution[0]) if hasattr(state, "caution") else 0.0
