"""What the owner of a panel's study sees in a real browser: who is left, what is saved, and what everybody may read."""

from dataclasses import replace

import pytest
from browsing import PHONE, answer, says, shows
from test_browser_owners import jury, link_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_worlds")]
NARROW = {"width": 390, "height": 800}


def test_a_member_is_excused_after_a_question_and_waited_for_again(live, somebody):
    study = jury(live)
    admin = somebody().see_study("/share", "jury")
    admin.get_by_label("Excuse Cleo…").click()
    says(admin.locator("li", has_text="Cleo"), "no longer waits for Cleo")
    assert study.standing().panel.excused == ()  # it asks first
    admin.get_by_role("button", name="Excuse Cleo").click()
    says(admin.locator("li", has_text="Cleo"), "excused")
    admin.get_by_role("link", name="Dashboard").click()
    says(admin.get_by_label("Who is left"), "Ann")
    assert "Cleo" not in admin.get_by_label("Who is left").inner_text()
    admin.get_by_role("link", name="Share").first.click()
    admin.get_by_role("button", name="Wait for Cleo again").click()
    shows(admin.get_by_label("Excuse Cleo…"))
    assert study.standing().panel.excused == ()


def test_the_dashboard_has_one_list_of_who_is_left_and_it_is_by_name(live, somebody):
    jury(live)
    admin = somebody().see_study("/share", "jury")
    answer(somebody().begin(link_of(admin, "Ann"), "jury"))
    admin.get_by_label("Revoke the link of Bob…").evaluate(
        "it => it.closest('li').querySelector('.change').open = true"
    )
    admin.get_by_label("Revoke the link of Bob…").click()
    admin.get_by_role("button", name="Revoke the link of Bob").click()
    admin.get_by_role("link", name="Dashboard").click()
    says(admin.get_by_label("Who is left"), "Bob")  # the study still waits for him
    says(admin.get_by_label("Who is left"), "no link")
    said = admin.locator("#summary").text_content()
    assert "member 1" not in said and "Still to be asked" not in said


def test_saving_is_confirmed_and_options_lead_to_the_question(live, somebody):
    live.study()
    admin = somebody().see_study("/options")
    admin.get_by_label("Edit sencha-7").click()
    admin.locator("li", has_text="sencha-7").get_by_role("button", name="Save").click()
    says(admin.get_by_role("status"), "Saved.")
    admin.get_by_role("link", name="Edit the question").click()
    assert admin.get_by_role("status").count() == 0
    admin.get_by_label("Question").fill("Which tea today?")
    admin.locator("section", has_text="What voters read").get_by_role("button").click()
    says(admin.get_by_role("status"), "Saved.")
    admin.get_by_label("Who may read results").select_option("closed")
    admin.locator("section", has_text="Public results").get_by_role("button").click()
    says(admin.get_by_role("status"), "Saved.")
    admin.get_by_role("link", name="Share").click()
    says(admin.get_by_label("Results", exact=True), "once the study has ended")
    shows(admin.get_by_label("Copy the link to the results"))


@pytest.mark.quick
def test_on_a_phone_every_number_of_an_option_can_be_read(live, somebody):
    options = {f"A landing page with quite a long name {n}": f"text {n}" for n in range(6)}
    study = jury(live, options=options)
    live.server.store.save_page(replace(live.page("jury"), results="live"))
    for _ in range(9):
        study.tell(study.ask(), "left")
    page = somebody(viewport=PHONE).open(f"/r/{live.page('jury').slug}")
    table = page.get_by_role("region", name="Options so far")
    assert table.evaluate("it => it.scrollWidth - it.clientWidth") <= 0
    for label in ("beats", "proved", "won", "votes"):
        cells = table.locator(f"[data-label={label}]")
        assert cells.count() == 6
        box = cells.first.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]


def test_on_a_phone_help_is_about_buttons_and_elsewhere_about_keys(live, somebody):
    live.study()
    for is_phone in (True, False):
        how = {"viewport": NARROW, "has_touch": True, "is_mobile": True} if is_phone else {}
        page = somebody(**how).begin()
        page.get_by_role("button", name="Help").click()
        shows(page.locator("#help"))
        assert page.locator("#help .with-touch").is_visible() == is_phone
        assert page.locator("#help .keys").is_visible() != is_phone
