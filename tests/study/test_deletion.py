"""A deleted study leaves nothing behind, and everything else alone."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from back_ends import every_storage

from copeland.errors import UnknownStudy
from copeland.study import Storage, create_study, delete_study, open_study
from copeland.study.log.schema import (
    checks,
    ideas,
    keys,
    links,
    media,
    metadata,
    outputs,
    pages,
    panes,
    snapshots,
)

MARK = "XQ7-unmistakable"


def fill(storage, name, mark, shared="both"):
    """Put a row of a study into every table."""
    study = create_study(name, {f"a{mark}": f"text {mark}", "b": ""}, storage, voters="people")
    for ballot in study.ask(f"voter {mark}", n=4):
        study.tell(ballot, "left", source=f"link {mark}")
    key = storage.key(name)
    image = {"kind": "image/webp", "width": 1, "height": 1}
    link = {"nonce": mark, "hash": f"l{mark}", "label": mark, "created": 0.0, "revoked": False}
    rows = {
        snapshots: {"number": 1, "content": mark.encode()},
        pages: {"slug": mark, "body": {"question": mark}},
        outputs: {"digest": mark, "option": "b", "item": mark, "text": mark},
        links: link,
        keys: {**link, "client": mark, "scopes": "ask"},
        checks: {"voter": mark, "kind": "known", "time": 0.0, "body": {"index": 0}},
        ideas: {"voter": mark, "text": mark, "time": 0.0, "state": "waiting"},
    }
    del rows[keys]["nonce"]

    def work(connection):
        connection.execute(
            sa.insert(media), {"digest": mark, "content": f"image {mark}".encode(), **image}
        )
        if not connection.execute(sa.select(media).where(media.c.digest == shared)).first():
            connection.execute(sa.insert(media), {"digest": shared, "content": b"shared", **image})
        for table, row in rows.items():
            connection.execute(sa.insert(table), {"study": key, **row})
        for option, digest in ((mark, mark), ("b", shared)):
            row = {"study": key, "option": option, "media": digest, "alt": mark}
            connection.execute(sa.insert(panes), row)

    storage.transact(work)
    return study


def rows_of(storage):
    """Every row of every table, by table."""

    def read(connection):
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in metadata.sorted_tables
        }

    return storage.transact(read, reads=True)


def test_every_table_is_covered():
    """A table that a later version adds must be filled here, too."""
    assert {table.name for table in metadata.sorted_tables} == {
        *("copeland_version", "copeland_studies", "copeland_events", "copeland_snapshots"),
        *("copeland_server", "copeland_pages", "copeland_media", "copeland_panes"),
        *("copeland_outputs", "copeland_links", "copeland_keys", "copeland_sessions"),
        *("copeland_checks", "copeland_ideas"),
    }


@pytest.mark.slow
@every_storage
def test_no_row_is_left_and_no_other_is_touched(storage):
    fill(storage, "other", "kept")
    before = rows_of(storage)
    fill(storage, "tea", MARK)
    delete_study("tea", storage)
    after = rows_of(storage)
    [note] = set(after["copeland_server"]) - set(before["copeland_server"])
    assert "last deleted study" in note and MARK not in note
    after["copeland_server"].remove(note)
    assert after == before


@pytest.mark.slow
def test_no_byte_is_left_in_the_file(tmp_path):
    storage = Storage(f"sqlite:///{tmp_path}/s.db")
    fill(storage, "other", "kept")
    fill(storage, "tea", MARK)

    def content():
        return b"".join(path.read_bytes() for path in Path(tmp_path).iterdir())

    assert content().count(MARK.encode()) > 10
    delete_study("tea", storage)
    assert MARK.encode() not in content() and b"kept" in content()
    assert open_study("other", storage).misfit() is None


@every_storage
def test_a_study_that_was_deleted_is_not_taken_for_a_new_one(storage):
    """Another process still has the old study open, while a new one gets its name."""
    old = create_study("tea", ["green", "black"], storage)
    ballot = old.ask("ann")
    delete_study("tea", storage)
    new = create_study("tea", ["oolong", "white"], storage)
    assert new._key != old._key
    with pytest.raises(UnknownStudy, match="was deleted"):
        old.tell(ballot, "left")
    with pytest.raises(UnknownStudy, match="deleted"):
        old.ask("ben")
    assert [event.kind for event in new.log()] == ["created"]
    assert storage.names() == ["tea"]


def test_an_unknown_study_is_refused():
    storage = create_study("tea", ["green", "black"]).storage
    with pytest.raises(UnknownStudy, match="did you mean 'tea'"):
        delete_study("te", storage)
