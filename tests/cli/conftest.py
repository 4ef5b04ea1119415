"""What all commands are tried with."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _few_worlds(few_worlds):
    """Chances are tried in tests/forecast."""
