"""Until an option is likely best: whether one is, and how many votes it takes in a known world.

The chance is that of :mod:`copeland.forecast.plausible_worlds`: an estimate, as good as the belief that is stated
there. What it is worth is measured in docs/verdicts.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from copeland.certificate.certificate import certify
from copeland.forecast.planner_race import Ended, PlannedRace
from copeland.forecast.plausible_worlds import chances_of
from copeland.forecast.start import PLANNED, Counts, Probabilities, Start
from copeland.support.rng import stream

QUICK = 400  # worlds of a quick look
NEAR = 0.05  # a quick look that is lower by so much is enough to say no
STRIDE = 1.15  # a race looks again when there are so many times as many votes


class Favourite(NamedTuple):
    """Who is likeliest to be best, and the chance, ties for first shared."""

    option: int
    chance: float


def favourite_of(
    wins: Counts, ties: Counts, margin: float = 0.0, least: float = 0.0, seed: int = 0
) -> Favourite | None:
    """Return who is likeliest to be best; None if that is less than ``least``.

    The chance is that of :func:`copeland.forecast.plausible_worlds.chances_of`; where a quick look shows that it is
    far below ``least``, no more is drawn.

    Examples
    --------
    >>> found = favourite_of(np.array([[0, 30], [10, 0]]), np.zeros((2, 2), int))
    >>> found.option, found.chance > 0.99
    (0, True)
    """
    if max(chances_of(wins, ties, margin, seed=seed, most=QUICK).each) < least - NEAR:
        return None
    chances = chances_of(wins, ties, margin, seed=seed).each
    option = int(np.argmax(chances))
    return Favourite(option, chances[option]) if chances[option] >= least else None


def votes_to_likely(
    way: str,
    start: Start,
    p: Probabilities,
    tie: Probabilities,
    most: int,
    key: tuple[int, ...],
    least: float,
) -> Ended:
    """Return how a race ends that goes on until an option's chance to be best is ``least``.

    It ends, too, where an option is proved best. A race looks at the chances now and then, so it
    sees that up to a seventh of all votes too late.
    """
    wins, ties = start.wins, start.ties
    course = _run_planner if way == PLANNED else _run_list
    for votes, wins, ties in course(way, start, p, tie, most, key):
        if is_enough(start, wins, ties, least, key):
            return Ended(votes, True, wins + wins.T + ties)
    return Ended(most, False, wins + wins.T + ties)


def is_enough(
    start: Start, wins: Counts, ties: Counts, least: float, key: tuple[int, ...] = (0,)
) -> bool:
    """Tell whether an option is likely best, or proved."""
    if max(chances_of(wins, ties, start.margin, seed=key[-1], most=QUICK).each) >= least:
        return True
    terms = {"delta": start.delta, "margin": start.margin, "epoch": start.epoch}
    found = certify(wins, ties, **terms, voters="dependent" if start.dependent else "independent")
    return bool(found.best)


def looks(votes: int, most: int) -> Iterator[int]:
    """Yield at how many votes of a race to look, with so many before it.

    Examples
    --------
    >>> list(looks(0, 12)), list(looks(100, 40))
    ([0, 1, 2, 3, 4, 5, 6, 7, 9, 11], [0, 15, 33])
    """
    after = 0
    while after < most:
        yield after
        after = max(after + 1, math.ceil((votes + after) * STRIDE - 1e-9) - votes)


_Course = Iterator[tuple[int, Counts, Counts]]


def _run_planner(
    way: str, start: Start, p: Probabilities, tie: Probabilities, most: int, key: tuple[int, ...]
) -> _Course:
    race = PlannedRace(start, p, tie, key)
    for look in looks(start.votes, most):
        race.run(look)
        yield (race.votes, *race.counts())


def _run_list(
    way: str, start: Start, p: Probabilities, tie: Probabilities, most: int, key: tuple[int, ...]
) -> _Course:
    """Votes on all pairs in turn, or on random ones: only their numbers matter between looks."""
    wins, ties = start.wins.copy(), start.ties.copy()
    noise, pairs, before = stream(*key, "likely", way), start.pairs, 0
    i, j = pairs.T
    even = tie[i, j]
    chances = np.stack([p[i, j] - even / 2, even, 1 - p[i, j] - even / 2], axis=1).clip(0, 1)
    for look in looks(start.votes, most):
        if way == "random":
            n = noise.multinomial(look - before, np.full(len(pairs), 1 / len(pairs)))
        else:
            n = _in_turn(look, len(pairs)) - _in_turn(before, len(pairs))
        won, tied, lost = noise.multinomial(n, chances / chances.sum(axis=1, keepdims=True)).T
        wins[i, j] += won
        wins[j, i] += lost
        ties[i, j] += tied
        ties[j, i] += tied
        before = look
        yield look, wins, ties


def _in_turn(votes: int, pairs: int) -> Counts:
    """How many of the first votes go to each pair."""
    return votes // pairs + (np.arange(pairs) < votes % pairs)
