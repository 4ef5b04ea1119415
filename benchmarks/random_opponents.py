"""What it takes to show that all losers lose m times, by random opponents or by single claims: `python -m benchmarks.random_opponents`.

The rule and its proofs are in docs/random-opponents.md. This is the plain version of both: tests of pairs that look
after every vote, opponents in an order that is drawn beforehand; and the attempt of Theorem 2, on counts.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.omniscient import nats_to_decide
from copeland import PreferenceMatrix
from copeland.kernels.planner.prices import SHARES, nats_each
from copeland.kernels.vote_evidence import kl
from copeland.problems.generators import tournament
from copeland.support.rng import stream

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GAP = 0.3  # of the two halves
HORIZON = 1e6
ERROR = 1 / 20  # of a sequential test, either way
QUICK = ((49, 24), (199, 99), (499, 249))  # h and q of the two halves: 98, 398 and 998 options


def two_halves(q: int, gap: float) -> PreferenceMatrix:
    """Return h = 2 q + 1 options in a circle that all beat h more of the same kind (docs/cpc-theorem.md)."""
    circle = circle_of(2 * q + 1) * gap
    won = np.full(circle.shape, gap)
    return PreferenceMatrix(0.5 + np.block([[circle, won], [-won, circle]]))


def circle_of(h: int) -> Ints:
    """Return 1 where an option is at most half a round ahead of another, -1 where it is behind."""
    ahead = (np.arange(h)[None, :] - np.arange(h)[:, None]) % h
    return np.where(ahead == 0, 0, np.where(2 * ahead < h, 1, -1))


# The sequential rule


def longest_test(x: float, gap: float) -> int:
    """Return the cap on the votes of a sequential test: a gap is missed with a chance of 2 / x by then."""
    return math.ceil(3.4 * math.log(x) / gap**2)


def follow_tests(won: Bools, x: float, gap: float) -> tuple[Bools, Ints]:
    """Return which rows of votes show a win, and how many votes each takes.

    The capital (1 + 2 gap)^wins (1 - 2 gap)^losses shows a win at x, and gives up at 1 / x.
    """
    steps = np.where(won, math.log1p(2 * gap), math.log1p(-2 * gap))
    capital = np.cumsum(steps, axis=1)
    over = np.abs(capital) >= math.log(x)
    ends = np.where(over.any(axis=1), over.argmax(axis=1), won.shape[1] - 1)
    return capital[np.arange(len(won)), ends] >= math.log(x), ends + 1


def shares_divergence(hits: Floats, n: Floats, f: float) -> Floats:
    """Return n d(hits / n, f), and 0 where the share is not above f."""
    share = np.clip(hits / n, 1e-300, 1.0)
    rest = np.clip(1 - share, 1e-300, 1.0)
    found = n * (share * np.log(share / f) + rest * np.log(rest / (1 - f)))
    return np.where(hits > n * f, found, 0.0)


def indication_share(m: int, k: int, x: float) -> float:
    """Return f': the largest share of opponents that seem to beat an option which loses less than m times."""
    f = (m - 1) / (k - 1)
    return f + (1 - f) / x


def opponents_needed(hits: Bools, m: int, k: int, x: float, level: float) -> int:
    """Return after how many opponents m losses are shown, or 0 if they never are."""
    n = np.arange(1, len(hits) + 1, dtype=float)
    shown = shares_divergence(np.cumsum(hits, dtype=float), n, indication_share(m, k, x)) >= level
    return int(shown.argmax()) + 1 if shown.any() else 0


@dataclass(frozen=True)
class Sampled:
    """What random opponents took: duels of all pairs, opponents of each loser, and how many were left unshown."""

    duels: int
    opponents: Ints
    unshown: int


