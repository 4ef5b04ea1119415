"""What is said of one thing in several places is the same: sentences, tables, pages, JSON, certificates.

Studies of every kind are built at random, with options that were added, paused or retired, imports and undone
votes, and everything that speaks of who is best, of scores, pairs, votes and chances is compared.
"""

import html
import json
import re
from contextlib import suppress
from itertools import combinations

import pytest
from helpers import fewer_examples
from hypothesis import Phase, example, given
from hypothesis import strategies as st
from study_pages import undrawn

from copeland.certificate.certificate import Certificate
from copeland.errors import CopelandError
from copeland.study import create_study
from copeland.study.report.study_page import study_parts
from copeland.study.report.study_sentences import score_sentences
from copeland.study.results.analysis import Analysis, Rankings, ranking_of
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    read_certificate,
)
from copeland.study.results.history import history_of
from copeland.study.results.standing import PROVED
from copeland.support.phrasing import percent_chance

OPTIONS = ("ale", "beer", "cider", "dew", "elixir", "fizz")
VOTERS = ("ann", "ben", "cas")

KINDS = {
    "independent": {"voters": "independent"},
    "margin": {"voters": "independent", "margin": 0.2},
    "people": {"voters": "people", "batch": 3},
    "ignored": {"voters": "people", "batch": 3, "missing": "ignored"},
    "panel": {"panel": VOTERS},
    "these cases": {"voters": "judge", "cases": 6},
    "cases like these": {"voters": "judge", "cases": 30, "population": "like-these"},
}

changes = st.lists(
    st.tuples(
        st.sampled_from(("import", "import", "import", "vote", "undo", "add", "retire", "pause")),
        st.integers(0, 99),
    ),
    max_size=14,
)


class Play:
    """A study that things happen to."""

    def __init__(self, kind: str, k: int):
        self.study = create_study("story", OPTIONS[:k], seed=k, **KINDS[kind])
        self.people = 0

    def run(self, changes):
        for what, number in changes:
            with suppress(CopelandError):  # what is refused changes nothing
                getattr(self, f"do_{what}")(number)

    def do_import(self, number):
        """Many votes of new people on one pair, mostly for one side."""
        names = [option.name for option in self.study.options]
        pairs = list(combinations(names, 2))
        left, right = pairs[number % len(pairs)]
        panel, cases = bool(self.study.settings.panel), self.study.settings.cases
        rows = []
        for n in range(3 if panel else cases or 1 + number):
            self.people += 1
            voter = VOTERS[n] if panel else "gpt" if cases else f"person {self.people}"
            outcome = "tie" if n % 7 == 6 else "right" if n % 5 == 4 else "left"
            rows.append({"left": left, "right": right, "outcome": outcome, "voter": voter})
            if cases:
                rows[-1]["item"] = f"case {n}"
        self.study.add_votes(rows)

    def do_vote(self, number):
        voter = VOTERS[number % 3] if self.study.settings.panel else f"visitor {number % 5}"
        cases = self.study.settings.cases
        named = {"cases": [f"case {n}" for n in range(cases)]} if cases else {}
        ballot = self.study.ask(voter, **named)
        if ballot:
            self.study.tell(ballot, ("left", "right", "tie", "skip")[number % 4])

    def do_undo(self, number):
        votes = self.study.votes()
        if votes:
            self.study.undo(votes[number % len(votes)], "a reason")

    def do_add(self, number):
        if len(self.study.options) < len(OPTIONS):
            self.study.add_option(OPTIONS[len(self.study.options)])

    def do_retire(self, number):
        self.study.retire_option(OPTIONS[number % len(self.study.options)])

    def do_pause(self, number):
        self.study.pause_option(OPTIONS[number % len(self.study.options)])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(changes=changes, k=st.integers(2, 5), closed=st.booleans())
@example(  # settled by all votes on the options that are left, and not by those that count
    changes=[
        *(("import", 98), ("add", 18), ("import", 55), ("import", 59)),
        *(("import", 52), ("retire", 63)),
    ],
    k=2,
    closed=False,
)
@fewer_examples(3, phases=(Phase.explicit, Phase.generate))  # each is slow
def test_all_places_tell_one_story(kind, changes, k, closed):
    play = Play(kind, k)
    play.run(changes)
    if closed:
        play.study.close()
    with undrawn():
        check(play.study)


