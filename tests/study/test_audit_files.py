"""Certificate files of audits: written at a vote, and checked again from the log."""

import json
import re

import pytest

from copeland import Real, Space
from copeland.errors import InvalidParameter
from copeland.study import (
    certificate_to_file,
    create_study,
    objections,
    open_study,
    read_certificate,
)
from copeland.study.log.events import to_json
from copeland.study.results.certificate_file import (
    Filed,
    _seal,
    objections_by_file,
    objections_by_log,
)

SPACE = Space({"x": Real(0, 1)})
POINT = {"x": 0.9}


def audited(storage="sqlite://", space=SPACE, votes=20):
    study = create_study("s", storage=storage, space=space, delta=0.1, voters="independent")
    study.audit(POINT, votes=votes)
    answer(study, votes)
    return study


def answer(study, votes):
    for _ in range(votes):
        ballot = study.ask("a")
        away = {side: point["x"] for side, point in ballot.points.items()}
        study.tell(ballot, max(away, key=away.get))


@pytest.fixture(scope="module")
def study():
    return audited()


@pytest.fixture
def file(study, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(certificate_to_file(study)[1])
    return path


@pytest.mark.slow
def test_a_file_says_what_is_proved_and_holds(study, file):
    found, text = certificate_to_file(study)
    (audit,) = study.tuned().audits
    assert found.verdict == "proved" and found.audits == (audit,) and audit.bound > 0
    assert json.loads(text)["statement"] == audit.statement
    assert read_certificate(file).certificate == found
    assert objections(read_certificate(file), study) == ()


@pytest.mark.slow
def test_it_holds_when_the_study_went_on():
    study = audited()
    old = certificate_to_file(study)[1]
    study.audit({"x": 0.5}, votes=2)
    answer(study, 2)
    study.undo(study.votes()[3], "by mistake")
    assert objections(filed_of(old), study) == ()
    new = certificate_to_file(study)[1]
    assert "by mistake" in new and objections(filed_of(new), study) == ()
    assert json.loads(new)["audits"][0]["votes"] == 3  # before the first place without an answer


def filed_of(text):
    from copeland.study.kinds.space import AuditCertificate

    content = json.loads(text)
    return Filed("s", content["events"], AuditCertificate.from_json(text), content)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("bound", 0.99, r"at least 0\.99, but the votes prove"),
        ("delta", 0.01, "delta is 0.01"),
        ("votes", 21, "votes is 21"),
        ("point", {"x": 0.95}, "point is"),
    ],
)
def test_a_file_that_says_more_does_not_hold_though_it_is_sealed_anew(
    study, file, name, value, words
):
    content = json.loads(file.read_text())
    content["audits"][0][name] = value
    content["seal"] = _seal(content)
    file.write_text(json.dumps(content))
    assert re.search(words, " ".join(objections(read_certificate(file), study)))


@pytest.mark.parametrize("name", ["statement", "time", "log", "seal", "assumptions"])
def test_other_words_another_time_or_log_are_found(study, file, name):
    content = json.loads(file.read_text())
    content[name] = "x" + str(content[name])
    file.write_text(json.dumps(content))
    assert objections(read_certificate(file), study)


def test_opponents_that_were_not_drawn_are_found(study, file):
    log = study.log()
    at = next(
        n for n, event in enumerate(log) if (event.body or {}).get("point") not in (None, POINT)
    )
    body = log[at].body | {"point": {"x": 0.0123}}
    log[at] = log[at]._replace(body=body)
    said = objections_by_log(read_certificate(file), log, "s")
    assert any("not about the opponent that was drawn" in one for one in said)
    assert any("another log" in one for one in said)


def test_a_file_is_checked_against_an_exported_log_and_not_against_votes_alone(
    study, file, tmp_path
):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{to_json(event)}\n" for event in study.log()))
    assert objections_by_file(read_certificate(file), log) == ()
    with pytest.raises(InvalidParameter, match="whole log"):
        objections_by_file(read_certificate(file), tmp_path / "votes.csv")


def test_a_constraint_must_be_given_to_check(tmp_path):
    space = Space({"x": Real(0, 1)}, feasible=lambda x: x > 0.2)
    storage, file = f"sqlite:///{tmp_path}/s.db", tmp_path / "c.json"
    file.write_text(certificate_to_file(audited(storage, space, votes=5))[1])
    filed = read_certificate(file)
    assert objections(filed, open_study("s", storage, space=space)) == ()
    with pytest.raises(InvalidParameter, match="a function, so it is not in the log"):
        objections(filed, open_study("s", storage))
    with pytest.raises(InvalidParameter, match="a function, so it is not in the log"):
        objections_by_file(filed, tmp_path / "log.jsonl")


def test_a_constraint_in_words_is_in_the_log(tmp_path):
    space = Space({"x": Real(0, 1)}, feasible="x > 0.2")
    storage, file, log = f"sqlite:///{tmp_path}/s.db", tmp_path / "c.json", tmp_path / "log.jsonl"
    study = audited(storage, space, votes=5)
    assert all(option.point["x"] > 0.2 for option in study.options)
    file.write_text(certificate_to_file(study)[1])
    filed = read_certificate(file)
    assert objections(filed, open_study("s", storage)) == ()
    log.write_text("".join(f"{to_json(event)}\n" for event in study.log()))
    assert objections_by_file(filed, log) == ()
    eased = {"space": filed.content["space"].replace("0.2", "0.1")}
    other = filed_of(json.dumps(filed.content | eased))
    assert "it is about another space than the study." in objections(other, study)


def test_files_of_options_and_of_a_space_are_told_apart(study, file, tmp_path):
    options = create_study("s", ["a", "b"], voters="independent")
    options.add_votes([{"left": "a", "right": "b", "outcome": "left"}] * study.number)
    assert "about a space" in objections(read_certificate(file), options)[0]
    other = tmp_path / "o.json"
    other.write_text(certificate_to_file(create_study("s", ["a", "b"], voters="independent"))[1])
    assert "about a space" in objections(read_certificate(other), study)[0]


@pytest.mark.parametrize(
    "change",
    [
        {"audits": 5},
        {"audits": [{}]},
        {"audits": [{"point": {}, "votes": True, "of": 1, "bound": 0, "delta": 0.1}]},
        {"audits": [{"point": {}, "votes": 1, "of": 1, "bound": float("nan"), "delta": 0.1}]},
        {"audits": [{"point": {}, "votes": 1, "of": 1, "bound": 10**400, "delta": 0.1}]},
        {"space": 7},
        {"space": "{}"},
        {"format": 2},
        {"events": 0},
    ],
)
def test_what_is_no_such_file_is_refused_in_a_sentence(file, change):
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(InvalidParameter):
        read_certificate(file)


def test_a_file_without_its_envelope_is_refused(file):
    content = json.loads(file.read_text())
    del content["envelope"], content["seal"]
    file.write_text(json.dumps(content))
    with pytest.raises(InvalidParameter, match="no certificate of audits"):
        read_certificate(file)
