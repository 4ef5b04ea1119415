"""What is claimed of CPC beside the leaderboard: its tail, its slope, its growth with K, its votes."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np

import copeland
from benchmarks.omniscient import omniscient_regret, omniscient_votes
from copeland.kernels.vote_evidence import Levels, levels
from copeland.problems.implicit import implicit_order
from copeland.theory.lower_bounds import lower_regret, lower_samples, lower_samples_ecw

JOBS = 2
ECW = "ecw-rmed:beta=1e-9,threshold=eager"
TAILS = 5_000


def tails():
    """The spread of CPC's regret over thousands of runs."""
    yield "## CPC: the worst of many runs"
    yield f"Halved regret at T = 1e6 over {TAILS:,} runs of each; `tournament-7` and `easy-8` are drawn again for every run."
    yield ""
    yield "| problem | setting | mean | standard error | 99 % | worst | worst / mean |"
    yield "|---|---|---|---|---|---|---|"
    printed = ["mslr-5", "mslr-5-condorcet", "arxiv-6", "cyclic-4", "arithmetic-8"]
    for problem in [*printed, "order-8-0.1", "tournament-7", "easy-8"]:
        specs = ["cpc", "cpc:setting=eager"]
        result = copeland.simulate(problem, specs, 1e6, TAILS, 2026, JOBS, marks=1, regret="half")
        for curve, setting in zip(result.curves, ("cautious", "eager"), strict=True):
            regret = curve.regret[:, -1]
            yield (
                f"| `{problem}` | {setting} | {regret.mean():,.0f} | {regret.std() / math.sqrt(TAILS):,.0f} "
                f"| {np.quantile(regret, 0.99):,.0f} | {regret.max():,.0f} | {regret.max() / regret.mean():.1f} |"
            )


def slopes():
    """The growth of CPC's regret with ln T, against the lower bound."""
    yield "## CPC: slope in ln T"
    yield "Halved regret per unit of ln T between T = 1e6 and 1e8, mean of 400 runs, beside the exact lower bound."
    yield ""
    yield "| problem | setting | slope | lower bound | ratio |"
    yield "|---|---|---|---|---|"
    for problem in ("mslr-5", "mslr-5-condorcet", "arxiv-6", "cyclic-4", "arithmetic-8"):
        bound = lower_regret(copeland.load(problem)) / 2
        specs = ["cpc", "cpc:setting=eager"]
        result = copeland.simulate(
            problem, specs, 1e8, 400, 7, JOBS, marks=[1e6, 1e8], regret="half"
        )
        for curve, setting in zip(result.curves, ("cautious", "eager"), strict=True):
            rise = (curve.regret[:, -1] - curve.regret[:, 0]).mean() / math.log(100)
            yield f"| `{problem}` | {setting} | {rise:,.1f} | {bound:,.1f} | {rise / bound:.2f} |"


def growth_with_k():
    """The growth of CPC's regret with the number of options."""
    yield "## CPC: growth with the number of options"
    yield (
        "Halved regret until T = 1e7 of `cpc` on an order with gaps U(.05, .45), computed pair by pair. The "
        "fourth column divides it by K log2 K: if that column is constant, regret grows as K log K."
    )
    yield ""
    yield "| K | runs | regret | regret / (K log2 K) | duels | microseconds a duel |"
    yield "|---|---|---|---|---|---|"
    for k, runs in ((100, 20), (500, 6), (1_000, 4), (2_000, 2), (5_000, 2)):
        problem = implicit_order(k)
        result = copeland.simulate(problem, "cpc", 1e7, runs, 5, JOBS, marks=1, regret="half")
        row, curve = result.summary()[0], result.curves[0]
        regret = curve.regret[:, -1].mean()
        duels = curve.comparisons[:, -1]
        yield (
            f"| {k:,} | {runs} | {regret:,.0f} | {regret / k / math.log2(k):.2f} "
            f"| {duels.mean():,.0f} | {1e6 * row['seconds'] / duels.sum():.1f} |"
        )


def many_options():
    """CPC against the paper's two algorithms on five hundred options."""
    yield "## CPC: five hundred options"
    yield (
        "Halved regret at T = 1e7: mean over the runs, with its standard error. The last columns give it as a multiple of "
        "the better of CCB and SCB."
    )
    yield ""
    yield "| problem | `cpc` | `cpc:setting=eager` | `ccb` | `scb` | `cpc` / better | eager / better |"
    yield "|---|---|---|---|---|---|---|"
    for problem in ("order-500-0.1", "near-tie-500-0.1", "order-500-U(.01,.5)"):
        ours = _halved(problem, ["cpc", "cpc:setting=eager"], 8)
        theirs = _halved(problem, ["ccb", "scb"], 2)
        better = min(regret.mean() for regret in theirs)
        means = " | ".join(map(_mean, (*ours, *theirs)))
        ratios = " | ".join(f"{regret.mean() / better:.3f}" for regret in ours)
        yield f"| `{problem}` | {means} | {ratios} |"


