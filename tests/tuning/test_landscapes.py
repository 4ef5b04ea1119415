"""Pictures of a tuning: what they show is what the model says, and nothing breaks where there is little to show."""

import numpy as np
import pytest

import copeland
from copeland import Choice, Integer, Real, Space, Tuner

MIXED = Space(
    {"rate": Real(1e-4, 1, log=True), "n": Integer(1, 8), "style": Choice("$a$", "b")},
    feasible=lambda rate, n, style: n < 6 or rate < 0.1,
)


@pytest.fixture(scope="module")
def tuner():
    made = Tuner(MIXED)
    for _ in range(8):
        duel = made.ask()
        made.tell(duel, max(duel.first, duel.second, key=lambda point: point["n"]))
    return made


@pytest.mark.slow
def test_a_landscape_has_a_line_for_each_parameter_and_a_plane_of_numbers(tuner):
    seen = tuner.landscape()
    assert [line.name for line in seen.lines] == ["rate", "n", "style"]
    assert seen.lines[1].values == list(range(1, 9))
    assert seen.plane.names == ("rate", "n")
    assert len(seen.asked) <= 8
    for line in seen.lines:
        there = ~np.isnan(line.mean)
        assert (line.low[there] <= line.high[there]).all()
        assert ((line.mean[there] >= 0) & (line.mean[there] <= 1)).all()


@pytest.mark.slow
def test_landscapes_leave_out_what_is_not_feasible_and_change_no_tuner(tuner):
    plane = tuner.landscape().plane
    rates, layers = plane.values
    forbidden = np.array([[n >= 6 and rate >= 0.1 for n in layers] for rate in rates])
    assert (np.isnan(plane.score) == forbidden).all()
    found, line = tuner.recommend(), tuner.landscape().lines[1]
    at = line.values.index(found.point["n"])
    # The mean of 24 numbers between 0 and 1 has a deviation of .11 at most, the difference of two .15.
    assert line.mean[at] == pytest.approx(found.score, abs=0.5)
    before = tuner.dump()
    figure = copeland.plot(tuner)
    assert len([axes for axes in figure.axes if axes.get_ylabel() == "share beaten"]) == 3
    assert tuner.dump() == before


@pytest.mark.parametrize(
    "space", [{"c": Choice("a", "b")}, pytest.param({"x": Real(0, 1)}, marks=pytest.mark.slow)]
)
def test_spaces_without_a_plane_are_drawn_too(space):
    assert copeland.plot(Tuner(Space(space))).axes
