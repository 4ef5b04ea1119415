"""What it takes to show that all losers lose m times, by random opponents or by single claims: `python -m benchmarks.random_opponents`.

The rule and its proofs are in docs/notes/random-opponents-proofs.md. This is the plain version of both: tests of pairs that look
after every vote, opponents in an order that is drawn beforehand; and the algorithm's search in an epoch, on counts.
"""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.omniscient import nats_to_decide
from copeland import PreferenceMatrix, simulate
from copeland.kernels.planner.prices import SHARES, nats_each
from copeland.kernels.vote_evidence import kl
from copeland.problems.generators import tournament
from copeland.support.rng import stream

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GAP = 0.3  # of the two halves
HORIZON = 1e6
LONG = 1e7  # on the matrix Q of Theorem 1: CCB has settled by then
ERROR = 1 / 20  # of a sequential test, either way
FEW = 100  # opponents that are looked at first
SOME = 40  # losers of a random tournament: the votes of all would not fit the memory
HALVES = (24, 99, 249)  # q of the two halves: 98, 398 and 998 options


def two_halves(q: int, gap: float, ties: bool = False) -> PreferenceMatrix:
    """Return h = 2 q + 1 options in a circle that all beat h more of the same kind (docs/cpc-theorem.md).

    With ``ties`` the second half are even among themselves.
    """
    circle = circle_of(2 * q + 1) * gap
    won = np.full(circle.shape, gap)
    below = np.zeros(circle.shape) if ties else circle
    return PreferenceMatrix(0.5 + np.block([[circle, won], [-won, below]]))


def circle_of(h: int) -> Ints:
    """Return 1 where an option is at most half a round ahead of another, -1 where it is behind."""
    ahead = (np.arange(h)[None, :] - np.arange(h)[:, None]) % h
    return np.where(ahead == 0, 0, np.where(2 * ahead < h, 1, -1))


def needles(mu: int, seed: int = 0) -> tuple[PreferenceMatrix, PreferenceMatrix]:
    """Return the matrices of Theorem 1: Q, and Q_j for the first j of X. Options are w, o1, o2, X and Y."""
    n, g = 32 * mu + 1, 1 / (8 * math.sqrt(mu))
    gamma, rng = g / 10, stream(seed, "needles")
    x, y = np.arange(3, n + 3), np.arange(n + 3, 2 * n + 3)
    lead = np.zeros((2 * n + 3, 2 * n + 3))
    for winner, loser in ((0, x), (0, y), (1, [0, 2]), (2, 0), (1, y), (2, y)):
        lead[winner, loser] = 0.25
    lead[np.ix_(x, [1, 2])] = 0.25
    for group in (x, y):
        lead[np.ix_(group, group)] = np.maximum(circle_of(n), 0) * gamma
    lead[np.ix_(y, x)] = gamma
    for j in x:
        lead[rng.choice(y, 2, replace=False), j] = 0.25
    changed, others = lead.copy(), np.concatenate([x[1:], y])
    changed[others, x[0]], changed[x[0], others] = 0, g
    return PreferenceMatrix(0.5 + lead - lead.T), PreferenceMatrix(0.5 + changed - changed.T)


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
    taken: list[int] = []
    unshown = 0
    for j in losers:
        order = rng.permutation(np.delete(np.arange(k), j))
        for most in (FEW, k - 1):  # most options need few, and drawing votes takes the time
            met = order[:most]
            hits, votes = follow_tests(_votes_against(m, int(j), met, tapes, gap, rng), x, gap)
            needed = opponents_needed(hits, losses, k, x, level)
            if needed:
                break
        unshown += needed == 0
        taken.append(needed or k - 1)
        for i, n in zip(met[: taken[-1]], votes, strict=False):
            pair = (min(int(i), int(j)), max(int(i), int(j)))
            read[pair] = max(read.get(pair, 0), int(n))
    return Sampled(sum(read.values()), np.array(taken), unshown)


def _votes_against(
    m: PreferenceMatrix,
    j: int,
    met: Ints,
    tapes: dict[tuple[int, int], Bools],
    gap: float,
    rng: np.random.Generator,
) -> Bools:
    """The first votes of j's pairs with these options, true where j lost; each tape is drawn once."""
    pairs = [(min(int(i), j), max(int(i), j)) for i in met]
    fresh = [pair for pair in pairs if pair not in tapes]
    chances = np.array([m.p[pair] for pair in fresh]).reshape(-1, 1)
    drawn = rng.random((len(fresh), longest_test(1 / ERROR, gap)), dtype=np.float32) < chances
    tapes.update(zip(fresh, drawn, strict=True))
    first = np.stack([tapes[pair] for pair in pairs])
    return np.where((met < j)[:, None], first, ~first)


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


