"""A gate in words: in sentences, as JUnit XML with a test for each judge and each tag, and as Markdown for the page of a job.

Of the tests, only what is proved is green. An undecided gate is a failure of the type "undecided": systems let a job with skipped tests
pass. An undecided tag is skipped, because few cases rarely prove anything, and nobody required it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

from copeland.gate.case_pairs import BASELINE, CasePairs
from copeland.gate.claims import (
    BETTER,
    FAILED,
    MUCH_WORSE,
    NOT_WORSE,
    PASSED,
    UNDECIDED,
    WORSE,
    Finding,
    GateTerms,
)
from copeland.gate.gate_result import GateResult, JudgeResult, Saving, Slice
from copeland.gate.judgments import count_choices, count_sides, count_units
from copeland.study.judges.habits import TRY_WORSE, find_side_habit, warn_of_ties
from copeland.study.log.events import ERROR, LEFT, RIGHT
from copeland.study.log.sides import flip_words
from copeland.support.escaping import SHOWN, inert
from copeland.support.markdown import escape_markdown, tabulate_markdown
from copeland.support.phrasing import (
    capital,
    format_count,
    format_money,
    join_names,
    percent,
    quote_name,
)

_NO_XML = re.compile("[\ufffe\uffff]")
CASES = 5  # cases on which the candidate lost
LETTERS = 300  # of a text
_TALLIED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def describe_gate(result: GateResult) -> str:
    """Return the verdict in a sentence for each judge, after one for all if there are several."""
    missing = [describe_saving(saving) for saving in result.savings if not saving.holds]
    if missing:
        return " ".join(missing)
    said = [describe_verdict(result, judge) for judge in result.judges]
    if len(said) > 1:
        passed = sum(judge.finding.outcome == PASSED for judge in result.judges)
        outcome = (
            f"{capital(result.outcome)}: {passed} of {len(said)} judges prove the required claim."
        )
        said.insert(0, outcome)
    return " ".join([*said, *map(describe_saving, result.savings)])


def describe_verdict(result: GateResult, judge: JudgeResult) -> str:
    """Return what is proved by one judge, in one sentence, after the one that says why the judge is not to be relied on."""
    cases, exact = len(result.pairs.cases), result.terms.exact
    on = f"on these {cases:,} cases" if exact else f"on cases like these {cases:,}"
    if result.terms.clusters is not None:
        number = format_count(result.terms.clusters.number, "cluster")
        on += f" in {number} {'that count the same' if exact else '(the clusters are the sample)'}"
    claim = describe_claim(judge.finding, result.terms, *result.pairs.names)
    verdict = f"By the judge {quote_name(judge.judge)}, {on}: {claim} ({_describe_numbers(result, judge)})."
    return f"{judge.objection} {verdict}" if judge.objection else verdict


def describe_claim(finding: Finding, terms: GateTerms, baseline: str, candidate: str) -> str:
    """Return what a finding proves about the candidate, or what is open."""
    old, new = quote_name(baseline), quote_name(candidate)
    by = f"by more than {drop_zero(terms.margin)}"
    is_better = terms.require == "better"
    beyond = "; whether it is better is undecided" if is_better else ""
    how_much = "" if is_better else f"; whether {by} is undecided"
    asked = f"better than {old}" if is_better else f"not worse than {old} {by}"
    proved, both = set(finding.claims), {WORSE, NOT_WORSE}
    said = (
        (finding.even, f"{new} and {old} are exactly even"),
        (BETTER in proved, f"{new} is better than {old}"),
        (MUCH_WORSE in proved, f"{new} is worse than {old} {by}"),
        (both <= proved, f"{new} is worse than {old}, but not {by}"),
        (NOT_WORSE in proved, f"{new} is not worse than {old} {by}{beyond}"),
        (WORSE in proved, f"{new} is worse than {old}{how_much}"),
        (finding.outcome == FAILED, f"{new} is not better than {old}"),
        (True, f"it is undecided whether {new} is {asked}"),
    )
    return next(words for is_so, words in said if is_so)


def drop_zero(number: float) -> str:
    """Return a number below 1 without its leading zero."""
    return f"{number:g}".removeprefix("0") or "0"


def describe_saving(saving: Saving) -> str:
    """Return whether answers are as much cheaper or faster as required."""
    means = f"a mean of {saving.candidate:.4g} after {saving.baseline:.4g}"
    said = f"The candidate's answers are not {saving.what}"
    if saving.baseline > 0 and saving.saved >= 0:
        said = f"Its answers are {percent(saving.saved)} {saving.what}"
    joined = "and" if saving.holds else "but"
    return f"{said} ({means}), {joined} {percent(saving.share)} is required."


def describe_sets(pairs: CasePairs) -> Iterator[str]:
    """Yield what is odd about two sets of answers: cases that were dropped, answers that are the same, and empty ones."""
    if pairs.dropped:
        dropped, left = (format_count(len(one), "case") for one in (pairs.dropped, pairs.cases))
        yield f"{dropped} dropped, which only one set has; {left} left."
    if pairs.identical == len(pairs.cases):
        yield "Both sets of answers are the same: check that they are the files that you meant."
    for name, empty in zip(pairs.names, pairs.empty, strict=True):
        if empty:
            answers = format_count(empty, "empty answer")
            yield f"{quote_name(name)} has {answers}, which lose without a call."


def describe_details(result: GateResult) -> list[str]:
    """Return what else is to be known: why each judge stopped, what counted, sides, tags, cost, agreement."""
    details = [*describe_sets(result.pairs)]
    for judge in result.judges:
        whose = f"{quote_name(judge.judge)}: " if len(result.judges) > 1 else ""
        said = [*_describe_reach(judge), *_describe_work(judge), *_describe_sides(judge)]
        said += [f"Tag {describe_slice(result, one)}" for one in judge.slices if not one.is_open]
        details += [f"{whose}{one}" for one in (*said, *_describe_open_tags(judge))]
    return [*details, *_describe_agreement(result), *_describe_cost(result)]


def describe_slice(result: GateResult, one: Slice) -> str:
    """Return what is proved of a tag."""
    claim = describe_claim(one.finding, result.terms, *result.pairs.names)
    warning = " This contradicts other cases." if one.conflict else ""
    return f"{quote_name(one.tag)} ({format_count(one.cases, 'case')}): {claim}.{warning}"


def _describe_numbers(result: GateResult, judge: JudgeResult) -> str:
    numbers = []
    if judge.tally.theta is not None:
        ends = (judge.tally.theta, *judge.interval)
        theta, low, high = (f"{mean:.2f}".removeprefix("0") for mean in ends)
        is_known = judge.interval[0] == judge.interval[1]
        numbers.append(f"theta {theta}" if is_known else f"theta {theta}, {low} to {high}")
    most = format_count(max(result.most_calls, judge.calls), "call")
    numbers += [f"{judge.calls:,} of {most}", _describe_surety(judge.finding, result.terms)]
    return "; ".join(filter(None, numbers))


def _describe_surety(finding: Finding, terms: GateTerms) -> str:
    """How often such a verdict is wrong."""
    if finding.complete:
        return "all are judged, so this is exact"
    if not finding.claims and finding.outcome == UNDECIDED:
        return ""
    if all(finding.evidence.get(claim) == float("inf") for claim in finding.claims):
        return "the cases left cannot change that"
    return f"wrong at most 1 time in {1 / terms.delta:,.4g}"


def _describe_reach(judge: JudgeResult) -> Iterator[str]:
    """Whether what is proved of exactly these cases is proved of cases like them, too."""
    if judge.beyond is not None and judge.finding.outcome != UNDECIDED:
        if judge.beyond.outcome == judge.finding.outcome:
            yield "The same is proved of cases like these."
        else:
            yield "This says nothing yet about other cases; for that use --population like-these."


def _describe_open_tags(judge: JudgeResult) -> Iterator[str]:
    """Of which tags nothing is proved, in one sentence."""
    named = [f"{quote_name(one.tag)} ({one.cases:,})" for one in judge.slices if one.is_open]
    if named:
        yield f"Undecided for {format_count(len(named), 'tag')}, by number of cases: {join_names(named)}."


def _describe_work(judge: JudgeResult) -> Iterator[str]:
    wins, losses, ties, missing = judge.tally[:4]
    free = f", {judge.free:,} of them without a call" if judge.free else ""
    yield (
        f"{format_count(wins, 'win')}, {losses:,} {'loss' if losses == 1 else 'losses'} and "
        f"{format_count(ties, 'tie')}{free}. Stopped: {judge.stopped}"
    )
    if missing:
        have, count = ("has", "counts") if missing == 1 else ("have", "count")
        errors = [one.note for one in judge.judgments if one.said == ERROR and one.note]
        why = f" The last error: {errors[-1]}" if errors else ""
        yield f"{format_count(missing, 'case')} {have} no answer, and {count} against every claim.{why}"


def _describe_sides(judge: JudgeResult) -> Iterator[str]:
    sides = count_sides(judge.judgments)
    named = sides.left + sides.right
    if named:
        yield f"The judge named the left answer in {sides.left:,} of {format_count(named, 'call')} that named one."
    if sides.both:
        cases, notes = format_count(sides.both, "case"), [one.note for one in judge.judgments]
        left = sum(note.startswith(flip_words(LEFT, RIGHT)) for note in notes)
        both = f": it named the left answer both times in {left:,}" if sides.flips else ""
        yield f"Of {cases} asked in both orders, {sides.flips:,} changed with the sides{both}."
    said = count_choices(judge.judgments)
    if not judge.objection:
        yield from filter(None, [warn_of_ties(*said)])
    elif said[0]:
        yield (
            "Improve the judge, and check it with --same; --accept-judge counts its verdicts as they are."
        )
    else:
        yield f"{TRY_WORSE} If it finds these worse, --accept-judge counts its ties as they are."


def describe_check(result: GateResult, judge: JudgeResult) -> dict[str, Any]:
    """Return how a judge treats the sides where neither set is better, and whether it is fit, as JSON can say it and in sentences."""
    sides, unit = count_units(judge.judgments, result.pairs.items)
    follows = find_side_habit(judge.judge, sides, unit)
    clusters = format_count(len(judge.tally.clusters), unit)
    units = "" if unit == "case" else f" in {clusters} (which are what counts)"
    on = f"{format_count(judge.tally.answers, 'case')}{units} and {format_count(judge.calls, 'call')}"
    fit = f"Fit, as far as this check goes: the judge {quote_name(judge.judge)} does not follow the sides, by {on}."
    said = [f"Not fit. {follows}" if follows else fit, *_describe_sides(judge)]
    if follows:
        said.append(
            "Let it say tie where it sees no difference, or choose another judge or prompt."
        )
    told = {"judge": judge.judge, "fit": not follows, "calls": judge.calls, "unit": unit}
    return told | judge.tally.counts | sides._asdict() | {"sentences": said}


def _describe_agreement(result: GateResult) -> Iterator[str]:
    for pair in result.agreement.pairs:
        yield (
            f"{quote_name(pair.first)} and {quote_name(pair.second)} agree in {percent(pair.agreement)} of "
            f"{format_count(pair.n, 'case')}."
        )
    if len(result.judges) > 1 and not all(judge.finding.complete for judge in result.judges):
        delta, judges = drop_zero(result.settings.delta), len(result.judges)
        yield (
            f"Each judge's verdict is wrong with probability {delta} at most, by itself. One judge is enough to fail the candidate, "
            f"so what speaks against it is proved at {delta}/{judges}, and the decision is wrong with probability {delta} at most."
        )


def _describe_cost(result: GateResult) -> Iterator[str]:
    tokens, cost = result.spent.tokens, result.spent.cost
    if tokens or cost:
        yield f"{tokens:,} tokens{f', cost {format_money(cost)}' if cost else ''}, in all runs."
    if result.calls_before:
        yield f"Earlier runs made {format_count(result.calls_before, 'call')} of these."


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
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


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
    yield tabulate_markdown(columns, (row[: len(columns)] for row in rows), LETTERS)
