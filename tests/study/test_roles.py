"""Roles: guides move what is asked, people prove; whatever guides say, the certificate is the same."""

import csv
import json
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copeland.errors import AlreadyVoted, CopelandError, InvalidParameter, InvalidRow, UnknownName
from copeland.policy import Policy
from copeland.study import (
    Storage,
    certificate_to_file,
    create_study,
    create_study_from_votes,
    objections,
    open_study,
    read_certificate,
)
from copeland.study.judges import judge_study
from copeland.study.log.events import GUIDE, ROLE, VOTED
from copeland.study.log.state import dump_state, fold_log, load_state
from copeland.study.pair_choice import Player, hints_of, trust_in
from copeland.study.results.certificate_file import objections_by_file
from copeland.study.results.history import history_of

OPTIONS = ["A", "B", "C", "D"]

said = st.tuples(
    st.sampled_from(["ann", "bob", "model", "program", None]),
    st.permutations(range(4)).map(lambda order: tuple(order[:2])),
    st.sampled_from(["left", "right", "tie", "both_bad", "skip", "error"]),
    st.sampled_from(["ask", "add", "undo", "option"]),
)
quietly = settings(max_examples=25, deadline=None)


def lived(steps, guides, voters="people"):
    """A study after asking, telling, importing, undoing and adding; without guides their steps are left out."""
    study = create_study("roles", OPTIONS, voters=voters)
    for guide in guides:
        study.set_role(guide, "guide")
    told = []
    for voter, (left, right), outcome, how in steps:
        if how == "undo" and told:
            study.undo(told.pop())
        elif how == "option" and len(study.options) < 6:
            study.add_option(f"new {len(study.options)}")
        elif how == "ask":
            ballot = study.ask(voter)
            told += [study.tell(ballot, outcome)] if ballot else []
        else:
            row = {"left": OPTIONS[left], "right": OPTIONS[right], "outcome": outcome}
            study.add_votes([row | {"voter": voter, "event_id": f"own {len(told)} {study.number}"}])
    return study


def without_guides(log):
    """The same log as if guides had never been there, its events numbered anew."""
    guides = {event.voter for event in log if event.kind == ROLE}
    kept = [event for event in log if event.voter is None or event.voter not in guides]
    numbers = {event.number: place for place, event in enumerate(kept, 1)}
    moved = ("number", "ballot", "repeats", "undoes", "counts")
    return [
        event._replace(**{f: numbers[n] for f in moved if (n := getattr(event, f)) is not None})
        for event in kept
    ]


@pytest.mark.slow
@pytest.mark.parametrize("voters", ["people", "independent"])
@given(steps=st.lists(said, max_size=40))
@quietly
def test_what_guides_say_never_changes_the_state_of_proof(voters, steps):
    log = lived(steps, ["model", "program"], voters).log()
    with_guides, alone = fold_log(log), fold_log(without_guides(log))
    for part in ("wins", "ties"):
        assert np.array_equal(getattr(with_guides, part), getattr(alone, part))
    for part in ("votes", "epoch", "sides", "outcomes", "repeated"):
        assert getattr(with_guides, part) == getattr(alone, part), part


@pytest.mark.slow
@given(steps=st.lists(said, max_size=40))
@quietly
def test_the_certificate_is_the_same_with_and_without_guides(steps):
    guides, voters = ["model", "program"], "independent"
    study = lived([step for step in steps if step[3] != "undo"], guides, voters)
    alone = create_study("roles", OPTIONS, voters="independent", repeats="first")
    for event in without_guides(study.log())[1:]:
        if event.kind == VOTED:
            names = [option.name for option in study.options]
            row = {"left": names[event.left], "right": names[event.right]}
            alone.add_votes([row | {"outcome": event.outcome, "voter": event.voter}])
        elif event.kind == "added":
            alone.add_option(event.body["name"])
    assert study.certificate() == alone.certificate()


@pytest.mark.slow
@given(steps=st.lists(said, max_size=40))
@quietly
def test_replay_snapshot_and_live_state_are_equal(steps):
    study = lived(steps, ["model"])
    state = study.state()
    assert study.replay() == state
    assert load_state(dump_state(state)) == state


def test_a_guides_votes_are_counted_apart():
    study = create_study("apart", OPTIONS, voters="independent")
    study.set_role("model", "guide")
    for _ in range(6):
        vote = study.tell(study.ask("model"), "left")
        assert (vote.role, vote.counted) == ("guide", False)
    study.tell(study.ask("ann"), "right")
    state, standing = study.state(), study.standing()
    assert (state.votes, state.guide_votes, int(state.guide_wins.sum())) == (1, 6, 6)
    assert standing.outcomes["left"] == 0 and standing.position.right == 1
    assert [voter.name for voter in standing.voters] == ["ann"]
    assert [vote.counted for vote in study.votes()] == 6 * [False] + [True]
    assert study.role("model") == "guide" and study.role("ann") == study.role(None) == "proof"


