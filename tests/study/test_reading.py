"""One reading of the votes: verdict, page and JSON say the same, and no more than is proved."""

import json
import re
from html import unescape

import numpy as np
import pytest
from helpers import fewer_examples
from hypothesis import given
from hypothesis import strategies as st
from study_pages import text_of, undrawn

import copeland
from copeland.study.report.study_page import study_page
from copeland.study.results.analysis import Analysis
from copeland.study.results.certificate_file import certificate_to_file
from copeland.study.results.history import history_of
from copeland.study.results.measures import STANDS_OUT


def study_of(votes, options, **how):
    """A study with wins and losses by pair."""
    study = copeland.create_study("study", list(options), **{"voters": "independent", **how})
    study.add_votes(
        {"left": pair[0], "right": pair[1], "outcome": winner}
        for pair, (won, lost) in votes.items()
        for winner, times in ((pair[0], won), (pair[1], lost))
        for _ in range(times)
    )
    return study


@st.composite
def studies(draw):
    """A study of 2 to 5 options with few or many votes, with and without a margin."""
    k = draw(st.integers(2, 5))
    most = draw(st.sampled_from([3, 30, 400]))
    counts = st.integers(0, most)
    votes = {
        "ABCDE"[i] + "ABCDE"[j]: (draw(counts), draw(counts))
        for i in range(k)
        for j in range(i + 1, k)
        if draw(st.booleans())
    }
    return study_of(votes, "ABCDE"[:k], margin=draw(st.sampled_from([0.0, 0.1])))


@pytest.mark.slow
@given(studies())
@fewer_examples(2)
def test_verdict_page_json_and_file_tell_one_story(study):
    reading = Analysis(study.standing())
    verdict = reading.verdict
    with undrawn():
        page = unescape(
            text_of(study_page(reading, verdict, history_of(study.log(), study.standing())))
        )
    told = json.loads(json.dumps(reading.to_dict()))
    issued, text = certificate_to_file(study)
    filed = json.loads(text)

    assert issued == reading.certificate
    assert told["certificate"]["best"] == filed["best"] == list(reading.certificate.best)
    assert all(sentence in page for sentence in map(_spaced, verdict.sentences))

    names = [reading.names[i] for i in reading.leaders]
    assert told["leaders"] == names
    assert told["leader"] == (reading.names[reading.order[0]] if names else None)
    assert [row["name"] for row in told["options"]] == [reading.names[i] for i in reading.order]

    if reading.standing.votes:
        assert sum(verdict.chances) <= 1 + 1e-9
    if issued.verdict == "open" and names:
        best = max(round(chance, 2) for chance in verdict.chances)
        is_first = round(verdict.chances[reading.leaders[0]], 2) == best
        assert verdict.claim.startswith(names[0])
        assert is_first == ("likelier to be best" not in verdict.claim)

    only = "is proved the only winner" in verdict.claim
    alone = len(issued.best) == 1 and issued.is_all and issued.margin == 0
    assert only == alone == ("is proved the only winner" in filed["statement"])
    assert ("in a cycle" in verdict.claim) == reading.in_circle
    assert any("There is a cycle" in one for one in verdict.shown) == bool(reading.circle)
    if reading.leaders:
        assert ("beat each other in a cycle" in page) == bool(reading.circles)
    instead = any(one.startswith("Borda") for one in verdict.shown)
    assert instead == ("Borda disagrees with Copeland" in page)


def _spaced(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("votes", "how", "closed", "badge"),
    [
        ({"AB": (40, 0)}, {}, False, "Winner"),
        ({"AB": (40, 0)}, {}, True, "Winner"),
        ({"AB": (2, 1)}, {}, False, "Keep going"),
        ({"AB": (2, 1)}, {}, True, "Closed without a proof"),
        ({"AB": (10, 0)}, {"delta": 0.0001}, False, "Likely, not proved"),
        ({"AB": (50, 50)}, {"margin": 0.4}, False, "Tied for first"),
    ],
)
def test_a_badge_says_in_a_word_or_two_what_is_proved_or_likely(votes, how, closed, badge):
    study = study_of(votes, "AB", **how)
    if closed:
        study.close()
    assert Analysis(study.standing()).badge == badge


def test_rows_hold_what_is_known_of_each_option_who_leads_first():
    study = study_of({"AB": (1, 40), "AC": (6, 2)}, "ABC")
    study.pause_option("C")
    first, second, third = Analysis(study.standing()).rows()
    assert (first.name, first.won, first.lost, first.votes) == ("B", 40, 1, 41)
    assert first.share == 40 / 41 and (first.beats, first.least) == (1, 1)
    assert (second.name, second.share, second.index) == ("A", 7 / 49, 0)
    assert third.add_state(third.known) == "possible, paused"
    assert {row.tier for row in (first, second, third)} == {1}


def test_looking_at_the_state_copies_nothing():
    study = study_of({"AB": (2, 1)}, "AB")
    assert study.look_at_state(lambda state: state) is study.look_at_state(lambda state: state)
    assert study.look_at_state(lambda state: state.votes) == study.state().votes == 3


def test_circles_are_told_by_page_and_sentence_alike():
    reading = Analysis(study_of({p: (6, 4) for p in ("AB", "BC", "CA")}, "ABC").standing())
    assert reading.circles == () and reading.circle == ()
    assert len(reading.leaders) == 3
    votes = {p: (90, 10) for p in ("BC", "CD", "DB", "AB", "AC", "AD")}
    reading = Analysis(study_of(votes, "ABCD").standing())
    assert (reading.leaders, reading.circle) == ((0,), ())
    assert set(reading.circles[0]) == {1, 2, 3}
    votes = {p: (90, 10) for p in ("AB", "BC", "CA")} | {"AD": (5, 3), "DB": (5, 3)}
    reading = Analysis(study_of(votes, "ABCD").standing())
    for i, j in reading.links(reading.circle):
        lead = reading.standing.wins[i, j] - reading.standing.wins[j, i]
        assert lead >= STANDS_OUT * np.sqrt(reading.n[i, j] + 4)
    assert re.fullmatch("[ABC]{3}", "".join(reading.names[i] for i in reading.circle))


def test_who_beats_every_other_is_the_only_winner_in_the_sentence_and_in_the_file():
    study = study_of({f"A{rest}": (35, 11) for rest in "BCDEF"}, "ABCDEF")
    verdict, (issued, text) = Analysis(study.standing()).verdict, certificate_to_file(study)
    assert verdict.claim == "A is proved the only winner."
    assert issued.is_all and json.loads(text)["is_all"]
    assert "A is proved the only winner" in issued.statement
