"""The GitHub Action and the workflow of docs/gate.md: what they say is what the command takes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml

from copeland.cli import app

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "gate.md").read_text()
ACTION = yaml.load((ROOT / "action.yml").read_text(), Loader=yaml.BaseLoader)
STEPS = ACTION["runs"]["steps"]
[WORKFLOW] = [
    yaml.load(text, Loader=yaml.BaseLoader)
    for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
]
GATE = next(step for step in STEPS if step.get("id") == "gate")
[USED] = [
    step
    for step in WORKFLOW["jobs"]["gate"]["steps"]
    if step.get("uses", "").startswith("OWNER/copeland@")
]


def parse(line):
    """Read a command line as the command does, and run nothing; what the workflow fills in is one word."""
    name, *words = shlex.split(re.sub(r"\$\{\{.*?\}\}", "told", line))
    command = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    return command.make_context(name, words).params


def command_lines(script):
    """The calls of copeland in a script, with the arguments of the docs' workflow in their place."""
    script = script.replace("\\\n", " ").replace('"${words[@]}" || code=$?', USED["with"]["args"])
    return [
        line.strip() for line in script.splitlines() if line.strip().startswith("copeland gate")
    ]


def test_the_command_of_the_action_is_one_that_the_gate_takes():
    [line] = command_lines(GATE["run"])
    found = parse(line)
    assert (found["model"], found["max_calls"], found["cost"]) == (["small-model"], 400, 2.0)
    assert {found[name].name for name in ("out", "junit", "summary", "certificate")} == {
        *("gate.json", "gate.xml", "gate.md", "gate-certificate.json")
    }
    with pytest.raises(Exception, match="No such option"):
        parse(f"{line} --no-such-option")


def test_every_command_of_the_page_is_one_that_copeland_takes():
    lines = [line for line in PAGE.splitlines() if re.match("copeland .*(?<!--help)$", line)]
    assert len(lines) >= 4
    for line in lines:
        assert parse(line)


def test_the_workflow_gives_the_action_what_it_asks_for_and_forks_nothing():
    inputs = ACTION["inputs"]
    assert set(USED["with"]) <= set(inputs)
    assert {name for name, one in inputs.items() if one.get("required")} <= set(USED["with"])
    told = set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", (ROOT / "action.yml").read_text()))
    assert told == set(inputs)
    job = WORKFLOW["jobs"]["gate"]
    assert "head.repo.full_name == github.repository" in job["if"]
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert set(WORKFLOW["on"]) == {"pull_request", "workflow_dispatch"}


def test_no_input_reaches_a_shell_as_code_and_every_action_is_pinned():
    for step in STEPS:
        assert "${{" not in step.get("run", "")
        assert ("run" in step) == ("shell" in step)
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", "a/b@" + 40 * "0"))
        if "run" in step:  # every variable comes from somewhere
            own = set(
                re.findall(r"^\s*(?:.*;\s*)?(?:while .*read .* )?(\w+)=", step["run"], re.MULTILINE)
            )
            read = set(re.findall(r"\$\{?([A-Za-z_]\w*)", step["run"]))
            known = (
                {"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "word"} | own | set(step.get("env", {}))
            )
            assert read <= known


def test_the_exit_codes_of_the_action_are_those_of_the_page():
    rows = re.findall(
        r"^\| (\d+) \| (.*)$", (ROOT / "docs" / "exit-codes.md").read_text(), re.MULTILINE
    )
    words = {
        "0": "`gate`, `judges audit`: passed",
        "1": "`gate`, `judges audit`: failed",
        "3": "undecided",
    }
    assert all(words[code] in said for code, said in rows if code in words)
    for text in (ACTION["description"], ACTION["outputs"]["exit-code"]["description"]):
        assert "0 passed, 1 failed, 2 error, 3 undecided" in " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize(("baseline", "candidate", "code"), [("old", "new", 0), ("new", "old", 1)])
def test_the_steps_of_the_action_run(tmp_path, baseline, candidate, code):
    (tmp_path / "copeland").write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from copeland.cli import main; main()" "$@"\n'
    )
    (tmp_path / "copeland").chmod(0o755)
    judge = ROOT / "examples" / "gate" / "judge.py"
    args = f'--require better --voter sums\n--command "{sys.executable} {judge} {{item}} {{left}} {{right}}"'
    path = os.pathsep.join([str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]])
    files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    told = {
        "inputs.baseline": str(ROOT / "examples" / "gate" / f"{baseline}.csv"),
        "inputs.candidate": str(ROOT / "examples" / "gate" / f"{candidate}.csv"),
        "inputs.args": args,
        "inputs.name": "copeland-gate",
        "inputs.key": "",
    }

    def run(step):
        given = {name: told[value.strip("${ }")] for name, value in step["env"].items()}
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **files, **given},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    same = next(step for step in STEPS if step.get("id") == "same")
    assert (run(same).returncode, run(GATE).returncode) == (0, code)
    first, *rest = Path(files["GITHUB_OUTPUT"]).read_text().splitlines()
    assert re.fullmatch("digest=[0-9a-f]{32}", first) and rest == [f"exit-code={code}"]
    assert "## Gate" in Path(files["GITHUB_STEP_SUMMARY"]).read_text()
    assert {one.name for one in (tmp_path / "copeland-gate").iterdir()} == {
        *("gate.json", "gate.xml", "gate.md", "gate-certificate.json", "gate.journal.db")
    }
    assert run(GATE).returncode == code  # from the journal
