"""What was changed behind a study's back is found: in the log, in a certificate file, in a snapshot."""

import json
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland.errors import InvalidParameter, StorageError
from copeland.study import create_study, open_study, session
from copeland.study.log.events import (
    CREATED,
    VOTED,
    Event,
    Misfit,
    first_link,
    last_link,
    misfit_of,
    next_link,
)
from copeland.study.log.state import StudyState, dump_state, load_state
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    objections_by_file,
    read_certificate,
)
from copeland.study.results.notes import ANYBODY

LOG = [Event(1, CREATED, 0.0, body={"a": 1}), *(Event(n, VOTED, n / 2) for n in range(2, 6))]


def linked(log, study="tea"):
    link, found = first_link(study), []
    for event in log:
        link = next_link(link, event)
        found.append((event, link))
    return found


def test_a_chain_fits_the_log_it_was_made_of():
    assert misfit_of("tea", linked(LOG)) is None
    assert misfit_of("tea", []) is None
    assert linked(LOG)[-1][1] == last_link("tea", LOG)


@pytest.mark.parametrize("i", range(5))
def test_the_event_that_was_changed_is_named(i):
    chain = linked(LOG)
    chain[i] = (chain[i][0]._replace(item="x"), chain[i][1])
    assert misfit_of("tea", chain) == Misfit(i + 1)
    assert str(misfit_of("tea", chain)) == f"event {i + 1} of the log is not as it was written."


def test_events_removed_or_swapped_and_another_study_do_not_fit():
    chain = linked(LOG)
    assert misfit_of("tea", chain[:2] + chain[3:]) == Misfit(3)
    assert misfit_of("tea", [*chain[:2], chain[3], chain[2], chain[4]]) == Misfit(3)
    assert misfit_of("milk", chain) == Misfit(1)


# A study with a certificate, and every way to change it


@pytest.fixture
def filed(tmp_path):
    """A study of some of everything, the file of its certificate, and its database."""
    address = f"sqlite:///{tmp_path / 'votes.db'}"
    study = create_study(
        "drinks", ["tea", "milk", "wine"], address, repeats="first", delta=0.2, voters="independent"
    )
    rows = {"left": "tea", "right": "milk", "outcome": "left"}
    study.add_votes([rows | {"voter": f"v{i}", "event_id": f"e{i}"} for i in range(9)], "a file")
    study.tell(study.ask("ann", item="x"), "tie", event_id="a")
    study.undo("e3")
    study.pause_option("wine")
    file = tmp_path / "c.json"
    file.write_text(certificate_to_file(study)[1])
    study.resume_option("wine")
    study.storage.dispose()
    return study, file, tmp_path / "votes.db"


def test_a_certificate_holds_when_votes_are_undone_and_the_study_grows_and_closes(filed):
    study, file, _ = filed
    for vote in ("e1", "a"):
        study.undo(vote)
    study.add_votes([{"left": "milk", "right": "tea", "outcome": "left", "voter": "v2"}] * 3)
    study.undo("e2")  # so that a repeat counts
    study.add_option("beer")
    study.retire_option("tea")
    study.close()
    assert objections(read_certificate(file), study) == ()
    log = file.with_name("log.jsonl")
    study.export(log)
    assert objections_by_file(read_certificate(file), log) == ()


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize(
    "column",
    [
        *("kind", "time", "event_id", "ballot", "voter", "left", "right", "outcome", "item"),
        *("source", "repeats", "undoes", "body", "counts", "link"),
    ],
)
def test_any_change_of_any_event_is_found_and_named(filed, column):
    """Also where the event means the same to the counts, and where it came after the certificate."""
    _, file, path = filed
    value = {"kind": "asked", "time": 1.5, "outcome": "skip", "link": b"x", "body": '{"x": 1}'}
    with sqlite3.connect(path) as base:
        rows = base.execute(f'SELECT number, "{column}" FROM copeland_events').fetchall()
    base.close()
    for number, before in rows:
        new = value.get(column, 2 if column in ("left", "right", "ballot") else "7")
        if new == before:
            continue
        change(path, column, number, new)
        try:
            found = objections(read_certificate(file), open_study("drinks", f"sqlite:///{path}"))
            assert f"event {number} of the log is not as it was written." in found
        except StorageError as error:  # not even to be opened
            assert f"event {number} of the log cannot be read" in str(error)
        change(path, column, number, before)
    assert objections(read_certificate(file), open_study("drinks", f"sqlite:///{path}")) == ()


