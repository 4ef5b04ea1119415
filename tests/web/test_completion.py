"""After the last question a voter of a paid panel finds the way back, with the panel's code, and nobody else learns it."""

import re
from html import unescape
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from browsing import answer, shows
from web_client import asks, send, vote

from copeland.errors import InvalidParameter
from copeland.web.completion import check_completion_address, read_code, write_completion_link
from copeland.web.store import VotingPage

pytestmark = pytest.mark.slow  # left out of `make fast`

DONE = "https://panel.example.org/done?study=7&pid={code}"
SECRET = "P4NEL-5f/é&=+ \"'<b>"


def finish(site, browser, page):
    """Answer until nothing is asked any more."""
    while asks(page):
        page = vote(browser, page)
    return page


def button(page):
    """Where the button at the end leads; empty if there is none."""
    found = re.search(
        r'<a class="button primary large" href="([^"]*)" rel="noopener noreferrer">', page.text
    )
    return unescape(found[1]) if found else ""


def begin(browser, first):
    """Press the button of the first page."""
    found = re.search(r'name="panel_code" value="([^"]*)"', first.text)
    return send(browser, first, **({"panel_code": found[1]} if found else {}))


def arrive(site, query="", link=None):
    browser = site.browser()
    first = browser.get((link or site.link()) + query)
    return browser, first, begin(browser, first)


def test_the_code_comes_back_unchanged_and_only_at_the_end(site):
    site.study(page={"completion": DONE})
    browser, first, page = arrive(site, f"?pid={quote(SECRET)}")
    assert "stays in your browser" in first.text and button(first) == "" and button(page) == ""
    page = finish(site, browser, page)
    found = urlsplit(button(page))
    assert (found.scheme, found.netloc, found.path) == ("https", "panel.example.org", "/done")
    assert parse_qs(found.query) == {"study": ["7"], "pid": [SECRET]}
    assert page.status_code == 200 and "location" not in page.headers  # only a click leads there
    again = browser.get(page.url.path)
    assert button(again) == button(page)


def test_nothing_but_the_voters_cookie_holds_the_code(site):
    study = site.study(page={"completion": DONE})
    browser, _, page = arrive(site, "?pid=P4NEL5f")
    finish(site, browser, page)
    kept = "\n".join(site.storage._base.iterdump())
    assert "visitor-" in kept and "P4NEL5f" not in kept
    admin, path = site.admin(), f"/admin/s/{site.page().slug}"
    pages = [path, f"{path}/share", f"{path}/manage", f"{path}/votes.csv", f"{path}/log.jsonl"]
    assert not any("P4NEL5f" in admin.get(one).text for one in pages)
    assert "P4NEL5f" not in str(list(study.log()))


def test_without_a_place_everybody_gets_the_same_address(site):
    site.study(page={"completion": "https://panel.example.org/done?cc=C1"})
    browser, _, page = arrive(site)
    assert button(finish(site, browser, page)) == "https://panel.example.org/done?cc=C1"


def test_who_brought_no_code_gets_no_address_that_needs_one(site):
    site.study(page={"completion": DONE})
    browser, _, page = arrive(site)
    assert button(finish(site, browser, page)) == ""


def test_a_personal_link_takes_no_code(site):
    site.study(page={"completion": DONE})
    browser, first, page = arrive(site, "?pid=mine", site.link(personal=True, label="Ann"))
    assert "panel_code" not in first.text and button(finish(site, browser, page)) == ""


def test_the_owner_names_the_parameter(site):
    site.study(page={"completion": DONE, "code_name": "PROLIFIC_PID"})
    browser, _, page = arrive(site, "?pid=no&PROLIFIC_PID=yes")
    assert button(finish(site, browser, page)).endswith("pid=yes")


def test_a_code_that_nobody_signed_here_is_not_taken(site):
    site.study(page={"completion": DONE})
    site.study("other", page={"completion": DONE})
    for forged in (
        "evil",
        site.server.signer.sign("panel code", [site.page("other").slug, "evil"]),
    ):
        browser = site.browser()
        page = send(browser, browser.get(site.link()), panel_code=forged)
        assert button(finish(site, browser, page)) == ""


def test_who_comes_back_without_the_code_still_has_it_and_a_new_one_replaces_it(site):
    site.study(page={"completion": DONE})
    link = site.link()
    browser, _, page = arrive(site, "?pid=one", link)
    page = vote(browser, page)
    page = send(browser, browser.get(link))
    assert button(finish(site, browser, page)).endswith("pid=one")
    assert button(begin(browser, browser.get(f"{link}?pid=two"))).endswith("pid=two")


