import json
import os
import re
import signal
import subprocess
import sys

import pytest
import typer
from commands import run

import copeland
from copeland import bounds, results
from copeland.cells import Cell
from copeland.cli import app
from copeland.errors import Interrupted

pytestmark = pytest.mark.slow  # left out of `make fast`

TWO = ("-a", "ccb", "-a", "ccb:alpha=2.0")
SMALL = ("simulate", "cyclic-4", *TWO, "--horizon", "1000", "--runs", "3", "--seed", "5")
FILES = [
    "index.html",
    "manifest.json",
    "regret.pdf",
    "regret.png",
    "regret.svg",
    "runs.npz",
]
COMMANDS = [
    "algorithms",
    "bounds",
    "data",
    "data fetch",
    "data list",
    "data path",
    "problems",
    "problems show",
    "rankers",
    "rankers estimate",
    "rankers report",
    "report",
    "reproduce",
    "simulate",
    "study",
    "winners",
]


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


@pytest.fixture
def nothing_may_run(monkeypatch):
    def fail(*args, **kwargs):
        pytest.fail("a simulation ran")

    monkeypatch.setattr(sys.modules["copeland.cli.simulate"], "simulate", fail)


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


# problems


def test_problems_lists_every_built_in_name():
    rows = values("problems")
    assert [row["name"] for row in rows] == copeland.problems.names()
    assert all(row["example"] and row["about"] and row["source"] for row in rows)


def test_problems_are_shown_as_a_table():
    assert "Komiyama" in run("problems").stdout


def test_problems_show_gives_the_matrix_and_the_winners():
    found = values("problems", "show", "cyclic-4")
    assert (found["name"], found["k"], found["labels"]) == ("cyclic-4", 4, ["0", "1", "2", "3"])
    assert found["matrix"][0] == [0.5, 0.6, 0.6, 0.6]
    assert found["winners"]["condorcet"] == 0


def test_problems_takes_json_before_show_too():
    result = run("problems", "--json", "show", "cyclic-4")
    assert json.loads(result.stdout)["k"] == 4


def test_problems_show_leaves_a_large_matrix_out():
    found = values("problems", "show", "order-60-.1")
    assert found["matrix"] is None
    assert found["winners"]["copeland"] == [0, 1, 2]


def test_problems_show_knows_the_winners_of_a_problem_without_a_matrix():
    found = values("problems", "show", "implicit-1000000")
    assert (found["k"], found["winners"]["copeland"]) == (1000000, [0, 1, 2])


@pytest.mark.parametrize("name", ["cyclic-4", "order-60-.1", "implicit-1000000"])
def test_problems_show_says_who_wins(name):
    assert "Copeland winner" in run("problems", "show", name).stdout


def test_problems_show_says_that_a_random_problem_is_redrawn():
    assert "redraws the problem for each run" in run("problems", "show", "easy-5").stdout


# winners


def test_winners_of_a_problem_with_a_condorcet_winner():
    found = values("winners", "cyclic-4")
    assert found["condorcet"] == 0
    for notion in ("copeland", "borda", "random_walk", "smith"):
        assert isinstance(found[notion], list)
    assert found["copeland"] == found["smith"] == [0]
    assert found["copeland_scores"] == [3, 1, 1, 1]
    assert found["von_neumann"] == [1, 0, 0, 0]


def test_winners_of_a_problem_without_a_condorcet_winner():
    found = values("winners", "mslr-5")
    assert found["condorcet"] is None
    assert found["copeland"] == found["smith"] == [0, 1, 2]
    assert found["cycles"] == [[0, 2, 1]]
    assert found["k"] == len(found["labels"]) == len(found["borda_scores"]) == 5
    assert sum(found["random_walk_distribution"]) == pytest.approx(1)


def test_winners_says_in_words_who_beats_whom_in_a_cycle():
    said = run("winners", "mslr-5").stdout
    assert copeland.load("mslr-5").p[0, 2] > 0.5
    assert "No Condorcet winner" in said
    assert "Copeland winners (3 of 4 wins, tied for first): 0, 1, 2." in said
    assert "0 > 2 > 1 > 0" in said


def test_winners_reads_votes_whose_columns_are_named(tmp_path):
    (tmp_path / "v.tsv").write_text("x\ty\tbest\ntea\tmilk\tx\n")
    found = values(
        "winners", tmp_path / "v.tsv", "--left", "x", "--right", "y", "--outcome", "best"
    )
    assert (found["labels"], found["condorcet"]) == (["tea", "milk"], 0)