@pytest.mark.slow
@given(
    votes=st.dictionaries(
        st.sampled_from([(i, j) for i in range(5) for j in range(i)]),
        st.tuples(*[st.integers(0, 30)] * 3),
        max_size=7,
    )
)
@example(votes={(2, 0): (24, 75, 25), (2, 1): (23, 75, 25), (3, 2): (20, 70, 9), (4, 2): (1, 9, 3)})
@fewer_examples(2, phases=(Phase.explicit, Phase.generate))
def test_who_is_called_first_has_the_most_wins_in_the_table_or_the_sentence_says_why(votes):
    study = create_study("story", OPTIONS[:5], voters="independent")
    study.add_votes(
        {"left": OPTIONS[i], "right": OPTIONS[j], "outcome": outcome, "count": number}
        for (i, j), counts in votes.items()
        for outcome, number in zip(("left", "right", "tie"), counts, strict=True)
        if number
    )
    reading = Analysis(study.standing())
    check_leaders(reading, reading.verdict)


@pytest.mark.quick
def test_a_study_with_a_proved_winner_says_so_everywhere():
    play = Play("independent", 5)
    play.run([("import", 90 - 10 * i) for i in range(4)] * 3)
    for other in OPTIONS[1:5]:
        rows = [{"left": "ale", "right": other, "outcome": "left"}] * 14
        play.study.add_votes(rows)
    assert play.study.certificate().is_all
    check(play.study)


def check(study):
    standing = study.standing()
    reading = Analysis(standing)
    found, verdict = standing.certificate, reading.verdict
    log = study.log()
    order = Rankings(reading, study.votes).drawn
    parts = study_parts(reading, verdict, history_of(log, standing), order=order)
    names = standing.labels
    check_verdict(reading, verdict, parts, names)
    check_scores(reading, parts, names)
    check_leaders(reading, verdict)
    check_order(reading, order, parts, names)
    check_pairs(reading, parts)
    check_votes(study, reading, verdict, parts)
    check_file(study, found)


def check_verdict(reading, verdict, parts, names):
    """Who is best, who is ruled out, and what that is about."""
    found = reading.certificate
    best, among = set(found.best), set(reading.among)
    assert verdict.kind == found.verdict and set(found.possible) <= among and best <= among
    assert found.statement in verdict.proved
    retired = {i for i, option in enumerate(reading.standing.options) if option.state == "retired"}
    assert found.active is None or among.isdisjoint(retired) or len(names) - len(retired) < 2
    rows = {row.name: row.to_dict() for row in reading.rows()}
    for i, name in enumerate(names):
        place = rows[name]["place"]
        assert (place == "proved best") == (i in best)
        assert (place == "ruled out") == (i in among and i not in found.possible)
        assert i in among or place in ("retired", "paused")
    ruled = [one for one in verdict.proved if one.startswith("Ruled out: ")]
    assert bool(ruled) == bool(among - set(found.possible))
    for i in among - set(found.possible):
        assert names[i] in ruled[0]
    if best:
        assert all(names[i] in verdict.claim for i in best)
        assert "proved" in verdict.claim and "not proved" not in verdict.claim
    elif not reading.standing.panel:
        assert "is proved" not in verdict.claim.replace("no option is proved", "")
    assert parts.tiles["proved best"] == str(len(best))
    assert parts.tiles["not ruled out"] == str(len(found.possible))
    chances = reading.each_chance
    if chances is not None:
        assert all(chances[i] == 0 for i in range(len(names)) if i not in among)
        for name, row in rows.items():
            assert row["chance"] == chances[names.index(name)]


def check_scores(reading, parts, names):
    """How many others each beats, and the tiers."""
    found = reading.certificate
    ranking = ranking_of(reading)
    rows = {row.name: row.to_dict() for row in reading.rows()}
    assert {place.name for place in ranking.places} == {names[i] for i in reading.among}
    for place in ranking.places:
        i = names.index(place.name)
        low, high = found.scores[i]
        assert 0 <= low <= high <= reading.rivals
        assert (place.least, place.most) == (low, high) == tuple(rows[place.name]["score"])
        assert rows[place.name]["beats_proved"] == low and rows[place.name]["beats"] == place.beats
    first = {place.name for place in ranking.places if place.tier == 1}
    assert {names[i] for i in found.best} <= first
    if found.is_all and not found.margin:
        assert first == {names[i] for i in found.best}
    for place in ranking.places if not getattr(found, "margin", 0) else ():
        i = names.index(place.name)
        assert i not in found.best or place.last <= len(found.possible)
        assert i in found.possible or place.first > len(found.best)
    for upper, lower in combinations(ranking.places, 2):
        if upper.tier < lower.tier and not (found.is_all and upper.tier == 1):
            assert upper.least > lower.most
    if reading.standing.votes:
        table = {row[0]: row for row in parts.options.rows}
        for i in reading.among:
            low, high = found.scores[i]
            assert table[names[i]][3] == f"{low} to {high}"
        on_page = {row[0]: row for row in parts.ranking.rows}
        assert on_page.keys() == {place.name for place in ranking.places}
        for place in ranking.places:
            assert on_page[place.name][1] == str(place.tier)
            assert on_page[place.name][3] == f"{place.least} to {place.most}"
            assert f"{place.name} {place.beats} ({place.least} to {place.most})" in html.unescape(
                parts.scores.picture.alt
            )


