"""What CI systems are handed: JUnit XML in which only proofs are green, and a page in Markdown that does nothing but be read."""

import json
from xml.etree import ElementTree

import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs

from copeland.formats.answers import AnswerCase, AnswerFile
from copeland.gate import run_gate
from copeland.gate.gate_report import make_junit, make_summary
from copeland.study.judges import Reasoned
from copeland.support.markdown import escape_markdown

HOSTILE = "<img src=x onerror=alert(1)> | *b* [x](http://evil.example) \x1b[2J \ufffe @team"


def read_tests(result):
    suite = ElementTree.fromstring(make_junit(result)).find("testsuite")
    return {case.get("name"): case for case in suite.findall("testcase")}


@pytest.mark.parametrize(
    ("wish", "how", "kind"),
    [
        (NEW, {}, None),
        (OLD, {}, "failed"),
        ("tie", {"max_calls": 10, "require": "better"}, "undecided"),
    ],
)
def test_only_a_passed_gate_is_green(wish, how, kind):
    result = run_gate(*answers_of(make_pairs(40)), {"small": Scripted(wish)}, **how)
    (case,) = read_tests(result).values()
    failure = case.find("failure")
    assert (failure is None) == (kind is None)
    if failure is not None:
        assert failure.get("type") == kind == result.outcome
        assert failure.get("message").startswith("By the judge small, on cases like these 40")
    assert case.find("skipped") is None
    suites = ElementTree.fromstring(make_junit(result))
    assert suites.get("failures") == str(int(kind is not None))


def tagged(name, text="{name} {i}"):
    cases = (
        AnswerCase(
            f"q{i}",
            HOSTILE if i == 0 else "",
            {name: text.format(name=name, i=i)},
            ("even", "few") if i in (0, 2) else ("even",) if i % 2 == 0 else ("odd",),
        )
        for i in range(40)
    )
    return AnswerFile(name, (name,), tuple(cases))


class ByPlace:
    name = HOSTILE[:40]

    def __call__(self, left, right, item):
        wish = "new" if int(item.name[1:]) % 2 else "old"
        return "left" if left.name == wish else "right"


@pytest.mark.slow
def test_each_tag_is_a_test_and_an_open_one_is_skipped():
    judge = {"small": ByPlace()}
    result = run_gate(tagged("old"), tagged("new"), judge, max_calls=60)
    found = read_tests(result)
    kinds = {one.tag: one for one in result.judges[0].slices}
    assert set(found) == {"new is not worse than old, by small"} | {
        f"tag {tag}, by small" for tag in ("even", "odd", "few")
    }
    assert kinds["few"].finding.outcome == "undecided"
    assert found["tag few, by small"].find("skipped") is not None
    assert found["tag few, by small"].find("failure") is None
    assert found["tag even, by small"].find("failure") is not None


def test_a_page_has_the_verdict_the_tags_and_five_losses():
    result = run_gate(tagged("old"), tagged("new"), {"small": ByPlace()}, judge_all=True)
    page = make_summary(result)
    lines = page.splitlines()
    assert lines[0] == f"## Gate {result.outcome}: new against old"
    assert lines[2] == result.sentence
    assert (
        "- Tag even (20 cases): new is worse than old by more than .05. This contradicts other cases.\n"
        in page
    )
    assert "### Lost by new, by small: 5 of 20" in page
    assert len([line for line in lines if line.startswith("| q")]) == 5


def test_a_page_says_why_the_judge_thinks_that_a_case_is_lost():
    def judge(left, right, item):
        return Reasoned("left" if left.name == OLD else "right", f"{item.name} | *plainly* worse")

    result = run_gate(*answers_of(make_pairs(12)), {"small": judge}, judge_all=True)
    page = make_summary(result)
    assert "| case | input | baseline | candidate | why |\n|---|---|---|---|---|\n| q" in page
    assert page.count(" \\| \\*plainly\\* worse |") == 5
    judgments = result.to_dict()["judges"][0]["judgments"]
    assert all(one["note"].endswith("worse") for one in judgments)


def test_hostile_texts_are_inert_everywhere():
    result = run_gate(
        tagged("old", HOSTILE + "{name}{i}"),
        tagged("new", HOSTILE + "{name}{i}"),
        ByPlace(),
        judge_all=True,
    )
    page = make_summary(result)
    assert "\x1b" not in page
    for active in ("<img", "@team"):
        assert f"\\{active}" in page and active not in page.replace(f"\\{active}", "")
    assert "[x]" not in page and "*b*" not in page
    assert "http://" not in page
    tables = [line for line in page.splitlines() if line.startswith("| ") and "---" not in line]
    assert {line.replace("\\|", "").count("|") for line in tables} <= {5, 9}
    ElementTree.fromstring(make_junit(result))
    json.dumps(result.to_dict(), allow_nan=False)


def test_a_long_text_is_cut():
    assert escape_markdown("x" * 500, 300) == "x" * 299 + "…"


def test_json_says_everything_and_has_no_number_that_json_lacks():
    result = run_gate(
        *answers_of(make_pairs(10, 2)),
        {"small": Scripted(NEW, OLD, "skip"), "two": Scripted(NEW)},
        judge_all=True,
        population="these",
    )
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert told["outcome"] == result.outcome
    one = told["judges"][0]
    assert one["wins"] + one["losses"] + one["ties"] + one["unanswered"] == 10
    assert len(one["judgments"]) == 10
    assert told["judges"][1]["evidence"]["better"] == "inf"
    assert told["identical_cases"] == 2
