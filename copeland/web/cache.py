"""What is kept so that it is computed once for all who look."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

from fastapi import HTTPException

from copeland.report.document import inline_svg
from copeland.report.images import image
from copeland.study import Event, Study, Voter
from copeland.study.meaning.history import history_of
from copeland.study.meaning.reading import Reading
from copeland.study.meaning.standing import standing_of, voters_of
from copeland.study.meaning.verdict import Verdict, verdict_of
from copeland.study.page.page import judges_agreement, study_parts
from copeland.study.record.books import replayed
from copeland.study.record.events import UNDONE, VOTED, times_of
from copeland.web.images import drawn, one_at_a_time, presentational

if TYPE_CHECKING:
    from copeland.study.meaning.tuned import Tuned

AT_ONCE = 2  # computed at a time, in one process
MOST = 20_000_000  # characters that are kept
AGAIN = 3  # seconds after which to come again
FIGURES = 30.0  # seconds for which figures are good enough
EXCLUDED = 50  # votes that were taken away, listed
SEEN, DRAWN = 5.0, 60.0  # seconds for which an estimate, and a picture, is good enough


class Past:
    """Texts that were computed, those that were read last.

    Examples
    --------
    >>> past = Past(most=4)
    >>> [past.find(n, lambda: "ab") for n in (1, 2, 3)], len(past)
    (['ab', 'ab', 'ab'], 2)
    """

    def __init__(self, most: int = MOST, at_once: int = AT_ONCE):
        self._most = most
        self._kept: OrderedDict[Hashable, str] = OrderedDict()  # what was read last is the last
        self._size = 0  # characters
        self._turn = threading.Lock()
        self._places = threading.Semaphore(at_once)

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: Hashable, compute: Callable[[], str]) -> str:
        """Return a text that is kept, or compute it; refuse if too many are being computed."""
        with self._turn:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        if not self._places.acquire(blocking=False):
            raise HTTPException(503, headers={"Retry-After": str(AGAIN)})
        try:
            text = compute()
        finally:
            self._places.release()
        self._keep(key, text)
        return text

    def _keep(self, key: Hashable, text: str) -> None:
        with self._turn:
            self._size += len(text) - len(self._kept.pop(key, ""))
            self._kept[key] = text
            while self._size > self._most:
                self._size -= len(self._kept.popitem(last=False)[1])


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


class Estimate(NamedTuple):
    """Where a study of a space stood after an event."""

    number: int
    time: float
    tuned: Tuned
    verdict: Verdict


class Picture(NamedTuple):
    """The landscape after an event."""

    number: int
    time: float
    svg: str


class Tunings:
    """What is known of one study of a space."""

    def __init__(self, study: Study, clock: Callable[[], float]):
        self._study, self._clock = study, clock
        self._turn = threading.Lock()
        self._seen: Estimate | None = None
        self._drawn: Picture | None = None

    def seen(self) -> Estimate:
        """Return an estimate that is recent enough."""
        from copeland.study.meaning.tuned import tuned_verdict  # which loads scipy

        with self._turn:
            if self._seen is None or self._is_old(self._seen, SEEN):
                number, now = self._study.number, self._clock()
                tuned = self._study.tuned()
                self._seen = Estimate(number, now, tuned, tuned_verdict(tuned))
            return self._seen

    def drawn(self) -> Picture:
        """Return a picture that is recent enough."""
        from copeland.report.landscapes import landscape_figure

        with self._turn:
            if self._drawn is None or self._is_old(self._drawn, DRAWN):
                number, now = self._study.number, self._clock()
                landscape = self._study.tuner().landscape()
                with one_at_a_time():
                    svg = inline_svg(image(landscape_figure(landscape), "svg"))
                self._drawn = Picture(number, now, presentational(svg))
            return self._drawn

    def _is_old(self, known: Estimate | Picture, seconds: float) -> bool:
        return known.number != self._study.number and self._clock() - known.time >= seconds


def frozen_estimate(study: Study, number: int) -> Estimate:
    """Return where a study of a space stood after an event, made anew from the log."""
    from copeland.study.meaning.tuned import tuned_of, tuned_verdict  # which loads scipy

    log = whole(study, number)
    tuned = tuned_of(study.name, replayed(log), log[-1].time)[1]()
    return Estimate(number, log[-1].time, tuned, tuned_verdict(tuned))
