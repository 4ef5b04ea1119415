"""An owner deletes a study in the browser."""

import pytest
from browsing import says
from test_admin import png
from web_client import asks, send, vote

from copeland.web.images import image_of
from copeland.web.store import Pane

pytestmark = pytest.mark.usefixtures("few_worlds")


def delete(site, name, typed):
    admin = site.admin()
    path = f"/admin/s/{site.page(name).slug}/delete"
    return send(admin, admin.get(path), path, name=typed)


def test_the_name_must_be_typed(site):
    site.study()
    slug = site.page().slug
    asked = site.admin().get(f"/admin/s/{slug}/delete")
    assert "Nobody can take it back" in asked.text and "log.jsonl" in asked.text
    refused = delete(site, "tea", "te")
    assert refused.status_code == 422 and "nothing was deleted" in refused.text
    done = delete(site, "tea", "tea")
    assert done.url.path == "/admin" and "The study was deleted" in done.text
    assert site.storage.names() == []
    assert site.admin().get(f"/admin/s/{slug}").status_code == 404


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
    delete(site, "tea", "tea")
    for path in (link, f"/vote/{slug}", f"/r/{slug}"):
        assert browser.get(path).status_code == 404
    assert admin.get(f"/admin/media/{picture.digest}").status_code == 404
    again = site.study(options={"x": "Xylo.", "y": "Yarrow."})
    assert again.votes() == [] and site.page().slug != slug
    _, page = site.voter()
    assert asks(page) and "Xylo." in page.text


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_deletes_a_study_in_a_browser(live, somebody, scripts):
    live.study()
    page = somebody(java_script_enabled=scripts).see_study("/manage")
    page.get_by_role("link", name="Delete the study…").click()
    page.get_by_label("Type the name of the study: tea").fill("tea")
    page.get_by_role("button", name="Delete it for good").click()
    says(page.get_by_role("status"), "The study was deleted")
    says(page.locator("main"), "No study yet")
