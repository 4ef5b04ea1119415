"""How long answers take: seconds until each begins, by route, of this process."""

from __future__ import annotations

import os
import time

from prometheus_client import CollectorRegistry, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
UNKNOWN = "unknown"  # the route of what leads nowhere: addresses that are guessed are not listed


class Times:
    """The histogram of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._seconds = Histogram(
            "copeland_request_seconds",
            "Seconds until an answer began, in the process that tells this.",
            ["route", "method", "status", "process"],
            buckets=BUCKETS,
            registry=self.registry,
        )

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Count an answer. Routes hold no names, tokens or numbers."""
        route = getattr(scope.get("route"), "path", UNKNOWN)
        if route != UNKNOWN:
            route = scope.get("root_path", "") + route
        method = scope["method"] if route != UNKNOWN else "-"
        labels = (route, method, str(status), str(os.getpid()))
        self._seconds.labels(*labels).observe(seconds)


class Timed:
    """A layer around the application that counts how long its answers take."""

    def __init__(self, app: ASGIApp, times: Times):
        self._app = app
        self._times = times

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and note when the answer begins: a stream goes on for hours."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._times.note(scope, message["status"], time.perf_counter() - begun)
            await send(message)

        await self._app(scope, receive, answer)
