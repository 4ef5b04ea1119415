"""Options of a study: read, paused, resumed, retired and added."""

import json

import pytest
from study_helpers import OPTIONS

from copeland.errors import InvalidParameter, InvalidRow, UnknownOption
from copeland.study import Option, certificate_to_file, create_study
from copeland.study.results.certificate_file import objections, read_certificate


def test_options_are_read_from_a_file(tmp_path):
    path = tmp_path / "options.csv"
    path.write_text("name,text,path\ntea,Hot,\nmilk,,milk.png\n")
    study = create_study("drinks", path, voters="independent")
    assert study.options == (Option("tea", "Hot"), Option("milk", path="milk.png"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("text\nHot\n", "line 1: there is no column 'name'"),
        ("name,text\ntea,Hot\n,Cold\n", "line 3: an option has no name"),
        ("name\ntea\nmilk,cold\n", "line 3: expected 1 fields"),
        ('name\ntea\n"milk\n', "line 3: unexpected end of data"),
    ],
)
def test_a_damaged_file_of_options_is_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "options.csv"
    path.write_text(content)
    with pytest.raises(InvalidRow, match=sentence):
        create_study("drinks", path, voters="independent")


def test_options_may_be_a_mapping_and_unknown_ones_are_refused(study):
    study = create_study("drinks", {"tea": "Hot", "milk": "Cold"}, voters="independent")
    assert study.option("milk").text == "Cold"
    with pytest.raises(UnknownOption, match="no option 'mlk'; did you mean 'milk'"):
        study.option("mlk")


@pytest.mark.slow
@pytest.mark.parametrize("change", ["pause_option", "retire_option"])
def test_an_option_that_is_paused_or_retired_is_not_asked(study, change):
    getattr(study, change)("tea")
    names = {name for ballot in study.ask(n=12) for name in (ballot.left, ballot.right)}
    assert names == {"milk", "juice", "water"}


def test_a_resumed_option_is_asked_again(study):
    for name in OPTIONS[1:3]:
        study.pause_option(name)
    study.resume_option("juice")
    names = {name for ballot in study.ask(n=12) for name in (ballot.left, ballot.right)}
    assert names == {"tea", "juice", "water"}


def test_with_less_than_two_options_nothing_is_asked(study):
    for name in OPTIONS[1:]:
        study.pause_option(name)
    assert study.ask() is None


def test_a_retired_option_is_resumed_and_nothing_is_lost(study):
    study.add_votes([{"winner": "tea", "loser": other} for other in OPTIONS[1:]] * 40)
    before = study.certificate()
    study.retire_option("tea")
    assert before.best == (0,) and study.certificate().best != (0,)
    with pytest.raises(InvalidParameter, match="'tea' is retired; resume it first"):
        study.pause_option("tea")
    study.resume_option("tea")
    assert study.certificate() == before


def test_a_text_is_edited_and_the_log_keeps_both(study):
    study.edit_option("tea", "Green.")
    study.edit_option("tea", "Green.")
    study.edit_option("tea", "Black.")
    assert study.option("tea").text == "Black." and study.replay().options[0].text == "Black."
    edits = [event for event in study.log() if event.kind == "edited"]
    assert [(event.left, event.body["text"]) for event in edits] == [(0, "Green."), (0, "Black.")]
    with pytest.raises(InvalidParameter):
        study.edit_option("tea", "a\0b")


def test_a_certificate_says_what_was_changed_after_votes_and_verifies(study, tmp_path):
    study.edit_option("milk", "Before any vote.")
    study.add_votes([{"winner": "tea", "loser": other} for other in OPTIONS[1:]] * 40)
    study.edit_option("tea", "Green.")
    study.edit_page(question="Which?")
    study.close()
    study.reopen()
    assert not study.closed
    path = tmp_path / "c.json"
    text = certificate_to_file(study)[1]
    path.write_text(text)
    assert json.loads(text)["notes"] == [
        "The text of tea was changed after 120 votes.",
        "The question was changed after 120 votes.",
        "The study was closed, and reopened after 120 votes.",
    ]
    assert objections(read_certificate(path), study) == ()
    silent = json.loads(text) | {"notes": ["Nothing happened."]}
    path.write_text(json.dumps(silent))
    assert any("The text of tea" in one for one in objections(read_certificate(path), study))


def test_what_is_so_already_is_not_logged_again(study):
    study.pause_option("tea")
    study.pause_option("tea")
    assert [event.kind for event in study.log()] == ["created", "paused"]


def test_a_late_answer_on_a_retired_option_counts(study):
    ballot = study.ask()
    study.retire_option(ballot.left)
    assert study.tell(ballot, "left").counted


def test_an_added_option_is_asked_and_keeps_the_counts(study):
    study.add_votes([{"left": "tea", "right": "milk", "outcome": "tea"}])
    study.add_option("wine", text="Red")
    standing = study.standing()
    assert standing.labels == (*OPTIONS, "wine")
    assert standing.wins[0, 1] == 1
    asked = {name for ballot in study.ask(n=30) for name in (ballot.left, ballot.right)}
    assert "wine" in asked


def test_adding_an_option_after_a_vote_begins_an_epoch(study):
    study.add_option("wine")
    assert study.standing().epoch == 1  # nobody could have looked at votes
    study.tell(study.ask(), "left")
    study.add_option("beer")
    study.add_option("rum")
    assert study.standing().epoch == 2
    assert study.standing().certificate.epoch == 2


def test_an_option_is_not_added_twice_nor_to_an_algorithm_that_cannot_grow(study, storage):
    with pytest.raises(InvalidParameter, match="there is an option 'tea' already"):
        study.add_option("tea")
    study = create_study("fixed", OPTIONS, storage, algorithm="pocowista", voters="independent")
    with pytest.raises(InvalidParameter, match="pocowista cannot add options"):
        study.add_option("wine")
