import re
from dataclasses import replace

import pytest
from web_client import Site, asks, fields, send, vote


def shown_texts(page):
    return re.findall(r'<div class="plain">(.*?)</div>', page.text)


def test_opening_a_link_changes_nothing(site):
    study = site.study()
    browser = site.browser()
    page = browser.get(site.link())
    assert page.status_code == 200 and "Start" in page.text
    assert study.number == 1 and not browser.cookies


@pytest.mark.slow
def test_a_voter_answers_pair_after_pair_until_thanks(site):
    study = site.study()
    browser, page = site.voter()
    for number in (1, 2, 3):
        assert f"{number} of 3" in page.text
        page = vote(browser, page)
        assert page.status_code == 200
    assert "Your pairs are done" in page.text
    votes = study.votes()
    assert len(votes) == 3 and len({frozenset((v.left, v.right)) for v in votes}) == 3
    assert {v.outcome for v in votes} == {"left"} and len({v.voter for v in votes}) == 1


@pytest.mark.parametrize("outcome", ["left", "right", "tie", "both_bad", "skip"])
def test_every_answer_is_kept_as_it_was_given(site, outcome):
    study = site.study()
    vote(*site.voter(), outcome)
    assert [v.outcome for v in study.votes()] == [outcome]


def test_what_is_not_offered_is_refused(site):
    study = site.study(page={"ties": False, "both_bad": False})
    browser, page = site.voter()
    assert "Tie" not in page.text and "Both bad" not in page.text
    for outcome in ("tie", "both_bad", "error", "sencha-7", ""):
        assert vote(browser, page, outcome).status_code == 400
    assert study.votes() == []


def test_loading_again_shows_the_same_pair(site):
    study = site.study()
    browser, page = site.voter()
    again = browser.get(page.url.path)
    assert fields(again)["ballot"] == fields(page)["ballot"]
    assert study.standing().asked == 3  # all that are dealt, at once


def test_a_double_click_is_one_vote_and_the_first_one_counts(site):
    study = site.study()
    browser, page = site.voter()
    vote(browser, page, "left")
    vote(browser, page, "left")
    after = vote(browser, page, "right")
    assert [v.outcome for v in study.votes()] == ["left"] and asks(after)


def test_undo_takes_back_the_last_answer_and_asks_that_pair_again(site):
    study = site.study()
    browser, page = site.voter()
    first = shown_texts(page)
    page = vote(browser, page, "left")
    page = send(browser, page, f"{page.url.path}/undo")
    assert shown_texts(page) == first and "1 of 3" in page.text and "/undo" not in page.text
    page = vote(browser, page, "right")
    votes = study.votes()
    assert [(v.outcome, v.undone) for v in votes] == [("left", True), ("right", False)]
    assert "2 of 3" in page.text
    undone = next(e for e in study.log() if e.kind == "undone")
    assert undone.body == {
        "ballot": undone.body["ballot"],
        "reason": "the voter took it back",
        "own": True,
    }


@pytest.mark.slow
def test_undo_reaches_one_answer_back_and_no_further(site):
    study = site.study()
    browser, page = site.voter()
    page = vote(browser, page)
    page = vote(browser, page)
    for _ in range(3):
        page = send(browser, page, f"/vote/{site.page().slug}/undo")
    assert [v.undone for v in study.votes()] == [False, True]


@pytest.mark.slow
def test_the_last_answer_can_be_taken_back_at_the_end(site):
    site.study()
    browser, page = site.voter()
    for _ in range(3):
        page = vote(browser, page)
    page = send(browser, page, f"/vote/{site.page().slug}/undo")
    assert asks(page) and "3 of 3" in page.text


@pytest.mark.slow
def test_two_voters_are_two_and_a_personal_link_is_one_person_everywhere(site):
    study = site.study()
    link = site.link(label="Ann", personal=True)
    for way in (link, link, None, None):
        vote(*site.voter(way))
    voters = [v.voter for v in study.votes()]
    assert len(voters) == 4 and len(set(voters)) == 3 and voters[0] == voters[1]


def test_one_voter_in_two_windows_has_one_ballot_and_one_vote(site):
    study = site.study()
    link = site.link(label="Ann", personal=True)
    (one, page), (other, same) = site.voter(link), site.voter(link)
    assert fields(page)["ballot"] == fields(same)["ballot"]
    vote(one, page, "left")
    after = vote(other, same, "right")
    assert [v.outcome for v in study.votes()] == ["left"] and "2 of 3" in after.text


