"""The paper's experiments as data: what is compared, for how long, and what the paper says of it.

Quick sizes end within two minutes on two cores; full sizes are the paper's where it prints them. It
prints neither the number of runs nor, for its second experiment, the gaps and the horizon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from copeland.matrix import PreferenceMatrix
from copeland.problems import Problem, matrix_problem, problem_of
from copeland.simulation.simulator import Comparison
from copeland.support.rng import stream
from copeland.theory.winners import condorcet_winner

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

CUTS = 20  # random choices of five rankers without a Condorcet winner
_TRIES = 50_000  # of the paper's matrix about one choice in two hundred has none
ALPHAS = ("ccb", "ccb:alpha=0.6", "ccb:alpha=0.8", "ccb:alpha=1.01", "ccb:alpha=2")
DELTAS = tuple(
    f"{name}{delta}"
    for name in ("savage", "pbr", "rankel")
    for delta in ("", ":delta=0.01", ":delta=0.1")
)  # the first of each is 1/T
_UNNAMED = (
    "The paper does not name its five rankers; these are the ones that Wu and Liu (2016) give."
)


@dataclass(frozen=True)
class Figure:
    """One of the figures with regret curves."""

    name: str
    title: str
    paper: str  # what the paper says
    comparison: Comparison
    cut: tuple[str, ...] = ()  # algorithms whose curves may leave the figure at its top, as there

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
        "CCB outperforms all others; RUCB's regret grows linearly, so its curve is cut; SAVAGE, PBR and "
        f"RankEl are run at independent horizons. {_UNNAMED}",
        Comparison(
            _five(matrix, NO_CONDORCET, "mslr-5"),
            ("ccb", "scb", "rucb", "savage", "pbr", "rankel"),
            horizons=tuple(horizons),
            runs=100 if full else 6,
            seed=seed,
            runs_a_task=5 if full else 2,
        ),
        cut=("rucb",),
    )


def condorcet(matrix: PreferenceMatrix | None, full: bool, seed: int) -> Figure:
    """Return the third experiment: five rankers with a Condorcet winner (Figure 3)."""
    return Figure(
        "condorcet",
        "Five rankers with a Condorcet winner (Figure 3)",
        f"CCB has a slight advantage over RUCB. {_UNNAMED}",
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


def alphas(matrix: PreferenceMatrix | None, full: bool, seed: int) -> Figure:
    """Return the first problem with other exploration parameters of CCB."""
    return Figure(
        "alpha",
        "What alpha does to CCB",
        "It proves its bounds for alpha > 1/2, those on expected regret for alpha > 1, and does not say "
        "which alpha its experiments have. Ours is .51.",
        Comparison(
            _five(matrix, NO_CONDORCET, "mslr-5"),
            ALPHAS,
            horizons=(10**8 if full else 10**7,),
            runs=50 if full else 6,
            seed=seed,
            runs_a_task=5 if full else 2,
        ),
    )


def deltas(matrix: PreferenceMatrix | None, full: bool, seed: int) -> Figure:
    """Return the first problem with other failure probabilities of those who must know the horizon."""
    return Figure(
        "delta",
        "What delta does to those who must know the horizon",
        "It does not say which failure probability SAVAGE, PBR and RankEl have. Ours is 1/T.",
        Comparison(
            _five(matrix, NO_CONDORCET, "mslr-5"),
            ("ccb", *DELTAS),
            horizons=tuple(10**n for n in range(5, 9 if full else 8)),
            runs=20 if full else 2,
            seed=seed,
            runs_a_task=5 if full else 2,
        ),
    )


def cut(matrix: PreferenceMatrix, options: tuple[int, ...], full: bool, seed: int) -> Figure:
    """Return the first experiment with another five of the 136 rankers."""
    names = ", ".join(map(str, options))
    return Figure(
        f"cut: {names}",
        f"Rankers {names}",
        "The paper shows one choice of five rankers.",
        Comparison(
            _part(matrix, options, f"rankers {names}"),
            ("ccb", "scb", "rucb", "savage", "pbr", "rankel"),
            horizons=(10**7 if full else 10**6,),
            runs=5 if full else 1,
            marks=20,
            seed=seed,
            runs_a_task=5,
        ),
    )


def cuts(matrix: PreferenceMatrix, seed: int) -> list[tuple[int, ...]]:
    """Return random choices of five options of which none beats the other four; fewer if there are few."""
    rng = stream(seed, "five rankers")
    found: dict[tuple[int, ...], None] = {}
    for _ in range(_TRIES if matrix.k > 5 else 0):
        options = tuple(sorted(rng.choice(matrix.k, 5, replace=False).tolist()))
        if condorcet_winner(matrix.sub(options)) is None:
            found[options] = None
        if len(found) == CUTS:
            break
    return list(found)


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


def _five(matrix: PreferenceMatrix | None, options: tuple[int, ...], printed: str) -> Problem:
    """The five-ranker problem in full digits, where the paper's own matrix is at hand."""
    if matrix is None or matrix.k != RANKERS:
        return problem_of(printed)
    return _part(matrix, options, f"{printed}, full digits")


def _part(matrix: PreferenceMatrix, options: tuple[int, ...], name: str) -> Problem:
    part = matrix.sub(options)
    return matrix_problem(PreferenceMatrix(part.p, part.labels, name=name))
