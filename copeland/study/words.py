"""Numbers and names as they stand in sentences."""

from __future__ import annotations

from collections.abc import Sequence

LISTED = 8  # names in a sentence


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
