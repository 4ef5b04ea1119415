"""Sessions at the command line: tests/snapshots/sessions.txt has what is typed and what is said."""

import shlex
from pathlib import Path

import pytest
from commands import flat, run
from helpers import SNAPSHOTS, compare_with_snapshot

pytestmark = pytest.mark.slow  # left out of `make fast`


def play(session):
    """Write the files of a session and run its commands anew; what they say follows each."""
    title, *lines = session.splitlines()
    yield title
    for line in lines:
        name, arrow, text = line.partition(" <- ")
        if line.startswith("$ "):
            done = run(*shlex.split(line[2:]))
            told = [line, flat(done.stdout), flat(done.stderr)]
            yield from [one for one in told if one]
            is_refused = done.stderr.startswith("copeland: ")
            assert done.exit_code == (2 if is_refused else 0)
            assert not is_refused or (done.stdout, done.stderr.count("\n")) == ("", 1)
        elif arrow:
            Path(name).write_text(text.replace("\\n", "\n"))
            yield line


@pytest.mark.quick
def test_sessions_read_as_their_snapshot(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("COPELAND_STORAGE", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("uvicorn.run", lambda *_, **__: pytest.fail("a server began"))
    played = []
    for number, session in enumerate((SNAPSHOTS / "sessions.txt").read_text().split("\n\n")):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        played.append("\n".join(play(session)))
    compare_with_snapshot("sessions", "\n\n".join(played))
