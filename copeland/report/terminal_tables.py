"""Tables for a terminal: plain values in, rich tables out; and numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copeland.report.axes import REGRET_WORDS
from copeland.simulation.runs import REGRETS, Runs
from copeland.support.goal import Goal

if TYPE_CHECKING:
    from rich.table import Table

LONGEST = 20  # rows of options; all of them are in the JSON

_NARROWEST_NAME = 16  # a longer name of an algorithm is broken where there is no room
# How columns are laid out.
FIXED: dict[str, Any] = {"no_wrap": True}
NUMBER: dict[str, Any] = {"no_wrap": True, "justify": "right"}
FOLDED: dict[str, Any] = {"overflow": "fold"}
_LEAST_NEEDED = ("seconds", "median", "worst", "runs", "95 %", "comparisons")

# What is said of an algorithm of which it is true.
_NOTES = {
    "needs_horizon": "must know the horizon",
    "assumes_condorcet": "assumes a Condorcet winner",
    "stops": "stops by itself",
}

# What each quantity of `copeland bounds` is, in its order.
BOUND_WORDS = {
    "k": ("K", "options"),
    "c": ("C", "Copeland winners"),
    "l_c": ("L_C", "options that beat a Copeland winner"),
    "gap": ("Delta", "smallest gap in the paper's bound on the regret of CCB"),
    "gap_min": ("Delta_min", "smallest gap of all"),
    "gap_ratio": ("Delta² / Delta_min²", "what a bound gains by Delta in place of Delta_min"),
    "gap_star_min": ("Delta*_min", "smallest gap that proves an option not to be a winner"),
    "h_inf": ("H_inf", "largest sum of 1 / gap² of an option"),
    "c_delta": ("C(delta)", "time from which all confidence intervals hold"),
    "t_delta": ("T_delta", "time from which the rivals that CCB keeps of non-winners stay"),
    "a1": ("A1", "constant part of Theorem 1"),
    "a2": ("A2", "factor of sqrt(ln T) in Theorem 1"),
    "a3": ("A3", "factor of ln T in Theorem 1"),
    "theorem_1": ("Theorem 1", "regret of CCB by T, with probability 1 - delta, is at most this"),
    "theorem_1_expected": ("Theorem 1, expected", "expected regret of CCB by T is at most this"),
    "theorem_2_rate": ("Theorem 2", "expected regret of SCB for each log T, up to a constant"),
    "lemma_3_rate": ("Lemma 3", "duels of SCB's solver for each log(1/delta), up to a constant"),
    "lower_regret": (
        "lower bound, regret",
        "least regret (Definition 1) of any algorithm for each ln T",
    ),
    "lower_regret_ecw": (
        "- by ECW's plan",
        "the same, or more: each win confirmed alone",
    ),
    "lower_samples": (
        "lower bound, duels",
        "fewest duels of any algorithm to be sure of {}, for each ln(1/delta)",
    ),
    "lower_samples_ecw": ("- by ECW's plan", "the same, or more: each win confirmed alone"),
    "lower_condorcet": (
        "Condorcet bound",
        "least Condorcet regret for each ln T, if a Condorcet winner is assumed",
    ),
    "lower_condorcet_copeland": ("- in Copeland regret", "the same, in regret of Definition 1"),
}


def runs_table(runs: Runs, width: int = 1000) -> Table:
    """Return regret at the horizon, comparisons and correctness, a row for each algorithm.

    Where ``width`` characters do not hold all columns, those least needed are left out.
    """
    rows = runs.summary()
    cells = [{"algorithm": row["algorithm"], **runs_row(row)} for row in rows]
    names = _fitting(cells, width)
    columns: dict[str, Any] = dict.fromkeys(names, NUMBER)
    columns["algorithm"] = {"overflow": "fold", "min_width": _NARROWEST_NAME}
    table = make_table(runs_title(runs), columns)
    for row in cells:
        table.add_row(*(plain_text(row[name]) for name in names))
    if len(names) < len(cells[0]):
        table.caption = "a wider window, or --json, shows more"
    return table


def runs_title(runs: Runs) -> str:
    """Return what a table of a simulation shows, in a line."""
    title = (
        f"{runs.problem}: {runs.k} options, cumulative regret ({REGRET_WORDS[runs.regret]}) "
        f"by t = {amount(runs.horizon)}"
    )
    if runs.redrawn:
        title += "; the problem is redrawn for each run"
    return title + ("; interrupted, so fewer runs than asked for" if runs.interrupted else "")


def limit_sentence(runs: Runs, lower_bound: float) -> str:
    """Return what a lower bound for each ln t, that of Definition 1, means for a simulation."""
    rate = REGRETS[runs.regret] * lower_bound
    return (
        f"Lower bound: in the long run no algorithm that does well on every problem has less regret "
        f"({REGRET_WORDS[runs.regret]}) than {amount(rate)} ln t, "
        f"{amount(rate * math.log(runs.horizon))} by t = {amount(runs.horizon)}."
    )


def runs_row(row: Mapping[str, Any]) -> dict[str, str]:
    """Return a row of :meth:`copeland.Runs.summary` as text by column."""
    return {
        "runs": str(row["runs"]),
        "mean": amount(row["mean"]),
        "sd": amount(row["sd"]) if row["runs"] > 1 else "-",
        "median": amount(row["median"]),
        "95 %": amount(row["q95"]),
        "worst": amount(row["worst"]),
        "comparisons": amount(row["comparisons"]),
        "correct": f"{100 * row['correct']:.3g} %",
        "seconds": f"{row['seconds']:.2f}",
    }


def algorithms_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return what each algorithm looks for, takes and needs, a row for each."""
    columns = {"name": FIXED, "looks for": FIXED, "what it does, its paper, its parameters": {}}
    table = make_table(None, columns, lines=True)
    for row in rows:
        params = ", ".join(f"{name}={default}" for name, default in row["parameters"].items())
        notes = "; ".join(
            filter(None, (params, *(words for key, words in _NOTES.items() if row[key])))
        )
        about = [row["summary"], row["paper"], notes]
        table.add_row(row["name"], row["target"], plain_text("\n".join(filter(None, about))))
    return table


