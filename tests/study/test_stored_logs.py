"""Logs as they were written: every kind of event, in every kind of study, byte for byte.

``stored_logs.json`` was written once. It changes only if an event is meant to say something else.
"""

import json
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from copeland.errors import StorageError
from copeland.study import Storage, create_study, open_study
from copeland.study.log import state as snapshot_state
from copeland.study.log.events import (
    KINDS,
    PRESENTED,
    Event,
    from_json,
    last_link,
    read_event,
    to_json,
)
from copeland.study.log.state import dump_state, fold_log, load_state

STORED = json.loads((Path(__file__).parent / "stored_logs.json").read_text())
NEEDED = {  # the fields without which an event of a kind says nothing
    **dict.fromkeys(("created", "presented", "edited"), "body"),
    "added": "left body",
    **dict.fromkeys(("paused", "resumed", "retired"), "left"),
    **dict.fromkeys(("closed", "reopened"), ""),
    **dict.fromkeys(("excused", "readmitted"), "voter"),
    "asked": "left right",
    "voted": "left right outcome",
    "undone": "left right outcome undoes",
    "counted": "left right outcome counts",
}
OPTIONS = ["tea", "milk", "juice"]
OUTCOMES = ("left", "left", "right", "tie", "both_bad", "skip", "error")


def answer(study, voter, n, numbers, **how):
    """Let a voter answer so many ballots, each time with the next outcome."""
    votes = []
    for _ in range(n):
        ballot = study.ask(voter, **how)
        number = next(numbers)
        outcome = OUTCOMES[number % len(OUTCOMES)]
        votes.append(study.tell(ballot, outcome, event_id=f"e{number}", source="page"))
    return votes


def vote_on_options(study, numbers):
    """Repeats, undone votes, counts, options that come and go."""
    first = answer(study, "ann", 3, numbers, item="one")
    answer(study, "ann", 3, numbers, item="two")
    answer(study, "bob", 2, numbers)
    for source in ("other", "another"):
        said = {"left": "tea", "right": "milk", "outcome": "left", "voter": "eve"}
        study.add_votes([said | {"event_id": source}], source=source)
    study.add_votes([{"winner": "tea", "loser": "juice", "n": 40, "event_id": "n"}], source="sum")
    study.undo(first[0], reason="a slip")
    study.undo_import("other")
    study.add_option("water")
    study.pause_option("milk")
    study.resume_option("milk")
    study.retire_option("juice")
    answer(study, "cat", 2, numbers)
    answer(study, None, 2, numbers)
    study.close()


def vote_of_people(study, numbers):
    """Batches, of which one is left unanswered and one vote is taken back."""
    for voter in ("ann", "bob", "cat"):
        ballots = study.ask(voter, n=2)
        for ballot in ballots[: 1 if voter == "bob" else 2]:
            number = next(numbers)
            outcome = OUTCOMES[number % len(OUTCOMES)]
            vote = study.tell(ballot, outcome, event_id=f"e{number}")
            if number == 1:
                study.undo(vote, own=True)
                study.tell(ballot, "right", event_id="again")


def vote_of_panel(study, numbers):
    """Three members, one of them excused for a while."""
    answer(study, "ann", 2, numbers)
    study.excuse("bob")
    answer(study, "cat", 1, numbers)
    study.readmit("bob")
    answer(study, "bob", 1, numbers)


def vote_on_cases(study, numbers):
    """Test cases, with a failure and an undone vote."""
    votes = [*answer(study, "gpt", 5, numbers, cases=["one", "two"])]
    study.undo(votes[0])
    answer(study, "gpt", 1, numbers, cases=["one", "two"])


def change(study, numbers):
    """Texts that are changed between votes; closing and retiring that are taken back."""
    answer(study, "ann", 2, numbers)
    study.edit_option("tea", "Steamed.", source="page")
    study.edit_page(question="Which would you drink?", source="page")
    answer(study, "ann", 1, numbers)
    study.retire_option("milk")
    study.resume_option("milk")
    study.close()
    study.reopen("too early")
    answer(study, "bob", 1, numbers)


