"""Counts stay counts: a row that stands for many votes is one event, and all else is as if each vote were kept."""

import csv
import json
import re
from contextlib import suppress

import numpy as np
import pytest
import sqlalchemy as sa
from commands import values
from helpers import fewer_examples
from hypothesis import given
from hypothesis import strategies as st

from copeland.errors import Conflict, UnknownVote
from copeland.policy import Policy
from copeland.study import create_study
from copeland.study.kinds.kind import Kind
from copeland.study.log.events import ASKED, VOTED, AskedEvent, VoteEvent, times_of
from copeland.study.log.ledger import Ledger
from copeland.study.log.snapshots import write_value
from copeland.study.log.state import dump_state, load_state
from copeland.study.report.study_page import judges_agreement, study_parts
from copeland.study.results.agreement import agreement
from copeland.study.results.analysis import Analysis
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    objections_by_file,
    read_certificate,
)
from copeland.study.results.history import history_of
from copeland.study.settings import AGAINST, IGNORED
from copeland.web.cache import analyse_past
from copeland.web.store import Store

OPTIONS = ["tea", "milk", "juice"]
HEAD = "i,j,wins,ties"
KINDS = {
    "independent": {"voters": "independent"},
    "people": {"voters": "people", "batch": 2},
    "ignored": {"voters": "people", "batch": 2, "missing": "ignored"},
}


def clock():
    return 1_000_000.0


def create(storage=None, **how):
    return create_study("drinks", OPTIONS, storage, clock=clock, **{"voters": "independent"} | how)


@pytest.fixture
def unfold(monkeypatch):
    """Lets studies keep each vote, or fold again."""
    fold = Kind.can_fold

    def switch(old=True):
        monkeypatch.setattr(Kind, "can_fold", (lambda *_: False) if old else fold)

    return switch


@pytest.fixture
def table(tmp_path):
    """Writes a table of counts, and gives its path."""

    def write(*lines, head=HEAD):
        path = tmp_path / "counts.csv"
        path.write_text("\n".join([head, *lines]) + "\n")
        return path

    return write


def kept(study):
    """How many votes each event of the log stands for that is one."""
    return [times_of(event) for event in study.log() if event.kind == VOTED]


def numbers(study):
    """Every number of the state but those of events."""
    state = study.state()
    changing = ("number", "undone", "sides", "ledger", "open")
    about = write_value({k: v for k, v in state.fields().items() if k not in changing}, [])
    sides = (state.tally.sides.wins, state.tally.sides.without)
    tables = [
        np.asarray(table).tolist()
        for table in (state.wins, state.ties, *state.ledger.tables(study.now()))
    ]
    return about, sides, tables


def shown(study):
    """What status, page and certificate show."""
    standing = study.standing()
    reading, log = Analysis(standing), study.log()
    parts = study_parts(
        reading,
        reading.verdict,
        history_of(log, standing),
        judges_agreement(standing, log),
        last=0.0,
    )
    file = json.loads(certificate_to_file(study)[1])
    for name in ("seal", "events", "link", "issued", "log"):
        file.pop(name, None)
    said = {
        name: [str(one) for one in getattr(part, "said", ())] for name, part in vars(parts).items()
    }
    words = re.sub(r"number \d+, at|<generator[^>]*>", "", repr(parts))
    return said, words, file


# One event


def test_a_row_of_counts_is_one_event(table):
    study = create()
    taken = study.import_votes(table("tea,milk,400000,5", "milk,juice,1,0"))
    assert kept(study) == [400_000, 5, 1]
    assert (taken, taken.counted, study.standing().votes) == (400_006, 400_006, 400_006)
    assert study.state().wins[0, 1] == 400_000


def test_a_large_count_takes_few_statements(table, tmp_path):
    study = create(f"sqlite:///{tmp_path}/s.db")
    said = []
    sa.event.listen(study.storage._engine, "before_cursor_execute", lambda *told: said.append(told))
    study.import_votes(table("tea,milk,400000,0"))
    assert len(said) < 30 and study.number == 2
    assert study.misfit() is None


def test_counts_of_who_may_repeat_are_kept_vote_by_vote():
    row = {"winner": "tea", "loser": "milk", "n": 3, "voter": "ann"}
    for how, times in (
        ({"voters": "people"}, [1, 1, 1]),
        ({"repeats": "first"}, [1, 1, 1]),
        ({"repeats": "count"}, [3]),
        ({"repeats": "count", "algorithm": "rucb"}, [1, 1, 1]),
    ):
        study = create(**how)
        taken = study.add_votes([row])
        assert (kept(study), taken) == (times, 3)


