"""A folder of the test's own, and studies in it."""

import pytest
from study_commands import CYCLE, DEMO, ok, values, write_votes


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPELAND_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def new_study():
    ok("create", "tea", "-o", "green", "-o", "black", "-o", "white", "--voters", "independent")


@pytest.fixture
def demo():
    ok("create", "demo", *(word for name in "ABCDE" for word in ("-o", name)))
    write_votes(DEMO)
    ok("import", "demo", "votes.csv")


@pytest.fixture
def cycle():
    ok("create", "cycle", "-o", "A", "-o", "B", "-o", "C")
    write_votes(CYCLE)
    ok("import", "cycle", "votes.csv")


@pytest.fixture
def busy():
    """A study in which ann holds the one ballot that she may hold, on breakfast."""
    ok("create", "two", "-o", "A", "-o", "B", "--open-ballots", "1", "--voters", "independent")
    (held,) = values("ask", "two", "--voter", "ann", "--item", "breakfast")
    return held
