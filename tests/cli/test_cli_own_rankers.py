"""`copeland rankers`, with rankers of one's own: runs, scores, models and chosen features."""

import json

import numpy as np
import pytest
from commands import run

from copeland.ranking import Collection, letor, synthetic
from copeland.ranking.collection import InvalidCollection
from copeland.ranking.estimation import Estimate
from copeland.ranking.rankers import by_features, by_scores, named_file

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 0\n2 0 e 2\n"
GOOD = "1 Q0 a 1 9 good\n1 Q0 c 2 8 good\n2 Q0 e 1 3 good\n"
BAD = "1 Q0 b 1 9 bad\n2 Q0 d 1 3 bad\n"


@pytest.fixture
def trec(tmp_path):
    for name, text in (("qrels", QRELS), ("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


@pytest.fixture
def documents(tmp_path, monkeypatch):
    monkeypatch.setenv("COPELAND_CACHE", str(tmp_path / "cache"))
    made = synthetic(queries=4, documents=6, features=5, seed=1)
    letor.write(made, tmp_path / "train.txt")
    return made


def estimated(folder, *words):
    words = ("rankers", "estimate", *words, "--comparisons", "40", "--out", folder / "m.npz")
    done = run(*words, "--force")
    assert done.exit_code == 0, done.stderr
    return Estimate.load(folder / "m.npz"), done


def refused(folder, *words):
    done = run("rankers", "estimate", *words, "--out", folder / "no.npz")
    assert done.exit_code == 2, done.stdout
    assert not (folder / "no.npz").exists()
    return " ".join(done.stderr.split())


def test_runs_are_compared_on_judged_documents_under_names_of_ones_choice(trec):
    runs = ("--run", f"ours={trec / 'good.txt'}", "--run", trec / "bad.txt")
    found, done = estimated(trec, "--qrels", trec / "qrels.txt", *runs)
    assert found.labels == ("ours", "bad")
    assert "the labels go up to 2: 3 grades" in done.stderr
    assert found.matrix().p[0, 1] > 0.5
    words = ("rankers", "report", trec / "m.npz", "--qrels", trec / "qrels.txt", *runs, "--json")
    told = json.loads(run(*words).stdout)
    assert told["means"][0] == 1 and told["means"][1] < 0.8


def test_what_nobody_judged_is_refused_or_counts_as_nothing(trec):
    (trec / "more.txt").write_text(GOOD + "2 Q0 new 2 1 good\n7 Q0 x 1 1 good\n")
    words = ("--qrels", trec / "qrels.txt", "--run", trec / "more.txt", "--run", trec / "bad.txt")
    assert "say --unjudged zero" in refused(trec, *words)
    found, _ = estimated(trec, *words, "--unjudged", "zero")
    assert found.labels == ("good", "bad")


@pytest.mark.quick
def test_grades_that_contradict_the_labels_are_refused(trec):
    words = ("--qrels", trec / "qrels.txt", "--run", trec / "good.txt", "--run", trec / "bad.txt")
    assert "from 0 to 1" in refused(trec, *words, "--grades", "2")


def test_features_and_scores_are_mixed(documents, tmp_path):
    np.save(tmp_path / "two.npy", np.random.default_rng(0).random((documents.n_documents, 2)))
    rows = "\n".join(f"{grade},{-grade}" for grade in documents.grades)
    (tmp_path / "own.csv").write_text(f"Best,Worst\n{rows}\n")
    files = (tmp_path / "train.txt", "--features", "title=2,4-5")
    scores = ("--scores", tmp_path / "own.csv", "--scores", f"net={tmp_path / 'two.npy'}")
    found, _ = estimated(tmp_path, *files, *scores)
    names = ("Best", "Worst", "net_two_1", "net_two_2", "title", "feature_4", "feature_5")
    assert found.labels == names
    assert found.matrix().p[0, 1] > 0.5
    letor_files = ("--letor", tmp_path / "train.txt", "--features", "title=2", *scores)
    told = json.loads(run("rankers", "report", tmp_path / "m.npz", *letor_files, "--json").stdout)
    assert np.argmax(told["means"]) == 0 and told["means"][0] == pytest.approx(1)


@pytest.mark.slow
def test_a_model_is_a_ranker(documents, tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    data = lightgbm.Dataset(
        documents.features, documents.grades, params={"verbose": -1, "min_data_in_leaf": 1}
    )
    lightgbm.train({"verbose": -1, "num_threads": 1}, data, 2).save_model(tmp_path / "m.txt")
    words = (tmp_path / "train.txt", "--model", f"trees={tmp_path / 'm.txt'}", "--features", "1")
    assert estimated(tmp_path, *words)[0].labels == ("trees", "feature_1")


@pytest.mark.parametrize("text", ["", "x", "0", "4", "2-1", "a=1-2", "=1", "1,,2", "1-99999999999"])
def test_features_that_are_not_there_are_refused(text):
    three = Collection([0, 1], [[1, 2, 3], [4, 5, 6]], offsets=[0, 2])
    with pytest.raises(InvalidCollection):
        by_features(text, three)


@pytest.mark.parametrize(
    "text", ["", "a,b\n1\n", "a\nx\n", "a,\n1,2\n", b"\xff\xfe\x00".decode("latin-1")]
)
def test_scores_that_cannot_be_read_are_refused(tmp_path, text):
    (tmp_path / "s.csv").write_text(text, encoding="latin-1")
    with pytest.raises(InvalidCollection):
        by_scores(str(tmp_path / "s.csv"))


def test_scores_may_be_columns_of_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for name, second in (("good", [0.5, 1]), ("bad", ["x", "y"])):
        table = arrow.table({"a": [1, 2], "b": second})
        parquet.write_table(table, tmp_path / f"{name}.parquet")
    two = Collection([0, 1], [[1], [2]], offsets=[0, 2])
    found = by_scores(str(tmp_path / "good.parquet"))
    assert [(r.name, r.scores(two).tolist()) for r in found] == [("a", [1, 2]), ("b", [0.5, 1])]
    (tmp_path / "none.parquet").write_bytes(b"PAR1")
    for name in ("bad", "none"):
        with pytest.raises(InvalidCollection, match="not a Parquet file of numbers"):
            by_scores(str(tmp_path / f"{name}.parquet"))


def test_scores_of_other_documents_are_refused_but_an_equals_sign_in_a_name_is_not(
    documents, tmp_path
):
    (tmp_path / "s.csv").write_text("a\n1\n2\n")
    words = (tmp_path / "train.txt", "--scores", tmp_path / "s.csv", "--features", "1")
    assert "one score for each of the 20 documents" in refused(tmp_path, *words)
    (tmp_path / "a=b.txt").write_text("")
    assert named_file(str(tmp_path / "a=b.txt"))[0] == ""
    with pytest.raises(InvalidCollection):
        named_file("=x")
