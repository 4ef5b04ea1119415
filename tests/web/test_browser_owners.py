"""What the owner of a study does in a real browser, and what the voters make of it."""

import json

import pytest
from browsing import answer, outcomes, says, shown, shows
from web_client import Site

from copeland.study import certificate_to_file
from copeland.web.pages.question_counts import count_panel

pytestmark = pytest.mark.usefixtures("few_worlds")


@pytest.mark.slow
def test_on_this_computer_alone_the_page_says_so_and_how_phones_come_in(live, somebody):
    live.study()
    live.link()
    page = somebody().see_study("/share")
    says(page.locator(".here-alone"), "Only this computer can open these links.")
    says(page.locator(".here-alone code"), "copeland serve --office")
    assert page.locator("img.qr").count() == 0  # no phone could follow it


def test_on_a_network_the_link_and_its_code_are_for_the_address_of_that():
    site = Site(url="http://192.168.1.20:8000")
    site.study()
    site.link()
    page = site.admin().get(f"/admin/s/{site.page().slug}/share").text
    assert 'value="http://192.168.1.20:8000/v/' in page and "/qr/" in page
    assert "Only this computer" not in page


MEMBERS = ("voter-aaaaaaaaaaaa", "voter-bbbbbbbbbbbb", "voter-cccccccccccc")


def jury(site, names=("Ann", "Bob", "Cleo"), **more):
    """A study for exactly these people, each with a link."""
    study = site.study("jury", voters="panel", panel=list(MEMBERS), **more)
    page = site.page("jury")
    site.server.store.add_links(page.study, site.server.signer, names, True, voters=MEMBERS)
    return study


def link_of(page, name):
    """The link of somebody, as it stands in the list."""
    page.get_by_label(f"Change {name}").click()
    return page.locator("li", has_text=name).get_by_label("Link", exact=True).input_value()


@pytest.mark.nightly
def test_a_jury_is_offered_only_links_that_can_vote(live, somebody):
    study = jury(live)
    admin = somebody().see_study("/share", "jury")
    assert admin.get_by_text("Make an open link").count() == 0
    assert admin.locator("[name=names]").count() == 0
    for name in ("Ann", "Bob", "Cleo"):
        answer(somebody().begin(link_of(admin, name), "jury"))
    assert outcomes(study) == ["left"] * 3
    stray = live.link("jury")
    page = somebody().open(stray)
    says(page.locator("main"), "Ask the person who sent it for a link of your own")
    assert page.get_by_role("button").count() == 0


@pytest.mark.slow
def test_revoking_asks_can_be_taken_back_and_a_new_link_keeps_the_place(live, somebody):
    study = jury(live)
    admin = somebody().see_study("/share", "jury")
    before = link_of(admin, "Ann")
    answer(somebody().begin(before, "jury"))
    admin.get_by_label("Revoke the link of Ann…").click()
    says(admin.locator("main"), "you can take this back")
    admin.get_by_role("button", name="Revoke the link of Ann").click()
    says(somebody().open(before).locator("h1"), "Nothing is here")
    admin.get_by_role("button", name="Take the revoking back: Ann").click()
    shows(somebody().open(before).get_by_role("button", name="Start"))
    admin.get_by_label("Change Ann").click()
    admin.get_by_label("Name of Ann").fill("Ann Miller")
    admin.get_by_role("button", name="Rename").first.click()
    admin.get_by_label("Change Ann Miller").click()
    admin.get_by_text("New link…").first.click()
    admin.get_by_role("button", name="Make a new link for Ann Miller").click()
    says(admin.locator("li", has_text="Ann Miller"), "1 answer")
    after = link_of(admin, "Ann Miller")
    assert after != before
    says(somebody().open(before).locator("h1"), "Nothing is here")
    answer(somebody().begin(after, "jury"))
    assert {vote.voter for vote in study.votes()} == {MEMBERS[0]} and len(study.votes()) == 2


