"""The application: every page and call in one place, what is said when something is wrong, and the layers around it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from prometheus_client import CollectorRegistry, Histogram
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copeland.errors import CopelandError, StorageError
from copeland.policy import warm
from copeland.study import Storage
from copeland.version import __version__
from copeland.web import metrics
from copeland.web.api import administration, error_documents, studies, voting
from copeland.web.api.error_documents import ApiProblem, answer_error
from copeland.web.pages import (
    admin,
    create,
    dashboard,
    forecast,
    option_texts,
    results,
    share,
    vote,
    voter_ideas,
)
from copeland.web.render import STATIC, redirect, render_page
from copeland.web.security import Shield
from copeland.web.server import Config, Server
from copeland.web.sessions import SignIn

API = "/api/v1"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)  # seconds
ROUTERS = [
    part.router
    for part in (
        vote,
        voter_ideas,
        admin,
        create,
        option_texts,
        forecast,
        share,
        dashboard,
        results,
    )
] + [metrics.router, error_documents.router]
CALLS = (voting, studies, administration)
YEAR = 365 * 86_400
NOTICES = {
    400: (
        "This did not work",
        "The page sent something that cannot be read. Go back and try again.",
    ),
    403: (
        "This did not work",
        "The form came from another page. Go back, load it again, and retry.",
    ),
    404: (
        "Nothing is here",
        "The link may have expired, or it is incomplete. Ask the person who sent it.",
    ),
    408: ("This took too long", "Your form did not arrive in time. Go back and try again."),
    413: ("This is too large", "Send less at a time."),
    429: ("A little slower, please", "Wait a moment, then go back and try again. Nothing is lost."),
    500: ("Something went wrong", "It is not your fault. Try again in a moment."),
    503: (
        "Back in a moment",
        "The server is busy, or cannot reach its votes. Try again in a moment.",
    ),
}
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
    title, text = NOTICES.get(status, NOTICES[404] if status < 500 else NOTICES[500])
    answer = render_page(request, "notice", status, title=title, text=text)
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
