"""Votes from elsewhere: imported once however often, undone whole, and every row accounted for."""

import json

import numpy as np
import pytest

import copeland.study.votes as votes_module
from copeland.errors import InvalidParameter, InvalidRow, StudyClosed, UnknownStudy, UnknownVote
from copeland.study import create_study, create_study_from_votes, open_study

OPTIONS = ["tea", "milk", "juice"]


@pytest.fixture
def study(storage):
    return create_study("drinks", OPTIONS, storage, voters="independent")


@pytest.fixture
def file(tmp_path):
    """Writes lines to a file of votes, and gives its path."""

    def write(*lines, name="votes.csv", head="left,right,outcome"):
        path = tmp_path / name
        path.write_text("\n".join([head, *lines]) + "\n")
        return path

    return write


def wins(study):
    return study.standing(voters=False).wins.tolist()


# Again and again


def test_a_file_without_ids_is_imported_once(study, file):
    path = file("tea,milk,left", "tea,milk,left", "milk,juice,tie")
    assert study.import_votes(path) == 3
    again = study.import_votes(path)
    assert (again, again.known, study.standing().votes) == (0, 3, 3)


def test_a_file_that_grew_adds_only_what_is_new(study, file):
    lines = ["tea,milk,left", "tea,milk,left"]
    study.import_votes(file(*lines))
    grown = study.import_votes(file(*lines, "milk,juice,left", "tea,milk,left"))
    assert (grown, grown.known) == (2, 2)
    assert wins(study) == [[0, 3, 0], [0, 0, 1], [0, 0, 0]]


def test_counts_that_grew_add_only_what_is_new(study, file):
    study.import_votes(file("tea,milk,3", head="i,j,wins"))
    assert study.import_votes(file("tea,milk,5", "milk,tea,1", head="i,j,wins")) == 3
    ann = {"winner": "tea", "loser": "juice", "n": 4, "voter": "ann"}
    study.add_votes([ann])
    assert repr(study.standing().voters[0].outcomes["left"]) == "4"  # whatever sums a database has
    assert wins(study)[0][1] == 5


def test_the_same_votes_in_another_form_are_the_same_votes(study, file):
    study.import_votes(file("tea,milk", head="winner,loser"))
    assert study.import_votes(file("tea;milk;tea", head="left;right;outcome")) == 0


def test_equal_rows_of_another_source_are_other_votes(study, file):
    study.import_votes(file("tea,milk,left"))
    assert study.import_votes(file("tea,milk,left", name="other.csv")) == 1
    assert study.add_votes(file("tea,milk,left"), source="a third") == 1
    assert {vote.source for vote in study.votes()} == {"votes.csv", "other.csv", "a third"}


def test_rows_of_a_program_are_new_each_time_and_counts_with_an_id_are_so_many_votes(study):
    row = {"left": "tea", "right": "milk", "outcome": "left"}
    assert [study.add_votes([row], source="clicks") for _ in range(2)] == [1, 1]
    row = {"winner": "tea", "loser": "milk", "n": 3, "event_id": "a"}
    assert study.add_votes([row]) == 3
    assert study.add_votes([row | {"n": 4}]) == 1


def test_ids_from_content_look_like_no_others_and_a_file_is_no_copy_of_itself(study, file):
    study.import_votes(file("tea,milk,left"))
    assert study.votes()[0].event_id.startswith("import:")
    grown = study.import_votes(file("tea,milk,left", "tea,juice,left"))
    assert (grown, grown.copy_of) == (1, None)


def test_an_export_of_imported_votes_brings_nothing_new(study, file, tmp_path):
    study.import_votes(file("tea,milk,left", "milk,juice,left"))
    study.export(tmp_path / "out.csv")
    assert study.import_votes(tmp_path / "out.csv") == 0


# Copies


def test_a_copy_of_a_file_under_another_name_is_said_to_be_one(study, file):
    lines = ["tea,milk,left", "tea,milk,left", "milk,juice,tie"]
    study.import_votes(file(*lines))
    taken = study.import_votes(file(*lines, name="copy.csv"))
    assert (taken, taken.copy_of) == (3, "votes.csv")
    assert "Warning: the import 'votes.csv' has the same votes." in taken.sentence
    assert taken.to_dict()["copy_of"] == "votes.csv"