def test_a_guide_is_asked_every_pair_once_before_any_twice():
    study = create_study("rounds", [f"option {i}" for i in range(6)], voters="independent")
    study.set_role("model", "guide")
    study.set_role("program", "guide")
    asked = []
    for number in range(15):
        ballot = study.ask(["model", "program"][number % 2])
        asked.append(frozenset((ballot.left, ballot.right)))
        study.tell(ballot, "left")
    assert len(set(asked)) == 15
    assert len(study.ask("model", n=5)) == 5


def test_a_guide_is_dealt_no_batch():
    study = create_study("batch", OPTIONS, voters="people", batch=2)
    assert judge_study(study, {"model": _earlier}, role="guide").votes == 6


def test_a_role_is_given_before_the_first_vote_or_not_at_all():
    study = create_study("late", OPTIONS, voters="independent")
    study.tell(study.ask("ann"), "left")
    before = study.number
    with pytest.raises(AlreadyVoted, match="'ann' has voted in the role proof and keeps it"):
        study.set_role("ann", "guide")
    study.set_role("ann", "proof")  # as it is
    assert study.number == before
    study.set_role("bob", "guide")
    study.set_role("bob", "guide")
    study.set_role("bob", "proof")  # has not voted yet
    assert study.number == before + 2 and not study.state().guides
    assert (
        study.replay() == study.state() and load_state(dump_state(study.state())) == study.state()
    )


@pytest.mark.parametrize(
    ("voter", "role", "error"),
    [
        ("ann", "judge", UnknownName),
        (None, "guide", InvalidParameter),
        ("", "guide", InvalidParameter),
    ],
)
def test_what_is_no_role_or_no_voter_is_refused(voter, role, error):
    study = create_study("refused", OPTIONS, voters="independent")
    with pytest.raises(error):
        study.set_role(voter, role)
    assert study.number == 1


def test_an_algorithm_without_beliefs_takes_no_guide():
    study = create_study("plain", OPTIONS, algorithm="ccb", voters="independent")
    with pytest.raises(InvalidParameter, match="ccb cannot be guided"):
        study.set_role("model", "guide")


def test_options_added_after_a_guides_votes_begin_no_epoch():
    study = create_study("epoch", OPTIONS, voters="independent")
    study.set_role("model", "guide")
    study.tell(study.ask("model"), "left")
    study.add_option("E")
    assert study.standing().epoch == 1 and study.state().guide_wins.shape == (5, 5)
    study.tell(study.ask("ann"), "left")
    study.add_option("F")
    assert study.standing().epoch == 2


@pytest.mark.slow
def test_judges_guide_and_people_prove():
    study = create_study("judged", OPTIONS, voters="people", batch=1)
    done = judge_study(study, {"model": _earlier}, role="guide")
    assert (done.votes, done.reason) == (6, "answered") and "for people" in done.stopped
    assert study.standing().votes == 0 and study.certificate().best == ()
    for number in range(200):
        ballot = study.ask(f"person {number}")
        if ballot is None:
            break
        study.tell(ballot, min(ballot.left, ballot.right))
    standing = study.standing()
    assert study.certificate().labels[study.certificate().best[0]] == "A"
    (guide,) = standing.guides
    assert guide.agreement == 1 and guide.compared > 0 and standing.guide_votes == 6


def _earlier(left, right, item):
    return "left" if left.name < right.name else "right"


def _later(left, right, item):
    return "left" if left.name > right.name else "right"


def test_a_guide_that_may_repeat_itself_needs_a_cap():
    study = create_study("endless", OPTIONS, voters="independent")
    with pytest.raises(InvalidParameter, match="never ends"):
        judge_study(study, {"model": _earlier}, role="guide", repeat=True)
    assert study.number == 1
    assert judge_study(study, {"model": _earlier}, role="guide", repeat=True, calls=20).votes == 20


@pytest.mark.slow
def test_the_planner_begins_with_the_guides_favourite():
    study = create_study("favourite", [f"option {i}" for i in range(8)], voters="people")
    judge_study(study, {"model": _later}, role="guide")
    state = study.state()
    player = Player(state, (state.wins, state.ties))
    player.policy.ask()
    assert player.policy.recommend() == 7


def test_ballots_that_guides_hold_are_no_votes_under_way():
    study = create_study("held", ["A", "B"], voters="independent")
    study.set_role("model", "guide")
    assert study.ask("model", n=1) and study.ask("ann") is not None
    assert study.standing().open == 2


def test_imported_votes_may_be_those_of_guides(tmp_path):
    rows = [{"left": "A", "right": "B", "outcome": "left", "voter": "model"}] * 3
    study = create_study("imported", OPTIONS, voters="independent")
    taken = study.add_votes(rows, role="guide")
    assert taken == 3 and study.state().guide_votes == 3 and study.state().votes == 0
    with pytest.raises(AlreadyVoted):
        study.add_votes(rows, role="proof")
    with pytest.raises(InvalidRow, match="voter's name"):
        study.add_votes([{"left": "A", "right": "B", "outcome": "left"}], role="guide")
    with pytest.raises(UnknownName):
        study.add_votes(rows, role="leader")
    assert study.state().guide_votes == 3 and study.replay() == study.state()


