"""SAVAGE, PBR and RankEl against the papers' rules recomputed from all answers after every duel."""

import math
from itertools import combinations

import numpy as np
import pytest

import copeland
from copeland import Policy, PreferenceMatrix
from copeland.registry import find

pytestmark = pytest.mark.slow  # the oracles of rivals are left out of `make fast`

HORIZON = 2000


class Plain:
    """The rules of the papers, with nothing kept but the answers and the set of active pairs.

    `lower` and `upper` are the ends of each p_ij's interval, each duel's interval cut with the last.
    """

    epsilon = 0.0

    def __init__(self, k, radius):
        self.k = k
        self.radius = radius
        self.wins = np.zeros((k, k))
        self.lower, self.upper = np.zeros((k, k)), np.ones((k, k))
        self.active = set(combinations(range(k), 2))

    @property
    def duels(self):
        return self.wins + self.wins.T

    def scores(self):
        """The lowest and the highest score that each option may have."""
        others = ~np.eye(self.k, dtype=bool)
        lowest = ((self.lower > 0.5 + self.epsilon) & others).sum(axis=1)
        highest = ((self.upper >= 0.5 + self.epsilon) & others).sum(axis=1)
        return lowest, highest

    def tell(self, winner, loser):
        self.wins[winner, loser] += 1
        n = self.duels[winner, loser]
        for i, j in ((winner, loser), (loser, winner)):
            p, c = self.wins[i, j] / n, self.radius(n)
            self.lower[i, j] = max(self.lower[i, j], p - c)
            self.upper[i, j] = min(self.upper[i, j], p + c)
        self.active = {pair for pair in self.active if not self.needless(*pair)}

    def decided(self, i, j):
        low, high = self.lower[i, j], self.upper[i, j]
        above, below = low > 0.5 + self.epsilon, high < 0.5 - self.epsilon
        return above or below or (low > 0.5 - self.epsilon and high < 0.5 + self.epsilon)


class PlainSavage(Plain):
    def needless(self, i, j):
        lowest, highest = self.scores()
        both_out = lowest.max() > highest[i] and lowest.max() > highest[j]
        return self.decided(i, j) or both_out


class PlainSavageCondorcet(Plain):
    def needless(self, i, j):
        return self.upper[i].min() < 0.5 or self.upper[j].min() < 0.5


class PlainPbr(Plain):
    def settled(self, i):
        lowest, highest = self.scores()
        others = [j for j in range(self.k) if j != i]
        selected = sum(highest[j] < lowest[i] for j in others) >= self.k - 1
        discarded = sum(lowest[j] > highest[i] for j in others) >= 1
        return selected or discarded

    def needless(self, i, j):
        return self.decided(i, j) or (self.settled(i) and self.settled(j))


class PlainRankel(Plain):
    def needless(self, i, j):
        lowest, highest = self.scores()
        options = range(self.k)
        sure = any(all(lowest[a] >= highest[b] for b in options if b != a) for a in options)
        return sure or self.decided(i, j)


def hoeffding(log_of):
    """The radius sqrt(log_of(n) / (2n))."""
    return lambda n: math.sqrt(log_of(n) / (2 * n))


def plain(name, k, delta=0.0, epsilon=0.0):
    """The plain version of an algorithm with the radius of its paper."""
    t, n_pairs, d = HORIZON, k * (k - 1) / 2, delta or 1 / HORIZON
    if name.startswith("savage"):
        eta = (lambda n: math.pi**2 * n_pairs * n**2 / 3) if delta else (lambda n: 2 * n_pairs * t)
        kind = PlainSavage if name == "savage" else PlainSavageCondorcet
        return kind(k, hoeffding(lambda n: math.log(eta(n) / d)))
    if name == "pbr":
        return PlainPbr(k, hoeffding(lambda n: math.log(2 * k**2 * t / d)))
    oracle = PlainRankel(k, hoeffding(lambda n: math.log(5 * k**2 * n**4 / (4 * d))))
    oracle.epsilon = epsilon
    return oracle


