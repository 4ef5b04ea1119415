"""`copeland study import`, `export`, `undo`, `option` and `close`."""

import json
from pathlib import Path

import pytest
from commands import flat, run
from study_commands import ok, refused, values, voting

pytestmark = pytest.mark.slow  # left out of `make fast`


def test_exported_votes_are_known_when_they_come_back(cycle):
    assert ok("export", "cycle", "out.csv") == "Written to out.csv."
    assert values("import", "cycle", "out.csv")["imported"] == 0
    assert "--force" in refused("export", "cycle", "out.csv")
    assert values("export", "cycle", "out.csv", "--force")["file"] == "out.csv"


def test_the_whole_log_is_exported(new_study):
    ok("export", "tea", "log.jsonl")
    assert json.loads(Path("log.jsonl").read_text().splitlines()[0])["kind"] == "created"
    assert "must end in .csv" in refused("export", "tea", "log.txt")


@pytest.mark.quick
def test_an_import_says_what_became_of_every_row(new_study):
    Path("v.csv").write_text("winner;loser\ngreen;black\ngreen;black\nwhite;black\n")
    assert ok("import", "tea", "v.csv") == "Added 3 new votes."
    assert ok("import", "tea", "v.csv") == (
        "Added 0 new votes. Already there: 3. If these are other votes, name another --source."
    )
    found = values("import", "tea", "v.csv", "--source", "again")
    assert (found["source"], found["imported"], found["rows"], found["known"]) == ("again", 3, 3, 0)


def test_imports_are_undone_by_their_source_and_copies_say_how(new_study):
    for name in ("v.csv", "copy.csv"):
        Path(name).write_text("winner;loser\ngreen;black\n")
    ok("import", "tea", "v.csv")
    said = ok("import", "tea", "copy.csv")
    assert "Warning: the import 'v.csv' has the same votes." in said
    assert said.endswith("To undo it: copeland study undo tea --import copy.csv")
    ok("undo", "tea", "--import", "copy.csv")
    Path("v.csv").write_text("winner;loser\ngreen;black\n")
    ok("import", "tea", "v.csv")
    assert ok("undo", "tea", "--import", "v.csv") == "Undid 1 vote imported from 'v.csv'."
    assert ok("import", "tea", "v.csv") == "Added 1 new vote."
    assert values("undo", "tea", "--import", "v.csv")["undone"] == 1
    assert "did you mean 'v.csv'" in refused("undo", "tea", "--import", "w.csv")
    assert "--import SOURCE" in refused("undo", "tea", "--import", "v.csv", "--last")


def test_columns_of_a_file_are_named_by_flags(new_study):
    Path("v.csv").write_text("a,b,best,who,q,at,key\ngreen,black,green,ann,1,2026-01-01,x\n")
    flags = ["--left", "a", "--right", "b", "--voter", "who", "--item", "q", "--time", "at"]
    assert "no column 'bst' (--outcome); did you mean 'best'" in refused(
        "import", "tea", "v.csv", *flags, "--outcome", "bst"
    )
    assert "--left, --right and --outcome" in refused("import", "tea", "v.csv")
    flags += ["--outcome", "best", "--id", "key"]
    assert values("import", "tea", "v.csv", *flags)["imported"] == 1
    assert values("create", "new", "--from", "v.csv", *flags)["options"] == ["green", "black"]


def test_a_format_is_recognised_named_and_written(new_study):
    Path("tea.soi").write_text(
        "# ALTERNATIVE NAME 1: green\n# ALTERNATIVE NAME 2: black\n2: 1,2\n1: 2,1\n"
    )
    assert ok("import", "tea", "tea.soi") == "Added 3 new votes."
    found = values("create", "ranked", "--from", "tea.soi", "--format", "preflib")
    assert (found["options"], found["imported"]) == (["green", "black"], 3)
    ok("export", "ranked", "rows.jsonl", "--format", "trl")
    row = {"prompt": "", "chosen": "green", "rejected": "black"}
    assert json.loads(Path("rows.jsonl").read_text().splitlines()[0]) == row
    assert "did you mean 'preflib'" in refused("import", "tea", "tea.soi", "--format", "preflibs")
    assert "give it with --from" in refused("create", "x", "-o", "a", "--format", "preflib")


