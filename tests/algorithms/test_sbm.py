"""Doubler, MultiSBM and Sparring against literal versions that keep every duel and count anew."""

import math
from itertools import pairwise

import numpy as np
import pytest
from duelling import duel
from helpers import random_matrix

import copeland
from copeland.algorithms import sbm
from copeland.kernels.learners import ask
from copeland.kernels.loop import new_ledger
from copeland.problems import problem_of
from copeland.registry import find
from copeland.simulation.cell import loop_for

pytestmark = pytest.mark.slow  # left out of `make fast`


def choice(history, k, alpha, rng):
    """What an alpha-robust UCB learner plays next, from the list of its (option, reward) so far."""
    rewards = [[r for option, r in history if option == i] for i in range(k)]
    index = [
        sum(r) / len(r) + math.sqrt((alpha + 2) * math.log(len(history)) / (2 * len(r)))
        if r
        else math.inf
        for r in rewards
    ]
    top = max(index)
    best = [i for i in range(k) if index[i] == top or abs(index[i] - top) < 1e-12]
    return best[int(rng.random() * len(best))] if len(best) > 1 else best[0]


class PlainSparring:
    def __init__(self, k, alpha):
        self.k, self.alpha, self.left, self.right = k, alpha, [], []

    def pair(self, t, rng):
        return (
            choice(self.left, self.k, self.alpha, rng),
            choice(self.right, self.k, self.alpha, rng),
        )

    def coin(self, rng):
        return not rng.random() < 0.5  # heads: the left learner is told 1

    def feed(self, left, right, right_won):
        self.left.append((left, int(not right_won)))
        self.right.append((right, int(right_won)))


class PlainMultiSbm:
    def __init__(self, k, alpha):
        self.k, self.alpha, self.previous = k, alpha, None
        self.owned = [[] for _ in range(k)]

    def pair(self, t, rng):
        x = self.previous if t > 1 else int(rng.random() * self.k)
        self.previous = choice(self.owned[x], self.k, self.alpha, rng)
        return x, self.previous

    def coin(self, rng):
        return rng.random() < 0.5

    def feed(self, left, right, right_won):
        self.owned[left].append((right, int(right_won)))


class PlainDoubler:
    """The left options by runs, as in the docstring; that they are independent draws is tested apart."""

    def __init__(self, k, alpha):
        self.k, self.alpha = k, alpha
        self.epoch = self.steps_left = self.repeats = 0
        self.chosen, self.history = [], []

    def pair(self, t, rng):
        new_epoch = self.steps_left == 0
        if new_epoch:
            self.pool = sorted(self.chosen) or [int(rng.random() * self.k)]
            self.chosen, self.history = [], []
            self.epoch += 1
            self.steps_left = 2**self.epoch
        if new_epoch or self.repeats == 0:
            others = self.pool if new_epoch else [x for x in self.pool if x != self.x]
            self.x = others[int(rng.random() * len(others))] if len(others) > 1 else others[0]
            share = self.pool.count(self.x) / len(self.pool)
            self.repeats = math.inf
            if share < 1:
                self.repeats = int(math.log(1 - rng.random()) / math.log(share))
        else:
            self.repeats -= 1
        self.steps_left -= 1
        self.chosen.append(choice(self.history, self.k, self.alpha, rng))
        return self.x, self.chosen[-1]

    def coin(self, rng):
        return rng.random() < 0.5

    def feed(self, left, right, right_won):
        self.history.append((right, int(right_won)))


PLAIN = {"sparring": PlainSparring, "multisbm": PlainMultiSbm, "doubler": PlainDoubler}


def plain_trace(name, matrix, steps, seed, alpha):
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    plain = PLAIN[name](matrix.k, alpha)
    trace = []
    for t in range(1, steps + 1):
        if t > 1 and trace[-1][0] == trace[-1][1]:
            plain.feed(*trace[-1], plain.coin(rng))
        left, right = plain.pair(t, rng)
        trace.append((left, right))
        if left != right:
            plain.feed(left, right, noise.random() >= matrix.p[left, right])
    return trace


def fast_trace(name, matrix, steps, seed, alpha):
    algorithm = find(name)
    return duel(algorithm, algorithm.start(matrix.k, alpha=alpha), matrix, steps, seed)[0]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", PLAIN)
def test_duels_are_those_of_the_literal_rule(name, seed):
    matrix = random_matrix(2 + seed, seed)
    arguments = (name, matrix, 700, seed, 3.0 if seed % 2 else 0.5)
    assert fast_trace(*arguments) == plain_trace(*arguments)


