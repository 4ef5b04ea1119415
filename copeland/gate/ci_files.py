"""What CI shows of a gate: JUnit XML, with a test for the gate by each judge and one for each tag, and Markdown for the page of a job.

Of the tests, only what is proved is green. An undecided gate is a failure of the type "undecided": systems let a job
with skipped tests pass. An undecided tag is skipped, because few cases rarely prove anything, and nobody required it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from copeland.gate.case_pairs import BASELINE, CANDIDATE
from copeland.gate.claims import FAILED, PASSED, UNDECIDED
from copeland.gate.gate_result import GateResult, JudgeResult
from copeland.gate.gate_sentences import (
    describe_claim,
    describe_details,
    describe_open_tags,
    describe_saving,
    describe_slice,
    describe_verdict,
    format_share,
)
from copeland.support.escaping import SHOWN, inert
from copeland.support.phrasing import format_count, shorten

_NO_XML = re.compile("[\ufffe\uffff]")
CASES = 5  # cases on which the candidate lost
LETTERS = 300  # of a text
# What Markdown or HTML acts on within a line: emphasis, links (also bare ones), tables, mentions, mathematics.
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)


class _Test(NamedTuple):
    name: str
    outcome: str
    sentence: str
    details: str = ""
    is_skipped: bool = False


def make_junit(result: GateResult) -> bytes:
    """Return a JUnit file of a gate."""
    tests = list(_list_tests(result))
    failures = sum(test.outcome != PASSED and not test.is_skipped for test in tests)
    skipped = sum(test.is_skipped for test in tests)
    counts = {"tests": len(tests), "failures": failures, "errors": 0, "skipped": skipped}
    counts = {name: str(number) for name, number in counts.items()}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "copeland gate", **counts})
    for test in tests:
        named = {"classname": "copeland.gate", "name": _clean(test.name)}
        case = ElementTree.SubElement(suite, "testcase", named)
        if test.is_skipped:
            ElementTree.SubElement(case, "skipped", {"message": _clean(test.sentence)})
        elif test.outcome != PASSED:
            kind = {"type": test.outcome, "message": _clean(test.sentence)}
            ElementTree.SubElement(case, "failure", kind).text = _clean(test.details)
        out = ElementTree.SubElement(case, "system-out")
        out.text = _clean(test.sentence)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def make_error_junit(error: str) -> bytes:
    """Return a JUnit file of a gate that came to nothing, with the reason."""
    counts = {"tests": "1", "failures": "0", "errors": "1", "skipped": "0"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "copeland gate", **counts})
    case = ElementTree.SubElement(suite, "testcase", {"classname": "copeland.gate", "name": "gate"})
    ElementTree.SubElement(case, "error", {"type": "error", "message": _clean(error)})
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def make_error_summary(error: str) -> str:
    """Return a page about a gate that came to nothing, with the reason."""
    return f"## Gate error\n\n{escape_markdown(error)}\n"


def _list_tests(result: GateResult) -> Iterator[_Test]:
    old, new = result.pairs.names
    details = "\n".join(describe_details(result))
    for saving in result.savings:
        outcome = PASSED if saving.holds else FAILED
        yield _Test(f"{new} is {saving.what} than {old}", outcome, describe_saving(saving))
    for judge in result.judges:
        claim = "better than" if result.settings.require == "better" else "not worse than"
        sentence = describe_verdict(result, judge)
        yield _Test(
            f"{new} is {claim} {old}, by {judge.judge}", judge.finding.outcome, sentence, details
        )
        yield from _list_tags(result, judge)


def _list_tags(result: GateResult, judge: JudgeResult) -> Iterator[_Test]:
    for one in judge.slices:
        outcome = FAILED if one.conflict else one.finding.outcome
        name, sentence = f"tag {one.tag}, by {judge.judge}", describe_slice(result, one)
        yield _Test(name, outcome, sentence, is_skipped=outcome == UNDECIDED)


def _clean(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NO_XML.sub(SHOWN, inert(text))


def make_summary(result: GateResult) -> str:
    """Return a page about a gate: the verdict, tags, cost, and cases on which the candidate lost."""
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
    r"""Return a text on one line that Markdown and HTML show as it is."""
    return _ACTIVE.sub(r"\\\1", shorten(text, most or len(text)))


def _tabulate(result: GateResult) -> Iterator[str]:
    """A row for each judge, and for each of its tags."""
    rows = ["| judge | cases | verdict | theta | wins | losses | ties | calls |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for judge in result.judges:
        claim = describe_claim(judge.finding, result.terms, *result.pairs.names)
        low, high = judge.interval
        shown = _show_theta(judge.tally.theta)
        theta = (
            shown if judge.is_exact else f"{shown} ({format_share(low)} to {format_share(high)})"
        )
        rows.append(_make_row(judge.judge, "all", claim, theta, *judge.tally[:3], judge.calls))
        for one in judge.slices:
            if one.is_open:
                continue
            claim = describe_claim(one.finding, result.terms, *result.pairs.names)
            warning = " (contradicts other cases)" if one.conflict else ""
            theta = _show_theta(one.tally.theta)
            rows.append(
                _make_row(judge.judge, one.tag, f"{claim}{warning}", theta, *one.tally[:3], "")
            )
    if result.judges:
        yield "\n".join(rows)


def _make_row(*cells: object) -> str:
    return f"| {' | '.join(escape_markdown(str(one), LETTERS) for one in cells)} |"


def _show_theta(theta: float | None) -> str:
    return "" if theta is None else format_share(theta)


def _list_details(result: GateResult) -> Iterator[str]:
    said = describe_details(result, tags=False)
    said += [one for judge in result.judges for one in describe_open_tags(judge)]
    if said:
        yield "\n".join(f"- {escape_markdown(one)}" for one in said)


def _list_losses(result: GateResult, judge: JudgeResult) -> Iterator[str]:
    """The first cases on which the candidate lost, with both answers."""
    lost = judge.lost[:CASES]
    if not lost:
        return
    pairs = result.pairs
    yield f"### Lost by {escape_markdown(pairs.names[1])}, by {escape_markdown(judge.judge)}: {len(lost)} of {len(judge.lost)}"
    why = {one.case: one.note for one in judge.judgments}
    columns = ["case", "input", *pairs.names, *(["why"] if any(why[case] for case in lost) else [])]
    rows = [_make_row(*columns), "|---" * len(columns) + "|"]
    cases = {case.id: case for case in pairs.cases}
    for case in (cases[name] for name in lost):
        cells = (case.id, case.text, *pairs.answers(case), why[case.id])
        rows.append(_make_row(*cells[: len(columns)]))
    yield "\n".join(rows)


def _list_disagreements(result: GateResult) -> Iterator[str]:
    """The first cases that judges decided differently, with what each said."""
    shown = [*result.disagreements.items()][:CASES]
    if not shown:
        return
    names = [judge.judge for judge in result.judges]
    yield f"### Where judges disagree: {len(shown)} of {format_count(len(result.disagreements), 'case')}"
    rows = [_make_row("case", *names), "|---" * (len(names) + 1) + "|"]
    options: dict[str, str] = dict(zip((BASELINE, CANDIDATE), result.pairs.names, strict=True))
    for case, said in shown:
        rows.append(_make_row(case, *(options.get(w, w) for w in (said.get(n, "") for n in names))))
    yield "\n".join(rows)
