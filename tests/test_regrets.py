"""The ways to count regret: one run, several prices."""

import numpy as np
import pytest

import copeland
from copeland.errors import InvalidParameter
from copeland.kernels.loop import cost, weak_cost
from copeland.problems import problem_of
from copeland.simulation.cell import shortfall_of
from copeland.simulation.runs import REGRETS

TWO = copeland.PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
ORDER = copeland.PreferenceMatrix([[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]])


def curve(regret, **more):
    return copeland.simulate(TWO, "ccb", 3_000, runs=4, seed=3, regret=regret, **more).curves[0]


@pytest.mark.quick
def test_a_duel_costs_the_sum_and_weakly_the_smaller_shortfall():
    assert (cost(0.5, 0.25), weak_cost(0.5, 0.25), weak_cost(0.0, 0.25)) == (0.75, 0.25, 0.0)
    assert shortfall_of(problem_of(ORDER), "weak").tolist() == [0, 0.5, 1]
    assert np.allclose(shortfall_of(problem_of(ORDER), "condorcet"), [0, 0.2, 0.4])


@pytest.mark.slow
def test_two_options_by_hand():
    """Two who meet cost 1, weakly 0; the loser against itself costs 2, weakly 1."""
    plain, weak = curve("definition-1"), curve("weak")
    assert np.array_equal(plain.comparisons, weak.comparisons)  # one and the same run
    assert np.allclose(weak.regret, (plain.regret - plain.comparisons) / 2)
    assert np.allclose(curve("condorcet").regret, 0.4 * plain.regret / 2)
    assert np.allclose(curve("condorcet-weak").regret, 0.4 * weak.regret)
    assert np.array_equal(curve("weak", compiled=False).regret, weak.regret)


@pytest.mark.quick
def test_every_regret_has_its_words_and_may_need_a_condorcet_winner():
    for problem, why in (("mslr-5", "has none"), ("implicit-10:seed=1", "is no table")):
        with pytest.raises(InvalidParameter, match=why):
            copeland.simulate(problem, "ccb", 10, runs=1, regret="condorcet")
    from copeland.report.axes import REGRET_WORDS
    from copeland.report.simulation_page import _DEFINITIONS

    assert set(REGRETS) == set(REGRET_WORDS) == set(_DEFINITIONS)
