import json

import numpy as np
import pytest
from helpers import random_matrix
from hypothesis import given
from hypothesis import strategies as st

from copeland import InvalidMatrix, PreferenceMatrix

GOOD = [[0.5, 0.7, 0.2], [0.3, 0.5, 0.6], [0.8, 0.4, 0.5]]


def changed(*entries):
    rows = np.array(GOOD)
    for i, j, value in entries:
        rows[i, j] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([[0.5, 0.5]], r"square.*\(1, 2\)"),
        ([0.5, 0.5], "square"),
        ([[0.5]], "at least 2 options; got 1"),
        ([["a", "b"], ["c", "d"]], "numbers"),
        ([[0.5, 0.4], [0.6]], "square table"),
        (changed((0, 1, float("nan"))), r"p\[0, 1\] is nan"),
        (changed((1, 2, 1.2)), r"p\[1, 2\] is 1.2.*between 0 and 1"),
        (changed((1, 1, 0.4)), r"p\[1, 1\] is 0.4.*diagonal to 0.5"),
        (changed((0, 1, 0.71), (1, 2, 0.65)), r"p\[1, 2\] \+ p\[2, 1\] = 0.65 \+ 0.4 = 1.05"),
    ],
)
def test_what_is_not_a_preference_matrix_is_refused_with_a_sentence(rows, sentence):
    with pytest.raises(InvalidMatrix, match=sentence):
        PreferenceMatrix(rows)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (["a", "b"], "3 options needs one label; the number of labels is 2"),
        (["a", "a", "b"], "'a' is repeated"),
        (["a", " ", "b"], "missing"),
    ],
)
def test_bad_labels_are_refused(labels, sentence):
    with pytest.raises(InvalidMatrix, match=sentence):
        PreferenceMatrix(GOOD, labels)


def test_every_refusal_is_also_a_value_error():
    with pytest.raises(ValueError, match="square"):
        PreferenceMatrix([[1] * 2])


def test_a_matrix_is_a_value_with_sub_problems_labels_and_counts():
    p = [[0.5, 1, 0.5], [0, 0.5, 0.3], [0.5, 0.7, 0.5]]
    assert PreferenceMatrix(p).p.tolist() == p
    m = PreferenceMatrix([[0.5, 0.3333333], [0.6666666, 0.5]])
    assert m.p[0, 1] == 0.3333333
    assert m.p[0, 1] + m.p[1, 0] == 1
    m = PreferenceMatrix(GOOD)
    with pytest.raises(ValueError, match="read-only"):
        m.p[0, 1] = 0.1
    with pytest.raises(AttributeError):
        m.labels = ("x",)  # type: ignore[misc]
    m = PreferenceMatrix(GOOD, labels="abc")
    assert m.sub([2, 0]) == m.sub(["c", "a"])
    assert m.sub([2, 0]).p.tolist() == [[0.5, 0.8], [0.2, 0.5]]
    m = PreferenceMatrix(GOOD)
    assert m.relabelled(["x", "y", "z"]).labels == ("x", "y", "z")
    assert m.relabelled(["x", "y", "z"]).key == m.key
    m = PreferenceMatrix.from_wins([[0, 5], [1, 0]], ties=[[0, 2], [2, 0]], prior=1)
    assert m.p[0, 1] == (5 + 1 + 1) / 10


@pytest.mark.parametrize(
    ("options", "sentence"), [(["z"], "labelled 'z'"), ([3], "outside"), ([0, "a"], "twice")]
)
def test_unknown_or_repeated_options_of_a_sub_problem_are_refused(options, sentence):
    with pytest.raises(InvalidMatrix, match=sentence):
        PreferenceMatrix(GOOD, labels="abc").sub(options)


@pytest.mark.parametrize(
    ("wins", "ties", "sentence"),
    [
        ([[0, 0], [0, 0]], None, "never compared"),
        ([[0, -1], [1, 0]], None, "at least 0"),
        ([[0, 1], [1, 0]], [[0, 1], [2, 0]], "symmetric"),
        ([[0, 1], [1, 0]], [[0] * 3] * 3, "make them equal"),
    ],
)
def test_impossible_counts_are_refused(wins, ties, sentence):
    with pytest.raises(InvalidMatrix, match=sentence):
        PreferenceMatrix.from_wins(wins, ties)


@pytest.mark.slow
@given(
    k=st.integers(2, 7), seed=st.integers(0, 100), suffix=st.sampled_from([".csv", ".npz", ".json"])
)
def test_what_is_saved_is_loaded(tmp_path_factory, k, seed, suffix):
    m = random_matrix(k, seed).relabelled([f"option {i}" for i in range(k)])
    path = tmp_path_factory.mktemp("matrix") / f"m{suffix}"
    m.save(path)
    assert PreferenceMatrix.load(path) == m


