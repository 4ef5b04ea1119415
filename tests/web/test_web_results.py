from dataclasses import replace

import pytest
from web_client import send, vote

from copeland.study.results.analysis import Analysis
from copeland.support.phrasing import percent


def allow(site, results):
    site.server.store.save_page(replace(site.page(), results=results))


@pytest.mark.quick
def test_results_are_off_until_they_are_shown(site):
    study = site.study()
    path = f"/r/{site.page().slug}"
    unknown = site.browser().get("/r/unknown")
    assert site.browser().get(path).text == unknown.text and unknown.status_code == 404
    allow(site, "closed")
    assert site.browser().get(path).status_code == 404
    study.close()
    assert "final" in site.browser().get(path).text
    allow(site, "off")
    assert site.browser().get(path).status_code == 404


@pytest.mark.slow
def test_a_frozen_address_stays_as_it_is(site):
    study = site.study()
    allow(site, "live")
    browser, page = site.voter()
    page = vote(browser, page)
    path = f"/r/{site.page().slug}@{study.number}"
    before = site.browser().get(path).text
    vote(browser, page)
    assert "sencha-7" in before and site.browser().get(path).text == before
    assert site.browser().get(f"/r/{site.page().slug}").text != before


@pytest.mark.parametrize("at", ["0", "99", "x", "-1", "9" * 30, "²"])
def test_events_that_are_not_there_are_nothing(site, at):
    site.study()
    allow(site, "live")
    assert site.browser().get(f"/r/{site.page().slug}@{at}").status_code == 404


def test_the_dashboard_says_what_the_analysis_says(site):
    study = site.study(voters="independent", options=["a", "b", "c"])
    votes = [("a", "b")] * 40 + [("a", "c")] * 40 + [("b", "c")] * 2
    study.add_votes([{"left": i, "right": j, "outcome": "left"} for i, j in votes])
    analysis = Analysis(study.standing())
    page = site.admin().get(f"/admin/s/{site.page().slug}/summary").text
    assert f'<span class="badge good">{analysis.badge}</span>' in page
    assert '<th scope="row">a <span class="badge good">proved best</span></th>' in page
    assert '<th scope="row">b <span class="badge ">ruled out</span></th>' in page
    for row in analysis.rows():
        assert f"</meter> {percent(row.chance)}</span>" in page
    assert "<td>0 to 1</td>" in page  # of b and c, one may beat the other


def test_results_name_no_voter(site):
    study = site.study()
    allow(site, "live")
    vote(*site.voter())
    text = site.browser().get(f"/r/{site.page().slug}").text
    assert study.votes()[0].voter not in text


def test_an_admin_says_who_may_read_and_makes_keys_for_all(site):
    site.study()
    admin, path = site.admin(), f"/admin/s/{site.page().slug}/manage"
    send(admin, admin.get(path), path, does="results", results="live")
    assert site.page().results == "live"
    send(admin, admin.get(path), path, does="results", results="everything")
    assert site.page().results == "live"
    made = send(admin, admin.get("/admin"), "/admin/keys", does="make", label="robot").text
    token = made.split('class="breaking">')[1].split("<")[0]
    program = site.browser(Authorization=f"Bearer {token}")
    assert program.get("/api/v1/studies/tea").status_code == 200
    key = site.server.store.keys(None)[0]
    send(admin, admin.get("/admin"), "/admin/keys", does="revoke", key=str(key.id))
    assert program.get("/api/v1/studies/tea").status_code == 401
