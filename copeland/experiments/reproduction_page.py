"""The page of a reproduction: every figure and table, what the paper says, and what we find."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from copeland import results
from copeland.experiments import findings
from copeland.experiments.analyses import Analyses
from copeland.experiments.figures import (
    condorcet_figure,
    gap_ratio_figure,
    losses_figure,
    winners_figure,
)
from copeland.experiments.paper import PRINTED_GAP_RATIO, RANKERS
from copeland.experiments.reproduction import Reproduction, as_json
from copeland.files import write_file
from copeland.report.document import document, facts, heading, paragraph, picture, repeat, table
from copeland.report.figures import image, regret_figure
from copeland.report.tables import amount, runs_row
from copeland.runs import Curves, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = "index.html"
NUMBERS = "reproduction.json"
KINDS = ("svg", "pdf")

NEEDS_MATRIX = (
    "The analyses of the paper's 136 rankers (Condorcet winners of subsets, Table 1, C and L_C, the "
    "gap ratio) need their matrix, which is not at hand; the five-ranker problems take the digits "
    "that were printed. To add the analyses, say `copeland data fetch mslr-informational`, then the same "
    "command again: what is done is kept."
)

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
        results.write(runs, place, force=True, command=command, lower_bound=limit)
    numbers = json.dumps(as_json(found), indent=2, allow_nan=False) + "\n"
    write_file(folder / NUMBERS, numbers.encode())
    write_file(folder / PAGE, _page(found, drawn, versions, command).encode())


def figures(found: Reproduction) -> dict[str, Figure]:
    """Return every figure of a reproduction, by the name of its file."""
    drawn = {
        file_name(figure.name): regret_figure(runs, found.lower_bounds.get(figure.name))
        for figure, runs in found.figures
    }
    if found.analyses is not None and found.matrix is not None:
        k = found.matrix.k
        drawn["condorcet-winners"] = condorcet_figure(found.analyses.condorcet)
        drawn["copeland-winners"] = winners_figure(found.analyses.observed)
        drawn["losses"] = losses_figure(found.analyses.observed)
        drawn["gap-ratio"] = gap_ratio_figure(
            found.analyses.gap_ratios, k, PRINTED_GAP_RATIO if k == RANKERS else None
        )
    return drawn


def file_name(name: str) -> str:
    """Return the name of a figure as that of a file, without its ending.

    Examples
    --------
    >>> file_name("large: U(.05, .45)")
    'large-u-05-45'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def summary(found: Reproduction) -> list[str]:
    """Return what we find, a line for each experiment and analysis."""
    told = [f"{figure.title}: {findings.found_in(figure, runs)}" for figure, runs in found.figures]
    if found.analyses is not None and found.matrix is not None:
        one, k = found.analyses, found.matrix.k
        told += [
            f"Condorcet winners of subsets: {findings.condorcet_found(one.condorcet)}",
            *(": ".join(row[:2]) for row in findings.overlap_rows(one.overlaps, printed=False)),
            findings.overlaps_found(one.overlaps, k == RANKERS),
            findings.counts_found(one.observed),
            f"Gap ratio: {findings.ratios_found(one.gap_ratios, k)}",
        ]
    return [*told, *([findings.winners_found(found)] if found.condorcet_winners else [])]


def _page(
    found: Reproduction, drawn: Mapping[str, bytes], versions: Mapping[str, str], command: str
) -> str:
    parts = [
        *_opening(found),
        *_experiments(found, drawn),
        *_analyses(found, drawn),
        *_click_models(found),
        heading("How it was made"),
        facts(_facts(found, versions)),
        repeat(command),
    ]
    return document("Copeland Dueling Bandits, reproduced", parts)


def _opening(found: Reproduction) -> list[str]:
    size = (
        "in full size: that of the paper, where it prints one"
        if found.full
        else "in quick size: fewer and shorter runs than the paper's, fewer random subsets"
    )
    parts = [
        paragraph(
            "The experiments and analyses of Zoghi, Karnin, Whiteson and de Rijke, Copeland Dueling "
            f"Bandits (NIPS 2015, Appendices A and C), run anew {size}. Beside each stands what the "
            "paper says. Regret is that of its Definition 1. A dashed line is the least regret that "
            "theory allows in the long run to an algorithm that does well on every problem. Each "
            f"figure is in this folder too, as SVG and PDF, and the numbers are in {NUMBERS}.",
            "lead",
        )
    ]
    if found.matrix is None:
        parts.append(paragraph(NEEDS_MATRIX, "notice"))
    elif found.matrix.k != RANKERS:
        parts.append(
            paragraph(
                f"The matrix given has {found.matrix.k} options, and is not that of the paper's "
                f"{RANKERS} rankers: where it is analysed, the paper's numbers are left out.",
                "notice",
            )
        )
    return parts


def _experiments(found: Reproduction, drawn: Mapping[str, bytes]) -> list[str]:
    parts: list[str] = []
    scan = [
        (figure.name.partition(": ")[2], runs)
        for figure, runs in found.figures
        if figure.name.startswith("large")
    ]
    told = False
    for figure, runs in found.figures:
        if figure.name.startswith("large") and not told:
            parts += _scan(scan)
            told = True
        names = ", ".join(curve.label for curve in runs.curves)
        parts += [
            heading(figure.title),
            picture(drawn[file_name(figure.name)], f"Mean cumulative regret over time: {names}."),
            _compared(figure.paper, findings.found_in(figure, runs)),
            paragraph(text, "notice") if (text := findings.cut_runs(runs)) else "",
            table(["at the horizon", *_columns(runs)], [_cells(c, runs) for c in runs.curves]),
        ]
    return parts


