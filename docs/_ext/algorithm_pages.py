"""A page for each algorithm: its record, what it guarantees, its curve, its rows of the leaderboard."""

import re
import tomllib
from pathlib import Path

from algorithm_tables import TARGETS, finds, shown
from curve_figures import Curves

from benchmarks.leaderboard.board import excuse_from
from benchmarks.leaderboard.rows import Row, rows_of
from benchmarks.leaderboard.scores import REGRET, Score, read_lines
from copeland.registry import Algorithm, algorithms


def algorithm_pages(docs: Path) -> dict[str, str]:
    """Every page by the name of its file, with the list of all."""
    known = algorithms()
    promises = tomllib.loads((docs / "promises.toml").read_text())
    sections = sections_of((docs / "algorithms.md").read_text())
    rows = rows_of(read_lines(docs / "leaderboard.csv", Score))
    curves = Curves.read(docs / "figures" / "curves.json")
    pages = {
        f"algorithms/{name}.md": _page(one, promises[name], sections[name], rows, curves)
        for name, one in known.items()
    }
    return {**pages, "algorithms/index.md": _index(known)}


def sections_of(page: str) -> dict[str, str]:
    """What the page of all algorithms says of each by hand."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def _page(
    one: Algorithm, promise: dict[str, str], section: str, rows: list[Row], curves: Curves
) -> str:
    parts = [
        f"# {one.name}",
        f"{one.summary}.",
        _facts(one),
        f"## Rule\n\n{_moved(section)}",
        f"## Guarantee\n\n{_moved(promise['guarantee'])}",
        f"## When to use it\n\n{_moved(promise['use'])}",
    ]
    if one.target != "several":  # of which a winner's regret says nothing
        parts += [
            f"## Its regret\n\n{curves.figure(one)}",
            f"## On the leaderboard\n\n{_standing(one.name, rows)}",
        ]
    parts.append(f"## Try it\n\n{_example(one)}")
    return "\n\n".join(parts) + "\n"


def _facts(one: Algorithm) -> str:
    params = ", ".join(f"`{name}` ({shown(value)})" for name, value in one.parameters.items())
    facts = {
        "looks for": TARGETS.get(one.target, one.target),
        "assumes": "one option that beats all others" if one.assumes_condorcet else "nothing",
        "must know the horizon": "yes" if one.needs_horizon else "no",
        "stops by itself": "yes" if one.stops else "no",
        "parameters": params or "none",
        "paper": _moved(
            one.paper.replace("docs/one-algorithm.md", "[one algorithm](one-algorithm.md)")
        ),
    }
    return "\n".join(
        ["| | |", "|---|---|", *(f"| {key} | {value} |" for key, value in facts.items())]
    )


def _standing(name: str, rows: list[Row]) -> str:
    own = [row for row in rows if row.name == name]
    if not own:
        why = excuse_from(REGRET, algorithms()[name]) or "was not played"
        return f"It is not on the [leaderboard](../../leaderboard.md): it {why}."
    head = (
        "| board | problem | as | mean | x best | x limit | runs |\n|---|---|---|---|---|---|---|"
    )
    lines = [
        f"| {r.board} | `{r.problem}` | `{r.algorithm}` | {r.mean} | {r.times_best} | {r.times_limit} | {r.runs} |"
        for r in own
    ]
    return "\n".join([_summary(own), "", _folded(f"All {len(own)} rows", [head, *lines])])


def _summary(own: list[Row]) -> str:
    """How often it is the best, or near to it, in a sentence for each board."""
    said = []
    for board in dict.fromkeys(row.board for row in own):
        on = [row for row in own if row.board == board]
        problems = {row.problem for row in on}
        best = {row.problem for row in on if row.is_best}
        near = {row.problem for row in on if row.ratio is not None and row.ratio <= 2}
        what = "mean regret" if board == "Regret" else "number of votes"
        said.append(
            f"- **{board}**: the lowest {what} on {len(best)} of {len(problems)} problems, and at most twice the lowest on {len(near)}."
        )
    note = "[The leaderboard](../../leaderboard.md) explains the columns. *Further behind* is over five times the lowest."
    return "\n".join([*said, "", note])


def _folded(title: str, lines: list[str]) -> str:
    return "\n".join([f"<details><summary>{title}</summary>", "", *lines, "", "</details>"])


def _example(one: Algorithm) -> str:
    problem = "mslr-5-condorcet" if one.assumes_condorcet else "mslr-5"
    return "\n".join(
        [
            "```python",
            "import copeland",
            "",
            f'runs = copeland.simulate("{problem}", ["{one.name}"], horizon=10**5, runs=10)',
            "print(runs.summary())",
            "copeland.plot(runs)",
            "```",
            "",
            "```",
            f"copeland simulate {problem} -a {one.name} --horizon 1e5 --runs 10 --out out/{one.name}",
            "```",
        ]
    )


def _index(known: dict[str, Algorithm]) -> str:
    rows = [
        f"| [`{name}`]({name}.md) | {finds(one)} | {one.summary} |" for name, one in known.items()
    ]
    tree = ["```{toctree}", ":hidden:", "", *known, "```"]
    text = "One page for each: its rule, what it guarantees, when to use it, and how it did. [All on one page](../../algorithms.md)."
    head = ["| name | looks for | what it does |", "|---|---|---|"]
    return "\n".join(["# Algorithms one by one", "", text, "", *head, *rows, "", *tree]) + "\n"


def _moved(text: str) -> str:
    """The links of a page of docs as they are from a page two folders down."""
    text = re.sub(r"\]\((?!https?:|#)(?=[\w.-]+\.md|\.\./)", "](../../", text)
    return re.sub(r"\]\(#([\w-]+)\)", r"](\1.md)", text)
