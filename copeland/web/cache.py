"""What is computed once for all who look: any value for a while, and what the votes of a study mean.

The votes are taken under the study's lock, which is short; what they mean is computed after it.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import starmap
from operator import eq
from typing import Any, Generic, NamedTuple, TypeVar

from fastapi import HTTPException

from copeland.orders.rank import MOST_OPTIONS
from copeland.study import Event, Study, Vote
from copeland.study.any_study import WholeLog
from copeland.study.kinds import kind_of
from copeland.study.log.events import UNDONE, VoteEvent, is_vote
from copeland.study.log.state import StudyState, fold_log
from copeland.study.report.study_page import (
    Part,
    StudyParts,
    judges_agreement,
    ranking_parts,
    study_parts,
)
from copeland.study.results.analysis import Analysis, Rankings
from copeland.study.results.history import history_of
from copeland.study.results.standing import Standing, voters_of

AT_ONCE = 2  # texts of the past computed at a time, in one process
MOST = 20_000_000  # characters of them that are kept
AGAIN = 3  # seconds after which to come again
FIGURES = 30.0  # seconds for which figures are good enough
PIECE = 5_000  # events whose votes are looked up at a time
DRAWING = threading.Lock()  # under which figures are drawn: matplotlib draws one at a time
EXCLUDED = 50  # votes that were taken away, listed

_STYLE = re.compile(r'style="([^"]*)"')
_FONT = re.compile(r"^(?:(?P<weight>\d{3}|bold|normal)\s+)?(?P<size>[\d.]+)px\s+(?P<family>.+)$")

V = TypeVar("V")


class Cache(Generic[V]):
    """Values by their keys: each is computed when it is asked for, and kept for a while.

    Two threads may compute the same value at once, so that nobody waits; both get the one that was ready first.

    Parameters
    ----------
    seconds
        How long a value is good.
    most
        How much is kept: beyond that, what was read longest ago is forgotten.
    size
        Returns how much of that a value takes.

    Examples
    --------
    >>> cache = Cache(most=2)
    >>> [cache.find(n, lambda: n * n) for n in (1, 2, 3)], len(cache)
    ([1, 4, 9], 2)
    """

    def __init__(
        self,
        seconds: float = math.inf,
        most: float = math.inf,
        size: Callable[[V], int] = lambda _: 1,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._seconds, self._most, self._size, self._clock = seconds, most, size, clock
        self._kept: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()  # with its time
        self._total = 0
        self._turn = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: Hashable, compute: Callable[[], V]) -> V:
        """Return a value that is kept and still good, or compute it."""
        found = self._look_up(key)
        if found is None:
            now, value = self._clock(), compute()
            found = self._look_up(key) or self._keep(key, now, value)
        return found[1]

    def forget(self, key: Hashable) -> None:
        """Compute a value anew when it is next asked for."""
        with self._turn:
            self._drop(key)

    def _look_up(self, key: Hashable) -> tuple[float, V] | None:
        with self._turn:
            found = self._kept.get(key)
            if found is None or self._clock() - found[0] > self._seconds:
                return None
            self._kept.move_to_end(key)
            return found

    def _keep(self, key: Hashable, now: float, value: V) -> tuple[float, V]:
        with self._turn:
            self._drop(key)
            self._kept[key] = now, value
            self._total += self._size(value)
            while self._total > self._most:
                self._drop(next(iter(self._kept)))
            return now, value

    def _drop(self, key: Hashable) -> None:
        if key in self._kept:
            self._total -= self._size(self._kept.pop(key)[1])


class PastTexts:
    """What a study said at an earlier event: it never changes, so it is computed once, and only a few at a time.

    Going through a long log takes seconds. Whoever comes while others wait for theirs is asked to come again: readers
    who waited here would hold the threads that voters need.
    """

    def __init__(self, most: int = MOST, at_once: int = AT_ONCE):
        self._texts: Cache[str] = Cache(most=most, size=len)
        self._places = threading.Semaphore(at_once)

    def __len__(self) -> int:
        return len(self._texts)

    def find(self, key: Hashable, compute: Callable[[], str]) -> str:
        """Return a text that is kept, or compute it; refuse if too many are being computed."""

        def compute_in_place() -> str:
            if not self._places.acquire(blocking=False):
                raise HTTPException(503, headers={"Retry-After": str(AGAIN)})
            try:
                return compute()
            finally:
                self._places.release()

        return self._texts.find(key, compute_in_place)


class Recent(Generic[V]):
    """One value of a study, computed anew once there are new events and it is so many seconds old.

    Whoever comes while it is computed waits for it.
    """

    def __init__(
        self, study: Study, clock: Callable[[], float], seconds: float, compute: Callable[[int], V]
    ):
        self._study, self._clock, self._seconds, self._compute = study, clock, seconds, compute
        self._turn = threading.Lock()
        self._kept: tuple[int, float, V] | None = None  # with the last event, and the time

    def find(self) -> V:
        """Return the value; ``compute`` is given the number of the last event."""
        with self._turn:
            number = self._study.number
            if self._kept is None or (
                self._kept[0] != number and self._clock() - self._kept[1] >= self._seconds
            ):
                value = self._compute(number)
                self._kept = number, self._clock(), value
            return self._kept[2]

    def forget(self) -> None:
        """Compute the value anew when it is next asked for."""
        with self._turn:
            self._kept = None


@dataclass(frozen=True, eq=False)
class VoteAnalysis:
    """What votes on options mean."""

    reading: Analysis
    votes: Callable[[], Iterable[Vote]] = tuple  # those that it is of
    names: Mapping[str, str] = field(default_factory=dict)  # of voters here, by those in the log

    @cached_property
    def rankings(self) -> Rankings:
        """The options in every order."""
        return Rankings(self.reading, self.votes)

    @property
    def story(self) -> str:
        """What all parts of a page must agree on: what is proved, and who leads."""
        return (
            f"{self.reading.verdict.kind} {self.reading.certificate.chosen} {self.reading.leaders}"
        )

    @property
    def number(self) -> int:
        """The last event that it knows of."""
        return self.reading.standing.events

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        reading, standing = self.reading, self.reading.standing
        best = [standing.labels[i] for i in standing.certificate.chosen]
        ended = standing.certificate.decided or standing.closed
        left = None if ended else reading.outlook.remaining
        return {
            "study": standing.name,
            "verdict": reading.verdict.kind,
            "claim": reading.verdict.claim,
            "best": best,
            "leaders": [standing.labels[i] for i in reading.leaders],
            "possible": [standing.labels[i] for i in standing.certificate.possible],
            "votes": standing.votes,
            "votes_left": 0 if ended else None if left is None else left.middle,
            "votes_left_range": None if left is None else [left.low, left.high],
            "closed": standing.closed,
            "number": self.number,
        }


class DrawnParts(NamedTuple):
    """The parts of a study's page, with figures."""

    number: int  # of the last event that they show
    story: str  # that they tell
    parts: StudyParts
    excluded: list[Event]


