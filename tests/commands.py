"""The command line, run inside a test, and what it answers."""

import json
import re
import subprocess
import sys

from typer.testing import CliRunner

from copeland.cli import app


def run(*words, **how):
    """Run one command, as a person would type it."""
    return CliRunner().invoke(
        app, [str(word) for word in words], prog_name="copeland", catch_exceptions=False, **how
    )


def flat(text):
    """Text without colours and line breaks."""
    return " ".join(re.sub(r"\x1b\[[\d;]*m", "", text).split())


def values(*words):
    """What a command prints as JSON."""
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def shell(*words, folder):
    """Run the command in a process of its own."""
    code = "from copeland.cli import main; main()"
    words = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def walk_commands(command, path=()):
    """The words of every command and group below one, itself first."""
    yield path
    for name, one in getattr(command, "commands", {}).items():
        yield from walk_commands(one, (*path, name))
