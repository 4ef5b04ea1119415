"""`copeland study ...`: every command, its JSON, its exit codes, and what its docs say."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import typer
from commands import flat, run
from study_commands import ok, values

import copeland
from copeland.cli import app
from copeland.simulation.compilation import compile_now

pytestmark = pytest.mark.slow  # left out of `make fast`


ROOT = Path(__file__).parent.parent.parent.parent


# create, list


@pytest.mark.quick
def test_a_study_is_created_from_a_file_of_options():
    Path("options.csv").write_text("name,text\nA,Be brief.\nB,Be kind.\n")
    made = values("create", "prompts", "--options", "options.csv", "--delta", "0.01")
    assert made["options"] == ["A", "B"]
    assert made["settings"]["delta"] == 0.01
    assert Path("copeland.db").exists()


def test_a_study_is_created_with_every_setting():
    settings = {
        "algorithm": "cpc",
        "delta": 0.1,
        "margin": 0.02,
        "seed": 3,
        "both_bad": "drop",
        "repeats": "first",
        "voters": "people",
        "lease": 60.0,
        "open_ballots": 3,
        "batch": 7,
        "missing": "ignored",
    }
    words = [w for k, v in settings.items() for w in (f"--{k.replace('_', '-')}", str(v))]
    made = values("create", "s", "-o", "A", "-o", "B", *words)
    assert made["settings"] == settings


def test_studies_are_listed_with_how_they_stand(new_study, cycle):
    rows = {row["study"]: row for row in values("list")}
    assert list(rows) == ["tea", "cycle"]
    assert rows["tea"]["leader"] is None
    assert rows["cycle"]["best"] == ["A", "B", "C"]
    shown = ok("list")
    assert "open, no votes yet" in shown and "proved best: A, B, C" in shown


def test_the_storage_is_told_by_an_option_or_by_the_environment(monkeypatch):
    ok("create", "s", "-o", "A", "-o", "B", "--storage", "sqlite:///other.db")
    assert not Path("copeland.db").exists()
    copeland.study.Storage("sqlite:///copeland.db").dispose()
    assert "There is no study" in ok("list")
    assert values("list") == []
    monkeypatch.setenv("COPELAND_STORAGE", "sqlite:///other.db")
    assert [row["study"] for row in values("list")] == ["s"]


def commands(group=None, path=("study",)):
    """Every command of the group, with its parameters."""
    group = group or typer.main.get_command(app).commands["study"]
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


# the commands, their help and their docs


def test_the_commands_are_all_there():
    assert {" ".join(path[1:]) for path in COMMANDS} == {
        *("create", "list", "ask", "tell", "vote", "judge", "import", "export", "plan", "status"),
        *("report", "certify", "verify", "undo", "close", "rank", "excuse", "readmit"),
        *("allocate", "edit", "reopen", "delete", "copy", "wait"),
        *("option add", "option edit", "option pause", "option resume", "option retire"),
    }


@pytest.mark.parametrize("path", [("study",), ("study", "option"), *COMMANDS], ids=" ".join)
def test_every_command_takes_json_and_has_an_example(path):
    shown = flat(run(*path, "--help").stdout)
    assert "--json" in shown
    assert "Example: copeland study" in shown


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_is_in_the_docs_with_a_table_of_its_options(path):
    page = (ROOT / "docs" / "studies-cli.md").read_text()
    command = f"copeland {' '.join(path)} "
    assert f"```\n{command}" in page or f"\n{command}" in page.replace(f"{command}--help", "")
    own = {"--storage", "--json", "--help"}  # what all commands take, and the page says once
    flags = {
        flag
        for one in COMMANDS[path].params
        if one.param_type_name == "option" and not one.hidden
        for flag in one.opts
    }
    assert (f"```{{options}}\n{command}--help\n```" in page) == bool(flags - own)


def test_the_study_command_by_itself_shows_the_help():
    assert "Usage: copeland study" in ok()


# the examples, the README and the docs


def test_the_docs_show_what_the_example_says():
    compile_now("cpc-pac")  # else forecasts are a rule of thumb
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "cycle.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    wrapped = "\n".join(
        textwrap.fill(line, 110, subsequent_indent="  ") for line in done.stdout.splitlines()
    )
    assert f"```\n{wrapped}\n```" in (ROOT / "docs" / "verdicts.md").read_text()


@pytest.mark.long
@pytest.mark.slow
def test_the_commands_of_the_readme_lead_to_a_verdict(monkeypatch, tmp_path):
    monkeypatch.setenv("COPELAND_STORAGE", f"sqlite:///{tmp_path / 'readme.db'}")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    readme = (ROOT / "README.md").read_text()
    lines = re.search(r"\npip install \.\n(.*?)```", readme, flags=re.DOTALL).group(1)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    said = ""
    for line in lines.splitlines():
        done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said += done.stdout
    printed = re.search(r"```\n(steps is proved .*?)\n```", readme, flags=re.DOTALL).group(1)
    assert " ".join(printed.split()) in " ".join(said.split())
    assert "steps is proved the only winner." in (tmp_path / "verdict.html").read_text()
