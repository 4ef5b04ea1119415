"""Verdicts in words, what would settle a study, and certificates as files."""

import json
import re

import numpy as np
import pytest
from helpers import compare_with_snapshot, fewer_examples
from hypothesis import given
from hypothesis import strategies as st

import copeland
from copeland.errors import InvalidParameter, InvalidRow
from copeland.forecast.forecast import SETTLED, Need, outlook_of
from copeland.forecast.plausible_worlds import chances_of
from copeland.study.results.analysis import Analysis
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    objections_by_votes,
    read_certificate,
)

CYCLE = {"AB": (140, 60), "BC": (140, 60), "CA": (140, 60)}
DEMO = CYCLE | {"AD": (110, 90), "BD": (110, 90), "CD": (110, 90), "DE": (20, 0)}


def rows(votes):
    """Votes as rows, from wins and losses (and ties) by pair."""
    for (first, second), (won, lost, *tied) in votes.items():
        for outcome, times in ((first, won), (second, lost), ("tie", sum(tied))):
            yield from [{"left": first, "right": second, "outcome": outcome}] * times


def study_of(votes, options="ABCDE", **how):
    study = copeland.create_study("study", list(options), **{"voters": "independent", **how})
    study.add_votes(rows(votes))
    return study


def said(votes, options="ABCDE", **how):
    return Analysis(study_of(votes, options, **how).standing()).verdict


# By snapshot

LONG = [f"Answer in one line. {'Be kind. ' * 30}Version {n}" for n in (4, 5, 6)]
NEAR = {f"W{rest}": (360, 260) for rest in "Xcde"} | {f"X{rest}": (560, 60) for rest in "cde"}
EVEN = {pair: (310, 310) for pair in ("cd", "ce")}
LOTTERY = {"AD": (300, 100), "AE": (60, 0), "DE": (20, 0), "BD": (60, 40), "CD": (60, 40)}
STUDIES = {  # what is special: votes, options, settings
    "there are no votes": ({}, "AB"),
    "long names are shortened and still differ": (
        {(LONG[0], other): (3, 0) for other in LONG[1:]},
        LONG,
    ),
    "a cycle of three is proved, and two options look out of the running": (DEMO, "ABCDE"),
    "one option leads": ({"AB": (6, 4), "AC": (6, 4)}, "ABC"),
    "who leads has fewer wins, and fewer losses": (
        {"AC": (20, 19), "BC": (20, 19), "CD": (20, 19), "CE": (20, 19)},
        "ABCDE",
    ),
    "leaders have different numbers of wins": (
        {"AB": (20, 19), "AC": (20, 19), "DA": (20, 19)},
        "ABCDEF",
    ),
    "no link of the cycle is proved": ({"AB": (16, 9), "BC": (16, 9), "CA": (16, 9)}, "ABC"),
    "one link of the cycle is proved": ({"AB": (60, 4), "BC": (16, 9), "CA": (16, 9)}, "ABC"),
    "votes of a cycle are ties": ({"AB": (16, 9, 3), "BC": (16, 9), "CA": (16, 9)}, "ABC"),
    "the cycle may well be chance": ({"AB": (6, 4), "BC": (6, 4), "CA": (6, 4)}, "ABC"),
    "nobody of the cycle leads": (
        {"AB": (60, 20), "BC": (60, 20), "CA": (60, 20)} | {f"D{x}": (14, 6) for x in "ABC"},
        "ABCD",
    ),
    "one pair settles it": ({"AB": (20, 10)}, "AB"),
    "an option beats every other": ({"AB": (90, 30), "AC": (90, 30), "BC": (90, 30)}, "ABC"),
    "B and C may beat E and then have as many wins as A": (
        DEMO | {"AD": (300, 100), "BD": (300, 100), "AE": (60, 0)},
        "ABCDE",
    ),
    "a cycle is proved": (CYCLE, "ABC"),
    "all are tied within the margin": ({"AB": (400, 400)}, "AB", {"margin": 0.1}),
    "with a margin, near ties do not rule out who beats everybody": (
        NEAR,
        "WXcde",
        {"margin": 0.2},
    ),
    "with a margin, wins above it rule out an option": (
        NEAR | EVEN | {"de": (560, 60), "We": (600, 20)},
        "WXcde",
        {"margin": 0.2},
    ),
    "Borda disagrees": ({"AB": (600, 400), "AC": (600, 400), "BC": (1000, 0)}, "ABC"),
    "Von Neumann disagrees": (CYCLE | LOTTERY, "ABCDE"),
}


