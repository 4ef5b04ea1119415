"""The RMED family against its rule read literally, with nothing kept from step to step but the lists."""

import itertools
import math

import numpy as np
import pytest
from helpers import random_matrix

import copeland
from copeland.algorithms import rmed
from copeland.algorithms.rmed import add_duel, cheapest_refuter, first_step, new_evidence
from copeland.registry import find

pytestmark = pytest.mark.slow  # the oracles of rivals are left out of `make fast`

ROUNDING = 1e-9
HORIZON = 1500
FAMILY = ("rmed1", "rmed2", "rmed2fh")


def divergence(p):
    """d(p, 1/2)."""
    return sum(x * math.log(2 * x) for x in (p, 1 - p) if x > 0)


class Literal:
    """Algorithm 1 in sets, nothing else kept: says which duels it allows, is told which was made."""

    def __init__(self, name, k, alpha=3.0):
        self.name, self.k, self.alpha = name, k, alpha
        self.f = 0.3 * k**1.01
        self.wins = np.zeros((k, k), int)
        self.current = set(range(k))  # L_C, those still to come
        self.remaining = set(range(k))  # L_R
        self.following = set()  # L_N
        self.between = True
        self.fixed = None

    def n(self, i, j):
        return self.wins[i, j] + self.wins[j, i]

    def m(self, i, j):
        return self.wins[i, j] / self.n(i, j) if self.n(i, j) else 0.5

    def others(self, i):
        return [j for j in range(self.k) if j != i]

    def losses(self, i):
        return {j for j in self.others(i) if self.m(i, j) <= 0.5}

    def evidence(self, i):
        return sum(self.n(i, j) * divergence(self.m(i, j)) for j in self.losses(i))

    def best(self):
        """Every option that may be i*."""
        all_evidence = [self.evidence(i) for i in range(self.k)]
        least = min(all_evidence)
        return {i for i in range(self.k) if all_evidence[i] <= least + ROUNDING}

    def refuters(self, l, best):
        """Every option that may be b*(l)."""
        costs = {
            j: max(self.m(best, l) + self.m(best, j) - 1, 0) / divergence(self.m(l, j))
            for j in self.losses(l)
            if self.m(l, j) < 0.5
        }
        return {j for j in costs if costs[j] <= min(costs.values()) + ROUNDING}

    def quota(self, t):
        if self.name == "rmed2fh":
            return math.ceil(self.alpha * math.log(math.log(HORIZON)))
        if self.name == "rmed2" and t >= 3:
            return max(1, self.alpha * math.log(math.log(t)))
        return 1

    def short(self, t):
        if not self.between or (self.name == "rmed2fh" and self.fixed is not None):
            return set()
        pairs = itertools.combinations(range(self.k), 2)
        return {pair for pair in pairs if self.n(*pair) < self.quota(t)}

    def opponents(self, l, best, t):
        if self.name != "rmed1":
            loglog = math.log(math.log(max(t if self.name == "rmed2" else HORIZON, math.e)))
            refuters = self.fixed[l] if self.name == "rmed2fh" else self.refuters(l, best)
            usable = {
                b
                for b in refuters
                if b in self.losses(l) and self.n(l, best) * loglog >= self.n(l, b)
            }
            if usable == refuters != set():
                return usable
            return usable | self.opponents_of_algorithm_2(l, best)
        return self.opponents_of_algorithm_2(l, best)

    def opponents_of_algorithm_2(self, l, best):
        if not self.losses(l) or best in self.losses(l):
            return {best}
        worst = min(self.m(l, j) for j in self.others(l))
        return {j for j in self.others(l) if self.m(l, j) == worst}

    def allowed(self, t):
        short = self.short(t)
        if short:
            return short
        if self.name == "rmed2fh" and self.fixed is None:
            self.fixed = {
                l: set().union(*(self.refuters(l, b) for b in self.best())) for l in range(self.k)
            }
        return {(l, m) for l in self.current for b in self.best() for m in self.opponents(l, b, t)}

    def take(self, t, first, second, winner):
        exploring = bool(self.short(t))
        if first != second:
            self.wins[winner, first + second - winner] += 1
        if exploring:
            return
        self.between = False
        self.current -= {first}
        self.remaining -= {first}
        least = min(self.evidence(j) for j in range(self.k))
        for j in set(range(self.k)) - self.remaining:
            if self.evidence(j) - least <= math.log(t + 1) + self.f + ROUNDING:
                self.following.add(j)
        if not self.current:
            self.current = set(self.following)
            self.remaining = set(self.following)
            self.following = set()
            self.between = True


def duel(name, matrix, seed):
    """Yield the steps of an algorithm, with its state."""
    algorithm = find(name)
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    state = algorithm.start(matrix.k, HORIZON)
    for t in range(1, HORIZON + 1):
        algorithm.advance(state, t, rng)
        first, second = (int(x) for x in algorithm.select(state, t, rng))
        winner = first if noise.random() < matrix.p[first, second] else second
        yield t, state, first, second, winner
        if first != second:
            algorithm.update(state, winner, first + second - winner, rng)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("seed", range(6))  # cyclic-4, then each K from 2 to 6
def test_every_duel_is_one_that_the_literal_rule_allows(name, seed):
    matrix = copeland.load("cyclic-4") if seed == 0 else random_matrix(2 + seed % 5, seed)
    literal = Literal(name, matrix.k)
    for t, state, first, second, winner in duel(name, matrix, seed):
        allowed = literal.allowed(t)
        assert (first, second) in allowed, f"step {t}: {first}, {second} is not among {allowed}"
        literal.take(t, first, second, winner)
        if t % 100 == 0:
            expected = [literal.evidence(i) for i in range(matrix.k)]
            # The state has not taken in the answer of this step yet.
            unchanged = [i for i in range(matrix.k) if i not in (first, second)]
            assert np.allclose(state.evidence.divergence[unchanged], np.take(expected, unchanged))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("problem", ["cyclic-4", "arithmetic-8", "mslr-5-condorcet"])
