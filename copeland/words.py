"""Names and numbers as they stand in sentences."""

from __future__ import annotations

from collections.abc import Sequence

LISTED = 8  # names in a sentence


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
