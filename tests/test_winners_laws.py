"""Laws that all notions of winner share."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from margins import _steps, matrices

from copeland.matrix import PreferenceMatrix
from copeland.theory import winners

pytestmark = pytest.mark.slow  # left out of `make fast`


@st.composite
def with_condorcet_winner(draw: st.DrawFn) -> tuple[PreferenceMatrix, int]:
    m = draw(matrices())
    winner = draw(st.integers(0, m.k - 1))
    p = m.p.copy()
    p[winner] = 0.5 + np.maximum(np.abs(p[winner] - 0.5), 0.05)
    p[:, winner] = 1 - p[winner]
    p[winner, winner] = 0.5
    return PreferenceMatrix(p), winner


@st.composite
def shuffled(draw: st.DrawFn, **options: int | bool) -> tuple[PreferenceMatrix, list[int]]:
    m = draw(matrices(**options))
    return m, draw(st.permutations(range(m.k)))


SETS = {
    "copeland": winners.copeland_winners,
    "copeland, half ties": lambda m: winners.copeland_winners(m, ties=0.5),
    "epsilon-copeland": lambda m: winners.epsilon_copeland_winners(m, 0.5),
    "insensitive copeland": lambda m: winners.insensitive_copeland_winners(m, 0.1),
    "borda": winners.borda_winners,
    "von neumann": winners.von_neumann_support,
    "random walk": winners.random_walk_winners,
    "smith": winners.smith_set,
}
SCORES = {
    "copeland": winners.copeland_scores,
    "insensitive copeland": lambda m: winners.insensitive_copeland_scores(m, 0.1),
    "borda": winners.borda_scores,
    "random walk": winners.random_walk_distribution,
}


def permuted(m: PreferenceMatrix, order: list[int]) -> PreferenceMatrix:
    return m.sub(order).relabelled([str(i) for i in range(m.k)])


@pytest.mark.parametrize("name", SETS)
@given(case=shuffled())
def test_relabelling_options_relabels_the_winners(name, case):
    m, order = case
    renamed = {order[i] for i in SETS[name](permuted(m, order))}
    assert renamed == set(SETS[name](m).tolist())


@pytest.mark.parametrize("name", SCORES)
@given(case=shuffled())
def test_relabelling_options_relabels_the_scores(name, case):
    m, order = case
    assert SCORES[name](permuted(m, order)) == pytest.approx(SCORES[name](m)[order], abs=1e-12)


@given(shuffled(steps=9, odd=True))
def test_relabelling_options_relabels_the_von_neumann_lottery(case):
    # Margins that are odd multiples of one step leave one lottery (Laffond, Laslier, Le Breton 1997).
    m, order = case
    expected = winners.von_neumann(m)[order]
    assert winners.von_neumann(permuted(m, order)) == pytest.approx(expected, abs=1e-9)


@given(shuffled())
def test_relabelling_options_relabels_the_condorcet_winner(case):
    m, order = case
    renamed = winners.condorcet_winner(permuted(m, order))
    assert winners.condorcet_winner(m) == (None if renamed is None else order[renamed])


@given(shuffled(most=5))
def test_relabelling_options_relabels_the_cycles(case):
    m, order = case
    found = winners.cycles(permuted(m, order), limit=1000)
    renamed = {frozenset((order[i], order[j]) for i, j in _steps(cycle)) for cycle in found}
    assert renamed == {frozenset(_steps(cycle)) for cycle in winners.cycles(m, limit=1000)}


@pytest.mark.parametrize("name", ["copeland", "smith", "von neumann"])
@given(case=with_condorcet_winner())
def test_a_condorcet_winner_is_the_only_winner(name, case):
    m, winner = case
    assert winners.condorcet_winner(m) == winner
    assert SETS[name](m).tolist() == [winner]


@pytest.mark.quick
@given(matrices())
def test_copeland_winners_lie_in_the_smith_set(m):
    assert set(winners.copeland_winners(m)) <= set(winners.smith_set(m))


def test_importing_winners_does_not_import_scipy():
    code = "import sys, copeland.theory.winners; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
