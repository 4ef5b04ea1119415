"""A proof for one point, vote by vote, against opponents drawn at random. It needs no model and no smoothness.

The share of votes that x wins against a random opponent is B = ∫ p(x,z) dz. Where x beats z, p is at most 1, and
elsewhere at most 1/2. So B <= 1/2 + C/2, and x beats at least the share C >= 2 B - 1 of the space.
"""

from __future__ import annotations

import math

from copeland.errors import InvalidParameter, UnknownDuel
from copeland.kernels.vote_evidence import log_evidence
from copeland.support.phrasing import format_count, percent
from copeland.support.rng import stream
from copeland.tuning.duels import Duel
from copeland.tuning.spaces import Point, PointLike, Space

_HALVINGS = 50


class Audit:
    """One point against fresh random opponents, one vote each.

    With probability 1 - ``delta``, ``bound`` is never above the share of the space that the point beats, even if you
    look after every vote. Fix the point and ``delta`` beforehand, and answer every duel.

    Examples
    --------
    >>> from copeland.tuning import Real
    >>> audit = Audit(Space({"x": Real(0, 1)}), {"x": 0.9})
    >>> for _ in range(60):
    ...     duel = audit.ask()
    ...     audit.tell(duel, winner=max(duel.first, duel.second, key=lambda point: point["x"]))
    >>> print(audit.statement)
    After 60 votes, the point is proved to beat at least 65 % of the space (error probability 0.05).
    """

    def __init__(self, space: Space, point: PointLike, delta: float = 0.05, seed: int = 0):
        if not isinstance(delta, float | int) or not 0 < delta < 1:
            raise InvalidParameter(f"delta is {delta}; it must be between 0 and 1.")
        self.space = space
        self.point = space.point(space.place(point))
        self.delta = delta
        self.seed = seed
        self.wins = self.losses = self.ties = 0
        self._bound = 0.0
        self._open: Duel | None = None

    @property
    def votes(self) -> int:
        """How many votes there were."""
        return self.wins + self.losses + self.ties

    def ask(self) -> Duel:
        """Return the next duel. A duel without an answer comes again, so that none is left out."""
        if self._open is None:
            number = self.votes + 1
            self._open = Duel(number, self.point, self.opponent(number))
        return self._open

    def opponent(self, number: int) -> Point:
        """Return the opponent in the vote with this number."""
        return self.space.point(self.space.drawn(stream(self.seed, "audit", number)))

    def tell(self, duel: Duel, winner: PointLike | None) -> None:
        """Say who won; None is a tie."""
        if duel != self._open:
            raise UnknownDuel("this audit never asked this duel, or it was answered before.")
        share = duel.share(winner)
        self.wins += share == 1
        self.losses += share == 0
        self.ties += share == 0.5
        self._open = None
        self._bound = max(self._bound, 2 * lower_bound(*self.counts, self.delta) - 1)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Wins, losses and ties of the point."""
        return self.wins, self.losses, self.ties

    @property
    def bound(self) -> float:
        """The share of the space that the point is proved to beat."""
        return self._bound

    @property
    def statement(self) -> str:
        """What is proved, in a sentence."""
        proved = (
            f"the point is proved to beat at least {percent(self.bound)} of the space"
            if self.bound > 0
            else "nothing is proved of the point"
        )
        return f"After {format_count(self.votes, 'vote')}, {proved} (error probability {self.delta:g})."


def lower_bound(wins: int, losses: int, ties: int, delta: float) -> float:
    """Return the largest b from 1/2 on at which the evidence against "the mean is at most b" suffices; else 1/2.

    Examples
    --------
    >>> round(lower_bound(95, 5, 0, 0.05), 2), lower_bound(5, 5, 0, 0.05)
    (0.86, 0.5)
    """
    low, high = 0.5, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        proved = middle < 1 and log_evidence(wins, losses, ties, 0.5 - middle) >= -math.log(delta)
        low, high = (middle, high) if proved else (low, middle)
    return low
