"""`make measure`: the big measurements, written to docs/measurements.md."""

from __future__ import annotations

import platform
import sys
from datetime import date
from pathlib import Path

import numba
import numpy as np

import copeland

PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"
JOBS = 2


def published():
    """CCB against the figures of an independent simulator."""
    yield "## CCB against an independent simulator"
    yield "Mean Definition-1 regret at T = 1e5, alpha = 0.51; theirs is a C++ simulator's, mean and standard deviation over 10 runs."
    yield ""
    yield "| problem | theirs | ours, mean | sd | runs | difference in standard errors |"
    yield "|---|---|---|---|---|---|"
    for problem, mean, sd in (("cyclic-4", 1177, 279), ("arithmetic-8", 1792, 374)):
        runs = 2000
        ours = copeland.simulate(problem, "ccb", 1e5, runs=runs, seed=0, jobs=JOBS).summary()[0]
        error = np.hypot(sd / np.sqrt(10), ours["sd"] / np.sqrt(runs))
        yield (
            f"| `{problem}` | {mean:,} +- {sd} | {ours['mean']:,.0f} | {ours['sd']:.0f} | {runs:,} "
            f"| {(ours['mean'] - mean) / error:+.2f} |"
        )


def growth():
    """Regret of CCB and SCB over the horizon."""
    marks = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
    yield "## Regret over time"
    yield "Mean Definition-1 regret over 100 runs (5 on `synthetic-500`), seed 0."
    yield ""
    yield (
        "| problem | algorithm | "
        + " | ".join(f"T = {t:.0e}" for t in marks)
        + " | correct at the end |"
    )
    yield "|---|---|" + "---|" * (len(marks) + 1)
    problems = ["mslr-5", "mslr-5-condorcet", "arxiv-6", "cyclic-4", "arithmetic-8"]
    for problem in [*problems, "order-20-0.1:seed=0", "synthetic-500"]:
        runs = 5 if problem == "synthetic-500" else 100
        result = copeland.simulate(problem, ["ccb", "scb"], 1e9, runs, 0, jobs=JOBS, marks=marks)
        for curve in result.curves:
            means = " | ".join(f"{value:,.0f}" for value in curve.regret.mean(axis=0))
            yield f"| `{problem}` | {curve.label} | {means} | {curve.correct[:, -1].mean():.0%} |"


def identification():
    """Error rates of copeland-pac."""
    runs = 2000
    yield "## Identification"
    yield f"`copeland-pac` at delta = 0.05, {runs:,} runs each; random problems are drawn anew for every run."
    yield ""
    yield "| problem | wrong answers | mean duels | 95 % of runs within |"
    yield "|---|---|---|---|"
    for problem in (
        "cyclic-4",
        "arithmetic-8",
        "order-10-0.1",
        "easy-10",
        "easy-20",
        "planted-12-3-2",
    ):
        result = copeland.simulate(problem, "copeland-pac", 1e9, runs, 0, jobs=JOBS, marks=1)
        duels = result.curves[0].comparisons[:, -1]
        wrong = 1 - result.curves[0].correct[:, -1].mean()
        yield f"| `{problem}` | {wrong:.2%} | {duels.mean():,.0f} | {np.quantile(duels, 0.95):,.0f} |"


def main():
    """Measure everything and write the page."""
    lines = [
        "# Measurements",
        "",
        f"Written by `make measure` on {date.today()}: copeland {copeland.__version__}, "
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}.",
    ]
    for part in (published, growth, identification):
        print(part.__doc__, file=sys.stderr)
        lines += ["", *part()]
    PAGE.write_text("\n".join(lines) + "\n")
    print(PAGE.read_text())


if __name__ == "__main__":
    main()
