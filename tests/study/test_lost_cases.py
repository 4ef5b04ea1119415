"""The cases that options lost, on the page of a study that judges decide."""

import pytest
from commands import run
from study_pages import text_of, undrawn

from copeland.study import create_study, open_study
from copeland.study.judges import Item, Reasoned, judge_study
from copeland.study.report.lost_cases import tabulate_lost_cases

HOSTILE = "<script>alert(1)</script>\x1b[2J"


def items(n, *names, text="answer of {name}"):
    return [
        Item(f"q{i}", f"Question {i}?", {name: text.format(name=name) for name in names})
        for i in range(n)
    ]


def wins(*orders):
    """A judge that ranks options on case i by the i-th order, round and round, and says so."""

    def judge(left, right, item):
        order = orders[int(item.name[1:]) % len(orders)]
        side = "left" if order.index(left.name) < order.index(right.name) else "right"
        return Reasoned(side, f"{item.name} is for {order[0]}")

    return judge


def judged(names, cases, judge, **how):
    study = create_study("prompts", list(names), voters="judge", cases=len(cases), **how)
    judge_study(study, {"ann": judge}, items=cases)
    return study


def test_of_two_options_both_see_what_they_lost_with_answers_and_reasons():
    cases = items(30, "old", "new")
    study = judged(("old", "new"), cases, wins(("new", "old"), ("new", "old"), ("old", "new")))
    of_old, of_new = tabulate_lost_cases(study.standing(), study.votes, cases)
    assert of_old.columns == ["case", "input", "old", "new", "on the left", "the judge"]
    lost = [row[0] for row in of_new.rows]
    assert lost and all(int(case[1:]) % 3 == 2 for case in lost)
    assert of_new.title.startswith("Lost by new to old: ")
    row = of_new.rows[0]
    assert row[1] == f"Question {row[0][1:]}?" and row[2:4] == ["answer of new", "answer of old"]
    assert row[4] in ("old", "new") and row[5] == f"ann: {row[0]} is for old"
    assert len(of_old.rows) <= 10 and " of " in of_old.title


def test_others_are_compared_with_the_leader_or_with_the_baseline():
    cases = items(12, "a", "b", "c")
    judge = wins(("a", "b", "c"), ("b", "a", "c"), ("a", "c", "b"))
    found = judged("abc", cases, judge, population="these")
    titles = [part.title for part in tabulate_lost_cases(found.standing(), found.votes)]
    assert [title.rpartition(":")[0] for title in titles] == ["Lost by b to a", "Lost by c to a"]
    found = judged("abc", cases, judge, goal="above:c", population="these")
    titles = [part.title for part in tabulate_lost_cases(found.standing(), found.votes)]
    assert [title.rpartition(":")[0] for title in titles] == ["Lost by b to c"]


def test_an_undone_vote_and_a_study_without_cases_show_nothing():
    study = judged("ab", items(12, "a", "b"), wins("ab"))
    assert tabulate_lost_cases(study.standing(), study.votes)
    for vote in study.votes():
        study.undo(vote)
    assert tabulate_lost_cases(study.standing(), study.votes) == ()
    study = create_study("tea", ["a", "b"], voters="judge")
    judge_study(study, lambda left, right, item: "left")
    assert tabulate_lost_cases(study.standing(), study.votes) == ()


@pytest.mark.slow
def test_the_page_shows_them_inert_and_the_command_takes_the_items(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"q{i},What?,wordy <b>{i}</b>,{i},{i}" for i in range(12)]
    (tmp_path / "all.csv").write_text("id,input,long,short,expected\n" + "\n".join(rows))
    url = f"sqlite:///{tmp_path}/copeland.db"
    study = create_study("sums", ["long", "short"], url, voters="judge", cases=12)
    cases = [Item(f"q{i}", "What?") for i in range(12)]
    judge = {
        "ann": lambda left, right, item: (
            Reasoned("left", HOSTILE) if left.name == "short" else "right"
        )
    }
    judge_study(study, judge, items=cases)
    with undrawn():
        assert run("study", "report", "sums", "--items", "all.csv").exit_code == 0
        page = (tmp_path / "sums.html").read_text()
        alone = text_of(open_study("sums", url).report(tmp_path / "alone.html").read_text())
    assert "Cases that were lost" in page and "wordy &lt;b&gt;" in page
    assert "<script>alert" not in page and "\x1b" not in page
    assert "Cases that were lost" in alone and "wordy" not in alone
    assert "--items all.csv" in text_of(page)