# The same as each vote


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@fewer_examples(3)
@given(
    rows=st.lists(
        st.tuples(st.permutations(OPTIONS), st.integers(0, 30), st.integers(0, 9)), max_size=5
    ),
    steps=st.lists(st.sampled_from(["counts", "vote", "undo import", "grow", "add"]), max_size=7),
)
def test_a_folded_study_tells_what_an_expanded_one_does(tmp_path_factory, kind, rows, steps):
    folder = tmp_path_factory.mktemp("same")

    def build(fold):
        with pytest.MonkeyPatch.context() as patch:
            if not fold:
                patch.setattr(Kind, "can_fold", lambda *_: False)
            study, grown = create(**KINDS[kind]), 0
            for n, step in enumerate(["counts", *steps]):
                grown += step == "grow"
                if step in ("counts", "grow"):
                    lines = [f"{i},{j},{wins + grown},{ties}" for (i, j, _), wins, ties in rows]
                    path = folder / "counts.csv"
                    path.write_text("\n".join([HEAD, *lines]) + "\n")
                    study.import_votes(path)
                elif step == "undo import":
                    with suppress(UnknownVote):
                        study.undo_import("counts.csv")
                elif step == "vote":
                    study.add_votes([{"left": "tea", "right": "milk", "outcome": "left"}] * 2)
                elif step == "add":
                    study.add_option(f"new {n}")
        return study

    folded, expanded = build(True), build(False)
    assert numbers(folded) == numbers(expanded)
    assert load_state(dump_state(folded.state())) == folded.replay() == folded.state()
    assert sum(kept(folded)) == sum(kept(expanded))
    assert sum(vote.times for vote in folded.votes() if vote.counted) == folded.state().votes


@pytest.mark.slow
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["ask", "answer", "count", "undo"]), st.integers(1, 30))
    )
)
@pytest.mark.parametrize(
    ("unit", "missing"), [("person", AGAINST), ("person", IGNORED), ("ballot", IGNORED)]
)
def test_a_count_is_so_many_people(unit, missing, steps):
    one, each = Ledger(unit, missing), Ledger(unit, missing)
    for ledger in (one, each):
        ledger.widen(2)
    number, ballots, counts = 0, [], []
    for step, n in steps:
        number += 100  # of the next event: a count may be as many events as votes
        now = float(number)
        if step == "ask":
            asked = AskedEvent(number, ASKED, now, voter=f"person {n}", left=0, right=1)
            ballots.append(asked)
            for ledger in (one, each):
                ledger.deal(asked, 1_000.0)
        elif step == "answer" and ballots:
            asked = ballots.pop(n % len(ballots))
            vote = VoteEvent(
                number, VOTED, now, ballot=asked.number, voter=asked.voter, left=0, right=1
            )
            if not one.is_late(asked, now):
                for ledger in (one, each):
                    ledger.answer(vote, "left")
        elif step == "count":
            vote = VoteEvent(number, VOTED, now, left=0, right=1, body={"times": n})
            counts.append((vote, n))
            one.answer(vote, "right")
            for i in range(n):
                each.answer(vote._replace(number=number + i, body=None), "right")
        elif step == "undo" and counts:
            vote, times = counts.pop()
            one.undo(vote._replace(undoes=vote.number), "right")
            for i in range(times):
                each.undo(vote._replace(undoes=vote.number + i, body=None), "right")
        assert one.totals(now) == each.totals(now)
        assert all(map(np.array_equal, one.tables(now), each.tables(now)))


@pytest.mark.slow
def test_everything_shown_is_the_same(table, unfold, tmp_path):
    found = []
    for old in (False, True):
        unfold(old)
        storage = f"sqlite:///{tmp_path}/{old}.db"
        study = create(storage)
        study.import_votes(
            table("tea,milk,60,4", "milk,tea,20,0", "juice,tea,7,0", "tea,juice,30,1")
        )
        study.add_votes([{"left": "tea", "right": "milk", "outcome": "left", "count": 8}], "days")
        study.add_votes([{"winner": "tea", "loser": "milk", "n": 5, "voter": v} for v in "ab"])
        study.undo_import("days")
        status = values("study", "status", "drinks", "--storage", storage)
        found.append((numbers(study), shown(study), status | {"events": None}))
        store, key = Store(study.storage), study._key
        assert store.votes_by_source(key) == {"counts.csv": 122, "days": 8, "": 10}
        assert sum((body or {}).get("times", 1) for body in store.undone(key)) == 8
        voters = {voter.name: sum(voter.outcomes.values()) for voter in study.standing().voters}
        assert voters == {"a": 5, "b": 5}
        assert analyse_past(study, study.number).reading.standing.voters == study.standing().voters
        assert agreement(study.votes()).pairs[0].n == 5
    assert found[0] == found[1]


def test_a_file_of_folded_votes_gives_the_certificate(table, tmp_path):
    study = create()
    study.import_votes(table("tea,milk,60,4", "tea,juice,30,1", "milk,juice,50,0"))
    votes, certificate = tmp_path / "votes.csv", tmp_path / "c.json"
    study.export(votes)
    certificate.write_text(certificate_to_file(study)[1])
    study.add_votes([{"left": "tea", "right": "milk", "outcome": "left"}])
    with votes.open() as file:
        assert [int(row["times"]) for row in csv.DictReader(file)] == [60, 4, 30, 1, 50]
    filed = read_certificate(certificate)
    assert objections(filed, study) == () == objections_by_file(filed, votes)
    votes.write_text(votes.read_text().replace(",60\n", ",59\n"))
    assert objections_by_file(filed, votes)


