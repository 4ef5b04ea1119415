"""A live study as one HTML page: the verdict, what it rests on, and what would change it."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from copeland.certificate import Certificate
from copeland.files import write_file
from copeland.report.document import document, facts, heading, paragraph, picture, repeat, table
from copeland.report.figures import PALETTE, image
from copeland.results import versions
from copeland.study.judges.agreement import JudgeAgreement, agreement
from copeland.study.meaning.history import Progress, history_of
from copeland.study.meaning.reading import PROVED, Reading
from copeland.study.meaning.standing import Standing, Voter, position_of
from copeland.study.meaning.verdict import Verdict, verdict_of
from copeland.study.meaning.words import counted, percent, shortened
from copeland.study.page import words
from copeland.study.page.figures import (
    BEST,
    COLOURS,
    NUMBERED,
    OUT,
    PAPER,
    POSSIBLE,
    Bar,
    graph_figure,
    matrix_figure,
    position_figure,
    progress_figure,
    scores_figure,
)
from copeland.study.page.graph import graph_of, shown_options
from copeland.study.record.events import BOTH_BAD, ERROR, LEFT, RIGHT, SKIP, TIE, Event
from copeland.study.record.options import ACTIVE
from copeland.study.record.votes import iso

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VOTERS = 20  # of whom the page tells
NEEDS = 20  # pairs that would settle it
JUDGES = 12  # voters, those with the most votes, that are compared with each other
PAIRS = 500  # rows of the table of pairs

_NAME = 20  # letters of a name beside a figure
_IN_BOX = 12  # letters of a name in a box

_BADGES = {"winner": "Winner", "tied": "Tied for first", "open": "Keep going"}

_STYLE = """\
.lead, p, li { overflow-wrap: anywhere; max-width: 44rem; }
.verdict { border: 1px solid var(--rule); border-left: 6px solid #59636e; border-radius: 8px;
  padding: .75rem 1.1rem; margin: 1.25rem 0; background: var(--wash); }
