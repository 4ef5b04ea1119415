"""Interleaved Filter against a plain version that forgets its counts with each champion."""

import math

import numpy as np
import pytest

from copeland import Policy, PreferenceMatrix
from copeland.algorithms import interleaved_filter

STEPS = np.arange(5) - np.arange(5)[:, None]
ORDER = PreferenceMatrix(0.5 + 0.12 * STEPS)  # p_ij = 0.5 + 0.12 (j - i)


class PlainFilter:
    """A champion, the options left, and the champion's record against each since it was crowned."""

    def __init__(self, k, champion, horizon, version):
        self.left = set(range(k)) - {champion}
        self.version = version
        self.log = math.log(horizon * k**2)
        self.crown(champion)

    def crown(self, champion):
        self.champion = champion
        self.left -= {champion}
        self.won = dict.fromkeys(self.left, 0)
        self.duels = dict.fromkeys(self.left, 0)
        self.seen = set()

    def mean(self, b):
        return self.won[b] / self.duels[b]

    def outside(self, b):
        return abs(self.mean(b) - 0.5) > math.sqrt(4 * self.log / self.duels[b])

    def tell(self, b, champion_won):
        self.won[b] += champion_won
        self.duels[b] += 1
        self.seen.add(b)

    def end_sweep(self):
        """The tests after a sweep; return the options that may become champion."""
        self.seen = set()
        self.left -= {b for b in self.left if self.mean(b) > 0.5 and self.outside(b)}
        superior = {b for b in self.left if self.mean(b) < 0.5 and self.outside(b)}
        if superior and self.version == 2:
            self.left -= {b for b in self.left if self.mean(b) > 0.5}
        return superior


def run_both(matrix, horizon, version, seed):
    """Filter to the end beside the plain version; return all champions and the number of duels."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    state = interleaved_filter.init(matrix.k, horizon, version)
    oracle = None
    champions = []
    for t in range(1, 10**6):
        interleaved_filter.advance(state, t, rng)
        champion = int(state.champion[0])
        if oracle is None:
            oracle = PlainFilter(matrix.k, champion, horizon, version)
            champions.append(champion)
        if oracle.seen == oracle.left:
            superior = oracle.end_sweep()
            assert (champion in superior) if superior else (champion == oracle.champion)
            if superior:
                oracle.crown(champion)
                champions.append(champion)
        size = state.challengers.size[0]
        assert set(state.challengers.items[:size].tolist()) == oracle.left
        if interleaved_filter.finished(state):
            return champions, t - 1
        first, second = interleaved_filter.select(state, t, rng)
        assert first == oracle.champion
        assert second in oracle.left - oracle.seen
        first_wins = noise.random() < matrix.p[first, second]
        interleaved_filter.update(state, *((first, second) if first_wins else (second, first)), rng)
        oracle.tell(second, first_wins)
    raise AssertionError("it did not end")


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_champions_and_options_left_are_those_of_the_plain_version(version, seed):
    champions, _ = run_both(ORDER, 100, version, seed)
    assert champions[-1] == 0


@pytest.mark.slow
def test_version_2_needs_fewer_duels():
    duels = [sum(run_both(ORDER, 100, v, seed)[1] for seed in range(6)) for v in (1, 2)]
    assert duels[1] < duels[0]


def test_the_first_champion_is_drawn():
    policies = [Policy("interleaved-filter", k=3, seed=seed, horizon=100) for seed in range(60)]
    assert {policy.ask().first for policy in policies} == {0, 1, 2}


def test_an_answer_nobody_asked_for_counts_once_one_of_the_two_is_champion():
    policy = Policy("interleaved-filter", k=2, seed=0, horizon=100)
    for _ in range(200):
        policy.add(0, 1, winner=1)
    policy.ask()  # the first sweep begins
    policy.ask()  # and is over
    assert policy.recommend() == 1
    assert policy.finished
