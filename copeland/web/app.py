"""The application: every page and call in one place, what is said when something is wrong, whether it works, and its layers."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copeland.errors import CopelandError, StorageError
from copeland.policy import warm
from copeland.study import Storage, Study
from copeland.version import __version__
from copeland.web.api import administration, error_documents, studies, voting
from copeland.web.api.error_documents import ApiProblem, answer_error
from copeland.web.pages import (
    admin,
    create,
    dashboard,
    option_texts,
    results,
    share,
    vote,
    voter_ideas,
)
from copeland.web.render import STATIC, redirect, render_page
from copeland.web.security import SCRAPES, Shield
from copeland.web.server import Config, Server, server_of
from copeland.web.sessions import SignIn, find_key

API = "/api/v1"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)  # seconds
PAGES = (vote, voter_ideas, admin, create, option_texts, share, dashboard, results)
router = APIRouter()  # of what monitors ask
ROUTERS = [*(page.router for page in PAGES), router, error_documents.router]
CALLS = (voting, studies, administration)
YEAR = 365 * 86_400
SETTINGS = {  # for other processes
    "storage": "COPELAND_SERVE_STORAGE",
    "url": "COPELAND_SERVE_URL",
}


def create_app(
    config: Config, storage: Storage | None = None, clock: Callable[[], float] = time.time
) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    storage
        By default the one that the configuration names.
    clock
        Returns seconds since 1970.
    """
    server = Server(config, storage, clock)
    # The routes were made when their modules were imported; to include their routers would make them anew.
    routes = [route for router in ROUTERS for route in router.routes]
    app = FastAPI(
        title="copeland", openapi_url=None, routes=routes, lifespan=_life, redirect_slashes=False
    )
    app.state.server = server
    app.mount(API, api(server))
    app.mount("/static", Files(directory=STATIC))
    app.add_exception_handler(SignIn, lambda request, _: redirect(request, "/admin/enter"))
    app.add_exception_handler(HTTPException, _notice)
    app.add_exception_handler(ClientDisconnect, _end_silently)
    for kind in (RequestValidationError, CopelandError, Exception):
        app.add_exception_handler(kind, _refuse)
    app.add_middleware(Shield, hosts=config.hosts, secure=config.secure)
    app.state.times = CollectorRegistry()
    app.add_middleware(Timed, registry=app.state.times)
    app.add_middleware(Heads)
    return app


def api(server: Server) -> FastAPI:
    """Return the application of the calls."""
    app = FastAPI(
        title="copeland",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        servers=[{"url": f"{server.config.base}{API}"}],
        root_path_in_servers=False,  # which knows nothing of a path that a proxy takes away
        routes=[route for part in CALLS for route in part.router.routes],
        redirect_slashes=False,
    )
    app.state.server = server
    app.add_exception_handler(ClientDisconnect, _end_silently)
    for kind in (ApiProblem, HTTPException, RequestValidationError, CopelandError, Exception):
        app.add_exception_handler(kind, answer_error)
    return app


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    """Compile the planner while the first voters read; until it is ready, questions take a little longer."""
    threading.Thread(target=warm, name="compile the planner", daemon=True).start()
    yield


class Files(StaticFiles):
    """Style sheets and scripts, whose addresses change when they do."""

    def file_response(self, *args: object, **how: object) -> Response:
        """Return a file that browsers keep."""
        answer = super().file_response(*args, **how)  # type: ignore[arg-type]
        answer.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
        return answer


def _end_silently(_request: Request, _error: Exception) -> Response:
    """Say nothing to who left while sending something, and nothing about them in the log."""
    return Response(status_code=400)


def _notice(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    if request.url.path.startswith(API):  # a path that only looks like one, with a line break in it
        return answer_error(request, error)
    answer = render_page(request, "notice", status, about=status)
    answer.headers.update(error.headers or {})
    return answer


def _refuse(request: Request, error: Exception) -> Response:
    """What else is wrong; the engine's sentences name studies and options, so nobody reads them here."""
    if isinstance(error, StorageError):
        return _notice(request, HTTPException(503, headers={"Retry-After": "5"}))
    known = isinstance(error, CopelandError | RequestValidationError)
    return _notice(request, HTTPException(400 if known else 500))


def from_environment() -> FastAPI:
    """Return the application of one of several processes."""
    names = {field: os.environ.get(name, "") for field, name in SETTINGS.items()}
    return create_app(Config(**names, secret=os.environ.get("COPELAND_SECRET", "")))


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


class Heads:
    """A layer around the application that turns HEAD into GET, and leaves the body out."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        answered = False

        async def answer(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                answered = True

        async def receive_or_end() -> Message:  # so a stream ends at once
            return {"type": "http.disconnect"} if answered else await receive()

        await self._app({**scope, "method": "GET"}, receive_or_end, answer)


class Timed:
    """A layer around the application that counts how many seconds pass until its answers begin, by route."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry):
        told = "Seconds until an answer began, in the process that tells this."
        labels = ["route", "method", "status", "process"]
        name, how = "copeland_request_seconds", {"buckets": BUCKETS, "registry": registry}
        self._app, self._seconds = app, Histogram(name, told, labels, **how)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and note when the answer begins: a stream goes on for hours."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message["status"], time.perf_counter() - begun)
            await send(message)

        await self._app(scope, receive, answer)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        """Count an answer. Routes hold no names, tokens or numbers."""
        path = getattr(scope.get("route"), "path", None)
        where = (
            ("unknown", "-")
            if path is None
            else (scope.get("root_path", "") + path, scope["method"])
        )
        self._seconds.labels(*where, str(status), str(os.getpid())).observe(seconds)
