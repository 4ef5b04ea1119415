"""An owner takes back a vote with a reason, and a voter the last own answer."""

import pytest
from browsing import answer, says
from web_client import send, vote

from copeland.web.pages import recent_votes
from copeland.web.pages.recent_votes import find_votes

pytestmark = pytest.mark.usefixtures("few_worlds")


def some_votes(site, n=3):
    browser, shown = site.voter()
    for _ in range(n):
        shown = vote(browser, shown)
    return browser, shown


def take_back(site, event_id, reason="a test", **more):
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}/votes"
    return send(admin, admin.get(path), path, vote=event_id, reason=reason, **more)


def test_a_vote_is_taken_back_with_its_reason(site):
    study = site.study(page={"results": "live"})
    some_votes(site)
    first = study.votes()[0]
    page = take_back(site, first.event_id)
    assert "The vote is taken back" in page.text and page.text.count("taken back</em>") == 1
    assert [one.undone for one in study.votes()] == [True, False, False]
    assert study.log()[-1].body["reason"] == "a test"
    assert "(a test: 1)" in site.browser().get(f"/r/{site.page().slug}").text


def test_a_reason_is_needed_and_nothing_is_taken_back_twice(site):
    study = site.study()
    some_votes(site)
    first = study.votes()[0].event_id
    assert "Say why" in take_back(site, first, "").text
    assert not any(one.undone for one in study.votes())
    take_back(site, first)
    again = take_back(site, first)
    assert again.status_code == 422 and "was undone before" in again.text
    assert take_back(site, "nonsense").status_code == 422
    study.close()
    closed = take_back(site, study.votes()[1].event_id)
    assert closed.status_code == 422 and "Take back…" not in closed.text


def test_all_votes_are_reached_page_by_page(site, monkeypatch):
    """Against the plain list: whatever the sizes of pieces and pages, each vote comes once, the newest first."""
    study = site.study(options={f"o{n}": "" for n in range(8)})
    some_votes(site, 17)
    plain = [event.number for event in reversed(study.log()) if event.kind == "voted"]
    assert len(plain) == 17
    for shown, piece, pieces in ((5, 3, 2), (4, 100, 1), (50, 7, 100), (1, 1, 1)):
        monkeypatch.setattr(recent_votes, "SHOWN", shown)
        monkeypatch.setattr(recent_votes, "PIECE", piece)
        monkeypatch.setattr(recent_votes, "PIECES", pieces)
        met, before = [], None
        while before is None or before > 1:
            found, before = find_votes(study, before)
            assert len(found) <= shown
            met += [event.number for event in found]
        assert met == plain


@pytest.mark.parametrize("named", [False, True])
def test_names_are_shown_only_where_voters_were_told(site, named):
    site.study(page={"named": named})
    link = site.link(label="Ann Miller", personal=True)
    vote(*site.voter(link))
    text = site.admin().get(f"/admin/s/{site.page().slug}/votes").text
    assert ("Ann Miller" in text) == named and "voter-" not in text


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_owner_and_voter_take_votes_back_in_a_browser(live, somebody, scripts):
    study = live.study()
    voter = somebody().begin()
    answer(voter)
    answer(voter)
    page = somebody(java_script_enabled=scripts).see_study()
    page.get_by_role("link", name="Recent votes").click()
    number = next(event.number for event in study.log() if event.kind == "voted")
    page.get_by_label(f"Take vote {number} back…").click()
    item = page.locator("li", has=page.get_by_label(f"Take vote {number} back…"))
    item.get_by_label("Why").fill("a slip")
    page.get_by_role("button", name=f"Take vote {number} back").click()
    says(page.get_by_role("status"), "The vote is taken back")
    voter.get_by_role("button", name="Undo").click()
    says(voter.locator("#live"), "Your last answer is taken back")
    assert [one.undone for one in study.votes()] == [True, True]
