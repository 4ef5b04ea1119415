"""A live study as one HTML page: the verdict, what it rests on, and what would change it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from copeland.certificate.base_certificate import BaseCertificate
from copeland.orders.rank import Ranking, format_ranks
from copeland.report.document import document, image, inline_svg
from copeland.report.ranking_figure import MOST, describe_ranking, ranking_figure
from copeland.report.styles import PALETTE
from copeland.simulation.result_folder import versions
from copeland.study.log.events import BOTH_BAD, ERROR, SKIP, TIE, Event, times_of
from copeland.study.log.state import Vote
from copeland.study.report import study_sentences as sentences
from copeland.study.report.study_figures import (
    COLOURS,
    NUMBERED,
    PAPER,
    Interval,
    graph_figure,
    matrix_figure,
    position_figure,
    progress_figure,
    scores_figure,
    shown_arrows,
    shown_options,
)
from copeland.study.results.agreement import JudgeAgreement, compare_judges
from copeland.study.results.analysis import Analysis, OptionRow, Rankings, strength_words
from copeland.study.results.history import Drift, Progress, history_of, is_unordered
from copeland.study.results.standing import PROVED, Standing, Voter
from copeland.study.results.verdict import Verdict
from copeland.support.atomic_files import write_file
from copeland.support.phrasing import (
    format_count,
    join_names,
    percent,
    percent_chance,
    shorten_names,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VOTERS = 20  # of whom the page tells
NEEDS = 20  # pairs that would settle it
JUDGES = 12  # voters, those with the most votes, that are compared with each other
PAIRS = 500  # rows of the table of pairs
ORDER_TITLES = {
    "copeland": "By Copeland scores",
    "borda": "By mean chance",
    "strength": "By strength",
}
RANKED = MOST  # rows of the ranking, as many as its figure has

_NAME = 20  # letters of a line of a name beside a figure
_AT_CELLS = 16  # letters of a name at the edge of the matrix; fewer where cells have no numbers
_LINES = 2  # of a name, where there is room


class _Picture(NamedTuple):
    """A figure, with words for those who do not see it."""

    svg: str
    alt: str
    span: str = ""  # how wide it is, in CSS, if not as wide as the page lets it be


class Part(NamedTuple):
    """What a section of the page shows."""

    picture: _Picture | None = None
    said: Iterable[str] = ()
    note: str = ""
    key: Sequence[str] = ()  # how to read the picture
    whole: bool = False  # whether it is as wide as the page
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    title: str = ""


@dataclass(frozen=True)
class StudyParts:
    """All that a page of a study shows; templates use these names."""

    title: str
    lead: str
    badge: str
    verdict: Verdict
    needs: Part | None
    notices: Sequence[str]
    tiles: Mapping[str, str]
    voted: bool
    voters: Part | None
    members: Part | None
    judges: Part | None
    outcomes: str
    certificate: BaseCertificate
    known: Mapping[str, str]
    # Only once there are votes:
    scores: Part | None = None
    graph: Part | None = None
    matrix: Part | None = None
    progress: Part | None = None
    counting: Iterable[str] = ()
    position: Part | None = None
    order: Part | None = None  # the ranking as a figure
    ranking: Part | None = None
    options: Part | None = None
    pairs: Part | None = None


def study_page(
    reading: Analysis,
    verdict: Verdict,
    progress: Sequence[Progress],
    agreed: JudgeAgreement | None = None,
    *,
    order: Ranking | None = None,
    drifts: Sequence[Drift] = (),
    last: float | None = None,
    made_with: Mapping[str, str] | None = None,
    command: str = "",
    lost: Sequence[Part] = (),
) -> str:
    """Return where a study stands as an HTML page that needs nothing else.

    Parameters
    ----------
    reading
        The analysis of its votes.
    verdict
        That on these votes, in sentences: ``reading.verdict``, or other words.
    progress
        What :func:`copeland.study.results.history.history_of` gives.
    agreed
        How far judges agree, if that shall be told.
    order
        The ranking to draw: what ``Rankings(reading, study.votes).drawn`` gives.
    drifts
        Pairs whose votes changed over time.
    last
        When the last event was, in seconds since 1970.
    made_with, command
        How the page was made, if that shall be said.
    lost
        Tables of the cases that options lost.
    """
    parts = study_parts(reading, verdict, progress, agreed, order=order, drifts=drifts, last=last)
    return document("study", **vars(parts), lost=lost, versions=made_with, command=command)


def study_parts(
    reading: Analysis,
    verdict: Verdict,
    progress: Sequence[Progress],
    agreed: JudgeAgreement | None = None,
    *,
    order: Ranking | None = None,
    drifts: Sequence[Drift] = (),
    last: float | None = None,
) -> StudyParts:
    """Return all that a page of a study shows, part by part, for whichever template."""
    standing = reading.standing
    voted = standing.votes > 0
    return StudyParts(
        title=standing.name,
        lead=reading.kind.lead_sentence(standing),
        badge=reading.badge,
        verdict=verdict,
        needs=_needs(reading) if verdict.advice and not reading.is_at_end else None,
        notices=[*sentences.notices(reading), *(drift.sentence for drift in drifts)],
        tiles=_tiles(reading, progress),
        voted=voted,
        **(_make_result_parts(reading, progress, order) if voted else {}),
        voters=_voters(standing) if standing.voters else None,
        members=_members(reading),
        judges=_judges(agreed, len(standing.voters))
        if agreed is not None and agreed.pairs
        else None,
        outcomes=sentences.outcomes_sentence(standing),
        certificate=standing.certificate,
        known=_basis(reading, last),
    )


def write_study_page(
    standing: Standing,
    log: Sequence[Event],
    path: str | Path,
    command: str = "",
    drifts: Sequence[Drift] = (),
    votes: Callable[[], Iterable[Vote]] | None = None,
    lost: Sequence[Part] = (),
) -> Path:
    """Write where a study stands as an HTML page; return its path. Events that came later are left out.

    With ``votes``, which returns all votes, it has a figure of the ranking, and with ``lost`` tables of the cases that options lost.
    """
    reading = Analysis(standing)
    page = study_page(
        reading,
        reading.verdict,
        history_of(log, standing),
        judges_agreement(standing, log),
        order=None if votes is None else Rankings(reading, votes).drawn,
        drifts=drifts,
        last=log[-1].time,
        made_with=versions(),
        command=command,
        lost=lost,
    )
    write_file(path, page.encode(), private=True)
    return Path(path)


def judges_agreement(standing: Standing, log: Iterable[Event]) -> JudgeAgreement:
    """Return how far the voters with the most votes agree where they voted on the same."""
    names = {voter.name for voter in _most_votes(standing.voters, JUDGES)}
    log, labels = list(log), standing.labels
    undone = {event.undoes for event in log}
    return compare_judges(
        {
            "voter": vote.voter,
            "left": labels[vote.left or 0],
            "right": labels[vote.right or 0],
            "outcome": vote.outcome,
            "item": vote.item,
            "times": times_of(vote),
        }
        for vote in log
        if vote.outcome is not None
        and vote.undoes is None
        and vote.voter in names
        and vote.number not in undone
    )


# Parts of the page


def _make_result_parts(
    reading: Analysis, progress: Sequence[Progress], order: Ranking | None
) -> dict[str, Any]:
    """What there is to see once there are votes."""
    rows = reading.rows()
    return {
        "scores": _scores(reading, rows),
        "graph": _graph(reading, rows),
        "matrix": _matrix(reading),
        "progress": _progress(reading, progress) if reading.aims_at_best else None,
        "counting": sentences.counting_sentences(reading),
        "position": _position(reading.standing),
        **ranking_parts(reading, order),
        "options": _options(rows),
        "pairs": _pairs(reading),
    }


def _needs(reading: Analysis) -> Part:
    """The pairs that would settle it."""
    outlook = reading.outlook
    what = reading.kind.answers
    against = "against" if reading.is_either else "over"
    rows = [
        [
            f"{reading.names[i]} {against} {reading.names[j]}",
            f"{reading.standing.wins[i, j]:,} of {reading.n[i, j]:,}",
            "-" if outlook.votes is None else f"{votes:,}",
        ]
        for i, j, votes in outlook.pairs[:NEEDS]
    ]
    left = len(outlook.pairs) - len(rows)
    note = f"{format_count(left, 'pair')} more, with fewer {what} each." if left else ""
    columns = ["pair" if reading.is_either else "to be proved", "won so far", f"more {what}, about"]
    return Part(columns=columns, rows=rows, note=note)


def _tiles(reading: Analysis, progress: Sequence[Progress]) -> dict[str, str]:
    standing = reading.standing
    return {
        "votes": f"{standing.votes:,}",
        "options": f"{len(standing.options):,}",
        **reading.count_outcome(),
        **reading.kind.tiles(standing, progress[-1].share),
    }


def _scores(reading: Analysis, options: Sequence[OptionRow]) -> Part:
    names = shorten_names(reading.standing.labels, _NAME, _LINES)
    rows = [
        Interval(names[row.index], row.beats, row.least, row.most, COLOURS[row.known], row.name)
        for row in options
        if row.counts
    ]
    drawn = _picture(
        scores_figure(rows, len(reading.among)),
        "Number of options that each option beats, with intervals: "
        + "; ".join(f"{row.full} {row.value} ({row.low:g} to {row.high:g})" for row in rows),
    )
    return Part(drawn, sentences.score_sentences(reading))


def _graph(reading: Analysis, options: Sequence[OptionRow]) -> Part:
    known = {row.index: row.known for row in options}
    shown = shown_options(reading)
    arrows = shown_arrows(reading, shown)
    drawn = _picture(
        graph_figure(shown, arrows, reading.standing.labels, known),
        "Arrows from winners to losers. " + " ".join(sentences.arrow_sentences(reading, arrows)),
    )
    key = [
        sentences.graph_sentence(len(shown), reading.k, not reading.aims_at_best),
        reading.kind.explain_arrows(reading.standing.settings.delta),
    ]
    return Part(drawn, sentences.cycle_sentences(reading), key=key)


def _matrix(reading: Analysis) -> Part:
    order, numbered = list(reading.order), reading.k <= NUMBERED
    labels = reading.standing.labels
    names = shorten_names(labels, _AT_CELLS if numbered else _AT_CELLS - 4)
    drawn = _picture(
        matrix_figure(
            reading.shares[order][:, order],
            [names[i] for i in order],
            (reading.sure == PROVED)[order][:, order],
            [labels[i] for i in order],
        ),
        f"Heat map of the shares of votes that each of {reading.k} options won against each other; "
        "the numbers are in a table below.",
        whole=True,
    )
    mark = (
        "Numbers are percentages of the votes, with a tie as half a vote; those in bold are proved."
        if numbered
        else "A dot marks a win that is proved."
    )
    note = f"Blue: the row beats the column; orange: it loses; blank: no votes. {mark}"
    return Part(drawn, [sentences.matrix_sentence(reading)], note, whole=not numbered)


def ranking_parts(reading: Analysis, order: Ranking | None) -> dict[str, Part | None]:
    """Return all options in tiers: as a figure, if there is an order to draw, and as a table of Copeland scores."""
    drawn = None if order is None else _order(reading, order)
    return {
        "order": drawn,
        "ranking": _ranking(reading, () if drawn is None else tuple(drawn.said)),
    }


def _order(reading: Analysis, order: Ranking) -> Part:
    return Part(
        _picture(ranking_figure(order), describe_ranking(order)),
        said=(
            order.sentence,
            *sentences.proof_sentences(reading, order),
            sentences.exactness_sentence(order),
            *order.notes,
        ),
        key=[sentences.ORDER_KEY, *order.assumptions[1:]],
        title=ORDER_TITLES[order.by],
    )


def _ranking(reading: Analysis, said: Sequence[str]) -> Part:
    """The table, without what was said before."""
    ranking = reading.ranking
    rows = [
        [
            place.name,
            str(place.tier),
            str(place.beats),
            f"{place.least} to {place.most}",
            format_ranks(place),
            strength_words(place.strength),
        ]
        for place in ranking.places[:RANKED]
    ]
    left = len(ranking.places) - len(rows)
    more = f" {format_count(left, 'option')} further down are left out." if left else ""
    notes = (ranking.sentence, sentences.exactness_sentence(ranking), *ranking.notes)
    return Part(
        said=[one for one in notes if one not in said],
        columns=["option", "tier", "beats", "proved", "rank", "strength"],
        rows=rows,
        note=sentences.RANKING_NOTE + more,
        title=ORDER_TITLES["copeland"],
    )


def _options(options: Sequence[OptionRow]) -> Part:
    columns = ["option", "known", "beats", "proved", "votes", "won", "Borda", "von Neumann"]
    rows = [
        [
            row.name,
            row.add_state(row.words),
            f"{row.beats}",
            f"{row.least} to {row.most}",
            f"{row.votes:,}",
            "-" if row.share is None else percent(row.share, digits=1),
            f"{row.borda:.3f}",
            f"{row.lottery:.3f}",
            *([] if row.chance is None else [percent_chance(row.chance)]),
        ]
        for row in options
    ]
    estimates = "Both are estimates."
    if options[0].chance is not None:
        columns.append("chance to be best")
        estimates = "Both, and the chance to be best, are estimates."
    return Part(columns=columns, rows=rows, note=f"{sentences.OPTIONS_NOTE}{estimates}")


def _pairs(reading: Analysis) -> Part:
    wins, ties, shares = reading.standing.wins, reading.standing.ties, reading.matrix.p
    pairs = [
        (i, j) if shares[i, j] >= 0.5 else (j, i)
        for i, j in combinations(reading.order, 2)
        if reading.n[i, j]
    ]
    rows = []
    for i, j in pairs[:PAIRS]:
        known = sentences.SURENESS.get(int(reading.sure[i, j]), "even")
        if (min(i, j), max(i, j)) in reading.certificate.ties:
            known = reading.kind.tie_words(known)
        pair = f"{reading.names[i]} against {reading.names[j]}"
        counts = (reading.n[i, j], wins[i, j], wins[j, i], ties[i, j])
        rows.append(
            [pair, *(f"{n:,}" for n in counts), percent(float(shares[i, j]), digits=1), known]
        )
    left = len(pairs) - len(rows)
    note = f"{left:,} pairs of options further down are left out." if left else ""
    return Part(rows=rows, note=note)


def _progress(reading: Analysis, progress: Sequence[Progress]) -> Part:
    course = list(sentences.progress_sentences(reading, progress))
    if is_unordered(progress):
        return Part(said=course)
    words = reading.kind.progress
    drawn = _picture(
        progress_figure(
            [row.votes for row in progress],
            [row.possible for row in progress],
            [row.share for row in progress],
            max(row.options for row in progress),
            sentences.find_first_proof(progress),
            words.curve,
        ),
        f"Over the votes: how many options are not ruled out, and {words.meaning}. {' '.join(course)}",
    )
    return Part(drawn, course, words.note)


def _position(standing: Standing) -> Part:
    voters = _most_votes(standing.voters, JUDGES)
    full = [voter.name for voter in voters]
    names = shorten_names(full, _NAME, _LINES)
    positions = [voter.position for voter in voters]
    all_votes = ("all votes", "all votes", standing.position)
    rows = [
        Interval(name, p.share, p.low, p.high, PALETTE[1] if p.is_biased else PALETTE[0], whole)
        for whole, name, p in [all_votes, *zip(full, names, positions, strict=True)]
        if p.left + p.right
    ]
    shares = "; ".join(f"{row.full} {percent(row.value, digits=1)}" for row in rows)
    alt = f"Share of wins of the left side: {shares}"
    drawn = _picture(position_figure(rows), alt) if rows else None
    sides = sum(voter.position.left + voter.position.right > 0 for voter in standing.voters)
    note = sentences.note_omission(sides - max(len(rows) - 1, 0), "voter")
    return Part(drawn, sentences.side_sentences(standing), note)


def _voters(standing: Standing) -> Part:
    voters = _most_votes(standing.voters, VOTERS)
    swaps = {one.name: standing.swaps[one.name] for one in voters if one.name in standing.swaps}
    rows = []
    for voter in voters:
        flips = swaps[voter.name].flips if voter.name in swaps else 0
        ties = [voter.outcomes[TIE] - flips, *([flips] if swaps else [])]
        others = (voter.outcomes[outcome] for outcome in (BOTH_BAD, SKIP, ERROR))
        counts = [f"{n:,}" for n in (voter.votes, *ties, *others)]
        rows.append([voter.name, *counts, _share(voter.agreement, voter.compared)])
    columns = ["voter", "answers", "ties", "both bad", "skips", "errors", "with the majority"]
    if swaps:
        columns.insert(3, "flips")
    known = sum(voter.votes for voter in standing.voters)
    number, left = len(standing.voters), len(standing.voters) - len(voters)
    summary = (
        f"{format_count(number, 'voter')} gave {known:,} answers, not counting skips and errors."
    )
    note = (
        "With the majority: how often this voter agreed with the majority of the others, on pairs where they have "
        f"one{f'; {left:,} with fewer answers are left out' if left else ''}."
    )
    return Part(said=[summary], columns=columns, rows=rows, note=note)


def _members(reading: Analysis) -> Part | None:
    """Who of a panel has answered how much."""
    members = reading.kind.list_members(reading.standing)
    if members is None:
        return None
    rows = [
        [
            one["name"],
            f"{one['answers']:,}",
            "excused" if one["excused"] else f"{one['missing']:,}",
            f"{one['to_ask']:,}",
        ]
        for one in members
    ]
    absent = [one["name"] for one in members if one["excused"]]
    excused = f" Excused, so the study does not wait for: {join_names(absent)}."
    note = (
        "Answers: skips included. Missing: pairs not answered. To ask: those that may still "
        f"affect the verdict.{excused if absent else ''}"
    )
    return Part(columns=["member", "answers", "missing", "to ask"], rows=rows, note=note)


def _judges(agreed: JudgeAgreement, voters: int) -> Part:
    rows = [
        [
            f"{pair.first} and {pair.second}",
            f"{pair.n:,}",
            percent(pair.agreement, digits=1),
            "-" if pair.kappa is None else f"{pair.kappa:.2f}",
        ]
        for pair in sorted(agreed.pairs, key=lambda pair: -pair.n)[:VOTERS]
    ]
    more = sentences.note_omission(len(agreed.pairs) - len(rows), "pair", "of voters")
    compared = f"Only the {JUDGES} voters with the most answers are compared, of {voters:,}."
    notes = (sentences.KAPPA_NOTE, more, compared if voters > JUDGES else "")
    return Part(rows=rows, note=" ".join(filter(None, notes)))


def _basis(reading: Analysis, last: float | None) -> dict[str, str]:
    standing, certificate, settings = (
        reading.standing,
        reading.certificate,
        reading.standing.settings,
    )
    basis = {
        "ballots": f"{standing.asked:,} handed out, {standing.open:,} open",
        **({} if reading.aims_at_best else {"goal": settings.goal}),
        "algorithm": settings.algorithm,
        "error probability": f"{settings.delta:g}",
        "margin": f"{settings.margin:g}",
        "both bad": "counts as a tie" if settings.both_bad == "tie" else "left out",
        "repeats": "count" if settings.repeats == "count" else "only the first vote counts",
        "voters": settings.voters,
        "seed": str(settings.seed),
        "digest of the counts": certificate.digest,
    }
    basis = reading.kind.describe_settings(settings, basis)
    if last is not None:
        time = datetime.fromtimestamp(last, UTC)
        basis["last event"] = f"number {standing.events:,}, at {time:%Y-%m-%d %H:%M:%S} UTC"
    return basis


# Bits


def _picture(figure: Figure, alt: str, whole: bool = False) -> _Picture:
    """A figure whose letters are text, in the letters and colours of the page."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's fonts have it
        svg = image(figure, "svg").decode()
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", svg)
    width = figure.get_size_inches()[0]
    span = f"min-width: {4.0 * width:.1f}rem; max-width: {7.2 * width:.1f}rem" if whole else ""
    return _Picture(inline_svg(svg.encode()).replace(PAPER, "var(--paper)"), alt, span)


def _share(share: float | None, n: int) -> str:
    return "-" if share is None else f"{percent(share, digits=1)} of {n:,}"


def _most_votes(voters: Iterable[Voter], most: int) -> list[Voter]:
    return sorted(voters, key=lambda voter: -voter.votes)[:most]