.verdict.winner, .verdict.tied { border-left-color: #0072B2; }
.verdict.open { border-left-color: #E69F00; }
.badge { font-size: .8rem; font-weight: 700; letter-spacing: .05em; text-transform: uppercase;
  color: var(--faint); }
.claim { font-size: 1.2rem; line-height: 1.4; }
.verdict dl { margin: .75rem 0 0; }
.verdict dd > p { margin: 0 0 .4rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem 2.25rem; margin: 1rem 0; }
.tiles dd { font-size: 1.5rem; font-weight: 600; line-height: 1.2; margin: 0; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 0 2.5rem; align-items: start; }
.two > * { min-width: 0; }
.two > .whole { grid-column: 1 / -1; }
figure { max-width: 33rem; }
figure.whole { max-width: none; overflow-x: auto; }
tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; max-width: 22rem;
  font-weight: 500; }
details { margin: .75rem 0; }
summary { cursor: pointer; color: var(--faint); }
ul { padding-left: 1.2rem; }
@media print {
  body { max-width: none; font-size: 10pt; }
  figure, .verdict, tr, li { break-inside: avoid; }
  h2 { break-after: avoid; }
  summary, details.table { display: none; }
  details.key::details-content { content-visibility: visible; block-size: auto; }
  .verdict, figure { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def study_page(
    reading: Reading,
    verdict: Verdict,
    progress: Sequence[Progress],
    agreed: JudgeAgreement | None = None,
    *,
    last: float | None = None,
    made_with: Mapping[str, str] | None = None,
    command: str = "",
) -> str:
    """Return where a study stands as an HTML page that needs nothing else.

    Parameters
    ----------
    reading
        The reading of its votes.
    verdict
        What :func:`copeland.study.meaning.verdict.verdict_of` gives.
    progress
        What :func:`copeland.study.meaning.history.history_of` gives.
    agreed
        How far judges agree, if that shall be told.
    last
        When the last event was, in seconds since 1970.
    made_with, command
        How the page was made, if that shall be said.
    """
    standing = reading.standing
    voted = standing.votes > 0
    return document(
        standing.name,
        [
            paragraph(words.lead_sentence(standing), "lead"),
            _verdict(verdict, reading),
            *(paragraph(text, "notice") for text in words.notices(reading)),
            _tiles(standing, progress),
            _side_by_side(
                _section("Copeland scores", _scores(reading)),
                _section("Who beats whom", _graph(reading)),
                _section("Every pair", _matrix(reading), reading.k > NUMBERED),
                _section("How the proof grew", _progress(reading, progress)),
                _section("Other ways to count", _counting(reading)),
                _section("Left and right", _position(standing)),
            )
            if voted
            else "",
            _section("Voters and judges", _voters(standing, agreed)) if standing.voters else "",
            _section("Numbers", _tables(reading)) if voted else "",
            _section("What this rests on", _basis(standing, last, made_with or {})),
            repeat(command),
        ],
        _STYLE,
    )


def write_study_page(
    standing: Standing,
    log: Sequence[Event],
    path: str | Path,
    command: str = "",
) -> Path:
    """Write where a study stands as an HTML page; return its path. Events that came later are left out."""
    reading = Reading(standing)
    log = log[: standing.events]
    page = study_page(
        reading,
        verdict_of(reading),
        history_of(log),
        judges_agreement(standing, log),
        last=log[-1].time,
        made_with=versions(),
        command=command,
    )
    write_file(path, page.encode(), private=True)
    return Path(path)


def judges_agreement(standing: Standing, log: Iterable[Event]) -> JudgeAgreement:
    """Return how far the voters with the most votes agree where they voted on the same."""
    votes, undone = [], set()
    names = {voter.name for voter in _most_votes(standing.voters, JUDGES)}
    for event in log:
        if event.undoes is not None:
            undone.add(event.undoes)
        elif event.outcome is not None and event.voter in names:
            votes.append(event)
    labels = standing.labels
    return agreement(
        {
            "voter": vote.voter,
            "left": labels[vote.left or 0],
            "right": labels[vote.right or 0],
            "outcome": vote.outcome,
            "item": vote.item,
        }
        for vote in votes
        if vote.number not in undone
    )


# Parts of the page


def _verdict(verdict: Verdict, reading: Reading) -> str:
    badge = _BADGES[verdict.kind]
    if verdict.kind == "open" and reading.standing.closed:
        badge = "Closed without a proof"
    parts = [
        f"<dt>{escape(name)}</dt><dd>{''.join(map(paragraph, sentences))}</dd>"
        for name, sentences in verdict.parts.items()
    ]
    return "\n".join(
        [
            f'<section class="verdict {verdict.kind}" aria-label="Verdict">',
            paragraph(badge, "badge"),
            paragraph(verdict.claim, "claim"),
            f"<dl>{''.join(parts)}</dl>",
            _needs(reading) if verdict.advice else "",
            "</section>",
        ]
    )


def _needs(reading: Reading) -> str:
    """The pairs that would settle it."""
    rows, outlook = [], reading.outlook
    for need in outlook.pairs[:NEEDS]:
        i, j = need.first, need.second
        rows.append(
            [
                f"{reading.names[i]} over {reading.names[j]}",
                f"{reading.standing.wins[i, j]:,} of {reading.n[i, j]:,}",
                "-" if outlook.votes is None else f"{need.votes:,}",
            ]
        )
    if not rows:
        return ""
    left = len(outlook.pairs) - len(rows)
    content = table(["to be proved", "won so far", "more votes, about"], rows)
    note = paragraph(f"{counted(left, 'pair')} more, with fewer votes each.", "lead")
    return _folded("The pairs that would settle it", content + (note if left else ""))


def _tiles(standing: Standing, progress: Sequence[Progress]) -> str:
    certificate = standing.certificate
    tiles = {
        "votes": f"{standing.votes:,}",
        "options": f"{len(standing.options):,}",
        "may be best": f"{len(certificate.possible):,}",
        "proved best": f"{len(certificate.best):,}",
        "of the proof": f"{math.floor(100 * progress[-1].share)} %",
        "error probability": f"{certificate.delta:g}",
    }
    shown = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in tiles.items()
    )
    return f'<dl class="tiles">{shown}</dl>'


def _scores(reading: Reading) -> Iterator[str]:
    known, names = _known(reading.certificate), shortened(reading.names, _NAME)
    rows = [
        Bar(names[i], reading.scores[i], *reading.certificate.scores[i], COLOURS[known[i]])
        for i in reading.order
    ]
    yield _picture(
        scores_figure(rows, reading.k),
        "Number of options that each option beats, with intervals: "
        + "; ".join(f"{row.name} {row.value} ({row.low:g} to {row.high:g})" for row in rows),
    )
    yield from (paragraph(text) for text in words.score_sentences(reading))


def _graph(reading: Reading) -> Iterator[str]:
    known, names = _known(reading.certificate), shortened(reading.names, _IN_BOX)
    shown = shown_options(reading)
    graph = graph_of(reading.sure, shown)
    yield _picture(
        graph_figure(graph, dict(enumerate(names)), known),
        "Arrows from winners to losers. " + " ".join(words.arrow_sentences(reading, graph)),
    )
    yield from (paragraph(text) for text in words.cycle_sentences(reading, graph))
    key = [
        words.graph_sentence(len(shown), reading.k),
        words.sureness_sentence(reading.certificate.delta),
    ]
    yield _folded("How to read it", "\n".join(map(paragraph, key)), "key")


def _matrix(reading: Reading) -> Iterator[str]:
    order = list(reading.order)
    names = shortened(reading.names, _IN_BOX + 4 if reading.k <= NUMBERED else _IN_BOX)
    yield _picture(
        matrix_figure(
            reading.shares[order][:, order],
            [names[i] for i in order],
            (reading.sure == PROVED)[order][:, order],
        ),
        f"Heat map of the shares of votes that each of {reading.k} options won against each other; "
        "the numbers are in a table below.",
        whole=True,
    )
    yield paragraph(words.matrix_sentence(reading))
    yield paragraph(words.cells_sentence(reading.k <= NUMBERED), "lead")


def _tables(reading: Reading) -> Iterator[str]:
    yield _folded("All options", _options_table(reading))
    yield _folded("All pairs", _pairs_table(reading))


def _options_table(reading: Reading) -> str:
    standing, known = reading.standing, _known(reading.certificate)
    chances = reading.chances.each if reading.chances else None
    head = ["option", "known", "beats", "proved", "votes", "won", "Borda", "von Neumann"]
    rows = []
    for i in reading.order:
        option, (low, high) = standing.options[i], standing.certificate.scores[i]
        votes = int(reading.n[i].sum())
        won = (
            (reading.standing.wins[i] + reading.standing.ties[i] / 2).sum() / votes
            if votes
            else None
        )
        row = [
            option.name,
            known[i] if option.state == ACTIVE else f"{known[i]}, {option.state}",
            f"{reading.scores[i]}",
            f"{low} to {high}",
            f"{votes:,}",
            "-" if won is None else f"{100 * won:.1f} %",
            f"{reading.borda[i]:.3f}",
            f"{reading.lottery[i]:.3f}",
        ]
        rows.append(row if chances is None else [*row, percent(chances[i])])
    return table(head if chances is None else [*head, "chance to be best"], rows) + paragraph(
        words.OPTIONS_NOTE, "lead"
    )


def _pairs_table(reading: Reading) -> str:
    pairs = [
        (i, j) if reading.matrix.p[i, j] >= 0.5 else (j, i)
        for i, j in combinations(reading.order, 2)
        if reading.n[i, j]
    ]
    rows = [
        [
            f"{reading.names[i]} against {reading.names[j]}",
            f"{reading.n[i, j]:,}",
            f"{reading.standing.wins[i, j]:,}",
            f"{reading.standing.wins[j, i]:,}",
            f"{reading.standing.ties[i, j]:,}",
            f"{100 * reading.matrix.p[i, j]:.1f} %",
            _pair_words(reading, i, j),
        ]
        for i, j in pairs[:PAIRS]
    ]
    left = len(pairs) - len(rows)
    note = f"{left:,} pairs of options further down are left out." if left else ""
    head = ["pair", "votes", "won", "lost", "tied", "share", "first beats second"]
    return table(head, rows) + (paragraph(note, "lead") if note else "")


def _pair_words(reading: Reading, i: int, j: int) -> str:
    said = words.SURENESS.get(int(reading.sure[i, j]), "even")
    tied = (min(i, j), max(i, j)) in reading.certificate.ties
    return f"{said}, tied within the margin" if tied else said


def _progress(reading: Reading, progress: Sequence[Progress]) -> Iterator[str]:
    said = list(words.progress_sentences(reading, progress))
    yield _picture(
        progress_figure(
            [row.votes for row in progress],
            [row.possible for row in progress],
            [row.share for row in progress],
            max(row.options for row in progress),
            words.proved_at(progress),
        ),
        "Over the votes: how many options may be best, and how much of the evidence for a proof is "
        f"there. {' '.join(said)}",
    )
    yield from (paragraph(text) for text in said)
    yield paragraph(words.PROGRESS_NOTE, "lead")


def _counting(reading: Reading) -> Iterator[str]:
    yield _listing(words.counting_sentences(reading))


def _position(standing: Standing) -> Iterator[str]:
    voters = _most_votes(standing.voters, JUDGES)
    names = shortened([voter.name for voter in voters], _NAME)
    positions = [position_of(voter.outcomes[LEFT], voter.outcomes[RIGHT]) for voter in voters]
    named = [("all votes", standing.position), *zip(names, positions, strict=True)]
    rows = [
        Bar(name, p.share, p.low, p.high, PALETTE[1] if p.is_biased else PALETTE[0])
        for name, p in named
        if p.left + p.right
    ]
    if rows:
        yield _picture(
            position_figure(rows),
            "Share of wins of the left side: "
            + "; ".join(f"{row.name} {100 * row.value:.1f} %" for row in rows),
        )
    yield from (paragraph(text) for text in words.position_sentences(standing.position))


def _voters(standing: Standing, agreed: JudgeAgreement | None) -> Iterator[str]:
    voters = _most_votes(standing.voters, VOTERS)
    yield paragraph(words.voters_sentence(standing))
    head = ["voter", "answers", "ties", "both bad", "skips", "errors", "with most others"]
    yield table(
        head,
        [
            [
                voter.name,
                f"{voter.votes:,}",
                *(f"{voter.outcomes[outcome]:,}" for outcome in (TIE, BOTH_BAD, SKIP, ERROR)),
                _share(voter.agreement, voter.compared),
            ]
            for voter in voters
        ],
    )
    yield paragraph(words.voters_note(len(standing.voters) - len(voters)), "lead")
    if agreed is not None and agreed.pairs:
        pairs = sorted(agreed.pairs, key=lambda pair: -pair.n)[:VOTERS]
        yield _folded(
            "Every two judges",
            table(
                ["judges", "voted on the same", "said the same", "kappa"],
                [
                    [
                        f"{pair.first} and {pair.second}",
                        f"{pair.n:,}",
                        f"{100 * pair.agreement:.1f} %",
                        "-" if pair.kappa is None else f"{pair.kappa:.2f}",
                    ]
                    for pair in pairs
                ],
            )
            + paragraph(words.KAPPA_NOTE, "lead"),
        )


def _basis(standing: Standing, last: float | None, made_with: Mapping[str, str]) -> Iterator[str]:
    certificate, settings = standing.certificate, standing.settings
    yield paragraph(words.outcomes_sentence(standing))
    yield paragraph(f"The certificate: {certificate.statement} It assumes:")
    yield _listing(certificate.assumptions)
    said = {
        "ballots": f"{standing.asked:,} handed out, {standing.open:,} open",
        "algorithm": settings.algorithm,
        "error probability": f"{settings.delta:g}",
        "margin": f"{settings.margin:g}",
        "both bad": "counts as a tie" if settings.both_bad == "tie" else "left out",
        "repeats": "count" if settings.repeats == "count" else "only the first vote counts",
        "voters": settings.voters,
        "seed": str(settings.seed),
        "digest of the counts": certificate.digest,
    }
    if last is not None:
        said["last event"] = (
            f"number {standing.events:,}, at {iso(last)[:19].replace('T', ' ')} UTC"
        )
    if made_with:
        said["versions"] = ", ".join(f"{name} {version}" for name, version in made_with.items())
    yield facts(said)


# Bits of HTML


def _picture(figure: Figure, alt: str, whole: bool = False) -> str:
    """A figure whose letters are text, in the letters and colours of the page."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's fonts have it
        svg = image(figure, "svg").decode()
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", svg)
    body = picture(svg.encode(), alt).replace(PAPER, "var(--paper)")
    if not whole:
        return body
    width = figure.get_size_inches()[0]
    body = body.replace("<figure>", '<figure class="whole" tabindex="0">', 1)
    span = f"min-width: {4.0 * width:.1f}rem; max-width: {7.2 * width:.1f}rem"
    return body.replace('<div role="img"', f'<div style="{span}" role="img"', 1)


def _section(title: str, parts: Iterable[str], whole: bool = False) -> str:
    start = '<section class="whole">' if whole else "<section>"
    return "\n".join([start, heading(title), *parts, "</section>"])


def _side_by_side(*sections: str) -> str:
    return "\n".join(['<div class="two">', *sections, "</div>"])


def _folded(summary: str, content: str, kind: str = "table") -> str:
    """A part that is closed until the reader opens it; on paper a ``key`` is open."""
    return f'<details class="{kind}">\n<summary>{escape(summary)}</summary>\n{content}\n</details>'


def _listing(items: Iterable[str]) -> str:
    return "<ul>\n" + "\n".join(f"<li>{escape(item)}</li>" for item in items) + "\n</ul>"


def _share(share: float | None, n: int) -> str:
    return "-" if share is None else f"{100 * share:.1f} % of {n:,}"


def _known(certificate: Certificate) -> dict[int, str]:
    best, possible = set(certificate.best), set(certificate.possible)
    return {
        i: BEST if i in best else POSSIBLE if i in possible else OUT for i in range(certificate.k)
    }


def _most_votes(voters: Iterable[Voter], most: int) -> list[Voter]:
    return sorted(voters, key=lambda voter: -voter.votes)[:most]
