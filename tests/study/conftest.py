"""Studies with their storages, and one whose options beat each other in a circle."""

import pytest
from study_helpers import OPTIONS, Clock
from study_pages import study_with, votes

from copeland.forecast.plausible_worlds import WORLDS
from copeland.study import create_study


@pytest.fixture(scope="module", autouse=True)
def _few_worlds(few_worlds):
    """Chances are tried in tests/forecast."""


@pytest.fixture
def all_worlds(monkeypatch):
    """Tell chances as precisely as a user is told them."""
    monkeypatch.setattr("copeland.forecast.plausible_worlds.WORLDS", WORLDS)


@pytest.fixture
def storage(request, storage_of):
    """An empty storage: in memory, unless a test is marked to find others."""
    kept = storage_of(getattr(request, "param", "memory"))
    yield kept
    kept.dispose()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def study(storage, clock):
    return create_study("drinks", OPTIONS, storage, clock=clock, lease=60, voters="independent")


@pytest.fixture(scope="module")
def circle():
    """A beats B beats C beats A, all are ahead of D, and D beats E, which nobody else has met."""
    return study_with(
        "ABCDE",
        *(votes(one, other, 140, 60) for one, other in ("AB", "BC", "CA")),
        *(votes(one, "D", 110, 90) for one in "ABC"),
        votes("D", "E", 20),
    )
