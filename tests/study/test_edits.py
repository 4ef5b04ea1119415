"""Texts that are changed while people vote: the log keeps what was said, verdict and certificate say so."""

import json
from hashlib import sha256

import pytest
from back_ends import every_storage
from study_helpers import again, row

from copeland.errors import InvalidParameter, StudyClosed, UnknownOption
from copeland.study import create_study, objections, read_certificate
from copeland.study.log.events import from_json, to_json
from copeland.study.log.state import dump_state, fold_log, load_state
from copeland.study.results.certificate_file import certificate_to_file

TEXTS = {"tea": "Steemed.", "milk": "Cold."}


def study_of(votes=0, **settings):
    study = create_study("s", TEXTS, voters="independent", **settings)
    study.add_votes([row("left", voter=None)] * votes)
    return study


def certify(study, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(certificate_to_file(study)[1])
    return path


def test_the_new_text_is_shown_the_log_keeps_both_and_the_same_text_changes_nothing(tmp_path):
    study = study_of()
    assert not study.edit_option("tea", "Steemed.")
    assert not study.edit_page(question="Which is better?")
    assert study.number == 1
    study = study_of()
    assert study.edit_option("tea", "Steamed.", source="ann")
    event = study.log()[-1]
    assert study.option("tea").text == again(study).option("tea").text == "Steamed."
    assert (event.kind, event.left, event.source, event.time) == ("edited", 0, "ann", event.time)
    before = sha256(b"Steemed.").hexdigest()
    assert event.body == {"part": "text", "before": before, "text": "Steamed."}
    assert from_json(to_json(event)) == event
    assert study.misfit() is None
    assert load_state(dump_state(study.state())) == fold_log(study.log()) == study.state()


@pytest.mark.slow
def test_verdict_and_certificate_say_so_only_after_votes(tmp_path):
    study = study_of()
    study.edit_option("milk", "Cool.")
    assert "changed" not in str(study.verdict())
    study.add_votes([row("left", voter=None)] * 12)
    study.edit_option("milk", "Cold, from the farm.")
    said = "The text of milk was changed after 12 votes."
    assert said in study.verdict().shown
    path = certify(study, tmp_path)
    assert said in json.loads(path.read_text())["notes"]
    assert objections(read_certificate(path), study) == ()


def test_a_certificate_from_before_still_holds_and_one_that_hides_an_edit_does_not(tmp_path):
    study = study_of(12)
    path = certify(study, tmp_path)
    study.edit_page(question="Which is cheaper?")
    assert objections(read_certificate(path), study) == ()
    text = certificate_to_file(study)[1]
    content = json.loads(text)
    assert content["notes"] == ["The question was changed after 12 votes."]
    path.write_text(text.replace("was changed after 12", "was changed after 13"))
    found = " ".join(objections(read_certificate(path), study))
    assert "it should say this about what was changed" in found


@pytest.mark.slow
def test_two_edits_of_one_text_are_one_sentence():
    study = study_of(3)
    study.edit_option("tea", "a")
    study.add_votes([row("left", voter=None)] * 6)
    study.edit_option("tea", "b")
    said = "The text of tea was changed 2 times, after 3 and 9 votes."
    assert [one for one in study.verdict().shown if "changed" in one] == [said]


@every_storage
def test_the_question_and_the_guidance_are_kept_beside_the_study(storage):
    study = create_study("s", TEXTS, storage, voters="independent")
    assert study.edit_page(question=" Which would you drink? ", guidance="Think of lunch.")
    assert [event.body["part"] for event in study.log()[1:]] == ["question", "guidance"]
    assert not again(study).edit_page(question="Which would you drink?")
    assert study.edit_page(guidance="")


def test_what_cannot_be_edited_is_refused():
    study = study_of()
    with pytest.raises(UnknownOption, match="no option 'coffee'"):
        study.edit_option("coffee", "x")
    with pytest.raises(InvalidParameter, match="may have at most 100,000"):
        study.edit_option("tea", "x" * 100_001)
    with pytest.raises(InvalidParameter, match="The question is empty"):
        study.edit_page(question=" ")
    with pytest.raises(InvalidParameter, match="it may have 300"):
        study.edit_page(question="x" * 301)
    with pytest.raises(InvalidParameter, match="control character"):
        study.edit_page(question="a\x07b")
    study.close()
    for edit in (lambda: study.edit_option("tea", "x"), lambda: study.edit_page(question="x")):
        with pytest.raises(StudyClosed):
            edit()
    assert study.number == 2
