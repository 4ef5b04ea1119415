"""How often clusters of test cases prove something false, and how many calls a proof takes: `python -m benchmarks.false_clusters`.

Two options. In an A/A comparison neither is ahead; each cluster has a verdict of its own, which each of its cases repeats with some
probability, and says otherwise at random. Both sides are looked at after every cluster, and, where cases count as if they were alone, in an
order of their own and after every case, as gates did before.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from copeland.certificate.cluster_evidence import (
    BETS,
    CASES,
    EQUAL,
    LOG_SHARES,
    Clusters,
    ClusterVotes,
)
from copeland.certificate.samples import log_evidence_of_votes
from copeland.support.rng import stream

DELTA = 0.05
LEVEL = math.log(2 / DELTA)  # of each of two claims
RUNS = 2_000


@dataclass(frozen=True)
class World:
    """Clusters of test cases and what is said of them: the second half of ``sizes`` is for clusters that are lost."""

    name: str
    clusters: int
    sizes: tuple[int, int]  # of a cluster whose own verdict is a win, and of one that is lost
    repeats: float  # the probability that a case repeats the verdict of its cluster
    wins: float = 0.5  # of verdicts that name a winner
    ties: float = 0.3
    weight: str = CASES
    these: bool = False  # without replacement, from clusters that are even

    @property
    def fixed(self) -> Clusters:
        """What is fixed beforehand."""
        return Clusters(self.clusters, max(self.sizes), self.weight)


def even(name: str, clusters: int, size: int, repeats: float) -> World:
    """Return a world in which neither option is ahead."""
    return World(f"{name}, {clusters} x {size}", clusters, (size, size), repeats)


def worlds() -> list[World]:
    """Return what is measured for false claims."""
    sizes = ((40, 5), (40, 3), (100, 3))
    return [
        *(even("all cases of a cluster agree", *size, 1.0) for size in sizes),
        *(even("half of the cases repeat their cluster", *size, 0.5) for size in sizes),
        *(even("cases independent of each other", *size, 0.0) for size in sizes),
        # Of the mean over cases: clusters of 1 are won five times as often as clusters of 5 are lost.
        World("won clusters have 1 case, lost ones 5", 100, (1, 5), 1.0, wins=5 / 6, ties=0.0),
        World("the same, every cluster counting the same", 100, (1, 5), 1.0, 0.5, 0.0, EQUAL),
        World(
            "exactly these, even, every cluster counting the same", 40, (1, 5), 1.0, 0.5, 0.0, EQUAL, True
        ),
    ]  # fmt: skip


def draw(world: World, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return what is said of each case, runs x clusters x cases: 1, 0 or -1 of the first option, or 2 where there is no case."""
    shape = (runs, world.clusters, max(world.sizes))
    if world.these:  # as many won as lost, in a random order
        own = np.repeat([1, -1], world.clusters // 2)[None].repeat(runs, axis=0)
        own = rng.permuted(own, axis=1)
    else:
        own = _verdicts(world, shape[:2], rng)
    said = np.where(
        rng.random(shape) < world.repeats, own[:, :, None], _verdicts(world, shape, rng)
    )
    size = np.where(own > 0, *world.sizes)
    return np.where(np.arange(shape[2]) < size[:, :, None], said, 2)


def _verdicts(world: World, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    winner = np.where(rng.random(shape) < world.wins, 1, -1)
    return np.where(rng.random(shape) < world.ties, 0, winner)


def weigh(world: World, said: np.ndarray) -> np.ndarray:
    """Return ln E for the first option after each cluster, runs x clusters, of clusters like these."""
    size = (said != 2).sum(axis=2)
    lead = np.where(said == 2, 0, said).sum(axis=2)
    y = lead / (max(world.sizes) if world.weight == CASES else size)
    logs = np.log1p(BETS * y[:, :, None]).cumsum(axis=1)
    return np.logaddexp.reduce(logs + LOG_SHARES, axis=2)


def weigh_one(world: World, said: np.ndarray) -> np.ndarray:
    """Return the same of one run, by the package: clusters x cases in, clusters x the two options out."""
    rows = np.array([_row(one) for one in said.tolist()], np.int64)
    votes = [ClusterVotes(world.fixed, rows[: n + 1], exact=world.these) for n in range(len(rows))]
    tables = [one.find_evidence(2, 0.0) for one in votes]
    return np.array([(table[0, 1], table[1, 0]) for table in tables])


def _row(cases: list[int]) -> tuple[int, ...]:
    return 0, 1, cases.count(1), cases.count(-1), cases.count(0), 0, 0, 1


def weigh_as_cases(said: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return ln E for the first option after each case, if each were a unit of its own: runs x cases."""
    every = rng.permuted(said.reshape(len(said), -1), axis=1)
    wins, losses, ties = ((every == one).cumsum(axis=1) for one in (1, -1, 0))
    return log_evidence_of_votes(wins, losses, ties, 0.0)


def share_false(world: World, runs: int = RUNS, seed: int = 0) -> tuple[float, float]:
    """Return how often a claim is made although neither option is ahead: by clusters, and by cases."""
    rng = stream(seed, "false-clusters", world.name)
    said = draw(world, runs, rng)
    swapped = np.where(said == 2, 2, -said)
    if world.these:
        claims = np.array([weigh_one(world, one).max() >= LEVEL for one in said])
    else:
        claims = np.maximum(weigh(world, said), weigh(world, swapped)).max(axis=1) >= LEVEL
    order = int(rng.integers(2**31))
    alone = np.zeros(runs, bool)
    for one in (said, swapped):
        alone |= weigh_as_cases(one, np.random.default_rng(order)).max(axis=1) >= LEVEL
    return float(claims.mean()), float(alone.mean())


def count_calls(world: World, runs: int = RUNS, seed: int = 0) -> tuple[float, float, float]:
    """Return the mean calls until the first option is proved better: by clusters, by cases, and with one case a cluster.

    The second is a proof only if cases are independent of each other. Who proves nothing makes all calls.
    """
    rng = stream(seed, "calls-of-clusters", world.name)
    said = draw(world, runs, rng)
    size = max(world.sizes)
    by_cluster = _mean_time(weigh(world, said)) * size
    single = _mean_time(weigh_as_cases(said[:, :, :1], rng))
    return by_cluster, _mean_time(weigh_as_cases(said, rng)), single


def _mean_time(found: np.ndarray) -> float:
    """The mean time at which the evidence is first at the level."""
    hit = found >= LEVEL
    return float(np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, hit.shape[1]).mean())


def races() -> list[World]:
    """Return what is measured for calls: 400 clusters of 5, 65 : 35 with 20 % ties."""
    named = (("all agree", 1.0), ("half repeat", 0.5), ("independent", 0.0))
    return [World(name, 400, (5, 5), repeats, 0.65, 0.2) for name, repeats in named]


def false_clusters(runs: int = RUNS) -> Iterator[str]:
    """How often clusters of test cases prove something false, and how many calls a proof takes."""
    yield "| neither option is ahead | false claims | if cases counted as units |"
    yield "|---|---|---|"
    for world in worlds():
        told = [_share(one) for one in share_false(world, runs)]
        yield f"| {world.name} | {told[0]} | {told[1]} |"
    yield ""
    yield "| 65 : 35 with 20 % ties, clusters of 5 | calls by clusters | if cases counted as units | calls with one case a cluster |"
    yield "|---|---|---|---|"
    for world in races():
        told = [f"{calls:,.0f}" for calls in count_calls(world, runs)]
        yield f"| {world.name} | {told[0]} | {told[1]} | {told[2]} |"


def _share(rate: float) -> str:
    return f"{rate:.4f}".rstrip("0").rstrip(".")


def main() -> None:
    """Print the tables, of fewer runs if so told."""
    for line in false_clusters(*map(int, sys.argv[1:2])):
        print(line, flush=True)


if __name__ == "__main__":
    main()