@pytest.mark.slow
def test_verdicts_read_as_their_snapshot(all_worlds):
    parts = []
    for what, (votes, options, *how) in STUDIES.items():
        standing = study_of(votes, options, **dict(*how)).standing()
        verdict = Analysis(standing).verdict
        assert verdict.kind == standing.certificate.verdict
        assert verdict.proved[:1] in ((), (standing.certificate.statement,))
        assert verdict.assumptions == standing.certificate.assumptions
        sentences = [verdict.claim, *verdict.proved, *verdict.shown, *verdict.advice]
        parts.append("\n".join([f"# {what}: {verdict.kind}", *sentences]))
    # A forecast is by simulation only where its loop is compiled: its numbers have tests of their own.
    text = re.sub(
        r"About .*? settle it in four of five cases; half the time, [^.]*\.",
        "…",
        "\n\n".join(parts),
    )
    compare_with_snapshot("verdicts", text)


def test_a_closed_study_is_not_told_to_go_on():
    study = study_of({"AB": (6, 4)}, "AB")
    study.close()
    verdict = Analysis(study.standing()).verdict
    assert verdict.claim == "A leads; the study was closed before any option was proved best."
    assert verdict.advice == ()


# Open


@pytest.mark.slow
def test_the_demo_says_how_sure_that_is_and_that_it_is_an_estimate(all_worlds):
    verdict = said(DEMO)
    assert verdict.estimates is not None
    chances = {name: int(share.split()[-2]) for name, share in verdict.estimates.rows}
    assert all(25 <= chances[name] <= 40 for name in "ABC")
    assert chances["D"] < 5 and chances["E"] < 5
    assert sum(chances.values()) <= 102  # each is rounded
    assert "not a proof" in verdict.estimates.note
    assert "may add up to less than 100 %" in verdict.estimates.note
    assert re.search(r"Chance to be best\n- A  \d+ %\n- B  \d+ %", str(verdict))
    assert re.search(r"<th>A</th><td>\d+ %</td>", verdict._repr_html_())


@pytest.mark.slow
def test_chances_of_many_options_name_the_likeliest_alone():
    options = "ABCDEFGHIJKLMNOP"
    verdict = said({"AB": (6, 4)}, options)
    assert verdict.estimates is not None
    assert len(verdict.estimates.rows) == 9 and verdict.estimates.rows[-1][0] == "8 others"


@pytest.mark.slow
def test_who_is_named_first_is_the_likeliest_or_the_claim_says_who_is():
    # B beats all it met, and by far; A beats one more, by a vote.
    votes = {"AC": (2, 1), "AD": (2, 1), "AE": (2, 1), "BC": (30, 2), "BD": (30, 2)}
    reading = Analysis(study_of(votes).standing())
    assert [reading.names[i] for i in reading.leaders] == ["A"]
    assert reading.verdict.claim.startswith(
        "A leads so far. Counting how sure each win is, B is likelier to be best: "
    )
    tied = Analysis(study_of({"AC": (6, 4), "BC": (30, 2)}, "ABC").standing())
    assert [tied.names[i] for i in tied.leaders] == ["B", "A"]


# Proved


@pytest.mark.slow
def test_what_is_best_up_to_a_margin_and_loses_to_another_is_not_the_one_to_take():
    # c, d and e lose to X with .10 and tie with the rest; yet none beats more by more than the margin.
    votes = NEAR | {pair: (310, 310) for pair in ("Wc", "cd", "ce", "de")}
    study = study_of(votes, "WXcde", margin=0.2)
    found = study.standing().certificate
    assert {found.labels[i] for i in found.best} == set("WXcde")
    assert [found.labels[i] for i in found.choice] == ["W"]


def test_once_the_winner_is_retired_the_verdict_is_about_the_rest():
    study = study_of({"AB": (90, 30), "AC": (90, 30)}, "ABC")
    study.retire_option("A")
    verdict = Analysis(study.standing()).verdict
    assert verdict.kind == "open" and "among the 2 active options" in verdict.proved[0]
    study.add_votes([{"left": "B", "right": "C", "outcome": "left"}] * 30)
    assert study.verdict().claim == "B is proved the only winner of the 2 active options."


