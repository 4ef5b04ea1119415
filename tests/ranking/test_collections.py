"""A collection of judged documents."""

import numpy as np
import pytest
from collection_equality import same

from copeland.ranking import Collection, InvalidCollection


def small():
    return Collection([2, 0, 1], [[1, 2], [3, 4], [5, 6]], [0, 2, 3], documents=["a", "b", "a"])


def test_queries_and_features_are_taken_by_number_or_name():
    c = small().sub(["2", "1"])
    assert c.queries == ("2", "1")
    assert c.grades.tolist() == [1, 2, 0]
    assert c.features.tolist() == [[5, 6], [1, 2], [3, 4]]
    assert c.documents == ("a", "a", "b")
    assert same(c, small().sub([1, 0]))
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
        ({"queries": ["a"]}, "there must be 2 query names; got 1"),
        ({"queries": ["a", "a"]}, "'a' is repeated"),
        ({"feature_names": ["a", "b"]}, "there must be 1 feature names; got 2"),
        ({"documents": ["a", "b"]}, "3 documents need as many names, not 2"),
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
