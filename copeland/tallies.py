"""Tables of votes as counts: who won how often against whom.

Two kinds of columns are known: ``left, right, outcome``, as studies export them, and ``winner, loser``.
An outcome is ``left``, ``right``, the name of the winner, ``tie`` or ``both_bad``, which is a tie too;
``skip`` and ``error`` are no votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidMatrix

_TIES = ("tie", "both_bad")
_NO_VOTES = ("skip", "error")
_NO = ("false", "0", "no")
_YES = ("true", "1", "yes")


class Tally(NamedTuple):
    """Counts of the votes on each pair of options, in the order in which options are first named."""

    wins: NDArray[np.float64]
    ties: NDArray[np.float64]
    labels: list[str]


def is_votes(header: Sequence[str]) -> bool:
    """Tell whether a first line names the columns of a table of votes.

    Examples
    --------
    >>> is_votes(["winner", "loser"]), is_votes(["a", "b"])
    (True, False)
    """
    names = {name.strip().lower() for name in header}
    return {"left", "right", "outcome"} <= names or {"winner", "loser"} <= names


def outcome_word(said: str) -> str:
    """Return an outcome as it is kept, however it was spelled.

    Examples
    --------
    >>> outcome_word(" Both bad"), outcome_word("both-bad")
    ('both_bad', 'both_bad')
    """
    return said.strip().lower().replace(" ", "_").replace("-", "_")


def tallied(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Tally:
    """Return the counts of a table of votes; refuse a row that is no vote.

    Examples
    --------
    >>> found = tallied(["winner", "loser"], [["a", "b"], ["a", "b"], ["b", "a"]])
    >>> found.labels, found.wins.tolist()
    (['a', 'b'], [[0.0, 2.0], [1.0, 0.0]])
    """
    if not is_votes(header):
        raise InvalidMatrix("the columns must be left, right and outcome, or winner and loser.")
    columns = [name.strip().lower() for name in header]
    votes: Counter[tuple[str, str, bool]] = Counter()
    options: dict[str, int] = {}
    for line, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise InvalidMatrix(
                f"line {line} has {len(row)} values, the first line {len(columns)}."
            )
        one, other, drawn = _vote(line, dict(zip(columns, row, strict=True)))
        if one == other:
            raise InvalidMatrix(f"line {line} has {one!r} on both sides.")
        for name in (one, other):
            options.setdefault(name, len(options))
        if drawn is not None:
            votes[one, other, drawn] += 1
    if not options:
        raise InvalidMatrix("there are no votes in it, but the names of their columns.")
    k = len(options)
    won, tied = np.zeros((k, k)), np.zeros((k, k))
    for (one, other, drawn), count in votes.items():
        (tied if drawn else won)[options[one], options[other]] += count
    return Tally(won, tied + tied.T, list(options))


def _vote(line: int, row: Mapping[str, str]) -> tuple[str, str, bool | None]:
    """The two options, the winner first, and whether it was a tie; None if it is no vote."""
    if "winner" in row and "loser" in row:
        one, other, said = row["winner"], row["loser"], row["winner"]
    else:
        one, other, said = row["left"], row["right"], row["outcome"]
    if not one.strip() or not other.strip():
        raise InvalidMatrix(f"line {line} lacks the name of an option.")
    if row.get("counted", "").lower() in _NO or row.get("undone", "").lower() in _YES:
        return one, other, None
    word = outcome_word(said)
    if word in _NO_VOTES and said not in (one, other):
        return one, other, None
    if word in _TIES and said not in (one, other):
        return one, other, True
    if said == one or (word == "left" and said != other):
        return one, other, False
    if said == other or word == "right":
        return other, one, False
    raise InvalidMatrix(
        f"line {line} has the outcome {said!r}; write left, right, tie or the winner's name."
    )
