import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from copeland.errors import MissingExtra
from copeland.ranking import (
    Collection,
    InvalidCollection,
    all_features,
    constant_features,
    letor,
    rankers,
    rankings,
    ranks,
    synthetic,
    trec,
)
from copeland.ranking.rankers import by_model


def collection(values, offsets, **named):
    table = np.array(values, np.float64).reshape(len(values), -1)
    return Collection([0] * len(values), table, offsets, **named)


PLAIN = collection([3, 1, 2, 5, 6], [0, 3, 5])  # two queries, no equal scores
TIED = collection([1] * 40, [0, 20, 40])


def test_features_rank_down_or_up_and_are_named_as_in_the_file():
    down, up = rankings(PLAIN, [rankers.feature(1), rankers.feature(1, descending=False)])
    assert down.tolist() == [0, 2, 1, 1, 0]
    assert up.tolist() == [1, 2, 0, 0, 1]
    c = collection(np.arange(6).reshape(2, 3), [0, 2])
    assert [r.name for r in all_features(c)] == ["feature_1", "feature_2", "feature_3"]
    assert [r.name for r in all_features(c, descending=False)][:2] == ["-feature_1", "-feature_2"]
    assert [r.name for r in all_features(c.select([3]))] == ["feature_3"]


def test_scores_and_functions_rank():
    orders = rankings(
        PLAIN,
        [
            rankers.scores("given", [0, 1, 2, 1, 0]),
            rankers.function("negated", lambda features: -features[:, 0]),
        ],
    )
    assert orders.tolist() == [[2, 1, 0, 0, 1], [1, 2, 0, 0, 1]]


def test_orders_are_permutations_by_falling_scores():
    c = synthetic(queries=10, seed=1)
    orders = rankings(c, all_features(c), seed=3)
    assert orders.shape == (c.n_features, c.n_documents)
    assert orders.dtype == np.int32
    for q in range(c.n_queries):
        block = np.sort(orders[:, c.span(q)], axis=1)
        assert (block == np.arange(c.sizes[q])).all()
    c = synthetic(queries=10, seed=1)
    for ranker, order in zip(all_features(c), rankings(c, all_features(c)), strict=True):
        values = ranker.scores(c)
        for q in range(c.n_queries):
            ordered = values[c.span(q)][order[c.span(q)]]
            assert (np.diff(ordered) <= 0).all()
    c = synthetic(queries=5, seed=1)
    orders = rankings(c, all_features(c))
    inverse = ranks(orders, c.offsets)
    for q in range(c.n_queries):
        again = np.take_along_axis(orders[:, c.span(q)], inverse[:, c.span(q)], axis=1)
        assert (again == np.arange(c.sizes[q])).all()


def test_equal_scores_are_ordered_alike_every_time():
    assert np.array_equal(
        rankings(TIED, all_features(TIED), seed=5), rankings(TIED, all_features(TIED), seed=5)
    )


@pytest.mark.parametrize("other", [{"seed": 6}, {"seed": 5, "replicate": 1}])
def test_another_seed_or_replicate_orders_equal_scores_anew(other):
    assert not np.array_equal(
        rankings(TIED, all_features(TIED), seed=5), rankings(TIED, all_features(TIED), **other)
    )


def test_equal_scores_are_ordered_by_ranker_and_by_query_alone():
    one, two = rankings(TIED, [rankers.scores("a", [1] * 40), rankers.scores("b", [1] * 40)])
    assert not np.array_equal(one, two)
    assert not np.array_equal(one[:20], one[20:])
    both = rankings(TIED, all_features(TIED), seed=5)
    alone = rankings(TIED.sub(["2"]), all_features(TIED), seed=5)
    assert np.array_equal(both[:, 20:], alone)


def test_only_equal_scores_are_ordered_at_random():
    # Documents 1, 3 and 4 tie for the top, the rest follow by score.
    c = collection([1, 9, 3, 9, 9, 2], [0, 6])
    seen = {tuple(rankings(c, all_features(c), seed=seed)[0].tolist()) for seed in range(200)}
    assert {order[3:] for order in seen} == {(2, 5, 0)}
    # Each of the 6 orders of the top is missed by all 200 seeds with probability (5/6)^200 < 1e-15.
    assert len(seen) == 6


def test_constant_features_are_found():
    # Constant everywhere; constant in each query; constant in one query only.
    c = collection([[1, 1, 1], [1, 1, 1], [1, 2, 3], [1, 2, 4]], [0, 2, 4])
    assert constant_features(c) == ("feature_1", "feature_2")
    assert constant_features(synthetic(seed=1)) == ("feature_12",)


@pytest.mark.parametrize(
    ("ranker", "sentence"),
    [
        (rankers.feature(2), "there is no feature 2"),
        (rankers.feature("x"), "there is no feature 'x'"),
        (rankers.scores("short", [1, 2]), r"ranker short: .*5 documents; got shape \(2,\)"),
        (rankers.scores("nan", [1, 2, np.nan, 4, 5]), "ranker nan: the score of document 2 is NaN"),
    ],
)
def test_rankers_that_cannot_rank_are_refused(ranker, sentence):
    with pytest.raises(InvalidCollection, match=sentence):
        rankings(PLAIN, [ranker])


# TREC


def run_of(tmp_path, content):
    (tmp_path / "r").write_text(content)
    return trec.read_run(tmp_path / "r")


JUDGED = collection([0] * 5, [0, 3, 5], queries=["q1", "q2"], documents=list("abcab"))


