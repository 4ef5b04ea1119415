"""What every storage promises, in memory, in SQLite and in PostgreSQL. All other tests may rely on it, and use one."""

import threading
from collections import Counter

import numpy as np
import pytest
from back_ends import every_storage
from study_helpers import OPTIONS, Clock, again, row

from copeland.errors import AlreadyVoted, Conflict, StudyExists, UnknownStudy
from copeland.study import OUTCOMES, Ballot, Storage, create_study, open_study, session
from copeland.study.log.event_log import OPINIONS
from copeland.study.log.events import (
    ASKED,
    COUNTED,
    CREATED,
    UNDONE,
    VOTED,
    Event,
    first_link,
    next_link,
    times_of,
)

pytestmark = every_storage

FIRST = Event(1, CREATED, 0.5, body={"settings": {}, "options": [{"name": "tea"}]})
VOTE = Event(2, VOTED, 1.25, "id-1", None, "ann", 0, 1, "left", "item", "source", 7, 8, {"a": [1]})
ODD = Event(
    *(3, VOTED, 1794726967.1234567, "%s ' \"\\\n", 2**62, "Zoë \U0001f375", 2**31 - 1, 0, "tie"),
    *("", "None", 2**62, 2**62, {"times": 2**53, "Zoë": [None, 0.1, {}], "\U0001f375": ""}, 2**62),
)


def append(storage, key, *new):
    storage.write(key, lambda log: log.append(new))


# Events


@pytest.mark.slow
def test_events_come_back_as_they_were_written_from_any_number(storage):
    key = storage.create("tea", FIRST)
    append(storage, key, VOTE, ODD)
    assert storage.read(key, lambda log: list(log.replay())) == [FIRST, VOTE, ODD]
    assert storage.read(key, lambda log: [e.number for e in log.after(2)]) == [3]


def test_more_events_than_are_fetched_at_a_time_come_back_in_order(storage, monkeypatch):
    monkeypatch.setattr("copeland.study.log.event_log.PIECE", 3)
    key = storage.create("tea", FIRST)
    append(storage, key, *(Event(n, ASKED, 0.0) for n in range(2, 12)))
    assert storage.read(key, lambda log: [e.number for e in log.replay()]) == list(range(1, 12))


def test_a_failed_transaction_leaves_nothing(storage):
    key = storage.create("tea", FIRST)

    def fail(log):
        log.append([VOTE])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        storage.write(key, fail)
    assert storage.read(key, lambda log: log.event(2)) is None


def test_a_vote_is_found_in_its_own_study_and_an_unknown_study_by_the_nearest_name(storage):
    one, other = storage.create("tea", FIRST), storage.create("milk", FIRST)
    append(storage, one, VOTE)
    assert storage.read(one, lambda log: log.vote("id-1")) == VOTE
    assert storage.read(other, lambda log: log.vote("id-1")) is None
    storage.create("teapot", FIRST)
    with pytest.raises(UnknownStudy, match=r"no study 'teapt' .*; did you mean 'teapot'"):
        storage.key("teapt")


def test_a_study_is_found_by_its_one_name(storage):
    with pytest.raises(UnknownStudy, match="there are none yet"):
        storage.key("tea")
    key = storage.create("tea", FIRST)
    assert storage.key("tea") == key
    storage.create("milk", FIRST)
    with pytest.raises(StudyExists, match=r"there is a study 'tea' in .* already"):
        storage.create("tea", FIRST)
    assert storage.names() == ["tea", "milk"]


@pytest.mark.slow
def test_only_the_latest_snapshot_is_kept(storage):
    key = storage.create("tea", FIRST)
    append(storage, key, *(Event(n, ASKED, 0.0) for n in range(2, 10)))
    for number in (5, 9, 7):
        storage.write(key, lambda log, n=number: log.save_snapshot(n, bytes([n])))
    assert storage.read(key, lambda log: log.snapshot()) == (9, b"\x09")


