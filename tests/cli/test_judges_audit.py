"""copeland judges audit: sentences, files and exit codes."""

import csv
import json

import pytest
from commands import flat, run, values

HEAD = "item,left,right,people,gpt,bard\n"


def write(path, *told):
    """A file of votes from (people, gpt, bard, times)."""
    rows = [one[:3] for one in told for _ in range(one[3])]
    body = "".join(f"q{i},tea,milk,{','.join(row)}\n" for i, row in enumerate(rows))
    path.write_text(HEAD + body)
    return path


@pytest.fixture
def votes(tmp_path):
    told = (
        ("left", "left", "left", 80),
        ("right", "right", "left", 15),
        ("right", "left", "tie", 5),
    )
    return write(tmp_path / "votes.csv", *told)


def audit(votes, *more):
    return run("judges", "audit", votes, "--people", "people", "--judge", "gpt", *more)


@pytest.mark.parametrize(
    ("mark", "code"),
    [("agreement>=.8", 0), ("agreement>=.999", 1), ("agreement>=.95", 3), ("agrement>=.8", 2)],
)
def test_the_exit_code_is_what_the_pass_mark_comes_to(votes, mark, code):
    assert audit(votes, "--require", mark).exit_code == code


def test_several_pass_marks_must_all_be_proved(votes):
    both = ("--require", "agreement>=.8", "--require", "off<=.08")
    result = audit(votes, *both)
    assert result.exit_code == 3
    assert "off <= 0.08 is neither proved nor refuted" in flat(result.stdout)


def test_without_a_pass_mark_nothing_is_decided(votes):
    result = audit(votes)
    assert result.exit_code == 0
    said = flat(result.stdout)
    assert said.startswith("No pass mark was set")
    assert "Whatever gpt's votes prove is gpt's preference, not people's." in said
    assert "95.0 % (88.8 to 97.8 %) of the 100 votes on which both decide" in said


def test_json_has_everything_and_nothing_else(votes):
    told = values(
        "judges", "audit", votes, "--people", "people", "--judge", "gpt", "--judge", "bard"
    )
    assert [one["judge"] for one in told["judges"]] == ["gpt", "bard"]
    assert len(told["two_judges"][0]["disagreements"]) == 20
    failed = audit(votes, "--require", "agreement>=.999", "--json")
    assert (failed.exit_code, json.loads(failed.stdout)["decision"]) == (1, "failed")


def test_two_judges_show_the_first_twenty_cases_on_which_they_disagree(tmp_path):
    votes = write(tmp_path / "v.csv", ("left", "left", "right", 25), ("left", "left", "left", 30))
    said = audit(votes, "--judge", "bard").stdout
    assert "the first 20 of 25" in flat(said)
    assert " q19 " in said and " q20 " not in said


@pytest.mark.slow
def test_the_page_and_the_table_are_written_and_not_replaced(votes, tmp_path):
    page, table = tmp_path / "audit.html", tmp_path / "pairs.csv"
    assert audit(votes, "--out", page, "--csv", table).exit_code == 0
    assert "copeland judges audit" in page.read_text()
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["first"], row["second"], row["votes"]) for row in rows] == [("milk", "tea", "100")]
    assert audit(votes, "--out", page).exit_code == 2
    assert audit(votes, "--out", page, "--force").exit_code == 0


def test_voters_of_a_file_may_be_judges(tmp_path):
    file = tmp_path / "long.csv"
    rows = [f"ann{i},q{i},tea,milk,left\ngpt,q{i},milk,tea,right\n" for i in range(40)]
    file.write_text("voter,item,left,right,outcome\n" + "".join(rows))
    told = values("judges", "audit", file, "--judge", "gpt", "--require", "agreement>=.9")
    assert (told["decision"], told["judges"][0]["agreement"]["n"]) == ("passed", 40)
    result = run("judges", "audit", file, "--judge", "gpr")
    assert (result.exit_code, "did you mean 'gpt'?" in result.stderr) == (2, True)


def test_columns_are_named_by_options(tmp_path):
    file = tmp_path / "votes.csv"
    body = "".join(f"{i},x,y,A,A,10,{i},sums,2026-0{1 + i % 2}-05\n" for i in range(70))
    file.write_text("case,one,two,human,model,la,lb,kind,day\n" + body.replace("A", "x"))
    told = values(
        *("judges", "audit", file, "--people", "human", "--judge", "model", "--left", "one"),
        *("--right", "two", "--item", "case", "--time", "day", "--tags", "kind"),
        *("--lengths", "la,lb", "--margin", "0.2", "--pair-votes", "70"),
    )["judges"][0]
    assert told["by_tag"][0]["name"] == "sums"
    assert told["longer"]["judge"] == told["longer"]["people"]
    assert [one["name"] for one in told["periods"]] == ["the later half", "2026-01", "2026-02"]
    assert (told["margin"], len(told["pairs"])) == (0.2, 1)


def choose_first(left, right, item):
    return "left" if left.name < right.name else "right"


def test_a_study_is_audited_by_its_name(tmp_path):
    from copeland.study import create_study
    from copeland.study.judges import judge_study

    storage = f"sqlite:///{tmp_path / 'tea.db'}"
    study = create_study("tea", ["green", "black"], storage, voters="independent")
    judge_study(study, {"first": choose_first})
    for person in ("ann", "bob"):
        study.tell(study.ask(person), "green")
    told = values("judges", "audit", "--study", "tea", "--storage", storage)
    assert (told["judges"][0]["judge"], told["judges"][0]["agreement"]["value"]) == ("first", 0.0)


def test_tags_may_stand_in_a_file_of_cases(votes, tmp_path):
    cases = tmp_path / "cases.csv"
    cases.write_text("id,input,answer,tags\nq1,2 + 2,4,sums\nq99,a poem,O,poems\n")
    found = json.loads(audit(votes, "--tags", cases, "--json").stdout)["judges"][0]["by_tag"]
    assert [(one["name"], one["agreement"]["value"]) for one in found] == [
        ("poems", 0),
        ("sums", 1),
    ]


def test_what_to_audit_must_be_named_once(votes):
    assert "a file of votes, or a study" in run("judges", "audit").stderr
    assert "a file of votes, or a study" in audit(votes, "--study", "tea").stderr
    assert "name two columns" in audit(votes, "--texts", "left").stderr
