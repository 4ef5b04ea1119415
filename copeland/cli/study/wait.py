"""copeland study wait: stand by until a study ends."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from copeland.cli.arguments import STORAGE, Json, Number, Storage
from copeland.cli.output import note, tell_result
from copeland.cli.study import Name, Server, find_study, study
from copeland.errors import InvalidParameter, StorageError

if TYPE_CHECKING:
    from copeland.client import RemoteStudy
    from copeland.study import Study

EVERY = 5.0  # seconds between two looks
PROVED, CLOSED = "proved", "closed"
_CODES = {PROVED: 0, CLOSED: 1, None: 3}
_RESULTS = ("verdict", "claim", "best", "votes", "closed", "number")


class Source(NamedTuple):
    """How a study is looked at."""

    number: Callable[[], int]  # of its last event, which is cheap to ask for
    results: Callable[[], dict[str, Any]]  # verdict, claim, best, votes, closed, number


@study.command(
    "wait", epilog="Example: `copeland study wait tea --timeout 3600 && echo the tea is chosen`"
)
def wait_command(
    name: Name,
    timeout: Annotated[
        float | None, Number(help="Give up after so many seconds.", show_default="never")
    ] = None,
    server: Server = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Wait until a study ends: its goal is proved, or it is closed.

    The exit code is 0 if the goal is proved, 1 if the study was closed without, and 3 if the time is up.
    """
    if timeout is not None and not timeout >= 0:
        raise InvalidParameter(f"--timeout is {timeout:g}; give seconds, 0 or more.")
    source = _find_source(find_study(name, storage, server))
    if sys.stderr.isatty():
        note(f"copeland: waiting until the study '{name}' ends; Ctrl-C stops waiting.")
    seconds = math.inf if timeout is None else timeout
    results = wait_for_end(source, seconds, time.monotonic, time.sleep)
    end = _end_of(results)
    said = f"The study '{name}' {'goes on' if end is None else f'is {end}'}. {results['claim']}"
    tell_result(said, {"study": name, "ended": end, **results}, as_json)
    if _CODES[end]:
        raise typer.Exit(_CODES[end])


def wait_for_end(
    source: Source,
    timeout: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
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


def _find_source(work: Study | RemoteStudy) -> Source:
    """How this study is looked at: of one in a storage without the forecasts of a status, which take a while."""
    from copeland.study import Study
    from copeland.study.results.reading import Reading
    from copeland.study.results.verdict import claim_of, kind_of_verdict

    if not isinstance(work, Study):
        far = work

        def read_far() -> dict[str, Any]:
            results = far.results()
            return {part: results[part] for part in _RESULTS}

        return Source(lambda: far.number, read_far)

    def number() -> int:
        work.storage.key(work.name)  # refuses a study that was deleted meanwhile
        return work.number

    def read() -> dict[str, Any]:
        standing = work.standing(voters=False)
        found = standing.certificate
        return {
            "verdict": kind_of_verdict(found),
            "claim": claim_of(Reading(standing)),
            "best": [found.labels[i] for i in found.chosen],
            "votes": standing.votes,
            "closed": standing.closed,
            "number": standing.events,
        }

    return Source(number, read)
