"""Every registered algorithm against every check that the package ships."""

import pytest

from copeland.policy import algorithms
from copeland.testing import CHECKS


@pytest.mark.parametrize("name", algorithms())
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conformance(name, check):
    check(algorithms()[name])
