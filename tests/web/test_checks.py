"""Checks look like pairs, are no votes, and exclude by the rule alone."""

import pytest
from web_client import asks, fields, send, vote

from copeland.web.security import HiddenBallot, Signer
from copeland.web.store import VotingPage

pytestmark = pytest.mark.slow  # left out of `make fast`

OPTIONS = {f"o{i}": f"Text {i}." for i in range(6)}
GOOD, BAD = "Paris is in France.", "Paris is in Peru."


def study_with(site, **page):
    told = {"known": [[GOOD, BAD]], "check_every": 2, "per_voter": 6, **page}
    return site.study(options=OPTIONS, page=told)


def is_known(page):
    return GOOD in page.text


def answer(page, right):
    """The side of the better text, or the other one."""
    good_left = page.text.index(GOOD) < page.text.index(BAD)
    return "left" if good_left == right else "right"


def go(browser, page, right=True):
    """Answer everything; tell how many pages there were."""
    shown = 0
    while asks(page) and shown < 20:
        shown += 1
        page = vote(browser, page, answer(page, right) if is_known(page) else "left")
    return shown, page


def test_a_known_answer_comes_as_a_pair_and_is_no_vote(site):
    study = study_with(site)
    browser, page = site.voter()
    assert "1 of 7" in page.text
    shown, page = go(browser, page)
    assert shown == 7 and len(study.votes()) == 6 and "are done" in page.text
    assert [(one.kind, one.good) for one in site.server.store.checks_of(site.page().study)] == [
        ("known", True)
    ]


def test_who_fails_by_the_rule_is_excluded_visibly(site):
    study = study_with(site, failures=1)
    browser, page = site.voter()
    assert "known answer" in site.browser().get(site.link()).text
    _, page = go(browser, page, right=False)
    assert "not counted" in page.text and study.standing().votes == 0
    reasons = {(e.body or {}).get("reason") for e in study.log() if e.kind == "undone"}
    assert reasons == {"the voter failed 1 known answer"}
    assert not asks(browser.get(page.url.path))
    dashboard = site.admin().get(f"/admin/s/{site.page().slug}").text
    assert (
        "0 of 1 right" in dashboard
        and "answer: 1 voter." in dashboard
        and "failed 1 known" in dashboard
    )
    ours = {"Sec-Fetch-Site": "same-origin"}
    assert "not counted" in send(browser, page, f"/vote/{site.page().slug}/undo", headers=ours).text


def test_without_a_rule_nobody_is_excluded(site):
    study = study_with(site)
    _, page = go(*site.voter(), right=False)
    assert "are done" in page.text and study.standing().votes == 6


def test_a_skipped_check_tells_nothing(site):
    study_with(site, failures=1)
    browser, page = site.voter()
    for _ in range(2):
        page = vote(browser, page)
    assert is_known(page)
    page = vote(browser, page, "skip")
    assert asks(page) and site.server.store.checks_of(site.page().study)[0].good is None


def test_a_check_is_the_same_when_loaded_again_and_kept_once(site):
    study_with(site)
    browser, page = site.voter()
    for _ in range(2):
        page = vote(browser, page)
    assert is_known(page)
    assert fields(browser.get(page.url.path))["ballot"] == fields(page)["ballot"]
    vote(browser, page, answer(page, True))
    vote(browser, page, answer(page, False))
    assert [one.good for one in site.server.store.checks_of(site.page().study)] == [True]


@pytest.mark.parametrize("steady", [True, False])
def test_an_earlier_pair_comes_again_swapped(site, steady):
    study = study_with(site, known=[], repeats=True, per_voter=2)
    browser, page = site.voter()
    first = [page.text.index(f"Text {i}.") if f"Text {i}." in page.text else None for i in range(6)]
    pair = sorted((at, i) for i, at in enumerate(first) if at is not None)
    page = vote(
        browser, vote(browser, vote(browser, page, "left"), "tie") if False else page, "left"
    )
    page = vote(browser, page, "left")
    assert asks(page) and "3 of 3" in page.text
    again = sorted((page.text.index(f"Text {i}."), i) for _, i in pair)
    assert [i for _, i in again] == [i for _, i in pair][::-1]
    page = vote(browser, page, "right" if steady else "left")
    assert "are done" in page.text and len(study.votes()) == 2
    assert [one.good for one in site.server.store.checks_of(site.page().study)] == [steady]


@pytest.mark.quick
def test_the_token_of_a_check_is_as_long_as_that_of_a_ballot_and_never_the_same():
    signer = Signer("secret")
    hidden = [HiddenBallot(5, 0), HiddenBallot(5, 0, is_check=True), HiddenBallot(0, 3, True)]
    tokens = [signer.seal("study", "ann", one) for one in hidden]
    assert len(set(tokens)) == 3 and len({len(token) for token in tokens}) == 1
    found = [signer.unseal("study", "ann", token) for token in tokens]
    assert found == hidden


def test_known_answers_come_two_by_two(site):
    admin = site.admin()
    said = {"name": "tea", "pasted": "a\nb\nc", "check_every": "2"}
    refused = send(admin, admin.get("/admin/new"), known="good", **said)
    assert refused.status_code == 422 and "two by two" in refused.text
    send(admin, admin.get("/admin/new"), known=f"{GOOD}\n---\n{BAD}", failures="2", **said)
    page = site.page()
    assert page.known == [[GOOD, BAD]] and page.failures == 2 and page.check_every == 2
    assert isinstance(page, VotingPage)


@pytest.mark.quick
def test_nobody_can_tell_from_a_cookie_on_which_side_the_better_text_is():
    """By a hash of what a cookie says, everybody could; by the server's secret, two servers differ in half of the cases."""
    from types import SimpleNamespace

    from copeland.web.pages.checks import Check, right_answer

    servers = [SimpleNamespace(signer=Signer(secret)) for secret in ("one", "two")]
    page = VotingPage(1, "tea", "x", known=[[GOOD, BAD]])
    voters = [SimpleNamespace(name=f"visitor-{n}", page=page) for n in range(200)]
    found = [[right_answer(server, one, Check(0, 0)) for one in voters] for server in servers]
    again = [right_answer(servers[0], one, Check(0, 0)) for one in voters]
    same = sum(one == other for one, other in zip(*found, strict=True))
    assert again == found[0]
    assert abs(same - 100) < 36 and abs(found[0].count("left") - 100) < 36  # 5 sd of 200 fair coins
