"""`copeland study import`, `export`, `undo`, `option` and `close`."""

import pytest
from commands import flat, run
from study_commands import ok, refused, values, voting

pytestmark = pytest.mark.slow  # left out of `make fast`


@pytest.mark.quick
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
