"""`copeland`: the commands that show what there is, bad input, and the help."""

import inspect
import json
import subprocess
import sys

import pytest
import typer
from commands import flat, run, shell, values

import copeland
from copeland.cli import app
from copeland.theory import bounds

pytestmark = pytest.mark.slow  # left out of `make fast`


COMMANDS = [
    "algorithms",
    "backup",
    "board",
    "bounds",
    "clicks",
    "clicks count",
    "compile",
    "data",
    "data fetch",
    "data list",
    "data path",
    "doctor",
    "formats",
    "gate",
    "judges",
    "judges audit",
    "problems",
    "problems show",
    "rankers",
    "rankers estimate",
    "rankers report",
    "report",
    "reproduce",
    "serve",
    "simulate",
    "study",
    *("tune", "tune ask", "tune best", "tune create", "tune run", "tune tell"),
    "winners",
]


# algorithms


@pytest.mark.quick
def test_algorithms_lists_what_each_can_do():
    ccb = next(one for one in values("algorithms") if one["name"] == "ccb")
    assert ccb.pop("paper").startswith("Zoghi")
    assert ccb.pop("summary")
    assert ccb == {
        "name": "ccb",
        "target": "copeland",
        "needs_horizon": False,
        "assumes_condorcet": False,
        "stops": False,
        "parameters": {"alpha": 0.51, "threshold": "own"},
    }


def test_algorithms_are_shown_as_a_table():
    assert "alpha=0.51" in run("algorithms").stdout


def test_formats_are_listed_with_what_they_are_for():
    found = {one["name"]: one for one in values("formats")}
    assert found["preflib"]["suffixes"] == [".soc", ".soi", ".toc", ".toi"]
    assert (found["trl"]["read"], found["trl"]["written"]) == (False, True)
    assert (found["inspect"]["holds"], found["inspect"]["read"]) == ("answers", True)
    listed = " ".join(run("formats").stdout.split())
    assert "preflib votes read and written PrefLib's" in listed


# problems


def test_problems_are_listed():
    rows = values("problems")
    assert [row["name"] for row in rows] == copeland.problems.names()
    assert all(row["example"] and row["about"] and row["source"] for row in rows)
    assert "Komiyama" in run("problems").stdout


def test_problems_show_gives_a_small_matrix_and_the_winners():
    found = values("problems", "show", "cyclic-4")
    assert (found["name"], found["k"], found["labels"]) == ("cyclic-4", 4, ["0", "1", "2", "3"])
    assert found["matrix"][0] == [0.5, 0.6, 0.6, 0.6]
    assert found["winners"]["condorcet"] == 0
    result = run("problems", "--json", "show", "cyclic-4")
    assert json.loads(result.stdout)["k"] == 4
    found = values("problems", "show", "order-60-.1")
    assert found["matrix"] is None
    assert found["winners"]["copeland"] == [0, 1, 2]
    found = values("problems", "show", "implicit-1000000")
    assert (found["k"], found["winners"]["copeland"]) == (1000000, [0, 1, 2])


# winners


def test_winners_of_problems_with_and_without_a_condorcet_winner():
    found = values("winners", "cyclic-4")
    assert found["condorcet"] == 0
    for notion in ("copeland", "borda", "random_walk", "smith"):
        assert isinstance(found[notion], list)
    assert found["copeland"] == found["smith"] == [0]
    assert found["copeland_scores"] == [3, 1, 1, 1]
    assert found["von_neumann"] == [1, 0, 0, 0]
    found = values("winners", "mslr-5")
    assert found["condorcet"] is None
    assert found["copeland"] == found["smith"] == [0, 1, 2]
    assert found["cycles"] == [[0, 2, 1]]
    assert found["k"] == len(found["labels"]) == len(found["borda_scores"]) == 5
    assert sum(found["random_walk_distribution"]) == pytest.approx(1)
    said = run("winners", "mslr-5").stdout
    assert copeland.load("mslr-5").p[0, 2] > 0.5
    assert "No Condorcet winner" in said
    assert "Copeland winners (3 of 4 wins, tied for first): 0, 1, 2." in said
    assert "0 > 2 > 1 > 0" in said


