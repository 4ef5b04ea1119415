"""A live study as one HTML page: the verdict, what it rests on, and what would change it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations, filterfalse
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from copeland.certificate.base_certificate import BaseCertificate
from copeland.orders.rank import Ranking, format_ranks
from copeland.report.document import PALETTE, document, image, inline_svg
from copeland.report.ranking_figure import MOST, describe_ranking, ranking_figure
from copeland.study.log.events import BOTH_BAD, ERROR, SKIP, TIE, Event, is_vote, times_of
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
from copeland.support.rng import versions

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
_SENTENCE, _NUMBER, _VOTES = attrgetter("sentence"), attrgetter("n"), attrgetter("votes")
_COUNTS, _KNOWN = attrgetter("counts"), attrgetter("index", "known")


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
    voted, at_end = standing.votes > 0, reading.kind.say_end(standing)
    return StudyParts(
        title=standing.name,
        lead=reading.kind.lead_sentence(standing),
        badge=reading.badge,
        verdict=verdict,
        needs=None if at_end or not verdict.advice else _needs(reading),
        notices=[*sentences.notices(reading), *map(_SENTENCE, drifts)],
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
    log, labels = list(log), standing.labels
    names = list(map(attrgetter("name"), _most_votes(standing.voters, JUDGES)))
    undone = set(map(attrgetter("undoes"), log))
    rows = []
    for vote in filter(is_vote, log):
        if vote.voter in names and vote.number not in undone:
            sides = labels[vote.left], labels[vote.right]
            rows.append((vote.voter, *sides, vote.outcome, vote.item, times_of(vote)))
    return compare_judges(rows)


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
    rows = []
    for i, j, votes in outlook.pairs[:NEEDS]:
        won = f"{reading.standing.wins[i, j]:,} of {reading.n[i, j]:,}"
        more = "-" if outlook.votes is None else f"{votes:,}"
        rows.append([f"{reading.names[i]} {against} {reading.names[j]}", won, more])
    left = len(outlook.pairs) - len(rows)
    note = f"{format_count(left, 'pair')} more, with fewer {what} each." if left else ""
    columns = ["pair" if reading.is_either else "to be proved", "won so far", f"more {what}, about"]
    return Part(columns=columns, rows=rows, note=note)


def _tiles(reading: Analysis, progress: Sequence[Progress]) -> dict[str, str]:
    standing = reading.standing
    return {
        "votes": f"{standing.votes:,}",
        "options": f"{len(standing.options):,}",
        **reading.certificate.claims.count(),
        **reading.kind.tiles(standing, progress[-1].share),
    }


def _scores(reading: Analysis, options: Sequence[OptionRow]) -> Part:
    names = shorten_names(reading.standing.labels, _NAME, _LINES)
    rows, words = [], []
    for row in filter(_COUNTS, options):
        bar = (row.beats, row.least, row.most, COLOURS[row.known], row.name)
        rows.append(Interval(names[row.index], *bar))
        words.append(f"{row.name} {row.beats} ({row.least:g} to {row.most:g})")
    drawn = _picture(
        scores_figure(rows, len(reading.among)),
        f"Number of options that each option beats, with intervals: {'; '.join(words)}",
    )
    return Part(drawn, sentences.score_sentences(reading))


def _graph(reading: Analysis, options: Sequence[OptionRow]) -> Part:
    shown = shown_options(reading)
    arrows = shown_arrows(reading, shown)
    drawn = _picture(
        graph_figure(shown, arrows, reading.standing.labels, dict(map(_KNOWN, options))),
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
            list(map(names.__getitem__, order)),
            (reading.sure == PROVED)[order][:, order],
            list(map(labels.__getitem__, order)),
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
    rows = []
    for place in ranking.places[:RANKED]:
        proved = f"{place.low:g} to {place.high:g}"
        known = (f"{place.tier}", f"{place.value:g}", proved, format_ranks(place))
        rows.append([place.name, *known, strength_words(place.strength)])
    left = len(ranking.places) - len(rows)
    more = f" {format_count(left, 'option')} further down are left out." if left else ""
    notes = (ranking.sentence, sentences.exactness_sentence(ranking), *ranking.notes)
    return Part(
        said=list(filterfalse(said.__contains__, notes)),
        columns=["option", "tier", "beats", "proved", "rank", "strength"],
        rows=rows,
        note=sentences.RANKING_NOTE + more,
        title=ORDER_TITLES["copeland"],
    )


def _options(options: Sequence[OptionRow]) -> Part:
    columns = ["option", "known", "beats", "proved", "votes", "won", "Borda", "von Neumann"]
    rows = []
    for row in options:
        won = "-" if row.share is None else percent(row.share, digits=1)
        numbers = (f"{row.beats}", f"{row.least} to {row.most}", f"{row.votes:,}", won)
        estimated = [f"{row.borda:.3f}", f"{row.lottery:.3f}"]
        if row.chance is not None:
            estimated.append(percent_chance(row.chance))
        rows.append([row.name, row.add_state(row.words), *numbers, *estimated])
    estimates = "Both are estimates."
    if options[0].chance is not None:
        columns.append("chance to be best")
        estimates = "Both, and the chance to be best, are estimates."
    return Part(columns=columns, rows=rows, note=f"{sentences.OPTIONS_NOTE}{estimates}")


def _pairs(reading: Analysis) -> Part:
    wins, ties, shares = reading.standing.wins, reading.standing.ties, reading.matrix.p
    rows, left = [], 0
    for i, j in combinations(reading.order, 2):
        if not reading.n[i, j]:
            continue
        if len(rows) == PAIRS:
            left += 1
            continue
        i, j = (i, j) if shares[i, j] >= 0.5 else (j, i)
        known = sentences.SURENESS.get(int(reading.sure[i, j]), "even")
        if (min(i, j), max(i, j)) in reading.certificate.ties:
            known = reading.kind.tie_words(known)
        pair, share = f"{reading.names[i]} against {reading.names[j]}", float(shares[i, j])
        counts = map("{:,}".format, (reading.n[i, j], wins[i, j], wins[j, i], ties[i, j]))
        rows.append([pair, *counts, percent(share, digits=1), known])
    note = f"{left:,} pairs of options further down are left out." if left else ""
    return Part(rows=rows, note=note)


def _progress(reading: Analysis, progress: Sequence[Progress]) -> Part:
    course = list(sentences.progress_sentences(reading, progress))
    if is_unordered(progress):
        return Part(said=course)
    words, proved_at = reading.kind.progress, sentences.find_first_proof(progress)
    votes, options, _, possible, _, shares = zip(*progress, strict=True)
    drawn = _picture(
        progress_figure(votes, possible, shares, max(options), proved_at, words.curve),
        f"Over the votes: how many options are not ruled out, and {words.meaning}. {' '.join(course)}",
    )
    return Part(drawn, course, words.note)


def _position(standing: Standing) -> Part:
    voters = _most_votes(standing.voters, len(standing.voters))
    full = list(map(attrgetter("name"), voters))
    names = shorten_names(full[:JUDGES], _NAME, _LINES)
    rows, shares, left = [], [], 0
    positions = [standing.position, *map(attrgetter("position"), voters)]
    for n, (whole, p) in enumerate(zip(["all votes", *full], positions, strict=True)):
        if not p.left + p.right:
            continue
        if n > JUDGES:
            left += 1
            continue
        colour = PALETTE[1] if p.is_biased else PALETTE[0]
        name = names[n - 1] if n else whole
        rows.append(Interval(name, p.share, p.low, p.high, colour, whole))
        shares.append(f"{whole} {percent(p.share, digits=1)}")
    alt = f"Share of wins of the left side: {'; '.join(shares)}"
    drawn = _picture(position_figure(rows), alt) if rows else None
    note = sentences.note_omission(left, "voter")
    return Part(drawn, sentences.side_sentences(standing), note)


def _voters(standing: Standing) -> Part:
    voters, swaps = _most_votes(standing.voters, VOTERS), standing.swaps
    has_swaps = not swaps.keys().isdisjoint(map(attrgetter("name"), voters))
    rows = []
    for voter in voters:
        flips = swaps[voter.name].flips if voter.name in swaps else 0
        ties = [voter.outcomes[TIE] - flips, *([flips] if has_swaps else [])]
        others = map(voter.outcomes.__getitem__, (BOTH_BAD, SKIP, ERROR))
        counts = map("{:,}".format, (voter.votes, *ties, *others))
        agreed = "-"
        if voter.agreement is not None:
            agreed = f"{percent(voter.agreement, digits=1)} of {voter.compared:,}"
        rows.append([voter.name, *counts, agreed])
    columns = ["voter", "answers", "ties", "both bad", "skips", "errors", "with the majority"]
    if has_swaps:
        columns.insert(3, "flips")
    known = sum(map(_VOTES, standing.voters))
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
    rows = []
    for pair in sorted(agreed.pairs, key=_NUMBER, reverse=True)[:VOTERS]:
        kappa = "-" if pair.kappa is None else f"{pair.kappa:.2f}"
        same = percent(pair.agreement, digits=1)
        rows.append([f"{pair.first} and {pair.second}", f"{pair.n:,}", same, kappa])
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


def _most_votes(voters: Iterable[Voter], most: int) -> list[Voter]:
    return sorted(voters, key=_VOTES, reverse=True)[:most]
