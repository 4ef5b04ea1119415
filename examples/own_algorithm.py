"""Write an algorithm of your own, hold it to the shared checks, and compare it with CCB.

Run it: python examples/own_algorithm.py
On the command line: copeland simulate cyclic-4 -a ccb -a examples/own_algorithm.py:LEADER --horizon 1e4

In a package of yours, these lines of pyproject.toml make it known as "leader" wherever both packages are installed:

    [project.entry-points."copeland.algorithms"]
    leader = "your_package.your_module:LEADER"
"""

from typing import NamedTuple

import numpy as np

import copeland
from copeland.kernels import kernel, pick
from copeland.testing import check_algorithm


class State(NamedTuple):
    """Wins of each option over each other."""

    wins: np.ndarray


def init(k: int) -> State:
    """Begin with no duels."""
    return State(wins=np.zeros((k, k), np.int64))


@kernel
def leader(state):
    """Return the option with the most wins."""
    best, most = 0, -(2**62)
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


LEADER = copeland.Algorithm(
    name="leader",
    paper="this example",
    summary="The leader against everybody",
    target="borda",
    init=init,
    select=select,
    update=update,
    recommend=leader,
)


def main() -> None:
    """Check it, compare it, ask it."""
    check_algorithm(LEADER)  # raises AssertionError, and says why, if something is wrong
    runs = copeland.simulate("cyclic-4", ["ccb", LEADER], horizon=10_000, runs=10, jobs=2)
    for row in runs.summary():
        print(f"{row['algorithm']:8} mean regret {row['mean']:8.1f}, correct {row['correct']:.0%}")

    policy = copeland.Policy(LEADER, k=3, seed=7)
    for _ in range(100):
        duel = policy.ask()
        policy.tell(duel, winner=max(duel.first, duel.second))
    print(f"live, it names option {policy.recommend()}")


if __name__ == "__main__":
    main()
