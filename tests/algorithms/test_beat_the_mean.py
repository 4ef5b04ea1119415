"""Beat the Mean against a plain version that keeps a list of recorded duels and nothing else."""

import copy
import math

import numpy as np
import pytest

from copeland import Policy, PreferenceMatrix
from copeland.algorithms import beat_the_mean

ORDER = PreferenceMatrix(
    [[0.5, 0.9, 0.95, 1.0], [0.1, 0.5, 0.9, 0.95], [0.05, 0.1, 0.5, 0.9], [0, 0.05, 0.1, 0.5]]
)


class PlainMean:
    """The recorded duels as (b, opponent, whether b won), and the options left."""

    def __init__(self, k, horizon, gamma):
        self.left = set(range(k))
        self.records = []
        self.width = 3 * gamma**2 * math.sqrt(math.log(2 * horizon * k))

    def fought(self):
        return {b: len(self.record_of(b)) for b in self.left}

    def won(self):
        return {b: sum(self.record_of(b)) for b in self.left}

    def record_of(self, b):
        return [won for option, other, won in self.records if option == b and other in self.left]

    def worst(self):
        """The options of which one has to be dropped now."""
        fewest = min(self.fought().values())
        if fewest == 0:
            return set()
        c = self.width / math.sqrt(fewest)
        means = {b: self.won()[b] / n for b, n in self.fought().items()}
        if min(means.values()) + c > max(means.values()) - c:
            return set()
        return {b for b, mean in means.items() if mean == min(means.values())}


def whose_record(fought, winner, loser, rng):
    """The option to be recorded: the less dueled one, the winner of a coin toss if there is none."""
    if fought[winner] == fought[loser]:
        return winner if copy.deepcopy(rng).random() < 1 / 2 else loser
    return min(winner, loser, key=fought.get)


def run_both(matrix, horizon, gamma, seed):
    """Duel to the end beside the plain version; return the answer and the options as they went."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    state = beat_the_mean.init(matrix.k, horizon, gamma)
    oracle = PlainMean(matrix.k, horizon, gamma)
    dropped = []
    while not beat_the_mean.finished(state):
        first, second = beat_the_mean.select(state, 1, rng)
        fought = oracle.fought()
        assert {first, second} <= oracle.left and first != second
        assert fought[first] == min(fought.values())
        first_wins = noise.random() < matrix.p[first, second]
        winner, loser = (first, second) if first_wins else (second, first)
        b = whose_record(fought, winner, loser, rng)
        oracle.records.append((b, winner + loser - b, b == winner))
        beat_the_mean.update(state, winner, loser, rng)
        gone = oracle.left - set(np.flatnonzero(state.active).tolist())
        assert (len(gone) == 1 and gone <= oracle.worst()) if oracle.worst() else not gone
        oracle.left -= gone
        dropped += gone
        assert oracle.fought() == {b: state.fought[b] for b in oracle.left}
        assert oracle.won() == {b: state.won[b] for b in oracle.left}
    return int(beat_the_mean.recommend(state)), dropped


@pytest.mark.slow
@pytest.mark.parametrize(("gamma", "seed"), [(1.0, 0), (1.0, 1), (1.1, 2)])
def test_records_and_options_left_are_those_of_the_plain_version(gamma, seed):
    answer, dropped = run_both(ORDER, horizon=2, gamma=gamma, seed=seed)
    assert (answer, dropped) == (0, [3, 2, 1])


def test_duels_with_a_dropped_option_are_forgotten():
    state, rng = beat_the_mean.init(3, horizon=10), np.random.default_rng(0)
    beat_the_mean.enter(state, 0, 1, 1)
    beat_the_mean.enter(state, 0, 2, 1)
    beat_the_mean.enter(state, 1, 2, 0)
    beat_the_mean.drop(state, 2)
    assert (state.won[:2].tolist(), state.fought[:2].tolist()) == ([1, 0], [1, 0])
    beat_the_mean.update(state, 2, 0, rng)
    assert state.fought[:2].tolist() == [1, 0]


def test_between_equals_a_coin_says_whose_record_changes():
    n = 400
    recorded = 0
    for seed in range(n):
        state = beat_the_mean.init(3, horizon=10)
        beat_the_mean.update(state, 0, 1, np.random.default_rng(seed))
        recorded += int(state.fought[0])
        assert state.fought.sum() == 1
    assert abs(recorded - n / 2) < 4.5 * math.sqrt(n / 4)


def test_the_opponent_is_any_other_option():
    asked = {Policy("beat-the-mean", k=3, seed=seed, horizon=10).ask()[1:] for seed in range(100)}
    assert asked == {(i, j) for i in range(3) for j in range(3) if i != j}
