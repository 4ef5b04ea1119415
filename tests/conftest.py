import os
from pathlib import Path

import numpy as np
import pytest

from copeland import PreferenceMatrix


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, or a skip that says so."""
    folder = os.environ.get("COPELAND_TEST_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("COPELAND_TEST_DATA names no folder of real matrices, votes and LETOR files")
    return Path(folder)


def random_matrix(k: int, seed: int) -> PreferenceMatrix:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((k, k)), 1)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(k) / 2)
