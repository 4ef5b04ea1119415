"""From ranked documents to the best ranker: estimate a matrix from clicks, then find its winner online.

Run it: python examples/best_ranker.py
"""

import tempfile

import copeland
from copeland.ranking import all_features, synthetic
from copeland.ranking.clicks import click_model
from copeland.ranking.estimation import Protocol, estimate
from copeland.ranking.live import click_problem


def main() -> None:
    """Compare eight features as rankers."""
    collection = synthetic(queries=60, documents=20, features=8, seed=1)
    rankers = all_features(collection)
    protocol = Protocol(click_model("informational"), comparisons=20_000)
    with tempfile.TemporaryDirectory() as folder:
        found = estimate(collection, rankers, protocol, folder, seed=1)
    matrix = found.matrix(name="features by clicks")
    best = [matrix.labels[i] for i in copeland.winners.copeland_winners(matrix)]
    print(f"By {found.n.max():,} interleaved comparisons of each pair: {', '.join(best)}.")
    print(f"Largest standard error: {found.standard_errors().max():.4f}.")

    # The same question asked online: an algorithm chooses whom to interleave, clicks answer.
    problem = click_problem(collection, rankers, protocol, matrix, seed=1)
    runs = copeland.simulate(problem, ["ccb", "dts-plus"], horizon=100_000, runs=3)
    for row in runs.summary():
        print(
            f"{row['algorithm']:9} {row['comparisons']:9,.0f} lists with two rankers, "
            f"right in {row['correct']:.0%} of the runs"
        )


if __name__ == "__main__":
    main()
