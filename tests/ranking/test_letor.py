"""LETOR files and their cache: read and written."""

import gzip
import sys

import numpy as np
import pytest
from collection_equality import same
from hypothesis import given
from hypothesis import strategies as st

from copeland.ranking import Collection, InvalidCollection, letor, synthetic, undecided_queries

pytestmark = pytest.mark.usefixtures("cache")

TWO_QUERIES = """\
2 qid:7 1:0.5 2:3 # docid = a
0 qid:7 1:0.25 2:1e1 # docid = b
1 qid:3 2:-4 # docid = a
"""


def test_a_small_file_is_read_as_it_stands(file):
    c = letor.load(file(TWO_QUERIES))
    assert c.grades.tolist() == [2, 0, 1]
    assert c.features.tolist() == [[0.5, 3], [0.25, 10], [0, -4]]
    assert c.offsets.tolist() == [0, 2, 3]
    assert c.queries == ("7", "3")
    assert c.documents == ("a", "b", "a")
    assert c.feature_names == ("feature_1", "feature_2")
    assert c.name == "f"


def test_rows_and_features_may_be_written_in_many_ways(file):
    plain = letor.load(file(TWO_QUERIES))
    other = "# a comment\r\n\r\n" + TWO_QUERIES.replace("\n", "\r\n") + "\n  \n"
    assert same(letor.load(file(other, "g.txt")), plain)
    c = letor.load(file("0 qid:1 3:1 1:2\n1 qid:1\n0 qid:1 1:4 3:5\n"))
    assert c.features.tolist() == [[2, 0, 1], [0, 0, 0], [4, 0, 5]]
    assert letor.load(file("0 qid:1\n1 qid:1\n")).features.shape == (2, 0)
    assert letor.load(file(TWO_QUERIES), n_features=5).features.shape == (3, 5)
    assert letor.load(file("2.0 qid:1 1:1\n")).grades.tolist() == [2]


def test_compressed_files_several_files_and_many_blocks_are_read_as_one(file, monkeypatch):
    packed = file(gzip.compress(TWO_QUERIES.encode()), "f.txt.gz")
    assert same(letor.load(packed), letor.load(file(TWO_QUERIES)))
    assert letor.load(packed).name == "f"
    first, second = file(TWO_QUERIES, "1.txt"), file("1 qid:9 5:1 # docid = z\n", "2.txt")
    c = letor.load(first, second)
    assert same(c, letor.load(file(TWO_QUERIES + "1 qid:9 5:1 # docid = z\n")))
    assert c.features.shape == (4, 5)
    path = file(TWO_QUERIES + "1 qid:9 5:1\n0 qid:9 1:2\n")
    whole = letor.load(path, cache=False)
    monkeypatch.setattr(letor, "BLOCK", 2)
    assert same(letor.load(path, cache=False), whole)


@pytest.mark.parametrize(
    "content", ["0 qid:1 1:2 # docid = a\n1 qid:1 1:3\n", "0 qid:1 # docid = a\n" * 2]
)
def test_comments_that_do_not_name_each_document_once_name_none(file, content):
    assert letor.load(file(content)).documents is None


def test_float64_keeps_what_float32_would_tie(file):
    path = file("0 qid:1 1:16777216\n0 qid:1 1:16777217\n")
    assert len(np.unique(letor.load(path).features)) == 1
    assert len(np.unique(letor.load(path, dtype=np.float64).features)) == 2


def test_files_that_do_not_fit_are_refused_by_name_and_line(file, tmp_path):
    with pytest.raises(InvalidCollection, match="line 1: there is a feature 2, but at most 1"):
        letor.load(file(TWO_QUERIES), n_features=1)
    first, second = file(TWO_QUERIES, "1.txt"), file("1 qid:7 1:1\n", "2.txt")
    with pytest.raises(InvalidCollection, match=r"2\.txt, line 1: query 7 comes again"):
        letor.load(first, second)
    with pytest.raises(InvalidCollection, match=r"none\.txt: there is no such file"):
        letor.load(tmp_path / "none.txt")
    with pytest.raises(InvalidCollection, match=r"f\.gz: cannot be read"):
        letor.load(file(b"nonsense", "f.gz"))
    with pytest.raises(InvalidCollection, match=r"g\.gz: cannot be read"):
        letor.load(file(gzip.compress(TWO_QUERIES.encode())[:-9], "g.gz"))
    with pytest.raises(InvalidCollection, match="no file is named"):
        letor.load()
    with pytest.raises(InvalidCollection, match=r"line 1: the row has no qid.*no r\.query"):
        letor.load(file(SIZED, "r"))
    path = file("0 1:1\n1 qid:4 1:2\n", "r")
    file("2\n", "r.query")
    with pytest.raises(InvalidCollection, match="r, line 2: only some rows"):
        letor.load(path)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
def test_an_empty_file_is_refused(file, content):
    with pytest.raises(InvalidCollection, match=r"f\.txt: the file has no rows"):
        letor.load(file(content))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [({"grades": 1}, "grades is 1"), ({"n_features": 0}, "n_features"), ({"dtype": "i4"}, "int32")],
)
def test_rules_that_make_no_sense_are_refused(file, wrong, sentence):
    with pytest.raises(InvalidCollection, match=sentence):
        letor.load(file(TWO_QUERIES), **wrong)


SIZED = "0 1:1\n1 1:2\n2 1:3\n"


# LightGBM


