"""How often a certificate of judges on test cases is wrong, looked at after every vote: `python -m benchmarks.false_cases`.

All runs of a problem go on side by side, as arrays. Tests hold what they judge against :func:`copeland.certificate.certificate.certify`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np

from copeland.certificate.case_evidence import cannot_lose, log_evidence_of_cases
from copeland.kernels.vote_evidence import levels, log_evidence, loss_level, win_level
from copeland.support.rng import stream

DELTA = 0.05
RUNS = 2_000
EDGE = 1e-9


@dataclass(frozen=True)
class Problem:
    """What judges answer on test cases: draws of runs x cases x K x K shares, 1 where the first wins, 1/2 for a tie."""

    name: str
    answers: Callable[[np.random.Generator, int, int], np.ndarray]
    k: int
    cases: int
    these: bool = True
    margin: float = 0.0
    modes: str = "UA"


def tables(rankings: np.ndarray) -> np.ndarray:
    """Return who wins against whom by each ranking (places of the options), 1/2 on the diagonal."""
    return (np.sign(rankings[..., None, :] - rankings[..., :, None]) + 1) / 2


def exactly(*shares: tuple[int, int]):
    """Return answers on two options: so many cases with each answer (2: won, 1: a tie, 0: lost), in every run the same."""
    said = np.repeat([two for two, _ in shares], [n for _, n in shares]) / 2

    def answers(rng: np.random.Generator, runs: int, cases: int) -> np.ndarray:
        assert len(said) == cases
        table = np.full((cases, 2, 2), 0.5)
        table[:, 0, 1], table[:, 1, 0] = said, 1 - said
        return np.broadcast_to(table, (runs, cases, 2, 2))

    return answers


def by_chance(tie: float = 0.0):
    """Return answers on two options by coins: of a noisy judge, of one that always names the left, or of a sample of cases."""

    def answers(rng: np.random.Generator, runs: int, cases: int) -> np.ndarray:
        coins = rng.integers(0, 2, (runs, cases)).astype(float)
        coins = np.where(rng.random((runs, cases)) < tie, 0.5, coins)
        table = np.full((runs, cases, 2, 2), 0.5)
        table[:, :, 0, 1], table[:, :, 1, 0] = coins, 1 - coins
        return table

    return answers


def opposites(k: int):
    """Return answers by a ranking on each case, each with its reverse on another.

    All pairs are exactly even, and the answers of a case hang together.
    """

    def answers(rng: np.random.Generator, runs: int, cases: int) -> np.ndarray:
        places = rng.permuted(np.tile(np.arange(k), (runs, cases // 2, 1)), axis=2)
        return tables(np.concatenate([places, k - 1 - places], axis=1))

    return answers


def rankings_of(k: int, of: list[tuple[int, ...]] | None = None):
    """Return answers by a ranking drawn for each case, from all or from a list."""
    listed = np.array(of or list(permutations(range(k))))

    def answers(rng: np.random.Generator, runs: int, cases: int) -> np.ndarray:
        return tables(listed[rng.integers(0, len(listed), (runs, cases))])

    return answers


def turns(k: int) -> list[tuple[int, ...]]:
    return [tuple(np.roll(np.arange(k), shift).tolist()) for shift in range(k)]


def problems() -> list[Problem]:
    """Return what is measured."""
    even_ties = exactly((2, 30), (1, 40), (0, 30))
    return [
        Problem("two options, 50 : 50", exactly((2, 50), (0, 50)), 2, 100, modes="U"),
        Problem("two options, 49 : 51", exactly((2, 49), (0, 51)), 2, 100, modes="U"),
        Problem("two options, 30 : 30 and 40 ties", even_ties, 2, 100, modes="U"),
        Problem("two options, 500 : 500", exactly((2, 500), (0, 500)), 2, 1_000, modes="U"),
        Problem("two options, a noisy judge, or one that always names the left", by_chance(), 2, 100, modes="U"),
        Problem("two options, 45 : 55, margin .05", exactly((2, 45), (0, 55)), 2, 100, margin=0.05, modes="U"),
        Problem("two options, 25 : 35 and 40 ties, margin .05", exactly((2, 25), (1, 40), (0, 35)), 2, 100, margin=0.05, modes="U"),
        Problem("all pairs even, K = 3, a ranking on each case", opposites(3), 3, 100),
        Problem("all pairs even, K = 5, a ranking on each case", opposites(5), 5, 100),
        Problem("any ranking of 5 on each case", rankings_of(5), 5, 100),
        Problem("a turn of one ranking of 5 on each case", rankings_of(5, turns(5)), 5, 100),
        Problem("two options at 1/2", by_chance(), 2, 1_000, False, modes="U"),
        Problem("two options at 1/2, 40 % ties", by_chance(0.4), 2, 1_000, False, modes="U"),
        Problem("any ranking of 3 on each case", rankings_of(3), 3, 1_000, False),
        Problem("any ranking of 5 on each case", rankings_of(5), 5, 300, False),
        Problem("a turn of one ranking of 5 on each case", rankings_of(5, turns(5)), 5, 300, False),
    ]  # fmt: skip


class Watch:
    """Many runs of one problem: their votes, what these prove, and what of it is wrong."""

    def __init__(self, problem: Problem, runs: int, rng: np.random.Generator):
        self.problem, self.runs, self.rng = problem, runs, rng
        k, n = problem.k, problem.cases
        self.pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
        answers = problem.answers(rng, runs, n)
        ordered = []
        for i, j in self.pairs:  # of each pair, runs x cases in the order in which they come
            said = np.ascontiguousarray(answers[:, :, i, j])
            ordered.append(rng.permuted(said, axis=1) if problem.these else said)
        self.said = np.stack(ordered, axis=1)
        self.theta = answers.mean(axis=1) if problem.these else self._population()
        self.asked = np.zeros((runs, len(self.pairs)), np.int64)
        self.wins = np.zeros((runs, k, k), np.int64)
        self.ties = np.zeros((runs, k, k), np.int64)
        self.found = np.full((runs, k, k), -np.inf)
        self.exact = self.found.copy()  # the same without a margin
        self.held = np.zeros((runs, k, k), bool)
        self.at = levels(k, DELTA, 0, not problem.these, margin=problem.margin)
        self.votes = np.zeros(runs, np.int64)  # at the first certificate
        self.wrong_best = np.zeros(runs, bool)
        self.wrong_pair = np.zeros(runs, bool)

    def _population(self) -> np.ndarray:
        """Return p of all cases that these are like: the mean of very many."""
        drawn = self.problem.answers(stream(0, "population"), 1, 120_000)[0].mean(axis=0)
        return np.broadcast_to(np.round(drawn, 2), (self.runs, *drawn.shape))

    def step(self, mode: str, vote: int) -> None:
        """Give every run one more vote, and look."""
        pair = self._next(mode)
        runs = np.arange(self.runs)
        said = self.said[runs, pair, self.asked[runs, pair]]
        self.asked[runs, pair] += 1
        i, j = np.array(self.pairs)[pair].T
        self.wins[runs, i, j] += said == 1.0
        self.wins[runs, j, i] += said == 0.0
        self.ties[runs, i, j] += said == 0.5
        self.ties[runs, j, i] += said == 0.5
        for one, other in ((i, j), (j, i)):
            counts = [table[runs, a, b] for table, a, b in self._sides(one, other)]
            self._weigh(runs, one, other, counts)
        self._judge(vote)

    def _sides(
        self, i: np.ndarray, j: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        return [(self.wins, i, j), (self.wins, j, i), (self.ties, i, j)]

    def _weigh(
        self, runs: np.ndarray, i: np.ndarray, j: np.ndarray, counts: list[np.ndarray]
    ) -> None:
        n, margin = self.problem.cases, self.problem.margin
        if self.problem.these:
            self.found[runs, i, j] = log_evidence_of_cases(*counts, n, margin)
            self.exact[runs, i, j] = log_evidence_of_cases(*counts, n)
            self.held[runs, i, j] = cannot_lose(*counts, n, margin)
        else:
            nats = [
                evidence_of(*votes) for votes in zip(*(c.tolist() for c in counts[:2]), strict=True)
            ]
            self.found[runs, i, j] = self.exact[runs, i, j] = nats

    def _next(self, mode: str) -> np.ndarray:
        """Choose the pair of each run: uniformly, or the one nearest to a claim that is not made yet."""
        left = self.asked < self.problem.cases
        likes = self.rng.random(left.shape)
        if mode == "A":
            i, j = np.array(self.pairs).T
            nats = np.maximum(self.found[:, i, j], self.found[:, j, i])
            near = np.where(nats >= self.at.pair, -1e9, np.where(np.isfinite(nats), nats, -1e6))
            likes = near + 1e-3 * likes
        return np.where(left, likes, -np.inf).argmax(axis=1)

    def _judge(self, vote: int) -> None:
        lower, best = judged(self.found, self.held, self.at)
        margin = self.problem.margin
        off_diagonal = ~np.eye(self.problem.k, dtype=bool)
        weak = ((self.theta > 0.5 - margin + EDGE) & off_diagonal).sum(axis=2)
        strict = ((self.theta > 0.5 + margin + EDGE) & off_diagonal).sum(axis=2)
        wrong = best & ((weak < strict.max(axis=1, keepdims=True)) | (lower > weak))
        self.wrong_best |= wrong.any(axis=1)
        close = self.found >= self.at.pair
        pairs = close & (self.theta <= 0.5 - margin + EDGE)
        pairs |= close & (self.exact >= self.at.exact) & (self.theta <= 0.5 + EDGE)
        self.wrong_pair |= (pairs & off_diagonal).any(axis=(1, 2))
        self.votes = np.where((self.votes == 0) & best.any(axis=1), vote, self.votes)


@cache
def evidence_of(wins: int, losses: int) -> float:
    """Return the evidence of independent votes; ties cancel."""
    return log_evidence(wins, losses, 0, 0.0)


def judged(found: np.ndarray, held: np.ndarray, at) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower bounds of the scores and who is best, in each run: as :mod:`copeland.certificate.certificate` does in one."""
    k = found.shape[1]
    strongest = -np.sort(-found, axis=2)[:, :, : k - 1]
    needed = np.array([win_level(at, k - 1 - r) for r in range(1, k)])
    lower = ((strongest >= needed) * np.arange(1, k)).max(axis=2)
    upper = k - 1 - ((found >= loss_level(at)) | held).sum(axis=1)
    none_beats = held.any(axis=(1, 2)) & (upper.max(axis=1) == 0)
    rivals = np.where(np.eye(k, dtype=bool), -1, upper[:, None, :]).max(axis=2)
    return lower, ((lower > 0) | none_beats[:, None]) & (lower >= rivals)