class DrawnRanking(NamedTuple):
    """All options in order, as a figure and as a table."""

    number: int  # of the last event that they show
    order: Part | None
    ranking: Part | None


class Analyses:
    """What is known of the votes of one study."""

    def __init__(self, study: Study, clock: Callable[[], float]):
        self._study = study
        self._latest = Recent(study, clock, 0.0, self._analyse)
        self._figures = Recent(study, clock, FIGURES, self._draw)
        self._ranking = Recent(study, clock, FIGURES, self._draw_ranking)

    def latest(self) -> VoteAnalysis:
        """Return the analysis of all votes so far."""
        return self._latest.find()

    def figures(self) -> DrawnParts:
        """Return the figures of an analysis that is recent enough and tells the same story."""
        drawn = self._figures.find()
        if drawn.story != self.latest().story:
            self._figures.forget()
            drawn = self._figures.find()
        return drawn

    def ranking(self) -> DrawnRanking | None:
        """Return the ranking of an analysis that is recent enough and claims the same; None without votes."""
        claim, drawn = self._ranking.find()
        if claim != self.latest().reading.verdict.claim:  # one page would tell two stories
            self._ranking.forget()
            _, drawn = self._ranking.find()
        return drawn

    def _analyse(self, _number: int) -> VoteAnalysis:
        standing = self._study.standing()
        return analyse_standing(standing, lambda: read_votes(self._study, standing.events))

    def _draw(self, _number: int) -> DrawnParts:
        seen = self.latest()
        log, standing = read_log(self._study, seen.number), seen.reading.standing
        # A panel has the names that are in the log.
        history = history_of(log, replace(standing, settings=self._study.settings))
        agreed = judges_agreement(standing, rename_voters(log, seen.names))
        order = seen.rankings.drawn
        with DRAWING:
            parts = study_parts(
                seen.reading, seen.reading.verdict, history, agreed, order=order, last=log[-1].time
            )
        undone = [event for event in log if event.kind == UNDONE]
        shown = fit_strict_page(parts), undone[-EXCLUDED:][::-1]
        return DrawnParts(seen.number, seen.story, *shown)

    def _draw_ranking(self, _number: int) -> tuple[str, DrawnRanking | None]:
        seen = self.latest()
        return seen.reading.verdict.claim, draw_ranking(seen)