def change(path, column, number, value):
    with sqlite3.connect(path) as base:
        query = f'UPDATE copeland_events SET "{column}" = ? WHERE number = ?'
        assert base.execute(query, (value, number)).rowcount == 1
    base.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE copeland_events SET body = 'no JSON' WHERE number = 1",
        "UPDATE copeland_events SET body = '{}' WHERE number = 1",
        "UPDATE copeland_events SET kind = 'lost' WHERE number = 5",
        "UPDATE copeland_events SET outcome = 'lost' WHERE number = 5",
        'UPDATE copeland_events SET "left" = 99 WHERE number = 5',
        "UPDATE copeland_events SET time = 'soon' WHERE number = 11",
    ],
)
def test_a_log_that_cannot_be_read_is_a_sentence(filed, damage):
    _, _, path = filed
    with sqlite3.connect(path) as base:
        base.execute(damage)
    base.close()
    with pytest.raises(StorageError, match=r"event .*cannot be read"):
        open_study("drinks", f"sqlite:///{path}")


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_vote_put_in_is_found_also_after_the_study_goes_on(filed, goes_on):
    _, file, path = filed
    with sqlite3.connect(path) as base:
        (last,) = base.execute("SELECT max(number) FROM copeland_events").fetchone()
        base.execute(
            "INSERT INTO copeland_events (study, number, kind, time, event_id, voter, left, right, outcome, link) "
            f"VALUES (1, {last + 1}, 'voted', 1.5, 'mine', 'eve', 0, 1, 'right', x'00')"
        )
    base.close()
    study = open_study("drinks", f"sqlite:///{path}")
    if goes_on:
        study.tell(study.ask("bob"), "tie")
        study.close()
    found = objections(read_certificate(file), study)
    study.storage.dispose()
    assert found == (f"event {last + 1} of the log is not as it was written.",)


def test_a_log_whose_chain_was_made_anew_is_found_by_the_certificate(filed):
    """Whoever changes an event and all links after it leaves nothing but the certificate to tell."""
    study, file, path = filed
    log = study.log()
    log[4] = log[4]._replace(source="x")
    study.storage.dispose()
    with sqlite3.connect(path) as base:
        base.execute("UPDATE copeland_events SET source = 'x' WHERE number = 5")
        for event, link in linked(log, "drinks"):
            base.execute(
                "UPDATE copeland_events SET link = ? WHERE number = ?", (link, event.number)
            )
    base.close()
    again = open_study("drinks", f"sqlite:///{path}")
    assert again.misfit() is None
    (objection,) = objections(read_certificate(file), again)
    assert "it was issued on another log: its first 14 events had the digest" in objection


@pytest.mark.slow
def test_any_change_of_a_file_is_found(filed):
    study, file, _ = filed
    content = json.loads(file.read_text())
    assert {"study", "events", "time", "delta", "margin", "epoch", "assumptions"} <= set(content)
    for key, value in content.items():
        file.write_text(json.dumps(content | {key: other_than(value)}))
        try:
            found = objections(read_certificate(file), study)
        except InvalidParameter:
            continue  # no certificate at all
        assert found, key


@pytest.mark.slow
def test_a_change_of_a_file_that_was_sealed_anew_is_found(filed):
    """Everything in the file follows from the log, so a seal that fits does not help."""
    from copeland.study.results.certificate_file import seal_of

    study, file, _ = filed
    content = json.loads(file.read_text())
    for key, value in content.items():
        if key == "seal":
            continue
        changed = content | {key: other_than(value)}
        file.write_text(json.dumps(changed | {"seal": seal_of(changed)}))
        try:
            found = objections(read_certificate(file), study)
        except InvalidParameter:
            continue
        assert found and "seal" not in found[0], key


UNDONE = "Undone, and not counted: 1 vote (no reason told: 1)."
CAME = "Answers came by open links (2), from judges (1) and from elsewhere (8)."


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("audited_by", "the city", "it says 'audited_by', which no certificate says."),
        ("notes", [UNDONE, "An audit found no fault."], "a note that does not follow from the log"),
        ("notes", [UNDONE, CAME], "its note on how answers came does not fit"),
        ("notes", [UNDONE, "Answers came from elsewhere (9)."], "does not fit the log"),
        ("notes", UNDONE, "its notes are no list"),
    ],
)
def test_what_is_added_to_a_file_that_is_sealed_anew_is_found(filed, key, value, said):
    from copeland.study.results.certificate_file import seal_of

    study, file, _ = filed
    content = json.loads(file.read_text()) | {key: value}
    file.write_text(json.dumps(content | {"seal": seal_of(content)}))
    found = objections(read_certificate(file), study)
    assert any(said in objection for objection in found), found


