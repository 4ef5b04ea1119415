"""The choices of `copeland.plot`, and whether every curve and every name can be read."""

import dataclasses
import re
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import copeland
from copeland.errors import InvalidParameter
from copeland.report.document import image
from copeland.report.plot_options import PlotOptions
from copeland.report.regret_figure import regret_figure
from copeland.simulation.runs import Curves, Runs
from copeland.theory.lower_bounds import lower_regret

pytestmark = pytest.mark.slow  # left out of `make fast`

MARKS = np.unique(np.geomspace(1, 10**6, 60).astype(np.int64))
LONG = "algorithms/of_somebody/who_likes_long_names.py:ALGORITHM:alpha=0.51,variant=printed"


def curve_of(name, power):
    """Two runs of an algorithm whose regret grows with a power of time."""
    regret = np.array([0.9, 1.1])[:, None] * MARKS[None, :] ** power
    count = np.zeros(regret.shape, np.int64)
    return Curves(name, {}, MARKS, regret, count, count, count == 0, 1.0)


def runs_of(names, problem="cyclic-4"):
    curves = [
        curve_of(name, power)
        for name, power in zip(names, np.linspace(0.5, 0.52, len(names)), strict=True)
    ]
    key = copeland.problems.problem_of("cyclic-4").key
    return Runs(problem, 4, key, False, 10**6, 0, "definition-1", MARKS, tuple(curves))


TEN = runs_of([f"algorithm-{i}" for i in range(10)])


def names_beside(figure):
    figure.draw_without_rendering()
    return [text for text in figure.axes[0].texts if text.arrow_patch]


def box(text):
    return Text.get_window_extent(text)  # without the line that leads to it


def overlapping(texts):
    boxes = [box(text) for text in texts]
    # Letters that only touch are apart: their boxes have room above capitals.
    return [
        pair for pair in combinations(boxes, 2) if pair[0].padded(-1).overlaps(pair[1].padded(-1))
    ]


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("yscale", ["linear", "log"])
def test_the_names_of_ten_curves_that_end_together_do_not_overlap(width, yscale):
    figure = copeland.plot(TEN, width=width, yscale=yscale)
    texts = names_beside(figure)
    assert len(texts) == 10 and not overlapping(texts)
    inside = figure.bbox
    assert all(inside.contains(*corner) for t in texts for corner in box(t).corners())


@pytest.mark.parametrize("width", ["single", "double"])
def test_no_letters_are_smaller_than_seven_points_however_many_curves_there_are(width):
    many = runs_of([f"algorithm-{i}" for i in range(30)])
    figure = copeland.plot(many, width=width)
    sizes = [
        text.get_fontsize()
        for text in figure.findobj(lambda a: hasattr(a, "get_fontsize"))
        if text.get_text()
    ]
    assert min(sizes) >= 7 - 1e-9
    assert not overlapping(names_beside(figure))


def test_a_long_name_is_wrapped_and_loses_only_its_end():
    figure = copeland.plot(runs_of([LONG]), width="single")
    (text,) = names_beside(figure)
    lines = text.get_text().split("\n")
    assert len(lines) <= 3 and max(map(len, lines)) <= 14
    assert LONG.startswith("".join(lines).removesuffix("…"))


def test_tooltips_have_the_whole_name():
    svg = image(copeland.plot(runs_of([LONG, "<b>"]), width="single"), "svg").decode()
    titles = re.findall("<title>(.*?)</title>", svg)
    assert (
        titles.count(LONG) == 2 and titles.count("&lt;b&gt;") == 2
    )  # of the curve, and of its name
    long = runs_of(["ccb"], problem="x" * 300)
    svg = image(regret_figure(long), "svg").decode()
    assert f"<title>{'x' * 300}</title>" in svg


@pytest.mark.quick
def test_scales_are_as_asked():
    axes = copeland.plot(TEN, yscale="log", xscale="linear").axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")
    assert "(log scale)" in axes.get_ylabel() and "log" not in axes.get_xlabel()


def test_where_regret_is_logarithmic_the_steps_at_which_all_curves_are_one_are_left_out():
    apart = runs_of(["a", "b"])
    split = np.where(MARKS > 1e4, MARKS / 1e4, 1.0)
    curves = (
        apart.curves[0],
        dataclasses.replace(apart.curves[1], regret=apart.curves[0].regret * split),
    )
    axes = copeland.plot(dataclasses.replace(apart, curves=curves), yscale="log").axes[0]
    assert axes.get_xlim()[0] == 1e4


