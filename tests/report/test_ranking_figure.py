"""The figure of a ranking: a row an option, tiers as bands, the ranks that each option may have."""

from itertools import pairwise

import numpy as np
import pytest

import copeland
from copeland.errors import InvalidParameter
from copeland.orders.rank import Place, Ranking
from copeland.report.document import image
from copeland.report.ranking_figure import MOST, bound_axis, describe_ranking, ranking_figure

WINS = [[0, 60, 90, 85], [40, 0, 80, 80], [10, 20, 0, 55], [15, 20, 45, 0]]


@pytest.fixture(scope="module")
def board():
    return copeland.rank(WINS, by="strength", labels=["A", "B", "C & D", "E"])


def many(k):
    places = (
        Place(f"option {n}", 1 + n // 3, -n, -n - 1, -n + 1, n, n + 2) for n in range(1, k + 1)
    )
    return Ranking(tuple(places), 0.05, (), "strength")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_the_best_is_on_top_and_dots_and_bars_are_values_and_intervals(board):
    behind, axes = ranking_figure(board).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["A", "B", "C & D", "E"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert texts(behind) == ["tier", "rank", "1", "2", "1 to 2", "1 to 2", "3 to 4", "3 to 4"]
    assert axes.get_xlabel() == "strength, in log-odds"
    _, axes = ranking_figure(board).axes
    bars, dots = axes.lines[::2], axes.lines[1::2]
    for place, bar, dot in zip(board.places, bars, dots, strict=True):
        assert list(bar.get_xdata()) == [place.low, place.high]
        assert list(dot.get_xdata()) == [place.value]


def test_every_other_tier_is_a_band_and_a_bar_that_goes_on_ends_in_an_arrow():
    behind, _ = ranking_figure(many(9)).axes  # tiers 1, 1, 2, 2, 2, 3, 3, 3, 4
    bands = [(patch.get_y(), patch.get_y() + patch.get_height()) for patch in behind.patches]
    assert bands == [(-0.5, 1.5), (4.5, 7.5)]
    board = copeland.rank([[0, 9, 9], [3, 0, 5], [0, 0, 0]], by="strength", labels=["a", "b", "c"])
    _, axes = ranking_figure(board).axes
    arrows = [(line.get_marker(), int(line.get_ydata()[0])) for line in axes.lines]
    assert [one for one in arrows if one[0] in "<>"] == [("<", 2), (">", 2)]
    assert "c -2.83 (no interval), tier 1, rank 1 to 3" in describe_ranking(board)


def test_axes_fit_what_they_show():
    places = [Place(f"o{n}", 1, -n, -n - 1, -n + 1, 1, 5) for n in range(4)]
    board = Ranking((*places, Place("odd", 1, -4, -1e6, 1e6, 1, 5)), 0.05, (), "strength")
    low, high = bound_axis(board)
    assert -10 < low <= -4 and 1 <= high < 10
    few = copeland.rank([[0, 3, 3], [0, 0, 3], [0, 0, 0]], by="borda")
    low, high = bound_axis(few)
    assert low >= 0 and high <= 1
    assert ranking_figure(few).axes[1].xaxis.get_major_formatter()(0.5, 0) == "50 %"
    board = copeland.rank(WINS)
    _, axes = ranking_figure(board).axes
    assert bound_axis(board) == (0, 3) and axes.get_xlabel() == "options beaten"
    assert all(tick == int(tick) for tick in axes.get_xticks())


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 3, 60])
def test_few_and_many_options_are_all_drawn(k):
    figure = ranking_figure(many(k))
    assert len(figure.axes[1].get_yticklabels()) == k and figure.texts == []


@pytest.mark.slow
def test_of_very_many_options_the_first_are_drawn_and_that_is_said():
    board = many(MOST + 40)
    figure = ranking_figure(board)
    assert len(figure.axes[1].get_yticklabels()) == MOST
    assert [text.get_text() for text in figure.texts] == ["the first 60 of 100 options"]
    assert describe_ranking(board).endswith("; 40 more are not drawn")


@pytest.mark.slow
def test_letters_of_neighbours_do_not_overlap():
    """Names, dots and ranks of 60 options with long names: each in its own row and column."""
    rng = np.random.default_rng(1)
    wins = rng.integers(1, 20, (60, 60)) * (1 - np.eye(60, dtype=int))
    names = [f"a language model with a long name {n}" for n in range(60)]
    figure = ranking_figure(copeland.rank(wins, by="strength", labels=names))
    figure.draw_without_rendering()
    behind, axes = figure.axes
    labels = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert all(one.y0 >= next.y1 - 1 for one, next in pairwise(labels))
    inner = axes.get_window_extent()
    ranks = [text.get_window_extent() for text in behind.texts[-60:]]
    assert min(box.x0 for box in ranks) > inner.x1
    tiers = [text.get_window_extent() for text in behind.texts[2:-60]]
    assert max(box.x1 for box in tiers) < min(box.x0 for box in labels)


@pytest.mark.slow
def test_a_figure_of_a_ranking_shows_whole_names_and_itself_in_a_notebook(board):
    svg = image(ranking_figure(board), "svg").decode()
    assert "<title>C &amp; D</title>" in svg
    figure = copeland.plot(board)
    assert figure.axes[1].get_xlabel() == "strength, in log-odds"
    png, size = figure._repr_png_()
    assert png.startswith(b"\x89PNG") and size["width"] > 300
    with pytest.raises(InvalidParameter, match="give nothing but the ranking"):
        copeland.plot(board, yscale="log")
