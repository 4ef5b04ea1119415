"""Two options whose names look the same are refused."""

import pytest

from copeland import create_study
from copeland.errors import InvalidParameter
from copeland.support.phrasing import find_twins, look_of

TWINS = {
    "a zero-width space": "te\u200ba",
    "a word joiner": "tea\u2060",
    "a soft hyphen": "te\u00ada",
    "a variation selector": "tea\ufe0f",
    "a filler": "tea\u3164",
    "a Cyrillic letter": "t\u0435a",
    "Cyrillic letters": "t\u0435\u0430",
    "another space": "tea\u00a0",
}
OTHERS = [
    "Tea",
    "tee",
    "te a",
    "te-a",
    "\u03b1",
    "a",
    "\u00e9",
    "e",
    "\u0444",
    "x2",
    "x\u00b2",
    "1",
    "l",
]


@pytest.mark.parametrize("how", TWINS)
def test_a_twin_is_refused_from_the_start_and_later(how):
    twin = TWINS[how]
    with pytest.raises(InvalidParameter, match="look the same") as refused:
        create_study("drinks", ["tea", twin])
    assert str(refused.value).isascii()  # so that a reader sees how they differ
    study = create_study("drinks", ["milk", "tea"])
    with pytest.raises(InvalidParameter, match="look the same"):
        study.add_option(twin)
    assert [option.name for option in study.options] == ["milk", "tea"]


def test_names_that_look_the_same_are_the_same():
    assert find_twins(["caf\u00e9", "cafe\u0301"]) == ("caf\u00e9", "cafe\u0301")
    for name in ("\u200b", "\u2060 \ufe0f", "\u3164"):
        with pytest.raises(InvalidParameter, match="nobody can see"):
            create_study("drinks", ["tea", name])
    assert find_twins(OTHERS) is None and len(set(map(look_of, OTHERS))) == len(OTHERS)
    assert len(create_study("drinks", OTHERS).options) == len(OTHERS)
