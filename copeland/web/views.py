"""Pages: values in, an answer out; words and looks are in the templates."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from copeland.web.server import server_of

STATIC = Path(__file__).parent / "static"


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return the page that a template makes of values."""
    return HTMLResponse(rendered(request, template, **values), status)


def rendered(request: Request, template: str, **values: Any) -> str:
    """Return the HTML that a template makes of values."""
    base = server_of(request).config.base
    values = {"base": base, "edition": edition(), **values}
    return _templates().get_template(f"{template}.html").render(values)


def see(request: Request, path: str) -> RedirectResponse:
    """Return an answer that leads on to another page."""
    return RedirectResponse(server_of(request).config.base + path, 303)


@cache
def edition() -> str:
    """Return what changes with the style sheets and scripts, so that browsers fetch new ones."""
    files = sorted(path for path in STATIC.iterdir() if path.is_file())
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:10]


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("copeland.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
