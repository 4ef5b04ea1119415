import re
from dataclasses import replace
from html import unescape

import pytest
from web_client import send, vote

from copeland.report.ranking_figure import describe_ranking
from copeland.study.results.analysis import Analysis
from copeland.support.phrasing import percent_chance

pytestmark = pytest.mark.slow  # left out of `make fast`


def allow(site, results):
    site.server.store.save_page(replace(site.page(), results=results))


@pytest.mark.quick
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


def test_a_study_that_a_proof_ended_shows_its_results_like_a_closed_one(site):
    study = site.study(options=["one", "two"], voters="independent")
    allow(site, "closed")
    path = f"/r/{site.page().slug}"
    assert site.browser().get(path).status_code == 404
    study.add_votes([{"left": "one", "right": "two", "outcome": "left"}] * 20)
    shown = site.browser().get(path)
    assert "proved the only winner" in shown.text and "Only you" not in shown.text
    manage = site.admin().get(f"/admin/s/{site.page().slug}/manage").text
    assert "everybody, once it has ended" in manage


@pytest.mark.parametrize(
    ("results", "says"), [("closed", "once the study has ended"), ("off", "choose who may read")]
)
def test_the_owner_reads_why_nobody_else_sees_the_results(site, results, says):
    site.study()
    allow(site, results)
    path = f"/r/{site.page().slug}"
    assert site.browser().get(path).status_code == 404
    shown = site.admin().get(path)
    assert shown.status_code == 200 and "Only you see this page" in shown.text
    assert says in shown.text


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


@pytest.mark.quick
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
        assert f"</meter> {percent_chance(row.chance)}</span>" in page
    assert '<td data-label="proved">0 to 1</td>' in page  # of b and c, one may beat the other


def vote_on_teas(study, times=40):
    rows = [("sencha-7", "assam-9"), ("sencha-7", "bai-3"), ("assam-9", "bai-3")]
    study.add_votes(
        [
            {"winner": winner, "loser": loser, "voter": f"v{study.number}-{n}"}
            for n in range(times)
            for winner, loser in (rows if n % 5 else [pair[::-1] for pair in rows])
        ]
    )


def boards(text):
    """What is folded below the verdict."""
    return re.findall(r'<details class="card board">.*?</table>', text, re.DOTALL)


def test_results_have_the_ranking_below_the_verdict_once_there_are_votes(site):
    study = site.study()
    allow(site, "live")
    path = f"/r/{site.page().slug}"
    assert "Ranking of all options" not in site.browser().get(path).text
    vote_on_teas(study)
    text = site.browser().get(path).text
    (board,) = boards(text)
    assert text.index('aria-label="Verdict"') < text.index(board) < text.index("<h2>Options</h2>")
    assert "<h3>By strength</h3>" in board and "<h3>By Copeland scores</h3>" in board
    assert 'aria-label="Options by strength, the best first: sencha-7 +' in board
    assert " open" not in board.split(">")[0] and "style=" not in board


def test_a_ranking_is_drawn_again_after_a_while_and_says_of_when_it_is(site):
    study = site.study()
    allow(site, "live")
    path, before = f"/r/{site.page().slug}", study.number
    vote_on_teas(study, 5)
    first = study.number
    assert "As of event" not in site.browser().get(path).text
    vote_on_teas(study, 5)
    assert study.number > first > before
    assert f"As of event {first:,}." in site.browser().get(path).text
    site.clock.now += 31
    assert "As of event" not in site.browser().get(path).text


def test_a_ranking_follows_the_verdict_at_once(site):
    study = site.study(voters="independent")
    allow(site, "live")
    path = f"/r/{site.page().slug}"
    vote_on_teas(study, 5)
    assert "no option is proved best yet" in site.browser().get(path).text
    study.add_votes([{"winner": "bai-3", "loser": tea, "n": 99} for tea in ("assam-9", "sencha-7")])
    text = site.browser().get(path).text
    assert "bai-3 is proved the only winner" in text and "As of event" not in text
    (board,) = boards(text)
    assert "2 tiers are proved apart" in board


def test_results_of_the_past_have_the_ranking_of_then(site):
    study = site.study()
    allow(site, "live")
    vote_on_teas(study, 10)
    then, order = study.number, study.ranking("strength")
    vote_on_teas(study, 10)
    (board,) = boards(site.browser().get(f"/r/{site.page().slug}@{then}").text)
    assert describe_ranking(order) in unescape(board)


def test_the_dashboard_has_the_ranking(site):
    study = site.study()
    vote_on_teas(study)
    (board,) = boards(site.admin().get(f"/admin/s/{site.page().slug}").text)
    assert describe_ranking(study.ranking("strength")) in unescape(board)


def test_a_panel_is_ranked_by_scores_on_its_pages(site):
    study = site.study(voters="panel", panel=["ann", "bob"])
    allow(site, "live")
    study.add_votes([{"winner": "bai-3", "loser": "assam-9", "voter": "ann"}])
    (board,) = boards(site.browser().get(f"/r/{site.page().slug}").text)
    assert re.findall("<h3>(.*?)</h3>", board) == ["By Copeland scores"]


def test_very_many_options_are_not_ranked_on_the_results(site, monkeypatch):
    study = site.study()
    allow(site, "live")
    vote_on_teas(study, 5)
    monkeypatch.setattr("copeland.web.cache.MOST_OPTIONS", 2)
    assert "Ranking of all options" not in site.browser().get(f"/r/{site.page().slug}").text


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
