"""Settings: what follows from who votes, what a log keeps of them."""

import pickle

import pytest

from copeland.errors import InvalidParameter
from copeland.study import Settings, Storage, create_study

KINDS = {
    "people": {},
    "independent": {"voters": "independent"},
    "judge": {"voters": "judge", "cases": 9},
    "panel": {"panel": ("ann", "ben")},
}


@pytest.mark.parametrize("told", KINDS.values(), ids=KINDS)
def test_a_log_keeps_settings_as_they_were(told):
    settings = Settings(**told)
    assert Settings.of(settings.to_dict()) == settings


def test_settings_without_a_word_are_those_of_a_new_study():
    assert Settings() == create_study("tea", ["green", "black"]).settings
    assert (Settings().voters, Settings().batch, Settings().missing) == ("people", 4, "against")


@pytest.mark.parametrize("told", KINDS.values(), ids=KINDS)
def test_a_log_says_every_setting_of_its_kind_and_no_other(told):
    kept = Settings(**told).to_dict()
    for name in kept:
        with pytest.raises(InvalidParameter, match=name):
            Settings.of({key: value for key, value in kept.items() if key != name})
    with pytest.raises(InvalidParameter, match="there is no setting 'colour'"):
        Settings.of({**kept, "colour": "red"})


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
