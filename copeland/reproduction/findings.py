"""Findings: what came of the paper's experiments and analyses, in sentences made of the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from copeland.report.terminal_tables import amount
from copeland.reproduction.paper_experiments import PRINTED_TABLE, Figure
from copeland.reproduction.reproduction import Reproduction
from copeland.reproduction.subset_analyses import (
    CondorcetCurve,
    GapRatios,
    ObservedCounts,
    OverlapTable,
)
from copeland.simulation.runs import Curves, Runs
from copeland.support.arrays import Floats
from copeland.support.phrasing import join_names

Choices = Sequence[tuple[Figure, Runs]]  # the first experiment with other choices of five rankers

CHOICES_HEAD = ("algorithm", "least regret in", "regret over CCB's: median", "least", "most")
LINEAR = 6.0  # regret that grows so many times in a decade is nearer to a line (10) than to a curve
FAR = 3.0  # standard errors
LEVEL = 0.03  # regrets of 500 options that differ by less may change places with the seed


@dataclass(frozen=True)
class RegretAtTime:
    """Mean regret at a time; where a run was cut before, what it is at the least."""

    regret: float
    cut: bool = False
    error: float = np.nan  # the standard error of the mean; NaN for a single run

    def __str__(self) -> str:
        if self.cut:
            return f"≥ {amount(self.regret)} (cut)"
        error = f" ± {amount(self.error)}" if np.isfinite(self.error) else ""
        return amount(self.regret) + error


def regret_at(curve: Curves, t: float) -> RegretAtTime:
    """Return the mean regret at a time, interpolated between marks: it is linear or flat there.

    Regret never falls, so that of a run that was cut is at least what it was at the cut.
    """
    last = np.isfinite(curve.regret).sum(axis=1) - 1
    each = [
        np.interp(t, curve.marks[: end + 1], row[: end + 1])
        for row, end in zip(curve.regret, last, strict=True)
    ]
    error = np.std(each, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
    return RegretAtTime(float(np.mean(each)), bool((curve.marks[last] < t).any()), float(error))


def ahead(first: RegretAtTime, second: RegretAtTime) -> int | None:
    """Return 0 or 1 for the one of less regret; None if a cut hides it."""
    less = 0 if first.regret <= second.regret else 1
    return None if (first, second)[less].cut else less


def decades(horizon: int) -> list[int]:
    """Return the powers of ten, from a million on, up to the horizon; it alone if it is shorter."""
    return [10**e for e in range(6, 19) if 10**e <= horizon] or [horizon]


def describe_experiment(figure: Figure, runs: Runs) -> str:
    """Return what came of an experiment, as sentences."""
    return _FINDERS[figure.name.split(":")[0]](runs)


def cut_runs(runs: Runs) -> str:
    """Return which runs were cut, as a sentence; nothing if none was."""
    told = []
    for curve in runs.curves:
        cut = np.isnan(curve.regret[:, -1])
        if cut.any():
            last = curve.marks[np.isfinite(curve.regret).sum(axis=1).min() - 1]
            told.append(
                f"{cut.sum()} of {len(cut)} runs of {curve.label}, followed to t = {int(last):,}"
            )
    return f"Cut, because they took too many duels: {'; '.join(told)}." if told else ""


def scan_sentences(scan: Sequence[tuple[str, Runs]]) -> list[str]:
    """Return when SCB beats CCB in the second experiment, when not, and what cuts hide.

    Parameters
    ----------
    scan
        The gaps, and the runs with them.
    """
    cases: dict[str, list[str]] = {}
    for gaps, runs in scan:
        for state, times in _states(runs).items():
            cases.setdefault(state, []).append(f"{gaps} (t = {', '.join(times)})")
    told = [f"{words} {'; '.join(cases[s])}." for s, words in _STATES.items() if s in cases]
    never = f"From t = {_time(decades(scan[0][1].horizon)[0])} on, SCB is never known to beat CCB."
    return told if "scb" in cases else [never, *told]


_STATES = {
    "scb": "SCB beats CCB with",
    "ccb": "CCB beats SCB with",
    "level": f"They are level, within {100 * LEVEL:.0f} %, with",
    "hidden": "A cut hides who is ahead with",
}


def _states(runs: Runs) -> dict[str, list[str]]:
    """The spans of time in which CCB or SCB is ahead, or neither for certain."""
    ccb, scb = (_curve(runs, name) for name in ("ccb", "scb"))
    times = [int(t) for t in runs.marks if t >= decades(runs.horizon)[0]]
    states = [(_state(regret_at(ccb, t), regret_at(scb, t)), t) for t in times]
    spans: dict[str, list[str]] = {}
    for state, span in groupby(states, key=lambda one: one[0]):
        first, *_, last = [t for _, t in span] * 2
        words = _time(first) if first == last else f"{_time(first)} to {_time(last)}"
        spans.setdefault(state, []).append(words)
    return spans


def _state(ccb: RegretAtTime, scb: RegretAtTime) -> str:
    leader = ahead(ccb, scb)
    if leader is None:
        return "hidden"
    less, more = sorted((ccb.regret, scb.regret))
    if not (ccb.cut or scb.cut) and more <= (1 + LEVEL) * less:
        return "level"
    return ("ccb", "scb")[leader]


def _time(t: int) -> str:
    """A time to two digits: 3.4 x 10^6."""
    digits, exponent = f"{t:.1e}".split("e")
    power = f"10^{int(exponent)}"
    return power if digits == "1.0" else f"{digits} x {power}"


def describe_condorcet_curve(found: CondorcetCurve) -> str:
    """Return how the probability of a Condorcet winner falls."""
    half = found.sizes[found.exact < 0.5]
    below = f"It is below one half from K = {half[0]} on. " if len(half) else ""
    error = np.sqrt(found.exact * (1 - found.exact) / np.maximum(found.samples, 1))
    unsure = (error > 0) & (found.samples > 0)
    apart = (np.abs(found.sampled - found.exact)[unsure] / error[unsure]).max(initial=0)
    return (
        f"It falls from {_percent(found.exact[0])} (K = 1) to {_percent(found.exact[-1])} "
        f"(K = {found.sizes[-1]}). {below}Sampled and exact are at most {apart:.1f} "
        "standard errors apart."
    )


def describe_counts(found: ObservedCounts) -> str:
    """Return how large C and L_C are."""
    total = found.samples.sum()
    c, losses = found.winners.sum(axis=0), found.losses.sum(axis=0)
    return (
        f"C is at most {_largest(c)} and L_C at most {_largest(losses)}, for K up to "
        f"{found.sizes[-1]}. C = 1 in {_percent(c[1] / total)} of {total:,} subsets, and L_C = 0 "
        f"in {_percent(losses[0] / total)}."
    )


def describe_gap_ratios(found: GapRatios, options: int) -> str:
    """Return the gap ratio of all options, the largest mean, and how many subsets have none."""
    whole = (
        f"It is {found.full:,.1f} for all {options} options. "
        if np.isfinite(found.full)
        else f"It is undefined for all {options} options together. "
    )
    mean = (
        f"Its mean is largest for K = {found.sizes[np.nanargmax(found.mean)]}: "
        f"{amount(np.nanmax(found.mean))}. "
        f"Averaged over all sizes it is {amount(float(np.nanmean(found.mean)))}. "
        if np.isfinite(found.mean).any()
        else ""
    )
    return (
        f"{whole}{mean}Of {found.samples.sum():,} subsets, {found.undefined.sum():,} have no "
        "ratio (all options win, or a tie hides who does) and are left out."
    )


def describe_overlaps(found: OverlapTable, printed: bool) -> str:
    """Return what the overlaps rest on, and how far they are from those that the paper prints."""
    sizes = f"{found.sizes.min()} to {found.sizes.max()}"
    basis = (
        f"These are from {range_words(found.samples.tolist())} random subsets of {sizes} options, "
        f"equally many of each size; {found.linear_programs:,} of the von Neumann winners needed a linear program."
    )
    if not printed:
        return basis
    far = [
        f"{_words(name)} ({ours - PRINTED_TABLE[name]:+.2f} points)"
        for name, ours, error in zip(found.names, found.percent, found.error, strict=True)
        if abs(ours - PRINTED_TABLE[name]) > FAR * error
    ]
    near = f"{len(found.names) - len(far)} of {len(found.names)} are within {FAR:.0f} of our standard errors"
    beyond = f"; further away: {', '.join(far)}" if far else ""
    return f"{basis} {near}{beyond}. The paper does not print how many subsets its numbers rest on."


def overlap_rows(found: OverlapTable, printed: bool) -> list[list[str]]:
    """Return a row for each overlap: the paper's where it is asked for, ours, its error, samples."""
    rows = zip(found.names, found.percent, found.error, found.samples.tolist(), strict=True)
    return [
        [
            _words(name),
            *([f"{PRINTED_TABLE[name]:g} %"] if printed else []),
            f"{ours:.2f} %",
            f"{error:.2f}",
            *([f"{ours - PRINTED_TABLE[name]:+.2f}"] if printed else []),
            f"{samples:,}",
        ]
        for name, ours, error, samples in rows
    ]


