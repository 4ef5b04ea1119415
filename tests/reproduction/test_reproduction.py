"""The paper, run anew in a small size: its numbers, its page, its command."""

import dataclasses
import json
import re
import sys
from html import unescape

import numpy as np
import pytest
from curves_by_hand import CUT
from helpers import random_matrix
from typer.testing import CliRunner

import copeland
import copeland.problems.download
from copeland import InvalidParameter
from copeland.cli import app
from copeland.reproduction import findings, paper_experiments, reproduction, subset_analyses
from copeland.reproduction.reproduction import as_json, reproduce
from copeland.reproduction.reproduction_page import (
    figures,
    file_name,
    reproduction_page,
    write_reproduction,
)
from copeland.simulation import result_folder
from copeland.simulation.cell import Cell
from copeland.support.tasks import FOLDER

# Left out of `make fast`; begun together, so that one worker runs the experiments for all.
pytestmark = [pytest.mark.slow, pytest.mark.long]


VERSIONS = {"copeland": "1.2.3", "numpy": "9.8.7"}
COMMAND = "copeland reproduce --quick --seed 0 --out 'a & b'"
PAIRS = {
    "copeland-von_neumann",
    "copeland-borda",
    "copeland-random_walk",
    "von_neumann-borda",
    "von_neumann-random_walk",
    "borda-random_walk",
}


AT_NIGHT = {"pbr", "rankel", "dts", "dts-plus"}  # no other test by day compiles them


def shorten(make):
    """An experiment of the paper with two runs of a thousand steps, by day of fewer algorithms."""

    def short(*args):
        figure = make(*args)
        known = figure.comparison.algorithms
        played = tuple(one for one in known if one.split(":")[0] not in AT_NIGHT)
        horizons = (100, 1000) if len(figure.comparison.horizons) > 1 else (1000,)
        short = dataclasses.replace(
            figure.comparison,
            algorithms=played,
            horizons=horizons,
            runs=2,
            marks=8,
            most_duels=0,
        )
        return dataclasses.replace(figure, comparison=short)

    return short