def test_sizes_beside_files_make_their_queries_numbered_on(file):
    path = file(SIZED, "r.train")
    file("2\n1\n", "r.train.query")
    c = letor.load(path)
    assert c.queries == ("1", "2")
    assert c.offsets.tolist() == [0, 2, 3]
    first, second = file(SIZED, "1"), file(gzip.compress(SIZED.encode()), "2.gz")
    file("2\n1\n", "1.query")
    file("3\n", "2.query")
    assert letor.load(first, second).queries == ("1", "2", "3")


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ("2\n", "r, line 3: the sizes in r.query add up to fewer rows"),
        ("2\n2\n", "r.query: the sizes add up to more rows"),
        ("2\nx\n", "r.query, line 2: 'x' is not a number of rows"),
        ("3\n0\n", "r.query, line 2: '0' is not a number of rows"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(file, sizes, sentence):
    path = file(SIZED, "r")
    file(sizes, "r.query")
    with pytest.raises(InvalidCollection, match=sentence):
        letor.load(path)


# The cache


def test_what_was_read_once_is_taken_from_the_cache(file, cache, monkeypatch):
    path = file(TWO_QUERIES)
    read = letor.load(path)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(letor, "_read", None)
    assert same(letor.load(path), read)
    path.rename(path.with_name("moved.txt"))
    assert letor.load(path.with_name("moved.txt")).name == "moved"


def test_what_has_changed_is_read_again(file):
    assert letor.load(file(TWO_QUERIES)).n_documents == 3
    assert letor.load(file(TWO_QUERIES + "0 qid:3 1:1\n")).n_documents == 4
    path = file(SIZED, "r")
    file("3\n", "r.query")
    assert letor.load(path).n_queries == 1
    file("1\n2\n", "r.query")
    assert letor.load(path).n_queries == 2


def test_other_rules_are_other_entries(file):
    path = file(TWO_QUERIES)
    letor.load(path)
    assert letor.load(path, n_features=9).n_features == 9
    assert letor.load(path, dtype=np.float64).features.dtype == np.float64
    with pytest.raises(InvalidCollection, match="from 0 to 1"):
        letor.load(path, grades=2)


def test_a_damaged_entry_is_replaced(file, cache):
    path = file(TWO_QUERIES)
    read = letor.load(path)
    [entry] = cache.iterdir()
    entry.write_bytes(entry.read_bytes()[:100])
    assert same(letor.load(path), read)
    assert entry.stat().st_size > 100


def test_without_the_cache_or_pooch_nothing_is_kept(file, cache, monkeypatch):
    letor.load(file(TWO_QUERIES), cache=False)
    assert not cache.exists()
    monkeypatch.delenv("COPELAND_CACHE")
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert letor.load(file(TWO_QUERIES)).n_documents == 3
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_is_done_without(file, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert letor.load(file(TWO_QUERIES)).n_documents == 3


# Writing


@pytest.mark.parametrize(("name", "dtype"), [("w.txt", np.float32), ("w.txt.gz", np.float64)])
def test_what_is_written_is_read(tmp_path, name, dtype):
    made = synthetic(queries=4, documents=5, seed=3)
    table = np.random.default_rng(1).normal(size=made.features.shape).astype(dtype)
    c = Collection(made.grades, table, made.offsets, documents=[f"d{i}" for i in range(len(table))])
    letor.write(c, tmp_path / name)
    assert same(letor.load(tmp_path / name, dtype=dtype), c)


def test_selected_features_keep_their_numbers_in_a_file(file, tmp_path):
    c = letor.load(file(TWO_QUERIES)).select([2])
    letor.write(c, tmp_path / "w.txt")
    assert (tmp_path / "w.txt").read_text().startswith("2 qid:7 2:3 #docid = a\n")


@pytest.mark.parametrize("named", [{"queries": ["a b"]}, {"documents": ["a#b"]}])
def test_names_that_a_line_would_break_are_not_written(tmp_path, named):
    with pytest.raises(InvalidCollection, match="cannot be written as a name"):
        letor.write(Collection([0], [[1]], [0, 1], **named), tmp_path / "w.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@given(
    st.lists(
        st.dictionaries(st.integers(1, 6), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        max_size=5,
    )
)
def test_every_finite_number_is_read_to_the_last_bit(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("letor") / "f.txt"
    cells = [" ".join(f"{i}:{value!r}" for i, value in row.items()) for row in rows]
    path.write_text("".join(f"0 qid:1 {cell}\n" for cell in cells))
    c = letor.load(path, dtype=np.float64, n_features=6, cache=False)
    assert c.features.tolist() == [[row.get(i, 0.0) for i in range(1, 7)] for row in rows]


# Real files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rows", "queries", "features", "top"),
    [
        ("mslr_fold1_train_5k.txt", 5000, 43, 136, 4),
        ("mq2008_S1.txt", 2933, 157, 46, 2),
        ("lightgbm_rank.train", 3005, 201, 300, 4),
    ],
)
def test_real_files_have_the_documented_shape(data, name, rows, queries, features, top):
    c = letor.load(data / "letor" / name)
    assert (c.n_documents, c.n_queries, c.n_features) == (rows, queries, features)
    assert sorted(set(c.grades.tolist())) == list(range(top + 1))
    assert same(letor.load(data / "letor" / name), c)  # from the cache


@pytest.mark.slow
def test_real_comments_name_the_documents(data):
    c = letor.load(data / "letor" / "mq2008_S1.txt", cache=False)
    assert c.documents is not None
    assert c.documents[0] == "GX008-86-4444840"
    assert len(undecided_queries(c)) == 52
