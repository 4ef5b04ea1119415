"""Every registered algorithm against every check that the package ships."""

import pytest

from copeland.registry import algorithms
from copeland.testing import CHECKS, check_jumps_keep_the_distribution, check_relabelling

ALWAYS = ("ccb", "cpc-pac")
STATISTICAL = (check_relabelling, check_jumps_keep_the_distribution)
PLANNED = ("cpc", "cpc-pac")
# Checks that simulate compile the loop of an algorithm. No other test by day compiles those of these, and their
# golden traces and oracles run every day; an algorithm that is new is not among them.
COMPILED_AT_NIGHT = (
    "beat-the-mean",
    "borda-elimination",
    "doubler",
    "dts",
    "dts-plus",
    "explore-then-verify",
    "interleaved-filter",
    "merge-dts",
    "multisbm",
    "pbr",
    "random-walk",
    "rankel",
    "rcs",
    "rmed2",
    "rmed2fh",
    "savage-condorcet",
    "sparring",
    "versatile",
    "von-neumann-sparring",
    "winner-stays-strong",
)


def marks_of(name):
    """The paper's algorithm and the one of studies are checked in `make fast` too; the example of check_algorithm checks `random`."""
    slow = () if name in ALWAYS else (pytest.mark.slow,)
    # Loops with a planner take long to compile, and less in a process that has compiled one of them: one worker begins with all.
    return (*slow, pytest.mark.long) if name in PLANNED else slow


def pairs():
    """Every check with every algorithm; what compares means of hundreds of runs is left to `make test`."""
    for check in CHECKS:
        simulates = "_simulate" in check.__code__.co_names
        for name in algorithms():
            marks = [pytest.mark.slow] if check in STATISTICAL else []
            if simulates and name in COMPILED_AT_NIGHT:
                marks.append(pytest.mark.nightly)
            marks += marks_of(name)
            yield pytest.param(check, name, marks=marks, id=f"{check.__name__}-{name}")


@pytest.mark.parametrize(("check", "name"), list(pairs()))
def test_conformance(check, name):
    check(algorithms()[name])
