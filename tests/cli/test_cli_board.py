"""copeland board, as a person types it."""

import pytest

from tests.commands import flat, run, values

ROWS = [("new", 36), ("old", 20), ("base", 18)]


@pytest.fixture
def scores(tmp_path):
    lines = [f"{name},q{n},{int(n < passed)}" for name, passed in ROWS for n in range(40)]
    path = tmp_path / "scores.csv"
    path.write_text("system,case,score\n" + "\n".join(lines) + "\n")
    return path


def test_a_table_of_scores_becomes_a_verdict_a_page_and_a_table_for_a_readme(scores, tmp_path):
    page, table = tmp_path / "board.html", tmp_path / "board.md"
    words = ("board", scores, "--goal", "best", "--out", page, "--markdown", table)
    told = run(*words)
    assert told.exit_code == 0, told.stderr
    assert "new is first; 2 of 3 pairs differ (40 cases, error probability 0.05)." in flat(
        told.stdout
    )
    assert "There are only 40 cases." in flat(told.stdout)
    assert "Written to" in told.stderr and "copeland board" in page.read_text()
    assert "| new | 1 | 0.900 |" in table.read_text()
    again = run(*words)
    assert again.exit_code == 2 and "--force" in again.stderr
    assert run(*words, "--force").exit_code == 0


def test_json_has_what_programs_need(scores):
    told = values("board", scores)
    assert told["pairs_apart"] == 2 and told["pairs"] == 3 and told["may_be_first"] == ["new"]
    assert (told["units"], told["unit"], told["delta"]) == (40, "case", 0.05)
    assert [row["name"] for row in told["systems"]] == ["new", "old", "base"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--cluster", "repo"), "there is no column 'repo'"),
        (("--missing", "guess"), "missing is 'guess'"),
        (("--goal", "first"), "goal is 'first'"),
        (("--by", "elo"), "by is 'elo'"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(scores, words, sentence):
    told = run("board", scores, *words)
    assert told.exit_code == 2 and sentence in flat(told.stderr)
    assert len(told.stderr.splitlines()) == 1