def describe_winners(found: Reproduction) -> str:
    """Return who beats all others under the other click models."""
    return " ".join(
        f"{name}: no ranker beats all others; in the paper one does."
        if winner is None
        else f"{name}: ranker {winner} beats all others, as in the paper."
        for name, winner in found.condorcet_winners.items()
    )


def regrets_of(choices: Choices) -> dict[str, Floats]:
    """Return the mean regret of each algorithm at the horizon, by choice."""
    names = [curve.label for curve in choices[0][1].curves]
    ends = [[curve.regret[:, -1].mean() for curve in runs.curves] for _, runs in choices]
    return dict(zip(names, np.array(ends).T, strict=True))


def describe_choices(choices: Choices) -> str:
    """Return in how many choices CCB has the least regret, as a sentence."""
    ends = regrets_of(choices)
    best = np.argmin(list(ends.values()), axis=0)
    firsts = {name: int((best == place).sum()) for place, name in enumerate(ends)}
    led = ", ".join(f"{name} in {count}" for name, count in firsts.items() if count)
    return (
        f"Of {len(choices)} random choices of five rankers without a Condorcet winner, by t = "
        f"{amount(choices[0][1].horizon)} the least regret is that of {led}. Many have gaps so small that no "
        "algorithm tells their rankers apart in that time."
    )


