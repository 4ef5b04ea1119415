"""The estimated score over a space: which point is best now, and numbers to draw along one or two parameters.

A score is the share of the space that a point beats, in each of some samples of the posterior.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from copeland.support.arrays import Floats, Ints
from copeland.tuning.duels import FitView
from copeland.tuning.parameters import Choice
from copeland.tuning.preference_model import Heard, Sample, prepare_points, relation, sample
from copeland.tuning.spaces import Point, Space, near

SAMPLES, OPPONENTS, CANDIDATES = 24, 384, 400
_REFINEMENTS = (0.1, 0.05, 0.025)
_BEST, _AROUND = 8, 96  # whose neighbours are looked at, and how many
_PLAYERS = 48  # of the highest mean scores, who play each other
_ALONG, _SIDE = 61, 33  # places of a line, and of a side of a plane


# Posterior samples of several fits, and the opponents as each sample hears them.
Worlds = list[tuple[FitView, list[tuple[Sample, Heard]]]]


class Scores(NamedTuple):
    """Places, their scores in each sample, and which of them are best."""

    places: Floats
    scores: Floats  # samples x places
    best: Ints  # the best first

    @property
    def mean(self) -> Floats:
        """The mean score of each place."""
        return self.scores.mean(axis=0)


def score_places(views: Sequence[FitView], leaders: Floats, rng: np.random.Generator) -> Scores:
    """Return many places, the good ones and their neighbours among them, with their scores in each sample."""
    worlds, space = worlds_of(views, rng), views[0].space
    fresh = space.spread(CANDIDATES - 2 * len(leaders), rng)
    around = near(space, leaders, len(leaders), 0.1, rng) if len(leaders) else fresh[:0]
    found = _add_places(worlds, None, np.vstack([leaders, around, fresh]))
    for step in _REFINEMENTS:
        top = found.places[found.best[:_BEST]]
        centres = np.vstack([top, top[:1].repeat(_BEST, 0)])
        found = _add_places(worlds, found, near(space, centres, _AROUND, step, rng))
    return found


def worlds_of(views: Sequence[FitView], rng: np.random.Generator) -> Worlds:
    """Return samples of every fit, with fresh opponents."""
    opponents, worlds = views[0].space.spread(OPPONENTS, rng), []
    for view in views:
        others = view.crowd(opponents)
        drawn = [sample(view.fit, view.votes.pairs, rng) for _ in range(SAMPLES // len(views))]
        heard = [(one, prepare_points(one, others.coordinates, others.seen)) for one in drawn]
        worlds.append((view, heard))
    return worlds


def _add_places(worlds: Worlds, found: Scores | None, more: Floats) -> Scores:
    """The scores with those of more places, and the best of all: those with the highest means play each other.

    A point may beat every opponent in every sample; then only such play tells it from the next one.
    """
    places, scores = more, shares(worlds, more)
    if found is not None:
        places, scores = np.vstack([found.places, more]), np.hstack([found.scores, scores])
    mean = scores.mean(axis=0)
    top = np.argsort(-mean, kind="stable")[:_PLAYERS]
    play = shares(worlds, places[top], mutual=True).mean(axis=0)
    return Scores(places, scores, top[np.argsort(-(mean[top] + play / OPPONENTS), kind="stable")])


def shares(worlds: Worlds, places: Floats, mutual: bool = False) -> Floats:
    """Return the share of opponents, or of each other, that places beat in each sample: samples x places."""
    return np.array(
        [
            (relation(one, ears, ears if mutual else others) > 0).mean(axis=1)
            for one, ears, others in _hear(worlds, places)
        ]
    )


def _hear(worlds: Worlds, places: Floats) -> Iterator[tuple[Sample, Heard, Heard]]:
    """Every sample, with these places and the opponents as it hears them."""
    for view, draws in worlds:
        players = view.crowd(places)
        for one, others in draws:
            yield one, prepare_points(one, players.coordinates, players.seen), others


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
    """The numbers behind the picture of a tuning; all of them are estimates."""

    point: Point
    lines: tuple[Line, ...]
    plane: Plane | None  # None if no two parameters are numbers
    asked: list[tuple[Point, Point]]  # every pair that was voted on


def landscape_of(
    views: Sequence[FitView], leaders: Floats, rng: np.random.Generator
) -> tuple[Floats, tuple[Line, ...], Plane | None]:
    """Return the recommended place, the lines through it, and the plane."""
    found, space = score_places(views, leaders, rng), views[0].space
    best = found.places[found.best[0]]
    worlds = worlds_of(views, rng)

    def score(places: Floats) -> Floats:
        return _where_feasible(space, places, lambda some: shares(worlds, some))

    lines = tuple(_line(space, best, axis, score) for axis in range(space.d))
    numbers = [i for i, one in enumerate(space.parameters.values()) if not isinstance(one, Choice)]
    if len(numbers) < 2:
        return best, lines, None
    places, values = _grid(space, best, numbers[0], numbers[1])

    def beats(some: Floats) -> Floats:
        """Whether the best place beats each of these, in each sample."""
        both = zip(_hear(worlds, best[None]), _hear(worlds, some), strict=True)
        rows = [relation(one, player, field)[0] > 0 for (one, player, _), (_, field, _) in both]
        return np.array(rows, float)

    size = (len(values[0]), len(values[1]))
    names = list(space.parameters)
    plane = Plane(
        (names[numbers[0]], names[numbers[1]]),
        values,
        score(places).mean(axis=0).reshape(size),
        _where_feasible(space, places, beats).mean(axis=0).reshape(size),
    )
    return best, lines, plane


def _line(space: Space, best: Floats, axis: int, score: Callable[[Floats], Floats]) -> Line:
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


def _where_feasible(space: Space, places: Floats, of: Callable[[Floats], Floats]) -> Floats:
    """What a function says of places, nan where they are not feasible."""
    places = space.snapped(places)
    good = np.array([space.allows(space.point(one)) for one in places])
    some = of(places[good])
    found = np.full((len(some), len(places)), np.nan)
    found[:, good] = some
    return found
