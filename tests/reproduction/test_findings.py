"""What is read off the paper's curves, and said of them."""

from unittest.mock import Mock

import numpy as np
import pytest
from curves_by_hand import CUT, curves, runs_of

from copeland.report.document import image
from copeland.report.regret_figure import regret_figure
from copeland.reproduction import findings, paper_experiments, reproduction
from copeland.reproduction.findings import RegretAtTime, ahead, regret_at
from copeland.support.progress import tell_left

pytestmark = pytest.mark.slow  # left out of `make fast`


def test_regret_is_read_between_marks_and_after_a_cut():
    assert regret_at(curves("ccb", [[10, 100, 1000], [30, 300, 3000]]), 55) == RegretAtTime(
        110.0, error=55.0
    )
    assert regret_at(CUT.curves[1], 1000) == RegretAtTime(90.0, cut=True)
    assert regret_at(CUT.curves[1], 100) == RegretAtTime(90.0)


@pytest.mark.parametrize(
    ("ccb", "scb", "leader"),
    [
        (RegretAtTime(3), RegretAtTime(4), 0),
        (RegretAtTime(3), RegretAtTime(2), 1),
        (RegretAtTime(3), RegretAtTime(4, cut=True), 0),
        (RegretAtTime(3), RegretAtTime(2, cut=True), None),
        (RegretAtTime(3, cut=True), RegretAtTime(4, cut=True), None),
    ],
)
def test_a_cut_hides_who_is_ahead_only_where_it_must(ccb, scb, leader):
    assert ahead(ccb, scb) == leader


def figure_named(name):
    return paper_experiments.Figure(name, "title", "says", comparison=None)


@pytest.mark.quick
def test_the_best_of_the_first_experiment_and_a_linear_rival_are_named():
    runs = runs_of(ccb=[[1, 20, 22]], rucb=[[5, 50, 500]], savage=[[1, 30, 44]])
    told = findings.describe_experiment(figure_named("small"), runs)
    assert (
        "As in the paper, ccb ends with the least mean regret, 22; savage is next with 44." in told
    )
    assert "rucb grows 10.0 times" in told and "it grows linearly" in told
    assert "That of ccb grows 1.1 times" in told


def test_what_contradicts_the_paper_and_what_chance_explains_is_said():
    runs = runs_of(ccb=[[1, 20, 50]], rucb=[[5, 30, 35]])
    told = findings.describe_experiment(figure_named("small"), runs)
    assert "Unlike in the paper, rucb ends with the least" in told
    assert "it does not grow linearly" in told
    runs = runs_of(ccb=[[1, 2, 10], [1, 2, 14]], rucb=[[1, 2, 14], [1, 2, 12]])
    told = findings.describe_experiment(figure_named("condorcet"), runs)
    assert "ccb has the advantage, by 7.7 % of rucb's" in told
    assert "+1 ± 3" in told and "chance alone may have made it" in told


def test_where_the_second_experiment_agrees_with_the_paper_is_said_and_where_not():
    wins = runs_of(ccb=[[10, 50, 90]], scb=[[10, 60, 70]])
    hidden = runs_of(ccb=[[10, 50, 100]], scb=[[10, 90, np.nan]])
    level = runs_of(ccb=[[10, 50, 100]], scb=[[10, 50, 98]])
    scan = [("near", wins), ("far", CUT), ("odd", hidden), ("even", level)]
    told = findings.scan_sentences(scan)
    assert told == [
        "SCB beats CCB with near (t = 10^3).",
        "CCB beats SCB with far (t = 10^3).",
        "They are level, within 3 %, with even (t = 10^3).",
        "A cut hides who is ahead with odd (t = 10^3).",
    ]


def test_cut_runs_and_disagreement_with_the_paper_are_said():
    assert findings.scan_sentences([("far", CUT)]) == [
        "From t = 10^3 on, SCB is never known to beat CCB.",
        "CCB beats SCB with far (t = 10^3).",
    ]
    assert findings.cut_runs(CUT) == (
        "Cut, because they took too many duels: 1 of 1 runs of scb, followed to t = 100."
    )
    assert findings.cut_runs(runs_of(ccb=[[1, 2, 3]])) == ""
    axes = regret_figure(CUT).axes[0]
    assert "scb (cut)" in [text.get_text() for text in axes.texts]
    assert np.isnan(axes.lines[1].get_ydata()[-1])
    assert image(axes.figure, "svg") == image(regret_figure(CUT), "svg")


# figures


@pytest.mark.parametrize(("last", "seconds"), [(True, 5.0), (False, None)])
def test_time_left_is_told_in_the_last_part_alone(last, seconds):
    bar = Mock()
    told = reproduction._Told(bar, before=3, total=9, last=last)
    told(1, 2)
    tell_left(told, 5.0)
    bar.assert_called_once_with(4, 9)
    bar.left.assert_called_once_with(seconds)
