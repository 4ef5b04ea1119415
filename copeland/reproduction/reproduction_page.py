"""The page of a reproduction: every figure and table, what the paper says, and what we find."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copeland.problems import load
from copeland.registry import entrant
from copeland.report.document import document, image, inline_svg
from copeland.report.plot_options import PlotOptions
from copeland.report.regret_figure import regret_figure
from copeland.report.terminal_tables import amount, runs_row
from copeland.reproduction import findings, paper_experiments, paper_figures, score_ties
from copeland.reproduction.paper_experiments import PRINTED_GAP_RATIO, RANKERS
from copeland.reproduction.reproduction import Reproduction, as_json
from copeland.reproduction.score_ties import TieStudy
from copeland.simulation import result_folder
from copeland.simulation.runs import Curves, Runs
from copeland.support.atomic_files import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = "index.html"
NUMBERS = "reproduction.json"
KINDS = ("svg", "pdf")

_SIZES = (2, 5, 10, 20, 50, 100)


def reproduction_page(found: Reproduction, versions: Mapping[str, str], command: str = "") -> str:
    """Return a reproduction as an HTML page that needs nothing else."""
    drawn = {name: image(figure, "svg") for name, figure in figures(found).items()}
    return _page(found, drawn, versions, command)


def write_reproduction(
    found: Reproduction, folder: str | Path, versions: Mapping[str, str], command: str = ""
) -> None:
    """Write the page, every figure as SVG and PDF, and the numbers as JSON into a folder.

    The runs of each experiment go into a result folder of its own below it.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for name, figure in figures(found).items():
        files = {kind: image(figure, kind) for kind in KINDS}
        for kind, content in files.items():
            write_file(folder / f"{name}.{kind}", content)
        drawn[name] = files["svg"]
    for figure, runs in found.figures:
        limit = found.lower_bounds.get(figure.name)
        place = folder / file_name(figure.name)
        result_folder.write(runs, place, force=True, command=command, lower_bound=limit)
    numbers = json.dumps(as_json(found), indent=2, allow_nan=False) + "\n"
    write_file(folder / NUMBERS, numbers.encode())
    write_file(folder / PAGE, _page(found, drawn, versions, command).encode())


def figures(found: Reproduction) -> dict[str, Figure]:
    """Return every figure of a reproduction, by the name of its file."""
    drawn = {}
    for one, runs in found.figures:
        free = [c.label for c in runs.curves if entrant(c.label)[0].assumes_condorcet]
        limit, look = found.lower_bounds.get(one.name), PlotOptions(spread="errors")
        drawn[file_name(one.name)] = regret_figure(runs, limit, look, cut=one.cut, unbound=free)
    if found.cuts:
        drawn["cuts"] = paper_figures.cuts_figure(found.cuts)
    if any(figure.name == "small" for figure, _ in found.figures):
        five = load("mslr-5")  # a winner of the first problem, and another option
        drawn["gaps-of-a-winner"] = paper_figures.star_figure(five, 0)
        drawn["gaps-of-another"] = paper_figures.star_figure(five, 3)
    if found.analyses is not None and found.matrix is not None:
        one, k = found.analyses, found.matrix.k
        printed = PRINTED_GAP_RATIO if k == RANKERS else None
        drawn["condorcet-winners"] = paper_figures.condorcet_figure(one.condorcet)
        drawn["copeland-winners"] = paper_figures.winners_figure(one.observed)
        drawn["losses"] = paper_figures.losses_figure(one.observed)
        drawn["gap-ratio"] = paper_figures.gap_ratio_figure(one.gap_ratios, k, printed)
    if found.ties is not None:
        drawn |= paper_figures.tie_figures(found.ties)
        one, k = found.ties.analyses, found.ties.rows.features
        drawn["consistent-copeland-winners"] = paper_figures.winners_figure(one.observed)
        drawn["consistent-losses"] = paper_figures.losses_figure(one.observed)
        drawn["consistent-gap-ratio"] = paper_figures.gap_ratio_figure(one.gap_ratios, k)
    return drawn


