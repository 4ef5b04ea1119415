"""`make measure`: the big measurements, written to pages of docs/notes; docs/measurements.md sums them up."""

from __future__ import annotations

import platform
import sys
from datetime import date

import numba
import numpy as np

import copeland
from benchmarks.cheap import cheap
from benchmarks.drift import drift
from benchmarks.false_certificates import false_certificates
from benchmarks.false_goals import false_goals
from benchmarks.false_people import false_people
from benchmarks.forecasts import forecasts
from benchmarks.fuzz import fuzz
from benchmarks.gates import gates
from benchmarks.goals import goals
from benchmarks.kill import database_restarts, full_disks, kills, worker_kills
from benchmarks.ledger_table import ledger_table
from benchmarks.likely import likely
from benchmarks.machines import machines, server_kills
from benchmarks.multileaving import multileaving
from benchmarks.one_algorithm import (
    certificate_prices,
    growth_with_k,
    many_options,
    slopes,
    tails,
    tournaments,
    votes,
)
from benchmarks.orders import orders
from benchmarks.pages import keep_section, write_measurements
from benchmarks.serve_load import served
from benchmarks.studies import quickness
from benchmarks.traffic import traffic
from benchmarks.tuning import tuning

JOBS = 2


# Mean and standard deviation over 10 runs of an independent C++ simulator: Definition 1, T = 1e5.
PUBLISHED = {
    "cyclic-4": {
        "ccb": (1177, 279),
        "dts": (708, 221),
        "dts-plus": (732, 111),
        "rucb": (1397, 296),
        "rmed1": (914, 311),
    },
    "arithmetic-8": {
        "ccb": (1792, 374),
        "dts": (666, 165),
        "dts-plus": (760, 344),
        "rucb": (2058, 367),
        "rmed1": (1107, 139),
    },
}
# Mean and standard error of prototypes on mslr-5 at T = 1e6, halved.
PROTOTYPES = {
    "ccb": (96_508, 2_616),
    "dts": (18_166, 1_319),
    "dts-plus": (7_703, 671),
    "ecw-rmed": (7_942, 1_338),
    "ecw-rmed:beta=1e-9": (7_942, 1_338),
}


def published():
    """Regret against the figures of an independent simulator and of prototypes."""
    yield "## Regret against independent figures"
    yield "Mean Definition-1 regret at T = 1e5. *Theirs* comes from a C++ simulator: mean and standard deviation over 10 runs."
    yield ""
    yield "| problem | algorithm | theirs | ours, mean | sd | runs | difference in standard errors |"
    yield "|---|---|---|---|---|---|---|"
    runs = 500
    for problem, figures in PUBLISHED.items():
        result = copeland.simulate(problem, list(figures), 1e5, runs, 0, jobs=JOBS)
        for row in result.summary():
            mean, sd = figures[row["algorithm"]]
            error = np.hypot(sd / np.sqrt(10), row["sd"] / np.sqrt(runs))
            yield (
                f"| `{problem}` | {row['algorithm']} | {mean:,} +- {sd} | {row['mean']:,.0f} "
                f"| {row['sd']:.0f} | {runs:,} | {(row['mean'] - mean) / error:+.2f} |"
            )
    yield ""
    yield "Mean halved regret on `mslr-5` at T = 1e6. *Theirs* comes from prototypes: mean and standard error."
    yield ""
    yield "| algorithm | theirs | ours, mean | standard error | median | worst | runs | difference in standard errors |"
    yield "|---|---|---|---|---|---|---|---|"
    runs = 100
    result = copeland.simulate("mslr-5", list(PROTOTYPES), 1e6, runs, 0, JOBS, regret="half")
    for row, (mean, theirs) in zip(result.summary(), PROTOTYPES.values(), strict=True):
        own = row["sd"] / np.sqrt(runs)
        yield (
            f"| {row['algorithm']} | {mean:,} +- {theirs:,} | {row['mean']:,.0f} | {own:,.0f} "
            f"| {row['median']:,.0f} | {row['worst']:,.0f} | {runs} "
            f"| {(row['mean'] - mean) / np.hypot(own, theirs):+.2f} |"
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


IDENTIFYING = (
    "copeland-pac",
    "explore-then-verify",
    "pocowista",
    "savage:delta=0.05",
    "pbr:delta=0.05",
    "rankel:delta=0.05",
)


def identification():
    """Error rates of the algorithms that promise one."""
    runs = 400
    yield "## Identification"
    yield f"delta = 0.05, {runs} runs each; random problems are drawn again for every run."
    yield ""
    yield "| problem | algorithm | wrong answers | mean duels | 95 % of runs within |"
    yield "|---|---|---|---|---|"
    for problem in (
        "cyclic-4",
        "arithmetic-8",
        "order-10-0.1",
        "easy-10",
        "easy-20",
        "planted-12-3-2",
    ):
        result = copeland.simulate(problem, IDENTIFYING, 1e9, runs, 0, jobs=JOBS, marks=1)
        for curve in result.curves:
            duels = curve.comparisons[:, -1]
            wrong = 1 - curve.correct[:, -1].mean()
            yield (
                f"| `{problem}` | {curve.label} | {wrong:.2%} | {duels.mean():,.0f} "
                f"| {np.quantile(duels, 0.95):,.0f} |"
            )


PARTS = {
    "measured-regret": (
        published,
        growth,
        slopes,
        tails,
        many_options,
        growth_with_k,
        tournaments,
    ),
    "measured-certificates": (
        identification,
        votes,
        certificate_prices,
        cheap,
        goals,
        false_certificates,
        false_goals,
        false_people,
        ledger_table,
        likely,
        forecasts,
        drift,
    ),
    "measured-studies": (
        gates,
        kills,
        worker_kills,
        server_kills,
        database_restarts,
        full_disks,
        served,
        machines,
        quickness,
        fuzz,
    ),
    "measured-tuning": (tuning,),
    "measured-rankings": (orders, traffic, multileaving),
}


def main():
    """Measure all parts, or the named ones; each goes to its page as soon as it is done, and the others stay."""
    pages = {part.__name__: page for page, parts in PARTS.items() for part in parts}
    names = sys.argv[1:] or list(pages)
    unknown = set(names) - set(pages)
    if unknown:
        sys.exit(f"there is no part {unknown.pop()}; the parts are {', '.join(pages)}.")
    for part in (part for parts in PARTS.values() for part in parts):
        if part.__name__ not in names:
            continue
        print(part.__doc__, file=sys.stderr)
        heading, *lines = part()
        section = "\n".join([heading, MADE, "", *lines])
        keep_section(pages[part.__name__], section)
        print(section)
    write_measurements()


MADE = (
    f"*{date.today()}: copeland {copeland.__version__}, Python {platform.python_version()}, "
    f"numpy {np.__version__}, numba {numba.__version__}.*"
)


if __name__ == "__main__":
    main()