def measure(problem: Problem, mode: str, runs: int, seed: int = 0) -> Watch:
    """Return all runs of a problem, once every case is judged."""
    name = f"{problem.name}, {'these' if problem.these else 'like these'}"
    watch = Watch(problem, runs, stream(seed, "false-cases", name, mode))
    for vote in range(problem.cases * len(watch.pairs)):
        watch.step(mode, vote + 1)
    return watch


def false_cases(runs: int = RUNS, only: str = "") -> Iterator[str]:
    """How often certificates of judges on test cases are wrong."""
    yield "| problem | cases | about | pairs | certified before all are judged | median votes | wrong best | wrong pair |"
    yield "|---|---|---|---|---|---|---|---|"
    for problem in problems():
        for mode in problem.modes if only in problem.name else "":
            began = time.perf_counter()
            watch = measure(problem, mode, runs)
            print(f"{problem.name} {mode}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
            every = problem.cases * len(watch.pairs)
            early = (watch.votes > 0) & (watch.votes < every)
            rates = [early.mean(), watch.wrong_best.mean(), watch.wrong_pair.mean()]
            shares = [f"{rate:.4f}".rstrip("0").rstrip(".").replace("0.", ".") for rate in rates]
            median = f"{np.median(watch.votes[early]):,.0f}" if early.any() else "-"
            about = "these" if problem.these else "like these"
            yield (
                f"| {problem.name} | {problem.cases:,} | {about} | {mode} | {shares[0]} | {median} | {shares[1]} | {shares[2]} |"
            )


def main() -> None:
    """Print the table, of fewer runs or of some problems alone if so told."""
    told = sys.argv[1:]
    runs = next((int(word) for word in told if word.isdigit()), RUNS)
    only = next((word for word in told if not word.isdigit()), "")
    for line in false_cases(runs, only):
        print(line, flush=True)


if __name__ == "__main__":
    main()
