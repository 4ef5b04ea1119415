"""`python -m benchmarks.curves`: the regret of every algorithm on a standard problem, kept for its page of the docs.

With names, only these are run again; the others stay.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import copeland
from copeland.registry import algorithms
from copeland.theory.lower_bounds import lower_regret

KEPT = Path(__file__).parent.parent / "docs" / "figures" / "curves.json"
PROBLEMS = {False: "mslr-5", True: "mslr-5-condorcet"}  # by whether a Condorcet winner is assumed
BESIDE = ("cpc", "random")  # shown beside every other, on both problems
MARKS = [round(10 ** (power / 4)) for power in range(8, 25)]
RUNS, SEED = 20, 0


def problems_of(name: str) -> list[str]:
    """The problems on which an algorithm is run."""
    own = PROBLEMS[algorithms()[name].assumes_condorcet]
    return list(PROBLEMS.values()) if name in BESIDE else [own]


def curve(name: str, problem: str) -> dict[str, list[float]]:
    """Its mean regret at the marks, and between what 90 % of the runs were."""
    runs = copeland.simulate(problem, name, MARKS[-1], RUNS, SEED, marks=MARKS)
    found = runs.curves[0]
    low, high = np.quantile(found.regret, [0.05, 0.95], axis=0)
    mean = found.regret.mean(axis=0)
    return {key: _short(x) for key, x in (("mean", mean), ("low", low), ("high", high))}


def _short(values: np.ndarray) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


def main() -> None:
    """Run all algorithms, or those that are named, and keep their curves after each."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {"curves": {}}
    kept |= {"marks": MARKS, "runs": RUNS, "seed": SEED}
    kept["limits"] = {p: float(f"{lower_regret(copeland.load(p)):.6g}") for p in PROBLEMS.values()}
    for name in sys.argv[1:] or algorithms():
        kept["curves"][name] = {problem: curve(name, problem) for problem in problems_of(name)}
        KEPT.write_text(json.dumps(kept, sort_keys=True).replace('}, "', '},\n "') + "\n")
        print(name, file=sys.stderr)


if __name__ == "__main__":
    main()
