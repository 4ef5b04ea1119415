"""The decision threshold of CPC, lent to CCB and ECW-RMED: against its definition, and by hand."""

import itertools
import math

import numpy as np
import pytest
from duelling import meet
from helpers import random_matrix
from oracles.planner import index

from copeland.algorithms import ccb, ecw_rmed
from copeland.kernels.pairs import NEVER
from copeland.kernels.vote_evidence import SETTINGS, expiry_of_leader, index_of_leader
from copeland.kernels.winner_evidence import lightest_upset


def index_of_wins(wins, n, caution=0.0):
    """The index, from its definition."""
    if n == 0:
        return 0.0
    nats = sum(x * math.log(2 * x / n) for x in (wins, n - wins) if x > 0)
    return float(index(nats, n, caution)) if nats > 0 else 0.0


@pytest.mark.parametrize(
    ("wins", "duels", "expected"),
    [
        (0, 0, 0.0),
        (1, 1, 2.1243),  # -ln Phi(-sqrt(2 ln 2))
        (8, 8, math.log(8) + 7.7427),  # -ln Phi(-sqrt(16 ln 2))
        (0, 8, math.log(8) + 7.7427),
        (5, 10, 0.0),
        (6, 10, math.log(10) + 1.3362),  # 10 d(.6, 1/2) = .2014 nats
    ],
)
def test_the_index_by_hand(wins, duels, expected):
    assert index_of_leader(wins, duels, 0.0) == pytest.approx(expected, abs=1e-4)
    assert index_of_wins(wins, duels) == pytest.approx(expected, abs=1e-4)


def test_the_steps_for_which_decisions_hold_by_hand():
    assert expiry_of_leader(8, 8, 0.0) == 18_438  # 8 / Phi(-sqrt(16 ln 2)) = 18,437.9
    assert expiry_of_leader(8, 8, 7.0) == math.ceil(18_437.9 / math.exp(7 * 875 / 883))
    assert expiry_of_leader(500, 1000, 0.0) == 1
    assert expiry_of_leader(10**6, 10**6, 3.0) == NEVER


def run(algorithm, matrix, steps, seed, check, **params):
    """Duel, and let ``check`` look at every state that has come to its step."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    state = algorithm.start(matrix.k, **params)
    for t in range(1, steps + 1):
        algorithm.advance(state, t, rng)
        check(state, t)
        i, j = algorithm.select(state, t, rng)
        if i != j:
            winner = i if noise.random() < matrix.p[i, j] else j
            algorithm.update(state, winner, i + j - winner, rng)


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_ccb_decides_pairs_as_cpc_does_at_every_step(setting):
    def check(state, t):
        wins, duels = state.pairs.wins, state.pairs.duels
        for i, j in itertools.permutations(range(5), 2):
            decided = index_of_wins(wins[i, j], duels[i, j], SETTINGS[setting]) > math.log(t)
            side = np.sign(2 * wins[i, j] - duels[i, j])
            assert state.pairs.verdict[i, j] == (side if decided else 0)

    run(ccb.ALGORITHM, random_matrix(5, 3), 1500, 0, check, threshold=setting)


def test_ccb_with_two_options_duels_again_when_its_decision_expires():
    # Option 0 always wins: n wins are decided while t < n / Phi(-sqrt(2 n ln 2)) e^-c, c what is left of 4 nats.
    met = meet(ccb, ccb.init(2, threshold="eager"), 200)
    expected = [1, 2, 3, 4, 9, 23, 59, 148]
    assert len(met) == len(expected)
    assert np.isin(np.subtract(met, expected), (0, 1)).all()  # up to rounding


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_ecw_rmed_weighs_pairs_and_holds_winners_for_sure_as_cpc_does(setting):
    def check(state, t):
        tally = state.tally
        for i, j in itertools.permutations(range(4), 2):
            weight = index_of_wins(tally.wins[i, j], tally.duels[i, j], SETTINGS[setting])
            assert tally.evidence[i, j] == pytest.approx(max(weight, 0), abs=1e-7)
        if state.weighed[0]:
            found = lightest_upset(tally, tally.evidence, tally.order, state.surest[0])
            assert ecw_rmed.sure(state, t) == (found >= math.log(t))

    run(ecw_rmed.ALGORITHM, random_matrix(4, 3), 1500, 0, check, threshold=setting)


def test_ecw_rmed_with_two_options_duels_again_when_its_winner_is_no_longer_sure():
    # Option 0 always wins: it is sure as long as above. Then the list holds the pair and option 0 itself.
    met = meet(ecw_rmed, ecw_rmed.init(2, 0.1, threshold="eager"), 180)
    expected = [1, 2, 3, 4, 9, 23, 59, 148]
    assert len(met) == len(expected)
    assert np.isin(np.subtract(met, expected), (-1, 0, 1, 2)).all()  # up to rounding, and the draw
