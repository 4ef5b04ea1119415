"""Pairs where test cases come in clusters: a pair that has begun a cluster goes on with it, and else the study's algorithm chooses."""

from __future__ import annotations

from collections.abc import Iterable

from copeland.study.cluster_draw import ClusterDraw
from copeland.study.log.cluster_ledger import ClusterLedger
from copeland.study.log.events import Event
from copeland.study.log.state import StudyState
from copeland.study.pair_choice import BallotRequest, Chooser, IsOpen, Pair


class WholeClusters:
    """A chooser that first goes on with clusters that were begun, so that they are soon complete and count."""

    def __init__(self, chooser: Chooser, is_open: IsOpen):
        self._chooser, self._is_open = chooser, is_open

    def follow(self, events: Iterable[Event]) -> None:
        """Follow events that the state has taken."""
        self._chooser.follow(events)

    def propose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs, left first, for the events from ``request.number`` on; change nothing."""
        ledger, draw = state.ledger, request.cases
        assert isinstance(ledger, ClusterLedger) and isinstance(draw, ClusterDraw)
        pairs: list[Pair] = []
        if not (request.further or self._is_open(state, request.now)):
            return pairs
        for pair, cluster in ledger.unfinished:
            if len(pairs) < n and request.allows(*pair) and draw.has_more(pair, cluster):
                one, other = sorted(pair)
                pairs.append(request.sides(one, other, state.settings.seed))
                request = request.after(*pairs[-1])
        more = self._chooser.propose(state, request, n - len(pairs)) if len(pairs) < n else []
        return pairs + more
