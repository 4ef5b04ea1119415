"""Studies that judges decide on test cases, on the command line."""

import shlex
import sys

import pytest
from study_commands import ok, refused, values

pytestmark = pytest.mark.slow  # left out of `make fast`

SHORTER = "import sys; a, b = sys.argv[1:]; print('left' if len(a) <= len(b) else 'right')"
COMMAND = shlex.join([sys.executable, "-c", SHORTER, "{left}", "{right}"])


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("name,text,A,B\nq1,Why?,x,yyy\nq2,How?,x,yy\nq3,Who?,xx,y\n")
    return str(path)


def test_a_file_of_cases_is_counted_and_judged(cases):
    how = ("--judge", "--cases", cases, "--population", "these")
    said = ok("create", "p", "-o", "A", "-o", "B", *how)
    assert "once on each of 3 cases, 3 votes at most" in said
    assert "copeland study judge p --items" in said
    done = ok("judge", "p", "--items", cases, "--command", COMMAND, "--voter", "shorter")
    assert "2 votes from 2 calls" in done or "3 votes from 3 calls" in done
    status = values("status", "p")
    assert status["verdict"]["claim"] == (
        "On these 3 cases, by the judge shorter: A is proved the only winner."
    )
    assert status["settings"]["cases"] == 3


def test_a_sample_that_proves_nothing_says_so(cases):
    ok("create", "p", "-o", "A", "-o", "B", "--voters", "judge", "--cases", "3")
    done = ok("judge", "p", "--items", cases, "--command", COMMAND)
    assert "All 3 cases are judged. They do not prove which option is best" in done
    assert "more votes" not in done + ok("status", "p")


@pytest.mark.quick
def test_a_judge_in_a_study_of_people_is_told_what_to_do():
    ok("create", "p", "-o", "A", "-o", "B")
    said = refused("judge", "p", "--command", COMMAND)
    assert "this study is for people" in said.lower()
    assert "--voters judge" in said


def test_a_certificate_on_cases_is_written_and_verified_and_ballots_are_not_handed_out(
    cases, tmp_path
):
    how = ("--judge", "--cases", cases, "--population", "these")
    ok("create", "p", "-o", "A", "-o", "B", *how)
    for command in ("ask", "vote"):
        assert "--items FILE" in refused(command, "p")
    ok("judge", "p", "--items", cases, "--command", COMMAND)
    out = str(tmp_path / "c.json")
    ok("certify", "p", "--out", out)
    ok("verify", out)
