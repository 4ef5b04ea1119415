"""An owner takes back a vote with a reason, and a voter the last own answer."""

import re

import pytest
from browsing import answer, says
from web_client import send, vote

from copeland.web.pages import dashboard
from copeland.web.pages.dashboard import find_votes

pytestmark = pytest.mark.usefixtures("few_worlds")


def some_votes(site, n=3):
    browser, shown = site.voter()
    for _ in range(n):
        shown = vote(browser, shown)
    return browser, shown


@pytest.mark.slow
def test_votes_are_listed_with_a_way_to_take_each_back(site):
    study = site.study()
    some_votes(site)
    path = f"/admin/s/{site.page().slug}/votes"
    numbers = [event.number for event in reversed(study.log()) if event.kind == "voted"]
    listed = re.findall(r'/votes/(\d+)"', site.admin().get(path).text)
    assert list(map(int, listed)) == numbers
    admin = site.admin()
    send(admin, admin.get(f"{path}/{numbers[1]}"), f"{path}/{numbers[1]}", reason="a test")
    page = site.admin().get(path).text
    assert page.count("taken back</em>") == 1 and f'/votes/{numbers[1]}"' not in page
    assert study.log()[-1].body["reason"] == "a test"
    study.close()
    assert "take back</a>" not in site.admin().get(path).text


@pytest.mark.slow
def test_all_votes_are_reached_page_by_page(site, monkeypatch):
    """Against the plain list: whatever the sizes of pieces and pages, each vote comes once, the newest first."""
    study = site.study(options={f"o{n}": "" for n in range(8)})
    some_votes(site, 17)
    plain = [event.number for event in reversed(study.log()) if event.kind == "voted"]
    assert len(plain) == 17
    for shown, piece, pieces in ((5, 3, 2), (4, 100, 1), (50, 7, 100), (1, 1, 1)):
        monkeypatch.setattr(dashboard, "SHOWN", shown)
        monkeypatch.setattr(dashboard, "PIECE", piece)
        monkeypatch.setattr(dashboard, "PIECES", pieces)
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


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_owner_and_voter_take_votes_back_in_a_browser(live, somebody, scripts):
    study = live.study()
    voter = somebody().begin()
    answer(voter)
    answer(voter)
    page = somebody(java_script_enabled=scripts).see_study()
    page.get_by_text("Last events").click()
    page.get_by_role("link", name="All votes").click()
    number = next(event.number for event in study.log() if event.kind == "voted")
    page.get_by_label(f"Take back vote {number}:").click()
    page.get_by_label("Why").fill("a slip")
    page.get_by_role("button", name="Take it back").click()
    page.wait_for_url("**/admin/s/*")
    assert [one.undone for one in study.votes()] == [True, False]
    voter.get_by_role("button", name="Undo").click()
    says(voter.locator("#live"), "Your last answer is taken back")
    assert [one.undone for one in study.votes()] == [True, True]
