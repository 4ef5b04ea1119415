"""A ranking of all options: tiers that are proved apart, and Bradley-Terry strengths beside the scores."""

import re
from html import unescape
from itertools import combinations

import numpy as np
import pytest
from commands import run
from hypothesis import given
from hypothesis import strategies as st
from study_pages import undrawn

import copeland
from copeland.certificate.certificate import certify
from copeland.certificate.goal_claims import tiers_of
from copeland.errors import InvalidParameter
from copeland.orders.option_estimates import PRIOR
from copeland.study.report.study_page import ranking_parts, study_page
from copeland.study.results.analysis import Analysis, Rankings, strengths_of

intervals = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda ends: tuple(sorted(ends))),
    min_size=1,
    max_size=9,
)


def study_of(wins, names="abcdefgh", **settings):
    wins = np.array(wins)
    settings = {"voters": "independent", **settings}
    study = copeland.create_study("rank", list(names[: len(wins)]), **settings)
    rows = [
        {"winner": names[i], "loser": names[j], "n": int(wins[i, j])}
        for i, j in np.argwhere(wins > 0)
    ]
    if rows:
        study.add_votes(rows)
    return study


@pytest.mark.slow
@given(intervals)
def test_a_tier_ends_exactly_where_all_above_lie_higher_than_all_below(scores):
    tiers = tiers_of(scores)
    last = max(tiers)
    assert set(tiers) == set(range(1, last + 1))
    cuts = {
        low
        for low in range(1, 10)
        if any(s[0] >= low for s in scores)
        and any(s[1] < low for s in scores)
        and all(s[0] >= low or s[1] < low for s in scores)
    }
    groups = {tuple(s[0] >= low for s in scores) for low in cuts}
    assert last == len(groups) + 1
    for (one, above), (other, below) in combinations(zip(scores, tiers, strict=True), 2):
        if above < below:
            assert one[0] > other[1]
        if above > below:
            assert other[0] > one[1]


@pytest.mark.slow
def test_tiers_are_true_up_to_the_error_probability():
    """Random votes on random matrices: an option of a higher tier has a higher true score."""
    told = wrong = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        strengths = rng.normal(0, 1.5, 6)
        p = 1 / (
            1 + np.exp(strengths - strengths[:, None] + np.triu(rng.normal(0, 0.5, (6, 6)), 1))
        )
        p = np.triu(p, 1) + np.tril(1 - np.triu(p, 1).T, -1)
        n = np.triu(rng.integers(0, 200, (6, 6)), 1)
        won = rng.binomial(n, np.triu(p, 1))
        found = certify(won + (n - won).T, delta=0.2)
        truth, tiers = (p > 0.5).sum(axis=1), tiers_of(found.scores)
        told += max(tiers) > 1
        wrong += any(
            truth[i] <= truth[j] for i in range(6) for j in range(6) if tiers[i] < tiers[j]
        )
    assert told > 100
    # at most 20 % in the mean: 4 standard errors above that would be 88
    assert wrong <= 300 * 0.2 + 4 * np.sqrt(300 * 0.2 * 0.8)


def test_a_ranking_has_tiers_scores_and_strengths():
    found = study_of([[0, 40, 40], [5, 0, 20], [5, 20, 0]]).ranking()
    assert found.tiers == (("a",), ("b", "c"))
    assert [place.tier for place in found.places] == [1, 2, 2]
    assert found.places[0][2:5] == (2, 2, 2)
    assert found.places[0].strength > 1 > 0 > found.places[1].strength
    assert sum(place.strength for place in found.places) == pytest.approx(0)
    assert found.notes == ()
    assert "2 tiers are proved apart" in found.sentence and "0.05" in found.sentence


def test_without_votes_all_share_a_tier_and_there_are_no_strengths():
    found = study_of(np.zeros((3, 3), int)).ranking()
    assert found.tiers == (("a", "b", "c"),)
    assert {place.strength for place in found.places} == {None}
    assert "need votes" in found.notes[0] and "No tiers" in found.sentence


def likeliest(points, rounds=20_000):
    """The plain iteration of Zermelo, as an oracle."""
    n, w = points + points.T, np.ones(len(points))
    for _ in range(rounds):
        w = points.sum(axis=1) / (n / (w[:, None] + w)).sum(axis=1)
        w /= np.exp(np.log(w).mean())
    return np.log(w)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_those_of_the_largest_likelihood(seed):
    wins = np.random.default_rng(seed).integers(1, 30, (5, 5)) * (1 - np.eye(5, dtype=int))
    found, _ = strengths_of(Analysis(study_of(wins).standing()))
    assert found == pytest.approx(likeliest(wins.astype(float)), abs=1e-6)


