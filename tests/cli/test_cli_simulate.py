"""`copeland simulate` and `copeland report`."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from commands import flat, run, shell, values

import copeland
from copeland.errors import Interrupted
from copeland.simulation import result_folder
from copeland.simulation.cell import Cell

pytestmark = pytest.mark.slow  # left out of `make fast`


TWO = ("-a", "ccb", "-a", "ccb:alpha=2.0")
SMALL = ("simulate", "cyclic-4", *TWO, "--horizon", "1000", "--runs", "3", "--seed", "5")
FILES = ["index.html", "manifest.json", "regret.pdf", "regret.png", "regret.svg", "runs.npz"]


@pytest.fixture
def nothing_may_run(monkeypatch):
    def fail(*args, **kwargs):
        pytest.fail("a simulation ran")

    monkeypatch.setattr("copeland.simulation.simulator.simulate", fail)


# simulate


def test_simulate_gives_the_numbers_of_the_package():
    found = values(*SMALL)
    runs = copeland.simulate("cyclic-4", TWO[1::2], 1e3, runs=3, seed=5)
    row, curve = runs.summary()[1], runs.curves[1]
    second = found["algorithms"][1]
    assert (second["name"], second["params"]) == ("ccb", {"alpha": 2.0})
    for key in ("mean", "sd", "comparisons", "correct"):
        assert second[key] == row[key]
    assert second["marks"] == runs.marks.tolist()
    assert second["mean_at_marks"] == curve.regret.mean(axis=0).tolist()
    assert second["seconds"] > 0


@pytest.mark.quick
def test_simulate_says_what_was_run():
    found = values(*SMALL, "--regret", "half")
    del found["algorithms"]
    assert found == {
        "problem": "cyclic-4",
        "k": 4,
        "horizon": 1000,
        "runs": 3,
        "seed": 5,
        "regret": "half",
        "redrawn": False,
        "interrupted": False,
    }


def test_simulate_shows_a_row_for_each_algorithm_and_writes_nothing_without_out(tmp_path):
    shown = run(*SMALL).stdout
    assert re.search(r"^ ccb +3 ", shown, re.MULTILINE)
    assert re.search(r"^ ccb:alpha=2\.0 +3 ", shown, re.MULTILINE)
    shown = run("simulate", "easy-5", "-a", "ccb", "--horizon", "100", "--runs", "2").stdout
    assert "redrawn for each run" in flat(shown)
    done = shell(*SMALL, "--json", folder=tmp_path)
    assert json.loads(done.stdout)["runs"] == 3
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder of a simulation with its page, made once, and what was said of it; tests that write take a copy."""
    folder = tmp_path_factory.mktemp("simulated") / "a" / "b"
    return folder, run(*SMALL, "--out", folder).stderr


@pytest.fixture
def copied(written, tmp_path):
    return shutil.copytree(written[0], tmp_path / "copied")


def test_simulate_writes_a_folder_that_can_be_read(written):
    folder, said = written
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert result_folder.read(folder).runs == 3
    assert "index.html" in said


@pytest.mark.usefixtures("undrawn")
def test_simulate_keeps_the_command_that_gives_the_numbers_again(tmp_path):
    run(*SMALL, "--regret", "half", "--out", tmp_path)
    command = result_folder.manifest(tmp_path)["command"]
    assert command == " ".join(["copeland", *SMALL, "--regret", "half"])


