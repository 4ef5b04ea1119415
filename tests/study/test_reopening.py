"""Closing and retiring are taken back: what was proved before still holds."""

import pytest
from study_helpers import Clock, again, row

from copeland.errors import StudyClosed
from copeland.study import create_study, objections, read_certificate
from copeland.study.log.state import dump_state, fold_log, load_state
from copeland.study.results.certificate_file import certificate_to_file


def study_of(votes=0, options=("tea", "milk", "juice")):
    study = create_study("s", options, voters="independent", clock=Clock())
    study.add_votes([row("left", voter=None)] * votes)
    return study


@pytest.mark.slow
def test_a_closed_study_takes_votes_again_and_its_certificate_holds(tmp_path):
    study = study_of(12, ["tea", "milk"])
    study.close()
    path = tmp_path / "c.json"
    path.write_text(certificate_to_file(study)[1])
    with pytest.raises(StudyClosed, match="unless you reopen it"):
        study.add_votes([row("right", voter=None)])
    study.reopen("too early")
    assert study.log()[-1].body == {"reason": "too early"}
    study.add_votes([row("right", voter=None)] * 3)
    assert study.standing().votes == 15 and not again(study).closed
    assert "The study was closed, and reopened after 12 votes." in study.verdict().shown
    assert objections(read_certificate(path), study) == ()
    study.close()
    assert study.closed and objections(read_certificate(path), study) == ()
    assert load_state(dump_state(study.state())) == fold_log(study.log()) == study.state()


def test_reopening_an_open_study_changes_nothing_and_questions_go_on_where_they_were():
    study = study_of()
    study.reopen()
    assert study.number == 1
    study = study_of()
    first = study.ask("ann")
    study.close()
    study.reopen()
    assert study.tell(first, "left").counted
    assert study.ask("ann") is not None


def test_a_retired_option_is_asked_again_once_it_is_resumed():
    study = study_of()
    study.retire_option("juice")
    asked = {name for ballot in study.ask(n=6) for name in (ballot.left, ballot.right)}
    assert asked == {"tea", "milk"}
    study.resume_option("juice")
    asked = {name for ballot in study.ask(n=6) for name in (ballot.left, ballot.right)}
    assert "juice" in asked


def test_a_verdict_after_taking_back_is_about_all_options_as_if_nothing_was_retired():
    """Retiring and taking back leaves the proof as it was: the same votes, the same claims."""
    plain, back = study_of(), study_of()
    votes = [row("left", None, "tea", other) for other in ("milk", "juice") for _ in range(20)]
    for study in (plain, back):
        study.add_votes(votes)
    back.retire_option("milk")
    assert back.certificate().active is not None or back.certificate().offered is not None
    back.resume_option("milk")
    assert back.certificate().to_dict() == plain.certificate().to_dict()
