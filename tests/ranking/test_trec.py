"""Runs and qrels of TREC."""

import pytest

from copeland.ranking import InvalidCollection, trec

RUN = "q1 Q0 b 1 9.5 bm25\nq1 Q0 a 2 3 bm25\nq2 Q0 c 1 1e-3 bm25\n"
QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 c 4\nq2 0 d 1\n"


def test_runs_and_qrels_are_read_and_make_a_collection(file):
    run, qrels = trec.read_run(file(RUN, "r")), trec.read_qrels(file(QRELS, "q"))
    assert run.name == "bm25"
    assert run.queries["q1"] == {"b": (9.5, 1), "a": (3.0, 2)}
    assert qrels.queries == {"q1": {"a": 2, "b": 0}, "q2": {"c": 4, "d": 1}}
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