def test_ties_are_half_a_win_for_each():
    study = copeland.create_study("ties", ["a", "b"], voters="independent")
    study.add_votes([{"left": "a", "right": "b", "outcome": "left"}] * 2)
    study.add_votes([{"left": "a", "right": "b", "outcome": "tie"}] * 2)
    found, notes = strengths_of(Analysis(study.standing()))
    assert found == pytest.approx([np.log(3) / 2, -np.log(3) / 2]) and notes == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "wins, said",
    [
        ([[0, 9, 9], [3, 0, 5], [0, 0, 0]], "c never won: its strength is bounded only by"),
        ([[0, 9, 9], [0, 0, 5], [0, 5, 0]], "a never lost: its strength is bounded only by"),
        ([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 5], [0, 0, 5, 0]], "2 parts that never met"),
        ([[0, 5, 5, 5], [5, 0, 5, 5], [0, 0, 0, 5], [0, 0, 5, 0]], "together never won"),
    ],
)
def test_strengths_that_votes_do_not_bound_are_said_to_be(wins, said):
    found, notes = strengths_of(Analysis(study_of(wins).standing()))
    assert said in " ".join(notes)
    prior = PRIOR * (1 - np.eye(len(wins)))
    assert found == pytest.approx(likeliest(np.array(wins) + prior), abs=1e-4)


def test_studies_are_ranked_by_shares_and_strengths_which_cannot_show_a_circle():
    found, notes = strengths_of(
        Analysis(study_of([[0, 30, 10], [10, 0, 30], [30, 10, 0]]).standing())
    )
    assert found == pytest.approx([0, 0, 0], abs=1e-6)
    assert "in a cycle, which strengths on one scale cannot show" in notes[-1]
    study = study_of([[0, 400, 400], [50, 0, 200], [50, 200, 0]])
    for by in ("borda", "strength"):
        found = study.ranking(by=by)
        assert found.tiers == (("a",), ("b", "c")) and found.by == by
    with pytest.raises(InvalidParameter, match="'copeland', 'borda' or 'strength'"):
        study.ranking(by="wins")


@pytest.mark.slow
def test_votes_of_one_person_are_not_as_good_as_those_of_many():
    """Ten people who say the same of every pair: people are drawn, and not their votes."""
    rows = [
        {"winner": winner, "loser": loser, "voter": f"v{n}"}
        for n in range(40)
        for winner, loser in (("ab", "ac", "bc") if n % 4 else ("ba", "ca", "cb"))
    ]
    wide = []
    for voters in ("people", "independent"):
        study = copeland.create_study("few", ["a", "b", "c"], voters=voters)
        study.add_votes(rows)
        place = study.ranking(by="strength").places[0]
        wide.append(place.high - place.low)
    assert wide[0] > 1.3 * wide[1]


def test_a_panel_is_ranked_by_what_it_settles_alone_and_said_once():
    study = copeland.create_study("panel", ["a", "b"], panel=["ann", "bob"])
    assert study.ranking().delta is None
    with pytest.raises(InvalidParameter, match="rank it by 'copeland'"):
        study.ranking(by="strength")
    study.add_votes([{"left": "a", "right": "b", "outcome": "left", "voter": "ann"}])
    reading = Analysis(study.standing())
    assert Rankings(reading, study.votes).drawn is reading.ranking
    order, table = words_of(study, "copeland")
    assert "exact: they hold whatever the missing answers say" in order and table == ""


# a beats every other narrowly, while b wins by far where it wins.
NARROW = [[0, 580, 580, 580], [420, 0, 880, 890], [420, 20, 0, 500], [420, 10, 480, 0]]


def narrow_winner():
    return study_of(NARROW)


def words_of(study, by="strength"):
    """What the part of the page says that shows an order."""
    reading = Analysis(study.standing())
    with undrawn():
        parts = ranking_parts(reading, Rankings(reading, study.votes).rank(by))
    return " ".join(parts["order"].said), " ".join(parts["ranking"].said)


def test_a_proved_winner_that_is_not_the_strongest_is_explained():
    study = narrow_winner()
    assert study.certificate().best == (0,) and study.ranking("strength").tiers[0] == ("b",)
    order, table = words_of(study)
    assert (
        "By strength b comes first; a is proved best because it beats every other option." in order
    )
    assert "hold for many votes" in order and "are exact" not in order
    assert "Intervals and tiers are exact" in table
    order, _ = words_of(study, "borda")
    assert "By mean chance b comes first; a is proved best because" in order


def test_a_proved_winner_that_strengths_do_not_tell_apart_is_explained():
    study = study_of(
        [[0, 16, 16], [0, 0, 20], [0, 20, 0]]
    )  # who never lost has a strength without bounds
    order, _ = words_of(study)
    assert (
        "By strength a comes first, but is not told apart from b and c; it is proved best because it beats every "
        "other option." in order
    )


