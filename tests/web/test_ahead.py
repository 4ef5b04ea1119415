"""The pair after the one that is shown: its images are there before it is."""

from dataclasses import replace

import pytest
from test_admin import png
from web_client import asks, fields, send, vote

from copeland.web.images import image_of
from copeland.web.store import Pane

pytestmark = pytest.mark.slow  # left out of `make fast`

NAMES = ("top-1", "middle-2", "bottom-3")


@pytest.fixture
def shots(site):
    """A study of images."""
    study = site.study(options=list(NAMES), page={"per_voter": 3})
    for shade, name in enumerate(NAMES):
        image = image_of(png((90 * shade, 9, 9)), name)
        site.server.store.add_image(image)
        site.server.store.show(site.page().study, name, Pane(image.digest, f"Shade {shade}."))
    return study


def look_ahead(browser, page):
    return send(browser, page, f"{page.url.path}/ahead")


def test_the_images_of_the_next_pair_are_those_that_come(site, shots):
    browser, page = site.voter()
    promised = look_ahead(browser, page).json()["images"]
    assert look_ahead(browser, page).json()["images"] == promised  # and no third ballot is taken
    assert len(shots.visitors.waiting(shots.log()[-1].voter)) == 3  # all that were dealt
    assert all(browser.get(one).headers["content-type"] == "image/webp" for one in promised)
    assert browser.get(page.url.path).text == page.text  # the pair that is shown stays
    page = vote(browser, page)
    assert all(one in page.text for one in promised)


def test_no_pair_comes_twice_and_the_last_promises_nothing(site, shots):
    browser, page = site.voter()
    for left in (3, 2, 1):
        assert look_ahead(browser, page).status_code == (200 if left > 1 else 204)
        page = vote(browser, page)
    assert not asks(page)
    pairs = {frozenset((one.left, one.right)) for one in shots.votes()}
    assert len(shots.votes()) == len(pairs) == 3


def test_an_answer_taken_back_is_asked_before_what_was_promised(site, shots):
    browser, first = site.voter()
    look_ahead(browser, first)
    second = vote(browser, first)
    again = send(browser, second, f"{second.url.path}/undo")
    assert again.text.count("Shade") == 2
    asked = shots.visitors.waiting(shots.log()[-1].voter)
    assert len(asked) == 3
    third = vote(browser, vote(browser, again))
    assert asks(third) and len(shots.votes()) == 3


def test_nothing_is_told_that_a_voter_may_not_know(site, shots):
    browser, page = site.voter()
    told = look_ahead(browser, page)
    assert not any(name in told.text + str(told.headers) for name in NAMES)
    other, _ = site.voter()
    assert all(other.get(one).status_code == 404 for one in told.json()["images"])


def test_nothing_is_promised_where_the_next_pair_is_not_certain(site, shots):
    browser, page = site.voter()
    site.server.store.save_page(replace(site.page(), paused=True))
    assert look_ahead(browser, page).status_code == 204
    site.server.store.save_page(replace(site.page(), paused=False))
    shots.close()
    assert look_ahead(browser, page).status_code == 204


def test_texts_need_nothing_ahead(site):
    study = site.study()
    browser, page = site.voter()
    assert look_ahead(browser, page).status_code == 204 and study.number == 5


@pytest.mark.quick
def test_a_stranger_and_another_site_get_nothing(site, shots):
    browser, page = site.voter()
    path = f"{page.url.path}/ahead"
    assert site.browser().post(path, data=fields(page)).status_code == 404
    foreign = {"Origin": "https://evil.example"}
    assert browser.post(path, data=fields(page), headers=foreign).status_code == 403


def test_a_browser_loads_them_while_somebody_looks(live, somebody):
    study = live.study(options=list(NAMES))
    for shade, name in enumerate(NAMES):
        image = image_of(png((90 * shade, 9, 9)), name)
        live.server.store.add_image(image)
        live.server.store.show(live.page().study, name, Pane(image.digest, "A square."))
    person, link = somebody(), live.link()
    loaded = []
    person.page.on("response", lambda answer: loaded.append(answer.url))
    with person.page.expect_response("**/ahead"):
        page = person.begin(link)
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/m/')).length === 4"
    )
    shown = {image.get_attribute("src") for image in page.locator(".picture img").all()}
    images = {url.removeprefix(live.home) for url in loaded if "/m/" in url}
    assert (
        len(images) == 4
        and shown < images
        and len(study.visitors.waiting(study.log()[-1].voter)) == 3
    )
