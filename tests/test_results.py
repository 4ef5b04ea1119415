import dataclasses
import json

import numpy as np
import pytest

import copeland
from copeland.errors import FolderExists, InvalidParameter, InvalidResult
from copeland.simulation import result_folder


@pytest.fixture(scope="module")
def runs():
    specs = ["ccb", "ccb:alpha=2.0"]
    return copeland.simulate("cyclic-4", specs, 200, runs=3, seed=4, compiled=False)


@pytest.fixture
def folder(runs, tmp_path):
    result_folder.write(runs, tmp_path / "out", command="copeland simulate ...")
    return tmp_path / "out"


def assert_equal(one, other):
    for field in dataclasses.fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype and np.array_equal(a, b), field.name
        elif field.name != "curves":
            assert a == b, field.name


def test_what_was_written_is_read_back_equal(runs, folder):
    again = result_folder.read(folder)
    assert_equal(runs, again)
    for curve, same in zip(runs.curves, again.curves, strict=True):
        assert_equal(curve, same)


def test_an_interrupted_simulation_with_unequal_runs_is_read_back(runs, tmp_path):
    first, second = runs.curves
    rows = ("regret", "comparisons", "answers", "correct")
    shorter = dataclasses.replace(second, **{name: getattr(second, name)[:1] for name in rows})
    result_folder.write(
        dataclasses.replace(runs, curves=(first, shorter), interrupted=True), tmp_path
    )
    again = result_folder.read(tmp_path)
    assert again.interrupted
    assert [len(curve.regret) for curve in again.curves] == [3, 1]


def test_the_folder_holds_a_manifest_and_one_table(folder):
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "runs.npz"]


def test_the_manifest_says_what_was_run(runs, folder):
    about = json.loads((folder / "manifest.json").read_text())
    assert about["format"] == result_folder.FORMAT
    assert (about["problem"], about["k"], about["key"]) == ("cyclic-4", 4, runs.key)
    assert (about["horizon"], about["seed"], about["regret"]) == (200, 4, "definition-1")
    second = about["algorithms"][1]
    assert (second["name"], second["params"], second["runs"]) == ("ccb", {"alpha": 2.0}, 3)
    assert set(about["versions"]) == {"copeland", "python", "numpy", "numba"}
    assert about["command"] == "copeland simulate ..."


def test_the_table_has_the_columns_of_the_long_table(runs, folder):
    with np.load(folder / "runs.npz") as table:
        for name, column in runs.columns().items():
            assert np.array_equal(table[name], column), name


def test_a_folder_that_is_not_empty_is_refused_and_left_alone(runs, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(FolderExists, match="not empty"):
        result_folder.write(runs, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_force_replaces_the_results_and_nothing_else(runs, folder):
    (folder / "notes.txt").write_text("mine")
    result_folder.write(dataclasses.replace(runs, seed=5), folder, force=True)
    assert result_folder.read(folder).seed == 5
    assert (folder / "notes.txt").read_text() == "mine"


def test_an_empty_folder_is_used(runs, tmp_path):
    result_folder.write(runs, tmp_path)
    assert result_folder.read(tmp_path).k == 4


@pytest.mark.parametrize("name", ["file.txt", "file.txt/inside"])
def test_a_file_where_a_folder_should_be_is_refused(tmp_path, name):
    (tmp_path / "file.txt").touch()
    with pytest.raises(InvalidParameter, match="is a file"):
        result_folder.check_folder(tmp_path / name, force=True)


def test_a_crash_while_writing_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def crash(self, target):
        raise OSError("the disk is gone")

    monkeypatch.setattr("pathlib.Path.replace", crash)
    with pytest.raises(OSError, match="gone"):
        result_folder.write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_crash_between_two_files_leaves_a_folder_that_is_refused(runs, folder, monkeypatch):
    def crash(path, content):
        raise OSError("the disk is gone")

    monkeypatch.setattr(result_folder, "write_file", crash)
    with pytest.raises(OSError, match="gone"):
        result_folder.write(runs, folder, force=True)
    with pytest.raises(InvalidResult, match="unfinished"):
        result_folder.read(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"name": "a web page"}', '{"format": 1}'])
def test_a_manifest_that_is_none_is_refused(folder, content):
    (folder / "manifest.json").write_text(content)
    with pytest.raises(InvalidResult, match="damaged"):
        result_folder.read(folder)


@pytest.mark.parametrize("kept", [0, 100, 1000])
def test_a_table_cut_short_is_refused(folder, kept):
    table = folder / "runs.npz"
    table.write_bytes(table.read_bytes()[:kept])
    with pytest.raises(InvalidResult, match=r"runs\.npz is damaged"):
        result_folder.read(folder)


def test_a_folder_without_a_table_or_manifest_that_fits_is_refused(folder, tmp_path):
    (folder / "runs.npz").unlink()
    with pytest.raises(InvalidResult, match=r"no runs\.npz"):
        result_folder.read(folder)
    (folder / "manifest.json").write_text('{"format": 99}')
    with pytest.raises(InvalidResult, match="format 99"):
        result_folder.read(folder)
    with pytest.raises(InvalidResult, match="no such folder"):
        result_folder.read(tmp_path / "nowhere")
    with pytest.raises(InvalidResult, match=r"no manifest\.json"):
        result_folder.read(tmp_path)


def test_a_table_that_does_not_fit_the_manifest_is_refused(folder):
    about = json.loads((folder / "manifest.json").read_text())
    about["algorithms"][0]["runs"] = 2
    (folder / "manifest.json").write_text(json.dumps(about))
    with pytest.raises(InvalidResult, match="damaged"):
        result_folder.read(folder)


def test_a_run_that_was_cut_is_read_back(tmp_path):
    runs = copeland.simulate("cyclic-4", "ccb", 100, runs=2)
    cut = runs.curves[0].regret.copy()
    cut[:, -1] = np.nan
    curve = dataclasses.replace(runs.curves[0], regret=cut)
    result_folder.write(dataclasses.replace(runs, curves=(curve,)), tmp_path / "cut")
    assert np.isnan(result_folder.read(tmp_path / "cut").curves[0].regret[:, -1]).all()


def test_the_result_folders_at_a_place_are_itself_or_those_below(tmp_path):
    runs = copeland.simulate("cyclic-4", "ccb", 100, runs=2)
    for name in ("b", "a"):
        result_folder.write(runs, tmp_path / "all" / name)
    below = tmp_path / "all"
    assert result_folder.folders(below) == [below / "a", below / "b"]
    assert result_folder.folders(below / "a") == [below / "a"]
    assert result_folder.folders(tmp_path / "missing") == [tmp_path / "missing"]
