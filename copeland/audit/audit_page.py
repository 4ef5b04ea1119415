"""An audit as a page: whether each judge is fit to decide, its shares beside people's, and all numbers in tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from copeland.audit.audit_sentences import (
    NO_MARK,
    format_points,
    format_share,
    tell_decision,
    tell_report,
    tell_two,
    whose_preference,
)
from copeland.audit.comparisons import PairShare, Winners
from copeland.audit.estimates import Estimate
from copeland.audit.judge_report import JudgeReport, Part, TwoJudges
from copeland.audit.pass_marks import FAILED, MEASURES, PASSED
from copeland.report.document import (
    INK,
    PALETTE,
    document,
    image,
    inline_svg,
    name,
    new_figure,
    plain_axes,
)
from copeland.support.phrasing import format_count, join_names, quote_names, shorten_names
from copeland.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 20  # cases on which two judges disagree

_ITEM = 60  # letters of an item

_BADGES = {PASSED: "fit to decide", FAILED: "not fit to decide", None: "no pass mark"}
_PAIR_HEAD = ["pair", "votes", "people", "judge", "difference", "interval", "for all pairs", ""]
MOST_PARTS = 60  # options that are drawn
_SQUARE = 4.2  # inches: narrow, so that a telephone shows it legibly
_HIGH = 3.75  # inches of one judge
_LETTERS = 10.0  # points
_NAME = 22  # letters of an option's name
_ROW = 0.26  # inches


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
            "agreement": "where both decide: neither says tie. Kappa and the agreement with ties count all votes, "
            "and a tie is an answer like others.",
            "shares": "of the first option of a pair: the mean of 1 for a win, 1/2 for a tie and 0. The difference "
            "is judge less people on the same votes.",
            "intervals": "at 95 %: Wilson's for shares, Bonett and Price's for differences, wider where votes hang "
            "together and one person or one question gave many. Those for all pairs hold together (Bonferroni).",
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


def _show_two(two: TwoJudges) -> dict[str, Any]:
    rows = [
        [
            "" if one.item is None else shorten_names([one.item], _ITEM)[0],
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


def shares_figure(reports: Sequence[JudgeReport]) -> Figure:
    """Return the share of the first option of each pair by each judge, over people's share, with the diagonal and the margin."""
    figure = new_figure(_SQUARE, _HIGH * len(reports))
    found = figure.subplots(len(reports), 1, squeeze=False)
    for axes, report in zip(found[:, 0], reports, strict=True):
        _draw_shares(axes, report)
    return figure


def _draw_shares(axes: Axes, report: JudgeReport) -> None:
    ends = [0.0, 1.0]
    low, high = ([end + step for end in ends] for step in (-report.margin, report.margin))
    axes.fill_between(ends, low, high, color=PALETTE[0], alpha=0.15, linewidth=0)
    axes.plot(ends, ends, color=INK, linewidth=0.8)
    kinds = (
        ([one for one in report.pairs if not one.is_off(report.margin)], "o", PALETTE[0], 16),
        ([o for o in report.off_pairs if not o.is_proved], "^", PALETTE[4], 22),
        (report.proved_pairs, "D", PALETTE[1], 26),
    )
    words = (f"within {report.margin:g}", f"off by more than {report.margin:g}", "proved to differ")
    for (pairs, marker, colour, size), label in zip(kinds, words, strict=True):
        shown = [one for one in pairs if label == words[2] or not one.is_proved]
        _draw_pairs(axes, shown, marker, colour, size, f"{label} ({len(shown):,})")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    for axis, told in ((axes.xaxis, "people's share"), (axes.yaxis, f"{report.judge}'s share")):
        axis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        axis.label.set(text=shorten_names([told], 40)[0], color=INK, fontsize=_LETTERS)
        axis.label.set_parse_math(False)
    axes.legend(
        loc="upper left", frameon=False, fontsize=_LETTERS - 1.5, labelcolor=INK, handletextpad=0.2
    )
    plain_axes(axes, _LETTERS, "both")


def _draw_pairs(
    axes: Axes, pairs: Sequence[PairShare], marker: str, colour: str, size: int, label: str
) -> None:
    people, judge = ([getattr(one, by) for one in pairs] for by in ("people", "judge"))
    axes.scatter(
        people, judge, s=size, marker=marker, color=colour, alpha=0.8, linewidth=0, label=label
    )


def parts_figure(parts: Sequence[Part], overall: float) -> Figure:
    """Return how often a judge agrees with people on each part of the cases, with intervals; the line is all cases together."""
    shown = list(parts[:MOST_PARTS])
    figure = new_figure(_SQUARE, 0.9 + _ROW * len(shown))
    axes = figure.subplots()
    for row, part in enumerate(reversed(shown)):
        found = part.agreement
        axes.plot([found.low, found.high], [row, row], color=PALETTE[0], linewidth=3, alpha=0.45)
        (dot,) = axes.plot([found.value], [row], "o", color=PALETTE[0], markersize=5)
        name(dot, f"{part.name}: {100 * found.value:.1f} % of {found.n:,}")
    axes.axvline(overall, color=INK, linewidth=0.8, linestyle="--")
    names = shorten_names([part.name for part in reversed(shown)], _NAME)
    axes.set_yticks(range(len(shown)), names, parse_math=False)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
    axes.set_xlabel("agreement with people", color=INK, fontsize=_LETTERS)
    plain_axes(axes, _LETTERS, "both")
    return figure
