"""An owner deletes a study: nothing leads there any more, and another of its name begins anew."""

import pytest
from test_admin import png
from web_client import Site, asks, send, vote

from copeland.web.images import image_of
from copeland.web.store import Pane

pytestmark = pytest.mark.usefixtures("few_worlds")


def delete(site, typed="tea"):
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}/manage"
    return send(admin, admin.get(path), path, does="delete", name=typed)


@pytest.mark.quick
def test_the_name_must_be_typed(site):
    site.study()
    slug = site.page().slug
    asked = site.admin().get(f"/admin/s/{slug}/manage")
    assert "copeland backup" in asked.text and "log.jsonl" in asked.text
    refused = delete(site, "te")
    assert refused.status_code == 422 and site.storage.names() == ["tea"]
    done = delete(site)
    assert done.url.path == "/admin" and "The study was deleted" in done.text
    assert site.storage.names() == []
    assert site.admin().get(f"/admin/s/{slug}").status_code == 404


@pytest.mark.slow
def test_links_images_and_results_lead_nowhere_and_a_new_study_begins_anew(site):
    site.study(page={"results": "live"})
    link = site.link()
    picture = image_of(png(), "x")
    site.server.store.add_image(picture)
    site.server.store.show(site.page().study, "bai-3", Pane(picture.digest, "a red thing"))
    browser, shown = site.voter(link)
    vote(browser, shown)
    slug = site.page().slug
    admin = site.admin()
    assert admin.get(f"/admin/s/{slug}").status_code == 200
    delete(site)
    for path in (link, f"/vote/{slug}", f"/r/{slug}"):
        assert browser.get(path).status_code == 404
    assert admin.get(f"/admin/media/{picture.digest}").status_code == 404
    again = site.study(options={"x": "Xylo.", "y": "Yarrow."})
    assert again.votes() == [] and site.page().slug != slug
    _, page = site.voter()
    assert asks(page) and "Xylo." in page.text


@pytest.mark.slow
def test_another_process_does_not_take_a_new_study_for_the_old_one(site):
    site.study()
    other = Site(site.storage)
    _, shown = other.voter()
    assert asks(shown)
    delete(site)
    site.study(options={"x": "Xylo.", "y": "Yarrow."})
    _, page = other.voter()
    assert asks(page) and "Xylo." in page.text
    assert len(other.server.study(other.page()).log()) == len(site.server.study(site.page()).log())
