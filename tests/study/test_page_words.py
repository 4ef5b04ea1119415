"""What the page of a study says in words, and its figures."""

import numpy as np
import pytest
from helpers import compare_with_snapshot
from hypothesis import given
from hypothesis import strategies as st
from study_pages import study_with, told, votes

from copeland.study.report.study_figures import (
    Interval,
    matrix_figure,
    position_figure,
    progress_figure,
    scores_figure,
    shown_arrows,
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
from copeland.support.judge_statistics import position_of
from copeland.support.phrasing import letters, shorten_names

pytestmark = pytest.mark.slow  # left out of `make fast`


# Words


def answered():
    study = study_with("ab", votes("a", "b", 2, 1, 1), both_bad="drop")
    for outcome in ("skip", "error", "both_bad"):
        study.tell(study.ask(), outcome)
    study.undo(study.tell(study.ask(), "tie"))
    return study


def closed():
    study = study_with("abcd", votes("a", "b", 1))
    study.retire_option("c")
    study.pause_option("d")
    study.close()
    return study


def cycle(*links):
    return [votes(*link) for link in links]


AHEAD = [votes("A", other, 600, 400) for other in "BCD"]
STUDIES = {
    "a cycle of few votes": lambda: study_with(
        "abc", *cycle(("a", "b", 2, 1), ("b", "c", 2, 1), ("c", "a", 2, 1))
    ),
    "a cycle that may be chance": lambda: study_with(
        "abc", *cycle(("a", "b", 8, 4), ("b", "c", 8, 4), ("c", "a", 8, 4))
    ),
    "of two cycles, the surest": lambda: study_with(
        "abcd", *(votes(*pair, 60, 10) for pair in ("ab", "bc", "cd", "da")), votes("c", "a", 3, 2)
    ),
    "proved after nine votes": lambda: study_with("ab", votes("a", "b", 12)),
    "the lead changed": lambda: study_with("ab", votes("a", "b", 1), votes("b", "a", 2)),
    "Borda disagrees": lambda: study_with(
        "ABCD", *AHEAD, votes("B", "C", 900), votes("B", "D", 900)
    ),
    "all ways to count agree": lambda: study_with(
        "abc", *(votes(*p, 9, 1) for p in ("ab", "bc", "ac"))
    ),
    "Borda prefers one of those tied": lambda: study_with(
        "abc", *cycle(("a", "b", 9, 1), ("b", "c", 6, 4), ("c", "a", 6, 4))
    ),
    "tied within the margin": lambda: study_with("ab", votes("a", "b", 200, 200), margin=0.2),
    "answers that do not count": answered,
    "closed, with an option that is retired and one that is paused": closed,
}


COUNTED = ("Borda disagrees", "all ways to count agree", "Borda prefers one of those tied")


def sentences_of(study, counted):
    standing, reading = study.standing(), Analysis(study.standing())
    yield from notices(reading)
    yield outcomes_sentence(standing)
    yield from score_sentences(reading)
    yield from cycle_sentences(reading)
    yield from arrow_sentences(reading, shown_arrows(reading, list(range(reading.k))))
    yield matrix_sentence(reading)
    if counted:
        yield from counting_sentences(reading)
    yield from progress_sentences(reading, history_of(study.log(), study.standing()))


def test_sentences_of_pages_read_as_their_snapshot(circle):
    studies = {"a proved cycle": lambda: circle} | STUDIES
    parts = [
        "\n".join([f"# {name}", *sentences_of(make(), name in COUNTED)])
        for name, make in studies.items()
    ]
    compare_with_snapshot("page-sentences", "\n\n".join(parts))


def test_the_first_proof_is_found_in_the_history():
    study = STUDIES["proved after nine votes"]()
    assert find_first_proof(history_of(study.log(), study.standing())) == 9


@pytest.mark.quick
@pytest.mark.parametrize(
    ("left", "right", "said"),
    [(60, 40, "the left side wins"), (20, 80, "the right side wins"), (5, 5, "no sign of a bias")],
)
def test_a_bias_of_position_is_told(left, right, said):
    assert said in told(position_sentences(position_of(left, right)))


# Figures


def test_scores_are_dots_on_bars_and_sides_have_a_line_at_one_half():
    axes = scores_figure([Interval("a", 2, 1, 3), Interval("b", 0, 0, 1)], options=4).axes[0]
    assert [list(line.get_xdata()) for line in axes.lines] == [[1, 3], [2], [0, 1], [0]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
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