def run_both(name, matrix, seed, steps=100_000, **params):
    """Duel an algorithm to its end beside its plain version; return the latter and the answer.

    Every pair asked must be one that the plain version would ask: active, and dueled least.
    """
    algorithm, oracle = find(name), plain(name, matrix.k, **params)
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    state = algorithm.start(matrix.k, HORIZON, **params)
    for t in range(1, steps):
        algorithm.advance(state, t, rng)
        assert algorithm.finished(state) == (not oracle.active)
        if algorithm.finished(state):
            return oracle, int(algorithm.recommend(state))
        i, j = algorithm.select(state, t, rng)
        assert (i, j) in oracle.active
        assert oracle.duels[i, j] == min(oracle.duels[pair] for pair in oracle.active)
        winner, loser = (i, j) if noise.random() < matrix.p[i, j] else (j, i)
        algorithm.update(state, winner, loser, rng)
        oracle.tell(winner, loser)
    raise AssertionError("it did not end")


WORLDS = {
    "easy": "easy-5:seed=2",
    "easier": "easy-4:seed=5",
    "three winners in a circle": "order-5-0.3",
    "cyclic": "cyclic-4",
}
NAMES = ["savage", "savage-condorcet", "pbr", "rankel"]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("name", NAMES)
def test_pairs_and_end_are_those_of_the_rule_recomputed_after_every_duel(name, delta, world):
    matrix = copeland.load(world)
    oracle, answer = run_both(name, matrix, seed=3, delta=delta)
    lowest, highest = oracle.scores()
    if name != "savage-condorcet":
        assert all(lowest[answer] >= highest[j] for j in range(matrix.k) if j != answer)
        assert answer in copeland.winners.copeland_winners(matrix)
    else:
        assert highest[answer] == highest.max()


def test_pbr_selects_an_option_before_all_its_pairs_are_decided():
    # Option 0 beats 1, 2 and 3 and ties with 4; each of the others loses twice at least.
    matrix = PreferenceMatrix(
        [
            [0.5, 1.0, 1.0, 1.0, 0.5],
            [0.0, 0.5, 1.0, 0.0, 1.0],
            [0.0, 0.0, 0.5, 1.0, 1.0],
            [0.0, 1.0, 0.0, 0.5, 0.0],
            [0.5, 0.0, 0.0, 1.0, 0.5],
        ]
    )
    oracle, answer = run_both("pbr", matrix, seed=0)
    assert answer == 0
    assert not oracle.decided(0, 4)


@pytest.mark.quick
def test_rankel_ends_where_all_options_tie_within_epsilon():
    matrix = PreferenceMatrix([[0.5, 0.55, 0.45], [0.45, 0.5, 0.5], [0.55, 0.5, 0.5]])
    oracle, answer = run_both("rankel", matrix, seed=0, epsilon=0.2)
    lowest, highest = oracle.scores()
    assert lowest.tolist() == [0, 0, 0]
    assert np.delete(highest, answer).tolist() == [0, 0]


@pytest.mark.parametrize(("epsilon", "best"), [(0.0, 0), (0.25, 1)])
def test_rankel_counts_only_wins_by_more_than_epsilon(epsilon, best):
    # Option 0 beats both others by 0.15, option 1 beats option 2 by 0.45.
    matrix = PreferenceMatrix([[0.5, 0.65, 0.65], [0.35, 0.5, 0.95], [0.35, 0.05, 0.5]])
    _, answer = run_both("rankel", matrix, seed=1, epsilon=epsilon)
    assert answer == best


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_stays_whatever_is_told_later(name):
    policy = Policy(name, k=3, seed=0, horizon=500)
    while not policy.finished:
        duel = policy.ask()
        policy.tell(duel, winner=min(duel.first, duel.second))
    assert policy.recommend() == 0
    for _ in range(500):
        policy.add(0, 1, winner=1)
        policy.add(0, 2, winner=2)
    assert policy.finished
    assert policy.recommend() == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_holds_every_active_pair_once(name):
    duels = Policy(name, k=4, seed=0, horizon=500).ask(n=6)
    assert len({(duel.first, duel.second) for duel in duels}) == 6
