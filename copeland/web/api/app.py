"""The application under /api/v1."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from copeland.errors import CopelandError
from copeland.version import __version__
from copeland.web.api import downloads, studies, voting
from copeland.web.api.error_documents import ApiProblem, answer_error
from copeland.web.server import Server


def api(server: Server) -> FastAPI:
    """Return the application of the calls."""
    app = FastAPI(
        title="copeland",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        servers=[{"url": f"{server.config.base}/api/v1"}],
        root_path_in_servers=False,  # which knows nothing of a path that a proxy takes away
        routes=[*voting.router.routes, *downloads.router.routes, *studies.router.routes],
    )
    app.state.server = server
    for kind in (ApiProblem, HTTPException, RequestValidationError, CopelandError, Exception):
        app.add_exception_handler(kind, answer_error)
    return app
