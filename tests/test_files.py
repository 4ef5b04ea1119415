"""Files are written whole or not at all, and those with names in them are their owner's alone."""

import os
import stat
from pathlib import Path

import pytest
from commands import run

from copeland.errors import InvalidParameter
from copeland.study import create_study
from copeland.support.atomic_files import whole_file, write_file

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")


@pytest.fixture(autouse=True)
def a_generous_mask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_a_failure_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as file:
        file.write(b"half of the new")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_new_file_is_shared_or_private_from_the_first_moment(tmp_path):
    for private, expected in ((False, 0o644), (True, 0o600)):
        with whole_file(tmp_path / "file", private):
            assert [mode(draft) for draft in tmp_path.iterdir()] == [expected]
        assert mode(tmp_path / "file") == expected
        (tmp_path / "file").unlink()


@pytest.mark.parametrize("kept", [0o640, 0o664, 0o400])
def test_a_file_that_is_replaced_hands_on_who_may_read_it(tmp_path, kept):
    path = tmp_path / "file"
    path.touch(kept)
    path.chmod(kept)
    write_file(path, b"new", private=True)
    assert (mode(path), path.read_bytes()) == (kept, b"new")


def test_links_devices_and_long_names_are_written_as_they_are(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"
    write_file("/dev/null", b"nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    write_file(tmp_path / ("x" * 255), b"new")
    assert (tmp_path / ("x" * 255)).read_bytes() == b"new"
    with pytest.raises(FileNotFoundError) as missing:
        write_file(tmp_path / "nowhere" / "file", b"")
    assert missing.value.filename == str(tmp_path / "nowhere" / "file")


@pytest.mark.parametrize("name", ["votes.csv", "log.jsonl"])
def test_an_export_is_whole_or_not_there(tmp_path, monkeypatch, name):
    study = create_study("tea", ["green", "black"], voters="independent")
    study.tell(study.ask(), "left")
    path = tmp_path / name
    path.write_text("old")

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", broken)
    with pytest.raises(InvalidParameter, match="cannot be written: No space left on device"):
        study.export(path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_new_files_with_names_are_for_their_owner_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = create_study("tea", ["green", "black"], "sqlite:///tea.db", voters="independent")
    study.tell(study.ask("ann"), "left")
    assert {path.name for path in tmp_path.iterdir()} >= {"tea.db", "tea.db-wal", "tea.db-shm"}
    for words in (("export", "tea", "v.csv"), ("export", "tea", "l.jsonl"), ("report", "tea")):
        done = run("study", *words, "--storage", "sqlite:///tea.db")
        assert done.exit_code == 0, done.stderr
    run("study", "certify", "tea", "--out", "c.json", "--storage", "sqlite:///tea.db")
    found = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert {"v.csv", "l.jsonl", "tea.html", "c.json"} < set(found)
    assert set(found.values()) == {0o600}, found


def test_a_database_that_exists_keeps_its_mode(tmp_path):
    path = tmp_path / "tea.db"
    path.touch(0o640)
    path.chmod(0o640)
    create_study("tea", ["green", "black"], f"sqlite:///{path}", voters="independent")
    assert mode(path) == 0o640
