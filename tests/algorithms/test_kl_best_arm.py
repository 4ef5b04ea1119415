import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland.algorithms.copeland_pac import close_round, kl_best_arm, leader, new_arms
from copeland.kernels.vote_evidence import kl, kl_lower, kl_upper


def plain_interval(total, t, k, delta, grid=20_001):
    """I_i of line 10, by asking every q of a grid."""
    level = math.log(4 * t * k / delta) + 2 * max(0.0, math.log(math.log(t)))
    inside = [q for q in np.linspace(0, 1, grid) if t * kl(total / t, q) <= level]
    return min(inside), max(inside)


@given(st.floats(0, 1), st.floats(0, 5))
def test_interval_ends_are_where_the_divergence_meets_the_level(p, level):
    low, high = kl_lower(p, level), kl_upper(p, level)
    assert 0 <= low <= p <= high <= 1
    assert kl(p, low) <= level and kl(p, high) <= level
    if high < 1:
        assert kl(p, min(1.0, high + 1e-9)) > level or kl(p, high) == pytest.approx(level, abs=1e-6)


def test_divergence_by_hand():
    assert kl(0.5, 0.25) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert kl(0.0, 0.5) == pytest.approx(math.log(2))
    assert kl(0.3, 0.3) == 0
    assert kl(0.5, 0.0) == kl(0.5, 1.0) == math.inf


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_round_removes_what_the_printed_lines_remove(seed):
    rng = np.random.default_rng(seed)
    k, t, delta = 6, int(rng.integers(20, 200)), 0.1
    arms = new_arms(k, delta)
    arms.sums[:] = rng.binomial(t, rng.random(k))
    arms.rounds[0] = t - 1
    close_round(arms)
    intervals = [plain_interval(total, t, k, delta) for total in arms.sums]
    highest = max(low for low, _ in intervals)
    assert arms.active.tolist() == [bool(high >= highest - 1e-4) for _, high in intervals]


def test_without_replacement_it_ends_although_two_arms_are_best():
    rewards = [iter(r) for r in ([1, 1, 0, 1, 1], [1, 0, 1, 1, 1], [0, 0, 1, 0, 0])]
    assert kl_best_arm(lambda i: next(rewards[i]), 3, delta=0.05, population=5) in (0, 1)


@pytest.mark.slow
def test_a_large_epsilon_ends_sooner():
    def pulls(epsilon):
        coins, count = np.random.default_rng(1), [0]

        def reward(i):
            count[0] += 1
            return coins.random() < (0.5, 0.65, 0.3)[i]

        kl_best_arm(reward, 3, 0.05, epsilon)
        return count[0]

    assert pulls(1.0) < pulls(0.1)


def test_the_leader_is_the_active_arm_of_the_largest_sum():
    arms = new_arms(3, 0.1)
    arms.sums[:] = [5, 9, 7]
    arms.active[1] = False
    assert leader(arms) == 2
