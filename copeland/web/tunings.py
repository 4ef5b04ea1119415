"""What the votes on a space mean, kept until there are others: estimates take a while, and pictures longer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from copeland.report.document import inline_svg
from copeland.report.images import image
from copeland.report.tuning_page import landscape_figure
from copeland.study import Study
from copeland.study.kinds.space import Tuned, tuned_of, tuned_verdict
from copeland.study.log.state import fold_log
from copeland.study.results.verdict import Verdict
from copeland.web.figures import one_at_a_time, presentational
from copeland.web.readings import whole

SEEN, DRAWN = 5.0, 60.0  # seconds for which an estimate, and a picture, is good enough


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
        with self._turn:
            if self._seen is None or self._is_old(self._seen, SEEN):
                number, now = self._study.number, self._clock()
                tuned = self._study.tuned()
                self._seen = Estimate(number, now, tuned, tuned_verdict(tuned))
            return self._seen

    def drawn(self) -> Picture:
        """Return a picture that is recent enough."""
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
    log = whole(study, number)
    tuned = tuned_of(study.name, fold_log(log), log[-1].time)[1]()
    return Estimate(number, log[-1].time, tuned, tuned_verdict(tuned))
