"""Points of a space as options: the name of a point, and what voters see of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from html import escape
from typing import Any

from copeland.errors import InvalidParameter, nearest
from copeland.study.input_limits import check_text
from copeland.study.options import Option
from copeland.support.escaping import inert

NAME = 300  # characters of a name: a number may follow
_FEW, _ALL = 4, 12  # digits of a number in a name; those that tell points apart
_PLACE = re.compile(r"\{(\w+)(?::\.(\d)f)?\}")
_DRAWING = "<svg"


def point_option(point: Mapping[str, Any], show: str, taken: Collection[str]) -> Option:
    """Return a point as an option with a name that is still free.

    Examples
    --------
    >>> point_option({"hue": 213.456, "style": "warm"}, "hsl({hue:.0f}, 70%, 50%)", ["hue=213.5, style=warm"])
    Option(name='hue=213.456, style=warm', text='hsl(213, 70%, 50%)', path='', state='active')
    """
    return Option(_name(point, taken), fill_template(show, point), point=dict(point))


def _name(point: Mapping[str, Any], taken: Collection[str]) -> str:
    for digits in (_FEW, _ALL):
        name = values_of(point, digits)[:NAME]
        if name not in taken:
            return name
    return f"{name} ({len(taken) + 1})"


def values_of(point: Mapping[str, Any], digits: int = _FEW) -> str:
    """Return a point as one line of text.

    Examples
    --------
    >>> values_of({"rate": 0.0123456, "layers": 3, "style": "warm"})
    'rate=0.01235, layers=3, style=warm'
    """
    return inert(", ".join(f"{name}={_value(value, digits)}" for name, value in point.items()))


def _value(value: Any, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def fill_template(show: str, point: Mapping[str, Any]) -> str:
    """Return a template with the values of a point in their places; in a drawing they are escaped.

    Examples
    --------
    >>> fill_template("{word} at {size:.1f} pt", {"word": "Tea", "size": 12.345})
    'Tea at 12.3 pt'
    """

    def value(place: re.Match[str]) -> str:
        found = point[place[1]]
        is_number = isinstance(found, float | int) and not isinstance(found, bool)
        text = f"{found:.{place[2]}f}" if place[2] and is_number else _value(found, _ALL)
        return escape(text) if is_drawing(show) else text

    return _PLACE.sub(value, show)


def is_drawing(text: str) -> bool:
    """Tell whether a text is an image in SVG."""
    return text.lstrip().startswith(_DRAWING)


def check_show(show: str, names: list[str]) -> None:
    """Refuse a template that names something other than a parameter, and parameter names that cannot be stored."""
    for name in names:
        check_text("a parameter's ", name=name)
    if not isinstance(show, str):
        raise InvalidParameter(f"show is {show!r}; give a text with {{{names[0]}}} in it.", "show")
    check_text("the template, as a ", text=show or None)
    places = [place[1] for place in _PLACE.finditer(show)]
    for name in places:
        if name not in names:
            raise InvalidParameter(
                f"the template names '{name}', which is not a parameter; {nearest(name, names)}",
                "show",
            )
    if show and not places:
        raise InvalidParameter(
            f"the template shows no parameter, so all points would look the same; put {{{names[0]}}} into it.",
            "show",
        )
