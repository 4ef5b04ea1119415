"""Every registered algorithm against every check that the package ships."""

import pytest

from copeland.registry import algorithms
from copeland.testing import CHECKS, check_jumps_keep_the_distribution, check_relabelling

ALWAYS = ("ccb", "cpc-pac")
STATISTICAL = (check_relabelling, check_jumps_keep_the_distribution)
PLANNED = ("cpc", "cpc-pac")


def marked(name):
    """The paper's algorithm and the one of studies are checked in `make fast` too; the example of check_algorithm checks `random`."""
    slow = () if name in ALWAYS else (pytest.mark.slow,)
    # Loops with a planner take long to compile, and less in a process that has compiled one of them: one worker begins with all.
    return pytest.param(name, marks=(*slow, pytest.mark.long) if name in PLANNED else slow)


def timed(check):
    """What compares means of hundreds of runs is left to `make test`."""
    slow = (pytest.mark.slow,) if check in STATISTICAL else ()
    return pytest.param(check, marks=slow, id=check.__name__)


@pytest.mark.parametrize("name", [marked(name) for name in algorithms()])
@pytest.mark.parametrize("check", [timed(check) for check in CHECKS])
def test_conformance(name, check):
    check(algorithms()[name])
