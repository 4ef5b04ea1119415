"""What a judge that counts saves people, and how often its certificates are wrong: `python -m benchmarks.control_variates`.

All runs of a problem go on side by side, as arrays; tests hold what they find against :func:`copeland.certify`. A vote draws a case
anew, so what people and the judge say together is a draw from a table of outcomes and answers.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np

from copeland.certificate.control_judge import turn_tables
from copeland.certificate.control_variates import list_bets
from copeland.certificate.evidence import log_evidence_of_votes
from copeland.kernels.vote_evidence import levels
from copeland.support.rng import stream

DELTA = 0.05
RUNS = 2_000
COURSES = 500  # runs of each cell of votes to a proof
LEVEL = 5.6  # nats
AGREEMENTS = (0.0, 0.5, 0.7, 0.8, 0.85, 0.88, 0.9, 1.0)
SHARES = {0.55: 6_000, 0.6: 2_000, 0.7: 600}  # p, and the most votes
JUDGES = ("gpt4", "claude", "gpt35")
MET = 100  # votes on a pair of arena_2023
DISTANCES = {(0.04, 0.1): 8_000, (0.1, 0.5): 2_000}  # of a pair from 1/2, and the most votes
EDGE = 1e-9


def agree(p: float, agreement: float, tie: float = 0.0) -> np.ndarray:
    """Return shares of outcomes and answers: the judge says what a person says with this probability, else the opposite."""
    shares = np.zeros((5, 3))
    shares[0, [0, 2]] = (p - tie / 2) * np.array([agreement, 1 - agreement])
    shares[2, [2, 0]] = (1 - p - tie / 2) * np.array([agreement, 1 - agreement])
    shares[1, 1], shares[1, 0] = tie * agreement, tie * (1 - agreement)
    return shares


def skip_where_judged(p: float, skip: float) -> np.ndarray:
    """Return the same of a useless judge, where people skip many cases that the judge gives to the second option."""
    shares = agree(p, 0.5)
    skipped = skip * shares[:, 2]
    shares[:, 2] -= skipped
    shares[3, 2] = skipped.sum()
    return shares


@dataclass(frozen=True)
class Problem:
    """Options of which all pairs are alike: shares of outcomes and answers, from the view of the first of a pair."""

    name: str
    shares: np.ndarray
    k: int = 2
    votes: int = 5_000
    margin: float = 0.0
    modes: str = "U"

    @property
    def p(self) -> float:
        """What the first option of a pair wins, of those who vote."""
        won, tied, lost, *_ = self.shares.sum(axis=1)
        return (won + tied / 2) / (won + tied + lost)


class Draws(NamedTuple):
    """Many runs: the cell of each vote, and the logarithm of what each bet makes of it, from both sides."""

    mean: float
    factors: np.ndarray  # side x cell x bet
    weights: np.ndarray  # logarithms, by bet


def draws_of(shares: np.ndarray, margin: float) -> Draws:
    """Return what the judge's half makes of each cell."""
    mean = float(shares.sum(axis=0) @ [1.0, 0.5, 0.0])
    bets = [list(list_bets(np.array(side), margin)) for side in (mean, 1 - mean)]
    first = np.stack([factors.ravel() for _, factors in bets[0]], axis=1)
    turned = [turn_tables(factors).ravel() for _, factors in bets[1]]
    return Draws(
        mean,
        np.stack([first, np.stack(turned, axis=1)]),
        np.array([weight for weight, _ in bets[0]]),
    )


def log_sum(terms: np.ndarray) -> np.ndarray:
    """Return the logarithm of the sum of exponentials along the last axis."""
    most = terms.max(axis=-1)
    return most + np.log(np.exp(terms - most[..., None]).sum(axis=-1))