def problems_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the built-in problems, a row for each."""
    table = make_table(None, {"name": FIXED, "what it is, and its source": {}}, lines=True)
    for row in rows:
        example = "" if row["example"] == row["name"] else f"; for example {row['example']}"
        table.add_row(row["name"], plain_text(f"{row['about']}{example}\n{row['source']}"))
    return table


def options_table(found: Mapping[str, Any]) -> Table:
    """Return every score of each option of ``copeland winners``, most wins first."""
    shown = sorted(range(found["k"]), key=lambda i: -found["copeland_scores"][i])
    numbers = ("wins", "Borda", "random walk", "von Neumann")
    table = make_table(None, {"option": {}, **{key: {"justify": "right"} for key in numbers}})
    for i in shown[:LONGEST]:
        table.add_row(
            plain_text(option_name(found, i)),
            str(found["copeland_scores"][i]),
            f"{found['borda_scores'][i]:.3f}",
            f"{found['random_walk_distribution'][i]:.4f}",
            f"{found['von_neumann'][i]:.4f}",
        )
    if len(shown) > LONGEST:
        table.caption = f"the first {LONGEST} of {len(shown)} options; --json gives them all"
    return table


def option_name(found: Mapping[str, Any], i: int) -> str:
    """Return an option's index, and its label if that says more."""
    label = found["labels"][i]
    return label if label == str(i) else f"{i} ({label})"


def bounds_table(found: Mapping[str, Any], name: str) -> Table:
    """Return the quantities and bounds of :func:`copeland.bounds.summary`, a row for each."""
    given = (
        f"alpha = {found['alpha']:g}, delta = {found['delta']:g}, T = {amount(found['horizon'])}"
    )
    form = "corrected" if found["corrected"] else "as printed in the paper"
    words = dict(BOUND_WORDS)
    symbol, meaning = words["lower_samples"]
    words["lower_samples"] = symbol, meaning.format(Goal.parse(found["goal"]).answer)
    columns = {"quantity": FIXED, "value": NUMBER, "what it is": {}}
    table = make_table(f"{name}: {given}; {form}", columns)
    for key, (symbol, meaning) in words.items():
        reason = found["undefined"].get(key) or found["undefined"].get(f"log_{key}")
        table.add_row(symbol, "undefined" if reason else bound(found, key), reason or meaning)
    return table


def matrix_table(rows: Sequence[Sequence[float]], labels: Sequence[str]) -> Table:
    """Return a preference matrix: how often the option of a row beats that of a column."""
    table = make_table(None, {"": {}})
    for label in labels:
        table.add_column(plain_text(label), **NUMBER)
    for i, row in enumerate(rows):
        cells = ["·" if i == j else f"{p:.4g}" for j, p in enumerate(row)]
        table.add_row(plain_text(labels[i]), *cells)
    return table


def amount(x: float) -> str:
    """Return a number to three digits or to the unit, with commas; in powers of ten when round.

    What is not a number is regret at a mark that a run was cut before.

    Examples
    --------
    >>> amount(0.51234), amount(12.345), amount(1234567.8), amount(10**8), amount(math.nan)
    ('0.512', '12.3', '1,234,568', '10^8', 'cut')
    """
    if math.isnan(x):
        return "cut"
    digits = str(int(x)) if x == int(x) else ""
    if len(digits) > 6 and digits.rstrip("0") == "1":
        return f"10^{len(digits) - 1}"
    if abs(x) >= 1e15:
        return f"{x:.4g}"
    return f"{x:,.0f}" if abs(x) >= 999.5 else f"{x:.3g}"


def bound(found: Mapping[str, Any], key: str) -> str:
    """Return a quantity of the bounds; one that no float holds as a power of e."""
    log = found.get(f"log_{key}")
    if log is None:
        return amount(found[key])
    return amount(math.exp(log)) if log < 30 else f"e^{log:.1f}"


def _fitting(cells: Sequence[Mapping[str, str]], width: int) -> list[str]:
    """The columns to show: all, or without those least needed if they are wider than ``width``."""
    widths = {name: max(len(name), *(len(row[name]) for row in cells)) for name in cells[0]}
    widths["algorithm"] = min(widths["algorithm"], _NARROWEST_NAME)
    for name in _LEAST_NEEDED:
        if sum(widths.values()) + 3 * len(widths) <= width:
            break
        del widths[name]
    return list(widths)


def plain_text(text: str) -> Any:
    """Text as it is: a label may hold brackets, which rich would read as markup."""
    from rich.text import Text

    return Text(text)


def make_table(title: str | None, columns: Mapping[str, Any], lines: bool = False) -> Table:
    """An empty table with these columns, each by its name and how it is laid out."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=None if title is None else plain_text(title),
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        show_lines=lines,
        pad_edge=False,
    )
    for name, layout in columns.items():
        table.add_column(name, **layout)
    return table
