"""Addresses, files, servers and their troubles; what every storage promises is in test_storage_contract.py."""

import os
import sqlite3
import threading
import time
import traceback
from multiprocessing import get_context

import psycopg
import pytest
from sqlalchemy import text

from copeland.errors import MissingExtra, StorageError
from copeland.study import Storage, create_study
from copeland.study.log import storage as storage_module
from copeland.study.log.events import ASKED, CREATED, VOTED, Event
from copeland.study.log.schema import SCHEMA

FIRST = Event(1, CREATED, 0.5, body={"settings": {}, "options": [{"name": "tea"}]})
VOTE = Event(2, VOTED, 1.25, "id-1", None, "ann", 0, 1, "left", "item", "source", 7, 8, {"a": [1]})


def append(storage, key, *new):
    storage.write(key, lambda log: log.append(new))


OTHER_SCHEMAS = {
    "schema 99": ["UPDATE copeland_version SET number = 99"],
    "schema 0007": [
        "DROP TABLE copeland_version",
        "CREATE TABLE copeland_version (version_num VARCHAR(32))",
        "INSERT INTO copeland_version VALUES ('0007')",
    ],
    "no schema number": ["DROP TABLE copeland_version"],
}


@pytest.mark.slow
@pytest.mark.parametrize("made", OTHER_SCHEMAS)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_database_of_another_schema_is_refused_and_left_alone(kind, made, tmp_path, request):
    address = f"sqlite:///{tmp_path / 'votes.db'}"
    if kind == "postgres":
        address = request.getfixturevalue("postgres_url")
    kept = Storage(address)
    with kept._engine.begin() as connection:
        for statement in OTHER_SCHEMAS[made]:
            connection.execute(text(statement))
    for create in (True, False):
        with pytest.raises(StorageError, match=f"have {made}, and .* reads schema {SCHEMA}; open"):
            Storage(address, create)
    kept.dispose()


@pytest.mark.slow
def test_tables_of_others_in_the_same_database_are_left_alone(postgres_url):
    kept = Storage(postgres_url)
    with kept._engine.begin() as connection:
        connection.execute(text("CREATE TABLE schema_version (version_num text)"))
        connection.execute(text("INSERT INTO schema_version VALUES ('theirs')"))
    kept.dispose()
    Storage(postgres_url).create("tea", FIRST)


@pytest.mark.slow
def test_connections_that_a_server_has_closed_are_opened_anew(postgres_url):
    kept = Storage(postgres_url)
    key = kept.create("tea", FIRST)
    with psycopg.connect(postgres_url, autocommit=True) as other:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        other.execute(others)
    append(kept, key, VOTE)
    assert kept.read(key, lambda log: log.event(2)) == VOTE
    kept.dispose()


def test_an_unreachable_server_is_named_without_the_password():
    with pytest.raises(StorageError) as caught:
        Storage("postgresql://ann:secret@127.0.0.1:1/votes")
    assert "127.0.0.1:1/votes does not answer" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("address", ["votes.db", "nonsense://x", "mysql://h/d", ""])
def test_an_address_that_is_none_is_answered_with_those_that_are(address):
    with pytest.raises(StorageError, match=r"sqlite:///file.db, postgresql://"):
        Storage(address)


def test_a_missing_driver_names_its_extra(monkeypatch):
    def missing(*_args, **_how):
        raise ModuleNotFoundError(name="psycopg")

    monkeypatch.setattr(storage_module.sa, "create_engine", missing)
    with pytest.raises(MissingExtra, match=r"needs psycopg: pip install 'copeland\[postgres\]'"):
        Storage("postgresql://h/d")


def test_a_file_that_is_not_there_or_holds_no_studies_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(StorageError, match="there is no file"):
        Storage(f"sqlite:///{tmp_path / 'votes.db'}", create=False)
    assert os.listdir(tmp_path) == []
    with pytest.raises(StorageError, match="cannot be used: unable to open database file"):
        Storage(f"sqlite:///{tmp_path / 'nowhere' / 'votes.db'}")
    (tmp_path / "votes.db").write_text("name,text\n" * 100)
    with pytest.raises(StorageError, match="cannot be used: file is not a database"):
        Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(StorageError, match="holds no studies"):
        Storage(f"sqlite:///{tmp_path / 'empty.db'}", create=False)


