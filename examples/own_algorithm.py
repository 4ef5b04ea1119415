"""Write an algorithm of your own, hold it to the shared checks, and compare it with CCB.

Run it: python examples/own_algorithm.py
"""

from typing import NamedTuple

import numpy as np

import copeland
from copeland.kernels import kernel, pick


class State(NamedTuple):
    """Wins of each option over each other."""

    wins: np.ndarray


def init(k: int) -> State:
    """Begin with no duels."""
    return State(wins=np.zeros((k, k), np.int64))


@kernel
def leader(state):
    """Return the option with the most wins."""
    best, most = 0, -1
    for i in range(len(state.wins)):
        won = 0
        for j in range(len(state.wins)):
            won += state.wins[i, j] - state.wins[j, i]
        if won > most:
            best, most = i, won
    return best


@kernel
def select(state, t, rng):
    """Every tenth duel is random; else the leader meets a random option."""
    k = len(state.wins)
    first = pick(rng, k) if rng.random() < 0.1 else leader(state)
    second = pick(rng, k - 1)
    return first, second + int(second >= first)


@kernel
def update(state, winner, loser, rng):
    """Count the win."""
    state.wins[winner, loser] += 1


copeland.register(
    copeland.Algorithm(
        name="leader",
        paper="this example",
        summary="the leader against everybody",
        target="borda",
        init=init,
        select=select,
        update=update,
        recommend=leader,
    )
)


def main() -> None:
    """Check it, then compare it."""
    from copeland.testing.checks import check_compiled_equals_interpreted, check_select_is_pure

    algorithm = copeland.policy.find("leader")
    check_select_is_pure(algorithm)
    check_compiled_equals_interpreted(algorithm)
    runs = copeland.simulate("cyclic-4", ["ccb", "leader"], horizon=10_000, runs=10)
    for row in runs.summary():
        print(f"{row['algorithm']:8} mean regret {row['mean']:8.1f}, correct {row['correct']:.0%}")


if __name__ == "__main__":
    main()
