"""What a finished board says: order, ranks, tiers, places, files."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

import copeland
from copeland.boards import board, read_scores
from copeland.boards.finished_board import _find_tiers, bound_means
from copeland.errors import CopelandError

DATA = Path(os.environ.get("COPELAND_TEST_DATA", "../shared/data")) / "boards"
PLAIN = {"new": [1] * 36 + [0] * 4, "old": [1] * 20 + [0] * 20, "base": [1] * 18 + [0] * 22}


def test_ranks_and_tiers_follow_from_the_pairs():
    found = board(PLAIN, goal="top:1")
    assert [(row.name, row.rank_low, row.rank_high, row.tier) for row in found.rows] == [
        ("new", 1, 1, 1),
        ("old", 2, 3, 2),
        ("base", 2, 3, 2),
    ]
    assert [row.place for row in found.rows] == ["in", "out", "out"]
    assert found.may_be_first == ("new",) and found.pairs_apart == 2
    assert found.better.tolist() == [[False, True, True], [False] * 3, [False] * 3]
    above = board(PLAIN, goal="above:old")
    assert [row.place for row in above.rows] == ["in", "undecided", "undecided"]


def test_a_tier_ends_where_everybody_above_is_better_than_everybody_below():
    assert _find_tiers(np.array([1, 1, 3]), np.array([2, 2, 3])) == [1, 1, 2]
    assert _find_tiers(np.array([1, 2, 2]), np.array([1, 3, 3])) == [1, 2, 2]
    assert _find_tiers(np.array([1, 1, 2]), np.array([1, 3, 3])) == [1, 1, 1]
    assert _find_tiers(np.array([1, 1, 1]), np.array([3, 3, 3])) == [1, 1, 1]


def test_by_wins_systems_may_beat_each_other_in_a_circle():
    """Each of three beats the next on two thirds of the cases; a fourth loses to all."""
    turns = [[3, 2, 1], [1, 3, 2], [2, 1, 3]]
    scores = {f"{i}": [row[n % 3] for n in range(300)] for i, row in enumerate(turns)}
    found = board(scores | {"last": [0] * 300}, by="wins")
    assert [row.wins for row in found.rows] == [2, 2, 2, 0]
    assert [(row.rank_low, row.rank_high) for row in found.rows] == [(1, 3)] * 3 + [(4, 4)]
    assert found.pairs_apart == 6 and found.rows[-1].tier == 2


def test_intervals_of_means_hold_together_and_never_promise_what_was_not_seen():
    rng, boards, missed = np.random.default_rng(0), 300, 0
    truth = np.array([0.5, 0.8, 0.95, 1.0])
    for _ in range(boards):
        scores = (rng.random((4, 60)) < truth[:, None]).astype(float)
        table = read_scores({f"{i}": row for i, row in enumerate(scores)})
        _, low, high = bound_means(table, 0.05)
        missed += bool(((truth < low) | (truth > high)).any())
    assert missed <= 0.05 * boards
    _, low, high = bound_means(read_scores({"a": [1.0] * 60, "b": [0.0] * 60}), 0.05)
    assert low[0] < 0.95 and high[0] == 1 and low[1] == 0 and high[1] > 0.05


@pytest.mark.skipif(not DATA.is_dir(), reason="no data")
@pytest.mark.parametrize(("name", "pairs", "room"), [("direct", 267, 8), ("cot", 364, 6)])
def test_pairs_of_public_boards_are_those_of_the_study_of_tests(name, pairs, room):
    found = board(DATA / f"lcb_execution_{name}.csv.gz")
    assert abs(found.pairs_apart - pairs) <= room
    assert (found.units, found.unit, found.cases) == (92, "cluster", 479)


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="no data")
def test_by_case_a_public_board_claims_too_much():
    table = read_scores(DATA / "lcb_execution_direct.csv.gz")
    by_case = {name: row for name, row in zip(table.systems, table.scores, strict=True)}
    assert abs(board(by_case).pairs_apart - 425) <= 5


LONG = [
    {"system": name, "case": f"case {n}", "score": score}
    for name, row in PLAIN.items()
    for n, score in enumerate(row)
]


def write(path, text):
    path.write_text(text)
    return path


def test_long_and_wide_tables_in_every_format_are_one_table(tmp_path):
    long = "system,case,score\n" + "".join(
        "{system},{case},{score}\n".format(**row) for row in LONG
    )
    cases = [f"case {n}" for n in range(40)]
    wide = "case;New;old;base\n" + "".join(
        f"{case};{PLAIN['new'][n]};{PLAIN['old'][n]};{PLAIN['base'][n]}\n"
        for n, case in enumerate(cases)
    )
    turned = f"model\t{chr(9).join(cases)}\n" + "".join(
        f"{name}\t{chr(9).join('pass' if x else 'fail' for x in row)}\n"
        for name, row in PLAIN.items()
    )
    expected = read_scores(PLAIN)
    found = [
        read_scores(write(tmp_path / "long.csv", long)),
        read_scores(write(tmp_path / "turned.tsv", turned)),
        read_scores(write(tmp_path / "rows.jsonl", "\n".join(map(json.dumps, LONG)))),
        read_scores(LONG),
        read_scores([write(tmp_path / "1.csv", long)]),
    ]
    for table in found:
        assert table.systems == ("new", "old", "base")
        assert np.array_equal(table.scores, expected.scores) and table.are_passes
    assert read_scores(write(tmp_path / "wide.csv", wide)).systems == ("New", "old", "base")


def test_runs_are_averaged_and_clusters_named():
    rows = [
        {"option": name, "id": f"q{n}", "epoch": run, "passed": run < n, "repo": f"r{n // 2}"}
        for name in "ab"
        for n in range(4)
        for run in range(4)
    ]
    table = read_scores(rows, cluster="repo")
    assert table.scores.tolist() == [[0, 0.25, 0.5, 0.75]] * 2
    assert (table.unit, table.runs, table.clusters) == ("repo", 4, ("r0", "r0", "r1", "r1"))
    assert table.sum_clusters(table.scores).tolist() == [[0.25, 1.25]] * 2


def test_missing_scores_are_named_and_never_settled_silently():
    gaps = [row for row in LONG if row["case"] != "case 3" or row["system"] == "old"]
    with pytest.raises(
        CopelandError, match=r"system 'new' has no score on case 'case 3'.*--missing"
    ):
        board(gaps)
    zero, drop = read_scores(gaps, missing="zero"), read_scores(gaps, missing="drop")
    assert (
        zero.scores[0, zero.cases.index("case 3")] == 0
        and "Missing scores count as 0: new (1) and base (1)." in zero.notes
    )
    assert len(drop.cases) == 39 and "1 case without a score of every system" in drop.notes[0]


FEW = {"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}
REFUSALS = [
    ([{"system": "a", "case": "x", "score": "good"}], {}, "the score is 'good'; give a number"),
    ([{"system": "a", "case": "x", "score": math.inf}], {}, "the score is inf"),
    ([*LONG, LONG[0]], {}, "system 'new' has two scores on case 'case 0'"),
    ([{"system": "", "case": "x", "score": 1}], {}, "its system is empty"),
    ([{"name": "a", "points": 1}], {}, "neither columns for system, case and score"),
    (
        [{**row, "repo": "r" if row["score"] else ""} for row in LONG],
        {"cluster": "repo"},
        "its repo is empty",
    ),
    (
        [{**row, "repo": row["system"]} for row in LONG],
        {"cluster": "repo"},
        "of the repo 'old' here and of 'new' before",
    ),
    (LONG, {"cluster": "repo"}, "there is no column 'repo'"),
    ({"a": [1, 0, 1, 1, 1]}, {}, "give the scores of two or more"),
    (FEW, {}, "scores on 4 cases, and with fewer than 5 nothing can be shown"),
    (PLAIN, {"by": "median"}, "by is 'median'"),
    (PLAIN, {"goal": "top:3"}, "there are 3 options"),
    (PLAIN, {"missing": "guess"}, "missing is 'guess'"),
    (PLAIN, {"delta": 1.5}, "delta is 1.5"),
]


@pytest.mark.parametrize(("scores", "how", "sentence"), REFUSALS)
def test_what_is_no_board_is_refused_in_a_sentence(scores, how, sentence):
    with pytest.raises(CopelandError) as told:
        board(scores, **how)
    assert sentence in str(told.value)


def test_few_clusters_are_warned_of():
    assert "There are only 40 cases." in board(PLAIN).notes[0]
    assert not board({name: row * 2 for name, row in PLAIN.items()}).notes


def test_a_board_is_written_as_a_page_as_markdown_and_as_json(tmp_path):
    hostile = {"<b>new</b>": PLAIN["new"], "o|d": PLAIN["old"]}
    found = copeland.board(hostile, goal="best")
    page = found.report(tmp_path / "board.html", "copeland board x.csv").read_text()
    assert "&lt;b&gt;new" in page and "<b>new" not in page and "copeland board x.csv" in page
    markdown = found.to_markdown()
    assert "| o\\|d | 2 | 0.500 |" in markdown and "\\<b\\>new" in markdown
    told = found.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert set(told) >= {
        "systems",
        "pairs_apart",
        "pairs",
        "may_be_first",
        "units",
        "unit",
        "delta",
    }
    assert set(told["systems"][0]) >= {
        "name",
        "mean",
        "low",
        "high",
        "rank_low",
        "rank_high",
        "tier",
    }
