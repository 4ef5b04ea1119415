"""PostgreSQL ends and starts again while people vote: every acknowledged vote is kept once, and voting goes on."""

import asyncio
import importlib.util
import sys
import threading
import time

import pytest
from web_client import Site, asks, vote

from copeland.study import Storage
from tests.web.crowd import crowd, free_port, prepared, running, serve
from tests.web.worker_kills import found_in

psycopg = pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
from postgres import PACKAGE, restartable  # noqa: E402 - which needs it

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason="no PostgreSQL server is installed"
)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the server is a Linux program")
def test_votes_survive_a_database_that_goes_away():
    with restartable() as (address, restart):
        server, link = prepared(address, 12)
        port, back = free_port(), []

        def interrupt():
            time.sleep(1.0)
            restart(0.5)
            back.append(time.monotonic())

        def goes_on(tally):
            return bool(back) and any(one.at > back[0] for one in tally.acknowledged)

        with running(serve(address, port), port):
            thread = threading.Thread(target=interrupt)
            thread.start()
            tally = asyncio.run(crowd(port, link, 6, 2.0, stubborn=True, enough=goes_on))
            thread.join()
        found = found_in(server, address, tally, kills=1)
        assert found.passed, found
        assert tally.breaks > 0  # somebody met it
        assert goes_on(tally)
        server.storage.dispose()


@pytest.mark.quick
def test_a_page_says_to_wait_and_goes_on_by_itself(postgres_url):
    kept = Storage(postgres_url)
    site = Site(kept)
    study = site.study()
    browser, page = site.voter()
    cut_off(postgres_url, allowed=False)
    refused = vote(browser, page)
    assert refused.status_code == 503 and refused.headers["Retry-After"]
    assert "Back in a moment" in refused.text and "postgres" not in refused.text.lower()
    assert site.browser().get("/readyz").status_code == 503
    assert site.browser().get("/healthz").status_code == 200
    cut_off(postgres_url, allowed=True)
    page = vote(browser, page)
    assert asks(page) and len(study.votes()) == 1
    assert study.replay() == study.state()
    kept.dispose()


def cut_off(url, allowed):
    """End every connection to a database, and let none in; or let them in again."""
    name = url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(url.replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}")
        if not allowed:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
