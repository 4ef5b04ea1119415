"""An owner changes the texts that voters read."""

import pytest
from browsing import says
from test_admin import png
from web_client import asks, send, vote

from copeland.web.images import image_of
from copeland.web.store import Pane

pytestmark = pytest.mark.usefixtures("few_worlds")


def edit(site, **said):
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}/edit"
    return send(admin, admin.get(path), path, **said)


def test_voters_read_the_new_texts_at_once(site):
    study = site.study()
    link = site.link()
    browser, shown = site.voter(link)
    vote(browser, shown)
    saved = edit(site, question="Which would you drink?", guidance="Think of *lunch*.")
    assert "Saved. Voters read it from now on." in saved.text
    for name in ("sencha-7", "assam-9", "bai-3"):
        edit(site, option=name, text=f"New words {name[0]}.")
    page = browser.get(f"/vote/{site.page().slug}")
    assert asks(page) and "Which would you drink?" in page.text
    assert page.text.count("New words") == 2 and "Grassy" not in page.text
    assert "<em>lunch</em>" in site.browser().get(link).text
    edits = [(event.body["part"], event.source) for event in study.log() if event.kind == "edited"]
    parts = ("question", "guidance", "text", "text", "text")
    assert edits == [(part, "admin page") for part in parts]


def test_the_dashboard_and_the_results_say_after_how_many_votes(site):
    study = site.study(page={"results": "live"})
    browser, shown = site.voter()
    for _ in range(3):
        shown = vote(browser, shown)
    edit(site, option="bai-3", text="Soft.")
    said = "The text of bai-3 was changed after 3 votes."
    assert study.standing().votes == 3
    assert said in site.admin().get(f"/admin/s/{site.page().slug}").text
    assert said in site.browser().get(f"/r/{site.page().slug}").text
    assert said in site.admin().get(f"/admin/s/{site.page().slug}/certificate.json").text
    assert "There are 3 votes already" in site.admin().get(f"/admin/s/{site.page().slug}/edit").text


def test_a_form_that_is_sent_back_as_it_was_changes_nothing(site):
    study = site.study(options={"a": "one\ntwo ", "b": "x"})
    assert "Nothing was changed" in edit(site, option="a", text="one\r\ntwo").text
    assert "Nothing was changed" in edit(site, question="Which is better?").text
    assert study.number == 1


def test_what_is_wrong_is_said_and_what_was_typed_stays(site):
    study = site.study()
    refused = edit(site, question="x" * 301, guidance="kept words")
    assert refused.status_code == 422 and "it may have 300" in refused.text
    assert "kept words" in refused.text
    assert edit(site, option="nobody", text="x").status_code == 422
    study.close()
    assert "nothing can be changed" in site.admin().get(f"/admin/s/{site.page().slug}/edit").text


def test_the_words_for_an_image_are_changed_and_logged(site):
    study = site.study()
    picture = image_of(png(), "x")
    site.server.store.add_image(picture)
    site.server.store.show(site.page().study, "bai-3", Pane(picture.digest, "a red thing"))
    assert edit(site, option="bai-3", text="").status_code == 422
    edit(site, option="bai-3", text="A red cup")
    assert site.server.panes(site.page())["bai-3"].alt == "A red cup"
    assert study.log()[-1].body["part"] == "image text"


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_corrects_a_typo_in_a_browser(live, somebody, scripts):
    study = live.study()
    page = somebody(java_script_enabled=scripts).see_study("/options")
    page.get_by_role("link", name="Edit texts").click()
    page.get_by_role("textbox", name="Text of bai-3").fill("Soft and sweet.")
    page.get_by_role("button", name="Save the text of bai-3").click()
    says(page.get_by_role("status"), "Saved")
    assert study.option("bai-3").text == "Soft and sweet."
