"""What CI shows of a gate: JUnit XML, with a test for the gate by each judge and one for each tag, and Markdown for the page of a job.

Of the tests, only what is proved is green. An undecided gate is a failure of the type "undecided": systems let a job
with skipped tests pass. An undecided tag is skipped, because few cases rarely prove anything, and nobody required it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from copeland.gate.case_pairs import BASELINE, SIDES
from copeland.gate.claims import FAILED, PASSED
from copeland.gate.gate_result import GateResult, JudgeResult
from copeland.gate.gate_sentences import (
    describe_details,
    describe_saving,
    describe_slice,
    describe_verdict,
)
from copeland.support.escaping import SHOWN, inert
from copeland.support.phrasing import format_count, shorten

_NO_XML = re.compile("[\ufffe\uffff]")
CASES = 5  # cases on which the candidate lost
LETTERS = 300  # of a text
# What Markdown or HTML acts on within a line: emphasis, links (also bare ones), tables, mentions, mathematics.
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#|~&$@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_TALLIED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


class _Test(NamedTuple):
    name: str
    outcome: str
    sentence: str
    details: str = ""
    element: str = "failure"  # what stands there unless it passed


def make_junit(result: GateResult) -> bytes:
    """Return a JUnit file of a gate."""
    return _write_suite([*_list_tests(result)])


def make_error_junit(error: str) -> bytes:
    """Return a JUnit file of a gate that came to nothing, with the reason."""
    return _write_suite([_Test("gate", "error", error, element="error")])


def make_error_summary(error: str) -> str:
    """Return a page about a gate that came to nothing, with the reason."""
    return f"## Gate error\n\n{escape_markdown(error)}\n"


def _write_suite(tests: Sequence[_Test]) -> bytes:
    ends = ["" if test.outcome == PASSED else test.element for test in tests]
    counts = {"tests": str(len(tests))}
    counts |= {name: str(ends.count(element)) for element, name in _TALLIED.items()}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "copeland gate", **counts})
    for test, end in zip(tests, ends, strict=True):
        named = {"classname": "copeland.gate", "name": _clean(test.name)}
        case = ElementTree.SubElement(suite, "testcase", named)
        if end:
            kind = {} if end == "skipped" else {"type": test.outcome}
            told = {**kind, "message": _clean(test.sentence)}
            ElementTree.SubElement(case, end, told).text = _clean(test.details)
        ElementTree.SubElement(case, "system-out").text = _clean(test.sentence)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _list_tests(result: GateResult) -> Iterator[_Test]:
    old, new = result.pairs.names
    claim = "better than" if result.settings.require == "better" else "not worse than"
    details = "\n".join(describe_details(result))
    for saving in result.savings:
        outcome = PASSED if saving.holds else FAILED
        yield _Test(f"{new} is {saving.what} than {old}", outcome, describe_saving(saving))
    for judge in result.judges:
        outcome, sentence = judge.finding.outcome, describe_verdict(result, judge)
        yield _Test(f"{new} is {claim} {old}, by {judge.judge}", outcome, sentence, details)
        for one in judge.slices:
            outcome = FAILED if one.conflict else one.finding.outcome
            element = "skipped" if one.is_open else "failure"
            name, sentence = f"tag {one.tag}, by {judge.judge}", describe_slice(result, one)
            yield _Test(name, outcome, sentence, element=element)


def _clean(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NO_XML.sub(SHOWN, inert(text))


def make_summary(result: GateResult) -> str:
    """Return a page about a gate: the verdict, tags, cost, and cases on which the candidate lost."""
    old, new = map(escape_markdown, result.pairs.names)
    parts = [
        f"## Gate {result.outcome}: {new} against {old}",
        escape_markdown(result.sentence),
        "\n".join(f"- {escape_markdown(one)}" for one in describe_details(result)),
        *(line for judge in result.judges for line in _list_losses(result, judge)),
        *_list_disagreements(result),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def escape_markdown(text: str, most: int | None = None) -> str:
    r"""Return a text on one line that Markdown and HTML show as it is."""
    return _ACTIVE.sub(r"\\\1", shorten(text, most or len(text)))


def _make_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        f"| {' | '.join(escape_markdown(one, LETTERS) for one in cells)} |"
        for cells in (columns, *rows)
    ]
    return "\n".join([lines[0], "|---" * len(columns) + "|", *lines[1:]])


def _list_losses(result: GateResult, judge: JudgeResult) -> Iterator[str]:
    """The first cases on which the candidate lost, with both answers."""
    every = [one for one in judge.judgments if one.preferred == BASELINE]
    lost, pairs = every[:CASES], result.pairs
    if not lost:
        return
    yield f"### Lost by {escape_markdown(pairs.names[1])}, by {escape_markdown(judge.judge)}: {len(lost)} of {len(every)}"
    columns = ["case", "input", *pairs.names, *(["why"] if any(one.note for one in lost) else [])]
    cases = {case.id: case for case in pairs.cases}
    rows = [
        (one.case, cases[one.case].text, *pairs.answers(cases[one.case]), one.note) for one in lost
    ]
    yield _make_table(columns, [row[: len(columns)] for row in rows])


def _list_disagreements(result: GateResult) -> Iterator[str]:
    """The first cases that judges decided differently, with what each said."""
    every = result.disagreements
    shown = [*every.items()][:CASES]
    if not shown:
        return
    yield f"### Where judges disagree: {len(shown)} of {format_count(len(every), 'case')}"
    judges = [judge.judge for judge in result.judges]
    options: dict[str, str] = dict(zip(SIDES, result.pairs.names, strict=True))
    rows = [[case, *(by.get(judge, "") for judge in judges)] for case, by in shown]
    yield _make_table(["case", *judges], [[options.get(one, one) for one in row] for row in rows])
