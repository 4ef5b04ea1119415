from dataclasses import replace

import pytest
from web_client import send, vote


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
