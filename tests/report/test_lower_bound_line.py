"""The lower bound in figures, on pages and on the command line."""

import dataclasses
import json
import math

import pytest
from typer.testing import CliRunner

import copeland
from copeland.cli import app
from copeland.report.regret_figure import regret_figure
from copeland.report.simulation_page import simulation_page
from copeland.reproduction import paper_experiments
from copeland.reproduction.reproduction import as_json, reproduce
from copeland.reproduction.reproduction_page import figures
from copeland.theory.lower_bounds import lower_regret

pytestmark = pytest.mark.slow  # left out of `make fast`

LIMIT = lower_regret(copeland.load("cyclic-4"))
SHORT = ("-a", "ccb", "--horizon", "1000", "--runs", "2")


@pytest.fixture(scope="module")
def runs():
    return copeland.simulate("cyclic-4", "ccb", 2000, runs=4, seed=4, compiled=False)


def line(figure):
    return figure.axes[0].lines[-1]


def run(*words):
    return CliRunner().invoke(app, list(words))


@pytest.mark.quick
def test_without_a_lower_bound_there_is_no_line(runs):
    assert [line.get_label() for line in regret_figure(runs).axes[0].lines] == ["ccb"]


def test_the_line_is_the_bound_times_the_logarithm_of_time(runs):
    drawn = line(copeland.plot(runs, lower_bound=LIMIT))
    assert drawn.get_label() == "lower bound"
    assert drawn.get_xydata()[-1].tolist() == pytest.approx([2000, LIMIT * math.log(2000)])
    (t, regret), _ = line(regret_figure(runs, LIMIT)).get_xydata()
    assert regret == pytest.approx(LIMIT * math.log(t))
    half = line(regret_figure(dataclasses.replace(runs, regret="half"), LIMIT))
    assert half.get_xydata()[-1, 1] == pytest.approx(LIMIT / 2 * math.log(2000))
    texts = [text.get_text() for text in regret_figure(runs, LIMIT).axes[0].texts]
    assert "lower bound" in texts


def test_a_line_far_away_changes_no_curve_and_the_page_says_what_it_is(runs):
    near, far = (regret_figure(runs, x).axes[0] for x in (LIMIT, 1e6 * LIMIT))
    assert far.get_ylim()[1] <= near.get_ylim()[1]
    assert "lower bound (goes on)" in [text.get_text() for text in far.texts]
    plain, with_line = (regret_figure(runs, x).axes[0] for x in (None, 1e-3 * LIMIT))
    assert with_line.get_ylim() == plain.get_ylim()
    single = copeland.simulate("cyclic-4", "ccb", 1, compiled=False)
    assert line(regret_figure(single, LIMIT)).get_xydata()[:, 1].tolist() == [0, 0]
    sentence = "than 55.1 ln t, 419 by t = 2,000."
    assert sentence in simulation_page(runs, {}, lower_bound=LIMIT)
    assert "ower bound" not in simulation_page(runs, {})


def test_simulate_prints_gives_and_draws_the_lower_bound_if_asked(tmp_path):
    assert "Lower bound" in run("simulate", "cyclic-4", *SHORT, "--lower-bound").stdout
    assert "Lower bound" not in run("simulate", "cyclic-4", *SHORT).stdout
    found = run("simulate", "cyclic-4", *SHORT, "--lower-bound", "--json", "--regret", "half")
    assert json.loads(found.stdout)["lower_regret"] == LIMIT
    run("simulate", "cyclic-4", *SHORT, "--lower-bound", "--out", str(tmp_path))
    page = (tmp_path / "index.html").read_text()
    assert "than 55.1 ln t" in page
    assert "--lower-bound" in page


@pytest.mark.parametrize(
    ("problem", "reason"),
    [("easy-6", "redrawn for each run"), ("implicit-6000", "no matrix to load")],
)
def test_simulate_says_why_there_is_no_lower_bound_and_goes_on(problem, reason):
    done = run(
        "simulate", problem, "-a", "random", "--horizon", "10", "--runs", "1", "--lower-bound"
    )
    assert done.exit_code == 0
    assert reason in done.stderr


@pytest.mark.slow
def test_the_reproduction_draws_and_gives_the_lower_bound_of_its_problems(tmp_path, monkeypatch):
    figure = paper_experiments.condorcet(None, False, 0)
    short = dataclasses.replace(figure.comparison, horizons=(1000,), runs=2)
    monkeypatch.setattr(
        paper_experiments, "condorcet", lambda *_: dataclasses.replace(figure, comparison=short)
    )
    found = reproduce(tmp_path, only=["condorcet"])
    limit = lower_regret(copeland.load("mslr-5-condorcet"))
    assert as_json(found)["experiments"]["condorcet"]["lower_regret"] == limit
    drawn = line(figures(found)["condorcet"])
    assert drawn.get_xydata()[-1, 1] == pytest.approx(limit * math.log(1000))
