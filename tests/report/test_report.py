import dataclasses
import re
import subprocess
import sys

import pytest
from rich.console import Console

import copeland
from copeland.report.axes import apart
from copeland.report.document import image, inline_svg
from copeland.report.regret_figure import regret_figure
from copeland.report.simulation_page import simulation_page, write_pages
from copeland.report.terminal_tables import amount, bounds_table, runs_row, runs_table, runs_title
from copeland.theory import bounds

pytestmark = pytest.mark.slow  # left out of `make fast`

LABELS = ["ccb", "ccb:alpha=2.0"]
VERSIONS = {"copeland": "1.2.3", "numpy": "9.8.7"}


@pytest.fixture(scope="module")
def runs():
    return copeland.simulate("cyclic-4", LABELS, 500, runs=4, seed=4, compiled=False)


@pytest.fixture(scope="module")
def axes(runs):
    return regret_figure(runs).axes[0]


@pytest.fixture(scope="module")
def page(runs):
    return simulation_page(runs, VERSIONS, "copeland simulate 'a & b' -a ccb")


@pytest.mark.quick
def test_the_figure_has_a_line_and_a_band_for_each_algorithm(axes, runs):
    assert [line.get_label() for line in axes.lines] == LABELS
    drawn = axes.lines[1].get_xydata()
    assert drawn[:, 0].tolist() == runs.marks.tolist()
    assert drawn[:, 1].tolist() == runs.curves[1].regret.mean(axis=0).tolist()
    assert len({line.get_color() for line in axes.lines}) == 2
    assert len({line.get_linestyle() for line in axes.lines}) == 2
    assert len(axes.collections) == 2


def test_axes_and_titles_say_what_is_drawn(axes, runs):
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    half = regret_figure(dataclasses.replace(runs, regret="half")).axes[0]
    assert axes.get_ylabel() == "cumulative regret (Definition 1)"
    assert half.get_ylabel() == "cumulative regret (halved)"
    assert axes.get_title(loc="left") == "cyclic-4: 4 options, 4 runs"
    assert [text.get_text() for text in axes.texts if text.arrow_patch] == LABELS


def test_names_of_curves_are_moved_apart_beside_the_axes():
    heights = apart([0.5, 0.5, 0.5, 0.1], gap=0.1, low=0.0, high=1.0)
    assert heights == pytest.approx([0.4, 0.5, 0.6, 0.1])
    assert apart([0.0, 0.0], 0.1, 0, 1) == pytest.approx([0.05, 0.15])
    assert apart([1.0, 1.0], 0.1, 0, 1) == pytest.approx([0.85, 0.95])
    assert apart([0.5, 0.5], [0.1, 0.3], 0, 1) == pytest.approx([0.4, 0.6])


def test_odd_runs_can_be_drawn(runs):
    runs = copeland.simulate("cyclic-4", "ccb", 1, compiled=False)
    assert image(regret_figure(runs), "png").startswith(b"\x89PNG")
    none = [dataclasses.replace(curve, regret=0 * curve.regret) for curve in runs.curves]
    assert image(regret_figure(dataclasses.replace(runs, curves=none)), "png")
    odd = dataclasses.replace(runs, problem="$5_and_$6")
    assert image(regret_figure(odd), "svg")


def test_a_figure_is_the_same_bytes_each_time(runs):
    for kind in ("svg", "pdf", "png"):
        assert image(regret_figure(runs), kind) == image(regret_figure(runs), kind)


def test_plot_does_not_touch_the_global_state_of_matplotlib():
    code = (
        "import copeland, sys; "
        "copeland.plot(copeland.simulate('cyclic-4', 'ccb', 50, compiled=False)); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_the_page_holds_the_figure_and_the_numbers_and_says_how_it_was_made(page, runs):
    assert not re.search(r"https?:|<script|<link|@import|url\((?!#)|src=", page)
    assert "<svg" in page
    assert "currentColor" in page
    for row in runs.summary():
        for cell in (row["algorithm"], *runs_row(row).values()):
            assert f">{cell}<" in page
    for fact in ("cyclic-4", runs.key, "500 steps", "numpy 9.8.7", "copeland 1.2.3"):
        assert fact in page
    assert "copeland simulate &#39;a &amp; b&#39; -a ccb" in page


def test_the_page_escapes_names_and_says_what_was_redrawn_or_interrupted(runs, page):
    odd = dataclasses.replace(runs, problem="<script>alert(1)</script>")
    assert "<script>" not in simulation_page(odd, VERSIONS)
    odd = simulation_page(dataclasses.replace(runs, redrawn=True, interrupted=True), VERSIONS)
    for sentence in ("redrawn for each run", "was interrupted"):
        assert sentence in odd
        assert sentence not in page
    assert "redrawn" not in runs_title(runs)
    assert "redrawn for each run" in runs_title(dataclasses.replace(runs, redrawn=True))


def test_an_inline_figure_names_no_namespace():
    svg = b'<?xml version="1.0"?><svg xmlns="http://x" xmlns:xlink="http://y"><use xlink:href="#a"/></svg>'
    assert inline_svg(svg) == '<svg><use href="#a"/></svg>'


def test_three_figures_and_the_page_are_written(runs, tmp_path):
    write_pages(runs, tmp_path, VERSIONS)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["index.html", "regret.pdf", "regret.png", "regret.svg"]


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"),
        (0.51, "0.51"),
        (999.6, "1,000"),
        (1234.5, "1,234"),
        (10**12, "10^12"),
        (1e20, "10^20"),
    ],
)
def test_amounts_are_short(x, text):
    assert amount(x) == text


def test_bounds_that_no_float_holds_are_powers_of_e():
    found = bounds.summary(copeland.load("mslr-5"))
    values = list(bounds_table(found, "mslr-5").columns[1].cells)
    assert f"e^{found['log_theorem_1']:.1f}" in values


@pytest.mark.parametrize("width", [60, 80, 130])
def test_a_table_fits_its_window_and_keeps_names_means_and_correctness(runs, width):
    console = Console(width=width)
    with console.capture() as shown:
        console.print(runs_table(big(runs), width))
    text = shown.get()
    assert "…" not in text
    for word in ("ccb:alpha=2.0", "mean", "correct"):
        assert word in text


def big(runs):
    curves = [dataclasses.replace(c, regret=123_456.7 * c.regret) for c in runs.curves]
    return dataclasses.replace(runs, curves=tuple(curves))
