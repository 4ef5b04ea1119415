"""A copy of a study has its options and settings, and none of its votes."""

import pytest
from back_ends import every_storage

from copeland.errors import InvalidParameter, StudyExists, UnknownStudy
from copeland.study import copy_study, create_study, open_study

SETTINGS = {
    "people": {"voters": "people", "batch": 7, "delta": 0.01, "goal": "top:2"},
    "panel": {"voters": "panel", "panel": ["ann", "ben"]},
    "judge": {"voters": "judge", "cases": 3},
    "independent": {"voters": "independent", "margin": 0.03, "seed": 5, "both_bad": "drop"},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_options_and_settings_are_the_same_and_votes_are_none(name):
    texts = {"tea": "hot", "milk": "", "juice": "cold"}
    old = create_study("old", texts, **SETTINGS[name])
    how = {"cases": ["a", "b", "c"]} if name == "judge" else {}
    old.tell(old.ask("ann", **how), "left")
    old.edit_option("tea", "very hot")
    new = copy_study("old", "new", old.storage)
    assert new.settings == old.settings
    assert [(one.name, one.text) for one in new.options] == [
        *(("tea", "very hot"), ("milk", ""), ("juice", "cold"))
    ]
    assert [event.kind for event in new.log()] == ["created"] and len(old.votes()) == 1


@every_storage
def test_retired_options_are_left_out_and_paused_ones_are_asked(storage):
    old = create_study("old", ["tea", "milk", "juice", "water"], storage)
    old.add_option("beer")
    old.retire_option("milk")
    old.pause_option("juice")
    new = copy_study("old", "new", old.storage)
    assert [(one.name, one.state) for one in new.options] == [
        (name, "active") for name in ("tea", "juice", "water", "beer")
    ]


def test_names_that_are_taken_empty_or_unknown_are_refused():
    storage = create_study("old", ["tea", "milk"]).storage
    with pytest.raises(StudyExists):
        copy_study("old", "old", storage)
    with pytest.raises(InvalidParameter):
        copy_study("old", " ", storage)
    with pytest.raises(UnknownStudy):
        copy_study("odd", "new", storage)
    assert storage.names() == ["old"]
    assert open_study("old", storage).number == 1
