"""A gate as Markdown, for the page of a CI job."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copeland.gate.case_pairs import BASELINE, CANDIDATE
from copeland.gate.gate_result import GateResult, JudgeResult
from copeland.gate.gate_sentences import describe_claim, describe_details, format_share
from copeland.support.escaping import inert

SHOWN = 5  # cases on which the candidate lost
LETTERS = 300  # of a text

# What Markdown or HTML acts on within a line: emphasis, links (also bare ones), tables, mentions, mathematics.
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)


def make_summary(result: GateResult) -> str:
    """Return a page about a gate: the verdict, tags, cost, and cases on which the candidate lost.

    Examples
    --------
    >>> from copeland.gate import run_gate
    >>> old, new = ({f"q{i}": word for i in range(20)} for word in ("hm", "yes"))
    >>> result = run_gate(old, new, {"shorter": lambda a, b, item: "left" if a.text == "yes" else "right"})
    >>> make_summary(result).splitlines()[0]
    '## Gate passed: candidate against baseline'
    """
    old, new = map(escape_markdown, result.pairs.names)
    parts = [
        f"## Gate {result.outcome}: {new} against {old}",
        escape_markdown(result.sentence),
        *_tabulate(result),
        *_list_details(result),
        *(line for judge in result.judges for line in _list_losses(result, judge)),
        *_list_disagreements(result),
    ]
    return "\n\n".join(parts) + "\n"


def escape_markdown(text: str, most: int | None = None) -> str:
    r"""Return a text on one line that Markdown and HTML show as it is.

    Examples
    --------
    >>> escape_markdown("<b>*tea*</b> | x")
    '\\<b\\>\\*tea\\*\\</b\\> \\| x'
    """
    line = " ".join(inert(text).split())
    if most is not None and len(line) > most:
        line = f"{line[: most - 1]}…"
    return _ACTIVE.sub(r"\\\1", line)


def _tabulate(result: GateResult) -> Iterator[str]:
    """A row for each judge, and for each of its tags."""
    rows = ["| judge | cases | verdict | theta | wins | losses | ties | calls |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for judge in result.judges:
        claim = describe_claim(judge.finding, result.terms, *result.pairs.names)
        low, high = judge.interval
        shown = _show_theta(judge.tally.verdicts.theta)
        theta = (
            shown if judge.is_exact else f"{shown} ({format_share(low)} to {format_share(high)})"
        )
        rows.append(_make_row(judge.judge, "all", claim, theta, *judge.tally.verdicts, judge.calls))
        for one in judge.slices:
            claim = describe_claim(one.finding, result.terms, *result.pairs.names)
            warning = " (contradicts other cases)" if one.conflict else ""
            theta = _show_theta(one.tally.verdicts.theta)
            counts = one.tally.verdicts
            rows.append(_make_row(judge.judge, one.tag, f"{claim}{warning}", theta, *counts, ""))
    if result.judges:
        yield "\n".join(rows)


def _make_row(*cells: object) -> str:
    return f"| {' | '.join(escape_markdown(str(one), LETTERS) for one in cells)} |"


def _show_theta(theta: float | None) -> str:
    return "" if theta is None else format_share(theta)


def _list_details(result: GateResult) -> Iterator[str]:
    said = describe_details(result, tags=False)
    if said:
        yield "\n".join(f"- {escape_markdown(one)}" for one in said)


def _list_losses(result: GateResult, judge: JudgeResult) -> Iterator[str]:
    """The first cases on which the candidate lost, with both answers."""
    lost = judge.lost[:SHOWN]
    if not lost:
        return
    yield f"### Lost by {escape_markdown(result.pairs.names[1])}, by {escape_markdown(judge.judge)}: {len(lost)} of {len(judge.lost)}"
    rows = [_make_row("case", "input", *result.pairs.names), "|---|---|---|---|"]
    for place in lost:
        case = result.pairs.cases[place]
        rows.append(_make_row(case.id, case.text, case.baseline, case.candidate))
    yield "\n".join(rows)


def _list_disagreements(result: GateResult) -> Iterator[str]:
    """The first questions that judges answered differently, with what each said."""
    shown = result.disagreements[:SHOWN]
    if not shown:
        return
    names = [judge.judge for judge in result.judges]
    yield f"### Where judges disagree: {len(shown)} of {len(result.disagreements)} questions"
    rows = [_make_row("case", *names), "|---" * (len(names) + 1) + "|"]
    old, new = result.pairs.names
    options: dict[str, str] = {BASELINE: old, CANDIDATE: new}
    for one in shown:
        said = (one.said.get(name, "") for name in names)
        rows.append(_make_row(one.case, *(options.get(word, word) for word in said)))
    yield "\n".join(rows)
