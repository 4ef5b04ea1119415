"""The reading of a study's votes, kept until there are others: computed once for all who look.

The votes are taken under the study's lock, which is short; what they mean is computed after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from copeland.study import Event, Study, Voter
from copeland.study.log.events import UNDONE, VOTED, times_of
from copeland.study.log.state import replayed
from copeland.study.report.study_page import judges_agreement, study_parts
from copeland.study.results.analysis import Reading
from copeland.study.results.history import history_of
from copeland.study.results.standing import standing_of, voters_of
from copeland.study.results.verdict import Verdict, verdict_of
from copeland.web.figures import drawn, one_at_a_time

FIGURES = 30.0  # seconds for which figures are good enough
EXCLUDED = 50  # votes that were taken away, listed


class Seen(NamedTuple):
    """A reading and its verdict."""

    reading: Reading
    verdict: Verdict

    @property
    def number(self) -> int:
        """The last event that it knows of."""
        return self.reading.standing.events


class Drawn(NamedTuple):
    """The parts of a study's page, with figures."""

    number: int
    time: float
    parts: dict[str, Any]
    excluded: list[Event]


class Readings:
    """What is known of one study."""

    def __init__(self, study: Study, clock: Callable[[], float]):
        self._study = study
        self._clock = clock
        self._turn, self._figures = threading.Lock(), threading.Lock()
        self._seen: Seen | None = None
        self._drawn: Drawn | None = None

    def seen(self) -> Seen:
        """Return the reading of the votes so far."""
        with self._turn:
            if self._seen is None or self._seen.number != self._study.number:
                reading = Reading(self._study.standing())
                self._seen = Seen(reading, verdict_of(reading))
            return self._seen

    def drawn(self) -> Drawn:
        """Return the figures of a reading that is recent enough."""
        with self._figures:
            known, number = self._drawn, self._study.number
            recent = known is not None and self._clock() - known.time < FIGURES
            if known is None or (known.number != number and not recent):
                self._drawn = self._draw()
            assert self._drawn is not None
            return self._drawn

    def _draw(self) -> Drawn:
        seen = self.seen()
        log = whole(self._study, seen.number)
        history, agreed = history_of(log), judges_agreement(seen.reading.standing, log)
        with one_at_a_time():
            parts = study_parts(seen.reading, seen.verdict, history, agreed, last=log[-1].time)
        undone = [event for event in log if event.kind == UNDONE]
        return Drawn(seen.number, self._clock(), drawn(parts), undone[-EXCLUDED:][::-1])


def frozen(study: Study, number: int) -> Seen:
    """Return the reading of the votes as it was at an event, made anew from the log."""
    log = whole(study, number)
    books = replayed(log)
    reading = Reading(standing_of(study.name, books, _voters(log), log[-1].time))
    return Seen(reading, verdict_of(reading))


def _voters(log: list[Event]) -> tuple[Voter, ...]:
    undone = {event.undoes for event in log if event.kind == UNDONE}
    votes = [event for event in log if event.kind == VOTED and event.number not in undone]
    return voters_of(
        (v.voter, v.left or 0, v.right or 0, v.outcome or "", times_of(v)) for v in votes
    )


def whole(study: Study, last: int) -> list[Event]:
    """Return the log up to an event, read without a turn of the study."""
    log: list[Event] = []
    while not log or log[-1].number < last:
        log += study.events(log[-1].number if log else 0, min(10_000, last - len(log)))
    return log
