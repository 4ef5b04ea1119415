"""How often the intervals of an audit miss where votes hang together: `python -m benchmarks.judge_intervals [runs]`.

Beside the audit's intervals stand the usual ones: the same formulas with Student's t and a degree of freedom less than
there are groups, however unequal these are, and kappa with a normal interval.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from copeland.audit.estimates import (
    Estimate,
    Groups,
    estimate_correlation,
    estimate_difference,
    estimate_kappa,
    estimate_share,
)
from copeland.support.rng import stream

RUNS = 4_000
POWER_USERS = (200, 100, 50, 25, 12, 6, 3, 2, 1, 1)
ONE_QUESTION = (100, *[1] * 60)
Ends = tuple[float, float]


@dataclass(frozen=True)
class Case:
    """Votes in groups: how many each gives, and how often those of one group agree with the judge."""

    name: str
    sizes: tuple[int, ...]
    rates: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]  # a rate for each group
    truth: float  # the mean rate


def draw_rates(alike: float, mean: float = 0.8):
    """Beta rates: two votes of one group have the correlation ``alike``."""
    many = 1 / alike - 1
    return lambda rng, shape: rng.beta(mean * many, (1 - mean) * many, shape)


def equal_groups(groups: int, votes: int = 10) -> Case:
    """Groups of one size."""
    return Case(f"{groups} groups of {votes}", (votes,) * groups, draw_rates(1 / 11), 0.8)


def by_rank(people: int) -> Case:
    """400/rank votes of each."""
    sizes = tuple(400 // rank for rank in range(1, people + 1))
    return Case(f"400/rank votes of {people} people", sizes, draw_rates(1 / 11), 0.8)


def rare_bad(groups: int, votes: int, bad: float) -> Case:
    """Questions of which a few are bad: people agree with the judge on 10 % there, and on 95 % elsewhere."""

    def rates(rng, shape):
        return np.where(rng.random(shape) < bad, 0.1, 0.95)

    name = f"{groups} questions of {votes}, {100 * bad:g} % bad"
    return Case(name, (votes,) * groups, rates, 0.95 - 0.85 * bad)


CASES = (
    *(equal_groups(many) for many in (3, 5, 10, 30, 200)),
    equal_groups(10, 100),
    Case("power users", POWER_USERS, draw_rates(1 / 11), 0.8),
    Case("power users, very unlike", POWER_USERS, draw_rates(1 / 2), 0.8),
    Case("power users, all alike", POWER_USERS, lambda _, shape: np.full(shape, 0.8), 0.8),
    *(by_rank(people) for people in (10, 40, 400)),
    Case("one question with 100 of 160 votes", ONE_QUESTION, draw_rates(1 / 11), 0.8),
    rare_bad(20, 10, 0.05),
    rare_bad(40, 5, 0.05),
    rare_bad(60, 10, 0.02),
    rare_bad(60, 10, 0.05),
    rare_bad(100, 5, 0.05),
    rare_bad(100, 30, 0.02),
)


@dataclass
class Score:
    """Of many intervals: how many miss, how many lie above the truth, and their mean width."""

    runs: int = 0
    missed: int = 0
    above: int = 0
    width: float = 0.0

    def add(self, low: float, high: float, truth: float) -> None:
        """Take in one interval."""
        self.runs += 1
        self.missed += not low <= truth <= high
        self.above += low > truth
        self.width += high - low

    def __str__(self) -> str:
        return f"{100 * self.missed / self.runs:.1f} % | {100 * self.above / self.runs:.1f} % | {self.width / self.runs:.3f}"


def measure_shares(case: Case, runs: int = RUNS) -> list[Score]:
    """The usual interval of a share and the audit's."""
    rng = stream(0, "shares", case.name)
    groups, sizes = group(case.sizes), np.array(case.sizes)
    rates = case.rates(rng, (runs, len(sizes)))
    scores = [Score(), Score()]
    for row in rates:
        hits = rng.random(sizes.sum()) < np.repeat(row, sizes)
        found = estimate_share(hits, groups)
        for score, ends in zip(scores, (usual_share(hits, sizes), found[1:3]), strict=True):
            score.add(*ends, case.truth)
    return scores


def measure_differences(case: Case, runs: int = RUNS) -> list[Score]:
    """The same of differences: whenever people disagree with the judge, it is for the same side."""
    rng = stream(0, "differences", case.name)
    groups, sizes = group(case.sizes), np.array(case.sizes)
    rates = case.rates(rng, (runs, len(sizes)))
    scores = [Score(), Score()]
    for row in rates:
        differ = np.where(rng.random(sizes.sum()) > np.repeat(row, sizes), 1.0, 0.0)
        found = estimate_difference(differ, groups)
        for score, ends in zip(scores, (usual_difference(differ, sizes), found[1:3]), strict=True):
            score.add(*ends, 1 - case.truth)
    return scores


def group(sizes: tuple[int, ...]) -> Groups:
    """One way to group."""
    return Groups((np.repeat(np.arange(len(sizes)), sizes),), ("person",))


def usual_variance(residuals: np.ndarray, sizes: np.ndarray) -> float:
    """The variance of a mean by squared sums over groups."""
    sums = np.add.reduceat(residuals, np.cumsum(sizes) - sizes)
    return len(sums) / (len(sums) - 1) * float(sums @ sums) / len(residuals) ** 2


