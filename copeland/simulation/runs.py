"""Runs: the outcome of a simulation, regret at marks for each algorithm and run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.errors import need
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.escaping import inert
from copeland.support.notebook_html import MOST_ROWS, html_table
from copeland.support.phrasing import join_names
from copeland.support.spec import Spec

# The ways to count regret, and what the sum over duels is multiplied by. The first two are Definition 1.
REGRETS = {"definition-1": 1.0, "half": 0.5, "weak": 1.0, "condorcet": 0.5, "condorcet-weak": 1.0}
BOUNDED = ("definition-1", "half")  # those for which a lower bound is known here


@dataclass(frozen=True)
class Curves:
    """What one algorithm did: one row for each run, one column for each mark."""

    name: str
    params: dict[str, Any]
    marks: Ints
    regret: Floats
    comparisons: Ints  # real duels
    answers: Ints  # recommendations
    correct: Bools  # whether the recommendation is a Copeland winner
    seconds: float  # in the loop, all runs together
    independent: bool = False  # whether each mark ends runs of its own, which knew their horizon

    @property
    def label(self) -> str:
        """Its name and parameters, as in a spec."""
        return str(Spec(self.name, self.params))

    @property
    def errors(self) -> Floats:
        """The standard error of the mean regret at each mark; NaN for a single run."""
        if len(self.regret) < 2:
            return np.full(len(self.marks), np.nan)
        return self.regret.std(axis=0, ddof=1) / np.sqrt(len(self.regret))


@dataclass(frozen=True)
class Runs:
    """The outcome of a simulation: regret at log-spaced marks, for each algorithm and run.

    Examples
    --------
    >>> import copeland
    >>> runs = copeland.simulate("cyclic-4", "ccb", horizon=1000, runs=5)
    >>> runs
    <Runs of ccb on cyclic-4: 5 runs to t = 1,000; regret ccb ... ± ...>
    >>> int(runs.marks[-1]), len(runs.curves[0].regret), runs.summary()[0]["runs"]
    (1000, 5, 5)
    """

    problem: str
    k: int
    key: str
    redrawn: bool  # whether every run met a draw of its own
    horizon: int
    seed: int
    regret: str  # a name in REGRETS
    marks: Ints
    curves: tuple[Curves, ...]
    interrupted: bool = field(default=False)

    def __repr__(self) -> str:
        ends = ", ".join(f"{name} {mean} ± {error}" for name, _, mean, error, *_ in self._rows())
        return inert(f"<{self._about}; regret {ends}>")

    def _repr_html_(self) -> str:
        head = ["", "runs", "mean regret", "standard error", "comparisons", "correct"]
        return html_table(f"{self._about}.", head, self._rows()[:MOST_ROWS], len(self.curves))

    @property
    def _about(self) -> str:
        names = join_names([curve.label for curve in self.curves])
        runs = f"{self.runs} run{'s' if self.runs > 1 else ''} to t = {self.horizon:,}"
        return f"Runs of {names} on {self.problem}: {runs}"

    def _rows(self) -> list[list[str]]:
        """The name of each algorithm, its runs, and at the horizon its regret, duels and correctness."""
        return [
            [
                row["algorithm"],
                str(row["runs"]),
                _digits(row["mean"], 4),
                _digits(row["sd"] / math.sqrt(row["runs"]), 2) if row["runs"] > 1 else "?",
                _digits(row["comparisons"], 4),
                f"{row['correct']:.0%}",
            ]
            for row in self.summary()
        ]

    @property
    def runs(self) -> int:
        """The number of runs (of the algorithm that has the most, after an interruption)."""
        return max((len(curve.regret) for curve in self.curves), default=0)

    def summary(self) -> list[dict[str, Any]]:
        """Return a row for each algorithm: regret at the horizon, real comparisons, correctness."""
        return [_summary(curve) for curve in self.curves]

    def to_pandas(self) -> Any:
        """Return a data frame with one row for each algorithm, run and mark (extra: pandas)."""
        return need("pandas", "pandas", "to_pandas").DataFrame(self.columns())

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


def _digits(x: float, digits: int) -> str:
    """A number to some digits; a large one to the unit, without an exponent."""
    return f"{x:,.0f}" if 10 ** (digits - 1) <= abs(x) < 1e15 else f"{x:.{digits}g}"


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


def number(value: float) -> float | None:
    """Return a value for JSON: None where a cut run, or a short one, has none."""
    return float(value) if np.isfinite(value) else None
