"""When two collections are the same."""

import numpy as np


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
