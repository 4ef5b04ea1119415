import pytest


@pytest.fixture
def site():
    """A server with an empty storage in memory."""
    from web_client import Site

    return Site()
