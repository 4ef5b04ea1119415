import pytest


@pytest.fixture
def site():
    """A server with an empty storage in memory."""
    from web_client import Site

    return Site()


@pytest.fixture
def live():
    """A real server with an empty storage in memory."""
    from browsing import LiveSite

    site = LiveSite()
    yield site
    site.stop()


@pytest.fixture
def somebody(browser, live):
    """A function that returns somebody new with a browser; afterwards nothing has gone wrong in any."""
    from browsing import Somebody

    people = []

    def new(**how):
        people.append(Somebody(browser, live, **how))
        return people[-1]

    yield new
    for person in people:
        person.context.close()
    assert [trouble for person in people for trouble in person.troubles] == []
