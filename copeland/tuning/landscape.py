"""The estimated score over a space, as numbers to draw: along each parameter, and over two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from copeland.tuning.duel_choice import crowd
from copeland.tuning.laplace import Fit, Votes
from copeland.tuning.parameters import Choice
from copeland.tuning.posterior_samples import prepare_points, relation
from copeland.tuning.recommendation import score_places, shares, worlds_of
from copeland.tuning.spaces import Floats, Point, Space

_ALONG, _SIDE = 61, 33  # places of a line, and of a side of a plane


@dataclass(frozen=True)
class Line:
    """The estimated score along one parameter, with the others as recommended; nan where it is not feasible."""

    name: str
    values: list[Any]
    mean: Floats
    low: Floats  # 10 % of the samples are below
    high: Floats  # 10 % of the samples are above


@dataclass(frozen=True)
class Plane:
    """The estimated score over two parameters, and how likely the recommended point is to beat each point there."""

    names: tuple[str, str]
    values: tuple[list[Any], list[Any]]
    score: Floats  # first parameter x second
    beaten: Floats


@dataclass(frozen=True)
class Landscape:
    """The numbers behind the picture of a tuning; all of them are estimates.

    Examples
    --------
    >>> from copeland.tuning import Real, Space, Tuner
    >>> tuner = Tuner(Space({"x": Real(0, 10)}), seed=7)
    >>> for _ in range(5):
    ...     duel = tuner.ask()
    ...     tuner.tell(duel, winner=min(duel.first, duel.second, key=lambda p: abs(p["x"] - 3)))
    >>> seen = tuner.landscape()
    >>> [line.name for line in seen.lines], seen.plane is None
    (['x'], True)
    """

    point: Point
    lines: tuple[Line, ...]
    plane: Plane | None  # None if no two parameters are numbers
    asked: list[tuple[Point, Point]]  # every pair that was voted on


def landscape_of(
    space: Space, fits: Sequence[Fit], votes: Votes, leaders: Floats, rng: np.random.Generator
) -> tuple[Floats, tuple[Line, ...], Plane | None]:
    """Return the recommended place, the lines through it, and the plane."""
    found = score_places(space, fits, votes, leaders, rng)
    best = found.places[found.best[0]]
    worlds = worlds_of(space, fits, votes, rng)

    def score(places: Floats) -> Floats:
        return _where_feasible(space, places, lambda some: shares(worlds, some))

    lines = tuple(_line(space, best, axis, score) for axis in range(space.d))
    numbers = [i for i, one in enumerate(space.parameters.values()) if not isinstance(one, Choice)]
    if len(numbers) < 2:
        return best, lines, None
    places, values = _grid(space, best, numbers[0], numbers[1])

    def beats(some: Floats) -> Floats:
        return _compare_with_best(worlds, best, some)

    size = (len(values[0]), len(values[1]))
    names = list(space.parameters)
    plane = Plane(
        (names[numbers[0]], names[numbers[1]]),
        values,
        score(places).mean(axis=0).reshape(size),
        _where_feasible(space, places, beats).mean(axis=0).reshape(size),
    )
    return best, lines, plane


def _line(space: Space, best: Floats, axis: int, score: Any) -> Line:
    at = _ticks(space, axis, _ALONG)
    places = np.tile(best, (len(at), 1))
    places[:, axis] = at
    name, parameter = list(space.parameters.items())[axis]
    scores = score(places)
    low, high = np.quantile(scores, (0.1, 0.9), axis=0)
    return Line(name, [parameter.value(x) for x in at], scores.mean(axis=0), low, high)


def _ticks(space: Space, axis: int, most: int) -> Floats:
    """Places along a parameter: all of its cells, or evenly from end to end."""
    cells = int(space.cells[axis])
    if 0 < cells <= most:
        return (np.arange(cells) + 0.5) / cells
    return np.linspace(0, 1, most)


def _grid(space: Space, best: Floats, a: int, b: int) -> tuple[Floats, tuple[list[Any], list[Any]]]:
    x, y = (_ticks(space, axis, _SIDE) for axis in (a, b))
    places = np.tile(best, (len(x) * len(y), 1))
    places[:, a], places[:, b] = np.repeat(x, len(y)), np.tile(y, len(x))
    one, other = (list(space.parameters.values())[axis] for axis in (a, b))
    return places, ([one.value(p) for p in x], [other.value(p) for p in y])


def _where_feasible(space: Space, places: Floats, of: Any) -> Floats:
    """What a function says of places, nan where they are not feasible."""
    places = space.snapped(places)
    good = np.array([space.allows(space.point(one)) for one in places])
    some = of(places[good])
    found = np.full((len(some), len(places)), np.nan)
    found[:, good] = some
    return found


def _compare_with_best(worlds: Any, best: Floats, places: Floats) -> Floats:
    """Whether the best place beats each of these, in each sample."""
    rows = []
    for fit, draws in zip(worlds.fits, worlds.draws, strict=True):
        one = crowd(worlds.space, fit, worlds.votes, best[None])
        others = crowd(worlds.space, fit, worlds.votes, places)
        for drawn, _ in draws:
            player, field = (prepare_points(drawn, c.coordinates, c.seen) for c in (one, others))
            rows.append(relation(drawn, player, field)[0] > 0)
    return np.array(rows, float)
