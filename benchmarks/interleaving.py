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
from copeland.ranking.comparison_arrays import OUTCOMES, SCORE_TIES, SIGN, click_world
from copeland.ranking.estimation import compare_pair
from tests.oracles.clicks import new_plain_room, plain_many

QUERIES, DOCUMENTS, LENGTH = 200, 120, 10
MIX = (0.52, 0.32, 0.13, 0.02, 0.01)  # the grades of a web collection
FLOOR, RATIO = 2_500_000, 10
TIES_FLOOR = 2_000_000  # whenever equal scores are ordered
ROUNDS = 5  # the median counts: the machine may be busy


class Rankers(NamedTuple):
    """Two rankers of made-up queries, one seeing more of the grades than the other."""

    order: NDArray[np.int16]
    rank: NDArray[np.int16]
    grades: NDArray[np.int8]
    tied: NDArray[np.int16]


def made_up(seed=0, levels=0):
    """Rank by grade and noise; with ``levels`` so many values to a unit, so that scores tie."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(5, size=(QUERIES, DOCUMENTS), p=MIX)
    noise = rng.normal(size=(2, QUERIES, DOCUMENTS))
    scores = np.array([0.3, 0.6])[:, None, None] * grades + noise
    scores = -(np.round(levels * scores) if levels else scores)
    order = np.argsort(scores, axis=2, kind="stable")
    rank = np.argsort(order, axis=2)
    ranked = np.sort(scores, axis=2)
    tied = (ranked[..., :, None] > ranked[..., None, :]).sum(axis=3)
    flat = (2, QUERIES * DOCUMENTS)
    tables = [table.reshape(flat).astype(np.int16) for table in (order, rank, tied)]
    return Rankers(*tables[:2], grades.reshape(-1).astype(np.int8), tables[2])


def world_of(rankers, model, outcome, mode="frozen"):
    """What kernels compare the rankers in."""
    offsets = np.arange(QUERIES + 1) * DOCUMENTS
    *tables, tied = rankers
    ties = {"tied": tied, "ties": SCORE_TIES[mode]}
    return click_world(*tables, offsets, click_model(model), outcome, LENGTH, **ties)


def rate(compare, n):
    """Comparisons a CPU second of ``compare(n)``; compiled before."""
    compare(QUERIES)
    rates = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        compare(n)
        rates.append(n / (time.process_time() - begin))
    return float(np.median(rates))


def fast_rate(rankers, model, outcome, mode="frozen"):
    """Comparisons a second of the kernel that estimation uses."""
    pair, world = compiled(compare_pair), world_of(rankers, model, outcome, mode)
    counts, sums, rng = np.zeros(3, np.int64), np.zeros(2), np.random.default_rng(1)
    return rate(lambda n: pair(world, 0, 1, n, counts, sums, rng), 400_000)


def plain_rate(rankers, model):
    """Comparisons a second of the same with linear scans over all documents."""
    many, room = compiled(plain_many), new_plain_room(DOCUMENTS, LENGTH)
    world, counts = world_of(rankers, model, SIGN), np.zeros(3, np.int64)
    rng = np.random.default_rng(1)

    def compare(n):
        for query in range(QUERIES):
            many(world, 0, 1, query, n // QUERIES, room, counts, rng)

    return rate(compare, 40_000)


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
    some = made_up(levels=4)  # about ten documents of a query share a score
    for mode in SCORE_TIES:
        value = fast_rate(some, "informational", SIGN, mode)
        met = "met" if value >= TIES_FLOOR else "NOT MET"
        yield (
            f"ties {mode}: comparisons a CPU second",
            f"{value:,.0f}",
            f"at least {TIES_FLOOR:,}: {met}",
        )
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