def choices_rows(choices: Choices) -> list[list[str]]:
    """Return a row for each algorithm: how often it is best, and its regret over that of CCB."""
    ends = regrets_of(choices)
    best = np.argmin(list(ends.values()), axis=0)
    rows = []
    for place, (name, regret) in enumerate(ends.items()):
        ratio = regret / np.maximum(ends["ccb"], 1e-300)
        shown = [f"{x:.2f}" for x in (np.median(ratio), ratio.min(), ratio.max())]
        rows.append([name, f"{(best == place).sum()} of {len(choices)}", *shown])
    return rows


def _small(runs: Runs) -> str:
    best = _best(runs)
    like = "" if best is None else "As in the paper, " if best == "ccb" else "Unlike in the paper, "
    told = [_ranking(runs, like)]
    rucb = next((curve for curve in runs.curves if curve.name == "rucb"), None)
    if rucb is not None:
        growth = _growth(rucb, runs.horizon)
        line = "it grows linearly" if growth >= LINEAR else "it does not grow linearly here"
        told.append(
            f"In the last tenfold of time the regret of rucb grows {growth:.1f} times (a straight "
            f"line would make it 10): {line}. That of ccb grows "
            f"{_growth(_curve(runs, 'ccb'), runs.horizon):.1f} times."
        )
    return " ".join(told)


def _large(runs: Runs) -> str:
    ccb, scb = (regret_at(_curve(runs, name), runs.horizon) for name in ("ccb", "scb"))
    winner = ahead(ccb, scb)
    verdict = (
        "A cut hides who is ahead."
        if winner is None
        else "ccb is ahead; in the paper scb is."
        if winner == 0
        else "scb is ahead, as in the paper."
    )
    return f"By t = {amount(runs.horizon)}, ccb has a regret of {ccb} and scb of {scb}. {verdict}"


