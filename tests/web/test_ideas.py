"""Voters suggest options; the owner adds one, which the log then says, or declines it. Nobody else sees an idea before."""

import pytest
from test_admin import png
from web_client import TEAS, Site, asks, fields, send, vote

from copeland.web.ideas import EACH, FEW, LETTERS, MOST, Ideas
from copeland.web.images import image_of
from copeland.web.store import Pane

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_worlds")]
IDEA = "Rooibos, with vanilla."
FOUR = {**TEAS, "oolong-1": "Dark and smooth."}


@pytest.fixture
def tea(site):
    """A study that takes ideas."""
    return site.study(options=FOUR, page={"ideas": True})


def ready(site, link=None):
    """Somebody who has answered enough pairs, and the page of ideas."""
    browser, shown = site.voter(link)
    for _ in range(FEW):
        shown = vote(browser, shown)
    return browser, shown, browser.get(f"/vote/{site.page().slug}/idea")


def suggest(site, text=IDEA):
    browser, _, page = ready(site)
    return send(browser, page, text=text)


def review(site, does, **said):
    admin = site.admin()
    slug = site.page().slug
    page = admin.get(f"/admin/s/{slug}/options")
    return send(admin, page, f"/admin/s/{slug}/ideas", does=does, **said)


def ideas(site):
    return Ideas(site.storage).find_all(site.page().study)


def test_an_idea_becomes_an_option_that_the_log_says_and_voters_meet(site, tea):
    kept = suggest(site)
    assert "Your idea is kept" in kept.text
    (idea,) = ideas(site)
    assert (
        review(site, "approve", idea=idea.id, name="rooibos-2", text="Rooibos.").status_code == 200
    )
    last = tea.log()[-1]
    assert last.kind == "added" and last.body["name"] == "rooibos-2"
    assert last.voter is None and idea.voter not in str(last)
    assert tea.option("rooibos-2").text == "Rooibos."
    assert (ideas(site)[0].state, ideas(site)[0].option) == ("added", "rooibos-2")
    browser, shown = site.voter()
    seen = []
    while asks(shown):
        seen.append(shown.text)
        shown = vote(browser, shown)
    assert any("Rooibos." in text for text in seen)


def test_nobody_but_the_owner_sees_an_idea_before_it_is_added(site, tea):
    link = site.link()
    browser, _, page = ready(site, link)
    send(browser, page, text=IDEA)
    other, shown = site.voter(link)
    while asks(shown):
        assert "Rooibos" not in shown.text
        shown = vote(other, shown)
    for path in (link, f"/vote/{site.page().slug}/idea"):
        assert "Rooibos" not in other.get(path).text
    assert "Rooibos" not in site.browser().get(f"/r/{site.page().slug}").text
    assert "Rooibos" not in str(tea.log())


def test_no_page_of_the_owner_says_whose_idea_it_was(site, tea):
    personal = site.link(label="Ann Example", personal=True)
    browser, _, page = ready(site, personal)
    send(browser, page, text=IDEA)
    shown = site.admin().get(f"/admin/s/{site.page().slug}/options").text
    assert IDEA in shown and "Ann Example" not in shown and ideas(site)[0].voter not in shown


def test_the_way_there_opens_after_a_few_answers(site, tea):
    browser, shown = site.voter()
    path = f"/vote/{site.page().slug}/idea"
    for _ in range(FEW):
        assert "Suggest an option" not in shown.text and browser.get(path).status_code == 404
        shown = vote(browser, shown)
    assert "Suggest an option" in shown.text and browser.get(path).status_code == 200
    part = send(browser, shown, headers={"X-Fragment": "pair"}, outcome="left")
    assert f'href="{path}"' in part.text


def test_it_stays_open_at_the_end_and_closes_with_the_study(site, tea):
    browser, shown, page = ready(site)
    while asks(shown):
        shown = vote(browser, shown)
    assert "Thank you" in shown.text and "Suggest an option" in shown.text
    tea.close()
    assert "Suggest an option" not in browser.get(shown.url.path).text
    assert send(browser, page, text=IDEA).status_code == 404 and ideas(site) == []


def test_where_the_owner_does_not_want_ideas_there_is_no_place_for_them(site):
    site.study(options=FOUR)
    browser, shown, page = ready(site)
    assert "Suggest" not in shown.text and page.status_code == 404
    assert send(browser, shown, page.url.path, text=IDEA).status_code == 404


def test_the_owner_switches_it_on_and_off(site):
    site.study(options=FOUR)
    review(site, "on")
    assert site.page().ideas
    suggest(site)
    off = review(site, "off")
    assert not site.page().ideas and IDEA in off.text  # what was suggested can still be added
    assert ready(site)[2].status_code == 404


@pytest.mark.parametrize("text", ["", "  \n ", "\u200b", "x" * (LETTERS + 1)])
def test_an_idea_has_words_but_not_too_many(site, tea, text):
    browser, _, page = ready(site)
    refused = send(browser, page, text=text)
    assert refused.status_code == 422 and 'role="alert"' in refused.text and ideas(site) == []


def test_the_same_idea_of_one_voter_is_kept_once_and_a_voter_has_only_a_few(site, tea):
    browser, _, page = ready(site)
    for n in range(EACH):
        send(browser, page, text=f"Tea {n}")
        send(browser, page, text="Tea 0")
    assert len(ideas(site)) == EACH
    site.clock.now += 601
    refused = send(browser, page, text="One more")
    assert refused.status_code == 422 and "that is all for one person" in refused.text
    assert 'name="text"' not in browser.get(page.url.path).text


def test_ideas_that_come_too_fast_have_to_wait(site, tea):
    browser, _, page = ready(site)
    answers = [send(browser, page, text="").status_code for _ in range(8)]
    assert answers[0] == 422 and answers[-1] == 429


