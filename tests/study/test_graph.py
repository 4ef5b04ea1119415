"""Who beats whom, as a graph."""

import numpy as np
import pytest
from helpers import fewer_examples
from hypothesis import given
from hypothesis import strategies as st
from study_pages import study_with, votes

from copeland.report.document import image
from copeland.study.report.study_figures import (
    BEST,
    DRAWN,
    FEW,
    OUT,
    UPRIGHT,
    WHOLE,
    Arrow,
    graph_figure,
    shown_arrows,
    shown_options,
)
from copeland.study.results.analysis import Analysis
from copeland.study.results.standing import AHEAD, LIKELY, PROVED

pytestmark = pytest.mark.slow  # left out of `make fast`


def reading_of(names, *rows):
    return Analysis(study_with(names, *rows).standing())


# Arrows


@pytest.mark.quick
def test_a_cycle_of_three_is_marked_and_each_arrow_says_how_sure_it_is():
    reading = reading_of(
        "abcd", votes("a", "b", 60, 20), votes("b", "c", 15, 2), votes("c", "a", 15, 2)
    )
    assert sorted(shown_arrows(reading, [0, 1, 2, 3])) == [
        Arrow(0, 1, PROVED, in_cycle=True),
        Arrow(1, 2, LIKELY, in_cycle=True),
        Arrow(2, 0, LIKELY, in_cycle=True),
    ]


def test_every_win_among_few_options_has_its_arrow():
    reading = reading_of("abc", votes("a", "b", 90), votes("b", "c", 90), votes("a", "c", 2))
    arrows = shown_arrows(reading, [0, 1, 2])
    assert arrows == [Arrow(0, 2, AHEAD), Arrow(0, 1, PROVED), Arrow(1, 2, PROVED)]


@fewer_examples(2)
@given(st.integers(WHOLE + 1, 12), st.integers(0, 10**6))
def test_of_many_options_the_leaders_arrows_and_a_surest_one_to_each_are_drawn(k, seed):
    rng = np.random.default_rng(seed)
    names = [f"o{i:02d}" for i in range(k)]
    pairs = [rng.choice(k, 2, replace=False) for _ in range(5 * k)]
    reading = reading_of(
        names, *(votes(names[i], names[j], int(rng.integers(1, 9))) for i, j in pairs)
    )
    shown = shown_options(reading)
    arrows = shown_arrows(reading, shown)
    sure = reading.sure
    assert all(sure[arrow.winner, arrow.loser] == arrow.sure >= AHEAD for arrow in arrows)
    wins = {arrow.loser for arrow in arrows if arrow.winner == shown[0]}
    assert wins == set(np.flatnonzero(sure[shown[0]]).tolist())
    surest = {loser: max(a.sure for a in arrows if a.loser == loser) for _, loser, *_ in arrows}
    assert surest == {j: sure[:, j].max() for j in range(k) if sure[:, j].any()}
    assert len([arrow for arrow in arrows if not arrow.in_cycle]) <= 3 * k


# Numbers


def test_a_pair_is_ahead_likely_or_proved():
    study = study_with("abcd", votes("a", "b", 3, 2), votes("a", "c", 12, 1), votes("b", "c", 30))
    sure = Analysis(study.standing()).sure
    assert (sure[0, 1], sure[0, 2], sure[1, 2]) == (AHEAD, LIKELY, PROVED)
    assert not sure[1, 0] and not sure[2].any() and not sure[3].any()


def test_shares_and_the_order_of_a_graph_by_hand(circle):
    reading = Analysis(circle.standing())
    assert reading.matrix.p[0, 4] == 0.5 and np.isnan(reading.shares[0, 4])
    assert reading.matrix.p[0, 1] == reading.shares[0, 1] == pytest.approx(0.7)
    reading = Analysis(circle.standing())
    assert [reading.names[i] for i in reading.order] == list("ABCDE")
    assert reading.scores.tolist() == [2, 2, 2, 1, 0]


@fewer_examples(2)
@given(st.integers(0, 10**6))
def test_the_first_of_all_is_the_leader_of_the_study(seed):
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(5, 2, replace=False) for _ in range(rng.integers(1, 30))]
    rows = [{"left": "abcde"[i], "right": "abcde"[j], "outcome": "left"} for i, j in pairs]
    standing = study_with("abcde", rows).standing()
    assert standing.labels[Analysis(standing).order[0]] == standing.leader


def test_of_many_options_those_that_may_be_best_are_drawn():
    names = [f"o{i:02d}" for i in range(DRAWN + 5)]
    nobody = study_with(names, votes("o00", "o01", 1)).standing()
    assert len(shown_options(Analysis(nobody))) == FEW
    beaten = study_with(names, *(votes("o07", name, 60) for name in names if name != "o07"))
    standing = beaten.standing()
    assert shown_options(Analysis(standing)) == [7]


# The figure


@pytest.mark.parametrize("k", [2, 3, 6, UPRIGHT, UPRIGHT + 1, DRAWN])
def test_no_name_covers_another_or_leaves_the_figure(k):
    names = [f"Option {i} has a long name" for i in range(k)]
    arrows = [Arrow(0, i, PROVED) for i in range(1, k)]
    figure = graph_figure(range(k), arrows, names, dict.fromkeys(range(k), OUT))
    figure.canvas.draw()
    texts = figure.axes[0].texts
    sheet = figure.bbox.padded(1)
    boxes = [text.get_window_extent() for text in texts]
    assert all(sheet.containsx(x) and sheet.containsy(y) for box in boxes for x, y in box.corners())
    if k <= UPRIGHT:  # the others are slanted
        for i, box in enumerate(boxes):
            assert box.count_overlaps(boxes[:i]) == 0


def test_the_whole_name_of_an_option_is_the_tooltip_of_its_dot():
    figure = graph_figure([0, 1], [Arrow(0, 1, PROVED)], ["A & B", "another"], {0: BEST, 1: OUT})
    assert image(figure, "svg").count(b"<title>A &amp; B</title>") == 2