@pytest.mark.quick
def test_in_multisbm_the_right_option_is_left_at_the_next_step():
    trace = fast_trace("multisbm", random_matrix(4, 1), 300, 1, 3.0)
    assert all(before[1] == after[0] for before, after in pairwise(trace))


def test_epochs_of_doubler_last_two_four_eight_steps_and_draw_from_the_epoch_before():
    trace = fast_trace("doubler", random_matrix(5, 2), 2 + 4 + 8 + 16 + 32, 2, 3.0)
    start = 0
    before = {trace[0][0]}  # the one option of the first multiset
    for epoch in range(1, 6):
        steps = trace[start : start + 2**epoch]
        assert {left for left, _ in steps} <= before
        before = {right for _, right in steps}
        start += 2**epoch


def test_left_options_of_doubler_are_independent_draws_from_the_multiset():
    state = sbm.init_doubler(4)
    counts = np.array([600, 0, 250, 150])
    state.pool[:] = counts
    rng = np.random.default_rng(0)
    lefts = [sbm.draw_left(state, -1, rng)]
    while len(lefts) < 20_000:
        if state.repeats[0] == 0:
            lefts.append(sbm.draw_left(state, lefts[-1], rng))
        else:
            state.repeats[0] -= 1
            lefts.append(lefts[-1])
    pairs = np.zeros((4, 4))
    np.add.at(pairs, (lefts[:-1:2], lefts[1::2]), 1)
    shares = np.outer(counts, counts) / 1000**2
    n = pairs.sum()
    assert np.all(np.abs(pairs - n * shares) <= 4.5 * np.sqrt(n * shares * (1 - shares)))


def test_a_multiset_of_one_option_is_drawn_for_the_whole_epoch():
    state = sbm.init_doubler(3)
    state.pool[1] = 8
    assert sbm.draw_left(state, -1, np.random.default_rng(0)) == 1
    assert state.repeats[0] > 10**15


@pytest.mark.parametrize(
    ("name", "told"),
    [("sparring", [(0, 2), (1, 1)]), ("multisbm", [(2, 1)]), ("doubler", [(0, 1)])],
)
def test_a_tie_is_worth_a_half_and_a_late_answer_is_told_to_the_learner_who_chose(name, told):
    algorithm = find(name)
    state = algorithm.start(3)
    algorithm.tie(state, 2, 1, np.random.default_rng(0))
    learners = state[0]
    for row, option in told:
        assert (learners.plays[row, option], learners.sums[row, option]) == (1, 0.5)
    assert learners.plays.sum() == len(told)
    algorithm = find(name)
    state = algorithm.start(3)
    ask(state.asked, 2, 1, 1)
    ask(state.asked, 0, 2, 2)
    algorithm.update(state, 1, 2, np.random.default_rng(0))
    learners = state[0]
    assert [learners.plays[row, option] for row, option in told] == [1] * len(told)
    assert learners.plays.sum() == len(told)
    assert learners.sums[told[-1]] == learners.sums.sum() == 1  # of the right option, which won


@pytest.mark.nightly
@pytest.mark.parametrize("name", PLAIN)
def test_a_horizon_of_1e9_takes_few_turns(name):
    problem, algorithm = problem_of("mslr-5-condorcet"), find(name)
    loop = loop_for(algorithm, problem, compiled=True)
    ledger, room = new_ledger(np.array([10**9])), np.zeros(5, np.int64)
    noise, rng = np.random.default_rng(0), np.random.default_rng(1)
    turns = 10**7
    loop(algorithm.start(5), problem.world, np.zeros(5), room, ledger, turns, True, noise, rng)
    assert ledger.mark[0] == 1


@pytest.mark.nightly
def test_multisbm_is_lost_where_the_others_beat_each_other_harder_than_the_winner_does():
    # cyclic-4 has no utilities: each loser's learner prefers the one that beats it at 0.9 to the
    # winner, which beats it at 0.6, so steps run in the circle and regret is linear.
    runs = copeland.simulate("cyclic-4", "multisbm", 1e5, runs=10, seed=0)
    assert runs.curves[0].regret[:, -1].min() > 1e5


@pytest.mark.parametrize("name", ["doubler", "multisbm", "sparring"])
def test_the_sides_of_a_tie_that_nobody_asked_for_are_drawn(name):
    seen = set()
    for seed in range(12):
        policy = copeland.Policy(name, k=3, seed=seed)
        policy.add(0, 1, None)
        learners = getattr(policy.state, "learners", None) or policy.state.learner
        seen.add(tuple(learners.plays.ravel().tolist()))
    assert len(seen) == 2
