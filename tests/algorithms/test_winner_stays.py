"""Winner Stays against scores counted anew from all duels, by hand, and against gambler's ruin."""

import math

import numpy as np
import pytest
from duelling import duel
from helpers import random_matrix

from copeland import Policy, PreferenceMatrix
from copeland.algorithms import winner_stays
from copeland.algorithms.winner_stays import STRONG, WEAK


def plain_pair(k, duels, previous, rng):
    """The rule as written: scores from all duels, the highest two, ties to who stood."""
    scores = [sum(w == i for w, _ in duels) - sum(l == i for _, l in duels) for i in range(k)]

    def highest(options):
        top = [i for i in options if scores[i] == max(scores[j] for j in options)]
        for stood in previous:
            if stood in top:
                return stood
        return top[int(rng.random() * len(top))] if len(top) > 1 else top[0]

    first = highest(range(k))
    return first, highest([i for i in range(k) if i != first])


def play(algorithm, matrix, steps, seed, **params):
    """Step by step; return the trace of pairs, the answers and the state."""
    state = algorithm.start(matrix.k, **params)
    return *duel(algorithm, state, matrix, steps, seed), state


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_duels_are_those_of_the_rule_as_written(seed):
    matrix = random_matrix(2 + seed, seed)
    trace, answers, _ = play(WEAK, matrix, 400, seed)
    rng = np.random.default_rng(seed)
    previous = (-1, -1)
    for t, pair in enumerate(trace):
        previous = plain_pair(matrix.k, answers[:t], previous, rng)
        assert pair == previous


def test_three_options_with_certain_wins_by_hand():
    # Whoever begins, 0 wins round 1 and stays; then 1 and 2 lose one duel to it in every round.
    certain = PreferenceMatrix([[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]])
    trace, _, state = play(WEAK, certain, 20, seed=0)
    rounds = (np.array(trace[-8:]) == 0).any(axis=1)
    assert rounds.all()
    assert [pair[1] for pair in trace[-8:]] in ([1, 1, 2, 2, 1, 1, 2, 2], [2, 2, 1, 1, 2, 2, 1, 1],
                                                [1, 2, 2, 1, 1, 2, 2, 1], [2, 1, 1, 2, 2, 1, 1, 2])  # fmt: skip
    assert state.scores.sum() == 0


@pytest.mark.parametrize("k", [2, 3, 6])
def test_a_round_ends_with_scores_of_minus_r_and_the_winner_at_k_minus_one_times_r(k):
    rng = np.random.default_rng(k)
    matrix = PreferenceMatrix(0.5 + 0.3 * np.sign(np.arange(k)[None, :] - np.arange(k)[:, None]))
    state = winner_stays.init_strong(k, beta=1.5)
    ended = 0
    for t in range(1, 3000):
        before = int(state.round[0])
        winner_stays.advance(state, t, rng)
        if state.round[0] > before:
            expected = np.full(k, -before)
            expected[state.winner[0]] = (k - 1) * before
            assert state.round[0] == before + 1
            assert state.scores.tolist() == expected.tolist()
            ended += 1
        first, second = winner_stays.select(state, t, rng)
        if first != second:
            wins = rng.random() < matrix.p[first, second]
            winner_stays.update(state, *((first, second) if wins else (second, first)), rng)
    assert ended >= 10


@pytest.mark.parametrize("beta", [1.05, 1.1, 2.0])
def test_the_rest_after_round_r_lasts_floor_of_beta_to_the_r(beta):
    matrix = PreferenceMatrix([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]])
    trace, _, state = play(STRONG, matrix, 900, seed=4, beta=beta)
    text = "".join("r" if first == second else "." for first, second in trace) + "."
    rests = [len(run) for run in text.split(".") if run]
    assert state.round[0] > 5
    complete = rests[:-1] if trace[-1][0] == trace[-1][1] else rests
    assert complete == [math.floor(beta**r) for r in range(1, len(complete) + 1)]


def test_between_its_rests_the_strong_version_duels_as_the_weak_one():
    matrix = random_matrix(5, 3)
    strong, _, _ = play(STRONG, matrix, 1500, seed=3)
    duels = [pair for pair in strong if pair[0] != pair[1]]
    weak, _, _ = play(WEAK, matrix, len(duels), seed=3)
    assert duels == weak


def test_a_rest_is_jumped_over_at_once_and_long_ones_never_end():
    state = winner_stays.init_strong(2, beta=2.0)
    state.scores[:] = [3, -3]
    winner_stays.advance(state, 10, np.random.default_rng(0))
    assert winner_stays.select(state, 10, np.random.default_rng(0)) == (0, 0)
    assert state.round[0] == 4
    assert winner_stays.rest(state, 10) == 10 + 2 + 4 + 8
    state.round[0] = 100_000
    assert winner_stays.rest_length(state) > 2**61


@pytest.mark.slow
def test_with_two_options_the_winner_of_round_r_is_wrong_as_in_gamblers_ruin():
    # The score walks from 0 to r or -r: P(wrong) = 1 / (1 + (p / q)^r).
    p, n, last = 0.6, 2000, 4
    rng = np.random.default_rng(0)
    wrong = np.zeros(last + 1)
    for _ in range(n):
        state = winner_stays.init_weak(2)
        t = 0
        while state.round[0] <= last:
            t += 1
            before = state.round[0]
            winner_stays.advance(state, t, rng)
            if state.round[0] > before:
                wrong[before] += state.winner[0]
            winner_stays.update(state, *((0, 1) if rng.random() < p else (1, 0)), rng)
    for r in range(1, last + 1):
        expected = 1 / (1 + (p / (1 - p)) ** r)
        assert abs(wrong[r] / n - expected) < 4.5 * math.sqrt(expected * (1 - expected) / n)


@pytest.mark.slow
def test_the_best_option_is_soon_in_every_duel():
    # In round r another option takes over with probability about (0.1 / 0.9)^r.
    matrix = PreferenceMatrix(0.5 + 0.4 * np.sign(np.arange(5)[None, :] - np.arange(5)[:, None]))
    for seed in range(10):
        trace, _, _ = play(WEAK, matrix, 1500, seed)
        assert all(0 in pair for pair in trace[-500:])


def test_a_batch_asks_for_the_same_duel_until_an_answer_comes():
    policy = Policy("winner-stays", k=4, seed=2)
    assert len({duel[1:] for duel in policy.ask(n=5)}) == 1
