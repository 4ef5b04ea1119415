"""An audit in sentences: whether the judge is fit to decide, whose preference its votes prove, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from copeland.audit.comparisons import PairShare, Winners
from copeland.audit.estimates import Estimate
from copeland.audit.judge_report import JudgeReport, TwoJudges
from copeland.audit.leanings import Lean
from copeland.audit.pass_marks import FAILED, PASSED, MarkResult
from copeland.support.phrasing import format_count, join_names, percent, quote_name, quote_names

FEW = 30  # votes below which intervals are wide
NO_MARK = (
    "No pass mark was set, so nothing is decided here. Fix one before you look, as in "
    "--require 'agreement>=.8' --require 'off<=.1'."
)
_NAMED = 5  # pairs and periods in a sentence
_LEANING = 0.5  # a judge that names each side equally often


def tell_audit(reports: Sequence[JudgeReport], two: Sequence[TwoJudges]) -> Iterator[str]:
    """Yield what an audit says: the decisions, whose preference is proved, and then each judge."""
    for report in reports:
        yield from tell_decision(report)
    if not any(report.marks for report in reports):
        yield NO_MARK
    for report in reports:
        yield whose_preference(report)
    for report in reports:
        yield from tell_report(report)
    for one in two:
        yield from tell_two(one)


def tell_decision(report: JudgeReport) -> Iterator[str]:
    """Yield whether a judge passed, and by what; nothing without a pass mark."""
    if not report.marks:
        return
    name = quote_name(report.judge)
    said = join_names([_tell_mark(one) for one in report.marks], most=len(report.marks))
    if report.decision == PASSED:
        yield f"{name} is fit to decide by this pass mark: {said}."
    elif report.decision == FAILED:
        yield f"{name} is not fit to decide: {said}."
    else:
        yield f"Whether {name} is fit to decide is open: {said}."


def _tell_mark(one: MarkResult) -> str:
    if one.decision == PASSED:
        return f"{one.mark} is proved"
    if one.found is None:
        return f"nothing tells whether {one.mark}"
    ends = f"{one.found.value:.3f} ({one.found.low:.3f} to {one.found.high:.3f})"
    if one.decision == FAILED:
        return f"{one.mark} is refuted, at {ends}"
    return f"{one.mark} is neither proved nor refuted, at {ends}"


def whose_preference(report: JudgeReport) -> str:
    """Return whose preference the judge's votes prove."""
    name = quote_name(report.judge)
    return f"Whatever {name}'s votes prove is {name}'s preference, not people's."


def tell_report(report: JudgeReport) -> Iterator[str]:
    """Yield what was measured of one judge."""
    yield from _tell_agreement(report)
    yield from _tell_pairs(report)
    yield tell_winners(
        "people",
        report.people_winners,
        quote_name(report.judge),
        report.judge_winners,
        report.swaps,
    )
    yield from _tell_leanings(report)
    yield from _tell_stability(report)
    yield from _tell_correlation(report)


def format_share(found: Estimate) -> str:
    """Return a share with its interval."""
    return f"{100 * found.value:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f} %)"


def format_points(found: Estimate) -> str:
    """Return a difference of shares with its interval.

    Examples
    --------
    >>> format_points(Estimate(-0.123, -0.2, -0.05, 80))
    '-12.3 points (-20.0 to -5.0)'
    """
    return f"{100 * found.value:+.1f} points ({100 * found.low:+.1f} to {100 * found.high:+.1f})"


def _tell_agreement(report: JudgeReport) -> Iterator[str]:
    name = quote_name(report.judge)
    grouped = f" Votes are grouped by {report.grouped}." if report.grouped else ""
    yield (
        f"{name} answered the cases of {format_count(report.compared, 'vote')} of people. "
        f"All intervals hold with 95 %.{grouped}"
    )
    if report.compared < FEW:
        yield f"These are fewer than {FEW} votes, so the intervals are wide."
    if report.agreement is None:
        yield f"There is no vote on which both {name} and a person decide."
    else:
        yield (
            f"{name} names the option that people name in {format_share(report.agreement)} of the "
            f"{format_count(report.agreement.n, 'vote')} on which both decide."
        )
    kappa = report.kappa
    told = (
        ""
        if kappa is None
        else f"; kappa is {kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f})"
    )
    yield f"With ties counted it says the same in {format_share(report.agreement_with_ties)}{told}."
    for what, parts in (("on pairs with", report.by_option), ("on", report.by_tag)):
        if len(parts) > 1:
            least, most = parts[0], parts[-1]
            yield (
                f"It agrees least {what} {quote_name(least.name)}, in {format_share(least.agreement)}, "
                f"and most {what} {quote_name(most.name)}, in {format_share(most.agreement)}."
            )


