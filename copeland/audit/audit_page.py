"""An audit as a page: whether each judge is fit to decide, its shares beside people's, and all numbers in tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from copeland.audit.audit_figures import parts_figure, shares_figure
from copeland.audit.audit_sentences import (
    NO_MARK,
    format_points,
    format_share,
    tell_decision,
    tell_report,
    tell_two,
    whose_preference,
)
from copeland.audit.comparisons import Winners
from copeland.audit.estimates import Estimate
from copeland.audit.judge_report import JudgeReport, TwoJudges
from copeland.audit.pass_marks import FAILED, MEASURES, PASSED
from copeland.report.document import document, inline_svg
from copeland.report.images import image
from copeland.support.phrasing import format_count, join_names, quote_names, shorten_names
from copeland.version import __version__

SHOWN = 20  # cases on which two judges disagree

_ITEM = 60  # letters of an item

_BADGES = {PASSED: "fit to decide", FAILED: "not fit to decide", None: "no pass mark"}
_PAIR_HEAD = ["pair", "votes", "people", "judge", "difference", "interval", "for all pairs", ""]


def audit_page(reports: Sequence[JudgeReport], two: Sequence[TwoJudges], command: str = "") -> str:
    """Return an audit as an HTML page that needs nothing else."""
    names = join_names(quote_names([one.judge for one in reports]))
    return document(
        "audit",
        title=f"Audit of {names}",
        no_mark="" if any(one.marks for one in reports) else NO_MARK,
        judges=[_show_report(report, place) for place, report in enumerate(reports)],
        two=[_show_two(one) for one in two],
        known={
            "agreement": "where both decide: neither says tie. Kappa and the agreement with ties count all votes, and a tie is an answer like others.",
            "shares": "of the first option of a pair: the mean of 1 for a win, 1/2 for a tie and 0. The difference is judge less people on the same votes.",
            "intervals": "at 95 %: Wilson's for shares, Bonett and Price's for differences. Those for all pairs hold together (Bonferroni).",
        },
        versions={"copeland": __version__},
        command=command,
    )


def _show_report(report: JudgeReport, place: int) -> dict[str, Any]:
    shares, parts = "", ""
    if report.pairs:
        shares = inline_svg(image(shares_figure([report]), "svg", f"shares {place}"))
    if len(report.by_option) > 1 and report.agreement is not None:
        figure = parts_figure(report.by_option, report.agreement.value)
        parts = inline_svg(image(figure, "svg", f"options {place}"))
    return {
        "judge": report.judge,
        "badge": _BADGES.get(report.decision, "not decided yet"),
        "decision": report.decision or "",
        "verdict": [*tell_decision(report), whose_preference(report)],
        "sentences": list(tell_report(report)),
        "shares": shares,
        "shares_alt": (
            f"The share that {report.judge} gives the first option of each pair, over the share that people give it: "
            f"{len(report.off_pairs)} of {len(report.pairs)} pairs are off by more than {report.margin:g}."
        ),
        "parts": parts,
        "parts_alt": f"Agreement of {report.judge} with people by option: "
        + "; ".join(f"{one.name} {format_share(one.agreement)}" for one in report.by_option),
        "margin": f"{report.margin:g}",
        "tables": list(_list_tables(report)),
    }


def _list_tables(report: JudgeReport) -> Iterable[tuple[str, list[str], list[list[str]]]]:
    """Yield the tables of a judge: what each is, its head and its rows."""
    if report.marks:
        marks = [
            [str(one.mark), MEASURES[one.mark.measure], _number(one.found), one.decision]
            for one in report.marks
        ]
        yield "Pass marks", ["required", "what it is", "measured", "decision"], marks
    if report.pairs:
        rows = [
            [
                f"{one.first} against {one.second}",
                f"{one.votes:,}",
                f"{100 * one.people:.1f} %",
                f"{100 * one.judge:.1f} %",
                f"{100 * one.difference:+.1f}",
                f"{100 * one.low:+.1f} to {100 * one.high:+.1f}",
                f"{100 * one.all_low:+.1f} to {100 * one.all_high:+.1f}",
                "proved to differ" if one.is_proved else "off" if one.is_off(report.margin) else "",
            ]
            for one in report.pairs
        ]
        yield f"All {format_count(len(rows), 'pair')}, the furthest off first", _PAIR_HEAD, rows
    for what, parts in (("option", report.by_option), ("tag", report.by_tag)):
        if parts:
            rows = [
                [one.name, f"{one.agreement.n:,}", format_share(one.agreement)] for one in parts
            ]
            yield f"Agreement by {what}", [what, "votes", "agreement where both decide"], rows
    if report.periods:
        rows = [
            [one.name, format_share(one.agreement), format_points(one.change)]
            for one in report.periods
        ]
        yield "Agreement over time", ["when", "agreement", "less that of the rest"], rows
    yield (
        "Who wins",
        ["place", "by people", "", f"by {report.judge}", ""],
        _list_orders(report.people_winners, report.judge_winners),
    )


def _list_orders(one: Winners, other: Winners) -> list[list[str]]:
    return [
        [str(place + 1), *_name_place(one, place), *_name_place(other, place)]
        for place in range(len(one.order))
    ]


def _name_place(found: Winners, place: int) -> list[str]:
    name = found.order[place]
    crown = " (beats most others)" if name in found.copeland else ""
    return [f"{name}{crown}", f"{100 * found.shares[place]:.1f} %"]


def _number(found: Estimate | None) -> str:
    return "-" if found is None else f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


def _shorten(item: str | None) -> str:
    return "" if item is None else shorten_names([item], _ITEM)[0]


def _show_two(two: TwoJudges) -> dict[str, Any]:
    rows = [
        [
            _shorten(one.item),
            one.first_option,
            one.second_option,
            one.first,
            one.second,
        ]
        for one in two.disagreements[:SHOWN]
    ]
    n = len(two.disagreements)
    shown = f"the first {len(rows)} of {n:,}" if n > len(rows) else f"all {n:,}"
    return {
        "title": f"{two.first} and {two.second}",
        "sentences": list(tell_two(two)),
        "summary": f"Cases on which they disagree: {shown}" if rows else "",
        "head": ["item", "option", "option", f"{two.first} says", f"{two.second} says"],
        "rows": rows,
    }