def test_winners_reads_a_file_and_shows_its_labels_as_they_are(tmp_path):
    matrix = copeland.PreferenceMatrix([[0.5, 0.8], [0.2, 0.5]], labels=["[bold]x", "y"])
    matrix.save(tmp_path / "m.csv")
    assert "Condorcet winner: 0 ([bold]x)" in run("winners", tmp_path / "m.csv").stdout


# bounds


def test_bounds_gives_the_summary_with_the_options_given():
    options = ("--alpha", "0.8", "--delta", "0.1", "--horizon", "1e6", "--corrected")
    expected = bounds.summary(copeland.load("cyclic-4"), 0.8, 0.1, 1e6, True)
    assert values("bounds", "cyclic-4", *options) == expected


def test_bounds_takes_the_defaults_of_the_package():
    assert values("bounds", "mslr-5") == bounds.summary(copeland.load("mslr-5"))


def test_bounds_shows_why_a_quantity_is_undefined():
    assert "options 3 and 5 tie exactly" in flat(run("bounds", "arxiv-6").stdout)


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


def test_simulate_shows_a_row_for_each_algorithm():
    shown = run(*SMALL).stdout
    assert re.search(r"^ ccb +3 ", shown, re.MULTILINE)
    assert re.search(r"^ ccb:alpha=2\.0 +3 ", shown, re.MULTILINE)


def test_simulate_says_that_a_random_problem_is_redrawn():
    shown = run("simulate", "easy-5", "-a", "ccb", "--horizon", "100", "--runs", "2").stdout
    assert "redrawn for each run" in flat(shown)


def test_simulate_writes_nothing_without_out_and_json_alone_to_standard_output(tmp_path):
    done = shell(*SMALL, "--json", folder=tmp_path)
    assert json.loads(done.stdout)["runs"] == 3
    assert list(tmp_path.iterdir()) == []


def test_simulate_writes_a_folder_that_can_be_read(tmp_path):
    done = run(*SMALL, "--out", tmp_path / "a" / "b")
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == FILES
    assert results.read(tmp_path / "a" / "b").runs == 3
    assert "index.html" in done.stderr


def test_simulate_keeps_the_command_that_gives_the_numbers_again(tmp_path):
    run(*SMALL, "--regret", "half", "--out", tmp_path)
    command = results.manifest(tmp_path)["command"]
    assert command == " ".join(["copeland", *SMALL, "--regret", "half"])


