"""What a gate came to, in sentences: what is proved, by whose judgment, on which cases, and how surely."""

from __future__ import annotations

from collections.abc import Iterator

from copeland.gate.case_pairs import CasePairs
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
from copeland.gate.judgments import count_choices, count_sides
from copeland.study.judges.habits import TRY_WORSE, warn_of_ties
from copeland.support.phrasing import (
    capital,
    format_count,
    format_money,
    join_names,
    percent,
    quote_name,
    quote_names,
)


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
    cases, exact = len(result.pairs.cases), result.settings.exact
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


def format_share(share: float | None) -> str:
    """Return a mean with two digits; nothing if there is none."""
    return "" if share is None else f"{share:.2f}".removeprefix("0")


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
        said = [*_describe_reach(judge), *_describe_work(judge)]
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
    if judge.tally.answers:
        low, high = map(format_share, judge.interval)
        ends = "" if judge.is_exact else f", {low} to {high}"
        numbers.append(f"theta {format_share(judge.tally.theta)}{ends}")
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
    times = 1 / terms.delta
    if abs(times - round(times)) < 1e-9:
        return f"wrong at most 1 time in {round(times):,}"
    return f"wrong with probability {drop_zero(terms.delta)} at most"


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
    wins, losses, ties, missing = judge.tally.counts.values()
    free = f", {judge.free:,} of them without a call" if judge.free else ""
    yield (
        f"{format_count(wins, 'win')}, {losses:,} {'loss' if losses == 1 else 'losses'} and "
        f"{format_count(ties, 'tie')}{free}. Stopped: {judge.stopped}"
    )
    if missing:
        have, count = ("has", "counts") if missing == 1 else ("have", "count")
        yield f"{format_count(missing, 'case')} {have} no answer, and {count} against every claim."
    sides = count_sides(judge.judgments)
    named = sides.left + sides.right
    if named:
        yield f"The judge named the left answer in {sides.left:,} of {format_count(named, 'call')} that named one."
    if sides.both:
        cases = format_count(sides.both, "case")
        yield f"Of {cases} asked in both orders, {sides.flips:,} changed with the sides."
    said = count_choices(judge.judgments)
    if not judge.objection:
        yield from filter(None, [warn_of_ties(*said)])
    elif said[0]:
        yield (
            "Improve the judge, and check it with --same; --accept-judge counts its verdicts as they are."
        )
    else:
        yield f"{TRY_WORSE} If it finds these worse, --accept-judge counts its ties as they are."


def _describe_agreement(result: GateResult) -> Iterator[str]:
    for pair in result.agreement.pairs:
        yield (
            f"{quote_name(pair.first)} and {quote_name(pair.second)} agree in {percent(pair.agreement)} of "
            f"{format_count(pair.n, 'case')}."
        )
    if result.disagreements:
        cases = list(result.disagreements)
        yield f"The judges disagree on {format_count(len(cases), 'case')}: {join_names(quote_names(cases))}."
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
