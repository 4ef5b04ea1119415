"""`copeland study ...`, run inside a test."""

import json
from pathlib import Path

from commands import flat, run
from typer.testing import CliRunner

from copeland.cli import app

CYCLE = {"AB": (140, 60), "BC": (140, 60), "CA": (140, 60)}
DEMO = CYCLE | {"AD": (110, 90), "BD": (110, 90), "CD": (110, 90), "DE": (20, 0)}


def ok(*words):
    """What a command says; it must exit with 0."""
    done = run("study", *words)
    assert done.exit_code == 0, done.stderr
    return flat(done.stdout)


def values(*words, code=0):
    """What a command prints as JSON."""
    done = run("study", *words, "--json")
    assert done.exit_code == code, done.stderr
    return json.loads(done.stdout)


def refused(*words):
    """The one sentence with which a command is refused."""
    done = run("study", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("copeland: ").strip()


def voting(*words, keys):
    """Vote by lines."""
    words = ["study", "vote", *map(str, words)]
    return CliRunner().invoke(app, words, input="".join(f"{key}\n" for key in keys))


def write_votes(votes, file="votes.csv"):
    lines = ["left,right,outcome"]
    for (first, second), (won, lost) in votes.items():
        lines += [f"{first},{second},left"] * won + [f"{second},{first},left"] * lost
    Path(file).write_text("\n".join(lines) + "\n")
