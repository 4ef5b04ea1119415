"""The synthetic collection."""

import numpy as np
import pytest
from collection_equality import same

from copeland.errors import InvalidParameter
from copeland.ranking import synthetic


def test_the_synthetic_collection_depends_on_its_seed_alone():
    assert same(synthetic(seed=4), synthetic(seed=4))
    assert not same(synthetic(seed=4), synthetic(seed=5))


def test_synthetic_grades_and_features_are_as_promised():
    # Grades in a query correlate by 0.3 at most, so a share has a standard deviation of at most
    # sqrt(.25 (.3 + .7 / 20) / 2000) < .0066; three of them are allowed.
    c = synthetic(queries=2000, documents=20, seed=1)
    shares = np.bincount(c.grades, minlength=5) / c.n_documents
    assert np.abs(shares - [0.52, 0.32, 0.13, 0.02, 0.01]).max() < 0.02
    assert c.sizes.min() == 10
    assert c.sizes.max() == 30
    c = synthetic(queries=500, seed=2)
    told = [np.corrcoef(c.grades, c.features[:, column])[0, 1] for column in (0, 4, 8)]
    assert told[0] > told[1] + 0.1 > told[2] + 0.2
    assert np.array_equal(c.features[:, 9:11], c.features[:, :2])
    assert np.ptp(c.features[:, 11]) == 0


@pytest.mark.parametrize("wrong", [{"queries": 0}, {"documents": 0}, {"features": 4}])
def test_impossible_synthetic_collections_are_refused(wrong):
    with pytest.raises(InvalidParameter):
        synthetic(**wrong)