def test_simulate_refuses_a_folder_that_is_there_before_anything_runs(tmp_path, nothing_may_run):
    (tmp_path / "runs.npz").write_text("precious")
    done = run(*SMALL, "--out", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--force" in done.stderr
    assert (tmp_path / "runs.npz").read_text() == "precious"


def test_simulate_replaces_results_by_force(tmp_path):
    (tmp_path / "runs.npz").write_text("precious")
    assert run(*SMALL, "--out", tmp_path, "--force").exit_code == 0
    assert results.read(tmp_path).runs == 3


def test_simulate_stopped_before_any_run_ended_exits_with_130(monkeypatch, tmp_path):
    def stop(*args, **kwargs):
        raise Interrupted("stopped after 0 of 6 runs; what is done is in `.runs`.", None)

    monkeypatch.setattr(sys.modules["copeland.cli.simulate"], "simulate", stop)
    done = run(*SMALL, "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == (
        "copeland: stopped after 0 of 6 runs; the same command goes on from there.\n"
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
    assert "4 of 6 runs; the same command goes on from there" in done.stderr
    assert results.read(tmp_path / "out").interrupted
    return tmp_path / "out"


@pytest.fixture
def ran(monkeypatch):
    """Which runs are made."""
    made, run = [], Cell.run
    monkeypatch.setattr(Cell, "run", lambda cell: made.append(cell) or run(cell))
    return lambda: [(str(cell.spec), cell.first) for cell in made if len(cell.marks)]


def test_the_same_command_goes_on_where_a_simulation_was_stopped(stopped, ran):
    assert values(*SMALL, "--out", stopped)["interrupted"] is False
    assert ran() == [("ccb", 2), ("ccb:alpha=2.0", 2)]
    whole = copeland.simulate("cyclic-4", TWO[1::2], 1e3, runs=3, seed=5)
    for name, column in results.read(stopped).columns().items():
        assert (column == whole.columns()[name]).all()
    assert sorted(path.name for path in stopped.iterdir()) == FILES


def test_another_command_is_not_let_into_the_folder_of_a_stopped_one(stopped, nothing_may_run):
    done = run(*SMALL[:-1], "6", "--out", stopped)
    assert done.exit_code == 2
    assert "--force" in done.stderr


def test_a_simulation_that_was_killed_goes_on(stopped, ran):
    for path in stopped.iterdir():
        if path.is_file():
            path.unlink()
    assert run(*SMALL, "--out", stopped).exit_code == 0
    assert len(ran()) == 2


def test_a_damaged_run_of_a_stopped_simulation_is_named_and_done_again(stopped, ran):
    kept = sorted((stopped / "unfinished" / "cells").iterdir())
    kept[0].write_bytes(kept[0].read_bytes()[:50])
    done = run(*SMALL, "--out", stopped)
    assert done.exit_code == 0
    assert kept[0].name in done.stderr and "done again" in done.stderr
    assert len(ran()) == 3


def test_a_simulation_has_the_same_numbers_on_a_cluster(tmp_path):
    given = values(*SMALL, "--backend", "dask", "--jobs", "2", "--out", tmp_path)
    here = values(*SMALL)
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
    assert results.read(tmp_path / "out").runs == json.loads(written)["runs"]


# report


def test_report_gives_what_simulate_gave(tmp_path):
    given = values(*SMALL, "--out", tmp_path)
    assert values("report", tmp_path) == given
    assert "ccb:alpha=2.0" in run("report", tmp_path).stdout


def test_report_writes_the_page_and_the_figures_anew(tmp_path):
    run(*SMALL, "--out", tmp_path)
    page = (tmp_path / "index.html").read_text()
    for name in FILES:
        if name not in ("manifest.json", "runs.npz"):
            (tmp_path / name).unlink()
    run("report", tmp_path, "--page")
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    assert (tmp_path / "index.html").read_text() == page


def test_report_writes_nothing_unless_asked(tmp_path):
    runs = copeland.simulate("cyclic-4", "ccb", 10, compiled=False)
    results.write(runs, tmp_path)
    run("report", tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


# bad input


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("simulate cyclic-4 -a ccbb", "no algorithm 'ccbb'; did you mean 'ccb'?"),
        ("simulate cyclc-4 -a ccb", "no problem 'cyclc-4'"),
        ("simulate cyclc-4 -a ccb", "did you mean 'cyclic-4'?"),
        ("simulate cyclic-4 -a ccb:alpha=0.5", "alpha is 0.5"),
        ("simulate cyclic-4 -a ccb:alhpa=1", "did you mean 'alpha'?"),
        ("simulate cyclic-4 -a ccb --horizon 0", "horizon is 0"),
        ("simulate cyclic-4 -a ccb --horizon abc", "'abc' is not a number"),
        ("simulate cyclic-4 -a ccb --horizon nan", "horizon is nan"),
        ("simulate cyclic-4 -a ccb --runs 0", "runs is 0"),
        ("simulate cyclic-4 -a ccb --runs 1.5", "'1.5' is not a whole number"),
        ("simulate cyclic-4 -a ccb --seed -1", "seed is -1"),
        ("simulate cyclic-4 -a ccb --jobs 0", "jobs is 0"),
        ("simulate cyclic-4 -a ccb --regret third", "'third'"),
        ("simulate cyclic-4 -a ccb --backend slurm", "choose one of loky, dask, ray"),
        ("simulate cyclic-4", "missing option '--algorithm'"),
        ("simulate easy-99999999:seed=1 -a ccb", "takes up to 10,000 options"),
        ("bounds cyclic-4 --delta 2", "delta is 2"),
        ("bounds cyclic-4 --alpha 0.5", "alpha is 0.5"),
        ("bounds cyclic-4 --horizon 0", "horizon is 0"),
        ("winners missing.csv", "missing.csv: there is no such file"),
        ("winners cyclic-4 --jsn", "no such option"),
        ("problems show nothing-like-it", "known names"),
        ("report missing", "missing: there is no such folder"),
        ("simulat", "Did you mean 'simulate'?"),
    ],
)
def test_bad_input_ends_with_one_sentence_and_exit_code_2(words, sentence, as_json):
    done = run(*words.split(), *as_json)
    assert (done.exit_code, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert re.fullmatch(r"copeland: .*\n", done.stderr)


@pytest.fixture(params=[(), ("--json",)], ids=["", "json"])
def as_json(request):
    return request.param


def test_bad_input_shows_no_traceback_in_a_real_shell(tmp_path):
    done = shell("simulate", "mslr-5", "-a", "ccb:alpha=0.5", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


# the program


def test_the_version_is_the_package_s():
    assert run("--version").stdout == f"copeland {copeland.__version__}\n"


def test_every_command_is_known():
    group = typer.main.get_command(app)
    assert sorted(group.commands) == [name for name in COMMANDS if " " not in name]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_json_and_has_help_with_an_example(command):
    shown = flat(run(*command.split(), "--help").stdout)
    assert "--json" in shown
    assert f"Example: copeland {command.split()[0]}" in shown


def test_no_command_at_all_shows_the_help():
    assert "Usage: copeland" in flat(run().stdout)


def test_listing_algorithms_loads_nothing_heavy(tmp_path):
    heavy = ["numba", "matplotlib", "scipy", "pandas", "joblib"]
    code = (
        "import sys; from typer.testing import CliRunner; from copeland.cli import app; "
        f"CliRunner().invoke(app, ['algorithms']); print([m for m in {heavy} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_several_horizons_are_taken_and_an_assumption_is_noted():
    done = run(
        "simulate",
        "mslr-5",
        "-a",
        "rucb",
        "-a",
        "savage",
        "--horizon",
        "100",
        "--horizon",
        "1e3",
        "--runs",
        "2",
        "--json",
    )
    assert done.exit_code == 0
    assert "rucb assumes a Condorcet winner" in done.stderr
    rucb, savage = json.loads(done.stdout)["algorithms"]
    assert savage["marks"] == [100, 1000]
    assert len(rucb["marks"]) > 2


@pytest.fixture
def letor_file(tmp_path):
    from copeland.ranking import letor, synthetic

    letor.write(synthetic(queries=6, documents=8, features=5, seed=1), tmp_path / "train.txt")
    return tmp_path / "train.txt"


def estimate_words(letor_file, out, *more):
    return ("rankers", "estimate", letor_file, "--comparisons", "600", "--out", out, *more)


def test_rankers_estimate_writes_a_matrix_that_every_command_reads(letor_file, tmp_path):
    out = tmp_path / "m.npz"
    done = run(*estimate_words(letor_file, out, "--json"))
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["rankers"], told["comparisons_of_each_pair"]) == (5, 600)
    assert values("winners", out)["k"] == 5
    assert not list(tmp_path.glob("*.parts"))


@pytest.mark.parametrize("more", [(), ("--adaptive",)], ids=["", "adaptive"])
def test_rankers_estimate_counts_the_same_on_a_cluster(letor_file, tmp_path, more):
    for backend in ("loky", "dask"):
        out = tmp_path / f"{backend}.npz"
        words = ("--backend", backend, "--jobs", "2", *more)
        assert run(*estimate_words(letor_file, out, *words)).exit_code == 0
    assert (copeland.load(tmp_path / "dask.npz").p == copeland.load(tmp_path / "loky.npz").p).all()


def test_rankers_estimate_does_not_overwrite_without_force(letor_file, tmp_path):
    out = tmp_path / "m.npz"
    out.write_bytes(b"mine")
    done = run(*estimate_words(letor_file, out))
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert out.read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--interleave", "balanced"), "probabilistic"),
        (("--clicks", "informatoinal"), "informational"),
        (("--outcome", "sing"), "sign"),
        (("--ties", "halv"), "half"),
        (("--comparisons", "0"), "at least 1"),
        (("--backend", "slurm"), "choose one of loky, dask, ray"),
    ],
)
def test_rankers_estimate_refuses_bad_input_in_a_sentence(letor_file, tmp_path, more, sentence):
    done = run(*estimate_words(letor_file, tmp_path / "m.npz", *more))
    assert done.exit_code == 2, done.stdout
    assert sentence in done.stderr
    assert not (tmp_path / "m.npz").exists()


def test_report_shows_a_run_that_was_cut_as_cut(tmp_path):
    from copeland.comparisons import Comparison
    from copeland.problems import problem_of
    from copeland.tasks import finish

    plan = Comparison(problem_of("mslr-5"), ("random",), (10**7,), 1, marks=8, most_duels=10_000)
    results.write(plan.collect(finish(plan.tasks(), tmp_path / "kept")), tmp_path / "cut")
    assert "cut" in run("report", tmp_path / "cut", "--page").stdout
    told = values("report", tmp_path / "cut")
    assert told["algorithms"][0]["mean"] is None
    assert told["algorithms"][0]["mean_at_marks"][-1] is None