def test_a_jump_is_the_same_run_as_its_single_steps(name, problem):
    jumped = copeland.simulate(problem, name, 5e5, runs=3, seed=5).curves[0]
    stepped = copeland.simulate(problem, name, 5e5, runs=3, seed=5, jump=False).curves[0]
    assert np.array_equal(jumped.regret, stepped.regret)
    assert np.array_equal(jumped.comparisons, stepped.comparisons)
    assert jumped.comparisons.max() < 1e5  # there was something to jump over


@pytest.mark.quick
def test_the_divergence_is_that_of_the_lost_pairs():
    evidence = new_evidence(3)
    for winner, loser in [(0, 1), (1, 0), (0, 1), (0, 1), (2, 1), (0, 2), (2, 0)]:
        add_duel(evidence, winner, loser)
    against_1 = 4 * (0.25 * math.log(0.5) + 0.75 * math.log(1.5)) + math.log(2)
    assert np.allclose(evidence.divergence, [0, against_1, 0])


def counts_of(matrix, n):
    """The evidence of n duels of each pair that came out exactly as likely."""
    evidence = new_evidence(matrix.k)
    for i, j in itertools.permutations(range(matrix.k), 2):
        for _ in range(round(n * matrix.p[i, j])):
            add_duel(evidence, i, j)
    evidence.best[0] = 0
    return evidence


def test_an_option_is_refuted_where_that_costs_the_least_regret_which_is_never_below_zero():
    # On cyclic-4, option 1 loses to 0 at .4 and to 3 at .1. Refuting it costs (.1 + 0) / d(.4) = 5.0
    # against 0 and (.1 + .1) / d(.1) = 0.5 against 3; with the opposite sign 0 would be the answer.
    evidence = counts_of(copeland.load("cyclic-4"), 10)
    rng = np.random.default_rng(0)
    assert [cheapest_refuter(evidence, l, rng) for l in range(4)] == [-1, 3, 1, 2]
    # i* = 0 beats 1 at .6 and loses to 2 at .3 and to 3 at .2: against both, option 1 costs 0.
    p = [[0.5, 0.6, 0.3, 0.2], [0.4, 0.5, 0.1, 0.4], [0.7, 0.9, 0.5, 0.5], [0.8, 0.6, 0.5, 0.5]]
    evidence = counts_of(copeland.PreferenceMatrix(p), 10)
    rng = np.random.default_rng(0)
    assert {cheapest_refuter(evidence, 1, rng) for _ in range(30)} == {2, 3}


def test_first_step_is_the_first_step_whose_logarithm_reaches_the_level():
    rng = np.random.default_rng(0)
    for level in [-5.0, 0.0, 1.0, math.log(7), *rng.uniform(0, 36.9, 2000)]:
        t = first_step(level)
        assert math.log(t) >= level
        assert t == 1 or math.log(t - 1) < level
    assert first_step(37.5) == first_step(math.inf) == 2**62


def test_a_lone_listed_option_rests_until_another_may_be_the_winner():
    state = rmed.init(2, c=0)
    rng = np.random.default_rng(0)
    for _ in range(5):
        rmed.update(state, 0, 1, rng)
    for t in range(1, 9):  # ln t < 5 ln 2: option 1 leaves the list after its turn
        rmed.advance(state, t, rng)
    assert rmed.select(state, 8, rng) == (0, 0)
    assert rmed.rest(state, 8) == 32  # the first t with ln t >= 5 ln 2
    rmed.advance(state, 32, rng)
    assert state.turns.size[0] == 2


def test_every_pair_is_asked_for_again_when_its_quota_grows():
    assert rmed.step_to_outgrow(1, 3.0) == 5  # 3 ln ln 5 = 1.43, 3 ln ln 4 = 0.98
    assert rmed.step_to_outgrow(2, 3.0) == 8  # 3 ln ln 8 = 2.20, 3 ln ln 7 = 1.997
    assert rmed.step_to_outgrow(100, 3.0) == rmed.step_to_outgrow(1, 1e-9) == 2**62


def test_the_initial_phase_of_a_known_horizon_duels_every_pair_alpha_lnln_t_times():
    state = rmed.init_rmed2fh(4, horizon=10**5)
    assert state.quota.duels[0] == 8  # 3 ln ln 1e5 = 7.33
    rng = np.random.default_rng(0)
    for t in range(1, 6 * 8 + 1):
        rmed.advance_rmed2fh(state, t, rng)
        rmed.update(state, *sorted(rmed.select_rmed2fh(state, t, rng)), rng)
    assert (state.evidence.duels + 8 * np.eye(4) == 8).all()
    rmed.advance_rmed2fh(state, 49, rng)
    assert state.refuter.tolist() == [-1, 0, 0, 0]  # whoever wins all costs the least regret


@pytest.mark.slow
def test_choosing_the_refuter_pays_where_losers_beat_each_other_clearly():
    # Made for it: on cyclic-4 an option loses to 0 at .4 but to its successor at .1.
    rows = copeland.simulate("cyclic-4", list(FAMILY), 1e6, runs=100, seed=0).summary()
    one, two, two_fixed = (row["mean"] for row in rows)
    assert two < one / 2
    assert two_fixed < one / 2