def test_a_winner_that_strengths_show_needs_no_words():
    order, _ = words_of(study_of([[0, 400, 400], [50, 0, 200], [50, 200, 0]]))
    assert "a is on top" in order and "because" not in order


def test_several_winners_that_strengths_do_not_show_are_explained():
    wins = np.zeros((4, 4), int)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        wins[i, j], wins[j, i] = 60, 15
    wins[:3, 3] = 30  # who never won has a strength without bounds
    study = study_of(wins)
    assert study.certificate().best == (0, 1, 2)
    order, _ = words_of(study)
    assert (
        "a, b and c are not told apart from d; they are proved best because no option beats more others."
        in order
    )


def test_the_best_few_that_strengths_do_not_show_are_explained():
    """c beats d narrowly, while d wins by far against e."""
    wins = np.zeros((5, 5), int)
    for i, j in combinations(range(5), 2):
        wins[i, j], wins[j, i] = 600, 400
    wins[3, 4], wins[4, 3] = 990, 10
    order, _ = words_of(study_of(wins, goal="top:3"))
    assert (
        "By strength d comes before c; a, b and c are proved the top 3 because no other option beats more than "
        "any of them." in order
    )


def test_options_on_the_wrong_side_of_a_baseline_are_explained():
    order, _ = words_of(study_of(NARROW, goal="above:b"))
    assert "By strength a comes after b; it is proved better because it beats b." in order
    order, _ = words_of(study_of(NARROW, goal="above:a"))
    assert "By strength b comes before a; it is proved worse because it loses to a." in order


def test_votes_are_grouped_once_and_only_where_an_order_needs_it():
    study = copeland.create_study("few", ["a", "b"], voters="people")
    study.add_votes([{"winner": "a", "loser": "b", "voter": f"v{n}"} for n in range(9)])
    calls = []

    def votes():
        calls.append(1)
        return study.votes()

    rankings = Rankings(Analysis(study.standing()), votes)
    rankings.rank("copeland")
    assert calls == []
    assert rankings.rank("strength") is rankings.rank("strength") == study.ranking("strength")
    rankings.rank("borda")
    assert calls == [1]


@pytest.mark.parametrize(("algorithm", "depends"), [("cpc-pac", True), ("random", False)])
@pytest.mark.parametrize("by", ["borda", "strength"])
def test_an_order_says_whether_the_study_chose_its_pairs_by_the_votes(algorithm, depends, by):
    study = copeland.create_study("s", ["a", "b"], algorithm=algorithm, voters="independent")
    study.add_votes([{"winner": "a", "loser": "b", "count": 9}])
    (said,) = [one for one in study.ranking(by=by).assumptions if "This assumes that" in one]
    assert ("chooses them by the votes" in said) == depends


def test_very_many_options_are_drawn_by_scores(monkeypatch):
    monkeypatch.setattr("copeland.study.results.analysis.MOST_OPTIONS", 2)
    study = narrow_winner()
    assert Rankings(Analysis(study.standing()), study.votes).drawn.by == "copeland"


@pytest.mark.slow
def test_the_report_draws_the_ranking_above_its_table(tmp_path):
    page = narrow_winner().report(tmp_path / "page.html").read_text()
    part = page[page.index("<h2>Ranking</h2>") : page.index("<h2>Numbers</h2>")]
    assert re.findall("<h3>(.*?)</h3>", part) == ["By strength", "By Copeland scores"]
    assert part.index("<svg") < part.index("<table")
    assert "b +1.01 (+0.90 to +1.13), tier 1, rank 1; a +0.26" in unescape(part)
    assert (
        "This assumes that the votes did not decide which pairs were asked, or how often." in part
    )
    assert (
        "That is not so for pairs that this study chose: cpc-pac chooses them by the votes." in part
    )


@pytest.mark.slow
def test_the_command_and_the_page_show_the_ranking(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    study = copeland.create_study("rank", ["a", "b", "c"], storage=storage, voters="independent")
    study.add_votes([{"winner": "b", "loser": name, "n": 40} for name in "ac"])
    told = run("study", "rank", "rank", "--storage", storage)
    assert told.exit_code == 0 and "2 tiers are proved apart" in told.output
    assert "b never lost" in " ".join(told.output.split())
    page = study_page(Analysis(study.standing()), study.verdict(), _history(study))
    assert "<h2>Ranking</h2>" in page and "2 tiers are proved apart" in page


def _history(study):
    from copeland.study.results.history import history_of

    return history_of(study.log(), study.standing())


def test_a_notebook_shows_a_ranking():
    assert "<table" in study_of([[0, 40], [5, 0]]).ranking()._repr_html_()