@pytest.fixture(scope="module", autouse=True)
def short_experiments():
    """Every experiment in a small size."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("small", "large", "condorcet", "modern", "alphas", "deltas", "cut"):
            patch.setattr(paper_experiments, name, shorten(getattr(paper_experiments, name)))
        patch.setattr(
            paper_experiments, "_TRIES", 500
        )  # there are 21 choices of five, and each is met
        cyclic = "order-6-0.4:seed=0"
        patch.setattr(
            paper_experiments, "SCANNED_GAPS", dict.fromkeys(paper_experiments.QUICK_GAPS, cyclic)
        )
        yield


@pytest.fixture(scope="module")
def matrix():
    return random_matrix(7, 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduction")


@pytest.fixture(scope="module")
def reproduced(matrix, folder):
    others = {"mslr-perfect": copeland.load("cyclic-4"), "mslr-other": copeland.load("mslr-5")}
    return reproduce(folder, matrix=matrix, others=others)


@pytest.fixture(scope="module")
def drawn_figures(reproduced):
    return figures(reproduced)


@pytest.fixture(scope="module")
def written_folder(reproduced, tmp_path_factory):
    """The folder with all that is written_folder."""
    out = tmp_path_factory.mktemp("written_folder")
    write_reproduction(reproduced, out, VERSIONS, COMMAND)
    return out


@pytest.fixture(scope="module")
def page(written_folder):
    return (written_folder / "index.html").read_text(encoding="utf-8")


def run(*words, cache):
    words = ["reproduce", *map(str, words)]
    return CliRunner().invoke(
        app, words, prog_name="copeland", catch_exceptions=False, env={"COPELAND_CACHE": str(cache)}
    )


# what is run


def test_every_experiment_and_the_analyses_are_run(reproduced):
    names = [figure.name for figure, _ in reproduced.figures]
    large = [f"large: {gaps}" for gaps in paper_experiments.QUICK_GAPS]
    assert names == ["small", *large, "condorcet", "modern", "alpha", "delta"]
    assert reproduced.analyses is not None
    assert reproduced.cuts


@pytest.mark.nightly
def test_all_algorithms_of_the_experiments_are_run(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "AT_NIGHT", set())
    done = reproduce(tmp_path, only=["small", "modern"])
    labels = [[curve.label for curve in runs.curves] for _, runs in done.figures]
    assert labels == [
        ["ccb", "scb", "rucb", "savage", "pbr", "rankel"],
        ["ccb", "dts", "dts-plus", "ecw-rmed"],
    ]


def test_figures_1_and_2_show_more_algorithms_if_asked(tmp_path):
    more = reproduce(tmp_path, only=["small", "large", "condorcet"], also=["scb:literal=1"])
    for figure, runs in more.figures:
        shown = [curve.label for curve in runs.curves]
        assert ("scb:literal=1" in shown) == (figure.name != "condorcet")
    with pytest.raises(InvalidParameter, match="no parameter 'literl'"):
        reproduce(tmp_path, also=["scb:literl=1"])


@pytest.mark.usefixtures("undrawn")
def test_the_command_line_passes_more_algorithms_on(tmp_path):
    words = ("--only", "small", "--also", "scb:literal=1", "--out", tmp_path / "out", "--json")
    result = run(*words, cache=tmp_path)
    shown = json.loads(result.stdout)["experiments"]["small"]["algorithms"]
    assert "scb:literal=1" in shown
    assert "--also scb:literal=1" in (tmp_path / "out" / "index.html").read_text()


def test_nothing_is_run_twice(reproduced, folder, matrix, monkeypatch):
    for task in (reproduction.SubsetTask, Cell):
        monkeypatch.setattr(task, "run", lambda self: pytest.fail("done twice"))
    again = reproduce(folder, matrix=matrix)
    assert as_json(again)["table1"] == as_json(reproduced)["table1"]
    assert as_json(again)["experiments"] == as_json(reproduced)["experiments"]


def test_a_matrix_of_another_size_does_not_stand_in_for_the_five_rankers(reproduced):
    assert reproduced.figures[0][1].problem == "mslr-5"


# numbers


def test_the_numbers_have_the_names_that_were_agreed_on(reproduced):
    numbers = as_json(reproduced)
    assert set(numbers["table1"]) == PAIRS
    for name in ("copeland_in_support", "gap_ratio"):
        assert isinstance(numbers[name], float)
    assert list(numbers["p_condorcet"]) == [1, 2, 3, 4, 5, 6, 7]
    ccb = numbers["experiments"]["small"]["algorithms"]["ccb"]
    assert ccb["marks"][-1] == 1000
    assert len(ccb["mean_at_marks"]) == len(ccb["marks"])
    json.dumps(numbers, allow_nan=False)


# figures


def test_the_analyses_have_their_four_figures(reproduced, drawn_figures):
    assert list(drawn_figures)[-4:] == [
        "condorcet-winners",
        "copeland-winners",
        "losses",
        "gap-ratio",
    ]
    exact, sampled = drawn_figures["condorcet-winners"].axes[0].lines
    assert exact.get_ydata().tolist() == reproduced.analyses.condorcet.exact.tolist()
    assert sampled.get_ydata().tolist() == reproduced.analyses.condorcet.sampled.tolist()
    assert drawn_figures["gap-ratio"].axes[0].get_yscale() == "log"


def test_the_area_of_a_bubble_is_proportional_to_its_share(reproduced, drawn_figures):
    bubbles = drawn_figures["copeland-winners"].axes[0].collections[0]
    observed = reproduced.analyses.observed
    rows, values = np.nonzero(observed.winners)
    shares = observed.winners[rows, values] / observed.samples[rows]
    assert np.allclose(bubbles.get_sizes() / bubbles.get_sizes().max(), shares / shares.max())


# the page


def test_the_page_needs_nothing_from_elsewhere(page):
    assert not re.search(r"https?:|<script|<link|@import|url\((?!#)|src=", page)


def test_the_page_holds_every_figure_what_the_paper_says_and_how_it_was_made(
    page, drawn_figures, matrix
):
    assert page.count("<svg") == len(drawn_figures)
    assert "currentColor" in page
    assert "mslr-perfect: ranker 0 beats all others, as in the paper." in page
    assert "mslr-other: no ranker beats all others; in the paper one does." in page
    for fact in ("copeland 1.2.3", "numpy 9.8.7", matrix.key, "--out &#39;a &amp; b&#39;"):
        assert fact in page


def test_the_page_says_what_the_paper_says_and_what_we_find(page, reproduced):
    assert page.count("The paper says") == page.count("We find") - 4 == len(reproduced.figures) + 3
    for figure, runs in reproduced.figures:
        assert figure.title in page
        assert findings.describe_experiment(figure, runs) in unescape(page)


def test_the_page_says_what_cannot_be_known(page):
    assert "prints neither the gaps nor the horizon" in page
    assert "has 7 options, and is not that of the paper" in page
    for printed in ("1,419", "99.94", "51.49"):
        assert printed not in page


@pytest.mark.usefixtures("undrawn")
def test_the_papers_matrix_stands_beside_the_papers_numbers(reproduced):
    rankers = random_matrix(paper_experiments.RANKERS, 1)
    cells = [subset_analyses.cell(rankers, k, first=0, count=500) for k in (3, 5)]
    whole = dataclasses.replace(
        reproduced, matrix=rankers, analyses=subset_analyses.analyse(rankers, cells)
    )
    page = reproduction_page(whole, VERSIONS)
    for printed in ("1,419", "99.94 %", "51.49 %", "94.2 %", "(Table 1)"):
        assert printed in page


@pytest.mark.usefixtures("undrawn")
def test_the_page_reports_cut_runs_and_how_to_get_a_matrix_that_is_absent(reproduced):
    figure = next(figure for figure, _ in reproduced.figures if figure.name.startswith("large"))
    page = reproduction_page(dataclasses.replace(reproduced, figures=((figure, CUT),)), VERSIONS)
    assert "1 of 1 runs of scb, followed to t = 100" in page
    assert "≥ 90 (cut)" in page
    assert "nan" not in re.sub("<svg.*?</svg>", "", page, flags=re.DOTALL)
    without = dataclasses.replace(reproduced, matrix=None, analyses=None)
    page = reproduction_page(without, VERSIONS)
    assert "copeland data fetch mslr-informational" in page
    assert "Table 1" in page


def test_figures_numbers_and_page_are_written(reproduced, drawn_figures, written_folder):
    names = {path.name for path in written_folder.iterdir() if path.is_file()}
    images = {f"{name}.{kind}" for name in drawn_figures for kind in ("svg", "pdf")}
    assert names == images | {"index.html", "reproduction.json"}
    numbers = json.loads((written_folder / "reproduction.json").read_text())
    assert numbers["table1"] == as_json(reproduced)["table1"]


def test_each_experiment_is_a_result_folder(reproduced, written_folder):
    places = result_folder.folders(written_folder)
    assert [place.name for place in places] == sorted(
        file_name(f.name) for f, _ in reproduced.figures
    )
    for figure, runs in reproduced.figures:
        read = result_folder.read(written_folder / file_name(figure.name))
        assert [curve.label for curve in read.curves] == [curve.label for curve in runs.curves]


@pytest.fixture(scope="module")
def file(matrix, tmp_path_factory):
    path = tmp_path_factory.mktemp("matrix") / "seven.csv"
    matrix.save(path)
    return path


# the command


@pytest.mark.usefixtures("undrawn")
def test_the_command_prints_json_alone_and_goes_on_with_a_folder(
    file, folder, reproduced, tmp_path
):
    done = run("--matrix", file, "--out", folder, "--json", cache=tmp_path)
    assert done.exit_code == 0, done.stderr
    numbers = json.loads(done.stdout)
    assert set(numbers["table1"]) == PAIRS
    for name in ("copeland_in_support", "gap_ratio", "p_condorcet", "experiments"):
        assert name in numbers
    assert (folder / "index.html").exists()
    assert "index.html" in done.stderr


@pytest.mark.usefixtures("undrawn")
def test_the_command_says_what_it_finds(file, folder, reproduced, tmp_path):
    said = " ".join(run("--matrix", file, "--out", folder, cache=tmp_path).stdout.split())
    assert "ends with the least mean regret" in said
    assert "Copeland and Borda" in said


@pytest.mark.usefixtures("undrawn")
def test_without_the_matrix_the_command_says_so_and_how_to_get_it(tmp_path):
    done = run("--only", "modern", "--only", "analyses", "--out", tmp_path / "out", cache=tmp_path)
    assert done.exit_code == 0, done.stderr
    assert "copeland data fetch mslr-informational" in done.stderr
    assert "copeland data fetch mslr-informational" in (tmp_path / "out/index.html").read_text()


@pytest.mark.usefixtures("undrawn")
def test_matrices_that_were_downloaded_are_used(matrix, monkeypatch, tmp_path):
    stored = dict.fromkeys(("mslr-informational", "mslr-perfect"), matrix)
    monkeypatch.setattr(copeland.problems.download, "find_in_cache", stored.get)
    monkeypatch.setattr(copeland.problems.download, "load", stored.get)
    done = run("--only", "analyses", "--out", tmp_path / "out", "--json", cache=tmp_path)
    numbers = json.loads(done.stdout)
    assert set(numbers["table1"]) == PAIRS
    assert list(numbers["condorcet_winners"]) == ["mslr-perfect"]
    assert "The other click models" in (tmp_path / "out/index.html").read_text()


@pytest.mark.usefixtures("undrawn")
def test_parts_that_need_no_matrix_do_not_speak_of_it(tmp_path):
    done = run("--only", "condorcet,modern", "--out", tmp_path / "out", "--json", cache=tmp_path)
    assert list(json.loads(done.stdout)["experiments"]) == ["condorcet", "modern"]
    assert "data fetch" not in done.stderr


@pytest.mark.usefixtures("undrawn")
def test_a_damaged_cell_is_named_and_it_alone_is_done_again(tmp_path):
    words = ("--only", "condorcet", "--out", tmp_path / "out", "--json")
    first = run(*words, cache=tmp_path)
    cells = sorted((tmp_path / "out" / FOLDER).iterdir())
    kept = {path: path.stat().st_mtime_ns for path in cells}
    cells[0].write_bytes(b"not a zip")
    again = run(*words, cache=tmp_path)
    assert again.stdout == first.stdout
    assert cells[0].name in again.stderr and "is damaged" in again.stderr
    assert all(path.stat().st_mtime_ns == kept[path] for path in cells[1:])


@pytest.mark.usefixtures("undrawn")
def test_the_page_names_the_command_that_makes_it_again(tmp_path):
    out = tmp_path / "out"
    run("--only", "condorcet", "--seed", "4", "--out", out, cache=tmp_path)
    command = f"copeland reproduce --quick --only condorcet --seed 4 --out {out}"
    assert command in (out / "index.html").read_text()


@pytest.mark.quick
def test_an_interruption_says_that_the_same_command_goes_on(monkeypatch, tmp_path):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduction, "reproduce", stop)
    done = run("--out", tmp_path / "out", "--only", "small", cache=tmp_path)
    assert (done.exit_code, done.stdout) == (130, "")
    assert "the same command continues from there" in done.stderr


def test_a_missing_backend_names_its_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    words = ("--only", "modern", "--backend", "dask", "--out", tmp_path / "out")
    done = run(*words, cache=tmp_path)
    assert done.exit_code == 2
    assert "copeland[dask]" in done.stderr


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--only smal", "no part 'smal'; did you mean 'small'?"),
        ("--quick --full", "--quick and --full exclude each other"),
        ("--jobs 0", "jobs is 0"),
        ("--seed -1", "seed is -1"),
        ("--backend slurm --only small", "choose one of loky, dask, ray"),
        ("--matrix missing.csv", "missing.csv"),
    ],
)
def test_bad_input_ends_with_one_sentence_and_exit_code_2(words, sentence, tmp_path):
    done = run(*words.split(), "--json", "--out", tmp_path / "out", cache=tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert sentence in done.stderr.splitlines()[-1]


def test_a_matrix_or_folder_that_cannot_be_used_is_refused(tmp_path):
    random_matrix(3, 1).save(tmp_path / "three.csv")
    done = run("--matrix", tmp_path / "three.csv", "--out", tmp_path / "out", cache=tmp_path)
    assert done.exit_code == 2
    assert "has 3 options" in done.stderr
    (tmp_path / "out").write_text("precious")
    done = run("--out", tmp_path / "out", cache=tmp_path)
    assert done.exit_code == 2
    assert (tmp_path / "out").read_text() == "precious"
