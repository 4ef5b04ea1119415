"""Sides and order: counts have neither, and a judge that flips with the sides is told to."""

import pytest
from commands import flat, run, values
from study_pages import told, undrawn

from copeland.study import create_study
from copeland.study.judges import judge_study
from copeland.study.log.state import dump_state, fold_log, load_state
from copeland.study.report.study_sentences import (
    NO_ORDER,
    outcomes_sentence,
    progress_sentences,
    side_sentences,
)
from copeland.study.results.analysis import Analysis
from copeland.study.results.history import history_of

COUNTS = [{"i": "tea", "j": "milk", "wins": 60}, {"i": "milk", "j": "tea", "wins": 20}]
SHOWN = [{"left": "tea", "right": "milk", "outcome": "left"}] * 3


def study_with(*imports, **settings):
    study = create_study("drinks", ["tea", "milk"], **{"voters": "independent", **settings})
    for rows in imports:
        study.add_votes(rows)
    return study


def place(study):
    position = study.standing().position
    return position.left, position.right


@pytest.mark.parametrize("rows", [COUNTS, [{"winner": "tea", "loser": "milk"}] * 30])
def test_counts_and_lists_of_winners_have_no_sides(rows):
    study = study_with(rows)
    assert place(study) == (0, 0)
    assert not study.standing().position.is_biased
    words = told(side_sentences(study.standing()))
    assert words.startswith(
        f"{study.standing().votes} votes that named a winner came without sides"
    )
    assert "That is a bias" not in words


def test_votes_with_sides_are_tested_beside_counts():
    study = study_with(COUNTS, SHOWN)
    assert place(study) == (3, 0)
    assert "80 more votes that named a winner came without sides" in told(
        side_sentences(study.standing())
    )


def test_counts_have_sides_that_undoing_leaves_as_they_are():
    assert place(study_with([SHOWN[0] | {"count": 7}])) == (7, 0)
    study = study_with([COUNTS[0] | {"voter": "ann"}], [SHOWN[0] | {"voter": "ann"}])
    (ann,) = study.standing().voters
    assert (ann.position.left, ann.position.right, ann.outcomes["left"]) == (1, 0, 61)
    study = study_with(SHOWN)
    study.add_votes(COUNTS, source="counts.csv")
    study.undo_import("counts.csv")
    standing = study.standing()
    assert place(study) == (3, 0) and standing.sideless == 0


def test_only_votes_in_order_have_a_curve():
    study = study_with(COUNTS, COUNTS)
    rows = history_of(study.log(), study.standing())
    assert [row.votes for row in rows] == [0, 160]
    words = told(progress_sentences(Analysis(study.standing()), rows))
    assert words.endswith(NO_ORDER) and "led throughout" not in words
    study = study_with(COUNTS, SHOWN)
    rows = history_of(study.log(), study.standing())
    assert [row.votes for row in rows] == [0, 80, 81, 82, 83]
    days = [COUNTS[0] | {"wins": 2, "time": 0}, COUNTS[0] | {"wins": 2, "time": 86_400}]
    study = study_with(days)
    assert [row.votes for row in history_of(study.log(), study.standing())] == [0, 2, 4]


def test_snapshots_keep_sides_and_swaps():
    study = study_with([COUNTS[1] | {"wins": 2}], SHOWN)
    judge_study(study, {"gpt": lambda left, right, item: "left"}, swap="confirm", calls=4)
    state = fold_log(study.log())
    assert load_state(dump_state(state)) == state and state.tally.sides.swapped


@pytest.mark.slow
def test_status_says_nothing_of_sides_for_counts(tmp_path):
    table = tmp_path / "counts.csv"
    table.write_text("i,j,wins\na,b,100\nb,c,100\na,c,100\n")
    at = ["--storage", f"sqlite:///{tmp_path / 'studies.db'}"]
    run("study", "create", "games", "--from", table, "--voters", "independent", *at)
    assert "side" not in flat(run("study", "status", "games", *at).output)
    position = values("study", "status", "games", *at)["position"]
    assert (position["left"], position["right"], position["without_sides"]) == (0, 0, 300)
    with undrawn():
        run("study", "report", "games", "--out", tmp_path / "page.html", *at)
    page = flat((tmp_path / "page.html").read_text())
    assert "That is a bias" not in page and NO_ORDER in page


def biased(study, calls=80):
    """Let a judge that always names the left side answer with the sides both ways."""
    return judge_study(
        study, {"gpt": lambda left, right, item: "left"}, swap="confirm", calls=calls, repeat=True
    )


@pytest.mark.slow
def test_a_judge_that_flips_is_told_to():
    study = study_with()
    done = biased(study)
    said = (
        "gpt flipped on 40 of 40 ballots when the sides were swapped: it prefers the left side, which it named "
        "both times on 40."
    )
    standing = study.standing()
    assert said in told(side_sentences(standing)) and done.swaps == standing.swaps
    assert outcomes_sentence(standing).startswith(
        "Of 40 answers, 0 named a winner and 40 flipped with the sides and count as ties."
    )
    assert "no sign of a bias" not in told(side_sentences(standing))


def test_answers_with_the_sides_both_ways_say_nothing_of_sides():
    study = study_with()
    judge_study(
        study,
        {"gpt": lambda left, right, item: "left" if left.name == "tea" else "right"},
        swap="confirm",
        calls=2,
    )
    words = told(side_sentences(study.standing()))
    assert place(study) == (0, 0)
    assert words == (
        "1 vote that named a winner came from ballots that a judge answered with the sides both ways, so no side could gain. "
        "gpt flipped on 0 of 1 ballot when the sides were swapped."
    )


def test_undone_flips_do_not_count():
    study = study_with()
    biased(study, 4)
    study.undo(study.votes()[0])
    assert study.standing().swaps["gpt"].flips == 1


@pytest.mark.slow
def test_status_and_judge_tell_of_flips(tmp_path):
    at = ["--storage", f"sqlite:///{tmp_path / 'studies.db'}"]
    study = create_study(
        "drinks", ["tea", "milk"], f"sqlite:///{tmp_path / 'studies.db'}", voters="independent"
    )
    biased(study, 20)
    assert "gpt flipped on 10 of 10 ballots" in flat(run("study", "status", "drinks", *at).output)
    (swaps,) = values("study", "status", "drinks", *at)["swaps"]
    assert swaps == {"name": "gpt", "confirmed": 10, "flips": 10, "left": 10, "right": 0}