@pytest.mark.slow
def test_without_https_a_link_is_copied_all_the_same(live, somebody):
    live.study()
    live.link(label="Ann", personal=True)
    person = somebody()
    page = person.see_study("/share")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.get_by_label("Copy the link of Ann").click()
    says(page.get_by_label("Copy the link of Ann"), "Copied")


@pytest.mark.nightly
@pytest.mark.parametrize("named", [False, True])
def test_what_a_voter_reads_about_names_is_what_the_owner_sees(live, somebody, named):
    admin = somebody().come_in("/admin/new")
    admin.fill("[name=name]", "jury")
    admin.fill("[name=pasted]", "a one\nb two\nc three")
    admin.check("[value=panel]")
    admin.fill("[name=members]", "Ann Miller\nBob Chen")
    if named:
        admin.check("[name=named]")
    admin.get_by_role("button", name="Create").click()
    admin.wait_for_url("**/share")
    says(
        admin.locator("main"),
        "You see who answered what" if named else "No page puts names beside answers",
    )
    link = link_of(admin, "Ann Miller")
    voter = somebody()
    told = "sees your answers with your name" if named else "could work out which are yours"
    says(voter.open(link).locator("main"), told)
    answer(voter.begin(link, "jury"))
    admin.get_by_role("link", name="Dashboard").click()
    says(admin.locator(".events"), " over ")
    assert ("Ann Miller" in admin.locator(".events").first.text_content()) == named
    says(admin.get_by_label("Who is left"), "Ann Miller")  # to remind her
    assert "voter-" not in admin.locator("main").inner_html()


@pytest.mark.nightly
def test_a_member_is_asked_about_as_many_questions_as_the_first_page_says(live, somebody):
    options = {f"o{n}": f"option number {n}" for n in range(6)}
    study = jury(live, options=options)
    share = count_panel(study).share
    admin = somebody().see_study("/share", "jury")
    link = link_of(admin, "Ann")
    voter = somebody()
    says(voter.open(link).locator("main"), f"about {share} questions")
    page = voter.begin(link, "jury")
    for done in range(share):
        says(page.locator(".count"), f"{done + 1} of about {share}")
        answer(page)
    says(page.locator("main"), "Your part is done")
    assert share < 15 == 6 * 5 // 2
    page.get_by_role("link", name="Answer more now").click()  # nobody has to wait for the others
    says(page.locator(".count"), f"Pair {share + 1}")
    answer(page)
    says(page.locator(".count"), f"Pair {share + 2}")
    assert len(study.votes()) == share + 1
    says(admin.locator("li", has_text="Bob"), f"about {share} left")


@pytest.mark.slow
def test_the_form_of_a_panel_offers_only_what_a_panel_has(live, somebody):
    page = somebody().come_in("/admin/new")
    for name in ("per_voter", "delta", "margin"):
        shows(page.locator(f"[name={name}]"))
    page.check("[value=panel]")
    for name in ("per_voter", "delta", "margin", "people"):
        assert page.locator(f"[name={name}]").is_hidden()
    shows(page.get_by_text("no confidence and no margin to choose"))


@pytest.mark.slow
def test_the_dashboard_never_tells_two_stories(live, somebody):
    study = live.study(options=["one", "two"], voters="independent")
    page = somebody().see_study()
    says(page.locator(".badge").first, "Keep going")
    before = page.locator("#figures [data-story]").get_attribute("data-story")
    study.add_votes([{"left": "one", "right": "two", "outcome": "left"}] * 20)
    says(page.locator("#summary .claim"), "proved the only winner")
    # From now on the figures are hidden, or tell that too.
    page.wait_for_function("() => !document.querySelector('#content').classList.contains('stale')")
    after = page.locator("#figures [data-story]").get_attribute("data-story")
    assert after != before
    assert after == page.locator("#summary [data-story]").get_attribute("data-story")
    says(page.locator("#figures"), "as of event 21")  # and not of half a minute ago