def sample_losers(
    m: PreferenceMatrix, losers: Ints, losses: int, gap: float, rng: np.random.Generator
) -> Sampled:
    """Show that each loser loses so many times, each by its own random order of opponents; pairs share their votes."""
    k, x, level = m.k, 1 / ERROR, math.log(2 * (m.k - 1) * HORIZON)
    read: dict[tuple[int, int], int] = {}
    tapes: dict[tuple[int, int], Bools] = {}
    cap, taken, unshown = longest_test(x, gap), [], 0
    for j in losers:
        order = rng.permutation(np.delete(np.arange(k), j))
        pairs = [(min(int(i), int(j)), max(int(i), int(j))) for i in order]
        fresh = [pair for pair in pairs if pair not in tapes]
        chances = np.array([m.p[pair] for pair in fresh])[:, None]
        tapes.update(zip(fresh, rng.random((len(fresh), cap)) < chances, strict=True))
        first = np.stack([tapes[pair] for pair in pairs])
        hits, votes = follow_tests(np.where((order < j)[:, None], first, ~first), x, gap)
        needed = opponents_needed(hits, losses, k, x, level)
        unshown += needed == 0
        taken.append(needed or k - 1)
        for pair, n in list(zip(pairs, votes, strict=True))[: taken[-1]]:
            read[pair] = max(read.get(pair, 0), int(n))
        for pair in pairs[taken[-1] :]:  # nobody has read these votes
            if pair not in read:
                del tapes[pair]
    return Sampled(sum(read.values()), np.array(taken), unshown)


def single_duels(m: PreferenceMatrix, losers: Ints, losses: int) -> float:
    """Return what single claims take at the level of the horizon, for one who knows the matrix."""
    return _planned(m, losers, losses, (1,))


def joint_duels(m: PreferenceMatrix, losers: Ints, losses: int) -> float:
    """Return what losses shown together take, planned as CPC does by one who knows the matrix."""
    return _planned(m, losers, losses, tuple(SHARES))


def _planned(m: PreferenceMatrix, losers: Ints, losses: int, shares: tuple[int, ...]) -> float:
    level, total = math.log(HORIZON), 0.0
    for j in losers:
        d = np.sort([kl(p, 0.5) for p in m.p[:, j] if p > 0.5])[::-1]
        prices = []
        for s in (s for s in shares if losses + s - 1 <= len(d)):
            claims = d[: losses + s - 1]
            nats = [nats_to_decide(v, level) if s == 1 else nats_each(s, level) for v in claims]
            prices.append(float(np.sum(np.ceil(np.array(nats) / claims))))
        total += min(prices)
    return total


# The attempt of Theorem 2


@dataclass
class Attempt:
    """One attempt at a resolution and a level: the votes of pairs, which are shown to lose, and the champion."""

    m: PreferenceMatrix
    gap: float
    level: float
    rng: np.random.Generator
    counts: dict[tuple[int, int], list[tuple[int, int]]] = field(default_factory=dict)
    duels: int = 0

    def votes_for(self, i: int, j: int, n: int) -> int:
        """Return how many of the first n votes of a pair i has; votes that were read are not drawn again."""
        key = (min(i, j), max(i, j))
        known = self.counts.setdefault(key, [(0, 0)])
        for at, (length, first) in enumerate(known):
            if length == n:
                return first if i == key[0] else n - first
            if length > n:  # a part of what was read before: any arrangement is as likely
                less, had = known[at - 1]
                got = self.rng.hypergeometric(first - had, length - less - first + had, n - less)
                known.insert(at, (n, had + int(got)))
                return self.votes_for(i, j, n)
        less, had = known[-1]
        self.duels += n - less
        known.append((n, had + int(self.rng.binomial(n - less, self.m.p[key]))))
        return self.votes_for(i, j, n)

    def beats(self, i: int, j: int, log_x: float, gap: float) -> bool:
        """Tell whether the test (x, gap) of Lemma 1 says that i beats j."""
        n = math.ceil(8 * log_x / gap**2)
        return self.votes_for(i, j, n) >= (0.5 + 0.75 * gap) * n

    def run(self) -> tuple[int, int] | None:
        """Return a champion that is shown, and how often it loses at most, or None."""
        k, level = self.m.k, self.level
        orders = [self.rng.permutation(np.delete(np.arange(k), j)) for j in range(k)]
        active, rows = set(range(k)), dict[int, int]()
        for b in range(math.ceil(math.log2(2 * (k - 1))) + 1):
            s = math.ceil(18 * level * 2**b)
            census = s > k - 1
            log_x = census_level(b, k, level) if census else math.log(12 * s / level)
            met = {j: orders[j][: min(s, k - 1)] for j in active}
            won = {j: sum(self.beats(j, int(i), log_x, self.gap) for i in met[j]) for j in active}
            lost = {j: sum(self.beats(int(i), j, log_x, self.gap) for i in met[j]) for j in active}
            leader = max(sorted(active), key=won.__getitem__)
            if leader not in rows:
                sure = sum(
                    self.beats(leader, i, level, self.gap / 2) for i in range(k) if i != leader
                )
                rows[leader] = k - 1 - sure
            c = min(rows, key=rows.__getitem__)
            shown = show_by_census if census else show_by_sample
            active = {
                j
                for j in active
                if j == c or not shown(lost[j], len(met[j]), rows[c], k, log_x, level)
            }
            if active == {c}:
                return c, rows[c]
        for j in sorted(active - {c}):
            if (
                sum(self.beats(i, j, level, self.gap / 2) for i in range(k) if i != j and i != j)
                >= rows[c]
            ):
                active.remove(j)
        return (c, rows[c]) if active == {c} else None


