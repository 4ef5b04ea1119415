"""Numbers and names as they stand in sentences."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LISTED = 8  # names in a sentence
NAME = 40  # letters of a name in a sentence


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """Return names as in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], 2)
    ('a, b and c', 'a and 2 more')
    """
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


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
    """
    cut = [_cut(" ".join(name.split()), most) for name in names]
    twice = {name for name in cut if cut.count(name) > 1}
    numbers = [f" ({place})" if name in twice else "" for place, name in enumerate(cut, 1)]
    return [
        f"{_cut(name, most - len(number))}{number}"
        for name, number in zip(cut, numbers, strict=True)
    ]


def _cut(name: str, most: int) -> str:
    if letters(name) <= most:
        return name
    head, tail = name, name
    while letters(head) > (most - 1) * 0.6:
        head = head[:-1]
    while letters(tail) > most - 1 - letters(head):
        tail = tail[1:]
    return f"{head}…{tail}"
