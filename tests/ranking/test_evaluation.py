"""nDCG and other measures beside interleaving: worked by hand, and how far both agree."""

import math
import sys

import numpy as np
import pytest

from copeland import InvalidParameter, PreferenceMatrix
from copeland.errors import MissingExtra
from copeland.ranking import Collection, InvalidCollection, all_features, rankings, synthetic
from copeland.ranking.evaluation import Agreement, agreement, means, measure, ndcg

pytestmark = pytest.mark.slow  # left out of `make fast`

pytest.importorskip("ir_measures")

GRADES = [0, 2, 4, 1]
ORDERS = np.array([[0, 1, 2, 3], [2, 1, 3, 0]], np.int32)


@pytest.fixture
def one_query():
    return Collection(GRADES, np.zeros((4, 1)), [0, 4])


@pytest.mark.quick
def test_ndcg_is_the_one_worked_by_hand(one_query):
    shown = 3 / math.log2(3) + 15 / math.log2(4)  # grades 0, 2 and 4 are shown
    ideal = 15 + 3 / math.log2(3) + 1 / math.log2(4)
    assert ndcg(one_query, ORDERS, 3) == pytest.approx(np.array([[shown / ideal], [1.0]]))


def test_gains_and_measures_come_by_name(one_query):
    ideal = 4 + 2 / math.log2(3) + 1 / math.log2(4)
    shown = 2 / math.log2(3) + 4 / math.log2(4)
    assert ndcg(one_query, ORDERS, 3, gain="linear")[0, 0] == pytest.approx(shown / ideal)
    assert measure(one_query, ORDERS, "nDCG@3")[0, 0] == pytest.approx(shown / ideal)
    assert measure(one_query, ORDERS, "RR").tolist() == [[0.5], [1.0]]
    assert measure(one_query, ORDERS, "P(rel=2)@2").tolist() == [[0.5], [1.0]]
    average = (1 / 2 + 2 / 3 + 3 / 4) / 3  # without a cutoff the whole list is looked at
    assert measure(one_query, ORDERS, "AP")[0, 0] == pytest.approx(average)


def test_there_is_a_row_for_each_ranker_and_better_features_have_a_higher_ndcg():
    collection = Collection([1, 0, 0, 0, 0, 1], np.zeros((6, 1)), [0, 2, 4, 6], ["c", "a", "b"])
    found = ndcg(collection, np.array([[0, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 1]], np.int32))
    worse = 1 / math.log2(3)
    assert found == pytest.approx(np.array([[1, 0, 1], [worse, 0, worse]]))
    assert means(found) == pytest.approx([2 / 3, 2 * worse / 3])
    collection = synthetic(queries=60, documents=20, features=8, seed=1)
    found = means(ndcg(collection, rankings(collection, all_features(collection))))
    assert found[0] > found[3] > found[4]
    assert ((found > 0) & (found < 1)).all()


def test_agreement_leaves_ties_out_and_counts_them():
    m = PreferenceMatrix([[0.5, 0.6, 0.5], [0.4, 0.5, 0.3], [0.5, 0.7, 0.5]])
    assert agreement(m, [0.3, 0.2, 0.1]) == Agreement(same=1, pairs=2, tied=1)
    assert agreement(m, [0.3, 0.3, 0.3]).share is None
    assert agreement(m, [0.1 + 0.2, 0.3, 0.4]).tied == 2  # 0.1 + 0.2 is 0.3, but for rounding


@pytest.mark.parametrize("name", ["nDCGG@10", "nDCG@", "P@0", "P", "nDCG@-1"])
def test_what_is_no_measure_is_refused(one_query, name):
    with pytest.raises(InvalidParameter):
        measure(one_query, ORDERS, name)


def test_bad_arguments_are_refused(one_query):
    with pytest.raises(InvalidParameter, match="at least 1"):
        ndcg(one_query, ORDERS, 0)
    with pytest.raises(InvalidParameter, match="exponential or linear"):
        ndcg(one_query, ORDERS, gain="square")
    with pytest.raises(InvalidCollection, match="4 documents"):
        ndcg(one_query, ORDERS[:, :3])
    with pytest.raises(InvalidParameter, match="one finite mean"):
        agreement(PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]), [1.0])
    with pytest.raises(InvalidParameter, match="linear ones"):
        ndcg(Collection([0, 90], np.zeros((2, 1)), [0, 2]), np.array([[0, 1]], np.int32))


def test_a_missing_package_is_named(one_query, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtra, match=r"pip install 'copeland\[ranking\]'"):
        ndcg(one_query, ORDERS)
