"""Every registered algorithm against every check that the package ships."""

import pytest

from copeland.registry import algorithms
from copeland.testing import CHECKS

ALWAYS = ("ccb", "scb", "copeland-pac", "cpc", "cpc-pac", "random")


def marked(name):
    """The algorithms of the paper, and what comes of them here, are checked in `make fast` too."""
    return pytest.param(name, marks=() if name in ALWAYS else pytest.mark.slow)


@pytest.mark.parametrize("name", [marked(name) for name in algorithms()])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conformance(name, check):
    check(algorithms()[name])