def test_simulate_refuses_a_folder_that_is_there_before_anything_runs(tmp_path, nothing_may_run):
    (tmp_path / "runs.npz").write_text("precious")
    done = run(*SMALL, "--out", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--force" in done.stderr
    assert (tmp_path / "runs.npz").read_text() == "precious"


@pytest.mark.usefixtures("undrawn")
def test_simulate_replaces_results_by_force(tmp_path):
    (tmp_path / "runs.npz").write_text("precious")
    assert run(*SMALL, "--out", tmp_path, "--force").exit_code == 0
    assert result_folder.read(tmp_path).runs == 3


def test_simulate_stopped_before_any_run_ended_exits_with_130(monkeypatch, tmp_path):
    def stop(*args, **kwargs):
        raise Interrupted("stopped after 0 of 6 runs; the finished runs are in `.runs`.", None)

    monkeypatch.setattr("copeland.simulation.simulator.simulate", stop)
    done = run(*SMALL, "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == (
        "copeland: stopped after 0 of 6 runs; the same command continues from there.\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.fixture
def stopped(tmp_path, monkeypatch):
    """The folder of a simulation that was stopped after four of its six runs."""
    ran = Cell.run

    def stop(cell):
        if (cell.first, cell.spec.params) == (2, {}):
            raise KeyboardInterrupt
        return ran(cell)

    with monkeypatch.context() as patched:
        patched.setattr(Cell, "run", stop)
        done = run(*SMALL, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 130
    assert "4 of 6 runs; the same command continues from there" in done.stderr
    assert result_folder.read(tmp_path / "out").interrupted
    return tmp_path / "out"


@pytest.fixture
def ran(monkeypatch):
    """Which runs are made."""
    made, run = [], Cell.run
    monkeypatch.setattr(Cell, "run", lambda cell: made.append(cell) or run(cell))
    return lambda: [(str(cell.spec), cell.first) for cell in made if len(cell.marks)]


@pytest.mark.usefixtures("undrawn")
def test_the_same_command_goes_on_where_a_simulation_was_stopped(stopped, ran):
    assert values(*SMALL, "--out", stopped)["interrupted"] is False
    assert ran() == [("ccb", 2), ("ccb:alpha=2.0", 2)]
    whole = copeland.simulate("cyclic-4", TWO[1::2], 1e3, runs=3, seed=5)
    for name, column in result_folder.read(stopped).columns().items():
        assert (column == whole.columns()[name]).all()
    assert sorted(path.name for path in stopped.iterdir()) == FILES


@pytest.mark.usefixtures("undrawn")
def test_another_command_is_not_let_into_the_folder_of_a_stopped_one(stopped, nothing_may_run):
    done = run(*SMALL[:-1], "6", "--out", stopped)
    assert done.exit_code == 2
    assert "--force" in done.stderr


@pytest.mark.usefixtures("undrawn")
def test_a_simulation_that_was_killed_goes_on(stopped, ran):
    for path in stopped.iterdir():
        if path.is_file():
            path.unlink()
    assert run(*SMALL, "--out", stopped).exit_code == 0
    assert len(ran()) == 2


@pytest.mark.usefixtures("undrawn")
def test_a_damaged_run_of_a_stopped_simulation_is_named_and_done_again(stopped, ran):
    kept = sorted((stopped / "unfinished" / "cells").iterdir())
    kept[0].write_bytes(kept[0].read_bytes()[:50])
    done = run(*SMALL, "--out", stopped)
    assert done.exit_code == 0
    assert kept[0].name in done.stderr and "done again" in done.stderr
    assert len(ran()) == 3


@pytest.mark.nightly
@pytest.mark.usefixtures("undrawn")
def test_a_simulation_has_the_same_numbers_on_a_cluster(tmp_path):
    two = ("-a", "savage", "-a", "random")  # what other tests of backends compile too
    words = ("simulate", "cyclic-4", *two, "--horizon", "1000", "--runs", "3", "--seed", "5")
    given = values(*words, "--backend", "dask", "--jobs", "2", "--out", tmp_path)
    here = values(*words)
    for told in (given, here):
        for algorithm in told["algorithms"]:
            del algorithm["seconds"]
    assert given == here


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_control_c_leaves_what_is_done_readable(tmp_path):
    import pty

    words = ["simulate", "mslr-5", "-a", "ccb", "--horizon", "1e7", "--runs", "5000"]
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from copeland.cli import main; main()"
    )
    screen, stderr = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, *words, "--out", tmp_path / "out", "--json"],
        stdout=subprocess.PIPE,
        stderr=stderr,
    ) as process:
        os.close(stderr)
        seen = b""
        while not re.search(rb"[1-9]\d*/5000", seen):  # the progress bar: some runs have ended
            seen += os.read(screen, 4096)
        process.send_signal(signal.SIGINT)
        written = process.stdout.read()
    os.close(screen)
    assert process.returncode == 130
    assert json.loads(written)["interrupted"]
    assert result_folder.read(tmp_path / "out").runs == json.loads(written)["runs"]


# report


@pytest.mark.usefixtures("undrawn")
def test_report_gives_what_simulate_gave(tmp_path):
    given = values(*SMALL, "--out", tmp_path)
    assert values("report", tmp_path) == given
    assert "ccb:alpha=2.0" in run("report", tmp_path).stdout


def test_report_writes_the_page_and_the_figures_anew(copied):
    page = (copied / "index.html").read_text()
    for name in FILES:
        if name not in ("manifest.json", "runs.npz"):
            (copied / name).unlink()
    run("report", copied, "--page")
    assert sorted(path.name for path in copied.iterdir()) == FILES
    assert (copied / "index.html").read_text() == page


def test_figures_look_as_asked_and_the_command_repeats_it(tmp_path, copied):
    folder = tmp_path / "new"
    run(*SMALL, "--out", folder, "--yscale", "log", "--width", "single", "--by", "algorithm")
    assert "--yscale log --width single --by algorithm" in result_folder.manifest(folder)["command"]
    assert ' width="244.8pt"' in (folder / "regret.svg").read_text()  # 3.4 inches
    run("report", copied, "--page", "-a", "ccb:alpha=2.0", "--width", "single", "--spread", "none")
    drawn = (copied / "regret.svg").read_text()
    assert "<title>ccb:alpha=2.0</title>" in drawn and "<title>ccb</title>" not in drawn


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--yscale", "log"), "options of the figure are for --page"),
        (("--page", "--width", "wide"), "width is 'wide'; choose single or double"),
        (("--page", "-a", "scb"), "algorithms has 'scb', which was not run"),
    ],
)
def test_report_refuses_a_look_that_there_is_not(copied, words, reason):
    assert reason in flat(run("report", copied, *words).stderr)


def test_report_writes_nothing_unless_asked(tmp_path):
    runs = copeland.simulate("cyclic-4", "ccb", 10, compiled=False)
    result_folder.write(runs, tmp_path)
    run("report", tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


# the program


def test_several_horizons_are_taken_and_an_assumption_is_noted():
    words = "mslr-5 -a rucb -a savage --horizon 100 --horizon 1e3 --runs 2 --json"
    done = run("simulate", *words.split())
    assert done.exit_code == 0
    assert "rucb assumes a Condorcet winner" in done.stderr
    rucb, savage = json.loads(done.stdout)["algorithms"]
    assert savage["marks"] == [100, 1000]
    assert len(rucb["marks"]) > 2


@pytest.mark.usefixtures("undrawn")
def test_report_shows_a_run_that_was_cut_as_cut(tmp_path):
    from copeland.problems import problem_of
    from copeland.simulation.simulator import Comparison
    from copeland.support.tasks import finish

    plan = Comparison(problem_of("mslr-5"), ("random",), (10**7,), 1, marks=8, most_duels=10_000)
    result_folder.write(plan.collect(finish(plan.tasks(), tmp_path / "kept")), tmp_path / "cut")
    assert "cut" in run("report", tmp_path / "cut", "--page").stdout
    told = values("report", tmp_path / "cut")
    assert told["algorithms"][0]["mean"] is None
    assert told["algorithms"][0]["mean_at_marks"][-1] is None
