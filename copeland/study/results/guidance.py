"""What guides said, and how far people agree with them: told beside the proof, and no part of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.study.log.events import ERROR, LEFT, RIGHT, SKIP
from copeland.support.phrasing import format_count, percent

NO_PROOF = "Guides only decide what is asked next; what they say proves nothing."


class Guidance(NamedTuple):
    """What one guide said: of ``compared`` pairs on which it leans and people do, it ``agreed`` on some."""

    name: str
    votes: int
    agreed: int
    compared: int

    @property
    def agreement(self) -> float | None:
        """The share of compared pairs on which guide and people lean to the same, None if there are none."""
        return self.agreed / self.compared if self.compared else None


def guidance_of(
    tally: Iterable[tuple[str | None, int, int, str, int]],
    guides: Collection[str],
    wins: NDArray[np.int64],
) -> tuple[Guidance, ...]:
    """Return every guide, from how often each gave an outcome to an ordered pair, and the wins of people.

    Examples
    --------
    >>> people = np.array([[0, 3], [1, 0]])
    >>> guidance_of([("model", 0, 1, "left", 1), ("model", 1, 0, "right", 1)], {"model"}, people)
    (Guidance(name='model', votes=2, agreed=1, compared=1),)
    """
    leads: dict[str, Counter[tuple[int, int]]] = {name: Counter() for name in guides}
    votes: defaultdict[str, int] = defaultdict(int)
    for voter, left, right, outcome, times in tally:
        if voter not in leads or outcome in (SKIP, ERROR):
            continue
        votes[voter] += times
        if outcome in (LEFT, RIGHT):
            sign = 1 if (outcome == LEFT) == (left < right) else -1
            leads[voter][min(left, right), max(left, right)] += sign * times
    return tuple(
        Guidance(name, votes[name], *_count_common_leanings(leads[name], wins))
        for name in sorted(leads)
    )


def _count_common_leanings(
    leads: Counter[tuple[int, int]], wins: NDArray[np.int64]
) -> tuple[int, int]:
    """On how many pairs a guide and people lean to the same, and on how many both lean."""
    both = [lead * int(wins[pair] - wins[pair[::-1]]) for pair, lead in leads.items()]
    return sum(product > 0 for product in both), sum(product != 0 for product in both)


def guidance_sentences(guides: Collection[Guidance]) -> Iterator[str]:
    """Yield what each guide said and how far people agree, if there are guides."""
    for guide in guides:
        yield f"{guide.name} guides, with {format_count(guide.votes, 'vote')}. {_agreement(guide)}"
    if guides:
        yield NO_PROOF


def _agreement(guide: Guidance) -> str:
    if guide.agreement is None:
        return "There is no pair yet on which both the guide and people lean to one side."
    return (
        f"People agree with it on {guide.agreed:,} of {format_count(guide.compared, 'pair')} on which "
        f"both lean to one side ({percent(guide.agreement)})."
    )
