"""Settings: what follows from who votes, what a log keeps of them, and what an old log means."""

import pickle

import pytest

from copeland.errors import InvalidParameter
from copeland.study import Settings, Storage, create_study
from copeland.tuning import Real, Space

KINDS = {
    "people": {},
    "independent": {"voters": "independent"},
    "judge": {"voters": "judge", "cases": 9},
    "panel": {"panel": ("ann", "ben")},
    "space": {"space": Space({"x": Real(0, 1)}).to_json(), "show": "at {x}"},
    "people of version 0.2": {"batch": 0, "missing": ""},
}


@pytest.mark.parametrize("told", KINDS.values(), ids=KINDS)
def test_a_log_keeps_settings_as_they_were(told):
    settings = Settings(**told)
    assert Settings.of(settings.to_dict()) == settings


def test_settings_without_a_word_are_those_of_a_new_study():
    assert Settings() == create_study("tea", ["green", "black"]).settings
    assert (Settings().voters, Settings().batch, Settings().missing) == ("people", 4, "against")


def test_an_old_log_that_does_not_say_who_votes_is_of_fresh_draws():
    old = Settings.of({"algorithm": "ccb", "delta": 0.1, "margin": 0.02})
    assert (old.voters, old.repeats, old.batch, old.missing) == ("independent", "count", 0, "")
    assert (old.algorithm, old.delta, old.margin, old.cases) == ("ccb", 0.1, 0.02, 0)


def test_an_error_keeps_its_field_on_its_way_to_another_process():
    with pytest.raises(InvalidParameter) as error:
        Settings(margin=0.5)
    sent = pickle.loads(pickle.dumps(error.value))
    assert (str(sent), sent.field) == (str(error.value), "margin")


@pytest.mark.parametrize(
    "told", [{"panel": ["ann"]}, {"voters": "judge"}, {"voters": "independent"}], ids=str
)
def test_a_study_is_gone_on_with_whoever_votes(told):
    storage = Storage()
    made = create_study("tea", ["green", "black"], storage, **told).settings
    again = create_study("tea", ["green", "black"], storage, load_if_exists=True)
    assert again.settings == made