def test_an_option_that_is_added_and_retired_takes_no_proof_away():
    study = study_of({"AB": (90, 30), "AC": (90, 30), "BC": (60, 60)}, "ABC")
    before = study.certificate()
    assert before.best == (0,)
    study.add_option("D")
    assert study.certificate().verdict == "open"  # of D nothing is known
    study.retire_option("D")
    after = study.certificate()
    assert (after.best, after.is_all, after.lower[:3]) == ((0,), True, before.lower)
    assert (after.epoch, after.offered, after.active) == (1, 3, (0, 1, 2))
    study.close()
    standing = study.standing()
    reading = Analysis(standing)
    assert reading.verdict.claim == "A is proved the only winner of the 3 active options."
    assert reading.each_chance[3] == 0.0 and reading.order[-1] == 3
    assert [place.name for place in study.ranking().places] == ["A", "B", "C"]


def test_what_is_proved_of_all_options_holds_though_a_loser_is_retired():
    votes = {"AB": (90, 30), "AC": (90, 30), "AD": (90, 30), "AE": (40, 12), "AF": (90, 30)}
    study = study_of(votes, "ABCDEF")
    assert study.certificate().best == (0,)
    study.retire_option("E")
    assert study.certificate().best == (0,)


@pytest.mark.slow
def test_only_means_all_or_beats_every_other():
    every = study_of({"AB": (60, 20), "AC": (60, 20)}, "ABC").standing().certificate
    some = study_of(DEMO | {"AD": (300, 100), "AE": (60, 0)}).standing().certificate
    assert (every.best, every.is_all) == ((0,), True)
    assert (some.best, some.is_all) == ((0,), False)


# Other ways to count


# Laws


@pytest.mark.slow
@fewer_examples(4)
@given(st.integers(0, 10**6))
def test_every_verdict_has_its_kind_and_names_those_proved_best(seed):
    rng = np.random.default_rng(seed)
    options = "ABCDE"[: rng.integers(2, 6)]
    votes = {
        a + b: tuple(rng.integers(0, 40, 3).tolist()) for a in options for b in options if a < b
    }
    standing = study_of(votes, options).standing()
    verdict = Analysis(standing).verdict
    assert verdict.kind == standing.certificate.verdict
    assert verdict.sentences[0] == verdict.claim
    for i in standing.certificate.best:
        assert standing.labels[i] in verdict.claim


@pytest.mark.slow
def test_chances_are_those_of_worlds_with_the_votes_so_far():
    none = np.zeros((2, 2), int)
    clear, even = (
        chances_of(np.array([[0, won], [lost, 0]]), none, 0.0, (0,))
        for won, lost in ((90, 10), (50, 50))
    )
    assert clear.each[0] > 0.999 and clear.together == clear.each[0]
    assert 0.4 < even.each[0] < 0.6
    assert 0.9 < even.each[0] + even.each[1] <= 1 + 1e-9


def test_a_verdict_reads_well_as_text_and_in_a_notebook():
    verdict = study_of({"AB": (60, 0)}, "AB").verdict()
    assert str(verdict).splitlines()[:4] == [
        "A is proved the only winner.",
        "",
        "Proved",
        f"- {verdict.proved[0]}",
    ]
    assert verdict._repr_html_().startswith("<p><strong>A is proved the only winner.</strong></p>")


@pytest.mark.slow
def test_with_very_many_options_chances_are_left_out(monkeypatch):
    monkeypatch.setattr("copeland.study.results.measures.MOST_OPTIONS", 2)
    verdict = said({"AB": (6, 4), "AC": (6, 4)}, "ABC")
    assert verdict.chances is None
    assert not any("Chances" in one for one in verdict.shown)


# Outlook


def test_nothing_is_needed_once_an_option_is_proved_best():
    assert outlook_of(study_of(CYCLE, "ABC").standing().start) == SETTLED


@pytest.mark.slow
def test_the_needs_of_a_study_add_up_and_lead_to_its_champion():
    outlook = outlook_of(study_of(DEMO).standing().start)
    assert outlook.champion in (0, 1, 2)
    assert {(need.first, need.second) for need in outlook.pairs} == {
        (outlook.champion, 3),
        (outlook.champion, 4),
    }
    assert outlook.votes == sum(need.votes for need in outlook.pairs)


def test_the_votes_needed_are_about_those_that_it_takes():
    # At 60 % about ln(K (K - 1) / delta) + 2 = 6 nats, 0.0201 each: 300 votes; 100 are there.
    outlook = outlook_of(study_of({"AB": (60, 40)}, "AB").standing().start)
    assert 100 <= outlook.votes <= 400