# The algorithm of Theorem 2


@dataclass
class Tapes:
    """The votes of all pairs in one epoch and the orders of opponents: counts, drawn when they are first read."""

    m: PreferenceMatrix
    rng: np.random.Generator
    counts: dict[tuple[int, int], list[tuple[int, int]]] = field(default_factory=dict)
    duels: int = 0

    def __post_init__(self) -> None:
        self.orders = [self.rng.permutation(self.others(j)) for j in range(self.m.k)]

    def others(self, j: int) -> list[int]:
        """Return all options but j."""
        return [i for i in range(self.m.k) if i != j]

    def count_unread(self, pairs: set[tuple[int, int]], n: int) -> int:
        """Return how many duels it takes to have the first n votes of each pair."""
        return sum(max(n - self.counts.get(pair, [(0, 0)])[-1][0], 0) for pair in pairs)

    def votes_for(self, i: int, j: int, n: int) -> int:
        """Return how many of the first n votes of a pair i has; votes that were read are not drawn again."""
        key = pair_of(i, j)
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

    def says_beats(self, i: int, j: int, log_x: float, gap: float) -> bool:
        """Tell whether the test (x, gap) of Lemma 1 says that i beats j."""
        n = votes_of_test(log_x, gap)
        return self.votes_for(i, j, n) >= (0.5 + 0.75 * gap) * n


def pair_of(i: int, j: int) -> tuple[int, int]:
    """Return the pair, the smaller option first."""
    return min(i, j), max(i, j)


def votes_of_test(log_x: float, gap: float) -> int:
    """Return how many votes the test (x, gap) of Lemma 1 reads."""
    return math.ceil(8 * log_x / gap**2)


class Overrun(Exception):
    """Steps 1 and 2 of an attempt would take more than their budget."""


@dataclass
class Attempt:
    """One attempt at a gap and a level. Steps 1 and 2 have a budget together, and step 4 has the same for itself."""

    tapes: Tapes
    gap: float
    level: float
    budget: float = math.inf
    spent: int = 0  # in steps 1 and 2
    spent_on_losses: int = 0  # in step 4
    champion: int = -1
    most_losses: float = math.inf  # of the champion: l

    def __post_init__(self) -> None:
        self.active = list(range(self.tapes.m.k))

    def run(self) -> int | None:
        """Return an option that is shown to win, or None."""
        k = self.tapes.m.k
        try:
            for b in range(math.ceil(math.log2(2 * (k - 1))) + 1):
                self.take_steps(b)
                self.drop_sure_losers()
                if self.active == [self.champion]:
                    return self.champion
        except Overrun:
            pass
        return None

    def take_steps(self, b: int) -> None:
        """Take steps 1 to 3 of round b."""
        k, s = self.tapes.m.k, math.ceil(18 * self.level * 2**b)
        show = show_by_sample if s <= k - 1 else show_by_census
        log_x = math.log(12 * s / self.level) if s <= k - 1 else census_level(b, k, self.level)
        met = {j: [int(i) for i in self.tapes.orders[j][:s]] for j in self.active}
        self.pay({pair_of(i, j) for j in met for i in met[j]}, votes_of_test(log_x, self.gap))
        says = self.tapes.says_beats
        won = {j: sum(says(j, i, log_x, self.gap) for i in met[j]) for j in met}
        lost = {j: sum(says(i, j, log_x, self.gap) for i in met[j]) for j in met}
        self.choose_champion(max(self.active, key=won.__getitem__))
        more = int(self.most_losses) + 1
        self.active = [
            j
            for j in self.active
            if j == self.champion or not show(lost[j], s, more, k, log_x, self.level)
        ]

    def pay(self, pairs: set[tuple[int, int]], n: int) -> None:
        """Count the duels of steps 1 and 2, or end the attempt before they overrun."""
        self.spent += self.tapes.count_unread(pairs, n)
        if self.spent > self.budget:
            raise Overrun

    def choose_champion(self, leader: int) -> None:
        """Step 2: make the leader champion if more of its wins are sure."""
        others = self.tapes.others(leader)
        self.pay({pair_of(leader, i) for i in others}, self.votes_of_sure())
        losses = len(others) - sum(self.is_sure(leader, i) for i in others)
        if losses < self.most_losses:
            self.champion, self.most_losses = leader, losses

    def drop_sure_losers(self) -> None:
        """Step 4, if it fits its budget."""
        others = self.tapes.others
        pairs = {pair_of(i, j) for j in self.active for i in others(j)}
        unread = self.tapes.count_unread(pairs, self.votes_of_sure())
        if self.spent_on_losses + unread > self.budget:
            return
        self.spent_on_losses += unread
        lost = {j: sum(self.is_sure(i, j) for i in others(j)) for j in self.active}
        self.active = [j for j in lost if j == self.champion or lost[j] < self.most_losses]

    def votes_of_sure(self) -> int:
        """Return how many votes make a claim sure."""
        return votes_of_test(self.level, self.gap / 2)

    def is_sure(self, i: int, j: int) -> bool:
        """Tell whether it is sure that i beats j."""
        return self.tapes.says_beats(i, j, self.level, self.gap / 2)


