"""Whether the server is there, whether it reaches its votes, and numbers for Prometheus."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, HTTPException, Request
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.responses import PlainTextResponse, Response

from copeland.study import Study
from copeland.web.security import SCRAPES
from copeland.web.server import Server, server_of
from copeland.web.sessions import find_key

router = APIRouter()


@router.get("/healthz")
async def healthz() -> PlainTextResponse:
    """Say that the server is there; this waits for nothing."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
def readyz(request: Request) -> PlainTextResponse:
    """Say whether the storage takes votes."""
    if not server_of(request).is_writable():
        return PlainTextResponse("the storage takes no votes\n", 503, {"Retry-After": "5"})
    return PlainTextResponse("ok\n")


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return numbers of every study that the key may read; with a key for all, also how long answers take."""
    key, registry = find_key(request), CollectorRegistry()
    if key is None or not key.allows("read"):
        raise HTTPException(404)
    server_of(request).limits.require(SCRAPES, f"key {key.client}")
    registry.register(_Studies(server_of(request), key.study))
    told = generate_latest(registry)
    if key.study is None:  # how busy the server is concerns those who run it
        told += generate_latest(request.app.state.times)
    return Response(told, media_type=CONTENT_TYPE_LATEST)


class _Studies(Collector):
    """Counts out of the logs, so that every process of a server tells the same."""

    def __init__(self, server: Server, only: int | None):
        self._server, self._only = server, only

    def describe(self) -> list:
        """Say nothing before it is asked."""
        return []

    def collect(self) -> list:
        """Return what the logs say now."""
        votes = CounterMetricFamily(
            "copeland_votes", "Answers that stand.", labels=["study", "outcome"]
        )
        told = {
            "copeland_ballots_asked": "Ballots handed out.",
            "copeland_ballots_open": "Ballots that wait for an answer.",
            "copeland_events": "The number of the last event.",
            "copeland_closed": "Whether the study takes no more votes.",
            "copeland_decided": "Whether an option is proved best, or another goal is reached.",
        }
        gauges = {
            name: GaugeMetricFamily(name, text, labels=["study"]) for name, text in told.items()
        }
        for page in self._server.store.pages():
            if self._only in (None, page.study):
                outcomes, numbers = _numbers(self._server.study(page))
                for outcome, times in outcomes.items():
                    votes.add_metric([page.name, outcome], times)
                for gauge, value in zip(gauges.values(), numbers, strict=True):
                    gauge.add_metric([page.name], float(value))
        return [votes, *gauges.values()]


def _numbers(study: Study) -> tuple[Mapping[str, int], tuple[float, ...]]:
    """The outcomes of a study, and its gauges in their order."""
    seen = study.standing(voters=False)
    flags = (seen.closed, seen.certificate.decided)
    return seen.outcomes, (seen.asked, seen.open, seen.events, *flags)
