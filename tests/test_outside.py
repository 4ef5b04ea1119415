"""Algorithms from outside: objects, files, installed packages, and what numba cannot compile."""

import json
import os
import pickle
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import copeland
from copeland.cli import app
from copeland.errors import AlgorithmWarning, InvalidAlgorithm, UnknownAlgorithm
from copeland.kernels.compiler import script_classes
from copeland.problems import problem_of
from copeland.registry import _registry, algorithms, entrant, find
from copeland.simulation.cell import loop_for

SCRIPTED = namedtuple("SCRIPTED", "wins state", module="__main__")  # as if a script had it

FILE = """
from typing import NamedTuple
import numpy as np
import copeland
from copeland.algorithms.random import State, recommend, select
from copeland.kernels import kernel

def init(k, weight=1):
    return State(wins=np.zeros((k, k), np.int64))

@kernel
def update(state, winner, loser, rng):
    state.wins[winner, loser] += 1

def plain(state, winner, loser, rng):
    state.wins[winner, loser] += 1

@kernel
def fancy(state, winner, loser, rng):
    plain(state, winner, loser, rng)

MINE = copeland.Algorithm("mine", "", "", "copeland", init, select, update, recommend)
PLAIN = copeland.Algorithm("plain", "", "", "copeland", init, select, plain, recommend)
FANCY = copeland.Algorithm("fancy", "", "", "copeland", init, select, fancy, recommend)
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "nowhere")  # what the file adds is taken away again
    (tmp_path / "mine.py").write_text(FILE)
    return tmp_path / "mine.py"


def simulate(*algorithms, **how):
    return copeland.simulate("cyclic-4", list(algorithms), 300, runs=3, seed=5, **how)


def test_an_algorithm_is_taken_as_an_object_by_simulate_and_policy(mine):
    algorithm, _ = entrant(f"{mine}:MINE")
    runs = simulate(algorithm, "random", compiled=False)
    assert [curve.label for curve in runs.curves] == ["mine", "random"]
    policy = copeland.Policy(algorithm, k=3, seed=1)
    policy.tell(policy.ask(), winner=None)
    again = copeland.Policy.load(policy.dump(), algorithm)
    assert again.ask() == policy.ask()
    with pytest.raises(UnknownAlgorithm, match="'mine'"):
        copeland.Policy.load(policy.dump())
    with pytest.raises(copeland.InvalidParameter, match="of mine, not of random"):
        copeland.Policy.load(policy.dump(), find("random"))


@pytest.mark.quick
@pytest.mark.parametrize(
    "part, function, sentence",
    [
        ("update", lambda state, winner, loser: None, "(state, winner, loser, rng)"),
        ("select", lambda state: (0, 1), "select takes (state); it must take (state, t, rng)."),
        ("recommend", None, "recommend takes None; it must take (state)."),
    ],
)
def test_a_function_that_cannot_be_called_is_refused_at_once(part, function, sentence):
    with pytest.raises(copeland.InvalidParameter) as caught:
        replace(find("random"), **{part: function})
    assert sentence in str(caught.value) and str(caught.value).startswith(f"random: {part} takes ")


def test_a_file_s_algorithm_takes_parameters(mine):
    curve = simulate(f"{mine}:MINE:weight=2", compiled=False).curves[0]
    assert (curve.name, curve.params) == ("mine", {"weight": 2})


@pytest.mark.slow
def test_other_processes_run_an_algorithm_that_they_cannot_import(mine):
    names = (f"{mine}:MINE", f"{mine}:PLAIN")
    with pytest.warns(AlgorithmWarning):
        one, two = simulate(*names), simulate(*names, jobs=2)
    for a, b in zip(one.curves, two.curves, strict=True):
        assert np.array_equal(a.regret, b.regret)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("PLAIN", "plain runs as plain Python, .*: `update` \\(mine.py, line 15\\) is not marked"),
        ("FANCY", r"fancy runs as plain Python, .*mine\.py, line 20: Untyped global name 'plain'"),
    ],
)
def test_what_numba_cannot_compile_runs_as_it_is_with_one_sentence(mine, name, sentence):
    with pytest.warns(AlgorithmWarning, match=sentence) as caught:
        runs = simulate(f"{mine}:{name}")
    assert len(caught) == 1 and "\n" not in str(caught[0].message)
    assert len(str(caught[0].message)) < 250
    assert runs.summary()[0]["runs"] == 3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("{}", "no name after .*it has MINE, PLAIN, FANCY"),
        ("{}:THEIRS", "no Algorithm called THEIRS in .*it has MINE"),
        ("{}:State", "no Algorithm called State"),
        ("nowhere.py:MINE", r"no file nowhere\.py"),
    ],
)
def test_what_is_not_in_a_file_is_said(mine, given, sentence):
    with pytest.raises(InvalidAlgorithm, match=sentence):
        entrant(given.format(mine))


@pytest.mark.parametrize("content", ["1 +", "import nowhere", "raise SystemExit(3)"])
def test_a_file_that_cannot_be_run_is_refused_in_a_sentence(tmp_path, content):
    (tmp_path / "bad.py").write_text(content)
    done = CliRunner().invoke(app, ["simulate", "cyclic-4", "-a", f"{tmp_path / 'bad.py'}:X"])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1 and "bad.py cannot be loaded" in done.stderr


def test_the_command_line_takes_a_file_s_algorithm(mine):
    words = ["simulate", "cyclic-4", "-a", f"{mine}:PLAIN", "--horizon", "50", "--runs", "2"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert json.loads(done.stdout)["algorithms"][0]["name"] == "plain"
    assert done.stderr.startswith("copeland: plain runs as plain Python")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package that is installed: it offers one algorithm that is sound and three that are not."""
    (tmp_path / "offering.py").write_text(FILE)
    (tmp_path / "broken_offer.py").write_text("raise RuntimeError('no luck today')")
    about = tmp_path / "offering-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[copeland.algorithms]\nmine = offering:MINE\nbroken = broken_offer:MINE\n"
        "other = offering:MINE\nccb = offering:MINE\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield
    _registry.pop("mine", None)
    for name in ("offering", "broken_offer"):
        sys.modules.pop(name, None)


