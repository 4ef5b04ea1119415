"""What the page of a study says in words, and its figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_pages import study_with, told, votes

from copeland.study.report.graph_figure import shown_arrows
from copeland.study.report.study_figures import (
    Interval,
    matrix_figure,
    position_figure,
    progress_figure,
    scores_figure,
)
from copeland.study.report.study_sentences import (
    arrow_sentences,
    counting_sentences,
    cycle_sentences,
    find_first_proof,
    matrix_sentence,
    notices,
    outcomes_sentence,
    position_sentences,
    progress_sentences,
    score_sentences,
)
from copeland.study.results.analysis import Analysis
from copeland.study.results.history import history_of
from copeland.study.results.standing import position_of
from copeland.support.phrasing import letters, shorten_names

pytestmark = pytest.mark.slow  # left out of `make fast`


# Words


@pytest.mark.quick
def test_a_cycle_is_told_with_the_votes_of_each_link(circle):
    reading = Analysis(circle.standing())
    words = told(cycle_sentences(reading))
    assert words.startswith(
        "A, B and C beat each other in a cycle: A beats B (140 of 200 votes; proved)"
    )
    assert words.endswith("Every win is proved, and so is the cycle.")


def test_a_cycle_of_few_votes_is_said_to_be_possibly_chance():
    study = study_with("abc", votes("a", "b", 2, 1), votes("b", "c", 2, 1), votes("c", "a", 2, 1))
    reading = Analysis(study.standing())
    words = told(cycle_sentences(reading))
    assert words == "There is no cycle among these options beyond what may be chance."


def test_a_cycle_that_is_not_likely_is_said_to_be_possibly_chance():
    study = study_with("abc", *(votes(one, other, 8, 4) for one, other in ("ab", "bc", "ca")))
    reading = Analysis(study.standing())
    words = told(cycle_sentences(reading))
    assert "the cycle may be chance" in words


def test_of_several_cycles_the_surest_is_told():
    study = study_with(
        "abcd",
        *(votes(one, other, 60, 10) for one, other in ("ab", "bc", "cd", "da")),
        votes("c", "a", 3, 2),
    )
    reading = Analysis(study.standing())
    words = told(cycle_sentences(reading))
    assert "c beats d (60 of 70 votes; proved)" in words
    assert words.endswith("Every win is proved, and so is the cycle.")


def test_no_cycle_is_told_too():
    reading = Analysis(study_with("ab", votes("a", "b", 2)).standing())
    assert told(cycle_sentences(reading)).startswith("There is no cycle among these options")
    assert told(arrow_sentences(reading, shown_arrows(reading, [0, 1]))) == "a to b: ahead."


def test_borda_is_said_to_disagree_where_it_does():
    against_all = [votes("A", other, 600, 400) for other in "BCD"]
    study = study_with("ABCD", *against_all, votes("B", "C", 900), votes("B", "D", 900))
    words = told(counting_sentences(Analysis(study.standing())))
    assert "Borda counts by how much options win, and puts B first, with" in words
    assert "Borda disagrees with Copeland." in words
    assert words.startswith("Shares and lotteries are estimates")


def test_all_ways_to_count_agree_on_a_plain_order():
    study = study_with("abc", votes("a", "b", 9, 1), votes("b", "c", 9, 1), votes("a", "c", 9, 1))
    words = told(counting_sentences(Analysis(study.standing())))
    assert "Borda agrees with Copeland." in words and "draws a (100.0 %). It agrees" in words


def test_one_of_those_tied_by_copeland_is_named_if_borda_prefers_it():
    study = study_with("abc", votes("a", "b", 9, 1), votes("b", "c", 6, 4), votes("c", "a", 6, 4))
    assert "Borda would take a." in told(counting_sentences(Analysis(study.standing())))


def test_the_leader_is_told_with_wins_losses_and_open_pairs(circle):
    standing = circle.standing()
    first = next(score_sentences(Analysis(standing)))
    assert first == (
        "A, B and C lead together. So far A beats 2 of 4 others and loses to 1 (1 even or without votes); "
        "its bar goes from 1 to 3."
    )


def test_progress_says_when_an_option_was_first_proved_best():
    study = study_with("ab", votes("a", "b", 12))
    standing, rows = study.standing(), history_of(study.log())
    words = told(progress_sentences(Analysis(standing), rows))
    assert find_first_proof(rows) == 9
    assert "the proof is complete: 1 option proved best" in words
    assert "first proved best at vote 9." in words and "a led throughout." in words


def test_progress_says_how_often_the_lead_changed():
    study = study_with("ab", votes("a", "b", 1), votes("b", "a", 2))
    standing = study.standing()
    words = told(progress_sentences(Analysis(standing), history_of(study.log())))
    assert "b has led since vote 3. At the 3 moments looked at, the lead changed once." in words


def test_the_answers_that_do_not_count_are_told():
    study = study_with("ab", votes("a", "b", 2, 1, 1), both_bad="drop")
    for outcome in ("skip", "error", "both_bad"):
        study.tell(study.ask(), outcome)
    study.undo(study.tell(study.ask(), "tie"))
    assert outcomes_sentence(study.standing()) == (
        "Of 7 answers, 3 named a winner, 1 said tie, 1 said both are bad, 1 skipped and 1 failed. "
        "4 count as votes; left out: 1 skip, 1 error and 1 “both bad”. 1 more was undone."
    )


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [(60, 40, "the left side wins"), (20, 80, "the right side wins"), (5, 5, "no sign of a bias")],
)
def test_a_bias_of_position_is_told(left, right, said):
    assert said in told(position_sentences(position_of(left, right)))


def test_closed_retired_and_paused_are_told_first():
    study = study_with("abcd", votes("a", "b", 1))
    study.retire_option("c")
    study.pause_option("d")
    study.close()
    standing = study.standing()
    words = told(notices(Analysis(standing)))
    assert (
        "closed" in words
        and "Retired, so no longer asked about: c. The verdict leaves it out." in words
        and "Paused, so not asked about for now: d." in words
    )


def test_pairs_proved_tied_within_the_margin_are_counted():
    study = study_with("ab", votes("a", "b", 200, 200), margin=0.2)
    standing = study.standing()
    assert matrix_sentence(Analysis(standing)).endswith("margin of 0.2: 1.")


# Figures


def test_scores_are_dots_on_bars():
    axes = scores_figure([Interval("a", 2, 1, 3), Interval("b", 0, 0, 1)], options=4).axes[0]
    assert [list(line.get_xdata()) for line in axes.lines] == [[1, 3], [2], [0, 1], [0]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_the_side_figure_has_a_line_at_one_half():
    axes = position_figure([Interval("all votes", 0.6, 0.5, 0.7)]).axes[0]
    assert list(axes.lines[-1].get_xdata()) == [0.5, 0.5]


def test_cells_without_votes_are_blank_and_proved_ones_bold():
    p = np.array([[np.nan, 0.7, np.nan], [0.3, np.nan, 0.5], [np.nan, 0.5, np.nan]])
    axes = matrix_figure(p, list("abc"), p > 0.6).axes[0]
    words = {(t.get_position(), t.get_text(), t.get_fontweight()) for t in axes.texts}
    assert words == {
        ((1.5, 0.5), "70", "bold"),
        ((0.5, 1.5), "30", "normal"),
        ((2.5, 1.5), "50", "normal"),
        ((1.5, 2.5), "50", "normal"),
    }
    assert axes.collections[0].get_array().mask.sum() == 5


def test_progress_is_drawn_as_it_is():
    upper, lower = progress_figure([0, 5, 10], [3, 3, 1], [0.0, 0.5, 1.0], 3, proved_at=10).axes
    assert upper.lines[0].get_ydata().tolist() == [3, 3, 1]
    assert lower.lines[0].get_ydata().tolist() == [0.0, 0.5, 1.0]
    assert list(lower.lines[1].get_xdata()) == [10, 10]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=12, unique=True), st.integers(8, 30))
def test_short_names_keep_the_number_of_letters(names, most):
    assert all(letters(name) <= most for name in shorten_names(names, most))


def test_short_names_differ_if_the_names_do():
    names = [f"{'x' * 30}{i}{'y' * 30}" for i in range(30)]
    assert len(set(shorten_names(names, 12))) == 30
