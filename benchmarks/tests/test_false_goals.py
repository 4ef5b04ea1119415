"""The measured certificates of the best few and of a baseline are those of the package."""

import numpy as np
import pytest

from benchmarks.false_goals import (
    PROVED,
    WRONG_BASELINE,
    WRONG_TOP,
    Cell,
    World,
    first_outside,
    is_top_proved,
    new_watch,
    order,
    run_once,
)
from copeland import certify


@pytest.mark.parametrize("mode", ["U", "A", "W"])
@pytest.mark.parametrize(("top", "margin"), [(2, 0.0), (3, 0.0), (2, 0.05)])
def test_the_best_few_are_proved_as_a_certificate_proves_them(mode, top, margin):
    """At the vote at which they are first proved, and just before it."""
    whole = run_once(Cell(World("an order", order(6, 0.25), 6_000, 0.1, margin), top), mode, 0)
    first = int(whole.first[PROVED])
    assert first > 0 and whole.first[WRONG_TOP] == whole.first[WRONG_BASELINE] == 0
    for votes, proved in ((first, True), (first - 1, False)):
        state = run_once(Cell(World("an order", order(6, 0.25), votes, 0.1, margin), top), mode, 0)
        found = certify(state.wins, state.ties, margin=margin, goal=f"top:{top}")
        assert (found.top == tuple(range(top))) == proved
        assert np.array_equal(found.lower, state.lower) and np.array_equal(found.upper, state.upper)


def test_the_best_few_are_proved_when_no_other_can_have_more_wins():
    cell = Cell(World("an order", order(3, 0.2), 0), top=2)
    assert first_outside(cell) == 2
    state = new_watch(cell.world)
    state.lower[:] = 2, 1, 0
    for most_of_the_last, proved in ((1, True), (2, False)):
        state.upper[:] = 2, 2, most_of_the_last
        assert is_top_proved(state, cell.top, state.best) == proved
        assert state.best.tolist() == [True, True, False]