# bounds


def test_bounds_are_those_of_the_package():
    options = ("--alpha", "0.8", "--delta", "0.1", "--horizon", "1e6", "--corrected")
    expected = bounds.summary(copeland.load("cyclic-4"), 0.8, 0.1, 1e6, True)
    assert values("bounds", "cyclic-4", *options) == expected
    assert values("bounds", "mslr-5") == bounds.summary(copeland.load("mslr-5"))
    expected = bounds.summary(copeland.load("cyclic-4"), goal="top:2")
    assert values("bounds", "cyclic-4", "--goal", "top:2") == expected
    shown = flat(run("bounds", "cyclic-4", "--goal", "top:2").stdout)
    assert "to be sure of the goal top:2, for each ln(1/delta)" in shown
    assert "options 3 and 5 tie exactly" in flat(run("bounds", "arxiv-6").stdout)


# bad input


def test_bad_input_shows_no_traceback_in_a_real_shell(tmp_path):
    done = shell("simulate", "mslr-5", "-a", "ccb:alpha=0.5", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


# the program


def test_the_version_and_every_command_are_known():
    assert run("--version").stdout == f"copeland {copeland.__version__}\n"
    group = typer.main.get_command(app)
    assert sorted(group.commands) == [name for name in COMMANDS if " " not in name]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_json_and_has_help_with_an_example(command):
    shown = flat(run(*command.split(), "--help").stdout)
    assert "--json" in shown
    assert f"Example: copeland {command.split()[0]}" in shown


def test_no_command_at_all_shows_the_help():
    assert "Usage: copeland" in flat(run().stdout)


def groups(group, path=()):
    """Every group of commands, with the words that lead to it."""
    yield path, group
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from groups(one, (*path, name))


@pytest.mark.parametrize(
    "group", [group for _, group in groups(typer.main.get_command(app))], ids=lambda g: g.name
)
def test_a_group_lists_exactly_the_commands_that_its_modules_register(group):
    registered = group.lazy.parts
    assert list(group.commands) == group.list_commands(None)
    assert set(group.commands) == set(registered)


def test_a_command_reaches_its_own_work_without_what_others_need():
    others = [
        "rich",
        "pydantic",
        "numpy",
        "sqlalchemy",
        "copeland.cli.simulate",
        "copeland.study.log.storage",
    ]
    code = (
        "import sys; from typer.core import TyperCommand; from copeland.cli import main; "
        f"TyperCommand.invoke = lambda *_: print([m for m in {others} if m in sys.modules]); main()"
    )
    words = ["study", "create", "tea", "-o", "green", "--delta", "0.1", "--options", "tea.csv"]
    out = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert (out.stdout.strip(), out.stderr) == ("[]", "")


def test_bounds_has_the_defaults_of_the_package():
    from copeland.cli.matrices import bounds_command

    given = inspect.signature(bounds_command).parameters
    told = tuple(given[name].default for name in ("alpha", "delta", "horizon", "goal"))
    assert told == (bounds.ALPHA, bounds.DELTA, bounds.HORIZON, "best")


def test_listing_algorithms_loads_nothing_heavy(tmp_path):
    heavy = ["numba", "matplotlib", "scipy", "pandas", "joblib"]
    code = (
        "import sys; from typer.testing import CliRunner; from copeland.cli import app; "
        f"CliRunner().invoke(app, ['algorithms']); print([m for m in {heavy} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.quick
@pytest.mark.parametrize("words", [(), ("simulate",), ("study", "create")])
def test_flags_are_shown_as_flags(words):
    page = run(*words, "--help").stdout
    assert "--help" in page and "bool" not in page


def test_a_shell_can_complete_commands():
    told = {"_COPELAND_COMPLETE": "complete_bash", "COMP_WORDS": "copeland sim", "COMP_CWORD": "1"}
    assert run(env=told).stdout.strip() == "simulate"