@pytest.mark.slow
def test_the_dashboard_begins_with_the_verdict_who_is_left_and_what_it_takes(live, somebody):
    jury(live)
    page = somebody().see_study("", "jury")
    shows(page.locator(".claim"))
    says(page.get_by_label("Who is left"), "Cleo")
    assert page.locator(".tiles:visible dt").all_inner_texts() == [
        "votes",
        "pairs settled",
        "votes left",
    ]
    for folded in ("More numbers", "Last events"):
        page.get_by_text(folded).click()
    shows(page.get_by_text("open ballots", exact=True))
    shows(page.get_by_text("The study was created."))


@pytest.mark.slow
def test_texts_and_the_question_are_edited_and_the_certificate_says_so(live, somebody):
    study = live.study()
    voter = somebody().begin()
    answer(voter)
    admin = somebody().see_study("/options")
    admin.get_by_label("Edit sencha-7").click()
    field = admin.locator("li", has_text="sencha-7").locator("[name=text]")
    field.fill("Grassy, bright and new.")
    admin.locator("li", has_text="sencha-7").get_by_role("button", name="Save").click()
    says(admin.locator(".options"), "Grassy, bright and new.")
    admin.get_by_role("link", name="Manage").click()
    admin.get_by_label("Question").fill("Which tea today?")
    admin.locator("section", has_text="What voters read").get_by_role("button").click()
    other = somebody().begin()
    says(other.locator("h1"), "Which tea today?")
    seen = set()
    for _ in range(3):
        seen |= set(shown(other))
        answer(other)
    assert "Grassy, bright and new." in seen and "Grassy and bright." not in seen
    notes = certificate_to_file(study)[1]
    assert "The text of sencha-7 was changed after 1 vote." in json.loads(notes)["notes"]
    assert "The question was changed after 1 vote." in json.loads(notes)["notes"]


@pytest.mark.slow
def test_closing_and_retiring_ask_first_and_are_taken_back(live, somebody):
    study = live.study()
    admin = somebody().see_study("/options")
    admin.get_by_label("Retire bai-3…").click()
    admin.get_by_role("button", name="Retire bai-3").click()
    says(admin.locator(".options"), "retired")
    admin.get_by_role("button", name="Take the retiring back: bai-3").click()
    assert admin.locator(".badge", has_text="retired").count() == 0
    admin.get_by_role("link", name="Manage").click()
    admin.get_by_text("Close the study").click()
    admin.get_by_role("button", name="Close it").click()
    says(admin.locator("main"), "takes no more votes")
    assert study.closed
    admin.get_by_role("button", name="Reopen it").click()
    answer(somebody().begin())
    assert outcomes(study) == ["left"]


@pytest.mark.slow
def test_a_study_is_duplicated_and_deleted_by_its_name(live, somebody):
    jury(live)
    admin = somebody().see_study("/manage", "jury")
    admin.get_by_role("button", name="Duplicate").click()
    admin.wait_for_url("**/share")
    copy = live.server.study(live.page("jury (2)"))
    assert [o.text for o in copy.options] == [
        o.text for o in live.server.study(live.page("jury")).options
    ]
    answer(somebody().begin(link_of(admin, "Cleo"), "jury (2)"))
    assert len(copy.votes()) == 1 and not set(copy.settings.panel) & set(MEMBERS)
    old = live.page("jury").slug
    admin.goto(f"/admin/s/{old}/manage")
    admin.get_by_text("Delete the study…").click()
    admin.get_by_label("Type its name").fill("jurie")
    admin.get_by_role("button", name="Delete it for good").click()
    says(admin.get_by_role("alert"), "not the name of the study")
    admin.get_by_text("Delete the study…").click()
    admin.get_by_label("Type its name").fill("jury")
    admin.get_by_role("button", name="Delete it for good").click()
    admin.wait_for_url("**/admin?deleted=1")
    assert live.storage.names() == ["jury (2)"] and live.page("jury") is None
    assert live.server.study(live.page("jury (2)")).votes()
