"""A program with an admin key does what an owner does on the pages: edit, reopen, delete, take back a vote."""

import pytest
from test_admin import png
from test_api import ROOT, is_problem
from web_client import asks, vote

from copeland.web.ideas import Ideas
from copeland.web.images import image_of
from copeland.web.store import Pane

CALLS = [
    ("PATCH", "", {"question": "Which?"}),
    ("PATCH", "/options/bai-3", {"text": "Softer."}),
    ("POST", "/reopen", None),
    ("DELETE", "?name=tea", None),
    ("DELETE", "/votes/a", None),
    ("PATCH", "", {"ideas": True}),
    ("GET", "/ideas", None),
    ("PATCH", "/ideas/1", {"state": "declined"}),
]


@pytest.mark.slow
def test_voters_read_what_a_program_edits_and_the_log_names_its_key(site):
    study = site.study()
    browser, shown = site.voter()
    key = site.key("admin")
    said = key.patch(f"{ROOT}/tea", json={"question": "Which tea?", "guidance": "Think."})
    assert (said.json()["question"], said.json()["guidance"]) == ("Which tea?", "Think.")
    for name in ("sencha-7", "assam-9", "bai-3"):
        assert key.patch(f"{ROOT}/tea/options/{name}", json={"text": "New."}).status_code == 200
    page = browser.get(shown.url.path)
    assert asks(page) and "Which tea?" in page.text and page.text.count("New.") == 2
    edits = [event for event in study.log() if event.kind == "edited"]
    client = site.server.store.keys(site.page().study)[-1].source
    assert len(edits) == 5 and {event.source for event in edits} == {client}


@pytest.mark.parametrize("body", [{}, {"text": "x", "state": "paused"}])
def test_an_option_takes_one_change_at_a_time(site, body):
    study = site.study()
    answer = site.key("admin").patch(f"{ROOT}/tea/options/bai-3", json=body)
    assert is_problem(answer, 422, "invalid") and "one at a time" in answer.json()["detail"]
    assert study.number == 1


def test_words_for_an_image_are_edited_as_its_text_and_what_cannot_be_is_said(site):
    study = site.study()
    key = site.key("admin")
    picture = image_of(png(), "x")
    site.server.store.add_image(picture)
    site.server.store.show(site.page().study, "bai-3", Pane(picture.digest, "a red thing"))
    path = f"{ROOT}/tea/options/bai-3"
    assert is_problem(key.patch(path, json={"text": ""}), 422, "invalid")
    assert key.patch(path, json={"text": "A red cup"}).status_code == 200
    assert site.server.panes(site.page())["bai-3"].alt == "A red cup"
    assert study.log()[-1].body["part"] == "image text"
    assert is_problem(key.patch(f"{ROOT}/tea", json={}), 422, "invalid")
    assert is_problem(key.patch(f"{ROOT}/tea", json={"question": " "}), 422, "invalid")
    assert is_problem(key.patch(f"{ROOT}/tea/options/x", json={"text": "y"}), 404, "unknown-option")
    study.close()
    assert is_problem(key.patch(f"{ROOT}/tea", json={"question": "Why?"}), 409, "closed")


def test_a_closed_study_is_reopened_with_a_reason(site):
    study = site.study()
    key = site.key("admin", "ask")
    assert key.post(f"{ROOT}/tea/close").json()["closed"]
    opened = key.post(f"{ROOT}/tea/reopen", params={"reason": "one was away"})
    assert not opened.json()["closed"] and study.log()[-1].body == {"reason": "one was away"}
    assert key.post(f"{ROOT}/tea/reopen").json()["number"] == study.number  # it is open
    assert key.post(f"{ROOT}/tea/ballots", json={"voter": "ann"}).status_code == 201


def test_a_study_is_deleted_by_its_name_alone(site):
    site.study()
    key, reader = site.key("admin", name=None), site.key("read", name=None)
    assert is_problem(key.delete(f"{ROOT}/tea"), 422, "invalid")
    assert is_problem(key.delete(f"{ROOT}/tea", params={"name": "te"}), 422, "invalid")
    slug = site.page().slug
    assert is_problem(key.delete(f"{ROOT}/{slug}", params={"name": slug}), 422, "invalid")
    assert site.storage.names() == ["tea"]
    assert key.delete(f"{ROOT}/{slug}", params={"name": "tea"}).status_code == 204
    assert site.storage.names() == []
    assert is_problem(key.delete(f"{ROOT}/tea", params={"name": "tea"}), 404)
    assert is_problem(reader.get(f"{ROOT}/tea"), 404)


@pytest.mark.slow
def test_a_vote_of_a_voting_page_is_taken_back_with_the_reason(site):
    study = site.study()
    browser, shown = site.voter()
    vote(browser, shown)
    (given,) = study.votes()
    key = site.key("admin")
    path = f"{ROOT}/tea/votes/{given.event_id}"
    assert key.delete(path, params={"reason": "a test"}).status_code == 204
    assert study.log()[-1].body["reason"] == "a test" and not study.votes()[0].counted
    assert is_problem(key.delete(path), 404, "unknown-vote")


@pytest.mark.slow
def test_what_voters_suggest_is_listed_without_names_and_added_or_declined(site):
    study = site.study()
    key = site.key("admin")
    said = key.patch(f"{ROOT}/tea", json={"ideas": True, "question": "Which tea?"}).json()
    assert said["ideas"] and said["question"] == "Which tea?" and site.page().ideas
    kept = Ideas(site.storage, site.clock)
    mint, milk = (kept.add(site.page().study, "voter-ann", text) for text in ("Mint", "Milk"))
    listed = key.get(f"{ROOT}/tea/ideas")
    assert "voter-ann" not in listed.text
    assert [one["text"] for one in listed.json()["ideas"]] == ["Mint", "Milk"]
    path = f"{ROOT}/tea/ideas"
    added = key.patch(f"{path}/{mint.id}", json={"state": "added", "name": "mint-1"}).json()
    assert (added["state"], added["option"], study.option("mint-1").text) == (
        *("added", "mint-1"),
        "Mint",
    )
    assert key.patch(f"{path}/{milk.id}", json={"state": "declined"}).json()["state"] == "declined"
    assert key.patch(f"{path}/{milk.id}", json={"state": "waiting"}).json()["state"] == "waiting"
    both = {"state": "declined", "name": "x"}
    assert is_problem(key.patch(f"{path}/{milk.id}", json=both), 422, "invalid")
    assert is_problem(key.patch(f"{path}/{mint.id}", json={"state": "waiting"}), 422, "invalid")
    assert is_problem(key.patch(f"{path}/99", json={"state": "declined"}), 404)


@pytest.mark.parametrize(("verb", "path", "body"), CALLS)
def test_only_a_key_for_admins_of_this_study_may(site, verb, path, body):
    study = site.study()
    site.study("other", options=["a", "b"])
    how = {} if body is None else {"json": body}
    other = site.key("ask", "tell", "read")
    assert is_problem(other.request(verb, f"{ROOT}/tea{path}", **how), 403)
    stranger = site.key("admin", name="other")
    assert is_problem(stranger.request(verb, f"{ROOT}/tea{path}", **how), 404)
    assert is_problem(site.browser().request(verb, f"{ROOT}/tea{path}", **how), 401)
    assert study.number == 1 and site.storage.names() == ["tea", "other"]
