"""Tune the weights of a search ranker by clicks: two settings are interleaved, and users' clicks say which is better.

Run it: python examples/tune_ranker.py
"""

import numpy as np

import copeland
from copeland.ranking import rankings, synthetic
from copeland.ranking.clicks import click_model
from copeland.ranking.estimation import Protocol, world_of
from copeland.ranking.interleaved_comparison import compare_once
from copeland.ranking.rankers import function

COLLECTION = synthetic(queries=80, documents=12, features=12, seed=3)
PROTOCOL = Protocol(click_model("informational"), comparisons=1)
SPACE = copeland.Space({f"w{i}": copeland.Real(-1, 1) for i in (1, 2, 3)})
LISTS = 150  # shown for one vote


def ranker(name, point):
    """A ranker that adds features up by their weights."""
    weights = np.array([point[f"w{i}"] for i in (1, 2, 3)])
    return function(name, lambda documents: documents[:, :3] @ weights)


def vote(duel, users):
    """Show interleaved lists of two rankers to some users; who gets more clicks wins."""
    both = [ranker("first", duel.first), ranker("second", duel.second)]
    world = world_of(COLLECTION, both, PROTOCOL, 0).under(PROTOCOL)
    queries = users.integers(len(world.offsets) - 1, size=LISTS)
    lead = sum(np.sign(compare_once(world, 0, 1, q, users)) for q in queries)
    return None if lead == 0 else duel.first if lead > 0 else duel.second


def quality(point):
    """The mean grade of the three first documents, which the clicks do not know."""
    (order,) = rankings(COLLECTION, [ranker("it", point)])
    starts = COLLECTION.offsets[:-1]
    return float(np.mean([COLLECTION.grades[s + order[s : s + 3]].mean() for s in starts]))


def main() -> None:
    """Ask for 60 votes and look at what they found."""
    users, tuner = np.random.default_rng(1), copeland.Tuner(SPACE, seed=1)
    for _ in range(60):
        duel = tuner.ask()
        tuner.tell(duel, winner=vote(duel, users))
    found = tuner.recommend()
    shown = ", ".join(f"{name} {value:+.2f}" for name, value in found.point.items())
    print(f"After {tuner.votes} votes of {LISTS} lists each: {shown}.")
    alone = [quality({f"w{i}": float(i == one) for i in (1, 2, 3)}) for one in (1, 2, 3)]
    print(
        f"Mean grade at the top: {quality(found.point):.2f}; by one feature alone, {max(alone):.2f} at best."
    )


if __name__ == "__main__":
    main()
