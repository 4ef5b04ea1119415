"""An owner changes the texts that voters read."""

import pytest
from test_admin import png
from web_client import asks, send, vote

from copeland.web.images import image_of
from copeland.web.store import Pane

pytestmark = pytest.mark.usefixtures("few_worlds")


def post(site, tab, **said):
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}/{tab}"
    return send(admin, admin.get(path), path, **said)


def edit(site, option, text):
    return post(site, "options", does="edit", option=option, text=text)


@pytest.mark.slow
def test_voters_read_the_new_texts_at_once_and_what_is_wrong_is_said(site):
    study = site.study()
    link = site.link()
    browser, shown = site.voter(link)
    vote(browser, shown)
    post(site, "manage", does="words", question="Which tea?", guidance="Think of *lunch*.")
    for name in ("sencha-7", "assam-9", "bai-3"):
        edit(site, name, f"New words {name[0]}.")
    page = browser.get(f"/vote/{site.page().slug}")
    assert asks(page) and "Which tea?" in page.text
    assert page.text.count("New words") == 2 and "Grassy" not in page.text
    assert "<em>lunch</em>" in site.browser().get(link).text
    edits = [(event.body["part"], event.source) for event in study.log() if event.kind == "edited"]
    parts = ("question", "guidance", "text", "text", "text")
    assert edits == [(part, "admin page") for part in parts]
    refused = post(site, "manage", does="words", question="x" * 301)
    assert refused.status_code == 422 and "it may have 300" in refused.text
    assert edit(site, "nobody", "x").status_code == 422
    study.close()
    assert edit(site, "bai-3", "x").status_code == 422


@pytest.mark.slow
def test_another_process_shows_the_new_text(site):
    from web_client import Site

    site.study()
    other = Site(site.storage)
    other.clock.now = site.clock.now
    browser, shown = other.voter()
    edit(site, "sencha-7", "Other words.")
    edit(site, "assam-9", "Other words.")
    edit(site, "bai-3", "Other words.")
    assert browser.get(shown.url.path).text.count("Other words.") == 2


@pytest.mark.slow
def test_dashboard_results_and_certificate_say_after_how_many_votes(site):
    site.study(page={"results": "live"})
    browser, shown = site.voter()
    for _ in range(3):
        shown = vote(browser, shown)
    edit(site, "bai-3", "Soft.")
    said, slug = "The text of bai-3 was changed after 3 votes.", site.page().slug
    for page in (f"/admin/s/{slug}", f"/r/{slug}", f"/admin/s/{slug}/certificate.json"):
        assert site.admin().get(page).text.count(said) == 1


@pytest.mark.slow
def test_a_form_that_is_sent_back_as_it_was_changes_nothing(site):
    study = site.study(options={"a": "one\ntwo ", "b": ""})
    edit(site, "a", "one\r\ntwo")
    edit(site, "b", "b")  # the form shows the name where there is no text
    post(site, "manage", does="words", question="Which is better?")
    assert study.number == 1


def test_the_words_for_an_image_are_changed_and_logged(site):
    study = site.study()
    picture = image_of(png(), "x")
    site.server.store.add_image(picture)
    site.server.store.show(site.page().study, "bai-3", Pane(picture.digest, "a red thing"))
    assert edit(site, "bai-3", "").status_code == 422
    assert edit(site, "bai-3", "x" * 1001).status_code == 422
    edit(site, "bai-3", "A red cup")
    assert site.server.panes(site.page())["bai-3"].alt == "A red cup"
    assert study.log()[-1].body["part"] == "image text"