def search_epoch(tapes: Tapes, length: float) -> int | None:
    """Return what the search of an epoch of this length returns: an option, or None if no attempt does."""
    k, level = tapes.m.k, 2 * math.log(length)
    for stage in itertools.count():
        if 32 * k * level * 2**stage > length:
            return None
        for a in range(2, stage // 2 + 3):
            budget = k * 2 ** (stage - 2 * (a - 2)) * level * 4**a
            found = Attempt(tapes, 2.0**-a, level, budget).run()
            if found is not None:
                return found


def census_level(b: int, k: int, level: float) -> float:
    """Return ln x of a census that must see a share of 2^-b."""
    return 1 + math.log(2 * 2**b) + 2 * level * 2**b / (k - 1)


def show_by_sample(lost: int, s: int, m: int, k: int, log_x: float, level: float) -> bool:
    """Tell whether a sample shows m >= 1 losses (Lemma 2)."""
    f = indication_share(m, k, math.exp(log_x))
    if lost <= s * f:
        return False
    return bool(shares_divergence(np.array(lost), np.array(float(s)), f) >= level)


def show_by_census(lost: int, _: int, m: int, k: int, log_x: float, level: float) -> bool:
    """Tell whether a census shows m >= 1 losses (Lemma 3)."""
    extra, rest = lost - m + 1, k - m
    if extra <= 0:
        return False
    return bool(
        shares_divergence(np.array(extra), np.array(float(rest)), math.exp(-log_x)) >= level
    )


# What is measured


def measure_halves(q: int, ties: bool = False, seed: int = 0) -> tuple[str, ...]:
    """Return a row: the second half of two halves must be shown to lose q times."""
    m, h = two_halves(q, GAP, ties), 2 * q + 1
    name = f"two halves{', ties' if ties else ''}, {m.k}"
    return _row(name, m, np.arange(h, 2 * h), q, GAP, seed)


def measure_tournament(k: int, seed: int = 0) -> tuple[str, ...]:
    """Return a row: some losers of a random tournament must be shown to lose as often as a winner."""
    m = tournament(k, seed=seed)
    lost = (m.p < 0.5).sum(axis=1)
    losers = np.flatnonzero(lost > lost.min())[:SOME]
    return _row(f"{SOME} of a tournament, {k}", m, losers, int(lost.min()), 0.1, seed)


def _row(
    name: str, m: PreferenceMatrix, losers: Ints, losses: int, gap: float, seed: int
) -> tuple[str, ...]:
    sampled = sample_losers(m, losers, losses, gap, stream(seed, "opponents", m.k))
    single, joint = single_duels(m, losers, losses), joint_duels(m, losers, losses)
    each = f"{np.median(sampled.opponents):.0f}"
    found = (losses, sampled.duels, round(single), round(joint), sampled.unshown)
    return (name, *(f"{value:,}" for value in found), each)


def measure_needles(mu: int, algorithm: str, runs: int = 8) -> tuple[str, ...]:
    """Return a row: the regret of an algorithm on the matrix Q of Theorem 1."""
    problem = needles(mu)[0]
    regret = simulate(problem, algorithm, LONG, runs=runs, seed=1).curves[0].regret[:, -1]
    error = regret.std(ddof=1) / math.sqrt(runs)
    return str(problem.k), algorithm, f"{regret.mean():,.0f} ± {error:,.0f}"


def main(sizes: tuple[int, ...] = (100, 400, 1000)) -> None:
    """Measure and print."""
    table = Table("problem", "m", "sampled", "single", "together", "unshown", "opponents")
    for q, ties in itertools.product(HALVES, (False, True)):
        table.add_row(*measure_halves(q, ties))
    for k in sizes:
        table.add_row(*measure_tournament(k))
    Console(width=120).print(table)
    table = Table("K", "algorithm", "regret")
    for mu, algorithm in itertools.product((1, 2), ("ccb", "cpc", "scb")):
        table.add_row(*measure_needles(mu, algorithm))
    Console(width=120).print(table)


if __name__ == "__main__":
    main(tuple(int(a) for a in sys.argv[1:]) or (100, 400, 1000))