def test_who_comes_back_by_the_open_link_goes_on(site):
    study = site.study()
    link = site.link()
    browser, page = site.voter(link)
    vote(browser, page)
    start = browser.get(link)
    assert "Go on" in start.text
    page = send(browser, start)
    assert "2 of 3" in page.text and len({v.voter for v in study.votes()}) == 1


def test_a_study_that_closes_while_somebody_votes_says_so_and_keeps_nothing_more(site):
    study = site.study()
    browser, page = site.voter()
    study.close()
    after = vote(browser, page)
    assert after.status_code == 200 and "has ended" in after.text
    assert study.votes() == []
    assert "has ended" in site.browser().get(site.link()).text


def test_a_pause_keeps_the_answer_on_its_way_and_asks_no_more(site):
    study = site.study()
    browser, page = site.voter()
    site.server.store.save_page(replace(site.page(), paused=True))
    after = vote(browser, page)
    assert "paused" in after.text and len(study.votes()) == 1


def test_an_option_paused_while_it_is_shown_takes_the_answer_and_is_asked_no_more(site):
    study = site.study()
    browser, page = site.voter()
    study.pause_option("sencha-7")
    study.pause_option("assam-9")
    assert vote(browser, page).status_code == 200
    assert len(study.votes()) == 1


def test_a_late_answer_counts(site):
    study = site.study()
    browser, page = site.voter()
    site.clock.now += 86_400
    vote(browser, page)
    assert [v.counted for v in study.votes()] == [True]


@pytest.mark.slow
def test_a_decided_study_asks_nothing_more(site):
    study = site.study(options=["one", "two", "three"], voters="independent")
    browser, page = site.voter()
    study.add_votes([{"winner": "one", "loser": other, "n": 60} for other in ("two", "three")])
    page = vote(browser, page)
    assert "has its answer" in page.text and "All your answers are kept" in page.text
    _, late = site.voter()
    assert "has its answer" in late.text and "Your vote is no longer needed" in late.text
    assert "answers are kept" not in late.text


def test_a_completion_code_is_shown_at_the_end_alone(site):
    site.study(page={"per_voter": 1, "code": "C-77"})
    browser, page = site.voter()
    assert "C-77" not in page.text
    assert "C-77" in vote(browser, page).text


def test_a_script_gets_the_next_pair_alone_with_a_sentence_for_those_who_listen(site):
    site.study()
    browser, page = site.voter()
    part = send(browser, page, headers={"X-Fragment": "pair"}, outcome="left")
    assert part.status_code == 200 and "<html" not in part.text
    assert 'data-said="Vote kept. Pair 2 of 3."' in part.text and asks(part)


@pytest.mark.slow
def test_sixty_votes_a_minute_are_enough(site):
    site.study(options=[f"number {n}" for n in range(14)], page={"per_voter": 91}, batch=91)
    browser, page = site.voter(site.link(label="Ann", personal=True))
    for _ in range(60):
        page = vote(browser, page)
    slow = vote(browser, page)
    assert slow.status_code == 429 and int(slow.headers["Retry-After"]) > 0
    site.clock.now += 61
    assert vote(browser, page).status_code == 200


def test_the_vote_page_is_small(site):
    site.study()
    browser, page = site.voter()
    assets = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
    sizes = {path: len(browser.get(path).content) for path in assets}
    assert sum(sizes.values()) + len(page.content) < 60_000
    assert sum(size for path, size in sizes.items() if ".js" in path) < 10_000


def test_pages_are_for_their_own_address_alone():
    site = Site()
    site.study()
    assert site.browser(host="evil.example").get(site.link()).status_code == 400


def test_a_study_that_is_no_longer_in_memory_is_read_anew(site, monkeypatch):
    monkeypatch.setattr(site.server._studies, "_most", 1)
    first = site.study("first")
    browser, page = site.voter(name="first")
    other = site.study("other")
    site.server.study(site.page("other"))
    assert len(site.server._studies) == 1
    vote(browser, page)
    assert len(first.votes()) == 1 and other.votes() == []
    assert len(site.server._studies) == 1


def test_nobody_is_promised_more_questions_than_a_person_is_dealt(site):
    site.study(options=["a", "b", "c", "d"], page={"per_voter": 20}, batch=2)
    browser, shown = site.voter()
    assert "1 of 2" in shown.text
    for _ in range(2):
        shown = vote(browser, shown)
    assert "Your pairs are done." in shown.text