def test_a_lock_that_stays_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(storage_module, "PATIENCE", 0.05)
    monkeypatch.setattr(storage_module, "ATTEMPTS", 2)
    kept = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    key = kept.create("tea", FIRST)
    other = sqlite3.connect(tmp_path / "votes.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="stayed locked by another program"):
        append(kept, key, VOTE)
    assert kept.read(key, lambda log: log.event(2)) is None  # readers are not kept waiting
    other.close()
    kept.dispose()


@pytest.mark.parametrize("gone", ["votes.db", "votes.db-wal", "votes.db-shm"])
@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_a_file_that_vanishes_while_it_is_open_is_noticed_before_anything_is_acknowledged(
    tmp_path, gone, how
):
    path = tmp_path / gone
    kept = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    key = kept.create("tea", FIRST)
    if how == "moved":
        path.rename(tmp_path / "elsewhere")
    else:
        content = path.read_bytes()
        path.unlink()
        if how == "replaced":
            (tmp_path / "other").write_bytes(
                b""
            )  # so that the number of the file is not used again
            path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(StorageError, match=r"votes\.db.* was deleted, moved or replaced while"):
            append(kept, key, VOTE)
    kept.dispose()
    if gone == "votes.db":
        with pytest.raises(StorageError):  # nor is a new file made
            append(kept, key, VOTE)
        assert path.exists() == (how == "replaced")


def test_a_file_that_is_vacuumed_or_checkpointed_meanwhile_is_still_the_same(tmp_path):
    kept = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    key = kept.create("tea", FIRST)
    other = sqlite3.connect(tmp_path / "votes.db", isolation_level=None)
    other.execute("VACUUM")
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    append(kept, key, VOTE)
    kept.dispose()  # the files beside it end here, and are made anew
    append(kept, key, Event(3, ASKED, 0.0))
    kept.dispose()


@pytest.mark.slow
def test_a_lock_of_postgres_that_stays_is_a_sentence(postgres_url, monkeypatch):
    monkeypatch.setattr(storage_module, "LOCKED", 0.2)
    kept = Storage(postgres_url)
    key = kept.create("tea", FIRST)
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT id FROM copeland_studies FOR UPDATE")
        with pytest.raises(StorageError, match="stayed locked by another program; try again"):
            append(kept, key, VOTE)
        assert kept.read(key, lambda log: log.event(2)) is None  # readers are not kept waiting
    append(kept, key, VOTE)
    kept.dispose()


@pytest.mark.slow
def test_a_stalled_writer_is_thrown_out_and_tries_again_while_others_go_on(
    postgres_url, monkeypatch
):
    monkeypatch.setattr(storage_module, "STALLED", 0.3)
    kept, others = Storage(postgres_url), Storage(postgres_url)
    key = kept.create("tea", FIRST)
    stalled, tries = threading.Event(), []

    def stall(log):
        tries.append(len(list(log.after(0))))
        if len(tries) == 1:
            stalled.set()
            time.sleep(1)
        log.append([Event(tries[-1] + 1, ASKED, 0.0)])

    thread = threading.Thread(target=kept.write, args=(key, stall))
    thread.start()
    stalled.wait()
    append(others, key, VOTE)
    thread.join()
    assert tries == [1, 2]
    assert kept.read(key, lambda log: [e.kind for e in log.after(0)]) == [CREATED, VOTED, ASKED]
    kept.dispose()
    others.dispose()


@pytest.mark.slow
def test_a_statement_without_end_is_a_sentence(postgres_url, monkeypatch):
    monkeypatch.setattr(storage_module, "ENDLESS", 0.2)
    kept = Storage(postgres_url)
    key = kept.create("tea", FIRST)
    with pytest.raises(StorageError, match=r"did not answer within 0\.2 seconds"):
        kept.read(key, lambda log: log._connection.execute(text("SELECT pg_sleep(9)")))
    kept.dispose()


def test_sqlite_locks_before_anything_is_read(tmp_path):
    """Two that had read first and wanted to write then would both have to give up."""
    kept = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    key = kept.create("tea", FIRST)
    other = sqlite3.connect(tmp_path / "votes.db", isolation_level=None, timeout=0)

    def work(_log):
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")

    kept.write(key, work)
    kept.read(key, lambda _log: other.execute("BEGIN IMMEDIATE"))
    other.close()
    kept.dispose()


def test_sqlite_writes_ahead_and_to_the_disk(tmp_path):
    kept = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    with kept._engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
    kept.dispose()


@pytest.mark.slow
def test_processes_that_start_at_once_all_find_the_tables(tmp_path, postgres_url):
    context = get_context("spawn")
    for address in (f"sqlite:///{tmp_path / 'votes.db'}", postgres_url):
        tasks = [context.Process(target=Storage, args=(address,)) for _ in range(2)]
        for task in tasks:
            task.start()
        for task in tasks:
            task.join()
        assert [task.exitcode for task in tasks] == [0, 0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_opens_connections_of_its_own(tmp_path):
    kept = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    key = kept.create("tea", FIRST)
    task = get_context("fork").Process(target=append, args=(kept, key, Event(2, ASKED, 0.0)))
    task.start()
    task.join()
    append(kept, key, Event(3, ASKED, 0.0))
    assert kept.read(key, lambda log: [e.number for e in log.after(0)]) == [1, 2, 3]
    kept.dispose()


SECRET = "pa55-w0rd!"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:1/votes",
        f"postgresql://127.0.0.1:1/votes?user=ann&password={SECRET}",
        f"postgresql://ann@127.0.0.1:1/votes?sslpassword={SECRET}&sslmode=disable",
        f"postgresql://ann:{SECRET}@127.0.0.1:1/votes?password={SECRET}",
        f"postgresql://ann:{SECRET}@127.0.0.1:port/votes",
        f"postgresql:/ann:{SECRET}@127.0.0.1/votes",
        f"postgres//ann:{SECRET}@127.0.0.1/votes",
        f"postgresql+none://ann:{SECRET}@127.0.0.1/votes",
        f"mysql://ann:{SECRET}@127.0.0.1/votes",
        f"ann:{SECRET}",
        f"127.0.0.1?password={SECRET}",
    ],
)
def test_a_password_in_an_address_is_never_said(address):
    with pytest.raises(StorageError) as refused:
        Storage(address, create=False)
    said = "".join(traceback.format_exception(refused.value))
    assert SECRET not in said
    error = refused.value
    while error is not None:
        assert SECRET not in str(error) and SECRET not in repr(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@pytest.mark.slow
def test_a_working_address_is_shown_without_its_passwords(postgres_url):
    kept = Storage(f"{postgres_url}&password={SECRET}&application_name=votes")
    study = create_study("tea", ["green", "black"], kept, voters="independent")
    assert SECRET not in kept.url + repr(kept) + repr(study)
    assert "password=***" in kept.url and "application_name=votes" in kept.url


def test_an_address_that_is_only_misspelt_is_repeated():
    for address in ("tea.db", "sqlite:/tea.db"):
        with pytest.raises(StorageError, match=f"'{address}' is not the address of a database"):
            Storage(address)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["list"], ["status", "tea"], ["list", "--json"]])
def test_commands_do_not_say_the_password_of_their_storage(words, postgres_url):
    from commands import run

    Storage(postgres_url)
    for address in (
        f"{postgres_url}&password={SECRET}",
        f"postgresql://ann:{SECRET}@127.0.0.1:1/v",
    ):
        done = run("study", *words, "--storage", address)
        assert done.stdout + done.stderr and SECRET not in done.stdout + done.stderr