def test_a_forgotten_snapshot_is_gone(storage):
    key = storage.create("tea", FIRST)
    storage.write(key, lambda log: log.save_snapshot(1, b"\0\xff"))
    assert storage.read(key, lambda log: log.snapshot()) == (1, b"\0\xff")
    storage.write(key, lambda log: log.forget_snapshot())
    assert storage.read(key, lambda log: log.snapshot()) is None


def test_writers_of_one_study_take_turns(storage):
    """Each thread reads the length of the log and appends the next event: none may be lost."""
    key = storage.create("tea", FIRST)

    def grow():
        for _ in range(10):
            storage.write(
                key, lambda log: log.append([Event(len(list(log.after(0))) + 1, ASKED, 0.0)])
            )

    threads = [threading.Thread(target=grow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert storage.read(key, lambda log: [e.number for e in log.after(0)]) == list(range(1, 42))


# Lookups


def make_log():
    """Return events of all the kinds that are looked up, in any order, as no study would write them."""
    rng = np.random.default_rng(7)
    log = [FIRST]
    for number in range(2, 202):
        votes = [event for event in log if event.kind == VOTED]
        kind = str(rng.choice([ASKED, VOTED, UNDONE, COUNTED] if votes else [ASKED, VOTED]))
        if kind in (UNDONE, COUNTED):
            vote = votes[rng.integers(len(votes))]
            body = (vote.body, {"import": "a.csv"}, {"reason": "import"})[rng.integers(3)]
            what = {"undoes": vote.number} if kind == UNDONE else {"counts": vote.number}
            changed = {"number": number, "kind": kind, "event_id": None, "body": body}
            log.append(vote._replace(**changed, **what, repeats=None))
            continue
        left, right = map(int, rng.permutation(3)[:2])
        who = {"voter": (None, "ann", "Ann", "Zoë \U0001f375")[rng.integers(4)]}
        who["item"] = (None, "soup")[rng.integers(2)]
        told = {}
        if kind == VOTED:
            told = {"outcome": OUTCOMES[rng.integers(len(OUTCOMES))]}
            told["event_id"] = (None, f"e{number}")[rng.integers(2)]
            told["ballot"] = (None, 2, 3)[rng.integers(3)]
            told["source"] = (None, "a.csv", "b.csv")[rng.integers(3)]
            told["repeats"] = (None, 2)[rng.integers(2)]
            told["body"] = (None, {"times": 3}, {"sides": False})[rng.integers(3)]
        log.append(Event(number, kind, number / 8, left=left, right=right, **who, **told))
    return log


LOG = make_log()
SUBJECTS = [("ann", frozenset((0, 1))), ("Ann", frozenset((1, 2))), ("nobody", frozenset((0, 1)))]


def signed(event):
    return -times_of(event) if event.kind == UNDONE else times_of(event)


def is_opinion(event, voter, pair):
    of_voter = voter is None or event.voter == voter
    is_told = event.kind == VOTED and event.outcome in OPINIONS
    return of_voter and is_told and {event.left, event.right} == set(pair)


def pairs_of(voter):
    """The plain search for pairs on which an opinion of a voter stands."""
    net = Counter()
    for e in LOG:
        if e.kind in (VOTED, UNDONE, COUNTED) and e.repeats is None and e.outcome in OPINIONS:
            net[e.left, e.right, e.item] += signed(e) if e.voter == voter else 0
    return Counter((frozenset((i, j)), item) for (i, j, item), times in net.items() if times)


def tally():
    """The plain count of votes."""
    net = Counter()
    for e in LOG:
        if e.kind in (VOTED, UNDONE):
            net[e.voter, e.left, e.right, e.outcome] += signed(e)
    return sorted(repr((*said, times)) for said, times in net.items())


def links():
    link = first_link("tea")
    return [(event, link := next_link(link, event)) for event in LOG]


# What a log is asked, and a plain search for the same.
LOOKUPS = {
    "after": (lambda log: list(log.after(150)), lambda: LOG[150:]),
    "replay": (lambda log: list(log.replay(150)), lambda: LOG[150:]),
    "some": (lambda log: log.some(20, 5), lambda: LOG[20:25]),
    "linked": (lambda log: list(log.read_links()), links),
    "event": (lambda log: [log.event(n) for n in (1, 9, 999)], lambda: [LOG[0], LOG[8], None]),
    "vote": (
        lambda log: [log.vote(f"e{n}") for n in range(1, 203)],
        lambda: [next((e for e in LOG if e.event_id == f"e{n}"), None) for n in range(1, 203)],
    ),
    "known": (
        lambda log: log.find_votes([f"e{n}" for n in range(100)]),
        lambda: {e.event_id: e for e in LOG[:99] if e.event_id},
    ),
    "answers": (lambda log: list(log.answers(3)), lambda: [e for e in LOG if e.ballot == 3]),
    "answers_of": (
        lambda log: list(log.answers_of("ann", 40)),
        lambda: [e for e in LOG[40:] if e.voter == "ann" and e.outcome],
    ),
    "opinions": (
        lambda log: list(log.opinions("ann", 1, 0)),
        lambda: [e for e in LOG if is_opinion(e, "ann", (0, 1))],
    ),
    "opinions of all": (
        lambda log: list(log.opinions(None, 1, 2)),
        lambda: [e for e in LOG if is_opinion(e, None, (1, 2))],
    ),
    "opinions_on": (
        lambda log: log.opinions_on(SUBJECTS),
        lambda: {s: [e for e in LOG if is_opinion(e, *s)] for s in SUBJECTS},
    ),
    "visitors": (
        lambda log: log.visitors(["ann", "Zoë \U0001f375", "nobody"]),
        lambda: {"ann", "Zoë \U0001f375"},
    ),
    "pairs_of": (lambda log: Counter(log.pairs_of("ann")), lambda: pairs_of("ann")),
    "asked_of": (
        lambda log: log.ballots_of("ann"),
        lambda: [e for e in LOG if e.voter == "ann" and e.kind == ASKED],
    ),
    "asked_of, the latest": (
        lambda log: log.ballots_of("Ann", 2),
        lambda: [e for e in LOG if e.voter == "Ann" and e.kind == ASKED][-2:],
    ),
    "votes_of": (
        lambda log: log.votes_of("Zoë \U0001f375"),
        lambda: [e for e in LOG if e.voter == "Zoë \U0001f375" and e.kind == VOTED],
    ),
    "tally": (lambda log: sorted(repr(tuple(said)) for said in log.tally()), tally),
    "votes": (lambda log: list(log.votes()), lambda: [e for e in LOG if e.kind == VOTED]),
    "imported": (
        lambda log: list(log.read_import("a.csv")),
        lambda: [e for e in LOG if e.kind == VOTED and e.source == "a.csv" and e.ballot is None],
    ),
    "sources": (lambda log: sorted(log.sources()), lambda: ["a.csv", "b.csv"]),
    "withdrawn": (
        lambda log: log.find_withdrawals(),
        lambda: {e.undoes for e in LOG if e.kind == UNDONE and "import" in (e.body or {})},
    ),
}


@pytest.fixture
def key(storage):
    """A study with these events, beside another one with the same."""
    other, key = storage.create("milk", FIRST), storage.create("tea", FIRST)
    append(storage, other, *LOG[1:])
    append(storage, key, *LOG[1:])
    return key


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup_finds_what_a_plain_search_finds(storage, key, name):
    look, search = LOOKUPS[name]
    assert storage.read(key, look) == search()
    assert search()


# Studies


def test_a_study_opens_as_it_was_left(study):
    study.tell(study.ask(), "left")
    assert again(study).state() == study.state()


@pytest.mark.slow
def test_a_snapshot_is_only_a_cache(study, monkeypatch):
    monkeypatch.setattr(session, "SNAPSHOT_EVERY", 5)
    votes = [study.tell(study.ask(), outcome) for outcome in OUTCOMES * 2]
    study.undo(votes[0])
    with_snapshot = again(study)
    assert with_snapshot._work._snapshot > 0
    study.forget_snapshot()
    monkeypatch.setattr(session, "SNAPSHOT_EVERY", 10**9)
    without = again(study)
    assert without._work._snapshot == 0
    assert with_snapshot.state() == without.state() == study.replay()


@pytest.mark.parametrize("content", [b"", b"damaged", b"PK\x03\x04 cut"])
def test_a_damaged_snapshot_is_ignored(study, content):
    study.tell(study.ask(), "left")
    study.storage.write(study._key, lambda log: log.save_snapshot(3, content))
    assert again(study).state() == study.state()


def test_several_see_what_each_other_did(study):
    other = again(study)
    ballot = study.ask()
    other.tell(ballot, "left", event_id="a")
    with pytest.raises(AlreadyVoted):
        study.tell(ballot, "right")
    other.add_option("wine")
    other.undo("a")
    assert study.state() == other.state()
    assert study.ask() is not None


@pytest.mark.slow
def test_threads_can_share_a_study(study):
    def vote():
        for _ in range(8):
            study.tell(study.ask(), "tie")

    threads = [threading.Thread(target=vote) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.standing().votes == 32
    assert study.replay() == study.state()


def live(study, file):
    """Have a study asked, told, put right, filled from a file, and changed; refuse what it must."""
    for n, outcome in enumerate(OUTCOMES * 4):
        ballot = study.ask(voter=("ann", "Zoë")[n % 2], item=(None, "soup")[n % 4 // 2])
        if isinstance(ballot, Ballot):
            study.tell(ballot, outcome, event_id=f"e{n}")
    study.undo("e0")
    with pytest.raises(AlreadyVoted):
        study.tell(study.votes()[1].ballot, "left", event_id="new")
    assert study.import_votes(file) == 4
    with pytest.raises(Conflict):
        study.add_votes([row("tie"), row("right", "eve", event_id="id")])
    assert study.import_votes(file).known == 4
    assert study.undo_import(file.name) == 4
    assert study.import_votes(file) == 4
    study.pause_option("water")
    study.add_option("wine")
    study.tell(again(study).ask(voter="bob"), "tie", event_id="last")
    with pytest.raises(StudyExists):
        create_study(study.name, OPTIONS, study.storage)
    study.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        {"voters": "independent"},
        {"voters": "independent", "repeats": "first"},
        {"voters": "people"},
    ],
    ids=["independent", "first", "people"],
)
def test_a_study_is_the_same_wherever_it_is_kept(storage, how, tmp_path):
    file = tmp_path / "votes.csv"
    lines = ["tea,milk,left,dan,id", "milk,tea,tie,dan,", "tea,juice,right,,", "tea,milk,skip,eve,"]
    file.write_text("\n".join(["left,right,outcome,voter,event_id", *lines]))
    seen = []
    for number, kept in enumerate((Storage("memory"), storage)):
        study = create_study("drinks", OPTIONS, kept, clock=Clock(), lease=60, **how)
        live(study, file)
        for name in ("votes.csv", "log.jsonl"):
            study.export(tmp_path / f"{number}-{name}")
        opened = open_study("drinks", kept, clock=Clock())
        assert opened.state() == study.state() == study.replay()
        links = kept.read(study._key, lambda log: list(log.read_links()))
        seen.append((links, study.votes(), repr(study.standing()), study.certificate()))
    assert seen[0] == seen[1]
    for name in ("votes.csv", "log.jsonl"):
        assert (tmp_path / f"0-{name}").read_bytes() == (tmp_path / f"1-{name}").read_bytes()