def _tell_pairs(report: JudgeReport) -> Iterator[str]:
    name, n = quote_name(report.judge), len(report.pairs)
    if not n:
        yield f"No pair has {report.pair_votes} votes of people, so no pair is looked at by itself."
        return
    pairs = f"{n:,} pairs" if n > 1 else "one pair"
    yield (
        f"Its share is off by more than {report.margin:g} on {len(report.off_pairs):,} of the {pairs} "
        f"with {report.pair_votes} votes of people or more."
    )
    proved = report.proved_pairs
    if proved:
        named = join_names([_name_pair(one) for one in proved], _NAMED)
        yield (
            f"On {format_count(len(proved), 'pair')} {name} is proved to differ from people, after a correction "
            f"for {pairs}: {named}."
        )
    else:
        yield f"On no pair is {name} proved to differ from people, after a correction for {pairs}."
    worst = report.pairs[0]
    yield (
        f"It is furthest off on {_name_pair(worst)}: people give {quote_name(worst.first)} {percent(worst.people)}, "
        f"{name} gives it {percent(worst.judge)}, a difference of "
        f"{format_points(Estimate(worst.difference, worst.low, worst.high, worst.votes))} in {worst.votes:,} votes."
    )


def _name_pair(one: PairShare) -> str:
    return f"{quote_name(one.first)} against {quote_name(one.second)}"


def tell_winners(one: str, by_one: Winners, other: str, by_other: Winners, swaps: int) -> str:
    """Return who wins by each of two, and whether that is the same."""
    first, second = (_name_winners(found) for found in (by_one, by_other))
    winners = f"By the votes of {one}, {first}"
    same = set(by_one.copeland) == set(by_other.copeland)
    winners += f", and so by those of {other}." if same else f"; by those of {other}, {second}."
    order = "In the order by mean share"
    if not swaps:
        return f"{winners} {order}, no two options stand the other way round."
    k = len(by_one.order)
    return (
        f"{winners} {order}, {swaps:,} of {format_count(k * (k - 1) // 2, 'pair')} of options "
        f"{'stands' if swaps == 1 else 'stand'} the other way round."
    )


def _name_winners(found: Winners) -> str:
    if len(found.copeland) == len(found.order):
        return "no option beats more others than the rest"
    names = join_names(quote_names(found.copeland))
    return f"{names} {'beats' if len(found.copeland) == 1 else 'beat'} the most others"


def _tell_leanings(report: JudgeReport) -> Iterator[str]:
    name = quote_name(report.judge)
    if report.first is not None:
        leans = ""
        if report.first.low > _LEANING or report.first.high < _LEANING:
            side = "first" if report.first.value > _LEANING else "second"
            leans = f" If the sides were shuffled, it prefers the {side} one."
        people = (
            ""
            if report.people_first is None
            else f"; people name it in {format_share(report.people_first)}"
        )
        yield (
            f"{name} names the first answer in {format_share(report.first)} of the "
            f"{format_count(report.first.n, 'verdict')} that name one{people}.{leans}"
        )
    if report.longer is not None:
        yield _tell_lean(f"{name} names the longer answer", report.longer)
    if report.family is not None:
        own = join_names(quote_names(report.family_options))
        yield _tell_lean(f"{name} gives options of its own family ({own}) a share", report.family)


def _tell_lean(what: str, lean: Lean) -> str:
    verb = "of" if what.endswith("share") else "in"
    judged = (
        f"{what} {verb} {format_share(lean.judge)}, and people {verb} {format_share(lean.people)}"
    )
    differs = lean.difference.low > 0 or lean.difference.high < 0
    proved = "" if differs else "; it is not proved to differ"
    return f"{judged}: {format_points(lean.difference)}{proved}."


def _tell_stability(report: JudgeReport) -> Iterator[str]:
    for one in report.repeats:
        flips = round(one.flips.value * one.flips.n)
        yield (
            f"Asked again {one.how}, it did not say the same on {flips:,} of {format_count(one.flips.n, 'case')}: "
            f"{format_share(one.flips)}."
        )
    if not report.periods:
        return
    changed = [one for one in report.periods if one.is_changed]
    looks = format_count(len(report.periods), "look")
    if changed:
        named = [f"{one.name} ({format_points(one.change)})" for one in changed]
        yield f"Its agreement changed over time, by {looks}: {join_names(named, _NAMED)}."
    else:
        yield f"No change of its agreement over time is proved, by {looks}."


def _tell_correlation(report: JudgeReport) -> Iterator[str]:
    found = report.correlation
    if found is not None:
        yield (
            f"Within pairs its vote and people's on the same case have a correlation of {found.value:.2f} "
            f"({found.low:.2f} to {found.high:.2f})."
        )


def tell_two(two: TwoJudges) -> Iterator[str]:
    """Yield how two judges stand to each other on the same cases."""
    first, second = quote_name(two.first), quote_name(two.second)
    decided = (
        "" if two.agreement is None else f", and in {format_share(two.agreement)} where both decide"
    )
    yield (
        f"{first} and {second} say the same in {format_share(two.agreement_with_ties)} of "
        f"{format_count(two.agreement_with_ties.n, 'common case')}{decided}."
    )
    yield tell_winners(first, two.first_winners, second, two.second_winners, two.swaps)
