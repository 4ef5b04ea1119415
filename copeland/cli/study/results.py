"""copeland study status, rank, list and wait: how studies stand, and when they end."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from copeland.cli.arguments import STORAGE, Storage
from copeland.cli.output import Reply, note
from copeland.cli.study import Named, Server, find_study, open_study, study
from copeland.errors import InvalidParameter, StorageError
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count, percent, quote_name

if TYPE_CHECKING:
    from rich.text import Text

    from copeland.study import Standing
    from copeland.study.any_study import AnyStudy
    from copeland.study.results.analysis import Analysis
    from copeland.study.results.history import Drift
    from copeland.study.results.verdict import Verdict

_MOST = 100_000  # votes that are gone through for changes; of more, the report tells
_DRIFTS = 5  # pairs that are named
EVERY = 5.0  # seconds between two looks
PROVED, CLOSED = "proved", "closed"
_CODES = {PROVED: 0, CLOSED: 1, None: 3}
_RESULTS = ("verdict", "claim", "best", "votes", "closed", "number")


@study.command("status", epilog="Example: `copeland study status tea`")
def status_command(at: Named, server: Server = None) -> Reply:
    """Say who leads, who is tied, whether there is a cycle, and about how many more votes it may take."""
    from copeland.study.results.analysis import Analysis

    work = find_study(at.name, at.storage, server)
    analysis = Analysis(work.standing())
    drifts = work.drift() if analysis.standing.votes <= _MOST else None
    told = None if drifts is None else [drift.to_dict() for drift in drifts]
    return Reply(
        lambda: analysis.to_dict() | {"drift": told}, _status_lines(at.name, analysis, drifts or ())
    )


def _status_lines(name: str, analysis: Analysis, drifts: Sequence[Drift]) -> Iterator[Any]:
    from rich.padding import Padding
    from rich.text import Text

    from copeland.study.report.study_tables import panel_table, standing_table

    standing, verdict = analysis.standing, analysis.verdict
    yield from _headline(standing, verdict)
    for heading, sentences in (
        (f"Proved ({standing.certificate.proviso})", verdict.proved),
        ("By the votes so far", (*verdict.shown, *_notes(standing))),
        ("Changed over time", _changes(name, drifts)),
        ("What next", verdict.advice),
    ):
        if sentences:
            yield Text(f"\n{heading}", style="bold")
            # Padding keeps the indent of a sentence that is wrapped.
            yield from (Padding(Text(one), (0, 0, 0, 2), expand=False) for one in sentences)
    if standing.votes:
        yield ""
        yield standing_table(analysis.rows())
    members = analysis.kind.list_members(standing)
    if members is not None:
        yield ""
        yield panel_table(members)


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
def rank_command(at: Named, by: str = "copeland", expected: float | None = None) -> Reply:
    """Rank all options, with intervals, ranks and tiers that are told apart, whenever you look.

    By Copeland scores all of that is proved; by shares and strengths it holds for many votes. The order within a tier proves nothing.

    --by copeland|borda|strength    By how many others they beat (copeland), their mean chance against a random other (borda), or
        their Bradley-Terry strength.
    --expected                      How many votes, or people, are expected: there the intervals of shares and strengths are
        tightest. [default: 1,000 for each option]
    """
    from copeland.study.report.study_tables import ranking_table

    found = at.open().ranking(cast(Any, by), expected)
    lines = [found.sentence, ranking_table(found), *found.notes]
    return Reply({"study": at.name, **found.to_dict()}, lines)


@study.command("list", epilog="Example: `copeland study list --storage sqlite:///team.db`")
def list_command(storage: Storage = STORAGE) -> Reply:
    """List the studies in a storage, the oldest first."""
    from copeland.study import list_studies
    from copeland.study.log.storage import Storage as Kept
    from copeland.study.report.study_tables import studies_table

    kept = Kept(storage, create=False)
    rows = [_describe_row(name, storage) for name in list_studies(kept)]
    none = f"There is no study in {kept.url} yet; copeland study create makes one."
    return Reply(rows, [studies_table(rows) if rows else none])


def _describe_row(name: str, storage: str) -> dict[str, Any]:
    work = open_study(name, storage)
    standing = work.standing(voters=False)
    certificate = standing.certificate
    leader = "no votes yet"
    if standing.leader:
        leader = f"{quote_name(standing.leader)} leads"
    return {
        "study": name,
        "options": len(standing.options),
        "votes": standing.votes,
        "verdict": certificate.claims.outcome,
        "best": [certificate.labels[i] for i in certificate.chosen],
        "leader": standing.leader,
        "closed": standing.closed,
        "stands": certificate.claims.summary or f"open, {leader}",
    }


class Source(NamedTuple):
    """How a study is looked at."""

    number: Callable[[], int]  # of its last event, which is cheap to ask for
    results: Callable[[], dict[str, Any]]  # verdict, claim, best, votes, closed, number, maybe more


@study.command(
    "wait", epilog="Example: `copeland study wait tea --timeout 3600 && echo the tea is chosen`"
)
def wait_command(at: Named, timeout: float | None = None, server: Server = None) -> Reply:
    """Wait until a study ends: its goal is proved, or it is closed.

    The exit code is 0 if the goal is proved, 1 if the study was closed without, and 3 if the time is up.

    --timeout    Give up after so many seconds. [default: never]
    """
    if timeout is not None and not timeout >= 0:
        raise InvalidParameter(f"--timeout is {timeout:g}; give seconds, 0 or more.")
    source = _find_source(find_study(at.name, at.storage, server))
    if sys.stderr.isatty():
        note(f"copeland: waiting until the study '{at.name}' ends; Ctrl-C stops waiting.")
    seconds = math.inf if timeout is None else timeout
    found = wait_for_end(source, seconds, time.monotonic, time.sleep)
    results = {part: found[part] for part in _RESULTS}
    end = _end_of(results)
    said = f"The study '{at.name}' {'goes on' if end is None else f'is {end}'}. {results['claim']}"
    return Reply({"study": at.name, "ended": end, **results}, said, code=_CODES[end])


def wait_for_end(
    source: Source, timeout: float, clock: Callable[[], float], sleep: Callable[[float], None]
) -> dict[str, Any]:
    """Look at a study every few seconds, and return its results when it has ended or the time is up.

    It looks again at what the votes mean only after something new in the log. A storage or server that goes away after
    the first look is waited for.
    """
    until = clock() + timeout
    number, results = source.number(), source.results()
    is_away = False
    while _end_of(results) is None and clock() < until:
        sleep(min(EVERY, until - clock()))
        try:
            latest = source.number()
            if latest != number:
                number, results = latest, source.results()
            is_away = False
        except StorageError as error:
            if not is_away:
                note(f"copeland: waiting until this works again: {error}")
            is_away = True
    return results


def _end_of(results: dict[str, Any]) -> str | None:
    """How a study ended; None if it goes on."""
    return PROVED if results["verdict"] != "open" else CLOSED if results["closed"] else None


def _find_source(work: AnyStudy) -> Source:
    """How this study is looked at: of one in a storage without the forecasts of a status, which take a while."""
    from copeland.client import RemoteStudy
    from copeland.study import Study
    from copeland.study.results.verdict import Reading, claim_of

    if isinstance(work, RemoteStudy):
        return Source(lambda: work.number, work.results)
    assert isinstance(work, Study)

    def number() -> int:
        work.storage.key(work.name)  # refuses a study that was deleted meanwhile
        return work.number

    def read() -> dict[str, Any]:
        standing = work.standing(voters=False)
        found = standing.certificate
        return {
            "verdict": found.claims.outcome,
            "claim": claim_of(Reading(standing)),
            "best": [found.labels[i] for i in found.chosen],
            "votes": standing.votes,
            "closed": standing.closed,
            "number": standing.events,
        }

    return Source(number, read)
