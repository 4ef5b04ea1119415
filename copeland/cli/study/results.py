"""copeland study status, rank and list: how studies stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from copeland.cli.arguments import STORAGE, Json, Storage
from copeland.cli.output import print_json, show
from copeland.cli.study import Name, Server, find_study, open_study, study
from copeland.support import goal as goals
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count, percent, quote_name, quote_names

if TYPE_CHECKING:
    from rich.text import Text

    from copeland.study import Standing
    from copeland.study.results.history import Drift
    from copeland.study.results.verdict import Verdict

_MOST = 100_000  # votes that are gone through for changes; of more, the report tells
_DRIFTS = 5  # pairs that are named


@study.command("status", epilog="Example: `copeland study status tea`")
def status_command(
    name: Name, server: Server = None, storage: Storage = STORAGE, as_json: Json = False
) -> None:
    """Say who leads, who is tied, whether there is a cycle, and about how many more votes it may take."""
    from rich.padding import Padding
    from rich.text import Text

    from copeland.study.report.study_tables import panel_table, standing_table
    from copeland.study.results.analysis import Analysis

    work = find_study(name, storage, server)
    analysis = Analysis(work.standing())
    standing, verdict = analysis.standing, analysis.verdict
    drifts = work.drift() if standing.votes <= _MOST else None
    if as_json:
        told = None if drifts is None else [drift.to_dict() for drift in drifts]
        print_json(analysis.to_dict() | {"drift": told})
        return
    show(*_headline(standing, verdict))
    for heading, sentences in (
        (f"Proved ({standing.certificate.proviso})", verdict.proved),
        ("By the votes so far", (*verdict.shown, *_notes(standing))),
        ("Changed over time", _changes(name, drifts or ())),
        ("What next", verdict.advice),
    ):
        if sentences:
            # Padding keeps the indent of a sentence that is wrapped.
            bullets = [Padding(Text(one), (0, 0, 0, 2), expand=False) for one in sentences]
            show(Text(f"\n{heading}", style="bold"), *bullets)
    if standing.votes:
        show("", standing_table(analysis.rows()))
    members = analysis.kind.list_members(standing)
    if members is not None:
        show("", panel_table(members))


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
    from copeland.study.results.agreement import flip_sentences, spent_sentence

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
    if standing.spent.calls:
        yield spent_sentence(standing.spent)


def _changes(name: str, drifts: Sequence[Drift]) -> list[str]:
    """What changed, and what to do about it."""
    if not drifts:
        return []
    again = command_line("copeland", "study", "copy", name, f"{name} again")
    said = [drift.sentence for drift in drifts[:_DRIFTS]]
    if len(drifts) > _DRIFTS:
        said.append(f"So did those on {len(drifts) - _DRIFTS:,} more pairs.")
    return [
        *said,
        f"A certificate assumes that preferences stay the same. To begin anew: {again}",
    ]


@study.command("rank", epilog="Example: `copeland study rank tea`")
def rank_command(
    name: Name,
    by: Annotated[
        str,
        typer.Option(
            help="By how many others they beat (copeland), their mean chance against a random other (borda), or "
            "their Bradley-Terry strength.",
            metavar="copeland|borda|strength",
        ),
    ] = "copeland",
    expected: Annotated[
        float | None,
        typer.Option(
            help="How many votes, or people, are expected: there the intervals of shares and strengths are tightest.",
            show_default="1,000 for each option",
        ),
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Rank all options, with intervals, ranks and tiers that are told apart, whenever you look.

    By Copeland scores all of that is proved; by shares and strengths it holds for many votes. The order within a tier proves nothing.
    """
    from copeland.study.report.study_tables import ranking_table

    found = open_study(name, storage).ranking(cast(Any, by), expected)
    if as_json:
        print_json({"study": name, **found.to_dict()})
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
    from copeland.study.results.verdict import kind_of_verdict

    work = open_study(name, storage)
    standing = work.standing(voters=False)
    certificate = standing.certificate
    best = [certificate.labels[i] for i in certificate.chosen]
    if certificate.goal != goals.BEST:
        named = (
            f": {', '.join(quote_names(best))}" if best and certificate.goal != goals.TIERS else ""
        )
        stands = f"{kind_of_verdict(certificate)}, {certificate.goal}{named}"
    elif best:
        stands = f"proved best: {', '.join(quote_names(best))}"
    elif standing.leader:
        stands = f"open, {quote_name(standing.leader)} leads"
    else:
        stands = "open, no votes yet"
    return {
        "study": name,
        "options": len(standing.options),
        "votes": standing.votes,
        "verdict": kind_of_verdict(certificate),
        "best": best,
        "leader": standing.leader,
        "closed": standing.closed,
        "stands": stands,
    }
