"""`copeland ... | head`: a reader that leaves early gets no complaint, and the exit code is no answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # left out of `make fast`

READER_LEFT = 141
# Every fifth command shows its help to a closed pipe, in a fork of one process that has imported the program.
SHOW_HELP = """
import io, json, os, sys
from typer.main import get_command
from copeland.cli import app, main
from commands import walk_commands

codes = {}
for path in list(walk_commands(get_command(app)))[::5]:
    child = os.fork()
    if child == 0:
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
        sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False))
        sys.argv = ["copeland", *path, "--help"]
        try:
            main()
        except SystemExit as end:
            os._exit(end.code)
    codes[" ".join(path)] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(codes))
"""


def leave_early(*words, also_errors=False, folder="."):
    """Run a command whose output nobody reads; return its exit code and what it still says."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", "from copeland.cli import main; main()", *words],
        stdout=writer,
        stderr=writer if also_errors else subprocess.PIPE,
        cwd=folder,
        text=True,
    )
    os.close(writer)
    return done.returncode, done.stderr or ""


def test_commands_show_their_help_to_a_closed_pipe_without_a_word():
    done = subprocess.run(
        [sys.executable, "-c", SHOW_HELP],
        cwd=Path(__file__).parent.parent,  # where the commands are walked
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    codes = json.loads(done.stdout)
    assert len(codes) > 10 and set(codes.values()) == {READER_LEFT}, codes


@pytest.mark.parametrize("words", ["algorithms", "algorithms --json", "winners mslr-5"])
def test_a_result_that_nobody_reads_is_dropped_without_a_word(words):
    assert leave_early(*words.split()) == (READER_LEFT, "")


@pytest.mark.quick
def test_a_complaint_that_nobody_reads_is_dropped_without_a_word():
    assert leave_early("winners", "nothing", also_errors=True) == (READER_LEFT, "")


def test_a_complaint_on_standard_error_is_still_said():
    code, said = leave_early("winners", "nothing")
    assert code == 2 and "nothing" in said


def test_a_gate_that_nobody_reads_keeps_its_files_and_says_neither_passed_nor_failed(tmp_path):
    for name, text in {"old": "a long answer", "new": "short"}.items():
        rows = [json.dumps({"id": str(i), "answer": f"{text} {i}"}) for i in range(60)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    judge = f"{sys.executable} -c \"import sys; print('left' if len(sys.argv[1]) < len(sys.argv[2]) else 'right')\" {{left}} {{right}}"
    sets = ["--baseline", "old.jsonl", "--candidate", "new.jsonl", "--out", "gate.json"]
    code, _said = leave_early("gate", *sets, "--command", judge, folder=tmp_path)
    assert code == READER_LEFT
    assert json.loads((tmp_path / "gate.json").read_text())["outcome"] == "passed"