def _condorcet(runs: Runs) -> str:
    ccb, rucb = (_curve(runs, name).regret[:, -1] for name in ("ccb", "rucb"))
    n = min(len(ccb), len(rucb))
    more = rucb[:n] - ccb[:n]  # run r of both met the same luck
    error = more.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    share = 100 * (1 - ccb.mean() / rucb.mean()) if rucb.mean() else 0.0
    leader = "ccb" if share >= 0 else "rucb"
    sure = (
        "more than two standard errors"
        if abs(more.mean()) > 2 * error
        else "within two standard errors, so chance alone may have made it"
    )
    return (
        f"ccb ends with {amount(ccb.mean())} and rucb with {amount(rucb.mean())}: {leader} has the "
        f"advantage, by {abs(share):.1f} % of rucb's. Run by run the difference is "
        f"{more.mean():+,.4g} ± {error:,.3g}, {sure}."
    )


def _modern(runs: Runs) -> str:
    told = _ranking(runs, "")
    best = _best(runs)
    if best in (None, "ccb"):
        return told
    own, ccb = (regret_at(_curve(runs, name), runs.horizon) for name in (best, "ccb"))
    if not own.regret:
        return told
    least = "at least " if ccb.cut else ""
    return f"{told} ccb ends with {least}{ccb.regret / own.regret:.1f} times as much."


def _alphas(runs: Runs) -> str:
    ends = {curve.label: regret_at(curve, runs.horizon) for curve in runs.curves}
    told = ", ".join(f"{name} {end}" for name, end in ends.items())
    most = max(end.regret for end in ends.values())
    least = min(end.regret for end in ends.values())
    return (
        f"Regret by t = {amount(runs.horizon)}: {told}. The largest is {most / least:.1f} times the "
        "smallest."
    )


def _deltas(runs: Runs) -> str:
    ccb = regret_at(_curve(runs, "ccb"), runs.horizon)
    ends = {c.label: regret_at(c, runs.horizon).regret for c in runs.curves if c.name != "ccb"}
    best = min(ends, key=ends.__getitem__)
    verdict = "no choice of delta" if ends[best] > ccb.regret else f"{best}, with less regret,"
    return (
        f"By t = {amount(runs.horizon)} ccb has a regret of {ccb}; of the others {best} has the least, "
        f"{amount(ends[best])}: {verdict} changes who is first. A larger delta saves duels, and an answer "
        "that is wrong with probability delta costs regret forever after."
    )


_FINDERS = {
    "small": _small,
    "large": _large,
    "condorcet": _condorcet,
    "modern": _modern,
    "alpha": _alphas,
    "delta": _deltas,
}


def _ranking(runs: Runs, opening: str) -> str:
    """Who ends with the least regret, and who comes next."""
    ends = sorted((regret_at(c, runs.horizon).regret, c.label) for c in runs.curves)
    if _best(runs) is None:
        return "A cut hides who ends with the least regret."
    (least, best), (more, second) = ends[0], ends[1]
    told = f"{best} ends with the least mean regret, {amount(least)}; {second} is next with {amount(more)}."
    return opening + told


def _best(runs: Runs) -> str | None:
    """The algorithm of the least regret at the horizon; None if a cut hides it."""
    ends = [(regret_at(curve, runs.horizon), curve.name) for curve in runs.curves]
    least, best = min(ends, key=lambda end: end[0].regret)
    return None if least.cut else best


def _growth(curve: Curves, horizon: int) -> float:
    before = regret_at(curve, horizon / 10).regret
    return regret_at(curve, horizon).regret / before if before else np.nan


def _curve(runs: Runs, name: str) -> Curves:
    return next(curve for curve in runs.curves if curve.name == name)


def _largest(counts: np.ndarray) -> int:
    return int(np.flatnonzero(counts).max(initial=0))


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def range_words(values: Sequence[int]) -> str:
    """Return the smallest and the largest of some counts, or the one that all of them are."""
    low, high = min(values, default=0), max(values, default=0)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _words(name: str) -> str:
    if name == "copeland_in_support":
        return "all Copeland in the von Neumann support"
    names = {"copeland": "Copeland", "von_neumann": "von Neumann", "borda": "Borda"}
    return join_names([names.get(part, part.replace("_", " ")) for part in name.split("-")])
