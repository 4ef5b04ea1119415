"""Choose the best of five designs from votes, one duel at a time, and survive a restart.

Run it: python examples/ask_and_tell.py
"""

import numpy as np

import copeland

DESIGNS = ["plain", "bold", "dark", "round", "retro"]

# What the voters think, which in life nobody knows: plain > bold > dark > plain, all beat the others.
TASTE = copeland.PreferenceMatrix(
    [
        [0.5, 0.7, 0.3, 0.8, 0.8],
        [0.3, 0.5, 0.7, 0.8, 0.9],
        [0.7, 0.3, 0.5, 0.7, 0.8],
        [0.2, 0.2, 0.3, 0.5, 0.6],
        [0.2, 0.1, 0.2, 0.4, 0.5],
    ],
    labels=DESIGNS,
)


def vote(first: int, second: int, voter: np.random.Generator) -> int:
    """Let a voter choose."""
    return first if voter.random() < TASTE.p[first, second] else second


def main() -> None:
    """Ask for duels until the solver is sure."""
    voter = np.random.default_rng(1)
    policy = copeland.Policy("copeland-pac", k=len(DESIGNS), seed=1, delta=0.05)
    votes = 0
    while not policy.finished:
        duel = policy.ask()
        policy.tell(duel, winner=vote(duel.first, duel.second, voter))
        votes += 1
        if votes == 100:  # the server restarts: save, load, go on
            policy = copeland.Policy.load(policy.dump())
    best = DESIGNS[policy.recommend()]
    print(f"After {votes} votes: {best} is a Copeland winner, with confidence 95 %.")
    tied = [DESIGNS[i] for i in copeland.winners.copeland_winners(TASTE)]
    print(f"In truth {', '.join(tied)} are tied for first, in a cycle.")


if __name__ == "__main__":
    main()
