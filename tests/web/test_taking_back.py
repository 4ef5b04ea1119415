"""An owner takes back what was clicked too early."""

import pytest
from browsing import answer, says, shows
from web_client import asks, send

pytestmark = pytest.mark.usefixtures("few_worlds")


def post(site, tab, **said):
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}{tab}"
    return send(admin, admin.get(path), path, **said)


def test_voters_go_on_after_a_study_is_reopened(site):
    study = site.study(page={"results": "closed"})
    browser, shown = site.voter()
    assert asks(shown)
    page = post(site, "/manage", does="close")
    assert "Reopen the study" in page.text and study.closed
    assert "The voting has ended" in browser.get(shown.url.path).text
    assert site.browser().get(f"/r/{site.page().slug}").status_code == 200
    assert "Reopen" not in post(site, "/manage", does="reopen").text
    assert asks(browser.get(shown.url.path))
    assert site.browser().get(f"/r/{site.page().slug}").status_code == 404


def test_a_retired_option_has_its_button_for_a_day(site):
    study = site.study()
    assert "Take it back" in post(site, "/options", does="retire", option="bai-3").text
    assert "Take it back" not in post(site, "/options", does="resume", option="bai-3").text
    assert study.option("bai-3").state == "active"
    post(site, "/options", does="retire", option="bai-3")
    site.clock.now += 24 * 3600 + 1
    assert "Take it back" not in site.admin().get(f"/admin/s/{site.page().slug}/options").text
    late = post(site, "/options", does="resume", option="bai-3")
    assert late.status_code == 422 and "for 24 hours" in late.text


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_takes_back_retiring_and_closing_in_a_browser(live, somebody, scripts):
    study = live.study()
    page = somebody(java_script_enabled=scripts).see_study("/options")
    assert page.get_by_role("button", name="Retire bai-3").is_hidden()  # it asks first
    page.get_by_label("Retire bai-3…").click()
    page.get_by_role("button", name="Retire bai-3").click()
    page.get_by_role("button", name="Take back the retiring of bai-3").click()
    shows(page.get_by_label("Retire bai-3…"))
    assert study.option("bai-3").state == "active"
    page.get_by_role("link", name="Manage").click()
    page.get_by_text("Close the study").click()
    page.get_by_role("button", name="Close it").click()
    says(page.locator(".heading"), "Closed")
    page.get_by_role("button", name="Reopen the study").click()
    shows(page.get_by_text("Close the study"))
    answer(somebody().begin())
    assert len(study.votes()) == 1
