"""What an ask costs after 500 votes: `python -m benchmarks.tuning_cost PROBLEM`, in a process of its own for its memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np

from benchmarks.continuous_games import game
from copeland.tuning import Tuner

PAIRS = 500
PROBLEMS = ("circle", "rotation4")
_ASKS = 16


def cost(problem):
    """Milliseconds of asks, seconds of a recommendation and the most memory, with random pairs as votes."""
    world, rng = game(problem), np.random.default_rng(0)
    tuner = Tuner(world.space, seed=0)
    for x, z in world.space.spread(2 * (PAIRS - _ASKS), rng).reshape(-1, 2, world.space.d):
        first, second = world.space.point(x), world.space.point(z)
        tuner.add(first, second, first if rng.random() < world.chance(x, z) else second)
    tuner.ask(4)
    asks = [_timed(lambda: tuner.tell(tuner.ask(), None)) for _ in range(_ASKS)]
    recommended = _timed(tuner.recommend)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "median": 1000 * float(np.median(asks)),
        "longest": 1000 * max(asks),
        "recommend": recommended,
        "memory": memory,
    }


def _timed(work):
    began = time.process_time()
    work()
    return time.process_time() - began


def costs():
    """The costs of each problem, in sentences."""
    for problem in PROBLEMS:
        words = [sys.executable, "-m", "benchmarks.tuning_cost", problem]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        yield (
            f"`{problem}`, {PAIRS} distinct pairs: an ask takes {found['median']:.0f} ms of CPU in the median and "
            f"{found['longest']:.0f} ms at most of {_ASKS}, a recommendation {found['recommend']:.1f} s; the "
            f"process takes {found['memory']:.0f} MiB at most."
        )


if __name__ == "__main__":
    print(json.dumps(cost(sys.argv[1])))
