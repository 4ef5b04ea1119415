"""Names and numbers as they stand in sentences."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from copeland.inert import inert

LISTED = 8  # names in a sentence
NAME = 40  # letters of a name in a sentence


def listed(names: Sequence[str], most: int = LISTED, last: str = "and") -> str:
    """Return names as in a sentence; of very many, the first ones.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], 2), listed(["a", "b"], last="or")
    ('a, b and c', 'a and 2 more', 'a or b')
    """
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return (
        f" {last} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    )


def some(names: Sequence[str], most: int = LISTED, between: str = ", ") -> str:
    """Return names one after the other; of very many, the first ones and their number.

    Examples
    --------
    >>> some(["a", "b", "c"]), some(["a", "b", "c"], 2)
    ('a, b, c', 'a, b, ... (3 in all)')
    """
    shown = between.join(names[:most])
    return shown if len(names) <= most else f"{shown}{between}... ({len(names)} in all)"


def counted(number: int, what: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "vote"), counted(1200, "vote")
    ('1 vote', '1,200 votes')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def about(number: float) -> str:
    """Return a number as an estimate is told: with two digits.

    Examples
    --------
    >>> about(7), about(1649), about(123_456)
    ('7', '1,600', '120,000')
    """
    return f"{int(float(f'{number:.2g}')):,}"


def percent(share: float) -> str:
    """Return a share as a percentage, never 0 or 100 where it only comes near.

    Examples
    --------
    >>> percent(0.814), percent(0.001), percent(0.0), percent(0.9999)
    ('81 %', 'under 1 %', '0 %', 'over 99 %')
    """
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def letters(text: str) -> int:
    """Return how wide a text is, in letters; those of some scripts are twice as wide.

    Examples
    --------
    >>> letters("tea"), letters("茶")
    (3, 2)
    """
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def shortened(names: Sequence[str], most: int) -> list[str]:
    """Return names of at most so many letters that still differ, without their middle if need be.

    Examples
    --------
    >>> shortened(["a short one", "a name that is too long 1", "a name that is too long 2"], 12)
    ['a short one', 'a name…ong 1', 'a name…ong 2']
    >>> shortened(["a name that goes on and on", "a name that does not go on"], 12)
    ['a name…nd on', 'a name…go on']
    """
    whole = [" ".join(inert(name).split()) for name in names]
    times = Counter(_cut(name, most) for name in whole)
    found = [
        _numbered(name, most, place if times[_cut(name, most)] > 1 else None)
        for place, name in enumerate(whole, 1)
    ]
    if len(set(found)) < len(found):  # a number may make a name that another has already
        return [_numbered(name, most, place) for place, name in enumerate(whole, 1)]
    return found


def _numbered(name: str, most: int, place: int | None) -> str:
    number = "" if place is None else f" ({place})"
    return f"{_cut(name, most - len(number))}{number}"


def _cut(name: str, most: int) -> str:
    """Return a name of at most so many letters: its two ends, if all of it is more."""
    if len(name) <= most and letters(name) <= most:
        return name
    head = _first(name, int((most - 1) * 0.6))
    tail = _first(reversed(name), most - 1 - letters(head))[::-1]
    while tail and unicodedata.combining(tail[0]):  # its letter was cut off
        tail = tail[1:]
    return f"{head}…{tail}"


def _first(name: Iterable[str], most: int) -> str:
    """Return as much of the beginning of a name as has at most so many letters."""
    taken, width = [], 0
    for letter in name:
        width += letters(letter)
        if width > most:
            break
        taken.append(letter)
    return "".join(taken)
