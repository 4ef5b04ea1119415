"""Values in, HTML out: pages by their templates, and the texts of options as voters see them."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import nh3
from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse

from copeland.support.escaping import inert
from copeland.support.phrasing import percent, percent_chance
from copeland.web.server import server_of

STATIC = Path(__file__).parent / "static"
LONGEST = 100_000  # characters of a text that is shown
CACHED = 2_000  # texts
TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote"),
    *("h3", "h4", "h5", "h6", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a"),
    "span",
}
ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "span": {"class"}}
SCHEMES = {"http", "https", "mailto"}


def render_page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return the page that a template makes of values."""
    return HTMLResponse(render(request, template, **values), status)


def render(request: Request, template: str, **values: Any) -> str:
    """Return the HTML that a template makes of values."""
    base = server_of(request).config.base
    values = {"base": base, "edition": edition(), **values}
    return _templates().get_template(f"{template}.html").render(values)


def redirect(request: Request, path: str) -> RedirectResponse:
    """Return an answer that leads on to another page."""
    return RedirectResponse(server_of(request).config.base + path, 303)


@cache
def edition() -> str:
    """Return what changes with the style sheets and scripts, so that browsers fetch new ones."""
    files = sorted(path for path in STATIC.iterdir() if path.is_file())
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:10]


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("copeland.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["percent"] = percent
    templates.filters["percent_chance"] = percent_chance
    return templates


@lru_cache(CACHED)
def render_text(kind: str, text: str, language: str = "") -> Markup:
    """Return a text as HTML."""
    text = inert(text)[:LONGEST]
    if kind == "markdown":
        return Markup(_markdown(text))
    if kind == "code":
        return Markup(_code(text, language))
    return Markup(f'<div class="plain">{escape(text)}</div>')


def _markdown(text: str) -> str:
    """Markdown without HTML, cleaned once more; its headings come below those of the page."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=TAGS,
        attributes={name: set(known) for name, known in ATTRIBUTES.items()},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
    ).strip()


def _code(text: str, language: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import TextLexer, get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False) if language else TextLexer(stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    return highlight(text, lexer, HtmlFormatter(cssclass="code", wrapcode=True))