def test_a_copy_of_counts_is_said_to_be_one(study, file):
    head, lines = "i,j,wins,ties", ["milk,juice,0,0", "tea,milk,442,144", "milk,tea,286,0"]
    study.import_votes(file(*lines, head=head))
    assert study.import_votes(file(*lines, head=head, name="copy.csv")).copy_of == "votes.csv"


@pytest.mark.parametrize(
    "lines", [["tea,milk,left"] * 3, ["tea,milk,left", "milk,juice,left"], ["tea,juice,left"]]
)
def test_a_file_that_says_more_or_something_else_is_not_a_copy(study, file, lines):
    study.import_votes(file("tea,milk,left", "tea,milk,left"))
    assert study.import_votes(file(*lines, name="other.csv")).copy_of is None


def test_votes_that_were_undone_are_no_original(study, file):
    study.import_votes(file("tea,milk,left"))
    study.undo_import("votes.csv")
    assert study.import_votes(file("tea,milk,left", name="copy.csv")).copy_of is None


# What became of each row


def test_every_row_is_accounted_for(file):
    study = create_study("first", OPTIONS, repeats="first", voters="independent")
    lines = ["tea,milk,left,ann,", "milk,tea,left,ann,", "tea,milk,skip,bob,", "tea,milk,tea,cas,1"]
    path = file(*lines, head="left,right,outcome,voter,undone")
    taken = study.import_votes(path)
    assert taken.to_dict() == {
        **{"rows": 4, "imported": 3, "counted": 1, "repeats": 1},
        **{"skipped": 1, "known": 0, "undone": 1, "extra": 0},
    }
    assert taken.sentence == (
        "Added 3 new votes: 1 counted, 1 left out as repeats of a voter's first vote, "
        "1 skipped or failed. Undone: 1."
    )
    assert study.import_votes(path).sentence == "Added 0 new votes. Already there: 3. Undone: 1."
    assert json.dumps(taken) == "3"


def test_a_vote_that_was_undone_by_itself_stays_undone(study, file):
    lines = ["tea,milk,left", "milk,juice,left"]
    study.import_votes(file(*lines))
    study.undo(study.votes()[0])
    again = study.import_votes(file(*lines, "tea,juice,left"))
    assert (again, again.known, again.undone) == (1, 1, 1)
    assert wins(study) == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]


# Undo


def test_an_import_is_undone_whole_and_alone(study, file):
    study.tell(study.ask(), "left", source="votes.csv")
    before = wins(study)
    study.import_votes(file("tea,milk,left", "tea,milk,right", "milk,juice,skip"))
    study.import_votes(file("tea,juice,tie", name="other.csv"))
    assert study.undo_import("votes.csv") == 3
    assert wins(study) == before
    assert study.standing().votes == 2
    assert study.state() == study.replay()


def test_an_import_that_was_undone_can_be_imported_again_and_again(study, file):
    head = "left,right,outcome,event_id"
    path = file("tea,milk,left,x", "milk,juice,left,", head=head)
    for _ in range(3):
        assert study.import_votes(path) == 2
        assert study.import_votes(path).known == 2
        assert study.standing().votes == 2
        assert study.undo_import("votes.csv") == 2
        assert study.standing().votes == 0
    assert study.import_votes(file("tea,milk,right,x", head=head)) == 1  # put right
    assert wins(study)[1][0] == 1


def test_an_import_of_first_votes_leaves_the_place_to_the_next(file):
    study = create_study("first", OPTIONS, repeats="first", voters="independent")
    lines = ["tea,milk,left,ann", "tea,milk,left,ann", "milk,juice,left,ann"]
    study.import_votes(file(*lines, head="left,right,outcome,voter"))
    study.add_votes([{"left": "tea", "right": "milk", "outcome": "right", "voter": "ann"}], "other")
    assert wins(study)[0][1] == 1
    assert study.undo_import("votes.csv") == 3
    assert wins(study) == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert study.state() == study.replay()


def test_an_import_that_is_not_there_is_a_sentence(study, file):
    with pytest.raises(
        UnknownVote, match=r"no votes were imported from 'x'; no import has been made"
    ):
        study.undo_import("x")
    study.import_votes(file("tea,milk,left"))
    with pytest.raises(UnknownVote, match=r"from 'vote.csv'; did you mean 'votes.csv'"):
        study.undo_import("vote.csv")
    study.undo_import("votes.csv")
    with pytest.raises(UnknownVote, match="were undone before"):
        study.undo_import("votes.csv")
    study.close()
    with pytest.raises(StudyClosed):
        study.undo_import("votes.csv")


