"""What ties do to a matrix of rankers: likeness, standing, the study and its page."""

import json

import numpy as np
import pytest
from helpers import random_matrix
from typer.testing import CliRunner

from copeland import PreferenceMatrix
from copeland.cli import app
from copeland.errors import InvalidParameter
from copeland.ranking import Collection, letor
from copeland.reproduction import paper_figures, score_ties
from copeland.reproduction.paper_experiments import RANKERS
from copeland.reproduction.reproduction import as_json, duration, reproduce
from copeland.reproduction.reproduction_page import reproduction_page
from copeland.reproduction.score_ties import CLICKS, MODES, Rows, likeness, standing, tied_share
from copeland.theory.gaps import gaps_star_pairs

pytestmark = pytest.mark.slow  # left out of `make fast`


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Three queries, six features: from all different to all equal."""
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 5, 36)
    values = grades[:, None] + rng.normal(size=(36, 6))
    features = np.stack([values[:, i].round(i < 1) // (1 + i) for i in range(6)], axis=1)
    features[:, 5] = 1
    path = tmp_path_factory.mktemp("letor") / "rows.txt"
    letor.write(Collection(grades, features, offsets=[0, 12, 24, 36]), path)
    return path


@pytest.fixture(scope="module")
def tie_study(file, tmp_path_factory):
    matrix = random_matrix(6, 3)
    folder = tmp_path_factory.mktemp("ties")
    rows = Rows.load([file])
    return reproduce(folder, matrix=matrix, rows=rows, comparisons=200, only=["ties"]), folder, rows


@pytest.mark.quick
def test_a_matrix_is_like_itself_and_noise_is_taken_out_of_the_correlation():
    p = random_matrix(8, 1).p
    assert likeness(p, p).entries == 1
    turned = likeness(p, 1 - p)
    assert (turned.entries, turned.borda, turned.signs) == (-1, -1, 0)
    noise = np.triu(np.random.default_rng(0).normal(0, 0.2, p.shape), 1)
    rough = p + noise - noise.T
    assert likeness(rough, p).entries < 0.95
    assert likeness(rough, p, 0.2).without_noise > likeness(rough, p).entries


@pytest.mark.quick
def test_ties_are_counted_within_queries_and_winners_are_sure_beyond_four_errors():
    order = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    errors = np.full((3, 3), 0.02)
    assert standing(order, errors).surely and standing(order).condorcet == 0
    assert not standing(order, 2 * errors).surely
    circle = PreferenceMatrix([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]])
    assert standing(circle, errors).condorcet is None and standing(circle, errors).surely
    assert not standing(circle, 2 * errors).surely
    made = Collection([0, 1, 0, 1], [[1, 1], [1, 2], [3, 5], [4, 5]], offsets=[0, 2, 4])
    assert tied_share(made).tolist() == [0.5, 0.5]


@pytest.mark.quick
def test_every_feature_of_mslr_has_words():
    words = [score_ties.feature_words(n) for n in range(1, RANKERS + 1)]
    assert len(set(words)) == RANKERS
    assert words[122] == "LMIR.JM, title" and words[-1] == "dwell time of the URL"


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(5))
def test_a_bar_of_figures_7_and_8_is_as_long_as_the_gap_it_stands_for(seed):
    m = random_matrix(7, seed)
    for i in range(m.k):
        ends = paper_figures.needed_intervals(m, i)
        assert np.allclose(np.diff(ends, axis=1)[:, 0], gaps_star_pairs(m)[i])


def test_every_mode_and_click_model_is_estimated_compared_and_told(tie_study):
    done, _, rows = tie_study
    study = done.ties
    assert set(study.estimates) == {(c, m) for c in CLICKS for m in MODES}
    assert study.comparisons == 200
    assert study.likeness("informational", "rebroken") is not None
    assert study.likeness("perfect", "rebroken") is None  # the authors' is not at hand
    page = reproduction_page(done, {})
    assert rows.files[0][1] in page and "rebroken" in page and page.count("<svg") == 6
    numbers = as_json(done)["ties"]
    assert set(numbers["matrices"]) == {f"{c}, {m}" for c in CLICKS for m in MODES}
    json.dumps(numbers, allow_nan=False)


def test_what_is_estimated_is_kept(tie_study, monkeypatch):
    done, folder, rows = tie_study
    monkeypatch.setattr(score_ties.PairsTask, "run", lambda self: pytest.fail("done twice"))
    again = reproduce(folder, matrix=done.matrix, rows=rows, comparisons=200, only=["ties"])
    assert as_json(again)["ties"] == as_json(done)["ties"]


def run(*words, cache):
    words = ["reproduce", *map(str, words)]
    return CliRunner().invoke(app, words, prog_name="copeland", env={"COPELAND_CACHE": str(cache)})


def test_the_command_reads_letor_files_and_says_how_long_it_will_take(file, tmp_path):
    out = tmp_path / "out"
    done = run("--only", "ties", "--letor", file, "--comparisons", 50, "--out", out, cache=tmp_path)
    assert done.exit_code == 0, done.stderr
    assert "of CPU time" in done.stderr
    assert f"--letor {file} --comparisons 50" in (out / "index.html").read_text()


def test_the_time_grows_with_the_comparisons_and_a_part_without_rows_is_refused(tmp_path, file):
    done = run("--only", "ties", "--out", tmp_path / "out", cache=tmp_path)
    assert done.exit_code == 2 and "--letor" in done.stderr
    assert issubclass(InvalidParameter, ValueError)
    rows = Rows.load([file])
    short = duration(["ties"], False, 1, True, rows)
    long = duration(["ties"], False, 4, True, rows, comparisons=10**8)
    assert "seconds" in short and "hours" in long and "with 4 processes" in long


def test_the_sample_with_ties_broken_again_is_the_authors_matrix(data, real_matrix, tmp_path):
    rows = Rows.load([data / "letor" / "mslr_fold1_train_5k.txt"])
    theirs = real_matrix("mslr_informational_136").p
    work = score_ties.comparison_tasks(rows, 200, 0)
    like = {
        mode: likeness(
            score_ties.tally_results(rows, [t.run() for t in work["informational", mode]])
            .matrix()
            .p,
            theirs,
        ).entries
        for mode in ("frozen", "rebroken")
    }
    assert like["rebroken"] > 0.97
    assert like["frozen"] < 0.4
