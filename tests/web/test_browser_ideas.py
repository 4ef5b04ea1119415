"""A voter suggests an option in a real browser, and the owner adds or declines it."""

import pytest
from browsing import PHONE, answer, says, shown, shows

from copeland.web.ideas import FEW, Ideas

pytestmark = pytest.mark.usefixtures("few_worlds")
LUNCHES = {name: f"A {name}." for name in ("soup", "salad", "stew", "curry")}


def suggest(page, text):
    """Go from a pair to the form, send it, and come back to the same pair."""
    before = page.input_value("[name=ballot]")
    page.get_by_role("link", name="Suggest an option").click()
    page.get_by_label("What is missing?").fill(text)
    page.get_by_role("button", name="Send").click()
    says(page.get_by_role("status"), "Your idea is kept")
    page.get_by_role("link", name="Back to the vote").click()
    page.wait_for_url("**/vote/*")
    assert page.input_value("[name=ballot]") == before


@pytest.mark.slow
def test_an_idea_goes_from_a_voter_through_the_owner_to_other_voters(live, somebody):
    study = live.study("lunch", LUNCHES, {"ideas": True})
    page = somebody(viewport=PHONE, has_touch=True).begin(live.link("lunch"), "lunch")
    for _ in range(FEW):
        assert page.get_by_role("link", name="Suggest an option").count() == 0
        answer(page)
    suggest(page, "Dumplings with ginger")
    owner = somebody().see_study("/options", "lunch")
    says(owner.locator("nav.tabs"), "1 new idea")
    owner.locator("#ideas summary", has_text="Add it").click()
    owner.locator("#ideas [name=name]").fill("dumplings")
    owner.get_by_role("button", name="Add it as an option").click()
    says(owner.locator("#ideas"), "No idea is waiting.")
    assert study.options[-1].name == "dumplings"
    other = somebody().begin(live.link("lunch"), "lunch")
    seen = set()
    while other.locator("[name=ballot]").count():
        seen |= set(shown(other))
        answer(other)
    assert "Dumplings with ginger" in seen


@pytest.mark.slow
def test_without_scripts_an_idea_is_sent_and_declined(live, somebody):
    live.study("lunch", LUNCHES, {"ideas": True})
    page = somebody(java_script_enabled=False).begin(live.link("lunch"), "lunch")
    for _ in range(FEW):
        page.click("[value=left]")
    suggest(page, "Pancakes")
    owner = somebody(java_script_enabled=False).see_study("/options", "lunch")
    owner.get_by_role("button", name="Decline idea 1").click()
    owner.locator("summary", has_text="Settled ideas (1)").click()
    shows(owner.get_by_text("Not added."))
    (idea,) = Ideas(live.storage).find_all(live.page("lunch").study)
    assert (idea.text, idea.state) == ("Pancakes", "declined")


@pytest.mark.quick
def test_an_owner_lets_voters_suggest_on_the_page_of_options(live, somebody):
    live.study("lunch", LUNCHES)
    owner = somebody().see_study("/options", "lunch")
    owner.get_by_role("button", name="Let voters suggest options").click()
    shows(owner.get_by_role("button", name="Take no more ideas"))
    assert live.page("lunch").ideas