def test_a_run_ranks_by_score_and_what_cannot_be_used_is_refused(tmp_path):
    run = run_of(tmp_path, "q1 Q0 c 1 0.5 t\nq1 Q0 b 2 0.9 t\nq2 Q0 b 1 -3 t\n")
    ranker = rankers.trec_run(run)
    assert ranker.name == "t"
    assert rankings(JUDGED, [ranker]).tolist() == [[1, 2, 0, 1, 0]]
    run = run_of(tmp_path, "q1 Q0 c 1 0.5 t\nq2 Q0 c 1 9 t\n")
    with pytest.raises(InvalidCollection, match=r"r, line 2: the collection does not know .*'c'"):
        rankings(JUDGED, [rankers.trec_run(run)])
    assert rankings(JUDGED, [rankers.trec_run(run, unknown="zero")])[0, 0] == 2
    with pytest.raises(InvalidCollection, match="two rankers are called 'feature_1'"):
        rankings(PLAIN, [rankers.feature(1)] * 2)
    with pytest.raises(InvalidCollection, match="have no names"):
        rankings(PLAIN, [rankers.trec_run(run_of(tmp_path, "q1 Q0 c 1 0.5 t\n"))])
    with pytest.raises(InvalidCollection, match=r"m\.txt: there is no such file"):
        rankers.lightgbm_model(tmp_path / "m.txt")


# LightGBM


def test_without_lightgbm_its_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "m.txt").write_text("")
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingExtra, match=r"copeland\[ranking\]"):
        rankers.lightgbm_model(tmp_path / "m.txt")


@pytest.mark.slow
@pytest.mark.parametrize("column_0", [False, True])
def test_a_model_ranks_as_it_predicts(tmp_path, column_0):
    lightgbm = pytest.importorskip("lightgbm")
    c = synthetic(queries=50, seed=1)
    table = np.pad(c.features, ((0, 0), (1, 0))) if column_0 else c.features
    train = lightgbm.Dataset(table, c.grades, group=c.sizes)
    model = lightgbm.train({"objective": "lambdarank", "verbose": -1}, train, num_boost_round=5)
    model.save_model(tmp_path / "m.txt")
    ranker = rankers.lightgbm_model(tmp_path / "m.txt")
    assert ranker.name == "m"
    assert np.array_equal(ranker.scores(c), model.predict(table))
    with pytest.raises(InvalidCollection, match=r"the model has .* features, the collection 1"):
        ranker.scores(c.select([1]))


@pytest.mark.slow
def test_what_is_no_model_is_refused(tmp_path):
    pytest.importorskip("lightgbm")
    (tmp_path / "m.txt").write_text("nonsense")
    with pytest.raises(InvalidCollection, match="not a model"):
        rankers.lightgbm_model(tmp_path / "m.txt")


# XGBoost


class FakeBooster:
    """What a model of XGBoost is asked: its last feature is its score."""

    def __init__(self, model_file):
        if Path(model_file).read_text() == "nonsense":
            raise ValueError("a trace of C++")

    def num_features(self):
        return PLAIN.n_features + 1

    def inplace_predict(self, table, validate_features):
        assert np.isnan(table[:, 0]).all() and not validate_features
        return table[:, -1]


@pytest.fixture
def fake_xgboost(monkeypatch):
    core = SimpleNamespace(XGBoostError=ValueError)
    monkeypatch.setitem(sys.modules, "xgboost", SimpleNamespace(Booster=FakeBooster, core=core))


def test_a_model_of_xgboost_is_asked_by_its_own_file(tmp_path, fake_xgboost):
    (tmp_path / "m.ubj").write_text("")
    ranker = by_model(f"trees={tmp_path / 'm.ubj'}")
    assert ranker.name == "trees"
    assert np.array_equal(ranker.scores(PLAIN), PLAIN.features[:, -1])


@pytest.mark.parametrize(("content", "sentence"), [("nonsense", "not a model"), (None, "no such")])
def test_what_is_no_model_of_xgboost_is_refused(tmp_path, fake_xgboost, content, sentence):
    if content is not None:
        (tmp_path / "m.json").write_text(content)
    with pytest.raises(InvalidCollection, match=sentence):
        by_model(str(tmp_path / "m.json"))


def test_without_xgboost_its_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "m.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(MissingExtra, match=r"copeland\[xgboost\]"):
        by_model(str(tmp_path / "m.json"))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".json", ".ubj"])
def test_a_model_that_xgboost_has_saved_ranks_as_it_predicts(tmp_path, suffix):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is an extra of 130 MB")
    c = synthetic(queries=50, seed=1)
    train = xgboost.DMatrix(c.features, c.grades, group=c.sizes)
    model = xgboost.train({"objective": "rank:ndcg", "nthread": 1}, train, num_boost_round=5)
    model.save_model(tmp_path / f"m{suffix}")
    ranker = rankers.xgboost_model(tmp_path / f"m{suffix}")
    assert np.array_equal(ranker.scores(c), model.predict(xgboost.DMatrix(c.features)))
    with pytest.raises(InvalidCollection, match=r"the model has .* features, the collection 1"):
        ranker.scores(c.select([1]))
    (tmp_path / "no.json").write_text("nonsense")
    with pytest.raises(InvalidCollection, match="not a model"):
        rankers.xgboost_model(tmp_path / "no.json")


# Real files


@pytest.mark.slow
def test_real_features_that_depend_on_the_query_alone_are_reported(data):
    c = letor.load(data / "letor" / "mslr_fold1_train_5k.txt", cache=False)
    # Inverse document frequencies: features 16 to 20 of MSLR.
    assert constant_features(c) == tuple(f"feature_{number}" for number in range(16, 21))
    assert rankings(c, all_features(c)).shape == (136, 5000)