def test_notes_on_how_answers_came_hold_if_the_log_agrees(filed):
    study, file, _ = filed
    study.tell(study.ask("bob"), "tie", source="link 12345678")
    study.tell(study.ask("eve"), "tie", source="key 7f1c")
    for links in ("by open links (1)", "by personal links (1)"):
        notes = [f"Answers came {links}, from programs with a key (1) and from elsewhere (10)."]
        notes += [ANYBODY] if "open" in links else []
        file.write_text(certificate_to_file(study, notes=notes)[1])
        assert objections(read_certificate(file), study) == ()
        file.write_text(certificate_to_file(study, notes=[notes[0].replace("1)", "2)")])[1])
        assert objections(read_certificate(file), study) != ()


def other_than(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2 + 0.01
    if isinstance(value, str):
        return value.replace(value[-1], "0") + "1"
    return [1] if value is None else value[:-1] or [[0, 1]]


def test_a_file_that_is_not_tidy_or_of_another_format_is_refused(filed):
    _, file, _ = filed
    text = file.read_text()
    file.write_text(text.replace("{", '{"delta": 0.5,', 1))
    with pytest.raises(InvalidParameter, match="'delta' twice"):
        read_certificate(file)
    file.write_text(text.replace('"format": 1', '"format": 4'))
    with pytest.raises(InvalidParameter, match="has format 4; this version reads format 1"):
        read_certificate(file)


# Snapshots


@pytest.fixture
def kept(monkeypatch, filed):
    """A study with a snapshot, and the bytes of it."""
    study, _, path = filed
    monkeypatch.setattr(session, "SNAPSHOT_EVERY", 5)
    study.tell(study.ask(), "left")
    study.storage.dispose()
    with sqlite3.connect(path) as base:
        number, content = base.execute("SELECT number, content FROM copeland_snapshots").fetchone()
    base.close()
    monkeypatch.setattr(session, "SNAPSHOT_EVERY", 10**9)  # the damaged one is not replaced
    return path, number, content


def opened_with(path, content, number):
    with sqlite3.connect(path) as base:
        base.execute("UPDATE copeland_snapshots SET content = ?, number = ?", (content, number))
    base.close()
    study = open_study("drinks", f"sqlite:///{path}")
    study.storage.dispose()
    return study


@pytest.mark.slow
def test_a_snapshot_is_used_and_a_damaged_one_never(kept):
    path, number, content = kept
    assert opened_with(path, content, number)._work._snapshot == number
    rng = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(content)
        for at in rng.integers(0, len(content), rng.integers(1, 4)):
            damaged[at] ^= int(rng.integers(1, 256))
        damaged = bytes(
            damaged[: int(rng.integers(0, len(content)))] if rng.random() < 0.3 else damaged
        )
        study = opened_with(path, damaged, number)
        assert study._work._snapshot == 0
        assert study.state() == study.replay()
        study.storage.dispose()


@pytest.mark.slow
def test_a_snapshot_of_other_events_is_dropped(kept, tmp_path):
    path, number, content = kept
    for wrong in (number - 1, number + 1, 10**6, 0):
        assert opened_with(path, content, wrong)._work._snapshot == 0
    other = create_study(
        "drinks", ["rum", "gin"], f"sqlite:///{tmp_path / 'other.db'}", voters="independent"
    )
    for _ in range(number):
        other.ask()
    other.storage.write(other._key, lambda log: log.save_snapshot(number, b"x"))
    other.storage.dispose()
    foreign = opened_with(tmp_path / "other.db", content, number)
    assert foreign._work._snapshot == 0
    assert [option.name for option in foreign.options] == ["rum", "gin"]


@pytest.mark.slow
@given(st.data())
def test_damaged_bytes_are_no_state_and_no_traceback(data):
    content = SNAPSHOT
    start = data.draw(st.integers(0, len(content)))
    new = data.draw(st.binary(max_size=8))
    damaged = content[:start] + new + content[start + data.draw(st.integers(0, 8)) :]
    assert load_state(damaged) is None or isinstance(load_state(damaged), StudyState)


SNAPSHOT = dump_state(
    StudyState(
        Event(
            1,
            CREATED,
            0.0,
            body=create_study("x", ["a", "b", "c"], voters="independent").log()[0].body,
        )
    )
)
