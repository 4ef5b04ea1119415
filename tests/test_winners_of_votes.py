"""The winners of real matrices."""

from __future__ import annotations

import numpy as np
import pytest
from margins import _steps, transitions, worst_case

from copeland.matrix import PreferenceMatrix
from copeland.theory import winners

# name: Condorcet winner, Copeland winners, their wins, size of the Smith set, Borda winner.
REAL = {
    "mslr_informational_136": (None, [114], 134, 54, 109),
    "mslr_informational_5_noncondorcet": (None, [0, 1, 2], 3, 3, 1),
    "mslr_informational_5_condorcet": (0, [0], 4, 1, 0),
    "arxiv_6": (0, [0], 5, 1, 0),
    "cyclic_4": (0, [0], 3, 1, 0),
    "arithmetic_8": (0, [0], 7, 1, 0),
    "debian_leader_2005_7": (2, [2], 6, 1, 1),
    "ers19_5": (None, [0, 3], 3, 3, 3),
    "mylaps_15": (None, [5, 8], 13, 4, 8),
    "spotify_day_20": (None, [5, 17, 18], 18, 3, 18),
    "wmt16_tur_eng_9": (6, [6], 8, 1, 6),
    "wmt16_eng_ron_12": (9, [9], 11, 1, 2),
    "trec_253263_5": (None, [2], 3, 5, 2),
    "trec_395948_6": (None, [0, 4], 4, 5, 4),
    "trec_421946_9": (None, [8], 7, 9, 8),
    "trec_540006_9": (None, [2], 7, 9, 2),
    "trec_764738_9": (3, [3], 8, 1, 3),
    "alpaca_eval_56": (0, [0], 55, 1, 0),
    "mq2008_ndcgwin_46": (38, [38], 45, 1, 38),
    "mslr5k_ndcgwin_136": (None, [122], 134, 133, 122),
}


def known(place: int) -> dict[str, object]:
    return {name: facts[place] for name, facts in REAL.items()}


@pytest.fixture(scope="module")
def real(real_matrix) -> dict[str, PreferenceMatrix]:
    return {name: real_matrix(name) for name in REAL}


def test_real_winners_are_known_and_large_smith_sets_hold_a_cycle(real):
    assert {name: winners.condorcet_winner(m) for name, m in real.items()} == known(0)
    found = {name: winners.copeland_winners(m).tolist() for name, m in real.items()}
    assert found == known(1)
    assert {name: winners.copeland_scores(m).max() for name, m in real.items()} == known(2)
    assert {name: len(winners.smith_set(m)) for name, m in real.items()} == known(3)
    found = {name: winners.borda_winners(m).tolist() for name, m in real.items()}
    assert found == {name: [winner] for name, winner in known(4).items()}
    circular = {name for name, m in real.items() if winners.cycles(m)}
    assert circular == {name for name, size in known(3).items() if size != 1} - {"ers19_5"}


@pytest.fixture(params=["stand_in_7", "stand_in_20", "stand_in_136", *REAL])
def lifelike(request, lifelike_matrix) -> PreferenceMatrix:
    return lifelike_matrix(request.param)


@pytest.mark.sampled(10)
def test_von_neumann_beats_or_ties_with_every_option_of_votes(lifelike):
    assert worst_case(lifelike, winners.von_neumann(lifelike)) >= 0.5 - 1e-9


@pytest.mark.sampled(10)
@pytest.mark.slow
def test_the_random_walk_over_votes_is_stationary(lifelike):
    visits = winners.random_walk_distribution(lifelike)
    assert visits @ transitions(lifelike) == pytest.approx(visits, abs=1e-12)


@pytest.mark.sampled(10)
def test_cycles_in_votes_are_cycles_and_hold_up_smith_sets_without_ties(lifelike):
    for cycle in winners.cycles(lifelike):
        assert all(lifelike.p[i, j] > 0.5 for i, j in _steps(cycle))
    p = lifelike.p.copy()
    ahead = np.triu(p == 0.5, 1)
    p[ahead], p[ahead.T] = 0.51, 0.49
    m = PreferenceMatrix(p)
    assert bool(winners.cycles(m)) == (len(winners.smith_set(m)) > 1)
