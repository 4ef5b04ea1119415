"""Small matrices, one after the other."""

from __future__ import annotations

import pytest
from small_matrices import MATRICES

from copeland.matrix import PreferenceMatrix


@pytest.fixture(params=MATRICES)
def matrix(request) -> PreferenceMatrix:
    return MATRICES[request.param]