def test_who_answered_finds_the_way_back_when_the_study_is_closed(site):
    study = site.study(page={"completion": DONE})
    browser, _, page = arrive(site, "?pid=one")
    page = vote(browser, page)
    other, _, seen = arrive(site, "?pid=two")
    study.close()
    assert button(browser.get(page.url.path)).endswith("pid=one")
    assert button(other.get(seen.url.path)) == ""  # and no answer, no completion


def test_who_failed_the_checks_is_shown_no_button(site):
    known = [["Paris is in France.", "Paris is in Peru."]]
    body = {"completion": DONE, "known": known, "check_every": 1, "failures": 1, "per_voter": 3}
    site.study(page=body)
    browser, _, page = arrive(site, "?pid=one")
    for _ in range(8):
        if asks(page):
            left = page.text.find("France") < page.text.find("Peru")  # the better one
            page = vote(browser, page, "right" if left else "left")
    assert "too many of your answers were different" in page.text and button(page) == ""


@pytest.mark.quick
@pytest.mark.parametrize(
    "code",
    [
        "//evil.example",
        "@evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "../..",
        "#x",
        "a b",
        "?",
        "%2e%2e",
        "&pid=2",
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        "https://panel.example.org/{code}",
        "https://panel.example.org/a?b={code}",
        "https://panel.example.org#{code}",
    ],
)
def test_no_code_leads_elsewhere(code, place):
    page = VotingPage(1, "tea", "x", completion=place)
    link = write_completion_link(page, read_code(page, {"pid": code}))
    found = urlsplit(link)
    assert (found.scheme, found.netloc) == ("https", "panel.example.org")
    assert len(found.path.split("/")) <= 2 and not re.search(r"[\\\s<>\"']", link)


@pytest.mark.quick
@pytest.mark.parametrize("code", ["..", ".", "a\nb", "a\x00", "\ud800", "x" * 201, "\u202e"])
def test_what_is_no_code_is_not_taken(code):
    page = VotingPage(1, "tea", "x", completion=DONE)
    assert read_code(page, {"pid": code}) == ""


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://panel.example.org/",
            "javascript:alert(1)",
            "JavaScript://x%0aalert(1)",
            "data:text/html,x",
        ),
        *(
            "//panel.example.org",
            "/done",
            "https://",
            "https:///x",
            "https://{code}/",
            "https://{code}.example.org/",
        ),
        *(
            "https://a@panel.example.org/",
            "https://panel.example.org\\@evil.example/",
            "https://panel.example.org:0/",
        ),
        *(
            "https://panel.example.org/ x",
            "https://panel.example.org/\tx",
            "https://panel.example.org/{name}",
        ),
        *(
            "https://panel.example.org/{code}{code}",
            "https://panel.example.org{code}/",
            "https://é.example.org/",
        ),
        *(
            "https:panel.example.org",
            "https://panel.example.org/" + "a" * 2000,
            "https://[::1/",
            "{code}",
        ),
    ],
)
def test_what_is_no_address_for_voters_is_refused(url):
    with pytest.raises(InvalidParameter, match="completion link"):
        check_completion_address(url)


def test_the_owner_sets_and_removes_it(site):
    site.study()
    admin, path = site.admin(), f"/admin/s/{site.page().slug}"
    form = admin.get(f"{path}/manage")
    send(admin, form, f"{path}/completion", completion=DONE, code_name="worker")
    assert (site.page().completion, site.page().code_name) == (DONE, "worker")
    for said in ({"completion": "http://x.org/"}, {"completion": DONE, "code_name": "a=b&c"}):
        refused = send(admin, form, f"{path}/completion", **said)
        assert refused.status_code == 422 and 'role="alert"' in refused.text
    assert site.page().completion == DONE
    send(admin, form, f"{path}/completion", completion="")
    assert (site.page().completion, site.page().code_name) == ("", "pid")


def test_a_click_and_only_a_click_leads_back(live, somebody):
    live.study(page={"completion": DONE, "per_voter": 1})
    voter = somebody()
    voter.context.route(
        "https://panel.example.org/**", lambda route: route.fulfill(body="Welcome back")
    )
    page = voter.begin(f"{live.link()}?pid=w-1")
    answer(page)
    back = page.get_by_role("link", name="Finish and go back to your panel")
    shows(back)
    page.wait_for_timeout(300)
    assert "/vote/" in page.url
    back.click()
    page.wait_for_url("https://panel.example.org/done?study=7&pid=w-1")
    assert page.evaluate("document.referrer") == ""
