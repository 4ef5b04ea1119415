"""Workers are killed, or the disk is full, while people vote: every acknowledged vote is kept once."""

import os
import shutil
import sys

import pytest
from web_client import Site, asks, vote

from copeland.study import Storage
from tests.web.full_disks import disturb, fill, small_disk
from tests.web.worker_kills import kill_workers


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")
@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("sqlite", 2),
        pytest.param("sqlite", 20, marks=pytest.mark.nightly),
        pytest.param("postgres", 20, marks=pytest.mark.nightly),
    ],
)
def test_no_acknowledged_vote_is_lost_with_a_worker(kind, kills, tmp_path, request):
    file = f"sqlite:///{tmp_path / 'votes.db'}"
    storage = file if kind == "sqlite" else request.getfixturevalue("postgres_url")
    found = kill_workers(storage, kills, voters=8, every=0.8 if kills == 2 else 1.0)
    assert found.passed, found


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the small disk is one of Linux")
def test_no_acknowledged_vote_is_lost_on_a_full_disk():
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can make a small disk")
    with small_disk(8) as folder:
        storage = f"sqlite:///{folder / 'votes.db'}"
        found = disturb(storage, lambda: fill(folder, 0.5, 1.5), 3.0, voters=6)
    assert found.passed, found


@pytest.mark.quick
def test_people_vote_on_postgresql(postgres_url):
    kept = Storage(postgres_url)
    site = Site(kept)
    study = site.study(page={"per_voter": 2})
    link = site.link()
    for _ in range(2):
        browser, page = site.voter(link)
        while asks(page):
            page = vote(browser, page)
        assert page.status_code == 200
    assert site.key("read").get("/api/v1/studies/tea/results").json()["votes"] == 4
    assert study.replay() == study.state()
    kept.dispose()
