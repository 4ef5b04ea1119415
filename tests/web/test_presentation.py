"""The log says what voters see beside the options, from when on."""

from dataclasses import replace
from hashlib import sha256

import pytest
import sqlalchemy as sa
from web_client import Site, vote

from copeland.study import open_study
from copeland.study.log.schema import outputs, panes
from copeland.web.store import Image, Pane

pytestmark = pytest.mark.slow  # left out of `make fast`

IMAGE = Image("d" * 64, "image/webp", b"x", 3, 2)


def presented(study):
    """The digests in the log, each with its number."""
    return [(one.number, one.body["digest"]) for one in study.log() if one.kind == "presented"]


def digest_now(site):
    answer = site.key("read").get("/api/v1/studies/tea/page")
    assert answer.headers["content-type"] == "application/json"
    return sha256(answer.content).hexdigest()


def test_the_log_says_what_is_seen_before_anybody_is_asked(site):
    study = site.study(page={"question": "Which tea?"})
    for _ in range(3):
        vote(*site.voter())
    first = next(event.number for event in study.log() if event.kind == "asked")
    assert presented(study) == [(2, digest_now(site))] and first == 3
    assert study.misfit() is None and study.state() == study.replay()


def change_page(site):
    site.server.store.save_page(replace(site.page(), question="Which tea is worse?"))


def change_guidance(site):
    site.server.store.save_page(replace(site.page(), guidance="Choose the left one."))


def change_image(site):
    site.server.storage.transact(lambda c: c.execute(sa.update(panes).values(media="e" * 64)))


def change_words(site):
    site.server.storage.transact(lambda c: c.execute(sa.update(panes).values(alt="the best")))


@pytest.mark.parametrize("change", [change_page, change_guidance, change_image, change_words])
def test_a_change_is_in_the_log_before_the_next_vote(site, change):
    study = site.study()
    for digest in ("d", "e"):
        site.server.store.add_image(IMAGE._replace(digest=digest * 64))
    site.server.store.show(site.page().study, "bai-3", Pane(IMAGE.digest, "tea"))
    browser, page = site.voter()
    before = digest_now(site)
    change(site)
    site.clock.now += 6
    vote(browser, page)
    (_, old), (number, new) = presented(study)
    voted = next(event.number for event in study.log() if event.kind == "voted")
    assert (old, new) == (before, digest_now(site)) and number < voted


def test_texts_of_items_are_in_it_after_a_restart(site):
    study = site.study(page={"items": True})
    texts = [("Why?", name, f"Because of {name}.") for name in ("bai-3", "assam-9")]
    site.server.store.add_outputs(site.page().study, texts)
    site.voter()
    site.storage.transact(lambda c: c.execute(sa.update(outputs).values(text="Because.")))
    again = Site(site.storage)
    again.voter()
    assert (
        len(presented(study)) == 2 == len(dict.fromkeys(digest for _, digest in presented(study)))
    )


def test_another_process_says_nothing_twice(site):
    study = site.study()
    site.voter()
    Site(site.storage).voter()
    assert len(presented(study)) == 1


@pytest.mark.quick
def test_a_closed_study_is_left_as_it_is(site):
    study = site.study()
    browser, page = site.voter()
    study.close()
    before = study.number
    change_page(site)
    assert browser.get(page.url.path).status_code == 200 and study.number == before


def test_such_a_log_opens_and_goes_on(tmp_path):
    from copeland.study import Storage

    storage = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    site = Site(storage)
    site.study()
    vote(*site.voter())
    again = open_study("tea", storage)
    assert presented(again) and len(again.votes()) == 1
    storage.dispose()