@pytest.fixture
def mixed():
    study = create_study("mixed", OPTIONS, voters="people", batch=1)
    judge_study(study, {"model": _earlier}, role="guide")
    for number in range(10):
        study.tell(study.ask(f"person {number}"), "left")
    return study


def test_an_export_says_the_role_and_an_import_keeps_it(mixed, tmp_path):
    mixed.export(tmp_path / "votes.csv")
    with (tmp_path / "votes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {(row["role"], row["counted"]) for row in rows} == {
        ("guide", "False"),
        ("proof", "True"),
    }
    again = create_study("again", OPTIONS, voters="people")
    again.import_votes(tmp_path / "votes.csv")
    made, _ = create_study_from_votes("made", tmp_path / "votes.csv", voters="people")
    assert (made.state().votes, made.state().guide_votes) == (10, 6)
    ours, theirs = again.state(), mixed.state()
    assert np.array_equal(ours.wins, theirs.wins) and np.array_equal(
        ours.guide_wins, theirs.guide_wins
    )


def test_a_certificate_file_holds_where_guides_vote(mixed, tmp_path):
    _, text = certificate_to_file(mixed)
    (tmp_path / "proof.json").write_text(text)
    filed = read_certificate(tmp_path / "proof.json")
    for name in ("log.jsonl", "votes.csv"):
        mixed.export(tmp_path / name)
        assert objections_by_file(filed, tmp_path / name) == ()
    assert objections(filed, mixed) == () and filed.certificate.votes == 10


@pytest.mark.slow
def test_a_study_on_disk_knows_its_guides_after_reopening(tmp_path):
    storage = f"sqlite:///{tmp_path / 'roles.db'}"
    study = create_study("disk", OPTIONS, storage, voters="people")
    judge_study(study, {"model": _earlier}, role="guide", calls=4)
    again = open_study("disk", storage)
    assert again.state() == study.state() and again.role("model") == GUIDE
    assert judge_study(again, {"model": _earlier}).votes == 2  # a guide still
    assert again.standing().votes == 0


def test_the_history_of_the_proof_leaves_guides_out(mixed):
    rows = history_of(mixed.log())
    assert rows[-1].votes == 10 and rows[-1].best == len(mixed.certificate().best)


@pytest.mark.slow
def test_the_page_says_that_guides_prove_nothing(mixed, tmp_path):
    page = mixed.report(tmp_path / "page.html").read_text()
    assert "<h2>Guides</h2>" in page and "proves nothing" in page and "model" in page


def test_trust_follows_agreement():
    says = np.triu(np.ones((6, 6), int), 1)
    none = np.zeros((6, 6), int)
    agreeing, opposed = 30 * says, 30 * says.T
    lean = says - says.T
    assert trust_in(lean, none, none) == pytest.approx(0.4)
    assert trust_in(lean, agreeing, none) > 0.85
    assert trust_in(lean, opposed, none) == 0
    assert not hints_of(says, none, opposed, none).any()
    hints = hints_of(says, none, agreeing, none)
    assert (hints == -hints.T).all() and 0.5 < hints[0, 1] < 0.6


def test_hints_move_what_a_policy_asks_and_prove_nothing():
    policy = Policy("cpc-pac", k=5)
    lean = np.zeros((5, 5))
    lean[3, [0, 1, 2, 4]] = 0.8
    policy.hint(lean - lean.T)
    assert 3 in (policy.ask()[1:]) and not policy.state.claims.evidence.any()
    assert Policy.load(policy.dump()).recommend() == policy.recommend() == 3
    policy.grow(6)
    assert policy.ask().first == policy.recommend() == 3
    for wrong in (np.ones((6, 6)), np.ones((5, 5)), np.zeros((4, 4)), np.full((5, 5), np.nan)):
        with pytest.raises(InvalidParameter):
            policy.hint(wrong)
    with pytest.raises(CopelandError, match="hint"):
        Policy("ccb", k=5).hint(lean)


@pytest.mark.slow
def test_a_policy_dumped_before_there_were_hints_is_loaded():
    from copeland.support.npz import pack_arrays, read_arrays

    policy = Policy("cpc-pac", k=5)
    policy.add(0, 1, 0)
    arrays = read_arrays(policy.dump())
    old = pack_arrays({name: array for name, array in arrays.items() if name != "state.hints"})
    assert Policy.load(old).ask() == policy.ask()


def test_a_study_forgets_nothing_when_its_snapshot_is_of_another_version(tmp_path):
    path = tmp_path / "old.db"
    study = create_study("old", OPTIONS, f"sqlite:///{path}", voters="people")
    judge_study(study, {"model": _earlier}, role="guide")
    older = json.dumps({"format": 2})
    assert load_state(older.encode()) is None
    with sqlite3.connect(path) as connection:
        connection.execute("delete from copeland_snapshots")
    assert open_study("old", Storage(f"sqlite:///{path}")).state() == study.state()
