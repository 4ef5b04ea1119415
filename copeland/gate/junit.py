"""A gate as JUnit XML, which CI systems show: a test for the gate by each judge, and one for each tag.

Only what is proved is green. An undecided gate is a failure of the type "undecided": systems let a job with skipped tests pass. An undecided tag
is skipped, because few cases rarely prove anything, and nobody required it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from copeland.gate.claims import FAILED, PASSED, UNDECIDED
from copeland.gate.gate_result import GateResult, JudgeResult
from copeland.gate.gate_sentences import (
    describe_details,
    describe_saving,
    describe_slice,
    describe_verdict,
)
from copeland.support.escaping import SHOWN, inert

_NO_XML = re.compile("[\ufffe\uffff]")


class _Test(NamedTuple):
    name: str
    outcome: str
    sentence: str
    details: str = ""
    is_skipped: bool = False


def make_junit(result: GateResult) -> bytes:
    """Return a JUnit file of a gate.

    Examples
    --------
    >>> from copeland.gate import run_gate
    >>> old, new = ({f"q{i}": word for i in range(20)} for word in ("hm", "yes"))
    >>> result = run_gate(old, new, {"shorter": lambda a, b, item: "left" if a.text == "yes" else "right"})
    >>> ElementTree.fromstring(make_junit(result)).attrib["failures"]
    '0'
    """
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
