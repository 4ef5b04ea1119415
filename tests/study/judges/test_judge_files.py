"""Files of options: read inside one folder only."""

import os
import re
from pathlib import Path

import pytest
from fake_chat import FakeChat, says
from tiny_study import KEY, B, quick

from copeland.errors import InvalidParameter
from copeland.study import create_study
from copeland.study.judges import Candidate, JudgeFailed, judge_study
from copeland.study.options import LARGEST, read_material


def test_a_model_reads_the_file_of_an_option_without_a_text(key, tmp_path):
    (tmp_path / "a.md").write_text("the first draft")
    with FakeChat(says("tie")) as fake:
        quick(fake)(Candidate("A", path="a.md", folder=tmp_path), B)
        with pytest.raises(JudgeFailed, match=r"none\.md is not read: No such file"):
            quick(fake)(Candidate("A", path="none.md", folder=tmp_path), B)
    assert "the first draft" in fake.requests[0].prompt


@pytest.fixture
def outside(tmp_path):
    """A folder of a study, and what is not to be read from there, by the reason."""
    folder = tmp_path / "study"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text(KEY)
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    (folder / "large.txt").write_bytes(b"x" * (LARGEST + 1))
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "devices").symlink_to("/dev")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../secret.txt", "it is outside the folder"),
        ("link.txt", "it is outside the folder"),
        ("/proc/self/environ", "it is outside the folder"),
        ("/dev/zero", "it is outside the folder"),
        ("devices/zero", "it is outside the folder"),
        ("loop", "it does not lead to a file|Too many levels of symbolic links"),
        ("pipe", "it is not an ordinary file"),
        (".", "Is a directory|it is not an ordinary file"),
        ("large.txt", "it has more than 1,000,000 bytes"),
        ("picture.png", "it is not text in UTF-8"),
    ],
)
def test_no_file_outside_of_the_folder_and_no_odd_file_reaches_a_model(key, outside, path, reason):
    shown = {"A": {"name": "A", "path": path}, "B": {"name": "B", "text": "tea"}}
    study = create_study(
        "s", shown.values(), f"sqlite:///{outside / 'study.db'}", voters="independent"
    )
    with FakeChat(says("left")) as fake:
        done = judge_study(study, quick(fake), patience=1)
    assert (fake.requests, done.reason) == ([], "failed")
    assert re.search(f"{re.escape(path)} is not read: ({reason})", done.stopped)
    assert KEY not in repr(study.log())


def test_files_that_the_system_makes_up_are_not_read_even_from_its_root():
    with pytest.raises(InvalidParameter, match="not an ordinary file"):
        read_material("proc/self/environ", Path("/"))


@pytest.mark.slow
def test_the_folder_is_that_of_the_sqlite_file_or_the_one_that_is_named(key, tmp_path, monkeypatch):
    for name in ("study", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"a draft in {name}")
    monkeypatch.chdir(tmp_path)  # which does not matter
    options = [{"name": "A", "path": "a.md"}, {"name": "B", "text": "tea"}]
    for storage, folder, expected in (
        ("sqlite:///study/s.db", None, "a draft in study"),
        ("sqlite:///study/t.db", "elsewhere", "a draft in elsewhere"),
        (None, "elsewhere", "a draft in elsewhere"),
    ):
        study = create_study("s", options, storage, voters="independent")
        with FakeChat(says("left")) as fake:
            judge_study(study, quick(fake), calls=1, folder=folder)
        assert expected in fake.requests[0].prompt
    with FakeChat(says("left")) as fake:
        done = judge_study(
            create_study("s", options, voters="independent"), quick(fake), patience=1
        )
    assert "name the folder with the files of options" in done.stopped