def test_an_installed_package_s_algorithm_is_known_by_its_name_and_loaded_when_asked_for(installed):
    find("ccb")
    assert "offering" not in sys.modules
    assert find("mine").init(3, weight=2).wins.shape == (3, 3)
    assert find("ccb").paper  # the name stays this package's


def test_a_broken_package_gives_one_sentence_and_the_rest_works(installed):
    with pytest.warns(AlgorithmWarning) as caught:
        assert {"mine", "ccb"} <= set(algorithms())
    told = sorted(str(warning.message) for warning in caught)
    assert len(told) == 2
    assert "'broken' of the package offering cannot be loaded: RuntimeError: no luck" in told[0]
    assert "as the algorithm 'other'" in told[1]
    with pytest.raises(InvalidAlgorithm, match="no luck today"):
        find("broken")
    listed = CliRunner().invoke(app, ["algorithms", "--json"])
    assert listed.exit_code == 0
    assert listed.stderr.count("copeland:") == 2


def test_algorithms_of_one_source_but_other_functions_are_compiled_apart(mine):
    algorithm, _ = entrant(f"{mine}:MINE")
    swapped = replace(algorithm, tie=algorithm.update)
    problem = problem_of("cyclic-4")
    names = {loop_for(one, problem, True).__name__ for one in (algorithm, swapped)}
    assert len(names) == 2


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("astray", [4, -1])
def test_an_algorithm_that_names_a_missing_option_is_told_so(mine, astray, compiled):
    named = FILE.replace("recommend, select\n", "recommend\n").replace(
        "def plain", f"@kernel\ndef select(state, t, rng):\n    return 0, {astray}\n\ndef plain"
    )
    mine.write_text(named)
    sentence = f"mine named the options 0 and {astray} at step 1; the options are 0 to 3"
    with pytest.raises(InvalidAlgorithm, match=sentence):
        simulate(f"{mine}:MINE", compiled=compiled)
    with pytest.raises(InvalidAlgorithm, match=sentence):
        copeland.Policy(entrant(f"{mine}:MINE")[0], k=4).ask()


@pytest.mark.slow
def test_a_script_with_an_algorithm_of_its_own_is_compiled_once(mine):
    script = FILE.replace(
        "from copeland.algorithms.random import State, recommend, select",
        "from copeland.algorithms.random import recommend, select\n"
        "class State(NamedTuple):\n    wins: np.ndarray",
    )
    ending = "if __name__ == '__main__':\n    copeland.simulate('cyclic-4', MINE, 30, runs=2)\n"
    mine.write_text(f"{script}\n{ending}")
    kept = mine.parent / "kept"
    for _ in range(2):
        subprocess.run(
            [sys.executable, str(mine)],
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(kept)},
        )
    assert len(list(kept.rglob("*.nbc"))) == 1


def test_a_stand_in_is_found_by_its_name_and_by_no_other():
    named = script_classes.with_stand_in(SCRIPTED([1], SCRIPTED(2, 3)))
    assert named == ([1], (2, 3)) and named.state.wins == 2
    assert pickle.loads(pickle.dumps(named)) == named
    for name in ("Record", "Record_4win", "Record_3wins", "State", "Record_1a_1a "):
        assert not hasattr(script_classes, name)