def census_level(b: int, k: int, level: float) -> float:
    """Return ln x of a census that must see a share of 2^-b."""
    return 1 + math.log(2 * 2**b) + 2 * level * 2**b / (k - 1)


def show_by_sample(lost: int, s: int, m: int, k: int, log_x: float, level: float) -> bool:
    """Tell whether a sample shows m losses (Lemma 2)."""
    if m == 0:
        return True
    f = indication_share(m, k, math.exp(log_x))
    return bool(shares_divergence(np.array(lost), np.array(float(s)), f) >= level)


def show_by_census(lost: int, _: int, m: int, k: int, log_x: float, level: float) -> bool:
    """Tell whether a census shows m losses (Lemma 3)."""
    if m == 0:
        return True
    extra, rest = lost - m + 1, k - m
    if extra <= 0:
        return False
    return bool(shares_divergence(np.array(extra), np.array(float(rest)), math.exp(-log_x)) >= level)


# What is measured


def measure_halves(h: int, q: int, seed: int = 0) -> tuple[str, ...]:
    """Return a row: the second half of two halves must be shown to lose q times."""
    m = two_halves(q, GAP)
    return _row(f"two halves, {m.k}", m, np.arange(h, 2 * h), q, GAP, seed)


def measure_tournament(k: int, seed: int = 0) -> tuple[str, ...]:
    """Return a row: all but the winners of a random tournament must be shown to lose as often as a winner."""
    m = tournament(k, seed=seed)
    lost = (m.p < 0.5).sum(axis=1)
    losers = np.flatnonzero(lost > lost.min())
    return _row(f"random tournament, {k}", m, losers, int(lost.min()), 0.1, seed)


def _row(
    name: str, m: PreferenceMatrix, losers: Ints, losses: int, gap: float, seed: int
) -> tuple[str, ...]:
    sampled = sample_losers(m, losers, losses, gap, stream(seed, "opponents", m.k))
    single, joint = single_duels(m, losers, losses), joint_duels(m, losers, losses)
    each = f"{np.median(sampled.opponents):.0f}"
    found = (losses, sampled.duels, round(single), round(joint), sampled.unshown)
    return (name, *(f"{value:,}" for value in found), each)


def main(sizes: tuple[int, ...] = (100, 400, 1000)) -> None:
    """Measure and print."""
    table = Table("problem", "m", "sampled", "single", "together", "unshown", "opponents")
    for h, q in QUICK:
        table.add_row(*measure_halves(h, q))
    for k in sizes:
        table.add_row(*measure_tournament(k))
    Console(width=120).print(table)


if __name__ == "__main__":
    main(tuple(int(a) for a in sys.argv[1:]) or (100, 400, 1000))
