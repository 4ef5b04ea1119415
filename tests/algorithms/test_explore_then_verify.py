"""Explore-then-verify against the rule recomputed at every step, and against what its proofs must prove."""

import itertools
import math

import numpy as np
import pytest
from duelling import identify
from helpers import certain_matrix, random_matrix

import copeland
from copeland import PreferenceMatrix
from copeland.algorithms import explore_then_verify as etv
from copeland.kernels.trials import LOST, OPEN, TIED, WON

pytestmark = pytest.mark.slow  # left out of `make fast`


def play(state, rng, best, steps):
    """Let the option that comes first in the circle from ``best`` win every duel."""
    k = len(state.won)
    for t in range(steps):
        etv.advance(state, t + 1, rng)
        if etv.finished(state):
            return
        pair = sorted((int(i) for i in etv.select(state, t + 1, rng)), key=lambda i: (i - best) % k)
        etv.update(state, *pair, rng)


@pytest.mark.quick
def test_with_certain_duels_the_answer_is_a_copeland_winner_by_enumeration():
    for seed in range(30):
        matrix = certain_matrix(seed)
        answer, _ = identify(etv, matrix, seed)
        wins = (matrix.p > 0.5).sum(axis=1)
        assert wins[answer] == wins.max()


@pytest.mark.parametrize("seed", range(6))
def test_only_pairs_that_matter_are_dueled_and_all_of_them_alike(seed):
    matrix = random_matrix(3 + seed % 4, seed)
    k = matrix.k

    def allowed(state):
        """The pairs that the rule may duel, from the verdicts alone."""
        verdict = state.trials.verdict
        won = [(verdict[i] == WON).sum() for i in range(k)]
        reach = [k - 1 - np.isin(verdict[i], (LOST, TIED)).sum() for i in range(k)]
        for i, j in itertools.combinations(range(k), 2):
            claimed = state.claim[i, j] or state.claim[j, i]
            may_win = max(reach[i], reach[j]) >= max(won)
            if verdict[i, j] == OPEN and (claimed if state.candidate[0] >= 0 else may_win):
                yield i, j

    def watch(state):
        pairs = list(allowed(state))
        assert tuple(state.pair) in pairs
        duels = [int(state.trials.duels[pair]) for pair in pairs]
        assert max(duels) - min(duels) <= 1

    answer, _ = identify(etv, matrix, seed, watch)
    assert answer in copeland.winners.copeland_winners(matrix)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(8))
def test_a_proof_proves_its_candidate_a_winner_whatever_the_other_pairs_are(seed):
    # Exact ties among four options: every outcome (win, tie, loss) of the pairs that the proof
    # leaves open is tried.
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.choice([0.1, 0.5, 0.9], (4, 4)), 1)
    matrix = PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(4) / 2)
    proofs = []

    def watch(state):
        if state.candidate[0] >= 0:
            proofs.append((int(state.candidate[0]), state.claim.copy()))

    identify(etv, matrix, seed, watch, resolution=0.1)
    candidate, claim = proofs[-1]
    pairs = list(itertools.combinations(range(4), 2))
    for outcome in itertools.product((WON, LOST, TIED), repeat=len(pairs)):
        wins = np.zeros((4, 4), bool)
        for (i, j), result in zip(pairs, outcome, strict=True):
            wins[i, j], wins[j, i] = result == WON, result == LOST
        as_claimed = wins[claim == etv.WINS].all() and not wins[claim == etv.WINS_NOT].any()
        if as_claimed:
            assert wins.sum(axis=1)[candidate] == wins.sum(axis=1).max()


def test_a_proof_names_the_widest_losses_of_every_other_option():
    # Five options in a circle, each beats the next two and option 5: five winners, with two losses.
    state = etv.init(6)
    beaten = [(i, (i + step) % 5, 30) for i in range(5) for step in (1, 2)]
    beaten += [(i, 5, lead) for i, lead in enumerate((10, 20, 15, 40, 5))]
    for i, j, lead in beaten:
        state.trials.verdict[i, j], state.trials.verdict[j, i] = WON, LOST
        state.trials.duels[i, j] = state.trials.duels[j, i] = 100
        state.trials.wins[i, j], state.trials.wins[j, i] = 50 + lead, 50 - lead
    state.won[:] = 3, 3, 3, 3, 3, 0
    etv.write_proof(state, 0, np.random.default_rng(0))
    wins = [np.flatnonzero(row == etv.WINS).tolist() for row in state.claim]
    assert wins == [[1, 2, 5], [], [], [], [], []]
    not_won = [np.flatnonzero(row == etv.WINS_NOT).tolist() for row in state.claim]
    assert not_won == [[], [4], [1], [1, 2], [2, 3], [3]]


def test_levels_share_kappa_among_all_pairs_and_delta_among_those_of_the_proof():
    state, rng = etv.init(4, delta=0.01), np.random.default_rng(0)
    assert state.level[0] == pytest.approx(math.log(6 * math.log(100)))  # 1/ln 100 < 1/3
    assert etv.init(4, delta=0.5).level[0] == pytest.approx(math.log(6 * 3))
    while state.candidate[0] < 0:
        play(state, rng, best=0, steps=1)
    # Option 0 wins all three of its pairs, so nobody else has to be shown to lose.
    assert (state.candidate[0], state.size[0]) == (0, 3)
    assert state.level[0] == pytest.approx(math.log(3 * 2 / 0.01))
    assert state.trials.duels.sum() <= 2  # fresh duels


def test_a_refuted_proof_begins_the_next_round_at_a_smaller_delta():
    state, rng = etv.init(3), np.random.default_rng(0)
    while state.candidate[0] < 0:
        play(state, rng, best=0, steps=1)
    while state.candidate[0] >= 0:
        play(state, rng, best=1, steps=1)
    assert state.round[0] == 2
    assert state.trials.duels.sum() <= 2
    while state.candidate[0] < 0:
        play(state, rng, best=1, steps=1)
    assert state.level[0] == pytest.approx(math.log(2 / (0.05 / 8)))
    play(state, rng, best=1, steps=1000)
    assert etv.finished(state)
    assert etv.recommend(state) == 1


@pytest.mark.nightly
def test_a_smaller_delta_is_paid_for_on_the_proof_alone():
    # copeland-pac pays for it on every pair that it tests.
    duels = {}
    for name in ("explore-then-verify", "copeland-pac"):
        for delta in (1e-2, 1e-10):
            runs = copeland.simulate("order-10-0.2:seed=0", f"{name}:delta={delta}", 1e7, 50)
            duels[name, delta] = runs.curves[0].comparisons[:, -1].mean()
    grown = {name: duels[name, 1e-10] - duels[name, 1e-2] for name, _ in duels}
    assert grown["explore-then-verify"] < 0.7 * grown["copeland-pac"]
