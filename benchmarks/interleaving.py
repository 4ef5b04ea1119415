"""Interleaved comparisons a CPU second: the fast kernel beside the plain one, in the same run."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from copeland.kernels import compiled
from copeland.ranking.clicks import click_model
from copeland.ranking.comparison import compare_many
from copeland.ranking.worlds import OUTCOMES, SIGN, click_world
from tests.oracles.clicks import new_plain_room, plain_many

QUERIES, DOCUMENTS, LENGTH = 200, 120, 10
MIX = (0.52, 0.32, 0.13, 0.02, 0.01)  # the grades of a web collection
FLOOR, RATIO = 2_500_000, 10
ROUNDS = 5  # the median counts: the machine may be busy


class Rankers(NamedTuple):
    """Two rankers of made-up queries, one seeing more of the grades than the other."""

    order: NDArray[np.int16]
    rank: NDArray[np.int16]
    grades: NDArray[np.int8]


def made_up(seed=0):
    """Rank by grade and noise."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(5, size=(QUERIES, DOCUMENTS), p=MIX)
    noise = rng.normal(size=(2, QUERIES, DOCUMENTS))
    order = np.argsort(-(np.array([0.3, 0.6])[:, None, None] * grades + noise), axis=2)
    rank = np.argsort(order, axis=2)
    flat = (2, QUERIES * DOCUMENTS)
    return Rankers(
        order.reshape(flat).astype(np.int16),
        rank.reshape(flat).astype(np.int16),
        grades.reshape(-1).astype(np.int8),
    )


def world_of(rankers, model, outcome):
    """What kernels compare the rankers in."""
    offsets = np.arange(QUERIES + 1) * DOCUMENTS
    return click_world(*rankers, offsets, click_model(model), outcome, LENGTH)


def rate(compare, times):
    """Comparisons a CPU second of ``compare(query, times)``, over all queries; compiled before."""
    compare(0, 1)
    rates = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for query in range(QUERIES):
            compare(query, times)
        rates.append(QUERIES * times / (time.process_time() - begin))
    return float(np.median(rates))


def fast_rate(rankers, model, outcome):
    """Comparisons a second of the kernel that estimation uses."""
    many, world = compiled(compare_many), world_of(rankers, model, outcome)
    counts, sums, rng = np.zeros(3, np.int64), np.zeros(2), np.random.default_rng(1)

    def compare(query, times):
        many(world, 0, 1, query, times, counts, sums, rng)

    return rate(compare, 2000)


def plain_rate(rankers, model):
    """Comparisons a second of the same with linear scans over all documents."""
    many, room = compiled(plain_many), new_plain_room(DOCUMENTS, LENGTH)
    world, counts = world_of(rankers, model, SIGN), np.zeros(3, np.int64)
    rng = np.random.default_rng(1)

    def compare(query, times):
        many(world, 0, 1, query, times, room, counts, rng)

    return rate(compare, 200)


def rows():
    """Every measurement with its bar."""
    rankers = made_up()
    fast = fast_rate(rankers, "informational", SIGN)
    plain = plain_rate(rankers, "informational")
    yield "interleaving, plain: comparisons a CPU second", f"{plain:,.0f}", ""
    met = "met" if fast >= FLOOR else "NOT MET"
    yield "interleaving: comparisons a CPU second", f"{fast:,.0f}", f"at least {FLOOR:,}: {met}"
    met = "met" if fast >= RATIO * plain else "NOT MET"
    yield "interleaving: ratio to plain", f"{fast / plain:.1f}", f"at least {RATIO}: {met}"
    for model in ("informational", "navigational", "perfect"):
        rates = [fast_rate(rankers, model, code) for code in OUTCOMES.values()]
        text = " / ".join(f"{value:,.0f}" for value in rates)
        yield f"{model}: comparisons a CPU second by {' / '.join(OUTCOMES)}", text, ""


def main():
    """Measure and print."""
    table = Table("what", "measured", "bar", title="Probabilistic interleaving, lists of 10")
    for row in rows():
        table.add_row(*row)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
