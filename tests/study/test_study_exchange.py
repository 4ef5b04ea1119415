"""Votes come from files and frames, and go there."""

import json

import numpy as np
import pytest
from study_helpers import OPTIONS, Clock, row

from copeland.errors import Conflict, InvalidParameter, InvalidRow
from copeland.study import create_study


def test_votes_are_taken_from_a_data_frame(study):
    import pandas

    frame = pandas.DataFrame(
        {
            "left": ["tea", "milk"],
            "right": ["milk", "juice"],
            "outcome": ["left", "tie"],
            "voter": pandas.array(["ann", pandas.NA], dtype="object"),
            "time": [pandas.Timestamp("2026-01-01", tz="UTC"), pandas.NaT],
        }
    )
    assert study.add_votes(frame) == 2
    votes = study.votes(frame=True)
    assert votes["voter"].tolist()[0] == "ann"
    assert votes["time"][0] == pandas.Timestamp("2026-01-01", tz="UTC")
    assert votes["time"][1].timestamp() == 1000.0


def test_exported_votes_can_be_imported(study, tmp_path):
    for outcome in ("left", "tie", "skip"):
        vote = study.tell(study.ask(voter="ann", item="x, y"), outcome)
    study.undo(study.tell(study.ask(), "right"))
    study.export(tmp_path / "votes.csv")
    other = create_study("other", OPTIONS, clock=Clock(), voters="independent")
    assert other.import_votes(tmp_path / "votes.csv") == 3
    assert np.array_equal(other.standing().wins, study.standing().wins)
    assert np.array_equal(other.standing().ties, study.standing().ties)
    assert other.votes(frame=True)["event_id"].tolist()[-1] == vote.event_id
    assert other.votes(frame=True)["source"].tolist() == ["votes.csv"] * 3


def test_votes_that_are_known_are_not_imported_again(study, tmp_path):
    study.tell(study.ask(), "left")
    study.export(tmp_path / "votes.csv")
    assert study.import_votes(tmp_path / "votes.csv") == 0
    assert study.add_votes([row("left", event_id="a"), row("left", event_id="a")]) == 1
    assert study.add_votes([row("left", None, event_id="a")]) == 0
    assert study.standing().votes == 2


@pytest.mark.slow
@pytest.mark.parametrize("kept_before", [True, False])
@pytest.mark.parametrize("other", [row("right"), row("left", "bob"), row("left", right="juice")])
def test_an_import_with_another_vote_under_a_known_event_id_takes_nothing(
    study, other, kept_before
):
    rows = [row("left", event_id="a"), other | {"event_id": "a"}]
    if kept_before:
        study.add_votes(rows[:1])
    before = study.log()
    with pytest.raises(Conflict, match="another vote has the event_id 'a'"):
        study.add_votes([row("tie"), *rows[kept_before:]])
    assert study.log() == before


def test_votes_are_a_list_of_what_tell_returned_or_a_frame_with_the_promised_columns(study):
    given = [study.tell(study.ask(voter="ann"), outcome) for outcome in ("left", "tie", "skip")]
    assert study.votes() == given
    frame = study.votes(frame=True)
    assert {"event_id", "ballot", "voter", "left", "right", "outcome", "time"} <= set(frame.columns)
    assert frame["ballot"].tolist() == [2, 4, 6]


def test_votes_of_a_study_without_any_are_an_empty_list_or_frame(study):
    assert study.votes() == [] and len(study.votes(frame=True)) == 0


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("left,right\ntea,milk\n", "line 1: there is no column 'outcome'"),
        ("", "line 1: the file is empty"),
        (
            "left,right,outcome\ntea,milk,left\ntea,mlk,left\n",
            "line 3: there is no option 'mlk'; did you",
        ),
        ("left,right,outcome\ntea,milk,left\n\ntea,milk,lft\n", "line 4: 'lft' is not an outcome"),
        ("left,right,outcome\ntea,milk,juice\n", "line 2: 'juice' is not on the ballot"),
        ("left,right,outcome\ntea,tea,left\n", "line 2: 'tea' is on both sides"),
        ("left,right,outcome\ntea,,left\n", "line 2: it has no right"),
        ("left,right,outcome\ntea,milk\n", "line 2: expected 3 fields"),
        ("left,right,outcome\ntea,milk,left,right\n", "line 2: expected 3 fields"),
        ('left,right,outcome\ntea,milk,left\ntea,"milk,left\n', "line 3: unexpected end of data"),
        ("left,right,outcome,time\ntea,milk,left,soon\n", "line 2: 'soon' is not a time"),
        (
            "left,right,outcome,time\ntea,milk,left,1794726967000\n",
            "line 2: '1794726967000' is not a",
        ),
    ],
)
def test_a_damaged_file_is_a_sentence_with_its_line_and_nothing_is_imported(
    study, tmp_path, content, sentence
):
    path = tmp_path / "votes.csv"
    path.write_text(content)
    with pytest.raises(InvalidRow, match=f"votes.csv, {sentence}") as caught:
        study.import_votes(path)
    assert "\n" not in str(caught.value)
    assert study.log()[1:] == []


@pytest.mark.slow
def test_a_file_that_is_not_there_is_a_sentence(study):
    with pytest.raises(InvalidRow, match=r"nowhere.csv cannot be read"):
        study.import_votes("nowhere.csv")


def test_what_cannot_be_taken_in_or_exported_is_a_sentence(study, tmp_path):
    with pytest.raises(InvalidRow, match=r"row 1: 'x' is not an outcome.*Nothing was imported"):
        study.add_votes([row("left"), row("x")])
    with pytest.raises(InvalidRow, match="row 0: 'left' has no columns"):
        study.add_votes(["left"])
    assert study.standing().votes == 0
    with pytest.raises(InvalidParameter, match=r"must end in .csv.* or .jsonl"):
        study.export(tmp_path / "votes.xls")
    (tmp_path / "votes.csv").write_bytes(b"left,right,outcome\n\xff\xfe,milk,left\n")
    with pytest.raises(InvalidRow, match=r"votes.csv, line"):
        study.import_votes(tmp_path / "votes.csv")


def test_the_log_is_exported_as_lines_of_json(study, tmp_path):
    study.tell(study.ask(), "left")
    study.export(tmp_path / "log.jsonl")
    lines = (tmp_path / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["created", "asked", "voted"]


@pytest.mark.parametrize("name", ["votes.csv", "log.jsonl"])
def test_an_export_to_nowhere_is_a_sentence(study, tmp_path, name):
    with pytest.raises(InvalidParameter, match="cannot be written: No such file"):
        study.export(tmp_path / "nowhere" / name)