def test_a_study_keeps_no_more_ideas_than_somebody_reads(site, tea):
    kept = Ideas(site.storage, site.clock)
    for n in range(MOST):
        kept.add(site.page().study, f"v{n}", "Tea")
    refused = suggest(site)
    assert refused.status_code == 422 and "waiting to be read" in refused.text


def test_another_site_cannot_send_an_idea_for_a_voter(site, tea):
    browser, _, page = ready(site)
    forged = {"Sec-Fetch-Site": "cross-site"}
    assert send(browser, page, text=IDEA, headers=forged).status_code == 403
    data = {"text": IDEA, "csrf": "x"}
    assert browser.post(page.url.path, data=data).status_code == 403 and ideas(site) == []
    assert "csrf" in fields(page)


def test_what_is_written_is_shown_as_text(site, tea):
    suggest(site, "<script>alert(1)</script>")
    page = site.admin().get(f"/admin/s/{site.page().slug}/options").text
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page


def test_a_decided_study_is_open_again_with_an_idea_that_is_added(site):
    study = site.study("tea", {"a": "A.", "b": "B."}, {"ideas": True}, voters="independent")
    study.add_votes([{"winner": "a", "loser": "b", "n": 60}])
    assert study.certificate().decided
    kept = Ideas(site.storage, site.clock)
    idea = kept.add(site.page().study, "ann", IDEA)
    review(site, "approve", idea=idea.id, name="rooibos-2", text=IDEA)
    assert not study.certificate().decided


def test_a_declined_idea_can_be_looked_at_again_and_an_added_one_not(site, tea):
    suggest(site)
    (idea,) = ideas(site)
    assert "Not added." in review(site, "decline", idea=idea.id).text
    assert review(site, "decline", idea=idea.id).status_code == 422
    review(site, "reconsider", idea=idea.id)
    assert ideas(site)[0].state == "waiting"
    review(site, "approve", idea=idea.id, name="x", text="X.")
    refused = review(site, "reconsider", idea=idea.id)
    assert refused.status_code == 422 and "retire the option instead" in refused.text
    assert review(site, "approve", idea=idea.id, name="y", text="Y.").status_code == 422
    assert len(tea.options) == 5


def test_a_name_that_is_taken_leaves_the_idea_waiting(site, tea):
    suggest(site)
    (idea,) = ideas(site)
    refused = review(site, "approve", idea=idea.id, name="bai-3", text="X.")
    assert refused.status_code == 422 and "already" in refused.text
    assert ideas(site)[0].state == "waiting" and len(tea.options) == 4
    assert review(site, "approve", idea="7", name="z").status_code == 404


@pytest.mark.quick
def test_an_idea_of_another_study_is_not_found(site, tea):
    site.study("other", {"a": "A.", "b": "B."}, {"ideas": True})
    idea = Ideas(site.storage).add(site.page("other").study, "ann", IDEA)
    assert review(site, "approve", idea=idea.id, name="z", text="Z.").status_code == 404


def images(site):
    study = site.study(options=FOUR)
    picture = image_of(png(), "x")
    site.server.store.add_image(picture)
    site.server.store.show(site.page().study, "bai-3", Pane(picture.digest, "a red thing"))
    return study


@pytest.mark.parametrize(
    "make",
    [
        images,
        lambda site: site.study(options=FOUR, page={"items": True}),
        lambda site: site.study(options=FOUR, voters="judge", cases=5),
    ],
    ids=["images", "items", "judges"],
)
def test_where_an_idea_could_not_be_an_option_it_is_not_offered(site, make):
    make(site)
    page = site.admin().get(f"/admin/s/{site.page().slug}/options").text
    assert "Ideas from voters" not in page
    refused = review(site, "on")
    assert refused.status_code == 422 and "voters cannot suggest any" in refused.text
    assert not site.page().ideas


def test_in_a_panel_members_suggest_and_are_asked_about_what_is_added():
    site = Site()
    study = site.study(
        options=FOUR,
        page={"ideas": True, "per_voter": 1_000_000},
        voters="panel",
        panel=["ann", "bob"],
    )
    store, signer = site.server.store, site.server.signer
    store.add_links(site.page().study, signer, ["Ann"], True, voters=["ann"])
    link = f"/v/{signer.link(store.links(site.page().study)[-1].nonce)}"
    browser, _, page = ready(site, link)
    send(browser, page, text=IDEA)
    review(site, "approve", idea=ideas(site)[0].id, name="rooibos-2", text=IDEA)
    assert len(study.options) == 5 and asks(browser.get(f"/vote/{site.page().slug}"))


def test_a_new_study_takes_ideas_if_its_form_says_so(site):
    admin = site.admin()
    said = {"name": "tea", "pasted": "green\nblack\nwhite", "voters": "people", "per_voter": "3"}
    send(admin, admin.get("/admin/new"), **said, ideas="on")
    assert site.page().ideas
    judges = {**said, "name": "judged", "voters": "judge", "ideas": "on"}
    refused = send(admin, admin.get("/admin/new"), **judges)
    assert refused.status_code == 422 and "only where people vote on texts" in refused.text


@pytest.mark.quick
def test_the_start_page_says_that_ideas_are_stored(site, tea):
    assert "suggest an option of your own" in site.browser().get(site.link()).text


def test_the_tab_counts_the_ideas_that_wait_which_are_deleted_with_their_study(site, tea):
    suggest(site)
    assert (
        '1<span class="unseen"> new idea</span>'
        in site.admin().get(f"/admin/s/{site.page().slug}").text
    )
    key = site.page().study
    site.server.delete(site.page())
    assert Ideas(site.storage).find_all(key) == []
