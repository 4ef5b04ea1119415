import json

import pytest
from commands import run

from copeland.errors import StorageError
from copeland.study import create_study, open_study


@pytest.mark.quick
def test_a_backup_holds_every_vote_and_can_be_opened(tmp_path):
    storage = f"sqlite:///{tmp_path}/votes.db"
    study = create_study("tea", ["green", "black"], storage, voters="independent")
    study.tell(study.ask(), "left")
    ballot = study.ask()
    copy = tmp_path / "copy.db"
    out = run("backup", copy, "--storage", storage, "--json")
    assert json.loads(out.stdout) == {"file": str(copy), "studies": ["tea"]}
    study.tell(ballot, "right")  # the study goes on
    kept = open_study("tea", f"sqlite:///{copy}")
    assert kept.log() == study.log()[:4] and kept.misfit() is None
    assert copy.stat().st_mode & 0o077 == 0
    for one in (study, kept):
        one.storage.dispose()


def test_a_backup_replaces_nothing_unasked(tmp_path):
    storage = f"sqlite:///{tmp_path}/votes.db"
    create_study("tea", ["green", "black"], storage, voters="independent").storage.dispose()
    copy = tmp_path / "copy.db"
    copy.write_text("mine")
    assert run("backup", copy, "--storage", storage).exit_code == 2
    assert copy.read_text() == "mine"
    assert run("backup", copy, "--storage", storage, "--force").exit_code == 0


def test_a_backup_that_fails_leaves_nothing_behind(tmp_path):
    file, folder = tmp_path / "votes.db", tmp_path / "copies"
    storage = f"sqlite:///{file}"
    create_study("tea", ["green", "black"], storage, voters="independent").storage.dispose()
    content = file.read_bytes()
    kept = open_study("tea", storage)  # it opens; what is to be copied is damaged afterwards
    file.write_bytes(b"damaged!" * (len(content) // 8))
    folder.mkdir()
    with pytest.raises(StorageError, match="cannot be written"):
        kept.storage.copy_to(folder / "copy.db")
    kept.storage.dispose()
    assert list(folder.iterdir()) == []


def test_a_backup_to_a_folder_leaves_nothing_behind(tmp_path):
    storage = f"sqlite:///{tmp_path}/votes.db"
    create_study("tea", ["green", "black"], storage, voters="independent").storage.dispose()
    (tmp_path / "copies").mkdir()
    before = sorted(tmp_path.iterdir())
    assert run("backup", tmp_path / "copies", "--storage", storage, "--force").exit_code == 2
    assert sorted(tmp_path.iterdir()) == before