def tournaments():
    """CPC on tournaments without a favourite, where rivals must be shown to lose many times."""
    yield "## CPC: random tournaments"
    yield (
        "Halved regret at T = 1e6: mean over the runs, with its standard error, beside ECW-RMED with the eager threshold "
        "(on 30 options at most, because it is slow), what the cheapest certificate costs an eager player who knows the "
        "matrix, with losses shown one by one and together, and the limit, LB ln T."
    )
    yield ""
    yield (
        "| problem | runs | `cpc:setting=eager` | `cpc` | ECW-RMED | known, one by one | known, together | limit "
        "| eager / known | eager / limit |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for problem, runs in (
        ("easy-20:seed=3", 40),
        ("tournament-12:seed=1", 40),
        ("tournament-20:seed=1", 40),
        ("tournament-30:seed=1", 20),
        ("tournament-50:seed=1", 6),
        ("easy-100:seed=1", 2),
        ("tournament-100:seed=1", 2),
    ):
        m = copeland.load(problem)
        ours = _halved(problem, ["cpc:setting=eager", "cpc"], runs, 1e6)
        theirs = _halved(problem, [ECW], runs, 1e6) if m.k <= 30 else []
        limit = lower_regret(m) / 2 * math.log(1e6)
        means = " | ".join([*map(_mean, (*ours, *theirs)), *(["-"] if not theirs else [])])
        singly, known = (omniscient_regret(m, 1e6, together=how) for how in (False, True))
        ratios = " | ".join(f"{ours[0].mean() / least:.2f}" for least in (known, limit))
        yield f"| `{problem}` | {runs} | {means} | {singly:,.0f} | {known:,.0f} | {limit:,.0f} | {ratios} |"


def _mean(regret):
    return f"{regret.mean():,.0f} ± {regret.std(ddof=1) / math.sqrt(len(regret)):,.0f}"


def _halved(problem, specs, runs, horizon=1e7):
    result = copeland.simulate(problem, specs, horizon, runs, 11, JOBS, marks=1, regret="half")
    return [curve.regret[:, -1] for curve in result.curves]


# Votes that a prototype needed, delta = 0.05.
PROTOTYPE = {
    "easy-20": 5_325,
    "order-100-0.1": 60_500,
    "near-tie-20": 3_114,
    "mslr-5, full digits": 41_400,
    "mslr-136": 4_680_000,
}
FILES = {
    "mslr-5, full digits": "mslr_informational_5_noncondorcet.csv",
    "mslr-136": "mslr_informational_136.csv",
}


def votes():
    """The votes that cpc-pac needs, against a prototype."""
    yield "## CPC: votes to a certificate"
    yield "delta = 0.05. Each number is a mean over the runs, with its standard error."
    yield ""
    yield "| problem | prototype | ours | standard error | runs | ours / prototype | wrong |"
    yield "|---|---|---|---|---|---|---|"
    data = Path(os.environ.get("COPELAND_TEST_DATA", "")) / "matrices"
    for name, theirs in PROTOTYPE.items():
        problem = str(data / FILES[name]) if name in FILES else name
        if name in FILES and not Path(problem).exists():
            yield f"| {name} | {theirs:,} | no data | | | | |"
            continue
        runs = {"mslr-136": 20, "order-100-0.1": 30}.get(name, 200)
        result = copeland.simulate(problem, "cpc-pac", 1e9, runs, 0, JOBS, marks=1)
        asked = result.curves[0].comparisons[:, -1]
        wrong = int((~result.curves[0].correct[:, -1]).sum())
        yield (
            f"| {name} | {theirs:,} | {asked.mean():,.0f} | {asked.std() / math.sqrt(runs):,.0f} | {runs} "
            f"| {asked.mean() / theirs:.2f} | {wrong} |"
        )


# The problems of the leaderboard on which votes are most in multiples of the limit, at one draw each; and runs.
DEAREST = {
    "medium-100:seed=1": 2,
    "easy-100:seed=1": 4,
    "tournament-30:seed=1": 20,
    "medium-20:seed=1": 40,
    "easy-20:seed=1": 100,
    "tournament-12:seed=1": 100,
    "order-100-U(.01,.5):seed=1": 4,
    "rotated-20-0.1": 40,
    "near-tie-20": 100,
    "cyclic-4": 200,
}


def certificate_prices():
    """The votes of cpc-pac beside those of a player who knows the matrix: what not knowing costs, and what the level does."""
    delta = 0.05
    yield "## CPC: why a certificate takes more votes than the limit"
    yield (
        "delta = 0.05. *Known*: the votes of the cheapest certificate for a player who knows the matrix, at the levels of our "
        "certificates, and at ln(1/delta) for every claim, as if there were a single one. *Limit*: what every algorithm needs, as "
        "delta goes to 0, times ln(1/delta); above 60 options that of ECW-RMED's plan, which is no lower. The last three columns "
        "multiply to votes over limit: not knowing, the level, and the form of the certificate."
    )
    yield ""
    yield "| problem | runs | votes | known | known, ln(1/delta) | limit | votes / known | level | form |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for problem, runs in DEAREST.items():
        m = copeland.load(problem)
        asked = copeland.simulate(problem, "cpc-pac", 1e9, runs, 0, JOBS, marks=1)
        paid = asked.curves[0].comparisons[:, -1]
        single = math.log(1 / delta)
        known = omniscient_votes(m, levels(m.k, delta))
        bare = omniscient_votes(m, Levels(single, 0.0, single, single, 0.0, single, single))
        limit = single * (lower_samples(m) if m.k <= 60 else lower_samples_ecw(m))
        yield (
            f"| `{problem}` | {runs} | {_mean(paid)} | {known:,.0f} | {bare:,.0f} | {limit:,.0f} "
            f"| {paid.mean() / known:.2f} | {known / bare:.2f} | {bare / limit:.2f} |"
        )