def usual_share(hits: np.ndarray, sizes: np.ndarray) -> Ends:
    """Wilson's interval at the number of votes that the groups are worth."""
    n, share, z = len(hits), hits.mean(), float(stats.t.ppf(0.975, len(sizes) - 1))
    plain = share * (1 - share) / n
    worth = len(sizes) if plain < 1e-12 else n
    if plain >= 1e-12:
        worth *= min(1.0, plain / max(usual_variance(hits - share, sizes), 1e-15))
    middle = (share + z**2 / (2 * worth)) / (1 + z**2 / worth)
    away = z / (1 + z**2 / worth) * math.sqrt(share * (1 - share) / worth + z**2 / (4 * worth**2))
    return middle - away, middle + away


def usual_difference(differences: np.ndarray, sizes: np.ndarray) -> Ends:
    """Bonett and Price's interval, with two more cases."""
    wider = np.append(differences, [1.0, -1.0])
    middle = wider.mean()
    variance = usual_variance(wider - middle, np.append(sizes, [1, 1]))
    plain = float((wider - middle) @ (wider - middle)) / len(wider) ** 2
    away = float(stats.t.ppf(0.975, len(sizes) - 1)) * math.sqrt(max(variance, plain))
    return middle - away, middle + away


def kappa_worlds() -> Iterator[tuple[float, float]]:
    """How often people say tie, and how often a judge says what people say whatever that is."""
    yield from ((tie, same) for tie in (0.0, 0.1, 0.3, 0.6) for same in (0.3, 0.7, 0.9))


def draw_votes(rng, n: int, tie: float, same: float) -> tuple[np.ndarray, np.ndarray]:
    """Votes of people and of a judge, which otherwise draws its own and says tie half as often."""
    people, own = (
        rng.choice([0.0, 0.5, 1.0], n, p=[(1 - t) / 2, t, (1 - t) / 2]) for t in (tie, tie / 2)
    )
    return people, np.where(rng.random(n) < same, people, own)


def true_kappa(tie: float, same: float) -> float:
    """Kappa of endless votes."""
    own = same * tie + (1 - same) * tie / 2
    agree = same + (1 - same) * (tie * tie / 2 + (1 - tie) * (1 - tie / 2) / 2)
    chance = tie * own + (1 - tie) * (1 - own) / 2
    return (agree - chance) / (1 - chance)


def measure_kappa(n: int, tie: float, same: float, runs: int = RUNS) -> list[Score]:
    """The normal interval of kappa and the audit's."""
    rng = stream(0, "kappa", f"{n} {tie} {same}")
    truth = true_kappa(tie, same)
    scores = [Score(), Score()]
    for _ in range(runs):
        people, judge = draw_votes(rng, n, tie, same)
        found = estimate_kappa(people, judge, Groups())
        assert found is not None
        scores[1].add(found.low, found.high, truth)
        scores[0].add(*usual_kappa(people, judge, found), truth)
    return scores


def measure_joint(case: Case, runs: int = RUNS) -> list[Score]:
    """The audit's intervals of kappa and of the correlation, with groups; both are the mean rate by construction."""
    rng = stream(0, "joint", case.name)
    groups, sizes = group(case.sizes), np.array(case.sizes)
    scores = [Score(), Score()]
    for row in case.rates(rng, (runs, len(sizes))):
        people, own = rng.choice([0.0, 0.5, 1.0], (2, sizes.sum()), p=[0.4, 0.2, 0.4])
        judge = np.where(rng.random(len(own)) < np.repeat(row, sizes), people, own)
        kappa = estimate_kappa(people, judge, groups)
        correlation = estimate_correlation(people - people.mean(), judge - judge.mean(), groups)
        for score, found in zip(scores, (kappa, correlation), strict=True):
            if found is not None:
                score.add(found.low, found.high, case.truth)
    return scores


def usual_kappa(people: np.ndarray, judge: np.ndarray, found: Estimate) -> Ends:
    """Fleiss, Cohen and Everitt's normal interval; where all votes are equal, the audit's."""
    same, ties, own = people == judge, people == 0.5, judge == 0.5
    if same.all():
        return found.low, found.high
    s, a, b = float(same.mean()), float(ties.mean()), float(own.mean())
    rest = 1 - a * b - (1 - a) * (1 - b) / 2
    moved = (b - (1 - b) / 2) * (ties - a) + (a - (1 - a) / 2) * (own - b)
    influences = (same - s) / rest + (s - 1) / rest**2 * moved
    away = float(stats.norm.ppf(0.975)) * math.sqrt(influences @ influences) / len(people)
    return found.value - away, found.value + away


def tables(runs: int = RUNS) -> Iterator[str]:
    """Yield the tables of docs/notes/judge-audit.md."""
    head = "misses, usual | lies above | width | misses, audit | lies above | width"
    for what, measure in (("shares", measure_shares), ("differences", measure_differences)):
        yield from (f"| {what} | {head} |", "|---" * 7 + "|")
        for case in CASES:
            yield f"| {case.name} | {' | '.join(map(str, measure(case, runs)))} |"
        yield ""
    yield from (f"| kappa at n = 50 | {head} |", "|---" * 7 + "|")
    for tie, same in kappa_worlds():
        name = f"{100 * tie:g} % ties, kappa {true_kappa(tie, same):.2f}"
        yield f"| {name} | {' | '.join(map(str, measure_kappa(50, tie, same, runs)))} |"
    yield ""
    parts = "misses | lies above | width"
    yield from (f"| with groups | kappa {parts} | correlation {parts} |", "|---" * 7 + "|")
    for case in CASES:
        yield f"| {case.name} | {' | '.join(map(str, measure_joint(case, runs)))} |"


if __name__ == "__main__":
    for line in tables(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
        print(line, flush=True)
