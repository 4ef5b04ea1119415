"""A study asks, keeps what it is told, and counts it once."""

import pytest
from study_helpers import OPTIONS, row

import copeland
from copeland.errors import (
    InvalidParameter,
    InvalidRow,
    StorageError,
    StudyExists,
    UnknownAlgorithm,
    UnknownStudy,
)
from copeland.study import Storage, create_study, list_studies, open_study

# Creating and opening


def test_a_study_that_exists_is_not_made_and_one_that_cannot_be_is_refused(study):
    with pytest.raises(StudyExists, match="there is a study 'drinks'"):
        create_study("drinks", OPTIONS, study.storage, voters="independent")
    with pytest.raises(StudyExists, match=r"no option 'wine'.*add this one"):
        create_study(
            "drinks",
            [*OPTIONS, "wine"],
            study.storage,
            lease=60,
            load_if_exists=True,
            voters="independent",
        )
    with pytest.raises(UnknownAlgorithm, match="did you mean 'cpc-pac'"):
        create_study("drinks", OPTIONS, algorithm="cpc_pac", voters="independent")
    with pytest.raises(StorageError, match="does not answer"):
        create_study("drinks", OPTIONS, "postgresql://127.0.0.1:1/votes", voters="independent")


@pytest.mark.slow
def test_a_study_that_exists_is_loaded_if_that_is_asked_for(study, clock):
    study.tell(study.ask(), "left")
    same = create_study(
        "drinks", OPTIONS, study.storage, lease=60, load_if_exists=True, voters="independent"
    )
    assert same.standing().votes == 1


def test_a_study_is_not_loaded_with_other_settings(study):
    with pytest.raises(StudyExists, match=r"created with delta 0.05, not 0.01"):
        create_study(
            "drinks",
            OPTIONS,
            study.storage,
            lease=60,
            delta=0.01,
            load_if_exists=True,
            voters="independent",
        )


def test_studies_are_listed_and_an_unknown_one_is_refused(study):
    with pytest.raises(UnknownStudy, match=r"no study 'drink' .*did you mean 'drinks'"):
        open_study("drink", study.storage)
    create_study("food", OPTIONS, study.storage, voters="independent")
    assert list_studies(study.storage) == ["drinks", "food"]
    assert copeland.create_study is create_study
    assert copeland.open_study is open_study


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"delta": 1.5}, "delta is 1.5; it must be a number between 0 and 1"),
        ({"delta": "x"}, "delta is 'x'"),
        ({"margin": 0.5}, "margin is 0.5"),
        ({"seed": -1}, "seed is -1; it must be a whole number"),
        ({"seed": 0.5}, "seed is 0.5"),
        ({"lease": 0}, "lease is 0"),
        ({"both_bad": "win"}, "both_bad is 'win'; it must be 'tie' or 'drop'"),
        ({"repeats": "all"}, "repeats is 'all'; it must be 'count' or 'first'"),
        ({"voters": "odd"}, "voters is 'odd'"),
        (
            {"algorithm": "rmed2fh", "voters": "independent"},
            "rmed2fh, which must know its horizon in advance, and a study has none",
        ),
        ({"algorithm": "ccb", "voters": "people"}, "use cpc-pac"),
        ({"algorithm": "ccb:alpha=-1", "voters": "independent"}, "alpha"),
        ({"options": ["tea"]}, "a study needs at least 2 options; got 1"),
        ({"options": ["tea", "tea"]}, "two options are called 'tea'"),
        ({"options": ["tea", " "]}, "an option has no name"),
        (
            {"options": ["tea", "Both bad"]},
            "cannot be called 'Both bad', because that is an outcome",
        ),
        ({"options": ["tea", 3]}, "an option is a name or a mapping with one; 3 is a int"),
        (
            {"options": [{"name": "tea", "colour": "red"}, "milk"]},
            "an option has no field 'colour'",
        ),
        ({"options": [{"name": 3}, "milk"]}, "an option's name is 3; it must be plain text"),
        ({"options": ["tea", "mi\0lk"]}, "it must be plain text"),
        ({"name": "te\ud800"}, "name is .*; it must be plain text"),
        ({"options": [{"text": "Hot"}, "milk"]}, "an option has no name"),
        ({"options": "nowhere.csv"}, "nowhere.csv cannot be read"),
        ({"name": ""}, "the name of a study is ''"),
    ],
)
def test_what_a_study_cannot_be_made_of_is_a_sentence(wrong, sentence):
    storage = Storage()
    given = {"name": "drinks", "options": OPTIONS, "storage": storage} | wrong
    with pytest.raises((InvalidParameter, InvalidRow), match=sentence):
        create_study(**given)
    assert storage.names() == []


# How it is shown, and what it means


def test_a_study_is_shown_in_a_line_by_its_name_its_size_and_its_claim(study):
    assert repr(study) == (
        "<Study 'drinks', 4 options, 0 votes: There are no votes yet; any option could be best>"
    )
    study.add_votes([row("left")])
    assert repr(study) == "<Study 'drinks', 4 options, 1 vote: tea leads so far>"
    names = [f"{letter * 300}<b>" for letter in "abcdefghi"]
    assert len(repr(create_study("x" * 50, names, voters="independent"))) < 200


@pytest.mark.slow
def test_a_notebook_shows_the_verdict_and_runs_nothing():
    study = create_study("<script>", ["<b>tea</b>", "milk"], voters="independent")
    study.add_votes([{"left": "<b>tea</b>", "right": "milk", "outcome": "left"}] * 20)
    shown = study._repr_html_()
    assert "&lt;b&gt;tea&lt;/b&gt; is proved the only winner." in shown
    assert "<script>" not in shown and "<b>" not in shown


@pytest.mark.slow
@pytest.mark.long
def test_a_study_says_what_it_means(study, tmp_path):
    study.add_votes([row("left", right=other) for other in OPTIONS[1:] for _ in range(60)])
    standing = study.standing()
    assert study.certificate() == standing.certificate
    assert study.verdict().kind == "winner"
    assert study.plan(worlds=2).way("cpc-pac").votes == (0, 0)
    page = study.report(tmp_path / "page.html")
    assert "tea is proved the only winner." in page.read_text()


def test_a_certificate_and_a_plan_may_leave_out_retired_options_but_not_paused_ones(study):
    study.pause_option("water")
    with pytest.raises(InvalidParameter, match="are paused; resume or retire them"):
        study.plan(worlds=2, most=100)
    study.retire_option("water")
    assert study.plan(worlds=2, most=100).options == len(study.options) - 1
    assert study.certificate(active=True).active == (0, 1, 2)