@pytest.mark.slow
def test_losses_that_others_must_prove_are_among_the_needs():
    # A loses to C, so each other option must be shown to lose once: E has not.
    votes = CYCLE | {"AD": (300, 100), "BD": (300, 100), "AE": (60, 0)}
    study = study_of(votes | {"CD": (300, 100)})
    assert study.standing().certificate.verdict == "winner"
    fewer = study_of(votes | {"AE": (3, 0), "DE": (0, 3)})
    outlook = outlook_of(fewer.standing().start)
    assert any(need.second == 4 for need in outlook.pairs)


def test_a_plan_that_needs_a_paused_option_says_which_pairs_cannot_be_asked():
    study = study_of({"AB": (10, 5)}, "ABC")
    study.pause_option("C")
    outlook = outlook_of(study.standing().start)
    assert outlook.votes is None
    assert Need(outlook.champion, 2, 0) in outlook.pairs
    (advice,) = Analysis(study.standing()).verdict.advice
    assert "an option there is paused" in advice


# Files


@pytest.fixture
def filed(tmp_path):
    study = study_of(CYCLE, "ABC")
    file = tmp_path / "certificate.json"
    file.write_text(certificate_to_file(study)[1])
    return study, file


def test_a_certificate_holds_by_the_study_and_by_its_exported_votes_alone(filed, tmp_path):
    study, file = filed
    assert objections(read_certificate(file), study) == ()
    study.add_votes(rows({"AB": (5, 0)}))
    study.export(tmp_path / "votes.csv")
    assert objections_by_votes(read_certificate(file), tmp_path / "votes.csv") == ()


@pytest.mark.slow
def test_a_certificate_holds_also_after_more_votes(filed):
    study, file = filed
    study.add_votes(rows({"AB": (0, 500)}))
    study.add_option("D")
    assert objections(read_certificate(file), study) == ()


@pytest.mark.slow
def test_other_votes_do_not_prove_a_certificate(filed, tmp_path):
    _, file = filed
    other = study_of({"AB": (60, 140), "BC": (140, 60), "CA": (140, 60)}, "ABC")
    other.export(tmp_path / "votes.csv")
    (objection,) = objections_by_votes(read_certificate(file), tmp_path / "votes.csv")
    assert "issued on other votes" in objection
    assert "issued on other votes" in objections(read_certificate(file), other)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change, objection",
    [
        ({"delta": 0.5}, "delta is 0.5, but in the study it is 0.05"),
        ({"best": [0]}, "best is (0,)"),
        ({"labels": ["A", "B", "X"]}, "labels"),
        ({"statement": "A has won."}, "its words do not match its numbers"),
        ({"events": 10**6}, "issued after 1,000,000 events"),
        ({"margin": 0.1}, "margin is 0.1, but in the study it is 0.0"),
    ],
)
def test_a_certificate_that_was_changed_does_not_hold(filed, change, objection):
    study, file = filed
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    assert any(objection in one for one in objections(read_certificate(file), study))


@pytest.mark.slow
def test_a_certificate_of_the_active_options_holds_too(tmp_path):
    study = study_of(CYCLE, "ABCD")
    study.retire_option("D")
    found, text = certificate_to_file(study, active=True)
    assert (found.active, found.best) == ((0, 1, 2), (0, 1, 2))
    (tmp_path / "c.json").write_text(text)
    assert objections(read_certificate(tmp_path / "c.json"), study) == ()


def test_what_is_no_certificate_of_a_study_is_refused(filed, tmp_path):
    study, file = filed
    of_none = study.standing().certificate.to_json()
    for text in ("", "{}", "[]", '{"format": 1}', "\x00", of_none):
        file.write_text(text)
        with pytest.raises(
            InvalidParameter, match="which study" if text == of_none else r"e\.json"
        ):
            read_certificate(file)
    with pytest.raises(InvalidParameter, match="cannot be read"):
        read_certificate(tmp_path / "none.json")


@pytest.mark.parametrize("row", ["A,X,left", "A,B,best"])
def test_votes_that_cannot_be_read_are_refused_by_line(filed, tmp_path, row):
    _, file = filed
    (tmp_path / "votes.csv").write_text(f"left,right,outcome\n{row}\n")
    with pytest.raises(InvalidRow, match=r"votes\.csv, line 2"):
        objections_by_votes(read_certificate(file), tmp_path / "votes.csv")
