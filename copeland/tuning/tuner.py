"""A tuner: ask for two points of a space, tell which is better, take the point that beats the largest share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, overload

import numpy as np
from threadpoolctl import ThreadpoolController

from copeland.errors import InvalidParameter, UnknownDuel
from copeland.support.arrays import Floats
from copeland.support.npz import pack_arrays, read_arrays
from copeland.support.phrasing import format_count
from copeland.support.rng import stream
from copeland.tuning.duels import OPPONENTS, Duel, FitView, VoteCounts, choose
from copeland.tuning.landscape import Landscape, landscape_of, score_places
from copeland.tuning.preference_model import Fit, Votes
from copeland.tuning.spaces import Point, PointLike, Space, lacks_constraint
from copeland.tuning.walkers import (
    WALKERS,
    prior_of,
    refit_walker,
    resume_walker,
    start_walkers,
    steps_at,
    walk_on,
)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread, and as many as before afterwards."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> ThreadpoolController:
    """What numpy and scipy have loaded: looking for it takes longer than a question."""
    return ThreadpoolController()


MOST_AT_ONCE = 1_000  # duels
MOST_LISTED = 100  # points of a shortlist
_BREAKS_TIES = 1e-6
_FAR = 50  # logarithms of hyperparameters beyond this are no walker's

_T = TypeVar("_T")


@dataclass(frozen=True)
class Found:
    """The point to take now, and two estimates by the model, neither of which is proved."""

    point: Point
    score: float  # the share of the space that the point beats
    regret: float  # how much larger the largest share is


class Tuner:
    """Find the point of a space that beats the largest share of it, from votes between two points at a time.

    Parameters
    ----------
    space
        The points that the tuner may ask about.
    seed
        Same seed, same answers: same duels.

    Examples
    --------
    >>> from copeland.tuning import Real
    >>> tuner = Tuner(Space({"x": Real(0, 10)}), seed=7)
    >>> for _ in range(20):
    ...     duel = tuner.ask()
    ...     tuner.tell(duel, winner=min(duel.first, duel.second, key=lambda point: abs(point["x"] - 3)))
    >>> abs(tuner.recommend().point["x"] - 3) < 1
    True
    """

    def __init__(self, space: Space, seed: int = 0):
        if not isinstance(space, Space):
            raise InvalidParameter("a tuner needs a Space; make one from named parameters.")
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise InvalidParameter("seed must be a whole number, 0 or more.")
        self.space = space
        self.seed = seed
        self.asked = 0
        self._counts = VoteCounts(space)
        self._open: dict[int, tuple[Floats, Floats]] = {}
        self._prior = prior_of(space.lengths)
        self._walkers = start_walkers(self._prior, stream(seed, "walkers"))
        self._opponents = space.spread(OPPONENTS, stream(seed, "opponents"))
        self._leaders = np.zeros((0, space.d))

    def __repr__(self) -> str:
        return f"<Tuner: {format_count(self.votes, 'vote')} on {self.space!r}>"

    @property
    def votes(self) -> int:
        """How many votes there are."""
        return self._counts.total

    @overload
    def ask(self) -> Duel: ...
    @overload
    def ask(self, n: int) -> list[Duel]: ...
    def ask(self, n: int | None = None) -> Duel | list[Duel]:
        """Return the next duel; with ``n``, a list of the next ``n``, which you may answer in any order."""
        if n is None:
            return self._ask()
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= MOST_AT_ONCE:
            raise InvalidParameter(f"you can ask for 0 to {MOST_AT_ONCE:,} duels at once.")
        return [self._ask() for _ in range(n)]

    def _ask(self) -> Duel:
        number = self.asked + 1
        rng, votes = stream(self.seed, "ask", number), self._counts.votes()
        with one_thread():
            view = FitView(self.space, self._turn(number, votes, rng), votes)
            asked = choose(view, self._opponents, self._leaders, rng)
        self.asked, self._leaders = number, asked.leaders
        self._open[number] = asked.first, asked.second
        return self.duel(number)

    def _turn(self, number: int, votes: Votes, rng: np.random.Generator) -> Fit:
        """Let the next walker learn the new votes and walk."""
        turn, nth = divmod(number, WALKERS)
        self._walkers[nth] = refit_walker(self._prior, self._walkers[nth], votes)
        steps = steps_at(len(votes.wins), turn)
        self._walkers[nth] = walk_on(self._prior, self._walkers, nth, votes, steps, rng)
        fit = self._walkers[nth].fit
        assert fit is not None
        return fit

    @property
    def open(self) -> list[Duel]:
        """The duels that were asked and not answered yet."""
        return [self.duel(number) for number in self._open]

    def duel(self, number: int) -> Duel:
        """Return an open duel by its number."""
        if number not in self._open:
            raise UnknownDuel(
                f"there is no open duel {number}; it was never asked, or was answered before."
            )
        return Duel(number, *(self.space.point(place) for place in self._open[number]))

    def tell(self, duel: Duel, winner: PointLike | None) -> None:
        """Say who won a duel: ``duel.first``, ``duel.second``, or None for a tie."""
        self._require_open(duel)
        self._counts.add(*self._open[duel.id], duel.share(winner))
        del self._open[duel.id]

    def drop(self, duel: Duel) -> None:
        """Say that a duel will not be answered."""
        self._require_open(duel)
        del self._open[duel.id]

    def _require_open(self, duel: Duel) -> None:
        if not isinstance(duel, Duel) or duel.id not in self._open or duel != self.duel(duel.id):
            raise UnknownDuel(
                "this duel was never asked, or was answered before; add() takes any vote."
            )

    def add(self, first: PointLike, second: PointLike, winner: PointLike | None) -> None:
        """Add a vote that the tuner did not ask for, such as an old one: any two points, at any time."""
        places = self.space.place(first), self.space.place(second)
        if (places[0] == places[1]).all():
            raise InvalidParameter("the two points are the same; a vote needs two.")
        self._counts.add(*places, Duel(0, dict(first), dict(second)).share(winner))

    def recommend(self) -> Found:
        """Return the point to take now, with estimates of its score and of its regret."""
        found = self._ask_fits(score_places)
        best = int(found.best[0])
        regret = found.scores.max(axis=1) - found.scores[:, best]
        return Found(
            self.space.point(found.places[best]), float(found.mean[best]), float(regret.mean())
        )

    def shortlist(self, k: int = 6) -> list[Point]:
        """Return ``k`` points that may well include the best one, for an ordinary study, which proves one best *of these*."""
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_LISTED:
            raise InvalidParameter(f"a shortlist can have 1 to {MOST_LISTED} points.")
        found = self._ask_fits(score_places)
        chosen = [int(found.best[0])]
        while len(chosen) < k:
            reached = found.scores[:, chosen].max(axis=1, keepdims=True)
            gain = np.maximum(found.scores, reached).mean(axis=0) + _BREAKS_TIES * found.mean
            gain[chosen] = -1
            chosen.append(int(np.argmax(gain)))
        return [self.space.point(found.places[i]) for i in chosen]

    def landscape(self) -> Landscape:
        """Return the estimated score along each parameter and over two of them; ``copeland.plot`` draws it."""
        point, lines, plane = self._ask_fits(landscape_of)
        asked = [(self.space.point(x), self.space.point(z)) for x, z in self._counts.places]
        return Landscape(self.space.point(point), lines, plane, asked)

    def _ask_fits(self, of: Callable[..., _T]) -> _T:
        """Ask something of all walkers' fits to all votes, without a change to the tuner."""
        votes = self._counts.votes()
        rng = stream(self.seed, "recommend", self.asked, self.votes)
        with one_thread():
            fits = [refit_walker(self._prior, one, votes).fit for one in self._walkers]
            views = [FitView(self.space, fit, votes) for fit in fits if fit is not None]
            return of(views, self._leaders, rng)

    def dump(self) -> bytes:
        """Return everything as a compact file of arrays (.npz, no pickle), except a constraint that is a function."""
        about = {
            "tuner": 1,
            "space": self.space.to_json(),
            "seed": self.seed,
            "asked": self.asked,
            "ties": self._counts.ties,
            "open": list(self._open),
        }
        arrays = {f"v{n}": one.fit.v for n, one in enumerate(self._walkers) if one.fit is not None}
        return pack_arrays(
            {
                "about": np.array(json.dumps(about)),
                "places": self._counts.places,
                "counts": self._counts.counts,
                "leaders": self._leaders,
                "open": np.array(list(self._open.values())).reshape(-1, 2, self.space.d),
                "walkers": np.array([one.place for one in self._walkers]),
                **arrays,
            }
        )

    @classmethod
    def load(cls, content: bytes, space: Space | None = None) -> Tuner:
        """Return the tuner that :meth:`dump` wrote; it goes on as if nothing had happened.

        Parameters
        ----------
        space
            The same space as before; needed if its constraint is a function, which the file cannot hold.
        """
        with _refusing_damage():
            arrays = read_arrays(content)
            about = json.loads(str(arrays["about"]))
            written, seed = str(about["space"]), int(about["seed"])
            lacking = lacks_constraint(written)
        if space is None and lacking:
            raise InvalidParameter(
                "the space of this tuner has a constraint, which is a function; give the space to load the tuner."
            )
        tuner = cls(Space.from_json(written) if space is None else space, seed)
        if tuner.space.to_json() != written:
            raise InvalidParameter(
                "this tuner was made for a different space; a space cannot change once there are votes."
            )
        with _refusing_damage():
            tuner._restore(about, arrays)
        return tuner

    def _restore(self, about: dict[str, Any], arrays: dict[str, Floats]) -> None:
        d = self.space.d
        places = arrays["places"].reshape(-1, 2, d)
        counts = arrays["counts"].reshape(len(places), 2)
        _require_sound(places, counts, arrays)
        self._counts.restore(places, counts, int(about["ties"]))
        self.asked = int(about["asked"])
        self._leaders = arrays["leaders"].reshape(-1, d)
        pairs = arrays["open"].reshape(len(about["open"]), 2, d)
        self._open = {int(n): (x, z) for n, (x, z) in zip(about["open"], pairs, strict=True)}
        walkers = arrays["walkers"].reshape(WALKERS, len(self._prior.mean))
        votes = self._counts.votes()
        self._walkers = [
            resume_walker(self._prior, place, votes, arrays.get(f"v{n}"))
            for n, place in enumerate(walkers)
        ]


def _require_sound(places: Floats, counts: Floats, arrays: dict[str, Floats]) -> None:
    """Refuse numbers that no tuner has, before they meet any arithmetic."""
    inside = ((places >= 0) & (places <= 1)).all()
    if not (inside and np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError("its votes are not counts of places")
    for n in range(WALKERS):
        v = arrays.get(f"v{n}", np.zeros(0))
        if v.ndim != 1 or len(v) > len(places) or not np.isfinite(v).all():
            raise ValueError("its fits do not belong to its votes")
    if not (np.abs(arrays["walkers"]) < _FAR).all():
        raise ValueError("its hyperparameters are out of range")


@contextmanager
def _refusing_damage() -> Iterator[None]:
    """Say so if :meth:`Tuner.load` gets something that is not a tuner."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, RecursionError) as error:
        raise InvalidParameter(f"this is not a dumped tuner: {error}.") from error
