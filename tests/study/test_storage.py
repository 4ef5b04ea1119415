"""A storage keeps studies the same way in memory, in SQLite and in PostgreSQL."""

import os
import sqlite3
import threading
import time
import traceback
from multiprocessing import get_context

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from copeland.errors import MissingExtra, StorageError, StudyExists, UnknownStudy
from copeland.study import Storage, create_study
from copeland.study.record import storage as storage_module
from copeland.study.record.events import ASKED, CREATED, VOTED, Event
from copeland.study.record.log import metadata
from copeland.web import store  # noqa: F401  (they belong to the same metadata)

FIRST = Event(1, CREATED, 0.5, body={"settings": {}, "options": [{"name": "tea"}]})
VOTE = Event(2, VOTED, 1.25, "id-1", None, "ann", 0, 1, "left", "item", "source", 7, 8, {"a": [1]})


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def storage(request, storage_of):
    kept = storage_of(request.param)
    yield kept
    kept.dispose()


def append(storage, key, *new):
    storage.write(key, lambda log: log.append(new))


@pytest.mark.slow
def test_events_come_back_as_they_were_written(storage):
    key = storage.create("tea", FIRST)
    append(storage, key, VOTE)
    assert storage.read(key, lambda log: list(log.replay())) == [FIRST, VOTE]


@pytest.mark.slow
def test_only_later_events_are_read_on(storage):
    key = storage.create("tea", FIRST)
    append(storage, key, VOTE, Event(3, ASKED, 2.0))
    assert storage.read(key, lambda log: [e.number for e in log.after(2)]) == [3]


def test_more_events_than_are_fetched_at_a_time_come_back_in_order(storage, monkeypatch):
    monkeypatch.setattr("copeland.study.record.log.PIECE", 3)
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


def test_a_vote_is_found_by_its_id_and_in_its_own_study_only(storage):
    one, other = storage.create("tea", FIRST), storage.create("milk", FIRST)
    append(storage, one, VOTE)
    assert storage.read(one, lambda log: log.vote("id-1")) == VOTE
    assert storage.read(other, lambda log: log.vote("id-1")) is None


def test_a_study_is_found_by_its_name(storage):
    key = storage.create("tea", FIRST)
    assert storage.key("tea") == key
    assert storage.names() == ["tea"]


def test_two_studies_of_one_name_are_refused(storage):
    storage.create("tea", FIRST)
    with pytest.raises(StudyExists, match=r"there is a study 'tea' in .* already"):
        storage.create("tea", FIRST)


def test_an_unknown_study_is_answered_with_the_nearest_name(storage):
    storage.create("teapot", FIRST)
    with pytest.raises(UnknownStudy, match=r"no study 'teapt' .*; did you mean 'teapot'"):
        storage.key("teapt")


def test_an_unknown_study_in_an_empty_storage_says_so(storage):
    with pytest.raises(UnknownStudy, match="there are none yet"):
        storage.key("tea")


@pytest.mark.slow
def test_only_the_latest_snapshot_is_kept(storage):
    key = storage.create("tea", FIRST)
    append(storage, key, *(Event(n, ASKED, 0.0) for n in range(2, 10)))
    for number in (5, 9, 7):
        storage.write(key, lambda log, n=number: log.save_snapshot(n, bytes([n])))
    assert storage.read(key, lambda log: log.snapshot()) == (9, b"\x09")


def test_a_forgotten_snapshot_is_gone(storage):
    key = storage.create("tea", FIRST)
    storage.write(key, lambda log: log.save_snapshot(1, b"x"))
    assert storage.read(key, lambda log: log.snapshot()) == (1, b"x")
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


def test_the_tables_are_those_that_the_migrations_make(storage):
    with storage._engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": storage_module.VERSION_TABLE}
        )
        assert compare_metadata(context, metadata) == []


def test_the_schema_is_the_last_migration():
    config = Config()
    config.set_main_option("script_location", "copeland:study/record/migrations")
    assert ScriptDirectory.from_config(config).get_current_head() == storage_module.SCHEMA


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_database_of_a_newer_version_is_refused(kind, tmp_path, request):
    address = f"sqlite:///{tmp_path / 'votes.db'}"
    if kind == "postgres":
        address = request.getfixturevalue("postgres_url")
    kept = Storage(address)
    with kept._engine.begin() as connection:
        connection.execute(text(f"UPDATE {storage_module.VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(StorageError, match=r"written by a newer version .*9999.*upgrade copeland"):
        Storage(address)
    kept.dispose()


@pytest.mark.slow
def test_tables_of_others_in_the_same_database_are_left_alone(postgres_url):
    kept = Storage(postgres_url)
    with kept._engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num text)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('theirs')"))
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


def test_a_file_that_is_not_there_is_not_made_by_opening_it(tmp_path):
    with pytest.raises(StorageError, match="there is no file"):
        Storage(f"sqlite:///{tmp_path / 'votes.db'}", create=False)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(StorageError, match="cannot be used: unable to open database file"):
        Storage(f"sqlite:///{tmp_path / 'nowhere' / 'votes.db'}")


def test_a_file_that_is_no_database_is_a_sentence(tmp_path):
    (tmp_path / "votes.db").write_text("name,text\n" * 100)
    with pytest.raises(StorageError, match="cannot be used: file is not a database"):
        Storage(f"sqlite:///{tmp_path / 'votes.db'}")


def test_a_database_without_studies_is_a_sentence(tmp_path):
    sqlite3.connect(tmp_path / "votes.db").close()
    with pytest.raises(StorageError, match="holds no studies"):
        Storage(f"sqlite:///{tmp_path / 'votes.db'}", create=False)


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
        start = time.monotonic()
        with pytest.raises(StorageError, match="stayed locked by another program; try again"):
            append(kept, key, VOTE)
        assert time.monotonic() - start < 5
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