class Watch:
    """Many runs of one problem, looked at after every vote."""

    def __init__(self, problem: Problem, runs: int, rng: np.random.Generator):
        self.problem, self.runs, self.rng = problem, runs, rng
        self.pairs = list(combinations(range(problem.k), 2))
        self.margins = (0.0,) if problem.margin == 0 else (problem.margin, 0.0)
        self.draws = [draws_of(problem.shares, margin) for margin in self.margins]
        shape = (runs, len(self.pairs))
        self.tables = np.zeros((*shape, 15), np.int64)
        self.bets = np.zeros((len(self.margins), *shape, 2, len(self.draws[0].weights)))
        self.found = np.full((len(self.margins), *shape, 2), -np.inf)
        self.level = levels(problem.k, DELTA, margin=problem.margin).pair
        self.wrong, self.claimed = np.zeros(runs, bool), np.zeros(runs, bool)

    def step(self, mode: str) -> None:
        """Give every run one more vote, and look."""
        runs, pair = np.arange(self.runs), self._next(mode)
        cell = self.rng.choice(15, self.runs, p=self.problem.shares.ravel())
        self.tables[runs, pair, cell] += 1
        won, tied, lost, *_ = self.tables[runs, pair].reshape(-1, 5, 3).sum(axis=2).T
        for n, (margin, draws) in enumerate(zip(self.margins, self.draws, strict=True)):
            self.bets[n, runs, pair] += draws.factors[:, cell].swapaxes(0, 1)
            capital = log_sum(draws.weights + self.bets[n, runs, pair])
            sides = ((won, lost, tied), (lost, won, tied))
            plain = np.stack([log_evidence_of_votes(*side, margin) for side in sides], axis=1)
            self.found[n, runs, pair] = np.logaddexp(plain, capital) - log(2)
        self._compare()

    def _next(self, mode: str) -> np.ndarray:
        """Choose the pair of each run: uniformly, or the one nearest to a claim that is not made yet."""
        likes = self.rng.random((self.runs, len(self.pairs)))
        if mode == "A":
            nats = self.found[-1].max(axis=2)
            near = np.where(nats >= self.level, -1e9, np.where(np.isfinite(nats), nats, -1e6))
            likes = near + 1e-3 * likes
        return likes.argmax(axis=1)

    def _compare(self) -> None:
        """Note claims, and those that are wrong; with up to 4 options all that is said follows from claims at one level."""
        shares = np.array([self.problem.p, 1 - self.problem.p])
        close = self.found[0] >= self.level
        beats = close & (self.found[-1] >= self.level)
        wrong = close & (shares <= 0.5 - self.problem.margin + EDGE)
        wrong |= beats & (shares <= 0.5 + EDGE)
        self.wrong |= wrong.any(axis=(1, 2))
        self.claimed |= close.any(axis=(1, 2))


def problems() -> list[Problem]:
    """Return what is measured: judges that are useless, always wrong and perfect, near the border."""
    judges = {"a useless judge": 0.5, "one that is always wrong": 0.0, "a perfect one": 1.0}
    found = []
    for name, agreement in judges.items():
        even, low = agree(0.5, agreement), agree(0.45, agreement)
        found += [
            Problem(f"two options at 1/2, {name}", even),
            Problem(f"two options at .45, margin .05, {name}", low, margin=0.05),
            Problem(f"four options, all 1/2, {name}", even, 4, 6_000, modes="U" if agreement == 1 else "UA"),
            Problem(f"four options at .45, margin .05, {name}", low, 4, 6_000, 0.05),
        ]  # fmt: skip
        if agreement < 1:
            tied = agree(0.45, agreement, 0.3)
            found.append(
                Problem(f"two options at .45, 30 % ties, margin .05, {name}", tied, margin=0.05)
            )
    many = skip_where_judged(0.5, 0.8)
    return [
        *found,
        Problem("two options at 1/2, people skip what the judge gives to the second", many),
    ]


def measure(problem: Problem, mode: str, runs: int, seed: int = 0) -> Watch:
    """Return all runs of a problem after its votes."""
    watch = Watch(problem, runs, stream(seed, "control-variates", problem.name, mode))
    for _ in range(problem.votes):
        watch.step(mode)
    return watch


