"""Documents: values in, HTML that needs nothing else out; words and looks are in the templates."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from copeland.report.styles import INK
from copeland.support.escaping import inert


def document(template: str, **values: Any) -> str:
    """Return the page that a template makes of values; text in them is shown as it is, and inert."""
    return inert(_templates().get_template(f"{template}.html").render(values))


def inline_svg(svg: bytes) -> str:
    """Return a figure as part of a page: it takes the page's ink and names nothing outside."""
    body = svg[svg.index(b"<svg") :].decode()
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r' xmlns(:\w+)?="[^"]*"', "", body).replace("xlink:href", "href")
    # The page itself is the paper: without the white background, and with its colour as ink.
    body = re.sub(r'<g id="patch_1">.*?</g>', "", body, count=1, flags=re.DOTALL)
    # Names of groups, to which nothing refers, would come again in the next figure of the page.
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    return body.replace(INK, "currentColor")


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("copeland.report"),
        autoescape=True,  # what people named may look like HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