def _scan(scan: list[tuple[str, Runs]]) -> list[str]:
    """The second experiment as a whole: all choices of gaps in one table."""
    times = findings.decades(max(runs.horizon for _, runs in scan))
    rows = [
        [
            gaps,
            curve.label,
            *(str(findings.reading(curve, t)) if t <= runs.horizon else "" for t in times),
        ]
        for gaps, runs in scan
        for curve in runs.curves
    ]
    return [
        heading("500 options: CCB against SCB, and which gaps they need (Figure 2)"),
        _compared(
            "SCB can substantially outperform CCB when there are many arms. Figure 2 prints neither "
            "the gaps nor the horizon: it says only that three winners in a cycle have a score of "
            "498, and the others scores from 0 to 496.",
            " ".join(findings.scan_sentences(scan)),
        ),
        table(["mean regret by t", "algorithm", *(amount(t) for t in times)], rows),
        paragraph(
            "So Figure 2 cannot be reproduced as printed, only looked for. With gaps near one half SCB "
            "needs the fewest duels for a pair, while CCB still tries every pair of options; smaller "
            "gaps cost SCB more than CCB. SCB starts anew in every round: the sixth begins shortly "
            "after t = 2^32, about 4 x 10^9. ≥: a run "
            "was cut before, and has at least this regret. Between recorded times, regret is interpolated.",
            "lead",
        ),
    ]


def _analyses(found: Reproduction, drawn: Mapping[str, bytes]) -> list[str]:
    if found.analyses is None or found.matrix is None:
        return []
    one, k = found.analyses, found.matrix.k
    printed = k == RANKERS
    return [
        heading(_numbered("Condorcet winners of random subsets", "Figure 4", printed)),
        picture(
            drawn["condorcet-winners"], "Probability of a Condorcet winner by the size of a subset."
        ),
        _compared(
            "As K grows, the probability that the Condorcet assumption holds decreases rapidly.",
            findings.condorcet_found(one.condorcet),
            printed,
        ),
        table(["subsets of", "exact", "sampled", "samples"], _probabilities(one, k)),
        heading(_numbered("Overlaps of notions of winners", "Table 1", printed)),
        table(
            [
                "overlap",
                *(["the paper"] if printed else []),
                "ours",
                "standard error",
                *(["difference"] if printed else []),
                "subsets",
            ],
            findings.overlap_rows(one.overlaps, printed),
        ),
        _compared(
            "The Copeland and the von Neumann winners are very likely to overlap, as are the Borda "
            "and random walk winners.",
            findings.overlaps_found(one.overlaps, printed),
            printed,
        ),
        heading(_numbered("The quantities C and L_C", "Figure 5", printed)),
        picture(drawn["copeland-winners"], "Share of each number of Copeland winners by size."),
        picture(drawn["losses"], "Share of each number of losses of a Copeland winner by size."),
        _compared(
            "C and L_C are generally much lower than K.",
            findings.counts_found(one.observed),
            printed,
        ),
        heading(_numbered("The gap Delta", "Figure 6", printed)),
        picture(drawn["gap-ratio"], "Mean of the gap ratio by the size of a subset."),
        _compared(
            f"The ratio Delta²/Delta_min² of the full matrix is {PRINTED_GAP_RATIO:,}; the mean over "
            "subsets decreases towards it as K approaches 136.",
            findings.ratios_found(one.gap_ratios, k),
            printed,
        ),
    ]


def _click_models(found: Reproduction) -> list[str]:
    if not found.condorcet_winners:
        return []
    return [
        heading("The other click models"),
        _compared(
            "With the perfect or the navigational click model, the full matrix has a Condorcet winner.",
            findings.winners_found(found),
        ),
    ]


def _compared(paper: str, ours: str, printed: bool = True) -> str:
    return facts({"The paper says": paper, "We find": ours} if printed else {"We find": ours})


def _numbered(title: str, place: str, printed: bool) -> str:
    return f"{title} ({place})" if printed else title


def _probabilities(found: Analyses, k: int) -> list[list[str]]:
    curve = found.condorcet
    return [
        [
            f"K = {curve.sizes[at]}",
            f"{100 * curve.exact[at]:.2f} %",
            f"{100 * curve.sampled[at]:.2f} %" if curve.samples[at] else "-",
            f"{curve.samples[at]:,}",
        ]
        for at in (size - 1 for size in (*(s for s in _SIZES if s < k), k))
    ]


def _columns(runs: Runs) -> list[str]:
    return list(
        runs_row(runs.summary()[0] | {"mean": 0, "sd": 0, "median": 0, "q95": 0, "worst": 0})
    )


def _cells(curve: Curves, runs: Runs) -> list[str]:
    """A row of the table at the horizon; of runs that were cut little can be said there."""
    row = next(row for row in runs.summary() if row["algorithm"] == curve.label)
    end = findings.reading(curve, runs.horizon)
    if not end.cut:
        return [curve.label, *runs_row(row).values()]
    known = {"runs": str(row["runs"]), "mean": str(end), "seconds": f"{row['seconds']:.2f}"}
    return [curve.label, *(known.get(name, "cut") for name in _columns(runs))]


def _facts(found: Reproduction, versions: Mapping[str, str]) -> dict[str, str]:
    known = {
        "seed": f"{found.seed}; run r of every algorithm meets the same luck, whatever the backend "
        "and the number of processes",
        "problems": "; ".join(f"{runs.problem} ({runs.key})" for _, runs in found.figures),
    }
    if found.matrix is not None:
        known["matrix"] = (
            f"{found.matrix.name or 'unnamed'}, {found.matrix.k} options ({found.matrix.key})"
        )
    known["versions"] = ", ".join(f"{name} {version}" for name, version in versions.items())
    return known
