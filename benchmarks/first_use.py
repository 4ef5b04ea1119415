"""What somebody waits for who uses an algorithm for the first time on a machine: `python -m benchmarks.first_use`.

Each command runs with an empty folder of compiled code. Times of the processor are those of the whole command.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import numpy as np

import copeland
from copeland.policy import warm
from copeland.study import Ballot

RUNS, HORIZON, PROBLEM = 1000, "1e6", "mslr-5"
OPTIONS, QUESTIONS = 50, 2000


class First(NamedTuple):
    """A first simulation of an algorithm, in seconds."""

    sign: float  # until something was said
    processor: float
    again: float  # of the processor, the second time


def first_use(algorithm: str, runs: int = RUNS) -> First:
    """Simulate an algorithm twice, the first time without anything compiled."""
    with tempfile.TemporaryDirectory() as folder:
        sign, processor = _simulate(algorithm, runs, folder)
        return First(sign, processor, _simulate(algorithm, runs, folder)[1])


def _simulate(algorithm: str, runs: int, folder: str) -> tuple[float, float]:
    """Seconds until the first line on standard error, and of the processor."""
    words = ["simulate", PROBLEM, "-a", algorithm, "--horizon", HORIZON, "--runs", str(runs)]
    main = "import sys; from copeland.cli import main; sys.exit(main())"
    before, start = _children(), time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", main, *words],
        env={**os.environ, "NUMBA_CACHE_DIR": folder},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stderr is not None
        command.stderr.readline()
        sign = time.perf_counter() - start
        command.communicate()
    return sign, _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def questions(k: int = OPTIONS, n: int = QUESTIONS) -> np.ndarray:
    """Milliseconds of the processor for each question of a study, once its planner is compiled."""
    warm()
    study = copeland.create_study(
        "first use", [f"option {i}" for i in range(k)], seed=1, voters="independent"
    )
    rng, took = np.random.default_rng(1), []
    for number in range(n):
        start = time.process_time()
        ballot = study.ask(f"voter {number}")
        assert isinstance(ballot, Ballot)
        took.append(1000 * (time.process_time() - start))
        study.tell(
            ballot, "left" if (rng.random() < 0.7) == (ballot.left < ballot.right) else "right"
        )
    return np.array(took)


def main() -> None:
    """Print what was measured."""
    for algorithm in sys.argv[1:] or ["cpc", "cpc-pac", "ccb", "scb", "dts"]:
        first = first_use(algorithm)
        print(
            f"{algorithm}: first word after {first.sign:.1f} s, {RUNS} runs on {PROBLEM} to {HORIZON}"
            f" in {first.processor:.1f} s of CPU, the second time {first.again:.1f} s",
            flush=True,
        )
    took = questions()
    high = np.quantile(took, 0.99)
    print(
        f"a question of {OPTIONS} options: {took.mean():.2f} ms in the mean, 99 % within {high:.1f} ms"
    )


if __name__ == "__main__":
    main()
