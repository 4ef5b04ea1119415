"""200 duels of every algorithm, as they were: a change of seeds, draws or rules shows as a diff.

`make golden` writes the traces anew; do that only on purpose, and read the diff.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import copeland
from copeland import Policy
from copeland.registry import algorithms

FOLDER = Path(__file__).parent / "golden"


def trace(name):
    matrix = copeland.load("mslr-5-condorcet")
    algorithm = algorithms()[name]
    policy = Policy(name, k=5, seed=1, horizon=200 if algorithm.needs_horizon else None)
    luck = np.random.default_rng(1)
    duels = []
    for _ in range(200):
        duel = policy.ask()
        first_wins = luck.random() < matrix.p[duel.first, duel.second]
        policy.tell(duel, winner=duel.first if first_wins else duel.second)
        duels.append(f"{duel.first}{duel.second}")
    return {"duels": " ".join(duels), "recommendation": policy.recommend()}


@pytest.mark.parametrize("name", algorithms())
def test_the_duels_are_those_of_the_golden_trace(name):
    file = FOLDER / f"{name}.json"
    if os.environ.get("COPELAND_WRITE_GOLDEN") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(trace(name), indent=1) + "\n")
    assert file.is_file(), f"{name} has no golden trace; `make golden` writes it"
    assert trace(name) == json.loads(file.read_text())