def test_numbers_and_labels_survive_a_file(tmp_path):
    m = PreferenceMatrix(GOOD, labels=["10", "20", "30"])
    m.save(tmp_path / "m.csv")
    assert PreferenceMatrix.load(tmp_path / "m.csv") == m
    PreferenceMatrix(GOOD).save(tmp_path / "m.npy")
    assert PreferenceMatrix.load(tmp_path / "m.npy") == PreferenceMatrix(GOOD)


def test_a_matrix_that_cannot_be_written_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "m.csv"
    PreferenceMatrix(GOOD).save(path)
    with pytest.raises(InvalidMatrix, match="cannot be written"):
        PreferenceMatrix(GOOD, labels=["a", "b", "\ud800"]).save(path)
    assert PreferenceMatrix.load(path) == PreferenceMatrix(GOOD)
    assert list(tmp_path.iterdir()) == [path]


def test_csv_without_a_header_is_read(tmp_path):
    (tmp_path / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert PreferenceMatrix.load(tmp_path / "m.csv").p[0, 1] == 0.7


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("m.csv", "", "the file is empty"),
        ("m.csv", "0.5,0.7\n0.3\n", "line 2 has 1 values"),
        ("m.csv", "0.5,0.7\n0.3,x\n", "line 2 holds 'x'"),
        ("m.json", "{", "cannot be read"),
        ("m.json", '{"q": 1}', "no 'p'"),
        ("m.npy", "nonsense", "cannot be read"),
        ("m.npz", "nonsense", "cannot be read"),
        ("m.txt", "", "type .txt"),
    ],
)
def test_an_unreadable_file_is_named_with_the_reason(tmp_path, name, content, sentence):
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidMatrix, match=sentence) as caught:
        PreferenceMatrix.load(tmp_path / name)
    assert name in str(caught.value)


def test_files_hold_one_table_or_say_which_is_wrong(tmp_path):
    with pytest.raises(InvalidMatrix, match="no such file"):
        PreferenceMatrix.load(tmp_path / "m.csv")
    path = tmp_path / "m.csv"
    path.write_text(",a,b\nb,.5,.7\na,.3,.5\n")
    with pytest.raises(InvalidMatrix, match="its columns are a and b, but its rows b and a"):
        PreferenceMatrix.load(path)
    np.savez(tmp_path / "one.npz", PMat=np.array(GOOD))
    assert PreferenceMatrix.load(tmp_path / "one.npz").k == 3
    np.savez(tmp_path / "two.npz", a=np.array(GOOD), b=np.eye(2))
    with pytest.raises(InvalidMatrix, match=r"2 two-dimensional arrays \(a, b\)"):
        PreferenceMatrix.load(tmp_path / "two.npz")
    assert PreferenceMatrix.load(tmp_path / "two.npz", key="a").k == 3
    with pytest.raises(InvalidMatrix, match="no array 'c'"):
        PreferenceMatrix.load(tmp_path / "two.npz", key="c")
    path = tmp_path / "votes.json"
    path.write_text('{"winner": "a", "loser": "b"}\n{"winner": "b", "loser": "a"}\n')
    assert PreferenceMatrix.load(path).labels == ("a", "b")
    (tmp_path / "m.json").write_text(json.dumps(GOOD))
    assert PreferenceMatrix.load(tmp_path / "m.json") == PreferenceMatrix(GOOD)


@pytest.mark.parametrize("corner", ["", "model"])
def test_a_csv_with_the_index_of_pandas_is_read(tmp_path, corner):
    path = tmp_path / "m.csv"
    path.write_text(f"{corner},a,b,c\na,.5,.7,.2\nb,.3,.5,.6\nc,.8,.4,.5\n")
    m = PreferenceMatrix.load(path)
    assert m.labels == ("a", "b", "c") and m.p[0].tolist() == [0.5, 0.7, 0.2]


def test_the_index_of_pandas_is_told_from_a_column_of_halves(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(",1,2\n1,0,3\n2,1,0\n")
    m = PreferenceMatrix.load(path)
    assert m.labels == ("1", "2") and m.p[0, 1] == 0.75
    (tmp_path / "m.csv").write_text("0.5,0.5\n0.5,0.5\n")
    assert PreferenceMatrix.load(tmp_path / "m.csv").k == 2


def test_real_matrices_load(real_matrix):
    assert real_matrix("mslr_informational_136").k == 136