def test_a_study_is_created_from_votes_or_not_at_all():
    Path("v.csv").write_text("model_a,model_b,winner\nx,y,model_b\ny,z,tie\nx,y,skip\n")
    found = values("create", "made", "--from", "v.csv")
    assert (found["options"], found["counted"], found["skipped"]) == (["x", "y", "z"], 2, 1)
    assert "2 counted, 1 skipped" in ok("create", "two", "--from", "v.csv", "--margin", "0.05")
    Path("v.csv").write_text("model_a,model_b,winner\nx,y,model_b\ny,z,model_c\n")
    assert "v.csv, line 3: 'model_c' is not an outcome" in refused(
        "create", "bad", "--from", "v.csv"
    )
    assert "there is no study 'bad'" in refused("status", "bad")
    assert "give them with --from" in refused("create", "bad", "-o", "x", "-o", "y", "--id", "n")
    assert "votes with --from" in refused("create", "bad")


def test_a_damaged_vote_is_named_by_line_and_nothing_is_imported(new_study):
    Path("bad.csv").write_text("left,right,outcome\ngreen,black,left\ngreen,grey,left\n")
    assert "bad.csv, line 3" in refused("import", "tea", "bad.csv")
    assert values("status", "tea")["votes"] == 0


def test_a_vote_is_undone_by_its_id_or_as_the_last_of_a_voter(new_study):
    voting("tea", "--voter", "ann", "--ballots", "2", keys=["l", "r"])
    voting("tea", "--voter", "bob", "--ballots", "1", keys=["l"])
    first = values("undo", "tea", "--last", "--voter", "ann")["undone"]
    assert "was undone before" in refused("undo", "tea", first)
    assert "no longer counts" in ok("undo", "tea", "--last")
    found = values("status", "tea")
    assert (found["votes"], found["undone"]) == (1, 2)
    assert "no vote of 'cat'" in refused("undo", "tea", "--last", "--voter", "cat")
    assert "either its event_id, or --last" in refused("undo", "tea")


def test_options_are_added_paused_resumed_and_retired(new_study):
    assert values("option", "add", "tea", "oolong", "--text", "Rolled.")["state"] == "active"
    for verb, state in (("pause", "paused"), ("resume", "active"), ("retire", "retired")):
        assert values("option", verb, "tea", "oolong")["state"] == state
        rows = {row["name"]: row["state"] for row in values("status", "tea")["options"]}
        assert rows["oolong"] == state
    assert "resume it first" in refused("option", "pause", "tea", "oolong")
    assert values("option", "resume", "tea", "oolong")["state"] == "active"
    assert "did you mean 'green'" in refused("option", "pause", "tea", "gren")
    assert "already" in refused("option", "add", "tea", "green")


def test_texts_are_edited(new_study):
    assert values("option", "edit", "tea", "green", "--text", "Steamed.")["changed"] is True
    assert values("option", "edit", "tea", "green", "--text", "Steamed.")["changed"] is False
    assert ok("edit", "tea", "--question", "Which?") == "Voters read it from now on."
    assert ok("edit", "tea", "--question", "Which?") == "Voters read this already."
    assert "give --question or --guidance" in refused("edit", "tea")
    assert "no option 'gren'" in refused("option", "edit", "tea", "gren", "--text", "x")


def test_a_closed_study_is_reopened(new_study):
    ok("close", "tea")
    assert ok("reopen", "tea", "--reason", "too early") == "The study 'tea' takes votes."
    assert values("status", "tea")["closed"] is False


def test_a_study_is_deleted_once_its_name_is_typed(new_study):
    for typed in ("", "te\n", "milk\n"):
        done = run("study", "delete", "tea", input=typed)
        assert done.exit_code == 2 and done.stdout == ""
        assert "was not typed, so nothing was deleted" in flat(done.stderr)
        assert "copeland backup" in flat(done.stderr)
        assert "copeland study export tea tea.jsonl" in flat(done.stderr)
    assert "tea" in ok("list")
    done = run("study", "delete", "tea", input="tea\n")
    assert (done.exit_code, done.stdout) == (0, "The study 'tea' is deleted.\n")
    assert "no study 'tea'" in refused("delete", "tea", "--yes")


def test_a_study_is_copied(new_study):
    made = values("copy", "tea", "again")
    assert made["options"] == [row["name"] for row in values("status", "tea")["options"]]
    assert values("status", "again")["votes"] == 0
    assert "already" in refused("copy", "tea", "again")
    assert "no study 'milk'" in refused("copy", "milk", "x")


def test_a_closed_study_takes_no_votes_and_is_deleted_without_a_question(new_study):
    assert ok("close", "tea") == "The study 'tea' is closed."
    assert "closed" in refused("vote", "tea")
    assert values("status", "tea")["closed"] is True
    assert values("delete", "tea", "--yes") == {"study": "tea", "deleted": True}