def test_an_export_comes_back_as_it_was(table, tmp_path):
    study, votes = create(), tmp_path / "votes.csv"
    study.import_votes(table("tea,milk,60,4"))
    study.export(votes)
    other = create_study("other", OPTIONS, voters="independent")
    assert other.import_votes(votes) == 64 and kept(other) == [60, 4]
    assert (other.state().wins == study.state().wins).all()
    assert study.import_votes(votes).known == 64


@pytest.mark.slow  # it loads pandas
def test_times_are_a_column_only_if_there_are_counts():
    pandas = pytest.importorskip("pandas")
    study = create()
    study.add_votes([{"winner": "tea", "loser": "milk"}])
    assert "times" not in study.votes(frame=True)
    study.add_votes([{"winner": "tea", "loser": "milk", "n": 3}])
    assert study.votes(frame=True)["times"].tolist() == [1, 3]
    assert isinstance(study.votes(frame=True), pandas.DataFrame)


# Again


def test_counts_are_known_again_and_grow(table):
    study = create()
    study.import_votes(table("tea,milk,3,0"))
    assert study.import_votes(table("tea,milk,3,0")).known == 3
    grown = study.import_votes(table("tea,milk,5,0"))
    assert (grown, grown.known, kept(study)) == (2, 3, [3, 2])
    assert study.import_votes(table("tea,milk,5,0")).known == 5
    assert study.import_votes(table("tea,milk,4,0")).known == 4
    grown = study.import_votes(table("tea,milk,6,0"))
    assert (grown, kept(study)) == (1, [3, 2, 1])
    assert study.import_votes(table("tea,milk,500,0")) == 494
    assert kept(study) == [3, 2, 1, 494]


def test_rows_that_say_the_same_are_one_count(table):
    study = create()
    study.import_votes(table("tea,milk,3,0", "tea,milk,2,0"))
    assert kept(study) == [5]
    assert study.import_votes(table("tea,milk,4,0", "tea,milk,2,0")) == 1


def test_counts_with_ids_are_known_and_grow():
    study, row = create(), {"winner": "tea", "loser": "milk", "n": 3, "event_id": "a"}
    assert (study.add_votes([row]), study.add_votes([row])) == (3, 0)
    assert study.add_votes([row | {"n": 5}]) == 2
    assert [vote.event_id for vote in study.votes()] == ["a", "a/4"]
    with pytest.raises(Conflict):
        study.add_votes([row | {"event_id": "b"}, row | {"event_id": "b", "n": 4}])


def test_an_old_log_knows_each_vote(table, unfold):
    study = create()
    unfold()
    study.import_votes(table("tea,milk,40,2"))
    unfold(False)
    again = study.import_votes(table("tea,milk,40,2"))
    assert (again, again.known) == (0, 42)
    study.undo(study.votes()[3])
    grown = study.import_votes(table("tea,milk,90,2"))
    assert (grown, grown.known, grown.undone) == (50, 41, 1)
    assert kept(study) == [1] * 42 + [50]
    assert study.import_votes(table("tea,milk,90,2")).known == 91


# Undone


def test_a_count_is_undone_at_once():
    study = create()
    study.add_votes([{"winner": "tea", "loser": "milk", "n": 40, "event_id": "a"}])
    study.undo("a", "a robot")
    standing = study.standing()
    assert (standing.votes, standing.undone, study.votes()[0].undone) == (0, 40, True)
    assert "40 votes (a robot: 40)" in json.loads(certificate_to_file(study)[1])["notes"][0]


def test_an_import_is_undone_and_comes_back(table, unfold):
    for old in (False, True):
        unfold(old)
        study = create()
        study.import_votes(table("tea,milk,30,0"))
        unfold(False)
        assert study.undo_import("counts.csv") == 30
        back = study.import_votes(table("tea,milk,35,0"))
        assert (back, study.state().votes) == (35, 35)
        assert study.import_votes(table("tea,milk,35,0")).known == 35
        assert study.standing().proof.before_undoing is None  # what came back was given once
        assert study.replay() == study.state()
        assert study.undo_import("counts.csv") == 35
        assert study.import_votes(table("tea,milk,35,0")) == 35


def test_what_came_back_smaller_may_grow_again(table):
    study = create()
    study.import_votes(table("tea,milk,30,0"))
    study.undo_import("counts.csv")
    assert study.import_votes(table("tea,milk,10,0")) == 10
    assert study.standing().proof.before_undoing[0][0, 1] == 30
    assert study.import_votes(table("tea,milk,33,0")) == 23
    assert study.standing().proof.before_undoing is None and kept(study) == [30, 10, 20, 3]
    assert study.import_votes(table("tea,milk,33,0")).known == 33


def test_the_planner_follows_counts(monkeypatch):
    study, told = create(), []
    study.ask()
    monkeypatch.setattr(Policy, "add_all", lambda _, said: told.append(said))
    study.add_votes([{"winner": "tea", "loser": "milk", "n": 40}])
    study.ask()
    assert told == [[(0, 1, 0)] * 40]
    study.add_votes([{"winner": "tea", "loser": "milk", "n": 400_000}])
    study.ask()
    assert len(told) == 1  # it is made anew from the counts
