"""copeland study status, rank and list: how studies stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from copeland.cli.options import STORAGE, Json, Storage
from copeland.cli.output import print_json, show
from copeland.cli.study import Name, open_study, study
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count, percent, quote_name, quote_names

if TYPE_CHECKING:
    from rich.text import Text

    from copeland.certificate import PanelCertificate
    from copeland.certificate.certificate import Certificate
    from copeland.study import Standing
    from copeland.study.results.analysis import Analysis
    from copeland.study.results.drift import Drift
    from copeland.study.results.verdict import Verdict

_MOST = 100_000  # votes that are gone through for changes; of more, the report tells
_DRIFTS = 5  # pairs that are named


@study.command("status", epilog="Example: `copeland study status tea`")
def status_command(name: Name, storage: Storage = STORAGE, as_json: Json = False) -> None:
    """Say who leads, who is tied, whether there is a cycle, and about how many more votes it may take."""
    from rich.padding import Padding
    from rich.text import Text

    from copeland.study.report.study_tables import panel_table, standing_table
    from copeland.study.results.analysis import Analysis
    from copeland.study.results.guidance import guidance_sentences
    from copeland.study.results.verdict import verdict_of

    work = open_study(name, storage)
    if work.settings.space:
        if as_json:
            print_json(work.tuned().to_dict() | {"settings": work.settings.to_dict()})
        else:
            show(str(work.verdict()))
        return
    reading = Analysis(work.standing())
    standing, verdict = reading.standing, verdict_of(reading)
    drifts = work.drift() if standing.votes <= _MOST else None
    if as_json:
        told = None if drifts is None else [drift.to_dict() for drift in drifts]
        print_json(describe(reading, verdict) | {"drift": told})
        return
    show(*_headline(standing, verdict))
    for heading, sentences in (
        (f"Proved ({standing.certificate.proviso})", verdict.proved),
        ("By the votes so far", (*verdict.shown, *_notes(standing))),
        ("Changed over time", _changes(name, drifts or ())),
        ("What next", verdict.advice),
        ("Guides", tuple(guidance_sentences(standing.guides))),
    ):
        if sentences:
            # Padding keeps the indent of a sentence that is wrapped.
            bullets = [Padding(Text(one), (0, 0, 0, 2), expand=False) for one in sentences]
            show(Text(f"\n{heading}", style="bold"), *bullets)
    if standing.votes:
        show("", standing_table(rows_of_options(reading)))
    if standing.panel is not None:
        show("", panel_table(standing.panel.rows()))


def describe(reading: Analysis, verdict: Verdict) -> dict[str, Any]:
    """Return how a study stands, ready for JSON."""
    standing, labels, outlook = reading.standing, reading.standing.labels, reading.outlook
    likely, chances = reading.likely, reading.chances  # an estimate, not a proof
    return {
        "study": standing.name,
        "votes": standing.votes,
        "closed": standing.closed,
        "verdict": verdict.to_dict(),
        "outlook": {
            "champion": None if outlook.champion is None else labels[outlook.champion],
            "votes": outlook.votes,
            "pairs": [
                {"first": labels[need.first], "second": labels[need.second], "votes": need.votes}
                for need in outlook.pairs
            ],
        },
        "remaining": None if reading.remaining is None else reading.remaining.to_dict(),
        "reach": None if reading.reach is None else reading.reach.to_dict(),
        "likely": None
        if likely is None or chances is None
        else {"option": labels[likely], "chance": chances.each[likely]},
        "panel": None if standing.panel is None else standing.panel.rows(),
        "leader": standing.leader,
        "leaders": [labels[i] for i in reading.leaders],
        "circles": [[labels[i] for i in circle] for circle in reading.circles],
        "options": rows_of_options(reading),
        "certificate": asdict(standing.certificate),
        "position": asdict(standing.position)
        | {"without_sides": standing.sideless, "both_ways": standing.both_ways},
        "swaps": [{"name": name} | swaps._asdict() for name, swaps in standing.swaps.items()],
        "outcomes": standing.outcomes,
        "asked": standing.asked,
        "open": standing.open,
        "lists": {"shown": standing.lists, "unclicked": standing.unclicked},
        "repeated": standing.repeated,
        "undone": standing.undone,
        "voters": [
            {"name": one.name, "votes": one.votes, "agreement": one.agreement}
            for one in standing.voters
        ],
        "guides": [
            one._asdict() | {"agreement": one.agreement, "role": "guide", "proves": False}
            for one in standing.guides
        ],
        "settings": standing.settings.to_dict(),
    }


def rows_of_options(reading: Analysis) -> list[dict[str, Any]]:
    """Return what is known of each option, who leads first."""
    standing, found = reading.standing, reading.certificate
    won, lost, tied = (
        counts.sum(axis=1) for counts in (standing.wins, standing.wins.T, standing.ties)
    )
    return [
        {
            "name": standing.options[i].name,
            "state": standing.options[i].state,
            "won": int(won[i]),
            "lost": int(lost[i]),
            "tied": int(tied[i]),
            "beats": int(reading.scores[i]),
            "beats_proved": found.scores[i][0],
            "score": list(found.scores[i]),
            "chance": None if reading.each_chance is None else reading.each_chance[i],
            "borda": float(reading.borda[i]),
            "lottery": float(reading.lottery[i]),
            "place": _place(found, i) if i in reading.among else standing.options[i].state,
        }
        for i in reading.order
    ]


def _place(found: Certificate | PanelCertificate, i: int) -> str:
    if i in found.best:
        return "proved best"
    if i not in found.possible:
        return "ruled out"
    return "may be tied with the best" if found.best and not found.margin else "not ruled out"


def _headline(standing: Standing, verdict: Verdict) -> Iterator[Text]:
    from rich.text import Text

    people = f", {format_count(len(standing.voters), 'voter')}" if standing.voters else ""
    closed = ", closed" if standing.closed else ""
    yield Text(
        f"{standing.name}: {format_count(len(standing.options), 'option')}, "
        f"{format_count(standing.votes, 'vote')}{people}{closed}",
        style="dim",
    )
    yield Text(
        f"\n{verdict.claim}", style="bold yellow" if verdict.kind == "open" else "bold green"
    )


def _notes(standing: Standing) -> Iterator[str]:
    """What is odd about the votes."""
    from copeland.study.report.study_sentences import lists_sentence
    from copeland.study.results.agreement import flip_sentences

    position = standing.position
    if position.is_biased:
        side, share = (
            ("left", position.share) if position.share > 0.5 else ("right", 1 - position.share)
        )
        yield (
            f"The {side} side won {percent(share)} of the votes that named a winner: voters lean to it. "
            "Sides are shuffled, so no option gains by that."
        )
    yield from flip_sentences(standing.swaps)
    if standing.outcomes["error"]:
        yield f"Judges failed {format_count(standing.outcomes['error'], 'time')}; a failure is not a vote."
    if standing.lists:
        yield lists_sentence(standing)


def _changes(name: str, drifts: Sequence[Drift]) -> list[str]:
    """What changed, and what to do about it."""
    if not drifts:
        return []
    again = command_line("copeland", "study", "epoch", name)
    said = [drift.sentence for drift in drifts[:_DRIFTS]]
    if len(drifts) > _DRIFTS:
        said.append(f"So did those on {len(drifts) - _DRIFTS:,} more pairs.")
    return [
        *said,
        f"A certificate assumes that preferences stay the same. To start counting from zero: {again}",
    ]


@study.command("rank", epilog="Example: `copeland study rank tea`")
def rank_command(name: Name, storage: Storage = STORAGE, as_json: Json = False) -> None:
    """Rank all options: tiers that are proved apart, Copeland scores, Bradley-Terry strengths.

    The tiers and the intervals of scores are proved; the order within a tier and the strengths are not.
    """
    from copeland.study.report.study_tables import ranking_table

    found = open_study(name, storage).ranking()
    if as_json:
        places = [place._asdict() for place in found.places]
        print_json({"study": name, **asdict(found), "places": places, "tiers": found.tiers})
        return
    show(found.sentence, ranking_table(found), *found.notes)


@study.command("list", epilog="Example: `copeland study list --storage sqlite:///team.db`")
def list_command(storage: Storage = STORAGE, as_json: Json = False) -> None:
    """List the studies in a storage, the oldest first."""
    from copeland.study import list_studies
    from copeland.study.log.storage import Storage as Kept
    from copeland.study.report.study_tables import studies_table

    kept = Kept(storage, create=False)
    rows = [_describe_row(name, storage) for name in list_studies(kept)]
    if as_json:
        print_json(rows)
    elif rows:
        show(studies_table(rows))
    else:
        show(f"There is no study in {kept.url} yet; copeland study create makes one.")


def _describe_row(name: str, storage: str) -> dict[str, Any]:
    work = open_study(name, storage)
    if work.settings.space:  # without any estimate, which would take a while
        books = work.books()
        return {
            "study": name,
            "options": books.k,
            "votes": books.votes,
            "verdict": "open",
            "best": [],
            "leader": None,
            "closed": books.closed,
            "stands": "points of a space: see its status",
        }
    standing = work.standing(voters=False)
    certificate = standing.certificate
    best = [certificate.labels[i] for i in certificate.best]
    if best:
        stands = f"proved best: {', '.join(quote_names(best))}"
    elif standing.leader:
        stands = f"open, {quote_name(standing.leader)} leads"
    else:
        stands = "open, no votes yet"
    return {
        "study": name,
        "options": len(standing.options),
        "votes": standing.votes,
        "verdict": certificate.verdict,
        "best": best,
        "leader": standing.leader,
        "closed": standing.closed,
        "stands": stands,
    }
