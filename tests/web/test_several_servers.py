"""Several servers on one storage: whatever two of them do at once is done once, and no vote is lost with one of them."""

import sys
import threading

import pytest
from web_client import Site, asks, vote

from copeland.study import create_study
from copeland.web.store import Image, Store
from tests.web.several_servers import kill_servers

TIMES = 10
every_database = pytest.mark.parametrize(
    "kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)]
)


def at_once(work, n=6):
    """Run something in many threads, again and again at the same moment; return what went wrong."""
    ready, wrong = threading.Barrier(n), []

    def run():
        for turn in range(TIMES):
            ready.wait()
            try:
                work(turn)
            except Exception as error:
                wrong.append(repr(error))

    threads = [threading.Thread(target=run) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


@pytest.mark.slow
@every_database
def test_servers_that_ask_at_once_whether_the_storage_takes_votes_are_told_so(storage_of, kind):
    kept = storage_of(kind)
    assert at_once(lambda turn: Store(kept).note_time()) == []
    assert at_once(lambda turn: Store(kept).set_value(f"turn {turn}", "same")) == []


@pytest.mark.slow
@every_database
def test_servers_that_find_a_new_study_at_once_give_it_one_page(storage_of, kind):
    kept = storage_of(kind)
    for turn in range(TIMES):
        create_study(f"tea {turn}", ["green", "black"], kept)
    keys = [kept.key(f"tea {turn}") for turn in range(TIMES)]
    assert at_once(lambda turn: Store(kept).add_page(keys[turn], {})) == []
    image = Image("digest", "image/png", b"", 1, 1)
    assert at_once(lambda turn: Store(kept).add_image(image._replace(digest=str(turn)))) == []
    assert len(Store(kept).pages()) == TIMES


@every_database
def test_servers_that_start_at_once_have_one_secret(storage_of, kind):
    kept, found = storage_of(kind), set()
    assert at_once(lambda turn: found.add(Store(kept).secret())) == []
    assert len(found) == 1


@pytest.mark.slow
@every_database
def test_the_answer_to_a_check_that_comes_twice_is_kept_once(storage_of, kind):
    kept = storage_of(kind)
    create_study("tea", ["green", "black"], kept)
    key = kept.key("tea")
    store = Store(kept)
    wrong = at_once(lambda turn: store.add_check(key, "ann", "known", turn, "left", True))
    assert wrong == [] and len(store.checks_of(key, "ann")) == TIMES


def test_an_answer_goes_to_another_server_than_the_question_came_from(site):
    study = site.study()
    other = Site(site.storage)
    browser, page = site.voter()
    elsewhere = other.browser()
    elsewhere.cookies.update(browser.cookies)
    assert asks(vote(elsewhere, page)) and len(study.votes()) == 1


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="CPU times are found in /proc")
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.nightly)])
def test_no_acknowledged_vote_is_lost_with_a_server(postgres_url, kills):
    found = kill_servers(
        postgres_url, n=2, studies=2, voters=4, kills=kills, every=0.8 if kills == 2 else 1.0
    )
    assert found.passed and found.kills == kills, found
