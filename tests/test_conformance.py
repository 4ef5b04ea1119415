"""Every registered algorithm against every check that the package ships."""

import pytest

from copeland.policy import algorithms
from copeland.testing import CHECKS

PAPERS_OWN = ("ccb", "scb", "copeland-pac", "random")


def marked(name):
    """The algorithms of the paper are checked in `make fast` too."""
    return pytest.param(name, marks=() if name in PAPERS_OWN else pytest.mark.slow)


@pytest.mark.parametrize("name", [marked(name) for name in algorithms()])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conformance(name, check):
    check(algorithms()[name])
