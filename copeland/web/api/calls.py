"""The application under /api/v1."""

from __future__ import annotations

from fastapi import Depends, FastAPI

from copeland.version import __version__
from copeland.web.api import reading, voting
from copeland.web.api import studies as managing
from copeland.web.api.access import readable
from copeland.web.api.links import linked
from copeland.web.api.problems import STATUSES, install
from copeland.web.server import Server

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}


def api(server: Server) -> FastAPI:
    """Return the application of the calls."""
    told = {
        status: {
            "description": title,
            "content": {"application/problem+json": {"schema": _PROBLEM}},
        }
        for status, (_, title) in STATUSES.items()
        if status != 500
    }
    told[409] = {**told[422], "description": "It was done before, or the study is closed."}
    app = FastAPI(
        title="copeland",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        servers=[{"url": f"{server.config.base}/api/v1"}],
        root_path_in_servers=False,  # which knows nothing of a path that a proxy takes away
        responses=told,  # type: ignore[arg-type]
        dependencies=[Depends(readable)],
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.server = server
    for part in (voting, reading, managing):
        app.include_router(part.router)
    install(app)
    linked(app.openapi())  # which is made once, and served as it is then
    return app
