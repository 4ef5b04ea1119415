"""Constraints in words: what they allow, where they are kept, and one sentence for each that cannot be."""

import pytest

from copeland import Choice, Integer, InvalidParameter, Real, Space, Tuner
from copeland.tuning.spaces import space_of, tables_in

PARAMETERS = {
    "x": Real(0, 10),
    "n": Integer(1, 8),
    "style": Choice("plain", "bold"),
    "on": Choice(True, False),
}
POINT = {"x": 2.0, "n": 3, "style": "plain", "on": True}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        ("x + n <= 5", True),
        ("x + n < 5", False),
        ("1 < x <= 2 < n", True),
        ("1 < x < 2 < n", False),
        ("-x * 3 + n ** 2 / 3 == -3", True),
        ("n % 2 != 1", False),
        ("n < 3 or x >= 2 and not x > 2", True),
        ("style == 'plain'", True),
        ('"bold" != style', True),
        ("style == 'bold' or on == False", False),
        ("x / (n - 3) != 1", False),  # which cannot be computed
        ("(x - 3) ** 0.5 < 9", False),
        ("9 ** 9 ** 9 ** 9 != x", False),
    ],
)
def test_a_constraint_holds_as_it_reads(constraint, holds):
    assert Space(PARAMETERS, [f"x > 9 or {constraint}"]).allows(POINT) is holds


def test_constraints_of_a_list_must_all_hold():
    space = Space(PARAMETERS, feasible=["x > 1", "n < 3"])
    assert not space.allows(POINT) and space.allows({**POINT, "n": 2})
    assert space.constraints == ("x > 1", "n < 3")
    assert repr(space).endswith("feasible=['x > 1', 'n < 3'])")
    assert Space(PARAMETERS, []).to_json() == Space(PARAMETERS).to_json()


WRONG = {
    "x + n": "is not a comparison",
    "x": "is not a comparison",
    "x < 1 if on else x": "is not a comparison",
    "__import__('os').getcwd()": "is not a comparison",
    "x <": "cannot be read",
    "x < 1; n < 2": "cannot be read",
    "width < 3": r"names 'width', but the space has only x, n, style and on\.$",
    "style + 1 < 2": "computes with the choice style",
    "style < 'plain'": "a choice can only be == or != an option",
    "1 < style < 2": "a choice can only be == or != an option",
    "style == plain": "something else than one of 'plain', 'bold'",
    "style == 'italic'": "something else than one of 'plain', 'bold'",
    "x is 1": "compares by something else",
    "x in (1, 2)": "compares by something else",
    "x.real < 1": "more than arithmetic",
    "max(x, n) < 3": "more than arithmetic",
    "x < 'plain'": "more than arithmetic",
    "x < True": "computes with True or False",
    "(x := 3) < 4": "more than arithmetic",
    "(lambda: 1)() < x": "more than arithmetic",
    "x @ n < 1": "more than arithmetic",
    "": "a line of 1 to 300 characters",
    "x <\n3": "a line of 1 to 300 characters",
    "x < " + "1" * 300: "a line of 1 to 300 characters",
    "(" * 140 + "x < 1" + ")" * 140: None,  # however deep a version of Python reads
    "-" * 290 + "x < 1": None,
    "x > 11": "no point of the space is feasible",
    "x + n == 7.77": "no point of the space is feasible",
}


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("constraint", WRONG)
def test_what_is_no_constraint_is_refused_in_one_sentence(constraint):
    if WRONG[constraint] is None:
        return _require_sentence(constraint)
    with pytest.raises(InvalidParameter, match=WRONG[constraint]) as error:
        Space(PARAMETERS, constraint)
    assert str(error.value).endswith(".") and "\n" not in str(error.value)


def _require_sentence(constraint):
    try:
        Space(PARAMETERS, constraint)
    except InvalidParameter as error:
        assert str(error).endswith(".")


@pytest.mark.parametrize("constraint", [5, ["x < 1", 5], ["x < 1"] * 65, {"x": 1}])
def test_what_is_no_text_is_refused(constraint):
    with pytest.raises(InvalidParameter, match="constraint"):
        Space(PARAMETERS, constraint)


@pytest.mark.slow
def test_a_tuner_is_loaded_with_its_constraints():
    space = Space({"x": Real(0, 1), "y": Real(0, 1)}, "x + y <= 1")
    tuner = Tuner(space, seed=3)
    tuner.tell(tuner.ask(), None)
    again = Tuner.load(tuner.dump())
    assert again.space.constraints == space.constraints
    assert again.ask() == tuner.ask()
    with pytest.raises(InvalidParameter, match="a different space"):
        Tuner.load(tuner.dump(), Space(dict(space.parameters), "x + y <= 0.9"))


RANGES = "[x]\nlow = 0\nhigh = 1\n[y]\nlow = 0\nhigh = 1\n"


def test_constraints_come_from_files_and_options_and_a_parameter_may_be_called_so():
    one = space_of(tables_in(f"constraint = 'x + y <= 1'\n{RANGES}"))
    assert one.constraints == ("x + y <= 1",)
    several = space_of(tables_in(f"constraint = ['x < y', 'x > .1']\n{RANGES}"), ["y < .9"])
    assert several.constraints == ("x < y", "x > .1", "y < .9")
    space = space_of({"constraint": {"low": 0, "high": 1}}, ["constraint < 0.5"])
    assert list(space.parameters) == ["constraint"] and space.constraints == ("constraint < 0.5",)


@pytest.mark.parametrize("given", ["5", "[5]", "true", "{low = 0}"])
def test_a_file_with_something_else_is_refused(given):
    with pytest.raises(InvalidParameter, match="constraint"):
        space_of(tables_in(f"constraint = {given}\n{RANGES}"))