def file_name(name: str) -> str:
    """Return the name of a figure as that of a file, without its ending."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def summary(found: Reproduction) -> list[str]:
    """Return what we find, a line for each experiment and analysis."""
    told = [
        f"{figure.title}: {findings.describe_experiment(figure, runs)}"
        for figure, runs in found.figures
    ]
    if found.analyses is not None and found.matrix is not None:
        one, k = found.analyses, found.matrix.k
        told += [
            f"Condorcet winners of subsets: {findings.describe_condorcet_curve(one.condorcet)}",
            *(": ".join(row[:2]) for row in findings.overlap_rows(one.overlaps, printed=False)),
            findings.describe_overlaps(one.overlaps, k == RANKERS),
            findings.describe_counts(one.observed),
            f"Gap ratio: {findings.describe_gap_ratios(one.gap_ratios, k)}",
        ]
    told += [findings.describe_winners(found)] if found.condorcet_winners else []
    told += [findings.describe_choices(found.cuts)] if found.cuts else []
    if found.ties is not None:
        told.append(score_ties.describe_likeness(found.ties))
        told.append(score_ties.describe_survival(found.ties))
    return told


def _page(
    found: Reproduction, drawn: Mapping[str, bytes], versions: Mapping[str, str], command: str
) -> str:
    return document(
        "reproduction",
        title="Copeland Dueling Bandits, reproduced",
        full=found.full,
        numbers=NUMBERS,
        matrix=found.matrix,
        rankers=RANKERS,
        drawn={name: inline_svg(svg) for name, svg in drawn.items()},
        experiments=_experiments(found),
        analyses=_analyses(found),
        cuts=None
        if not found.cuts
        else {
            "ours": findings.describe_choices(found.cuts),
            "columns": findings.CHOICES_HEAD,
            "rows": findings.choices_rows(found.cuts),
        },
        ties=None if found.ties is None else _ties(found.ties),
        other_clicks=findings.describe_winners(found),
        known=_facts(found),
        versions=versions,
        command=command,
    )


def _experiments(found: Reproduction) -> Iterator[dict[str, Any]]:
    large = [pair for pair in found.figures if pair[0].name.startswith("large")]
    for figure, runs in found.figures:
        yield {
            "scan": _scan(large) if large and figure is large[0][0] else None,
            "title": figure.title,
            "file": file_name(figure.name),
            "names": ", ".join(curve.label for curve in runs.curves),
            "paper": figure.paper,
            "ours": findings.describe_experiment(figure, runs),
            "cut": findings.cut_runs(runs),
            "columns": ["at the horizon", *runs_row(runs.summary()[0])],
            "rows": [_cells(curve, runs) for curve in runs.curves],
        }


def _ties(found: TieStudy) -> dict[str, Any]:
    one, k = found.analyses, found.rows.features
    return {
        "rows": score_ties.describe_rows(found),
        "likeness": score_ties.describe_likeness(found),
        "likeness_head": score_ties.LIKENESS_HEAD,
        "likeness_rows": score_ties.likeness_rows(found),
        "moves_head": score_ties.MOVES_HEAD,
        "moves": score_ties.moves_rows(found),
        "survival": score_ties.describe_survival(found),
        "standing_head": score_ties.STANDING_HEAD,
        "standing_rows": score_ties.standing_rows(found),
        "overlap_rows": findings.overlap_rows(one.overlaps, k == RANKERS),
        "printed": k == RANKERS,
        "counts": findings.describe_counts(one.observed),
        "ratios": findings.describe_gap_ratios(one.gap_ratios, k),
    }


def _scan(large: Sequence[tuple[paper_experiments.Figure, Runs]]) -> dict[str, Any]:
    """The second experiment as a whole: all choices of gaps in one table."""
    scan = [(figure.name.partition(": ")[2], runs) for figure, runs in large]
    times = findings.decades(max(runs.horizon for _, runs in scan))
    return {
        "ours": " ".join(findings.scan_sentences(scan)),
        "columns": ["mean regret by t", "algorithm", *(amount(t) for t in times)],
        "rows": [
            [
                gaps,
                curve.label,
                *(str(findings.regret_at(curve, t)) if t <= runs.horizon else "" for t in times),
            ]
            for gaps, runs in scan
            for curve in runs.curves
        ],
    }


def _analyses(found: Reproduction) -> dict[str, Any] | None:
    if found.analyses is None or found.matrix is None:
        return None
    one, k = found.analyses, found.matrix.k
    printed, curve = k == RANKERS, one.condorcet
    return {
        "printed": printed,
        "printed_ratio": PRINTED_GAP_RATIO,
        "condorcet": findings.describe_condorcet_curve(one.condorcet),
        "probabilities": [
            [
                f"K = {curve.sizes[at]}",
                f"{100 * curve.exact[at]:.2f} %",
                f"{100 * curve.sampled[at]:.2f} %" if curve.samples[at] else "-",
                f"{curve.samples[at]:,}",
            ]
            for at in (size - 1 for size in (*(s for s in _SIZES if s < k), k))
        ],
        "overlaps": findings.describe_overlaps(one.overlaps, printed),
        "overlap_rows": findings.overlap_rows(one.overlaps, printed),
        "counts": findings.describe_counts(one.observed),
        "ratios": findings.describe_gap_ratios(one.gap_ratios, k),
    }


def _cells(curve: Curves, runs: Runs) -> list[str]:
    """A row of the table at the horizon; of runs that were cut little can be said there."""
    row = next(row for row in runs.summary() if row["algorithm"] == curve.label)
    end = findings.regret_at(curve, runs.horizon)
    if not end.cut:
        return [curve.label, *(runs_row(row) | {"mean": str(end)}).values()]
    known = {"runs": str(row["runs"]), "mean": str(end), "seconds": f"{row['seconds']:.2f}"}
    return [curve.label, *(known.get(name, "cut") for name in runs_row(row))]


def _facts(found: Reproduction) -> dict[str, str]:
    known = {
        "seed": f"{found.seed}; run r of every algorithm draws its answers from the same random numbers, whatever the backend "
        "and the number of processes",
        "problems": "; ".join(f"{runs.problem} ({runs.key})" for _, runs in found.figures),
    }
    if found.matrix is not None:
        known["matrix"] = (
            f"{found.matrix.name or 'unnamed'}, {found.matrix.k} options ({found.matrix.key})"
        )
    return known