def draw_ranking(seen: VoteAnalysis) -> DrawnRanking | None:
    """Return the ranking of an analysis, drawn for a strict page; None without votes, or with very many options."""
    if not seen.reading.standing.votes or len(seen.reading.among) > MOST_OPTIONS:
        return None
    order = seen.rankings.drawn
    with DRAWING:
        parts = ranking_parts(seen.reading, order)
    return DrawnRanking(
        seen.number, *(fit_strict_part(parts[name]) for name in ("order", "ranking"))
    )


def analyse_past(study: Study, number: int) -> VoteAnalysis:
    """Return the analysis as it was at an event, made anew from the log."""
    log = read_log(study, number)
    state = fold_log(log)
    kind = kind_of(state.settings)
    standing = kind.standing(study.name, state, log[-1].time, voters_of(WholeLog(log).tally()))
    return analyse_standing(
        standing, lambda: (state.name_vote(event) for event in log if is_vote(event))
    )


def analyse_standing(standing: Standing, votes: Callable[[], Iterable[Vote]]) -> VoteAnalysis:
    """Return what a standing means; voters whose names were drawn at random are numbers there."""
    names, readable = kind_of(standing.settings).make_readable(standing)
    return VoteAnalysis(Analysis(readable), votes, names)


def rename_voters(log: list[Event], names: Mapping[str, str]) -> list[Event]:
    """Return a log whose voters have names for readers."""
    if all(starmap(eq, names.items())):
        return log
    return [event._replace(voter=names.get(event.voter or "", event.voter)) for event in log]


def read_log(study: Study, last: int) -> list[Event]:
    """Return the log up to an event, read without a turn of the study."""
    log: list[Event] = []
    while not log or log[-1].number < last:
        log += study.events(log[-1].number if log else 0, min(10_000, last - len(log)))
    return log


def read_votes(study: Study, last: int) -> Iterator[Vote]:
    """Yield the votes up to an event. What counts is looked up a piece at a time, so that nobody waits long for a turn."""
    after = 0
    while after < last:
        piece = study.events(after, min(PIECE, last - after))
        yield from study.look_at_state(partial(_name_votes, list(filter(is_vote, piece))))
        after = piece[-1].number


def _name_votes(votes: Sequence[VoteEvent], state: StudyState) -> list[Vote]:
    return list(map(state.name_vote, votes))


# Figures as a strict page takes them


def remove_styles(svg: str) -> str:
    """Return a figure without style sheets and style attributes.

    Examples
    --------
    >>> remove_styles('<text style="font: 700 10px Arial; fill: red">x</text>')
    '<text font-weight="700" font-size="10px" font-family="Arial" fill="red">x</text>'
    """
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    return _STYLE.sub(_attributes, svg)


def _attributes(found: re.Match[str]) -> str:
    looks: dict[str, str] = {}
    for part in filter(str.strip, found[1].split(";")):
        name, _, value = part.partition(":")
        looks[name.strip()] = value.strip()
    font = _FONT.match(looks.pop("font", ""))
    named: dict[str, str] = {}
    for part, value in font.groupdict().items() if font else ():
        if value:
            named[f"font-{part}"] = f"{value}px" if part == "size" else value
    return " ".join(map('{0[0]}="{0[1]}"'.format, (named | looks).items()))


def fit_strict_page(parts: StudyParts) -> StudyParts:
    """Return the parts of a study's page with every picture fit for a page that forbids style attributes."""
    return replace(
        parts, **dict(zip(vars(parts), map(fit_strict_part, vars(parts).values()), strict=True))
    )


def fit_strict_part(part: Any) -> Any:
    """Return one part of it, likewise."""
    if isinstance(part, Iterator):  # sentences that are to be read more than once
        return tuple(part)
    if hasattr(part, "said"):
        part = part._replace(said=tuple(part.said))
    picture = getattr(part, "picture", None)
    if picture is None:
        return part
    return part._replace(picture=picture._replace(svg=remove_styles(picture.svg)))
