"""Pages: a simulation as one HTML file that needs nothing else, to read, send or keep."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from copeland.report.figures import INK, image, regret_figure
from copeland.report.tables import amount, runs_row
from copeland.results import write_file
from copeland.runs import Runs

PAGE = "index.html"
FIGURES = ("svg", "pdf", "png")

_DEFINITIONS = {
    "definition-1": "Definition 1 of the paper: 2 cpld* - cpld(i) - cpld(j) for a duel of i and j, "
    "where cpld is the share of the other options that an option beats",
    "half": "half of Definition 1 of the paper: cpld* - (cpld(i) + cpld(j)) / 2 for a duel of i and "
    "j, where cpld is the share of the other options that an option beats",
}

_TEMPLATE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
:root { --ink: #24292f; --paper: #ffffff; --faint: #59636e; --rule: #d1d9e0; --wash: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #12161c; --faint: #9aa4af; --rule: #333b45; --wash: #1b2129; }
}
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 60rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .5rem 0; }
.lead { color: var(--faint); }
.notice { border-left: 4px solid #D55E00; padding: .25rem .75rem; background: var(--wash); }
.wide { overflow-x: auto; }
figure { margin: 1.5rem 0 0; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .55rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); }
thead th { color: var(--faint); font-weight: 600; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: 0; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; background: var(--wash); border: 1px solid var(--rule);
  border-radius: 6px; overflow-x: auto; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .6rem; } }
</style>
</head>
<body>
<h1>$title</h1>
<p class="lead">$lead</p>
$notices
<figure>
<div role="img" aria-label="$alt">
$figure
</div>
</figure>
<h2>At the horizon</h2>
<div class="wide" tabindex="0">
<table>
<thead><tr>$head</tr></thead>
<tbody>
$rows
</tbody>
</table>
</div>
<p class="lead">Regret: mean, standard deviation, median, 95 % quantile and worst of the runs.
Comparisons: duels between two different options, mean of the runs. Correct: how often the option
recommended in the end is a Copeland winner. Seconds: of all runs together.</p>
<h2>How it was made</h2>
<dl>
$facts
</dl>
$command
</body>
</html>
""")

_COMMAND = Template("""\
<p>The same numbers again:</p>
<pre tabindex="0">$command</pre>
""")


def simulation_page(runs: Runs, versions: Mapping[str, str], command: str = "") -> str:
    """Return a simulation as an HTML page: figure, table, problem, seed, versions and command."""
    return _TEMPLATE.substitute(
        title=escape(f"Regret on {runs.problem}"),
        lead=escape(_lead(runs)),
        notices="\n".join(f'<p class="notice">{escape(text)}</p>' for text in _notices(runs)),
        alt=escape(f"Mean cumulative regret over time: {', '.join(c.label for c in runs.curves)}."),
        figure=inline_svg(image(regret_figure(runs), "svg").decode()),
        head="".join(f'<th scope="col">{escape(name)}</th>' for name in _columns(runs)),
        rows="\n".join(_row(cells) for cells in _cells(runs)),
        facts="\n".join(
            f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>"
            for name, text in _facts(runs, versions).items()
        ),
        command=_COMMAND.substitute(command=escape(command)) if command else "",
    )


def write_pages(
    runs: Runs, folder: str | Path, versions: Mapping[str, str], command: str = ""
) -> None:
    """Write the figure of a simulation (SVG, PDF and PNG) and its page into its result folder."""
    figure = regret_figure(runs)
    for kind in FIGURES:
        write_file(Path(folder) / f"regret.{kind}", image(figure, kind))
    write_file(Path(folder) / PAGE, simulation_page(runs, versions, command).encode())


def inline_svg(svg: str) -> str:
    """Return a figure as part of a page: it takes the page's ink and names nothing outside."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r' xmlns(:\w+)?="[^"]*"', "", body).replace("xlink:href", "href")
    # The page itself is the paper: without the white background, and with its colour as ink.
    body = re.sub(r'<g id="patch_1">.*?</g>', "", body, count=1, flags=re.DOTALL)
    return body.replace(INK, "currentColor")


def _lead(runs: Runs) -> str:
    best = min(runs.summary(), key=lambda row: row["mean"])
    count = f"{runs.runs} run{'s' if runs.runs > 1 else ''}"
    told = f"{runs.k:,} options, {runs.horizon:,} steps, {count}."
    if len(runs.curves) == 1:
        return f"{told} {best['algorithm']} ends with a mean regret of {amount(best['mean'])}."
    return (
        f"{told} Of {len(runs.curves)} algorithms, {best['algorithm']} ends with the least mean "
        f"regret: {amount(best['mean'])}."
    )


def _notices(runs: Runs) -> list[str]:
    notices = []
    if runs.interrupted:
        notices.append("The simulation was interrupted: only the runs that had ended are here.")
    if runs.redrawn:
        notices.append("The problem is random, and was redrawn for each run.")
    return notices


def _columns(runs: Runs) -> list[str]:
    return ["algorithm", *runs_row(runs.summary()[0])]


def _cells(runs: Runs) -> list[list[str]]:
    return [[row["algorithm"], *runs_row(row).values()] for row in runs.summary()]


def _row(cells: list[str]) -> str:
    name, *numbers = (escape(cell) for cell in cells)
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{n}</td>" for n in numbers)}</tr>'


def _facts(runs: Runs, versions: Mapping[str, str]) -> dict[str, str]:
    return {
        "regret": _DEFINITIONS[runs.regret],
        "problem": f"{runs.problem}, {runs.k} options",
        "key": runs.key if not runs.redrawn else "one for each run",
        "horizon": f"{runs.horizon:,} steps; an option against itself is one too",
        "seed": f"{runs.seed}; run r of every algorithm meets the same luck",
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }
