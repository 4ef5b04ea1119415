"""The learners of one bandit, against plain formulas, root finding and enumeration."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq

from copeland.algorithms.adversarial_sparring import (
    charge_loser,
    draw_by,
    draw_pair,
    exponential_weights,
    new_players,
    tsallis_weights,
)
from copeland.algorithms.sbm import forget_rewards, new_ucb, reward, sure_plays, ucb_choice
from copeland.kernels.learners import (
    LEFT,
    REMEMBERED,
    RIGHT,
    ask,
    close_question,
    heads,
    new_questions,
    right_one,
    self_duels,
)

SCALE = 2.5


def indices(plays, sums, scale=SCALE):
    """The literal upper confidence bounds."""
    t = sum(plays)
    return [s / n + math.sqrt(scale * math.log(t) / n) for n, s in zip(plays, sums, strict=True)]


def learner(plays, sums):
    learners = new_ucb(1, len(plays))
    for option, (n, s) in enumerate(zip(plays, sums, strict=True)):
        reward(learners, 0, option, s, n)
    return learners


def test_options_not_yet_played_come_first_each_with_equal_chance():
    learners = new_ucb(2, 4)
    rng = np.random.default_rng(0)
    for option in (1, 3):
        reward(learners, 1, option, 1, 1)
    n = 2000
    drawn = np.bincount([ucb_choice(learners, 1, SCALE, rng) for _ in range(n)], minlength=4)
    assert drawn[1] == drawn[3] == 0
    assert abs(drawn[0] - n / 2) < 4.5 * math.sqrt(n / 4)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(20))
def test_the_choice_has_the_highest_index(seed):
    rng = np.random.default_rng(seed)
    plays = rng.integers(1, 50, size=6)
    sums = rng.integers(0, plays + 1)
    choice = ucb_choice(learner(plays, sums), 0, SCALE, rng)
    assert choice == np.argmax(indices(plays, sums))


def test_a_learner_that_forgets_is_as_new():
    learners = learner([3, 4], [1, 2])
    forget_rewards(learners, 0)
    for array, fresh in zip(learners, new_ucb(1, 2), strict=True):
        assert np.array_equal(array, fresh)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(50))
def test_sure_plays_leave_the_choice_whatever_their_rewards(seed):
    rng = np.random.default_rng(seed)
    plays = rng.integers(1, 10 ** rng.integers(1, 6), size=4)
    sums = np.rint(plays * rng.random(4))
    state = learner(plays, sums)
    c = ucb_choice(state, 0, SCALE, rng)
    sure = sure_plays(state, 0, c, SCALE)
    for m in {1, sure // 2, sure - 1, sure}:
        for wins in {0, m // 2, m}:
            if 1 <= m <= sure:
                more, won = plays.copy(), sums.copy()
                more[c] += m
                won[c] += wins
                assert np.argmax(indices(more, won)) == c


def test_sure_plays_and_exponential_weights_are_those_by_hand():
    assert sure_plays(learner([10**6, 1000], [5 * 10**5, 0]), 0, 0, SCALE) > 10**5
    partly = new_ucb(1, 3)
    reward(partly, 0, 0, 90, 100)
    reward(partly, 0, 1, 0, 100)
    assert sure_plays(partly, 0, 0, SCALE) == 0
    chances = np.zeros(3)
    exponential_weights(np.array([1000.0, 1001.0, 1002.0]), math.log(2), chances)
    assert chances == pytest.approx([4 / 7, 2 / 7, 1 / 7])


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(30))
def test_tsallis_weights_are_those_of_a_root_finder(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 40))
    losses = np.cumsum(rng.exponential(10 ** rng.uniform(-3, 4), size=k))
    eta = 10 ** rng.uniform(-4, 0.5)

    def surplus(x):
        return (4 / (eta * (losses - x)) ** 2).sum() - 1

    low, high = losses.min() - 2 * math.sqrt(k) / eta, losses.min() - 2 / eta
    x = brentq(surplus, low - 1e-9 * abs(low), high + 1e-12 * abs(high), xtol=1e-14, rtol=1e-14)
    expected = 4 / (eta * (losses - x)) ** 2
    for start in (0.0, low, losses.min(), -1e9):
        chances = np.zeros(k)
        tsallis_weights(losses, eta, start, chances)
        assert chances.sum() == pytest.approx(1, abs=1e-12)
        assert chances == pytest.approx(expected, rel=1e-6)


def test_draws_follow_the_probabilities():
    rng = np.random.default_rng(1)
    chances = np.array([0.2, 0.0, 0.5, 0.3])
    n = 5000
    drawn = np.bincount([draw_by(chances, rng) for _ in range(n)], minlength=4)
    assert drawn[1] == 0
    assert np.all(np.abs(drawn - n * chances) <= 4.5 * np.sqrt(n * chances * (1 - chances)))


def test_heads_are_those_of_a_fair_coin():
    rng = np.random.default_rng(2)
    assert {heads(1, rng) for _ in range(50)} == {0, 1}
    assert abs(heads(10**6, rng) - 5 * 10**5) < 4.5 * 500


def test_an_answer_finds_its_side_late_and_out_of_order():
    rng = np.random.default_rng(3)
    asked = new_questions()
    pairs = [pair for pair in itertools.permutations(range(5), 2) if pair[0] < pair[1]]
    for t, (left, right) in enumerate(pairs, 1):
        ask(asked, left, right, t)
    for left, right in reversed(pairs):
        assert right_one(asked, right, left, rng) == right
    assert close_question(asked, 0, 1) == -1


def test_where_nobody_asked_or_too_long_ago_a_coin_gives_the_side():
    asked = new_questions()
    ask(asked, 0, 1, 1)
    for t in range(REMEMBERED):
        ask(asked, 2, 3, t + 2)
    rng = np.random.default_rng(4)
    n = 1000
    on_the_right = sum(right_one(asked, 0, 1, rng) for _ in range(n))
    assert abs(on_the_right - n / 2) < 4.5 * math.sqrt(n / 4)


def test_self_duels_are_the_steps_since_the_pair_was_asked():
    asked = new_questions()
    assert self_duels(asked, 1) == 0
    ask(asked, 2, 2, 5)
    assert self_duels(asked, 9) == 4
    ask(asked, 2, 1, 9)
    assert self_duels(asked, 10) == 0


def test_a_late_loss_has_the_weight_of_the_step_at_which_it_was_drawn():
    players = new_players(2)
    rng = np.random.default_rng(5)
    players.chances[LEFT] = [1, 0]
    players.chances[RIGHT] = [0.0, 1.0]
    draw_pair(players, 0.25, 1, rng)
    players.chances[:] = [[0, 1], [1, 0]]
    draw_pair(players, 1.0, 2, rng)
    charge_loser(players, 1, 0)  # the second pair, (1, 0): the right player lost
    charge_loser(players, 1, 0)  # the first pair, (0, 1): the left player lost
    assert players.losses.tolist() == [[1 / 1.25, 0], [1 / 2, 0]]


def test_an_answer_that_nobody_asked_for_counts_once_for_both_players():
    players = new_players(3)
    charge_loser(players, 1, 2)
    assert players.losses[LEFT].tolist() == players.losses[RIGHT].tolist() == [0, 0, 1]
