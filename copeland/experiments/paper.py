"""The paper's experiments as data: what is compared, for how long, and what the paper says of it.

Quick sizes end within two minutes on two cores; full sizes are the paper's where it prints them. It
prints neither the number of runs nor, for its second experiment, the gaps and the horizon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from copeland.comparisons import Comparison
from copeland.matrix import PreferenceMatrix
from copeland.problems import matrix_problem, problem_of

# Wu & Liu 2016 give the two five-ranker problems as sub-matrices of the paper's 136 rankers.
NO_CONDORCET = (92, 6, 91, 93, 104)
CONDORCET = (1, 3, 2, 0, 4)
RANKERS = 136

# Which gaps the paper's second experiment had is not known: these are looked through.
SCANNED_GAPS = {
    "all gaps .499": "order-500-0.499:seed=0",
    "Bradley-Terry, 1 logit a rank": "ranked-500-1",
    "Bradley-Terry, .3 logit a rank": "ranked-500-0.3",
    "U(.4, .5)": "order-500-U(.4,.5):seed=0",
    "all gaps .4": "order-500-0.4:seed=0",
    "all gaps .2": "order-500-0.2:seed=0",
    "all gaps .1": "order-500-0.1:seed=0",
    "U(.05, .45)": "synthetic-500",
}
QUICK_GAPS = ("all gaps .499", "U(.05, .45)")

# What the paper prints, by the names under which ours is reported.
PRINTED_TABLE = {
    "copeland-von_neumann": 99.94,
    "copeland-borda": 51.49,
    "copeland-random_walk": 56.15,
    "von_neumann-borda": 77.66,
    "von_neumann-random_walk": 82.11,
    "borda-random_walk": 94.81,
    "copeland_in_support": 94.2,
}
PRINTED_GAP_RATIO = 1419


@dataclass(frozen=True)
class Figure:
    """One of the figures with regret curves."""

    name: str
    title: str
    paper: str  # what the paper says
    comparison: Comparison

    def beside(self, algorithms: Sequence[str]) -> Figure:
        """Return the figure with more algorithms in it, after its own."""
        shown = (*self.comparison.algorithms, *algorithms)
        return replace(self, comparison=replace(self.comparison, algorithms=shown))


def small(matrix: PreferenceMatrix | None, full: bool, seed: int) -> Figure:
    """Return the first experiment: five rankers without a Condorcet winner (Figure 1)."""
    end = 10**8 if full else 10**7
    horizons = [h for h in (10**4, 10**5, 10**6, 10**7, 2 * 10**7, 10**8) if h <= end]
    return Figure(
        "small",
        "Five rankers, no Condorcet winner (Figure 1)",
        "CCB outperforms all others; RUCB's regret grows linearly; SAVAGE, PBR and RankEl are run at "
        "independent horizons.",
        Comparison(
            _five(matrix, NO_CONDORCET, "mslr-5"),
            ("ccb", "scb", "rucb", "savage", "pbr", "rankel"),
            horizons=tuple(horizons),
            runs=100 if full else 6,
            seed=seed,
            runs_a_task=5 if full else 2,
        ),
    )


def condorcet(matrix: PreferenceMatrix | None, full: bool, seed: int) -> Figure:
    """Return the third experiment: five rankers with a Condorcet winner (Figure 3)."""
    return Figure(
        "condorcet",
        "Five rankers with a Condorcet winner (Figure 3)",
        "CCB has a slight advantage over RUCB.",
        Comparison(
            _five(matrix, CONDORCET, "mslr-5-condorcet"),
            ("ccb", "rucb"),
            horizons=(10**8 if full else 10**7,),
            runs=500 if full else 100,
            seed=seed,
            runs_a_task=50,
        ),
    )


def modern(matrix: PreferenceMatrix | None, full: bool, seed: int) -> Figure:
    """Return the first problem again, with the best algorithms that came after the paper."""
    return Figure(
        "modern",
        "The same five rankers, with what came after",
        "The paper could not compare with these.",
        Comparison(
            _five(matrix, NO_CONDORCET, "mslr-5"),
            ("ccb", "dts", "dts-plus", "ecw-rmed"),
            horizons=(10**7 if full else 10**6,),
            runs=50 if full else 6,
            seed=seed,
            runs_a_task=5 if full else 2,
        ),
    )


def large(gaps: str, full: bool, seed: int) -> Figure:
    """Return the second experiment with one choice of gaps: 500 options, CCB against SCB (Figure 2)."""
    return Figure(
        f"large: {gaps}",
        f"500 options, three winners in a cycle: {gaps} (Figure 2)",
        "SCB substantially outperforms CCB.",
        Comparison(
            problem_of(SCANNED_GAPS[gaps]),
            ("ccb", "scb"),
            horizons=tuple(10**n for n in range(4, 11 if full else 8)),
            runs=3 if full else 1,
            seed=seed,
            most_duels=400_000_000 if full else 10_000_000,
        ),
    )


def _five(matrix: PreferenceMatrix | None, options: tuple[int, ...], printed: str):
    """The five-ranker problem in full digits, where the paper's own matrix is at hand."""
    if matrix is None or matrix.k != RANKERS:
        return problem_of(printed)
    part = matrix.sub(options)
    return matrix_problem(PreferenceMatrix(part.p, part.labels, name=f"{printed}, full digits"))