# Forms


def test_names_voters_and_times_are_read_in_any_form(study, file):
    path = file(
        *("tea,milk,model_a, ann ,1700000000.5", "tea , milk,tie (bothbad),,"),
        head="Model_A,model_b,winner,judge,tstamp",
    )
    study.import_votes(path)
    first, second = study.votes()
    assert (first.voter, first.time, first.outcome) == ("ann", 1700000000.5, "left")
    assert (second.voter, second.left, second.outcome) == (None, "tea", "both_bad")


def test_any_columns_can_be_named(study, file):
    path = file(
        "tea;milk;tea;ann;q1;2026-01-01;7", head="first;second;better;who;question;day;number"
    )
    columns = {"left": "first", "right": "second", "outcome": "better", "voter": "who"}
    columns |= {"item": "question", "time": "day", "event_id": "number"}
    study.add_votes(path, columns=columns)
    (vote,) = study.votes()
    assert (vote.voter, vote.item, vote.event_id, vote.outcome) == ("ann", "q1", "7", "left")


def test_an_option_whose_name_has_spaces_around_it_is_found(file):
    study = create_study("spaces", ["tea ", "milk"], voters="independent")
    study.import_votes(file("tea ,milk,tea ", " milk ,tea ,left"))
    assert wins(study) == [[0, 1], [1, 0]]


def test_rows_without_columns_of_votes_are_refused(study):
    assert study.add_votes([]) == 0
    with pytest.raises(InvalidRow, match=r"there is no column 'left'.*Nothing was imported"):
        study.add_votes([{"a": 1}])


def test_counts_beyond_what_a_study_keeps_are_refused(study, file, monkeypatch):
    with pytest.raises(
        InvalidRow, match=r"votes.csv, line 2: the counts up to here are over 1,000,"
    ):
        study.import_votes(file("tea,milk,1000002", head="i,j,wins"))
    monkeypatch.setattr(votes_module, "MOST_COUNTED", 10)
    with pytest.raises(InvalidRow, match=r"line 3: the counts"):
        study.import_votes(file("tea,milk,8", "tea,juice,8", head="i,j,wins"))
    assert study.votes() == []


# A study from votes


def test_a_study_is_made_from_votes_and_one_that_is_there_takes_in_the_new(file, tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    path = file("b,a,2", "c,b,1", head="winner,loser,n")
    study, taken = create_study_from_votes("made", path, storage, delta=0.1, voters="independent")
    assert [option.name for option in study.options] == ["b", "a", "c"]
    assert (taken, study.settings.delta, study.standing().votes) == (3, 0.1, 3)
    assert study.import_votes(path) == 0
    assert study.misfit() is None
    assert np.array_equal(open_study("made", storage).replay().wins, study.state().wins)
    how = {"storage": storage, "voters": "independent"}
    create_study_from_votes("grows", file("b,a,left"), **how)
    path = file("b,a,left", "a,b,left")
    _, taken = create_study_from_votes("grows", path, load_if_exists=True, **how)
    assert (taken, taken.known) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "how", "sentence"),
    [
        ("a,b,lft", {}, "line 3: 'lft' is not an outcome"),
        ("a,left,a", {}, "an option cannot be called 'left'"),
        ("a,b,left", {"delta": 2}, "delta is 2"),
        ("a,b,left", {"options": ["a", "c"]}, "line 2: there is no option 'b'"),
    ],
)
def test_a_study_whose_votes_cannot_be_is_not_made(file, tmp_path, line, how, sentence):
    storage = f"sqlite:///{tmp_path}/s.db"
    create_study("other", OPTIONS, storage, voters="independent")
    with pytest.raises((InvalidRow, InvalidParameter), match=sentence):
        create_study_from_votes("made", file("a,b,left", line), storage, **how)
    with pytest.raises(UnknownStudy):
        open_study("made", storage)


def test_json_lines_may_be_named_json(tmp_path):
    votes, options = tmp_path / "votes.json", tmp_path / "options.json"
    options.write_text('{"name": "tea", "text": null}\n{"name": 7}\n')
    votes.write_text('{"left": "tea", "right": "7", "outcome": "left"}\n')
    study = create_study("drinks", options, voters="independent")
    assert [option.name for option in study.options] == ["tea", "7"]
    assert study.import_votes(votes) == 1