def test_no_regret_at_all_can_be_drawn_on_a_logarithmic_axis():
    none = dataclasses.replace(
        TEN, curves=tuple(dataclasses.replace(c, regret=0 * c.regret) for c in TEN.curves)
    )
    assert image(copeland.plot(none, yscale="log"), "png")


def test_some_algorithms_keep_their_colours_and_the_figure_says_how_many_are_left_out():
    colour = {line.get_label(): line.get_color() for line in copeland.plot(TEN).axes[0].lines}
    axes = copeland.plot(TEN, algorithms=["algorithm-3", "algorithm-8"]).axes[0]
    assert {line.get_label(): line.get_color() for line in axes.lines} == {
        name: colour[name] for name in ("algorithm-3", "algorithm-8")
    }
    assert any("8 more algorithms not shown" in text.get_text() for text in axes.texts)


def test_bands_are_quantiles_standard_errors_or_none():
    one = runs_of(["a"])
    tops = {}
    for spread in ("quantiles", "errors"):
        (band,) = copeland.plot(one, spread=spread).axes[0].collections
        tops[spread] = band.get_paths()[0].vertices[:, 1].max()
    regret = one.curves[0].regret[:, -1]
    assert tops["quantiles"] == pytest.approx(np.quantile(regret, 0.95))
    assert tops["errors"] == pytest.approx(regret.mean() + 2 * regret.std(ddof=1) / np.sqrt(2))
    assert not copeland.plot(one, spread="none").axes[0].collections


def test_a_notebook_shows_a_figure_which_may_be_drawn_on_axes_of_ones_own():
    png, size = copeland.plot(runs_of(["a"]), width="single")._repr_png_()
    assert png.startswith(b"\x89PNG") and size["width"] == pytest.approx(3.4 * 96)
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert copeland.plot(TEN, right) is figure
    assert len(right.lines) == 10 and not left.lines


def test_small_multiples_have_axes_for_each_algorithm_with_its_curve_in_colour():
    figure = copeland.plot(TEN, by="algorithm", lower_bound=2.0)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [c.label for c in TEN.curves]
    for axes, curve in zip(figure.axes, TEN.curves, strict=True):
        assert len(axes.lines) == 11
        assert [
            line.get_label() for line in axes.lines if not line.get_label().startswith("_")
        ] == [curve.label, "lower bound"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


@pytest.mark.parametrize("width", ["single", "double"])
def test_the_words_beside_small_multiples_stay_below_those_above(width):
    few = dataclasses.replace(TEN, curves=TEN.curves[:3])
    figure = copeland.plot(few, by="algorithm", yscale="log", width=width)
    figure.draw_without_rendering()
    beside, above = figure._supylabel.get_window_extent(), figure._suptitle.get_window_extent()
    assert beside.y0 >= 0 and (beside.y1 <= above.y0 or beside.x1 <= above.x0)


def test_true_draws_the_lower_bound_of_the_problem():
    (drawn,) = [
        line
        for line in copeland.plot(TEN, lower_bound=True).axes[0].lines
        if line.get_label() == "lower bound"
    ]
    limit = lower_regret(copeland.load("cyclic-4"))
    assert drawn.get_ydata()[-1] == pytest.approx(limit * np.log(10**6))


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"problem": "matrix"}, "no problem 'matrix'"),
        ({"key": "another"}, "not the problem that was run"),
        ({"regret": "weak"}, "not for weak"),
        ({"problem": "easy-6"}, "redrawn"),
    ],
)
def test_true_says_why_there_is_no_lower_bound(odd, reason):
    with pytest.raises(InvalidParameter, match=reason):
        copeland.plot(dataclasses.replace(TEN, **odd), lower_bound=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"yscale": "logarithmic"},
        {"xscale": "?"},
        {"width": "wide"},
        {"spread": "sd"},
        {"by": "run"},
        {"algorithms": ["nobody"]},
        {"algorithms": []},
        {"ax": 55.1},
    ],
)
def test_what_there_is_not_is_refused_in_a_sentence(wrong):
    with pytest.raises(InvalidParameter, match=r"(?s)^[a-z].*\.$"):
        copeland.plot(TEN, **wrong)


def test_a_line_is_the_same_bytes_each_time_with_every_choice():
    look = PlotOptions("log", "log", "single", "errors", "algorithm")
    assert image(regret_figure(TEN, 2.0, look), "svg") == image(
        regret_figure(TEN, 2.0, look), "svg"
    )
