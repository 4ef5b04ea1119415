"""What the measurements come to, in a sentence each, worked out from the tables on their pages."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.heat import heat_map
from benchmarks.page_tables import Table, anchor, column, number, section, span, tables
from copeland.report.document import image

TUNING = "### After 200 votes"
_MAP = "![Regret of the recommendation after 200 votes, for every problem and every way of asking](../images/measurements-tuning.svg)"
_HEAD = (
    "# Measurements\n\n"
    "This page says what we measured, in a sentence or two each. A link leads to the table, its date and how it was measured. "
    "No people took part: votes are simulated, or drawn from votes that others published. "
    "`make measure` measures everything again, and `python -m benchmarks.measure PART` one part. "
    "A program works the sentences out from the tables."
)


def _identified(found: list[Table]) -> str:
    worst = max(column(found[0], "wrong answers"))
    if worst == 0:
        return "At delta = 0.05, no run of any algorithm ended with a wrong answer."
    return f"At delta = 0.05, no algorithm answered wrongly in more than {worst:g} % of its runs on any problem."


def _prototype(found: list[Table]) -> str:
    wrong = int(sum(column(found[0], "wrong")))
    return (
        f"On {len(found[0])} problems `cpc-pac` takes {span(found[0], 'ours / prototype')} times the votes of a prototype. "
        f"It proved a wrong option in {wrong or 'none'} of {int(sum(column(found[0], 'runs')))} runs."
    )


def _split_price(found: list[Table]) -> str:
    parts = [span(found[0], name) for name in ("votes / known", "level", "form")]
    return (
        f"On {len(found[0])} problems `cpc-pac` takes {parts[0]} times the votes of a player who knows the matrix and proves the same. "
        f"The level that many claims need takes {parts[1]} times as many as that of one claim, and the form of the "
        f"certificate {parts[2]} times the limit."
    )


def _all_pairs(found: list[Table]) -> str:
    ratios = column(found[0], "all pairs / cpc-pac")
    return (
        f"On {len(ratios)} matrices, asking all pairs takes {min(ratios):g} to {max(ratios):g} times as many votes "
        f"to the same certificate as `cpc-pac`, {statistics.median(ratios):.1f} times in the median."
    )


def _best_few(found: list[Table]) -> str:
    ratios = column(found[0], "planned / three winners")
    more = sum(ratio > 1 for ratio in ratios)
    return (
        f"To prove the best three, `cpc-pac` takes {min(ratios):g} to {max(ratios):g} times the votes of finding three winners in turn. "
        f"It takes more on {more} of {len(ratios)} problems."
    )


def _wrong_goals(found: list[Table]) -> str:
    top, baseline = (max(column(found[0], name)) * 100 for name in ("wrong top", "wrong baseline"))
    return (
        f"At delta = 0.05, {'no run' if top == 0 else f'at most {top:g} % of the runs of one kind'} proved a wrong top. "
        f"At most {baseline:g} % of the runs of one kind made a wrong claim about the baseline ({len(found[0])} kinds)."
    )


def _wrong_certificates(found: list[Table]) -> str:
    worst = max(column(found[0], "anything")) * 100
    return (
        f"At delta = 0.05, looked at after every vote, a certificate was wrong in at most {worst:g} % of the "
        f"runs of any of {len(found[0])} kinds."
    )


def _attacked(found: list[Table]) -> str:
    counts = {
        kind: [
            int(row[world])
            for row in found[0]
            for world in list(row)[2:-1]
            if row[world] and (row["who votes"] == "panel") == (kind == "panel")
        ]
        for kind in ("panel", "others")
    }
    panels = max(counts["panel"])
    return (
        f"At delta = 0.05, whatever is done to ballots and options, at most {max(counts['others']):,} of 2,000 studies of any of "
        f"{len(counts['others'])} kinds proved anything wrong, and {panels or 'none'} of the panels. Of a ledger without the rule that is "
        f"against an attack, at least {int(min(column(found[1], 'fewest')))} of 100 did."
    )


def _likely(found: list[Table]) -> str:
    rows = [row["wrong names over all studies"].split(" of ") for row in found[0]]
    wrong, all_ = (sum(int(row[i]) for row in rows) for i in (0, 1))
    named = int(sum(column(found[0], "named")))
    return (
        f"Of {all_} studies, {named} came to name an option by its chance to be best, 95 %, before a proof. "
        f"{wrong} of these named a wrong one."
    )


def _forecast(found: list[Table]) -> str:
    return f"What a study took was inside the forecast's range in {found[0][-1]['inside']} looks."


def _drifted(found: list[Table]) -> str:
    moves = [row for row in found[0] if "then" in row["p"]]
    stays = [row for row in found[0] if "then" not in row["p"]]
    return (
        f"At level 0.05, drift is flagged in {span(moves, 'flagged')} % of runs where p moves by 0.1, "
        f"and in at most {max(column(stays, 'flagged')):g} % where it stays."
    )


def _gated(found: list[Table]) -> str:
    false, apart = (
        max(column(table, name))
        for table, name in zip(found, ("false", "difference"), strict=False)
    )
    return (
        f"At delta = 0.05, none of {len(found[0])} kinds of gates made a false claim in more than {false:.1%} of its runs. "
        f"The power that a gate announces differs from the measured one by {apart:g} at most."
    ).replace("%", " %")


def _killed(found: list[Table]) -> str:
    kept, lost = (int(sum(column(found[0], name))) for name in ("acknowledged votes", "lost"))
    return (
        f"We killed processes at random: of {kept:,} acknowledged votes {lost or 'none'} got lost."
    )


def _restarted(found: list[Table]) -> str:
    kept, lost = (int(sum(column(found[0], name))) for name in ("acknowledged votes", "lost"))
    times = int(sum(column(found[0], "restarts")))
    return (
        f"PostgreSQL ended at once and started again {times} times while {kept:,} votes were acknowledged. "
        f"{str(lost) if lost else 'None'} of them got lost."
    )


def _filled(found: list[Table]) -> str:
    kept, lost = (int(sum(column(found[0], name))) for name in ("acknowledged votes", "lost"))
    return f"The disk was full for a while as {kept:,} votes were acknowledged. {str(lost) if lost else 'None'} of them got lost."


def _several(found: list[Table]) -> str:
    one, most = found[0][0], found[0][-1]["servers"]
    cost = {
        row["requests go to"]: row["CPU of servers"] for row in found[0] if row["servers"] == most
    }
    return (
        f"A vote takes {one['CPU of servers']} ms of CPU of a server and {one['of PostgreSQL']} ms of PostgreSQL. On "
        f"{most} servers it takes "
        f"{cost['one server a study']} ms if all requests to a study go to one of them, and {cost['any server']} ms if each goes to any."
    )


def _served(found: list[Table]) -> str:
    row = found[0][0]
    lost = "loses none" if row["lost"] == "0" else f"loses {row['lost']}"
    return (
        f"A server on two cores with {row['']} and {row['voters']} simulated voters who do not pause takes "
        f"{row['votes/s']} votes a second, and {lost}."
    )


def _quick(found: list[Table]) -> str:
    row = next(row for row in found[0] if row["storage"] == "SQLite")
    return f"On SQLite, with 50 options and 10,000 votes, an ask and a tell take {row['ask + tell at 10,000 votes, median']} in the median."


def _hostile(found: list[Table]) -> str:
    row = found[0][0]
    return f"Of {row['commands and functions']} commands and functions that got hostile input, these broke: {row['broke']}."


def _independent(found: list[Table]) -> str:
    apart = [abs(x) for table in found for x in column(table, "difference in standard errors")]
    return f"{len(apart)} figures of independent simulators and prototypes differ from ours by {max(apart):.1f} standard errors at most."


def _over_time(found: list[Table]) -> str:
    end = list(found[0][0])[-2]
    by = {(row["problem"], row["algorithm"]): number(row[end]) for row in found[0]}
    problems = {problem for problem, _ in by}
    less = sum(by[problem, "ccb"] < by[problem, "scb"] for problem in problems)
    return f"At {end.replace('e+0', 'e')}, CCB has less regret than SCB on {less} of {len(problems)} problems."


def _slopes(found: list[Table]) -> str:
    return f"Between T = 1e6 and 1e8 the regret of `cpc` grows {span(found[0], 'ratio')} times as fast as the lower bound."


def _tails(found: list[Table]) -> str:
    cautious, eager = (
        span([row for row in found[0] if row["setting"] == setting], "worst / mean")
        for setting in ("cautious", "eager")
    )
    return f"In the worst of 5,000 runs `cpc` pays {cautious} times its mean regret, and its eager setting {eager} times."


def _five_hundred(found: list[Table]) -> str:
    return f"With 500 options, `cpc` has {span(found[0], '`cpc` / better')} times the regret of the better of CCB and SCB at T = 1e7."


def _growth(found: list[Table]) -> str:
    first, last = found[0][0], found[0][-1]
    name = "regret / (K log2 K)"
    return f"From {first['K']} to {last['K']} options, the regret of `cpc` divided by K log2 K goes from {first[name]} to {last[name]}."


def _tournaments(found: list[Table]) -> str:
    return (
        f"On {len(found[0])} random tournaments, eager `cpc` has {span(found[0], 'eager / limit')} times the "
        "regret LB ln T of the lower bound at T = 1e6."
    )


def _ordered(found: list[Table]) -> str:
    broken = [
        row
        for row in found[0]
        if "cpc-pac" in row["world"] or "taken as independent" in row["world"]
    ]
    held = [row for row in found[0] if row not in broken]
    said, unsafe = (
        max(number(row["wrong pair"].partition("(")[2]) for row in rows) for rows in (held, broken)
    )
    return (
        f"At delta = 0.05, an order whose assumptions hold told a wrong pair in at most {said:g} % of the replays of one kind. "
        f"Where the votes choose the pairs, or votes of one person count as independent, it was up to {unsafe:g} %."
    )


def _delayed(found: list[Table]) -> str:
    row = found[0][-1]
    return (
        f"In simulated traffic with clicks {row['clicks']}, the best ranker is certified in {row['the best is certified']} runs, "
        f"after {number(row['times those without delay']):g} times as many lists as without delay."
    )


def _multileaved(found: list[Table]) -> str:
    rows = {(row["rankers"], row["draw"], row["mixed in a list"]): row for row in found[0]}
    draws = {(rankers, draw) for rankers, draw, _ in rows}
    fewer = [draw for draw in draws if _lists(rows[*draw, draw[0]]) < _lists(rows[*draw, "two"])]
    best = "certified and best by lists of two"
    other = sum(rows[*draw, draw[0]][best] == "0" for draw in fewer)
    return (
        f"Mixing all rankers in a list takes fewer lists to a certificate than mixing two, in {len(fewer)} of "
        f"{len(draws)} draws of rankers. "
        f"In {other} of these it never certifies the ranker that is best by lists of two."
    )


def _lists(row: dict[str, str]) -> float:
    return math.inf if "over" in row["lists"] else number(row["lists"])


def _tuned(found: list[Table]) -> str:
    said = []
    for kind in ("with a utility", "in cycles"):
        row = next(row for row in found[0] if row["problem"] == f"*{kind}*")
        others = {
            name: number(cell) for name, cell in row.items() if name not in ("problem", "tuner")
        }
        best = min(others, key=lambda name: others[name])
        said.append(
            f"{number(row['tuner']):.3f} {kind} ({best}, the best other: {others[best]:.3f})"
        )
    return f"After 200 votes the tuner's regret is {' and '.join(said)}."


SENTENCES: dict[str, Callable[[list[Table]], str]] = {
    "## Identification": _identified,
    "## CPC: votes to a certificate": _prototype,
    "## CPC: why a certificate takes more votes than the limit": _split_price,
    "## Votes to a certificate, against all pairs": _all_pairs,
    "## Votes to the best three, and to a baseline": _best_few,
    "## False certificates": _wrong_certificates,
    "## False certificates of the best few, and of a baseline": _wrong_goals,
    "## False certificates of people": _wrong_certificates,
    "## False certificates, whatever is done to ballots": _attacked,
    "## Likely best": _likely,
    "## Forecasts": _forecast,
    "## Drift": _drifted,
    "## Gates": _gated,
    "## Killed voters": _killed,
    "## Killed workers": _killed,
    "## Killed servers": _killed,
    "## A database that restarts": _restarted,
    "## A full disk": _filled,
    "## Served votes": _served,
    "## Several servers": _several,
    "## Quickness of studies": _quick,
    "## Hostile input": _hostile,
    "## Regret against independent figures": _independent,
    "## Regret over time": _over_time,
    "## CPC: slope in ln T": _slopes,
    "## CPC: the worst of many runs": _tails,
    "## CPC: five hundred options": _five_hundred,
    "## CPC: growth with the number of options": _growth,
    "## CPC: random tournaments": _tournaments,
    "## Orders and tiers": _ordered,
    "## Simulated traffic": _delayed,
    "## Multileaving": _multileaved,
    TUNING: _tuned,
}


def overview(subjects: dict[str, tuple[str, dict[str, str]]]) -> str:
    """Return the page of measurements: of every subject, what its measurements come to, with links to the tables.

    A subject is its title, the address of its page and the sections there by heading.
    """
    parts = [_HEAD]
    for subject, (address, kept) in subjects.items():
        lines = [line for text in kept.values() for line in _said(address, text)]
        parts.append("\n".join([f"## {subject}\n", *lines]))
    return "\n\n".join(parts) + "\n"


def _said(address: str, text: str) -> list[str]:
    """The lines about a section: its link and a sentence; the bare link where there is no sentence."""
    titles = [line for line in text.splitlines() if line in SENTENCES]
    if not titles:
        return [_link(address, text.partition("\n")[0])]
    return [
        f"{_link(address, title)} {SENTENCES[title](tables(section(text, title)))}"
        for title in titles
    ]


def _link(address: str, title: str) -> str:
    return f"- **[{title.lstrip('# ')}]({address}#{anchor(title)}).**"


def with_tuning_map(page: str) -> str:
    """Return a page with the picture of the tuning above its table, if it has that table."""
    page = page.replace(f"\n{_MAP}\n", "")
    return page.replace(f"{TUNING}\n", f"{TUNING}\n\n{_MAP}\n", 1)


def write_tuning_map(page: str, folder: Path) -> None:
    """Draw the regret of every way of asking on every problem, after 200 votes."""
    rows = [row for row in tables(section(page, TUNING))[0] if "*" not in row["problem"]]
    ways = [name for name in rows[0] if name != "problem"]
    values = np.array([[number(row[way]) for row in rows] for way in ways])
    figure = heat_map(
        np.maximum(values, 0.001),
        ways,
        [row["problem"].strip("`") for row in rows],
        ticks=(0.001, 0.01, 0.1, 0.5),
        label="regret after 200 votes; grey: not run",
    )
    (folder / "measurements-tuning.svg").write_bytes(image(figure, "svg"))
