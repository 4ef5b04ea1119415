"""Figures as a strict page takes them: looks as attributes, because style attributes are forbidden there."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

_FONT = re.compile(r"^(?:(?P<weight>\d{3}|bold|normal)\s+)?(?P<size>[\d.]+)px\s+(?P<family>.+)$")
_DRAWING = threading.Lock()  # matplotlib draws one figure at a time


def presentational(svg: str) -> str:
    """Return a figure without style sheets and style attributes.

    Examples
    --------
    >>> presentational('<text style="font: 700 10px Arial; fill: red">x</text>')
    '<text font-weight="700" font-size="10px" font-family="Arial" fill="red">x</text>'
    """
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    return re.sub(r'style="([^"]*)"', lambda found: _attributes(found[1]), svg)


def _attributes(style: str) -> str:
    said = [part.partition(":") for part in style.split(";") if part.strip()]
    looks = {name.strip(): value.strip() for name, _, value in said}
    font = _FONT.match(looks.pop("font", ""))
    if font:
        named = {f"font-{part}": value for part, value in font.groupdict().items() if value}
        if "font-size" in named:
            named["font-size"] += "px"
        looks = {**named, **looks}
    return " ".join(f'{name}="{value}"' for name, value in looks.items())


def drawn(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a study's page with every picture fit for a strict page."""
    return {name: _strict(part) for name, part in parts.items()}


def _strict(part: Any) -> Any:
    if isinstance(part, Iterator):  # sentences that are to be read more than once
        return tuple(part)
    if hasattr(part, "said"):
        part = part._replace(said=tuple(part.said))
    picture = getattr(part, "picture", None)
    if picture is None:
        return part
    return part._replace(picture=picture._replace(svg=presentational(picture.svg)))


def one_at_a_time() -> threading.Lock:
    """Return the lock under which figures are drawn."""
    return _DRAWING
