"""`copeland study certify` and `verify`."""

import json
import os
from pathlib import Path

import pytest
from commands import flat, run
from study_commands import ok, refused, values, write_votes

pytestmark = pytest.mark.slow  # left out of `make fast`


def test_a_certificate_is_written_and_checked(cycle):
    done = run("study", "certify", "cycle", "--out", "c.json")
    assert done.exit_code == 0
    assert "A, B and C are proved tied for first" in flat(done.stdout)
    assert "This assumes:" in done.stdout
    write_votes({"AB": (0, 300)})
    ok("import", "cycle", "votes.csv")
    assert ok("verify", "c.json").startswith("c.json holds: After 600 votes, A, B and C are proved")
    held = {"file": "c.json", "holds": True, "objections": []}
    assert values("verify", "c.json") == held


def test_a_certificate_is_checked_by_votes_alone(cycle):
    ok("certify", "cycle", "--out", "c.json")
    ok("export", "cycle", "out.csv")
    os.remove("copeland.db")
    assert "c.json holds" in ok("verify", "c.json", "--votes", "out.csv")


def test_a_certificate_is_checked_by_the_exported_log_alone_after_a_vote_is_undone(cycle):
    ok("certify", "cycle", "--out", "c.json")
    ok("undo", "cycle", "--last")
    for name in ("out.csv", "log.jsonl"):
        ok("export", "cycle", name)
    os.remove("copeland.db")
    assert "c.json holds" in ok("verify", "c.json", "--votes", "log.jsonl")
    assert "check it against the whole log" in refused("verify", "c.json", "--votes", "out.csv")


def test_a_certificate_without_its_seal_or_forged_exits_with_1(cycle):
    ok("certify", "cycle", "--out", "c.json")
    content = json.loads(Path("c.json").read_text())
    del content["seal"]
    Path("c.json").write_text(json.dumps(content))
    (objection,) = values("verify", "c.json", code=1)["objections"]
    assert "its seal does not match its content" in objection
    ok("certify", "cycle", "--out", "d.json")
    Path("d.json").write_text(
        Path("d.json").read_text().replace('"best": [0, 1, 2]', '"best": [0]')
    )
    done = run("study", "verify", "d.json")
    assert done.exit_code == 1
    found = values("verify", "d.json", code=1)
    assert not found["holds"]
    assert flat(done.stdout).count("d.json does not hold: ") == len(found["objections"]) > 0


def test_without_a_proof_certify_exits_with_1_and_active_options_have_their_own(demo):
    assert values("certify", "demo", code=1)["statement"].startswith("After 1,220 votes, no option")
    for name in "DE":
        ok("option", "retire", "demo", name)
    found = values("certify", "demo", "--active")
    assert (found["active"], found["best"]) == ([0, 1, 2], [0, 1, 2])


@pytest.mark.quick
def test_a_certificate_does_not_replace_a_file_unasked(cycle):
    Path("c.json").write_text("mine")
    assert "--force" in refused("certify", "cycle", "--out", "c.json")
    assert Path("c.json").read_text() == "mine"