SENSES = (", by wins minus losses", ", with half a win for each open pair")


def check_leaders(reading, verdict):
    """Those called first beat the most others in the table, or the sentence says in which sense they lead."""
    if not reading.standing.votes or reading.certificate.best:
        return
    beats = {row.name: row.beats for row in reading.rows()}
    names = reading.standing.labels
    most = max(beats[names[i]] for i in reading.among)
    is_first = all(beats[names[i]] == most for i in reading.leaders)
    for said in (verdict.claim, next(score_sentences(reading))):
        if re.search(r"\b(leads|lead together|tied for first)\b", said):
            assert any(sense in said for sense in SENSES) == (not is_first), said
    shown = " ".join(verdict.shown)
    assert "option beats more." not in shown or is_first
    if not reading.standing.panel:
        assert ("By wins minus losses" in shown) == (not is_first)


def check_order(reading, order, parts, names):
    """The order by strength shows who is proved best, or a sentence says why it does not."""
    assert {place.name for place in order.places} == {names[i] for i in reading.among}
    if not reading.standing.votes:
        assert parts.order is None
        return
    said = " ".join(parts.order.said)
    best = {names[i] for i in reading.certificate.best}
    first = order.places[: len(best)]
    shows = best == {place.name for place in first} and all(p.last <= len(best) for p in first)
    explains = "proved best because" in said
    assert explains == (bool(best) and order.by == "strength" and not shows)
    assert ("are exact" in said) == (order.by == "copeland")
    assert ("hold for many votes" in said) == (order.by == "strength")
    assert "are exact" in said + " ".join(parts.ranking.said)


def check_pairs(reading, parts):
    """Which pairs are proved: in the certificate, in the arrows, in the table and in the count."""
    found = reading.certificate
    proved = {
        (i, j) for i in range(reading.k) for j in range(reading.k) if reading.sure[i, j] == PROVED
    }
    assert proved == set(found.beats)
    for i in reading.among:
        low, high = found.scores[i]
        wins = sum((i, j) in proved for j in reading.among)
        losses = sum((j, i) in proved for j in reading.among)
        assert low >= wins and high <= reading.rivals - losses
        if low == reading.rivals and not found.margin:
            assert wins == reading.rivals
    if reading.standing.votes and isinstance(found, Certificate):
        said = " ".join(parts.matrix.said)
        assert f"Proved one way or the other: {len(proved):,};" in said
        words = {row[0]: row[-1] for row in parts.pairs.rows}
        told = sum(word.startswith("proved") for word in words.values())
        assert told == sum(reading.n[i, j] > 0 for i, j in proved)


def check_votes(study, reading, verdict, parts):
    """How many votes there are, and how many count towards a proof."""
    standing, found = reading.standing, reading.certificate
    counted = int(standing.wins.sum() + standing.ties.sum() // 2)
    assert standing.votes == counted == sum(vote.counted for vote in study.votes())
    assert parts.tiles["votes"] == f"{standing.votes:,}"
    assert found.votes + standing.waiting == standing.votes
    assert any("wait" in one and "handed out earlier" in one for one in verdict.proved) == bool(
        standing.waiting
    )
    assert f"{standing.votes:,} count as votes" in parts.outcomes or not study.votes()
    if verdict.estimates is not None and reading.each_chance is not None:
        for name, said in verdict.estimates.rows:
            if name in standing.labels:
                assert said == percent_chance(reading.each_chance[standing.labels.index(name)])


def check_file(study, found):
    """The certificate as a file says the same, and holds."""
    import tempfile
    from pathlib import Path

    issued, text = certificate_to_file(study)
    assert issued == found
    content = json.loads(text)
    assert content["statement"] == found.statement
    assert re.sub(r"\s+", " ", content["statement"]) == content["statement"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "story.json"
        path.write_text(text)
        assert objections(read_certificate(path), study) == ()
