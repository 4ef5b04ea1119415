"""Every registered algorithm against every check that the package ships."""

import pytest

from copeland.registry import algorithms
from copeland.testing import CHECKS

ALWAYS = ("ccb", "cpc-pac", "random")


PLANNED = ("cpc", "cpc-pac")


def marked(name):
    """The paper's algorithm, the one of studies and the control are checked in `make fast` too."""
    slow = () if name in ALWAYS else (pytest.mark.slow,)
    # Loops with a planner take long to compile, and less in a process that has compiled one of them: one worker begins with all.
    return pytest.param(name, marks=(*slow, pytest.mark.long) if name in PLANNED else slow)


@pytest.mark.parametrize("name", [marked(name) for name in algorithms()])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conformance(name, check):
    check(algorithms()[name])
