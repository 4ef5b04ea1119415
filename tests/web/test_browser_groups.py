"""Somebody answers several questions on each pair in a real browser."""

import pytest
from browsing import DESK, PHONE, outcomes, says, shows

from copeland.study import create_study
from copeland.web.pages.create import link_studies

pytestmark = pytest.mark.usefixtures("few_worlds")
QUESTIONS = ("Which is clearer?", "Which would you buy?", "Which is kinder?")
LINES = {name: f"Line {name}, long enough to be read twice." for name in "abcd"}


def group(site, batch=3):
    """Three studies that are asked together, and the link to them."""
    names = [f"lines {n}" for n in range(1, len(QUESTIONS) + 1)]
    for name, question in zip(names, QUESTIONS, strict=True):
        create_study(name, LINES, site.storage, clock=site.clock, voters="people", batch=batch)
        page = {"question": question, "per_voter": batch}
        site.server.store.add_page(site.storage.key(name), page)
    link_studies(site.server, "lines", names)
    return [site.server.study(site.page(name)) for name in names], site.link(names[0])


def begin(person, link):
    page = person.open(link)
    says(page.locator("h1"), "3 questions on each pair")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/questions/*")
    return page


def choose(page, *answers):
    for question, answer in zip(QUESTIONS, answers, strict=True):
        page.get_by_role("group", name=question).get_by_text(answer, exact=True).click()
    page.get_by_role("button", name="Next").click()


@pytest.mark.slow
def test_pair_after_pair_until_thanks_by_touch(live, somebody):
    studies, link = group(live)
    page = begin(somebody(viewport=PHONE, has_touch=True), link)
    for n in range(1, 4):
        says(page.locator(".count"), f"{n} of 3")
        choose(page, "A", "B", "Skip")
    says(page.locator("h1"), "Thank you")
    expected = [["left"] * 3, ["right"] * 3, ["skip"] * 3]
    assert [outcomes(study) for study in studies] == expected


@pytest.mark.slow
def test_by_keys_alone_and_without_scripts(live, somebody):
    studies, link = group(live)
    page = begin(somebody(java_script_enabled=False), link)
    page.keyboard.press("Tab")  # a text, which may have to be scrolled
    page.keyboard.press("Tab")
    for _ in QUESTIONS:
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")  # from A to B
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    says(page.locator(".count"), "2 of 3")
    assert [outcomes(study) for study in studies] == [["right"]] * 3
    page.get_by_role("button", name="Take my last answers back").click()
    says(page.locator(".count"), "1 of 3")
    assert [outcomes(study) for study in studies] == [[]] * 3


@pytest.mark.slow
@pytest.mark.quick
def test_a_question_that_is_left_out_is_pointed_at_and_nothing_is_sent(live, somebody):
    studies, link = group(live)
    page = begin(somebody(viewport=DESK), link)
    page.get_by_role("group", name=QUESTIONS[0]).get_by_text("A", exact=True).click()
    page.get_by_role("button", name="Next").click()
    assert page.evaluate("document.activeElement.validity.valueMissing")
    shows(page.get_by_role("group", name=QUESTIONS[1]))
    assert [outcomes(study) for study in studies] == [[]] * 3
