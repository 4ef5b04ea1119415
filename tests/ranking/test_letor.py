import gzip
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copeland.errors import InvalidParameter
from copeland.ranking import (
    Collection,
    InvalidCollection,
    letor,
    synthetic,
    trec,
    undecided_queries,
)

TWO_QUERIES = """\
2 qid:7 1:0.5 2:3 # docid = a
0 qid:7 1:0.25 2:1e1 # docid = b
1 qid:3 2:-4 # docid = a
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("COPELAND_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "letor"


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def written(content, name="f.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def same(one, other):
    return (
        one.queries == other.queries
        and one.feature_names == other.feature_names
        and one.documents == other.documents
        and all(
            np.array_equal(getattr(one, array), getattr(other, array))
            for array in ("grades", "features", "offsets")
        )
    )


def test_a_small_file_is_read_as_it_stands(file):
    c = letor.load(file(TWO_QUERIES))
    assert c.grades.tolist() == [2, 0, 1]
    assert c.features.tolist() == [[0.5, 3], [0.25, 10], [0, -4]]
    assert c.offsets.tolist() == [0, 2, 3]
    assert c.queries == ("7", "3")
    assert c.documents == ("a", "b", "a")
    assert c.feature_names == ("feature_1", "feature_2")
    assert c.name == "f"


def test_comments_blank_lines_and_windows_line_ends_change_nothing(file):
    plain = letor.load(file(TWO_QUERIES))
    other = "# a comment\r\n\r\n" + TWO_QUERIES.replace("\n", "\r\n") + "\n  \n"
    assert same(letor.load(file(other, "g.txt")), plain)


def test_features_may_come_in_any_order_and_rows_may_have_none(file):
    c = letor.load(file("0 qid:1 3:1 1:2\n1 qid:1\n0 qid:1 1:4 3:5\n"))
    assert c.features.tolist() == [[2, 0, 1], [0, 0, 0], [4, 0, 5]]


def test_a_file_may_have_no_features_at_all(file):
    assert letor.load(file("0 qid:1\n1 qid:1\n")).features.shape == (2, 0)


def test_the_number_of_features_can_be_given(file):
    assert letor.load(file(TWO_QUERIES), n_features=5).features.shape == (3, 5)


def test_a_grade_may_be_written_with_a_decimal_point(file):
    assert letor.load(file("2.0 qid:1 1:1\n")).grades.tolist() == [2]


def test_compressed_files_are_read(file):
    packed = file(gzip.compress(TWO_QUERIES.encode()), "f.txt.gz")
    assert same(letor.load(packed), letor.load(file(TWO_QUERIES)))
    assert letor.load(packed).name == "f"


def test_several_files_are_read_as_one(file):
    first, second = file(TWO_QUERIES, "1.txt"), file("1 qid:9 5:1 # docid = z\n", "2.txt")
    c = letor.load(first, second)
    assert same(c, letor.load(file(TWO_QUERIES + "1 qid:9 5:1 # docid = z\n")))
    assert c.features.shape == (4, 5)


def test_many_blocks_are_the_same_as_one(file, monkeypatch):
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


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("5 qid:1 1:1", "the grade is '5'.*from 0 to 4"),
        ("-1 qid:1 1:1", "the grade is '-1'"),
        ("1.5 qid:1 1:1", "the grade is '1.5'"),
        ("x qid:1 1:1", "the grade is 'x'"),
        ("nan qid:1 1:1", "the grade is 'nan'"),
        ("0 qid: 1:1", "the query has no name"),
        ("0 1:1", "the row has no qid"),
        ("0 qid:1 0:1", "numbered '0'"),
        ("0 qid:1 -2:1", "numbered '-2'"),
        ("0 qid:1 1.5:1", "numbered '1.5'"),
        ("0 qid:1 1e1:1", "numbered '1e1'"),
        ("0 qid:1 100001:1", "there is a feature 100001, and 100000 at most"),
        ("0 qid:1 1234567890:1", "numbered '1234567890'"),
        ("0 qid:1 1:1 1:2", "feature 1 is given twice"),
        ("0 qid:1 1:nan", "feature 1 is 'nan'"),
        ("0 qid:1 1:1 2:inf", "feature 2 is 'inf'"),
        ("0 qid:1 1:-Infinity", "feature 1 is '-Infinity'"),
        ("0 qid:1 1:1e400", "feature 1 is too large"),
        ("0 qid:1 2:1e39", "feature 2 is too large for float32"),
        ("0 qid:1 1:1_0", "feature 1 is '1_0'"),
        ("0 qid:1 1:", "feature 1 is ''"),
        ("0 qid:1 :1", "numbered ''"),
        ("0 qid:1 1", "'1' is not a feature"),
        ("0 qid:1 1: 2", "feature 1 is ''"),
        ("0 qid:1 1:2:3 4", "feature 1 is '2:3'"),
        ("0 qid:1 1:2 x:3", "numbered 'x'"),
        ("0 qid:1 qid:2 1:2", "'qid:2' is out of place"),
        ("0 1:2 qid:1", "'qid:1' is out of place"),
        ("0 qid:0 1:1", "query 0 comes back after other queries"),
    ],
)
def test_a_bad_row_is_refused_with_its_file_and_line(file, cache, row, sentence):
    path = file(f"0 qid:0 1:1\n\n1 qid:1 1:1\n{row}\n")
    with pytest.raises(InvalidCollection, match=sentence) as caught:
        letor.load(path)
    assert str(caught.value).startswith(f"{path}, line 4: ")
    assert not cache.exists()


def test_a_feature_beyond_those_announced_is_refused(file):
    with pytest.raises(InvalidCollection, match="line 1: there is a feature 2, and 1 at most"):
        letor.load(file(TWO_QUERIES), n_features=1)


def test_a_query_that_comes_back_in_another_file_is_refused(file):
    first, second = file(TWO_QUERIES, "1.txt"), file("1 qid:7 1:1\n", "2.txt")
    with pytest.raises(InvalidCollection, match=r"2\.txt, line 1: query 7 comes back"):
        letor.load(first, second)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
def test_an_empty_file_is_refused(file, content):
    with pytest.raises(InvalidCollection, match=r"f\.txt: the file has no rows"):
        letor.load(file(content))


def test_a_missing_or_damaged_file_is_named(file, tmp_path):
    with pytest.raises(InvalidCollection, match=r"none\.txt: there is no such file"):
        letor.load(tmp_path / "none.txt")
    with pytest.raises(InvalidCollection, match=r"f\.gz: cannot be read"):
        letor.load(file(b"nonsense", "f.gz"))
    with pytest.raises(InvalidCollection, match=r"g\.gz: cannot be read"):
        letor.load(file(gzip.compress(TWO_QUERIES.encode())[:-9], "g.gz"))
    with pytest.raises(InvalidCollection, match="no file is named"):
        letor.load()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [({"grades": 1}, "grades is 1"), ({"n_features": 0}, "n_features"), ({"dtype": "i4"}, "int32")],
)
def test_rules_that_make_no_sense_are_refused(file, wrong, sentence):
    with pytest.raises(InvalidCollection, match=sentence):
        letor.load(file(TWO_QUERIES), **wrong)


# LightGBM


SIZED = "0 1:1\n1 1:2\n2 1:3\n"


def test_sizes_beside_a_file_make_its_queries(file):
    path = file(SIZED, "r.train")
    file("2\n1\n", "r.train.query")
    c = letor.load(path)
    assert c.queries == ("1", "2")
    assert c.offsets.tolist() == [0, 2, 3]


def test_queries_of_several_sized_files_are_numbered_on(file):
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


def test_rows_without_queries_are_refused_where_there_are_no_sizes(file):
    with pytest.raises(InvalidCollection, match=r"line 1: the row has no qid.*no r\.query"):
        letor.load(file(SIZED, "r"))


def test_a_row_with_a_query_among_sized_ones_is_refused(file):
    path = file("0 1:1\n1 qid:4 1:2\n", "r")
    file("2\n", "r.query")
    with pytest.raises(InvalidCollection, match="r, line 2: only some rows"):
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


def test_without_the_cache_nothing_is_kept(file, cache):
    letor.load(file(TWO_QUERIES), cache=False)
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_is_done_without(file, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert letor.load(file(TWO_QUERIES)).n_documents == 3


def test_without_pooch_files_are_read_every_time(file, cache, monkeypatch):
    monkeypatch.delenv("COPELAND_CACHE")
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert letor.load(file(TWO_QUERIES)).n_documents == 3
    assert not cache.exists()


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


# Collections


def small():
    return Collection([2, 0, 1], [[1, 2], [3, 4], [5, 6]], [0, 2, 3], documents=["a", "b", "a"])


def test_sub_takes_queries_by_index_or_name():
    c = small().sub(["2", "1"])
    assert c.queries == ("2", "1")
    assert c.grades.tolist() == [1, 2, 0]
    assert c.features.tolist() == [[5, 6], [1, 2], [3, 4]]
    assert c.documents == ("a", "a", "b")
    assert same(c, small().sub([1, 0]))


def test_select_takes_features_by_number_or_name():
    assert small().select([2]).features.tolist() == [[2], [4], [6]]
    assert same(small().select(["feature_2"]), small().select([2]))
    assert small().select([2]).select([2]).feature_names == ("feature_2",)


def test_a_collection_cannot_be_changed():
    c = small()
    with pytest.raises(ValueError, match="read-only"):
        c.features[0, 0] = 7
    with pytest.raises(AttributeError):
        c.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"grades": [0, -1, 0]}, "document 1 has the grade -1"),
        ({"grades": [0, 0, 0.5]}, "document 2 has the grade 0.5"),
        ({"grades": [0, 0, 128]}, "the grade 128"),
        ({"grades": ["a"] * 3}, "whole numbers"),
        ({"grades": []}, "at least 1 document"),
        ({"features": [[1], [2]]}, "each of the 3 documents"),
        ({"features": [[1], [2], [np.inf]]}, "column 0 of document 2 is inf"),
        ({"offsets": [0, 2]}, "end with the number of documents, 3"),
        ({"offsets": [0, 2, 2, 3]}, "query 1 has no document"),
        ({"queries": ["a"]}, "query names: 2 needed, 1 came"),
        ({"queries": ["a", "a"]}, "'a' is repeated"),
        ({"feature_names": ["a", "b"]}, "feature names: 1 needed, 2 came"),
        ({"documents": ["a", "b"]}, "3 documents need as many names; 2 came"),
        ({"documents": ["a", "a", "b"]}, "query 1: document name 'a' is repeated"),
    ],
)
def test_what_is_not_a_collection_is_refused(change, sentence):
    good = {"grades": [2, 0, 1], "features": [[1], [2], [3]], "offsets": [0, 2, 3]}
    with pytest.raises(InvalidCollection, match=sentence):
        Collection(**{**good, **change})


def test_unknown_queries_and_features_are_refused():
    with pytest.raises(InvalidCollection, match="no query is called 'x'; there are 1, 2"):
        small().sub(["x"])
    with pytest.raises(InvalidCollection, match=r"query 2 is outside 0\.\.1"):
        small().sub([2])
    with pytest.raises(InvalidCollection, match="no feature 3; there are feature_1, feature_2"):
        small().select([3])


# TREC


RUN = "q1 Q0 b 1 9.5 bm25\nq1 Q0 a 2 3 bm25\nq2 Q0 c 1 1e-3 bm25\n"
QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 4\nq2 0 d 1\n"


def test_runs_and_qrels_are_read(file):
    run, qrels = trec.read_run(file(RUN, "r")), trec.read_qrels(file(QRELS, "q"))
    assert run.name == "bm25"
    assert run.queries["q1"] == {"b": (9.5, 1), "a": (3.0, 2)}
    assert qrels.queries == {"q1": {"a": 2, "b": 0}, "q2": {"c": 4, "d": 1}}


def test_qrels_make_a_collection(file):
    c = trec.collection(trec.read_qrels(file(QRELS, "q")), [trec.read_run(file(RUN, "r"))])
    assert c.queries == ("q1", "q2")
    assert c.documents == ("a", "b", "c", "d")
    assert c.grades.tolist() == [2, 0, 4, 1]
    assert c.n_features == 0


def test_a_document_that_no_qrels_know_is_refused_or_counted_as_grade_0(file):
    qrels = trec.read_qrels(file(QRELS, "q"))
    run = trec.read_run(file(RUN + "q1 Q0 z 3 1 bm25\nq9 Q0 a 1 1 bm25\n", "r"))
    with pytest.raises(InvalidCollection, match=r"r, line 4: .*q does not know document 'z'"):
        trec.collection(qrels, [run])
    c = trec.collection(qrels, [run], unknown="zero")
    assert c.documents == ("a", "b", "z", "c", "d")
    assert c.grades.tolist() == [2, 0, 0, 4, 1]


@pytest.mark.parametrize(
    ("read", "content", "sentence"),
    [
        (trec.read_run, "q1 Q0 a 1 1\n", "line 1: the number of fields is 5"),
        (
            trec.read_run,
            RUN + "q1 Q0 a 3 1 bm25\n",
            "line 4: document 'a' of query 'q1' is .* twice",
        ),
        (trec.read_run, "q1 Q0 a 1 x t\n", "line 1: the score is 'x'"),
        (trec.read_run, "q1 Q0 a 1 nan t\n", "line 1: the score is 'nan'"),
        (trec.read_run, "", "no rows"),
        (trec.read_qrels, "q1 0 a\n", "line 1: the number of fields is 3"),
        (trec.read_qrels, QRELS + "\nq1 0 a 1\n", "line 6: document 'a'"),
        (trec.read_qrels, "q1 0 a 5\n", "line 1: the grade is '5'"),
        (trec.read_qrels, "q1 0 a -2\n", "line 1: the grade is '-2'"),
        (trec.read_qrels, "q1 0 a 0.5\n", "line 1: the grade is '0.5'"),
        (trec.read_qrels, "\n", "no rows"),
    ],
)
def test_bad_trec_files_are_refused_with_file_and_line(file, read, content, sentence):
    with pytest.raises(InvalidCollection, match=sentence) as caught:
        read(file(content, "t"))
    assert "/t" in str(caught.value).replace("\\", "/")


def test_negative_judgments_can_be_read_as_0(file):
    assert trec.read_qrels(file("q 0 a -2\n"), junk="zero").queries == {"q": {"a": 0}}


def test_missing_and_damaged_trec_files_are_named(file, tmp_path):
    with pytest.raises(InvalidCollection, match="there is no such file"):
        trec.read_run(tmp_path / "none")
    with pytest.raises(InvalidCollection, match="cannot be read"):
        trec.read_run(file(b"nonsense", "r.gz"))
    with pytest.raises(InvalidCollection, match="grades is 1"):
        trec.read_qrels(file(QRELS), grades=1)


# The synthetic collection


def test_the_synthetic_collection_depends_on_its_seed_alone():
    assert same(synthetic(seed=4), synthetic(seed=4))
    assert not same(synthetic(seed=4), synthetic(seed=5))


def test_the_synthetic_grades_have_the_shares_promised():
    # Grades in a query correlate by 0.3 at most, so a share has a standard deviation of at most
    # sqrt(.25 (.3 + .7 / 20) / 2000) < .0066; three of them are allowed.
    c = synthetic(queries=2000, documents=20, seed=1)
    shares = np.bincount(c.grades, minlength=5) / c.n_documents
    assert np.abs(shares - [0.52, 0.32, 0.13, 0.02, 0.01]).max() < 0.02
    assert c.sizes.min() == 10
    assert c.sizes.max() == 30


def test_earlier_synthetic_features_tell_more():
    c = synthetic(queries=500, seed=2)
    told = [np.corrcoef(c.grades, c.features[:, column])[0, 1] for column in (0, 4, 8)]
    assert told[0] > told[1] + 0.1 > told[2] + 0.2
    assert np.array_equal(c.features[:, 9:11], c.features[:, :2])
    assert np.ptp(c.features[:, 11]) == 0


@pytest.mark.parametrize("wrong", [{"queries": 0}, {"documents": 0}, {"features": 4}])
def test_impossible_synthetic_collections_are_refused(wrong):
    with pytest.raises(InvalidParameter):
        synthetic(**wrong)


# Real files


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


def test_real_comments_name_the_documents(data):
    c = letor.load(data / "letor" / "mq2008_S1.txt", cache=False)
    assert c.documents is not None
    assert c.documents[0] == "GX008-86-4444840"
    assert len(undecided_queries(c)) == 52
