"""Who beats whom, as a graph."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_pages import study_with, votes

from copeland.report.images import image
from copeland.study.report.graph_figure import graph_figure, shapes_of, way_of
from copeland.study.report.graph_layout import (
    COLUMNS,
    DRAWN,
    FEW,
    INTO,
    MANY,
    Arrow,
    graph_of,
    shown_options,
)
from copeland.study.report.study_figures import BEST, OUT
from copeland.study.results.analysis import Analysis
from copeland.study.results.standing import AHEAD, LIKELY, PROVED
from copeland.support.phrasing import shorten_names

pytestmark = pytest.mark.slow  # left out of `make fast`


def sureness(k, *links):
    sure = np.zeros((k, k), int)
    for i, j, kind in links:
        sure[i, j] = kind
    return sure


@st.composite
def tournaments(draw):
    k = draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    density = draw(st.sampled_from([0.1, 0.5, 1.0]))
    sure = np.zeros((k, k), int)
    for i, j in combinations(range(k), 2):
        if rng.random() < density:
            ends = (i, j) if rng.random() < draw(st.sampled_from([0.5, 0.9])) else (j, i)
            sure[ends] = rng.integers(1, 4)
    return sure


# Who beats whom


@settings(max_examples=30)
@given(tournaments())
def test_every_option_has_a_place_of_its_own_on_the_sheet(sure):
    graph = graph_of(sure, range(len(sure)))
    assert sorted(graph.places) == list(range(len(sure)))
    for (x, y), (to_x, to_y) in combinations(graph.places.values(), 2):
        assert abs(x - to_x) > 0.05 or abs(y - to_y) > 0.05
    assert all(0.49 < x < COLUMNS - 0.49 for x, _ in graph.places.values())
    assert all(0.49 < y < graph.rows - 0.49 for _, y in graph.places.values())


@settings(max_examples=30)
@given(tournaments())
def test_every_arrow_is_true_and_leads_downwards_unless_it_is_in_a_ring(sure):
    graph = graph_of(sure, range(len(sure)))
    for arrow in graph.arrows:
        for winner, loser in product(arrow.winners, arrow.losers):
            assert sure[winner, loser] >= arrow.sure >= AHEAD
            if arrow.in_ring:
                assert any(winner in ring and loser in ring for ring in graph.rings)
            else:
                assert graph.places[winner][1] < graph.places[loser][1]


@settings(max_examples=30)
@given(tournaments())
def test_few_arrows_lead_to_an_option_from_outside(sure):
    graph = graph_of(sure, range(len(sure)))
    rings = {option: ring for ring in graph.rings for option in ring}
    into = Counter(
        rings.get(arrow.losers[0], arrow.losers) for arrow in graph.arrows if not arrow.in_ring
    )
    assert max(into.values(), default=0) <= INTO


@settings(max_examples=30)
@given(tournaments())
def test_no_ring_of_many_rests_on_what_may_be_chance(sure):
    graph = graph_of(sure, range(len(sure)))
    for ring in graph.rings:
        kinds = {a.sure for a in graph.arrows if a.in_ring and a.winners[0] in ring}
        assert len(ring) <= MANY or kinds == {PROVED}


@pytest.mark.quick
def test_a_cycle_of_three_is_a_ring_in_the_order_of_its_wins():
    graph = graph_of(sureness(3, (0, 2, PROVED), (2, 1, LIKELY), (1, 0, AHEAD)), [0, 1, 2])
    assert graph.rings == ((0, 2, 1),)
    assert Arrow((1,), (0,), AHEAD, in_ring=True) in graph.arrows


def test_one_arrow_leads_from_a_ring_to_an_option_that_all_of_it_beat():
    ring = [(0, 1, PROVED), (1, 2, PROVED), (2, 0, PROVED)]
    below = [(0, 3, PROVED), (1, 3, LIKELY), (2, 3, PROVED)]
    graph = graph_of(sureness(4, *ring, *below), [0, 1, 2, 3])
    assert [a for a in graph.arrows if not a.in_ring] == [Arrow((0, 1, 2), (3,), LIKELY)]


def test_the_surest_arrow_leads_from_a_ring_of_which_not_all_win():
    ring = [(0, 1, PROVED), (1, 2, PROVED), (2, 0, PROVED)]
    graph = graph_of(sureness(4, *ring, (0, 3, AHEAD), (1, 3, LIKELY)), [0, 1, 2, 3])
    assert [a for a in graph.arrows if not a.in_ring] == [Arrow((1,), (3,), LIKELY)]


def test_an_arrow_stays_if_those_that_lead_the_same_way_are_less_sure():
    graph = graph_of(sureness(3, (0, 1, AHEAD), (1, 2, PROVED), (0, 2, PROVED)), [0, 1, 2])
    assert Arrow((0,), (2,), PROVED) in graph.arrows


def test_an_option_without_votes_stands_at_the_bottom():
    graph = graph_of(sureness(4, (0, 1, AHEAD), (1, 2, AHEAD)), [0, 3, 1, 2])
    assert graph.places[3][1] == graph.places[2][1] > graph.places[1][1] > graph.places[0][1]


def test_an_option_that_nobody_has_beaten_stands_just_above_those_it_beats():
    graph = graph_of(sureness(5, (0, 1, 1), (1, 2, 1), (2, 3, 1), (4, 3, 1)), [0, 1, 2, 3, 4])
    assert graph.places[4][1] == graph.places[2][1]


# Numbers


def test_a_pair_is_ahead_likely_or_proved():
    study = study_with("abcd", votes("a", "b", 3, 2), votes("a", "c", 12, 1), votes("b", "c", 30))
    sure = Analysis(study.standing()).sure
    assert (sure[0, 1], sure[0, 2], sure[1, 2]) == (AHEAD, LIKELY, PROVED)
    assert not sure[1, 0] and not sure[2].any() and not sure[3].any()


def test_pairs_without_votes_are_one_half_in_the_matrix_and_blank_in_the_shares(circle):
    reading = Analysis(circle.standing())
    assert reading.matrix.p[0, 4] == 0.5 and np.isnan(reading.shares[0, 4])
    assert reading.matrix.p[0, 1] == reading.shares[0, 1] == pytest.approx(0.7)
    assert (reading.pairs, reading.unmet) == (10, 3)


def test_the_leader_comes_first_and_one_that_never_won_last(circle):
    reading = Analysis(circle.standing())
    assert [reading.names[i] for i in reading.order] == list("ABCDE")
    assert reading.scores.tolist() == [2, 2, 2, 1, 0]


@settings(max_examples=20)
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


# Ways of arrows


def named(k, lines):
    words = [f"Option {i} has a long name" for i in range(k)]
    return dict(enumerate(shorten_names(words, 11, lines)))


@settings(max_examples=25, deadline=None)
@given(tournaments(), st.integers(1, 2))
def test_no_arrow_runs_behind_a_box_and_no_box_covers_another(sure, lines):
    graph, names = graph_of(sure, range(len(sure))), named(len(sure), lines)
    shapes = shapes_of(graph, names)
    boxes = {key[0]: shape for key, shape in shapes.items() if len(key) == 1}
    for one, other in combinations(boxes.values(), 2):
        apart = one.right <= other.left or other.right <= one.left
        assert apart or one.bottom <= other.top or other.bottom <= one.top
    for arrow in graph.arrows:
        x, y = way_of(arrow, shapes, high=20.0).T
        for option in boxes.keys() - {*arrow.winners, *arrow.losers}:
            left, top, right, bottom = boxes[option]
            assert not ((x > left) & (x < right) & (y > top) & (y < bottom)).any()


def test_an_arrow_with_nothing_in_its_way_is_straight():
    graph = graph_of(sureness(2, (0, 1, PROVED)), [0, 1])
    x, _ = way_of(graph.arrows[0], shapes_of(graph, named(2, 1)), high=3.0).T
    assert np.ptp(x) < 1e-9


def test_the_whole_name_of_an_option_is_the_tooltip_of_its_box():
    graph = graph_of(sureness(2, (0, 1, PROVED)), [0, 1])
    figure = graph_figure(graph, named(2, 1), {0: BEST, 1: OUT}, {0: "A & B", 1: "another"})
    assert image(figure, "svg").count(b"<title>A &amp; B</title>") == 2
