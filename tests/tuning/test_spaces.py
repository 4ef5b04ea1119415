"""Spaces: points to places and back, constraints, and one sentence for everything that cannot be."""

import numpy as np
import pytest

import copeland
from copeland import Choice, Integer, InvalidParameter, Real, Space

SPACE = Space(
    {"rate": Real(1e-4, 1, log=True), "layers": Integer(1, 8), "style": Choice("short", "warm")},
    feasible=lambda rate, layers, style: layers < 6 or rate < 0.1,
)


def test_points_and_places_belong_together():
    for place in SPACE.spread(50, np.random.default_rng(0)):
        point = SPACE.point(place)
        assert SPACE.allows(point)
        assert SPACE.place(point) == pytest.approx(place, abs=1e-9)
    assert Space({"x": Real(0.1, 0.3, log=True)}).place({"x": 0.3}) == [1.0]
    assert Real(0.1, 0.3, log=True).value(1.0) <= 0.3
    assert (Integer(-2, 2).value(0.0), Integer(-2, 2).value(1.0)) == (-2, 2)


def test_cells_of_integers_and_choices_are_even_and_as_far_apart():
    places = Space({"n": Integer(1, 4), "c": Choice(*"abc")}).spread(1200, np.random.default_rng(0))
    for column, cells in zip(places.T, (4, 3), strict=True):
        centres, counts = np.unique(column, return_counts=True)
        assert centres == pytest.approx((np.arange(cells) + 0.5) / cells)
        assert (np.abs(counts - 1200 / cells) < 30).all()
    space = Space({"x": Real(0, 1), "c": Choice(*"abc")})
    a, b = space.coordinates(np.array([[0.5, 1 / 6], [0.5, 5 / 6]]))
    assert np.linalg.norm(a - b) == pytest.approx(1)
    assert space.lengths.tolist() == [0, 1, 1, 1]


def test_a_space_is_the_same_after_it_was_written_and_read_and_cannot_be_changed():
    read = Space.from_json(SPACE.to_json(), SPACE.feasible)
    assert (read.parameters, read.to_json()) == (SPACE.parameters, SPACE.to_json())
    with pytest.raises(TypeError):
        SPACE.parameters["rate"] = Real(0, 1)  # type: ignore[index]


def test_places_are_spread_over_all_of_the_space():
    for d in (1, 2, 8):
        places = Space({f"x{i}": Real(0, 1) for i in range(d)}).spread(
            512, np.random.default_rng(1)
        )
        assert places.mean(axis=0) == pytest.approx(np.full(d, 0.5), abs=0.02)
        assert places.var(axis=0) == pytest.approx(np.full(d, 1 / 12), abs=0.01)


WRONG = {
    "a range that goes down": lambda: Real(1, 0),
    "an empty range": lambda: Real(1, 1),
    "an infinite range": lambda: Real(0, float("inf")),
    "a range of no numbers": lambda: Real(0, float("nan")),
    "a range of texts": lambda: Real("a", "b"),  # type: ignore[arg-type]
    "a logarithm of 0": lambda: Real(0, 1, log=True),
    "a range as wide as all numbers": lambda: Real(-1.7e308, 1.7e308),
    "half an integer": lambda: Integer(0.5, 2),  # type: ignore[arg-type]
    "integers that go down": lambda: Integer(3, 2),
    "a huge integer": lambda: Integer(0, 10**400),
    "no options": lambda: Choice(),
    "an option twice": lambda: Choice("a", "a"),
    "an option that is a list": lambda: Choice(["a"], "b"),  # type: ignore[arg-type]
    "no parameters": lambda: Space({}),
    "a parameter that is a number": lambda: Space({"x": 5}),  # type: ignore[dict-item]
    "a constraint that nothing satisfies": lambda: Space({"x": Real(0, 1)}, lambda x: x > 2),
    "a constraint that fails": lambda: Space({"x": Real(0, 1)}, lambda y: True),
    "a constraint that is no function": lambda: Space({"x": Real(0, 1)}, 5),  # type: ignore[arg-type]
    "a space of one point": lambda: Space({"c": Choice("a")}),
    "a point outside": lambda: SPACE.place({"rate": 2, "layers": 1, "style": "warm"}),
    "a point between integers": lambda: SPACE.place({"rate": 1, "layers": 1.5, "style": "warm"}),
    "an option that is not offered": lambda: SPACE.place({"rate": 1, "layers": 1, "style": "x"}),
    "a point that lacks a value": lambda: SPACE.place({"rate": 1}),
    "a point that is not feasible": lambda: SPACE.place({"rate": 1, "layers": 8, "style": "warm"}),
    "text that is no space": lambda: Space.from_json("[1]"),
    "a place of the wrong length": lambda: SPACE.point([0.5]),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused_in_one_sentence(what):
    with pytest.raises(InvalidParameter) as error:
        WRONG[what]()
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_the_names_are_at_the_top_of_the_package():
    assert copeland.tuning.Space is Space
