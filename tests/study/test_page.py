"""The report of a live study: how the proof grew, who beats whom, and the page."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_inert import old_study

from copeland.certificate import certify, evidence
from copeland.kernels.evidence import levels, loss_level, win_level
from copeland.study import create_study
from copeland.study.meaning.history import Progress, history_of, proved_share
from copeland.study.meaning.reading import AHEAD, LIKELY, PROVED, Reading
from copeland.study.meaning.standing import position_of
from copeland.study.meaning.verdict import verdict_of
from copeland.study.page.figures import (
    Bar,
    matrix_figure,
    position_figure,
    progress_figure,
    scores_figure,
)
from copeland.study.page.graph import (
    COLUMNS,
    DRAWN,
    FEW,
    INTO,
    MANY,
    Arrow,
    graph_of,
    shown_options,
)
from copeland.study.page.page import judges_agreement, study_page
from copeland.study.page.words import (
    arrow_sentences,
    counting_sentences,
    cycle_sentences,
    matrix_sentence,
    notices,
    outcomes_sentence,
    position_sentences,
    progress_sentences,
    proved_at,
    score_sentences,
)
from copeland.study.record.books import Books
from copeland.study.record.events import CREATED, Event
from copeland.study.record.settings import Settings
from copeland.words import letters, shortened

pytestmark = pytest.mark.slow  # left out of `make fast`

SWAPPED = {"left": "right", "right": "left", "tie": "tie"}


def said(**parts):
    """A verdict in other words."""
    told = {
        "claim": "Nobody knows yet.",
        "proved": ("Nothing is.",),
        "shown": (),
        "advice": ("Wait.",),
        "chances": None,
    }
    open_ = verdict_of(create_study("soup", ["a", "b"]).standing())
    return replace(open_, **(told | parts))


def votes(one, other, won, lost=0, tied=0, **more):
    """Votes on a pair, with the sides taking turns."""
    for outcome, times in (("left", won), ("right", lost), ("tie", tied)):
        for turn in range(times):
            if turn % 2:
                yield {"left": one, "right": other, "outcome": outcome, **more}
            else:
                yield {"left": other, "right": one, "outcome": SWAPPED[outcome], **more}


def study_with(options, *rows, **settings):
    study = create_study("soup", list(options), **settings)
    study.add_votes([row for some in rows for row in some])
    return study


@pytest.fixture(scope="module")
def circle():
    """A beats B beats C beats A, all are ahead of D, and D beats E, which nobody else has met."""
    return study_with(
        "ABCDE",
        *(votes(one, other, 140, 60) for one, other in ("AB", "BC", "CA")),
        *(votes(one, "D", 110, 90) for one in "ABC"),
        votes("D", "E", 20),
    )


def page_of(study, verdict=None, **about):
    standing, log = study.standing(), study.log()
    return study_page(
        Reading(standing),
        verdict or said(),
        history_of(log),
        judges_agreement(standing, log),
        **about,
    )


def text_of(page):
    body = re.sub(r"<(style|svg)\b.*?</\1>", " ", page[page.index("<body>") :], flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


# How the proof grew


@pytest.mark.quick
def test_history_goes_from_no_vote_to_the_certificate_of_today(circle):
    rows, standing = history_of(circle.log()), circle.standing()
    assert rows[0] == Progress(0, 5, None, 5, 0, 0.0)
    assert rows[-1][:5] == (1220, 5, "A", 5, 0)
    assert rows[-1].possible == len(standing.certificate.possible)


def test_history_has_no_more_rows_than_points_at_rising_votes(circle):
    rows = history_of(circle.log(), points=20)
    counts = [row.votes for row in rows]
    assert len(counts) == 20
    assert counts == sorted(set(counts))
    assert np.ptp(np.diff(counts)) <= 1


def test_every_row_of_history_is_the_certificate_of_the_votes_so_far():
    rows = [*votes("a", "b", 9), *votes("b", "c", 12, 2), *votes("a", "c", 9, 0, 3)]
    history = history_of(study_with("abc", rows).log())
    assert len(history) == len(rows) + 1
    for row in history:
        standing = study_with("abc", rows[: row.votes]).standing()
        assert row[:5] == (
            standing.votes,
            3,
            standing.leader,
            len(standing.certificate.possible),
            len(standing.certificate.best),
        )


def test_history_leaves_out_votes_that_were_undone():
    study = study_with("abc", votes("a", "b", 5))
    wrong = study.tell(study.ask(), "left")
    study.undo(wrong)
    study.add_votes(votes("a", "c", 4))
    again = study_with("abc", votes("a", "b", 5), votes("a", "c", 4))
    assert history_of(study.log()) == history_of(again.log())


def test_history_ends_in_the_epoch_of_the_study_though_its_votes_were_undone():
    study = create_study("soup", ["a", "b"])
    study.undo(study.tell(study.ask(), "left"))
    study.add_option("c")
    study.add_votes([*votes("a", "b", 12), *votes("a", "c", 12)])
    assert study.standing().epoch == 2
    assert history_of(study.log())[-1].best == len(study.standing().certificate.best) == 0
    without = study_with("abc", votes("a", "b", 12), votes("a", "c", 12))
    assert history_of(without.log())[-1].best == 1


def test_history_counts_options_from_the_vote_at_which_they_were_added():
    study = study_with("ab", votes("a", "b", 3))
    study.add_option("c")
    study.add_votes(votes("a", "c", 2))
    assert [row.options for row in history_of(study.log())] == [2, 2, 2, 2, 3, 3]


def test_history_ends_with_options_that_were_added_after_the_last_vote():
    study = study_with("ab", votes("a", "b", 3))
    study.add_option("c")
    assert [row.options for row in history_of(study.log())] == [2, 2, 2, 3]


def test_skips_errors_and_repeats_are_no_progress():
    study = create_study("soup", ["a", "b"], repeats="first")
    for outcome in ("left", "right", "skip", "error"):
        study.add_votes([{"left": "a", "right": "b", "outcome": outcome, "voter": "ann"}])
    assert [row.votes for row in history_of(study.log())] == [0, 1]


def books_of(wins, ties, **given):
    options = [{"name": str(i)} for i in range(len(wins))]
    body = {"settings": Settings(**given).to_dict(), "options": options}
    books = Books(Event(1, CREATED, 0.0, body=body))
    books.wins, books.ties = wins, ties
    return books


def plain_share(books):
    """The best share of evidence over all options and all numbers of open comparisons, one by one."""
    k, given = books.k, books.settings
    at = levels(k, given.delta, books.epoch, given.voters == "dependent")
    found = evidence(books.wins, books.ties, given.margin)
    best = 0.0
    for c, l in product(range(k), range(k - 1)):
        level = win_level(at, l)
        wins = sorted((max(found[c, j], 0) for j in range(k) if j != c), reverse=True)
        have = sum(min(x, level) for x in wins[: k - 1 - l])
        need = (k - 1 - l) * level
        for j in range(k):
            if j != c:
                losses = sorted((max(found[i, j], 0) for i in range(k) if i != j), reverse=True)
                have += sum(min(x, loss_level(at)) for x in losses[:l])
                need += l * loss_level(at)
        best = max(best, have / need)
    return best


@st.composite
def books(draw):
    k = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    wins = rng.integers(0, draw(st.integers(1, 60)), (k, k)) * (rng.random((k, k)) < 0.7)
    ties = rng.integers(0, 5, (k, k))
    np.fill_diagonal(wins, 0)
    np.fill_diagonal(ties, 0)
    return books_of(
        wins,
        np.triu(ties) + np.triu(ties).T,
        margin=draw(st.sampled_from([0.0, 0.1])),
        voters=draw(st.sampled_from(["independent", "dependent"])),
        repeats="first",
    )


@settings(max_examples=60)
@given(books())
def test_the_share_of_a_proof_is_that_of_the_option_and_the_way_nearest_to_it(books):
    assert proved_share(books) == pytest.approx(plain_share(books))


@settings(max_examples=60)
@given(books())
def test_all_evidence_is_there_if_and_only_if_an_option_is_proved_best(books):
    proved = certify(
        books.wins,
        books.ties,
        margin=books.settings.margin,
        epoch=1,
        voters=books.settings.voters,
    ).best
    assert (proved_share(books) > 1 - 1e-12) == bool(proved)


# Who beats whom


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


@settings(max_examples=80)
@given(tournaments())
def test_every_option_has_a_place_of_its_own_on_the_sheet(sure):
    graph = graph_of(sure, range(len(sure)))
    assert sorted(graph.places) == list(range(len(sure)))
    for (x, y), (to_x, to_y) in combinations(graph.places.values(), 2):
        assert abs(x - to_x) > 0.05 or abs(y - to_y) > 0.05
    assert all(0.49 < x < COLUMNS - 0.49 for x, _ in graph.places.values())
    assert all(0.49 < y < graph.rows - 0.49 for _, y in graph.places.values())


@settings(max_examples=80)
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


@settings(max_examples=80)
@given(tournaments())
def test_few_arrows_lead_to_an_option_from_outside(sure):
    graph = graph_of(sure, range(len(sure)))
    rings = {option: ring for ring in graph.rings for option in ring}
    into = Counter(
        rings.get(arrow.losers[0], arrow.losers) for arrow in graph.arrows if not arrow.in_ring
    )
    assert max(into.values(), default=0) <= INTO


@settings(max_examples=80)
@given(tournaments())
def test_no_ring_of_many_rests_on_what_may_be_chance(sure):
    graph = graph_of(sure, range(len(sure)))
    for ring in graph.rings:
        kinds = {a.sure for a in graph.arrows if a.in_ring and a.winners[0] in ring}
        assert len(ring) <= MANY or kinds == {PROVED}


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
    sure = Reading(study.standing()).sure
    assert (sure[0, 1], sure[0, 2], sure[1, 2]) == (AHEAD, LIKELY, PROVED)
    assert not sure[1, 0] and not sure[2].any() and not sure[3].any()


def test_pairs_without_votes_are_one_half_in_the_matrix_and_blank_in_the_shares(circle):
    reading = Reading(circle.standing())
    assert reading.matrix.p[0, 4] == 0.5 and np.isnan(reading.shares[0, 4])
    assert reading.matrix.p[0, 1] == reading.shares[0, 1] == pytest.approx(0.7)
    assert (reading.pairs, reading.unmet) == (10, 3)


def test_the_leader_comes_first_and_one_that_never_won_last(circle):
    reading = Reading(circle.standing())
    assert [reading.names[i] for i in reading.order] == list("ABCDE")
    assert reading.scores.tolist() == [2, 2, 2, 1, 0]


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_the_first_of_all_is_the_leader_of_the_study(seed):
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(5, 2, replace=False) for _ in range(rng.integers(1, 30))]
    rows = [{"left": "abcde"[i], "right": "abcde"[j], "outcome": "left"} for i, j in pairs]
    standing = study_with("abcde", rows).standing()
    assert standing.labels[Reading(standing).order[0]] == standing.leader


def test_of_many_options_those_that_may_be_best_are_drawn():
    names = [f"o{i:02d}" for i in range(DRAWN + 5)]
    nobody = study_with(names, votes("o00", "o01", 1)).standing()
    assert len(shown_options(Reading(nobody))) == FEW
    beaten = study_with(names, *(votes("o07", name, 60) for name in names if name != "o07"))
    standing = beaten.standing()
    assert shown_options(Reading(standing)) == [7]


# Words


def told(sentences):
    return " ".join(sentences)


def test_a_cycle_is_told_with_the_votes_of_each_link(circle):
    reading = Reading(circle.standing())
    words = told(cycle_sentences(reading, graph_of(reading.sure, reading.order)))
    assert words.startswith(
        "A, B and C beat each other in a circle: A beats B (140 of 200 votes; proved)"
    )
    assert words.endswith("Every link is proved, and so is the cycle.")


def test_a_cycle_of_few_votes_is_said_to_be_possibly_chance():
    study = study_with("abc", votes("a", "b", 2, 1), votes("b", "c", 2, 1), votes("c", "a", 2, 1))
    reading = Reading(study.standing())
    words = told(cycle_sentences(reading, graph_of(reading.sure, reading.order)))
    assert words == "No circle is seen among these options beyond what may be chance."


def test_a_cycle_that_is_not_likely_is_said_to_be_possibly_chance():
    study = study_with("abc", *(votes(one, other, 8, 4) for one, other in ("ab", "bc", "ca")))
    reading = Reading(study.standing())
    words = told(cycle_sentences(reading, graph_of(reading.sure, reading.order)))
    assert "the cycle may be chance" in words


def test_of_several_cycles_the_surest_is_told():
    study = study_with(
        "abcd",
        *(votes(one, other, 60, 10) for one, other in ("ab", "bc", "cd", "da")),
        votes("c", "a", 3, 2),
    )
    reading = Reading(study.standing())
    words = told(cycle_sentences(reading, graph_of(reading.sure, reading.order)))
    assert "c beats d (60 of 70 votes; proved)" in words
    assert words.endswith("Every link is proved, and so is the cycle.")


def test_no_cycle_is_told_too():
    reading = Reading(study_with("ab", votes("a", "b", 2)).standing())
    graph = graph_of(reading.sure, reading.order)
    assert told(cycle_sentences(reading, graph)) == "No circle is seen among these options."
    assert told(arrow_sentences(reading, graph)) == "a to b: ahead."


def test_borda_is_said_to_disagree_where_it_does():
    against_all = [votes("A", other, 600, 400) for other in "BCD"]
    study = study_with("ABCD", *against_all, votes("B", "C", 900), votes("B", "D", 900))
    words = told(counting_sentences(Reading(study.standing())))
    assert "Borda, which counts by how much, puts B first, with" in words
    assert "Borda disagrees with Copeland." in words
    assert words.startswith("Shares and lotteries are estimates")


def test_all_ways_to_count_agree_on_a_plain_order():
    study = study_with("abc", votes("a", "b", 9, 1), votes("b", "c", 9, 1), votes("a", "c", 9, 1))
    words = told(counting_sentences(Reading(study.standing())))
    assert "Borda agrees with Copeland." in words and "draws a (100.0 %). It agrees" in words


def test_one_of_those_tied_by_copeland_is_named_if_borda_prefers_it():
    study = study_with("abc", votes("a", "b", 9, 1), votes("b", "c", 6, 4), votes("c", "a", 6, 4))
    assert "Borda would take a." in told(counting_sentences(Reading(study.standing())))


def test_the_leader_is_told_with_wins_losses_and_open_pairs(circle):
    standing = circle.standing()
    first = next(score_sentences(Reading(standing)))
    assert first == (
        "A, B and C lead together. By the votes as they are A beats 2 of 4 others and loses to 1 "
        "(even or without votes: 1); its bar says 1 to 3."
    )


def test_progress_says_when_an_option_was_first_proved_best():
    study = study_with("ab", votes("a", "b", 12))
    standing, rows = study.standing(), history_of(study.log())
    words = told(progress_sentences(Reading(standing), rows))
    assert proved_at(rows) == 9
    assert "the proof is complete: 1 option proved best" in words
    assert "first proved best at vote 9." in words and "a led throughout." in words


def test_progress_says_how_often_the_lead_changed():
    study = study_with("ab", votes("a", "b", 1), votes("b", "a", 2))
    standing = study.standing()
    words = told(progress_sentences(Reading(standing), history_of(study.log())))
    assert "b has led since vote 3. The lead changed 1 time, as seen at 3 moments." in words


def test_the_answers_that_do_not_count_are_told():
    study = study_with("ab", votes("a", "b", 2, 1, 1), both_bad="drop")
    for outcome in ("skip", "error", "both_bad"):
        study.tell(study.ask(), outcome)
    study.undo(study.tell(study.ask(), "tie"))
    assert outcomes_sentence(study.standing()) == (
        "Of 7 answers, 3 named a winner, 1 said tie, 1 said both are bad, 1 skipped and 1 failed. "
        "4 count as votes; left out: 1 skips, 1 errors and 1 both bad. 1 more were undone."
    )


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [(60, 40, "the left side wins"), (20, 80, "the right side wins"), (5, 5, "no bias is seen")],
)
def test_a_bias_of_position_is_told(left, right, said):
    assert said in told(position_sentences(position_of(left, right)))


def test_closed_retired_and_paused_are_told_first():
    study = study_with("abcd", votes("a", "b", 1))
    study.retire_option("c")
    study.pause_option("d")
    study.close()
    standing = study.standing()
    words = told(notices(Reading(standing)))
    assert "closed" in words and "Retired: c." in words and "Paused, not asked for now: d." in words


def test_pairs_proved_tied_within_the_margin_are_counted():
    study = study_with("ab", votes("a", "b", 200, 200), margin=0.2)
    standing = study.standing()
    assert matrix_sentence(Reading(standing)).endswith("margin of 0.2: 1.")


# Figures


def test_scores_are_dots_on_bars():
    axes = scores_figure([Bar("a", 2, 1, 3), Bar("b", 0, 0, 1)], options=4).axes[0]
    assert [list(line.get_xdata()) for line in axes.lines] == [[1, 3], [2], [0, 1], [0]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_the_side_figure_has_a_line_at_one_half():
    axes = position_figure([Bar("all votes", 0.6, 0.5, 0.7)]).axes[0]
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


@settings(max_examples=100)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=12, unique=True), st.integers(8, 30))
def test_short_names_keep_the_number_of_letters(names, most):
    assert all(letters(name) <= most for name in shortened(names, most))


def test_short_names_differ_if_the_names_do():
    names = [f"{'x' * 30}{i}{'y' * 30}" for i in range(30)]
    assert len(set(shortened(names, 12))) == 30


# The page


class Balanced(HTMLParser):
    """Fails where an element is closed that is not open."""

    VOID = ("meta", "link", "br", "hr", "img", "input")

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(circle):
    return page_of(circle, last=0.0, made_with={"copeland": "1.2.3"}, command="copeland x 'a & b'")


def test_the_page_needs_nothing_from_elsewhere_and_no_scripts(page):
    assert not re.search(r"https?:|<script|<link|@import|url\((?!#)|src=|\son\w+=", page)


def test_the_page_is_well_formed(page):
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


def test_the_verdict_comes_first_in_its_own_words(circle):
    page = page_of(circle, said(advice=("Ask <more> people.",)))
    assert text_of(page).startswith(
        "soup A study of 5 options: 1,220 votes. Keep going Nobody knows yet. Proved Nothing is. "
        "Next Ask &lt;more&gt; people."
    )


def test_the_page_has_every_section(page):
    assert re.findall(r"<h2>(.*?)</h2>", page) == [
        "Copeland scores",
        "Who beats whom",
        "Every pair",
        "How the proof grew",
        "Other ways to count",
        "Left and right",
        "Numbers",
        "What this rests on",
    ]


def test_every_figure_has_words_for_those_who_do_not_see_it(page):
    alts = re.findall(r'role="img" aria-label="([^"]*)"', page)
    assert len(alts) == page.count("<svg") == 5
    assert "A 2 (1 to 3); B 2 (1 to 3)" in alts[0]
    assert "A, B and C to D: ahead." in alts[1]


def test_the_numbers_behind_the_figures_are_in_tables(page):
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in page.split("<tr>")]
    assert ["A against B", "200", "140", "60", "0", "70.0 %", "proved"] in rows
    assert ["E", "possible", "0", "0 to 3", "20", "0.0 %"] in [row[:6] for row in rows]


def test_the_chances_to_be_best_are_in_the_table_if_they_are_known(circle, page, monkeypatch):
    head = '<th scope="col">chance to be best</th>'
    assert head in page
    monkeypatch.setattr("copeland.study.meaning.reading.MOST_OPTIONS", 2)
    assert head not in page_of(circle)


def test_the_page_says_what_it_rests_on(page, circle):
    certificate = circle.standing().certificate
    words = text_of(page)
    assert certificate.digest in words and "copeland 1.2.3" in words
    assert "number 1,221, at 1970-01-01 00:00:00 UTC" in words
    assert "Which option is shown first is drawn at random" in words
    assert "copeland x &#39;a &amp; b&#39;" in words


def test_the_figures_are_in_the_letters_and_colours_of_the_page(page):
    figures = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    assert "DejaVu" not in figures and "#24292f" not in figures
    assert ">A</text>" in figures and "var(--paper)" in figures


def test_the_pairs_that_would_settle_it_are_listed_with_their_votes(circle):
    reading = Reading(circle.standing())
    page = text_of(study_page(reading, said(), history_of(circle.log())))
    for need in reading.outlook.pairs:
        pair = f"{reading.names[need.first]} over {reading.names[need.second]}"
        won, met = reading.standing.wins, reading.n
        assert f"{pair} {won[need[:2]]} of {met[need[:2]]} {need.votes:,}" in page
    assert reading.outlook.pairs


def test_a_page_is_the_same_each_time(circle, page):
    again = page_of(circle, last=0.0, made_with={"copeland": "1.2.3"}, command="copeland x 'a & b'")
    assert again == page


def test_a_study_without_votes_has_a_page():
    page = page_of(create_study("empty", ["a", "b", "c"]))
    assert "0 votes" in page and "<svg" not in page


def test_a_study_of_skips_has_a_page():
    study = create_study("soup", ["a", "b", "c"])
    study.tell(study.ask(voter="ann"), "skip")
    assert "1 skipped" in page_of(study)


def test_a_study_of_ties_has_a_page():
    page = page_of(study_with("ab", votes("a", "b", 0, 0, 4)))
    assert "No vote has named a winner yet." in page and "even" in page


def test_two_options_have_a_page():
    assert "1 of 1 other" in page_of(study_with("ab", votes("a", "b", 3, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("k", [15, 26, 60])
def test_many_options_have_a_page(k):
    rng = np.random.default_rng(k)
    names = [f"option number {i}" for i in range(k)]
    pairs = [sorted(rng.choice(k, 2, replace=False)) for _ in range(600)]
    rows = [
        {"left": names[i], "right": names[j], "outcome": "left" if rng.random() < 0.8 else "right"}
        for i, j in pairs
    ]
    page = page_of(study_with(names, rows))
    assert not re.search(r"https?:|<script", page)
    assert len(page) < 2_000_000


NASTY = [
    "<script>alert('x')</script>",
    "a very long name " * 12,
    "a very long name " * 11 + "that ends otherwise",
    "日本語の選択肢",
    "🍵 $tea_1$ & \\frac{",
    "turned \u202e around",
    "quotes \" and ' and\nlines",
]


def test_names_are_shown_as_text_whatever_is_in_them():
    study = old_study("soup", NASTY)
    for one, other in combinations(NASTY, 2):
        study.add_votes(votes(one, other, 3, 1))
    study.add_votes(votes(*NASTY[:2], 1, voter="<img src=x onerror=y>"))
    page = page_of(study, command="copeland '<script>'")
    assert "<script" not in page and "<img" not in page and "&lt;script&gt;" in page
    assert "\u202e" not in page and "日本語の選択肢" in page
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


def test_a_retired_option_is_marked_in_a_closed_study():
    study = study_with("abc", votes("a", "b", 3))
    study.retire_option("b")
    study.close()
    page = page_of(study)
    assert "possible, retired" in page and "Closed without a proof" in page


def test_judges_are_compared_where_they_voted_on_the_same():
    study = study_with("ab", votes("a", "b", 4, voter="ann"), votes("a", "b", 3, 1, voter="bob"))
    study.undo(
        study.votes(frame=True).query("voter == 'bob' and outcome == 'left'").event_id.iloc[0]
    )
    standing = study.standing()
    (pair,) = judges_agreement(standing, study.log()).pairs
    assert (pair.first, pair.second, pair.n) == ("ann", "bob", 3)
    page = page_of(study)
    assert "ann and bob" in page and "Voters and judges" in page


def test_only_the_voters_with_the_most_votes_are_compared():
    rows = [row for i in range(30) for row in votes("a", "b", 1 + i, voter=f"v{i:02d}")]
    study = study_with("ab", rows)
    found = judges_agreement(study.standing(), study.log())
    assert {judge.judge for judge in found.judges} == {f"v{i}" for i in range(18, 30)}
    assert "10 with fewer answers are left out" in page_of(study)


def test_a_page_is_written_from_a_study(circle, tmp_path):
    path = circle.report(tmp_path / "report.html")
    assert path == tmp_path / "report.html"
    page = path.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert verdict_of(circle.standing()).claim in text_of(page)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
