"""How many studies name a wrong option as likely best: `python -m benchmarks.likely [runs]`.

A study is run by cpc-pac on a known matrix until an option's chance to be best is LEAST. The first families
are what the chances believe, or near it; the others are not. The chances are looked at after every vote up to
25, and then each time that there are 4 % more votes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import copeland
from copeland.forecast.plausible_worlds import belief_of, best_in, favourite_of, worlds
from copeland.forecast.races import PlannedRace
from copeland.forecast.start import new_start
from copeland.support.rng import stream

LEAST = 0.95
RUNS = 60
MOST = 1_500  # votes
Draw = Callable[[np.random.Generator], np.ndarray]


def believed(k: int) -> Draw:
    """Worlds as the chances believe them to be before any vote."""
    none = np.zeros((k, k), np.int64)
    return lambda rng: next(worlds(belief_of(none, none), 1, rng))


def strengths(k: int, spread: float) -> Draw:
    """Bradley and Terry: strengths, and no pair deviates."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        s = rng.normal(0, spread, k)
        return 1 / (1 + np.exp(s - s[:, None]))

    return draw


def uniform(k: int) -> Draw:
    """Every pair is drawn by itself: there are no strengths."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        return _whole(rng.random((k, k)))

    return draw


def near_tie(k: int, lead: float) -> Draw:
    """Two options beat the others 70 : 30, and one of them the other by hardly anything."""
    p = np.full((k, k), 0.5)
    p[:2, 2:] = 0.7
    p[0, 1] += lead
    return lambda rng: _whole(p)


def close_order(k: int, lead: float) -> Draw:
    """Every option beats those after it by the same little."""
    return lambda rng: _whole(np.full((k, k), 0.5 + lead))


def circle(k: int) -> Draw:
    """The best three beat each other in a circle, 60 : 40, and the others 70 : 30: three are best."""
    p = np.full((k, k), 0.5)
    p[:3, 3:] = 0.7
    p[0, 1], p[1, 2], p[0, 2] = 0.6, 0.6, 0.4
    return lambda rng: _whole(p)


def unloved(k: int) -> Draw:
    """The best option beats every other 53 : 47, the second beats all the rest 80 : 20."""
    p = np.full((k, k), 0.5)
    p[0, 1:], p[1, 2:] = 0.53, 0.8
    return lambda rng: _whole(p)


def known(name: str) -> Draw:
    """A matrix that is printed in a paper."""
    return lambda rng: copeland.load(name).p


def _whole(p: np.ndarray) -> np.ndarray:
    """The matrix whose upper half this is."""
    above = np.triu(p, 1)
    return above + np.tril(1 - above.T, -1) + np.eye(len(p)) / 2


FAMILIES: dict[str, Draw] = {
    "the belief itself, 5 options": believed(5),
    "the belief itself, 10 options": believed(10),
    "strengths alone (spread 0.5), 10 options": strengths(10, 0.5),
    "every pair by itself, uniform, 8 options": uniform(8),
    "the best two 51 : 49, 5 options": near_tie(5, 0.01),
    "the best two 55 : 45, 5 options": near_tie(5, 0.05),
    "every option 52 : 48 over the next, 5 options": close_order(5, 0.02),
    "the best three in a cycle, 6 options": circle(6),
    "the best narrowly over all, 6 options": unloved(6),
    "`mslr-5`": known("mslr-5"),
    "`arxiv-6`": known("arxiv-6"),
    "`cyclic-4`": known("cyclic-4"),
}


class Course(NamedTuple):
    """How one study went."""

    votes: float  # until an option was likely best; not a number if none was
    right: bool
    loss: float  # how far the option named falls behind the best that beats it, if it is wrong
    proof: float  # votes until one is proved best, infinite if that took over MOST


def course(draw: Draw, name: str, run: int) -> Course:
    """Run a study until an option is likely best."""
    p = draw(stream(run, "likely", name))
    p = _shuffled(p, stream(run, "order", name))
    tie, start = np.zeros_like(p), new_start(len(p), epoch=1)
    proof = PlannedRace(start, p, tie, (run, 1))
    proof.run(MOST)
    cost = proof.votes if proof.is_proved else np.inf
    race = PlannedRace(start, p, tie, (run,))
    for look in _looks():
        race.run(look)
        found = favourite_of(*race.counts(), least=LEAST, seed=run)
        if found is not None:
            right = bool(best_in(p)[found.option])
            loss = 0.0 if right else float(0.5 - p[found.option].min())
            return Course(race.votes, right, loss, cost)
        if race.is_proved:
            break
    return Course(np.nan, False, 0.0, cost)


def _shuffled(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    order = rng.permutation(len(p))
    return p[np.ix_(order, order)]


def _looks() -> Iterator[int]:
    look = 1
    while look < MOST:
        yield look
        look += max(1, look // 25)


def likely(runs: int = RUNS, families: tuple[str, ...] = tuple(FAMILIES)) -> Iterator[str]:
    """How many studies name a wrong option as likely best."""
    yield "## Likely best"
    yield (
        f"Each row is {runs} studies. `cpc-pac` runs each until an option's chance to be best is {LEAST:.0%}, for {MOST:,} votes at most. "
        "*Named*: how many name an option before a proof. *Wrong*: how many name one that is not best, of all "
        "studies. *Behind*: how far a wrong option "
        "is below 1/2 against the one that beats it most, median. *Votes*: medians, until one is named and until one is proved best."
    )
    yield ""
    yield "| matrices | named | wrong names over all studies | behind, if wrong | votes until likely | until proved |"
    yield "|---|---|---|---|---|---|"
    for name in families:
        yield _row(name, [course(FAMILIES[name], name, run) for run in range(runs)])


def _row(name: str, courses: list[Course]) -> str:
    ended = [one for one in courses if not np.isnan(one.votes)]
    losses = [one.loss for one in ended if not one.right]
    proof = np.quantile([one.proof for one in courses], 0.5, method="inverted_cdf")
    cells = [
        f"{len(ended)}",
        f"{len(losses)} of {len(courses)}",
        f"{np.median(losses):.3f}" if losses else "-",
        f"{np.median([one.votes for one in ended]):,.0f}" if ended else "-",
        f"{proof:,.0f}" if np.isfinite(proof) else f"over {MOST:,}",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, of another number of runs if so told."""
    for line in likely(*map(int, sys.argv[1:2])):
        print(line, flush=True)


if __name__ == "__main__":
    main()