def see_pages(study, numbers):
    """What voters see beside the options is noted, and changes between votes."""
    work = study.transactions
    for digest in ("a" * 64, "b" * 64):
        body = {"digest": digest}
        number = study.number + 1
        work.append(lambda _, n=number, b=body: [Event(n, PRESENTED, study.now(), body=b)])
        answer(study, "ann", 1, numbers)


STUDIES = {
    "changes": (change, {"repeats": "first", "voters": "independent"}),
    "options": (vote_on_options, {"repeats": "first", "voters": "independent"}),
    "people": (vote_of_people, {"voters": "people", "batch": 2}),
    "ignored": (vote_of_people, {"voters": "people", "batch": 2, "missing": "ignored"}),
    "panel": (vote_of_panel, {"panel": ["ann", "bob", "cat"]}),
    "cases": (vote_on_cases, {"voters": "judge", "cases": 2, "population": "these"}),
    "pages": (see_pages, {"voters": "independent"}),
}


def make_study(name, storage=None):
    """Return a study with its votes, whose clock goes on by a second with every look."""
    vote, settings = STUDIES[name]
    seconds = count(1_800_000_000)
    how = {"clock": lambda: float(next(seconds)), "lease": 30, "seed": 7}
    study = create_study(name, OPTIONS, storage, **how | settings)
    vote(study, count())
    return study


def describe(state):
    """Return a digest of what the state says, however it keeps that."""
    ledger, now = state.ledger, 1_800_000_020.0
    told = {
        "options": [[one.name, one.state, one.text] for one in state.options],
        "tables": [table.tolist() for table in (state.wins, state.ties, *ledger.tables(now)[:5])],
        "totals": ledger.totals(now)[:6],
        "votes": [state.votes, state.asked, sorted(state.undone), sorted(state.counted)],
        "rest": [state.epoch, sorted(state.offered.items()), state.edits, state.closed],
    }
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def store(name):
    """Return what is stored of a study."""
    study = make_study(name)
    log = study.log()
    return {
        "rows": [to_json(event) for event in log],
        "link": last_link(name, log).hex(),
        "books": describe(fold_log(log)),
    }


def test_every_kind_of_event_is_stored():
    kinds = {from_json(row).kind for one in STORED.values() for row in one["rows"]}
    assert kinds == set(KINDS)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_writes_the_rows_that_it_wrote_and_reads_them_as_they_were(name):
    assert [to_json(event) for event in make_study(name).log()] == STORED[name]["rows"]
    events = [from_json(row) for row in STORED[name]["rows"]]
    assert [to_json(event) for event in events] == STORED[name]["rows"]
    assert last_link(name, events).hex() == STORED[name]["link"]
    assert describe(fold_log(events)) == STORED[name]["books"]


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_a_snapshot_and_a_database_hold_the_same_state(name, tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    live = make_study(name, Storage(url)).state()
    again = open_study(name, url)
    assert again.misfit() is None
    restored = load_state(dump_state(live))
    assert describe(again.replay()) == describe(live) == describe(restored)


def test_a_snapshot_of_another_format_is_not_read(monkeypatch):
    live = make_study("options").state()
    monkeypatch.setattr(snapshot_state, "FORMAT", snapshot_state.FORMAT + 1)
    content = dump_state(live)
    assert load_state(content) == live
    monkeypatch.undo()
    assert load_state(content) is None


@pytest.mark.parametrize("name", STUDIES)
def test_a_row_that_lacks_a_field_is_read_and_not_taken(name):
    events = [from_json(row) for row in STORED[name]["rows"]]
    firsts = {event.kind: event for event in reversed(events)}
    for event in firsts.values():
        for field in NEEDED[event.kind].split():
            damaged = read_event(event._replace(**{field: None}))
            assert getattr(damaged, field) is None
            with pytest.raises(StorageError, match=f"event {event.number} of the log cannot"):
                fold_log([*events[: event.number - 1], damaged])


def test_an_event_at_a_time_that_no_float_holds_is_not_taken():
    first, second, *_ = [from_json(row) for row in next(iter(STORED.values()))["rows"]]
    with pytest.raises(StorageError, match=f"event {second.number} of the log cannot"):
        fold_log([first, second._replace(time=10**400)])


if __name__ == "__main__":  # writes them anew
    path = Path(__file__).parent / "stored_logs.json"
    path.write_text(json.dumps({name: store(name) for name in STUDIES}, indent=1) + "\n")
