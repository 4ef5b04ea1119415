"""Single votes by who gave them, for errors that know that a voter's votes hang together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np

from copeland.orders.option_estimates import Ballots
from copeland.study.log.events import BOTH_BAD, LEFT, RIGHT, TIE
from copeland.study.settings import JUDGE, Settings
from copeland.study.votes import Vote

_WORTH = {LEFT: 1.0, RIGHT: 0.0, TIE: 0.5}


def group_votes(votes: Iterable[Vote], names: Sequence[str], settings: Settings) -> Ballots:
    """Return the votes that count on these options, by voter or, where judges vote, by test case.

    A vote without a voter is a voter's of its own.
    """
    worth = _WORTH | ({BOTH_BAD: 0.5} if settings.both_bad == "tie" else {})
    place = {name: i for i, name in enumerate(names)}
    numbers: dict[str, int] = {}
    rows: list[tuple[int, int, float, int, int]] = []
    fresh = count()
    for vote in votes:
        if (
            not vote.counted
            or vote.outcome not in worth
            or not {vote.left, vote.right} <= place.keys()
        ):
            continue
        unit = vote.item if settings.voters == JUDGE else vote.voter
        number = next(fresh) if unit is None else numbers.setdefault(unit, next(fresh))
        rows.append((place[vote.left], place[vote.right], worth[vote.outcome], number, vote.times))
    if not rows:
        none = np.zeros(0, np.int64)
        return Ballots(none, none, none.astype(float), none)
    left, right, outcome, unit, times = (np.array(column) for column in zip(*rows, strict=True))
    unit = np.unique(np.repeat(unit, times), return_inverse=True)[1]
    return Ballots(np.repeat(left, times), np.repeat(right, times), np.repeat(outcome, times), unit)
