"""An owner duplicates a study."""

import pytest
from browsing import answer, says
from test_admin import png
from test_browser_owners import jury
from web_client import asks, send

from copeland.web.images import image_of
from copeland.web.store import Pane, pane_key

pytestmark = pytest.mark.usefixtures("few_worlds")


def duplicate(site, name="tea", new="again"):
    admin = site.admin()
    path = f"/admin/s/{site.page(name).slug}"
    return send(admin, admin.get(f"{path}/manage"), f"{path}/duplicate", name=new)


@pytest.mark.slow
def test_the_copy_has_page_images_items_and_its_own_link(site):
    site.study(page={"question": "Why?", "items": True, "paused": True, "per_voter": 7})
    store, old, picture = site.server.store, site.page().study, image_of(png(), "x")
    store.add_image(picture)
    for key in ("bai-3", pane_key("bai-3", "an item")):
        store.show(old, key, Pane(picture.digest, "a red thing"))
    store.add_outputs(old, [("an item", "bai-3", "words")])
    shown = duplicate(site)
    new = site.page("again")
    assert shown.url.path == f"/admin/s/{new.slug}/share" and "/v/" in shown.text
    assert (new.question, new.paused, new.per_voter) == ("Why?", False, 7)
    assert store.panes(new.study) == store.panes(old)
    assert store.outputs(new.study) == store.outputs(old)
    assert [link.voter for link in store.links(new.study)] == [None]


@pytest.mark.slow
def test_a_jury_gets_new_links_under_new_random_names(site):
    old = jury(site)
    duplicate(site, "jury")
    store, page = site.server.store, site.page("again")
    links = store.links(page.study)
    panel = site.server.study(page).settings.panel
    assert [link.label for link in links] == ["Ann", "Bob", "Cleo"]
    assert {link.voter for link in links} == set(panel)
    assert not set(panel) & set(old.settings.panel)
    _, shown = site.voter(f"/v/{site.server.signer.link(links[0].nonce)}", "again")
    assert asks(shown)


def test_a_name_that_is_taken_is_said(site):
    site.study()
    refused = duplicate(site, new="tea")
    assert refused.status_code == 422 and "already" in refused.text


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_duplicates_a_study_in_a_browser(live, somebody, scripts):
    live.study()
    page = somebody(java_script_enabled=scripts).see_study("/manage")
    page.get_by_label("Name of the new study").fill("tea in May")
    page.get_by_role("button", name="Duplicate").click()
    says(page.locator("h1"), "tea in May")
    link = page.locator("input.mono").first.input_value()
    answer(somebody().begin(link, "tea in May"))
    assert len(live.server.study(live.page("tea in May")).votes()) == 1