def count_votes_to_proof(
    shares: np.ndarray, most: int, runs: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the votes until the evidence for the first option reaches the level, without and with the judge: same runs, same votes."""
    draws = draws_of(shares, 0.0)
    cells = rng.choice(15, (runs, most), p=shares.ravel() / shares.sum())
    alone, judged = np.full(runs, most), np.full(runs, most)
    counts = [np.cumsum(np.isin(cells, range(3 * row, 3 * row + 3)), axis=1) for row in range(3)]
    plain = log_evidence_of_votes(counts[0], counts[2], counts[1], 0.0)
    for run in range(runs):
        bets = draws.weights + np.cumsum(draws.factors[0][cells[run]], axis=0)
        both = np.logaddexp(plain[run], log_sum(bets)) - log(2)
        for found, first in ((plain[run], alone), (both, judged)):
            reached = np.flatnonzero(found >= LEVEL)
            first[run] = reached[0] + 1 if len(reached) else most
    return alone, judged


class Saved(NamedTuple):
    """The mean votes to a proof without and with a judge, and the ratio of the two with its standard error."""

    alone: float
    judged: float
    ratio: float
    error: float


def compare_votes(alone: np.ndarray, judged: np.ndarray) -> Saved:
    """Return what the same runs took without and with the judge."""
    ratio = judged.mean() / alone.mean()
    error = np.std(judged - ratio * alone) / alone.mean() / len(alone) ** 0.5
    return Saved(alone.mean(), judged.mean(), ratio, error)


def arena_tables(folder: Path, judge: str, apart: tuple[float, float]) -> list[np.ndarray]:
    """Return counts of outcomes and answers on each pair of language models that is so far apart, the one that people prefer first."""
    places = {"model_a": 0, "model_b": 2}
    pairs: defaultdict[tuple[str, str], np.ndarray] = defaultdict(lambda: np.zeros((5, 3)))
    with gzip.open(folder / "votes" / "arena_2023.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            said, judged = (places.get(row[column], 1) for column in ("winner", judge))
            first, second = row["model_a"], row["model_b"]
            if first > second:
                first, second, said, judged = second, first, 2 - said, 2 - judged
            pairs[first, second][said, judged] += 1
    found = []
    for table in pairs.values():
        share = table.sum(axis=1)[:2] @ [1, 0.5] / table.sum()
        if table.sum() >= MET and apart[0] <= abs(share - 0.5) < apart[1]:
            found.append(table if share > 0.5 else turn_tables(table))
    return found


def correlate(table: np.ndarray) -> float:
    """Return the correlation of votes and answers in a table."""
    weights, value = table[:3] / table[:3].sum(), np.array([1.0, 0.5, 0.0])
    one, other = weights.sum(axis=1), weights.sum(axis=0)
    both = value @ weights @ value - (one @ value) * (other @ value)
    spread = (one @ value**2 - (one @ value) ** 2) * (other @ value**2 - (other @ value) ** 2)
    return both / max(spread, EDGE) ** 0.5


def _rate(share: float) -> str:
    return f"{share:.4f}".rstrip("0").rstrip(".").replace("0.", ".")


def _false(runs: int, only: str) -> Iterator[str]:
    yield (
        f"The share of runs in which a certificate with delta = {DELTA} was wrong at some vote, looked at after every vote. Pairs are chosen uniformly (U), or by "
        "an adversary that feeds what is nearest to a claim (A). *Claimed*: something was claimed of a pair, wrong or right."
    )
    yield ""
    yield "| problem | votes | pairs | runs | claimed | wrong |"
    yield "|---|---|---|---|---|---|"
    for problem in problems():
        for mode in problem.modes if only in problem.name else "":
            began = time.perf_counter()
            watch = measure(problem, mode, runs)
            print(f"{problem.name} {mode}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
            rates = f"{_rate(watch.claimed.mean())} | {_rate(watch.wrong.mean())}"
            yield f"| {problem.name} | {problem.votes:,} | {mode} | {runs:,} | {rates} |"


def _saved(runs: int) -> Iterator[str]:
    yield (
        f"Mean votes until the evidence of a pair reaches {LEVEL} nats, with a judge relative to none, over {runs} runs; both take the same votes. The judge agrees "
        "with single votes of people in the given share."
    )
    yield ""
    yield f"| p | votes without | {' | '.join(f'{a:.0%}' for a in AGREEMENTS)} |"
    yield "|---|---|" + "---|" * len(AGREEMENTS)
    for p, most in SHARES.items():
        found = []
        for agreement in AGREEMENTS:
            rng = stream(0, "control-variates", str(p), str(agreement))
            found.append(compare_votes(*count_votes_to_proof(agree(p, agreement), most, runs, rng)))
        told = " | ".join(f"{one.ratio:.2f} ± {one.error:.2f}" for one in found)
        yield f"| {p:g} | {np.mean([one.alone for one in found]):,.0f} | {told} |"


def _arena(folder: Path, runs: int) -> Iterator[str]:
    yield (
        f"The same on real votes, of people on language models (arena_2023), drawn again from all pairs with {MET} votes or more: {runs} runs of each. *Apart*: how far the "
        "share of a pair is from 1/2. *Correlation*: of single votes with the judge's answers, the mean over pairs. *Votes*: the sum over pairs."
    )
    yield ""
    yield "| judge | apart | pairs | correlation | votes without | with the judge | ratio | pairs on which it saves |"
    yield "|---|---|---|---|---|---|---|---|"
    for judge in JUDGES:
        for apart, most in DISTANCES.items():
            yield _row_of_arena(judge, apart, arena_tables(folder, judge, apart), most, runs)


def _row_of_arena(
    judge: str, apart: tuple[float, float], tables: list[np.ndarray], most: int, runs: int
) -> str:
    saved = []
    for number, table in enumerate(tables):
        rng = stream(0, "control-variates", judge, str(apart), number)
        found = count_votes_to_proof(table / table.sum(), most, runs, rng)
        saved.append(compare_votes(*found))
    alone, judged = (sum(getattr(one, name) for one in saved) for name in ("alone", "judged"))
    better = sum(one.ratio < 1 for one in saved)
    mean = np.mean([correlate(table) for table in tables])
    return (
        f"| {judge} | {apart[0]:g} to {apart[1]:g} | {len(tables)} | {mean:.2f} | {alone:,.0f} | {judged:,.0f} "
        f"| {judged / alone:.3f} | {better} |"
    )


def control_variates(runs: int = RUNS, only: str = "") -> Iterator[str]:
    """What judges that count save, and how often certificates with them are wrong."""
    yield "## Judges that count"
    yield from _saved(COURSES)
    folder = Path(os.environ.get("COPELAND_TEST_DATA", ""))
    if (folder / "votes" / "arena_2023.csv.gz").is_file():
        yield ""
        yield from _arena(folder, COURSES // 10)
    yield ""
    yield from _false(runs, only)


def main() -> None:
    """Print the tables, of fewer runs or of some problems alone if so told."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for line in control_variates(runs, *sys.argv[2:3]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
