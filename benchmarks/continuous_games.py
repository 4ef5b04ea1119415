"""Continuous problems whose truth is known: who beats whom in the unit cube, by a utility or in cycles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from copeland.errors import UnknownProblem, nearest
from copeland.support.rng import stream
from copeland.tuning.parameters import Choice, Integer, Real
from copeland.tuning.preference_model import Theta, wave, waves
from copeland.tuning.spaces import Floats, Space, near

OPPONENTS = 2**14  # points against which scores are counted
_STEEP = 3.0  # of transitive problems
_SOME = 2**10
_TOP = 16
_AT_ONCE = 64


@dataclass(frozen=True)
class Game:
    """A continuous problem: a space whose points are places of the unit cube, and g of all pairs."""

    name: str
    space: Space
    g: Callable[[Floats, Floats], Floats]  # rows x columns
    transitive: bool
    opponents: Floats = field(repr=False)

    def chance(self, first: Floats, second: Floats) -> float:
        """Return the probability that the first of two places wins a vote."""
        return float(1 / (1 + np.exp(-self.g(first[None], second[None])[0, 0])))

    def score(self, places: Floats) -> Floats:
        """Return the share of the space that each place beats, with half of what it ties with."""
        found = np.zeros(len(places))
        for start in range(0, len(places), _AT_ONCE):  # so that the table stays small
            some = slice(start, start + _AT_ONCE)
            sides = np.sign(self.g(places[some], self.opponents))
            found[some] = (1 + sides.mean(axis=1)) / 2
        return found

    @cached_property
    def best(self) -> tuple[float, Floats]:
        """The largest score and its place, found by brute force."""
        if self.transitive:
            u = self.g(self.opponents, self.opponents[:1])[:, 0]
            return 1.0, self.opponents[int(np.argmax(u))]
        rng = stream(0, "best", self.name)
        places = self.opponents[:_SOME]
        rough = (self.g(places, self.opponents[:_SOME]) > 0).mean(axis=1)
        top = places[np.argsort(-rough)[:_TOP]]
        scores = self.score(top)
        for step in (0.05, 0.02, 0.01, 0.005, 0.002):
            more = near(self.space, top, 4 * _TOP, step, rng)
            top, scores = np.vstack([top, more]), np.append(scores, self.score(more))
            keep = np.argsort(-scores)[:_TOP]
            top, scores = top[keep], scores[keep]
        return float(scores[0]), top[0]


def games() -> list[str]:
    """Return the names of the problems."""
    return [*_UTILITIES, *_CIRCLES, "drawn3"]


def mixed_games() -> list[str]:
    """Return the names of two of them with an integer, a choice and a constraint."""
    return ["branin-mixed", "circle-mixed"]


def game(name: str, seed: int = 0) -> Game:
    """Return a problem by its name; ``drawn3`` is another one for each seed.

    Examples
    --------
    >>> circle = game("circle")
    >>> score, place = circle.best
    >>> round(score, 2), place.round(1).tolist()
    (0.86, [0.4, 0.7])
    """
    if name in _UTILITIES:
        d, utility = _UTILITIES[name]
        return _transitive(name, d, utility)
    if name in _CIRCLES:
        d, g = _CIRCLES[name]
        simplex = (lambda x1, x2: x1 + x2 <= 1) if name == "blotto" else None
        return _make_game(name, d, g, False, simplex)
    if name == "drawn3":
        return _make_game(name, 3, _draw_game(stream(seed, "drawn3")), False)
    if name in mixed_games():
        return _mix_parameters(name, game(name.removesuffix("-mixed")))
    raise UnknownProblem(
        f"there is no continuous problem '{name}': {nearest(name, [*games(), *mixed_games()])}"
    )


def _make_game(
    name: str,
    d: int,
    g: Callable[[Floats, Floats], Floats],
    transitive: bool,
    feasible: Callable[..., bool] | None = None,
) -> Game:
    space = Space({f"x{i + 1}": Real(0, 1) for i in range(d)}, feasible)
    return Game(name, space, g, transitive, space.kept(_sobol(d))[:OPPONENTS])


def _mix_parameters(name: str, plain: Game) -> Game:
    """A problem in two dimensions whose second is cut into twelve, with a choice that adds up to 1 to g, and a corner cut off."""
    parameters = {"x1": Real(0, 1), "x2": Integer(1, 12), "c": Choice("a", "b", "c")}
    space = Space(parameters, feasible=lambda x1, x2, c: x1 + x2 / 12 <= 1.7)

    def g(x: Floats, z: Floats) -> Floats:
        liked = (np.abs(p[:, 2] - 0.5) < 0.1 for p in (x, z))  # b
        a, b = (one.astype(float) for one in liked)
        return plain.g(x[:, :2], z[:, :2]) + a[:, None] - b

    return Game(name, space, g, False, space.kept(_sobol(3))[:OPPONENTS])


def _sobol(d: int) -> Floats:
    from scipy.stats.qmc import Sobol  # slow to import, and only truths need it

    return Sobol(d, rng=np.random.default_rng(0)).random(2 * OPPONENTS)


def _transitive(name: str, d: int, utility: Callable[[Floats], Floats]) -> Game:
    values = utility(_sobol(d)[:OPPONENTS])
    mean, deviation = values.mean(), values.std()

    def g(x: Floats, z: Floats) -> Floats:
        return _STEEP / deviation * ((utility(x) - mean)[:, None] - (utility(z) - mean))

    return _make_game(name, d, g, True)


def _forrester(x: Floats) -> Floats:
    t = x[:, 0]
    return -((6 * t - 2) ** 2) * np.sin(12 * t - 4)


def _branin(x: Floats) -> Floats:
    a, b = 15 * x[:, 0] - 5, 15 * x[:, 1]
    bowl = (b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6) ** 2
    return -np.log(bowl + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10)


def _goldstein(x: Floats) -> Floats:
    a, b = 4 * x[:, 0] - 2, 4 * x[:, 1] - 2
    one = 1 + (a + b + 1) ** 2 * (19 - 14 * a + 3 * a**2 - 14 * b + 6 * a * b + 3 * b**2)
    two = 18 - 32 * a + 12 * a**2 + 48 * b - 36 * a * b + 27 * b**2
    return -np.log(one * (30 + (2 * a - 3 * b) ** 2 * two))


_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_STEEP3 = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
_PEAKS3 = 1e-4 * np.array(
    [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
)
_STEEP6 = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_PEAKS6 = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def _hartmann(steep: Floats, peaks: Floats) -> Callable[[Floats], Floats]:
    def utility(x: Floats) -> Floats:
        away = (steep * (x[:, None, :] - peaks) ** 2).sum(axis=2)
        return np.exp(-away) @ _WEIGHTS

    return utility


def _ackley(x: Floats) -> Floats:
    t = 15 * x - 5
    far = np.exp(-0.2 * np.sqrt((t**2).mean(axis=1)))
    return 20 * far + np.exp(np.cos(2 * np.pi * t).mean(axis=1))


_UTILITIES: dict[str, tuple[int, Callable[[Floats], Floats]]] = {
    "forrester": (1, _forrester),
    "branin": (2, _branin),
    "goldstein": (2, _goldstein),
    "hartmann3": (3, _hartmann(_STEEP3, _PEAKS3)),
    "hartmann6": (6, _hartmann(_STEEP6, _PEAKS6)),
    "ackley5": (5, _ackley),
}


def _circle(x: Floats, z: Floats) -> Floats:
    def v(p: Floats) -> Floats:
        return 1.5 * np.cos(2 * np.pi * (p[:, 0] - 0.3)) - 8 * (p[:, 1] - 0.7) ** 2

    turn = 2.5 * np.sin(2 * np.pi * (x[:, :1] - z[:, 0]))
    return turn + v(x)[:, None] - v(z)


def _rotation(x: Floats, z: Floats) -> Floats:
    d = x.shape[1]
    peak, q = np.array([0.65, 0.35, 0.6, 0.4])[:d], np.array([0.45, 0.5, 0.5, 0.55])[:d]
    a, b = x - q, z - q
    turn = a[:, 0::2] @ b[:, 1::2].T - a[:, 1::2] @ b[:, 0::2].T
    u, w = (-6 * ((p - peak) ** 2).sum(axis=1) for p in (x, z))
    return u[:, None] - w + 20 * turn


def _blotto(x: Floats, z: Floats) -> Floats:
    a, b = (np.column_stack([p, 1 - p.sum(axis=1)]) for p in (x, z))
    fields = np.tanh(8 * (a[:, None, :] - b))
    return 2 * fields @ np.array([1, 1.3, 1.6])


def _bump(p: Floats, centre: tuple[float, float], width: float) -> Floats:
    return np.exp(-((p - centre) ** 2).sum(axis=1) / (2 * width**2))


def _trap(x: Floats, z: Floats) -> Floats:
    def parts(p: Floats) -> tuple[Floats, Floats, Floats]:
        m = 1 / (1 + np.exp(-20 * (p[:, 0] - 0.5)))
        return 0.9 * _bump(p, (0.35, 0.8), 0.25), _bump(p, (0.2, 0.2), 0.18), m

    (w, s, m), (w2, s2, m2) = parts(x), parts(z)
    return w[:, None] - w2 + 6 * (s[:, None] * m2 - m[:, None] * s2)


_CIRCLES: dict[str, tuple[int, Callable[[Floats, Floats], Floats]]] = {
    "circle": (2, _circle),
    "rotation2": (2, _rotation),
    "rotation4": (4, _rotation),
    "blotto": (2, _blotto),
    "trap": (2, _trap),
}


def _draw_game(rng: np.random.Generator) -> Callable[[Floats, Floats], Floats]:
    """A game from the prior itself."""
    drawn = waves(Theta(np.full(3, 0.4), 1.0, 0.7, 3.0), rng, frequencies=300)

    def g(x: Floats, z: Floats) -> Floats:
        u, w = (wave(drawn.utility, p) @ drawn.weights for p in (x, z))
        return u[:, None] - w + wave(drawn.cyclic, x) @ drawn.skew @ wave(drawn.cyclic, z).T

    return g
