import json
from dataclasses import replace

import pytest
from web_client import Site, vote

import copeland.web.api.voting as voting
from copeland.study.kinds.kind import Kind

ROOT = "/api/v1/studies"


@pytest.fixture
def site_with_study(site):
    return site, site.study(voters="independent")


def is_problem(answer, status, kind=None):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status and body["title"] and body["type"].startswith("/problems/")
    return kind is None or body["type"] == f"/problems/{kind}"


@pytest.mark.slow
def test_ask_and_tell(site_with_study):
    site, study = site_with_study
    key = site.key("ask", "tell", "read")
    asked = key.post(f"{ROOT}/tea/ballots", json={"voter": "session-81", "n": 2})
    assert asked.status_code == 201
    ballots = asked.json()["ballots"]
    assert (
        len(ballots) == 2 and ballots[0]["expires"].endswith("Z") and "reason" not in asked.json()
    )
    told = key.post(
        f"{ROOT}/tea/ballots/{ballots[0]['id']}/vote",
        json={"outcome": "left"},
        headers={"Idempotency-Key": "click-9"},
    )
    assert told.status_code == 201
    body = told.json()
    assert body["outcome"] == "left" and body["counted"] and not body["late"]
    assert body["event_id"].endswith("/click-9") and body["number"] == study.number
    result = key.get(f"{ROOT}/tea/results")
    assert result.json()["votes"] == 1 and result.json()["verdict"] == "open"
    again = key.get(f"{ROOT}/tea/results", headers={"If-None-Match": result.headers["etag"]})
    assert again.status_code == 304


def test_the_same_key_and_answer_is_kept_once_and_another_answer_is_refused(site_with_study):
    site, study = site_with_study
    key = site.key("ask", "tell")
    ballot = key.post(f"{ROOT}/tea/ballots", json={}).json()["ballots"][0]["id"]
    path, header = f"{ROOT}/tea/ballots/{ballot}/vote", {"Idempotency-Key": "one"}
    answers = [key.post(path, json={"outcome": "left"}, headers=header) for _ in range(2)]
    assert [a.status_code for a in answers] == [201, 200] and answers[0].json() == answers[1].json()
    assert is_problem(key.post(path, json={"outcome": "right"}, headers=header), 422, "other-body")
    assert is_problem(key.post(path, json={"outcome": "left"}), 409, "already-voted")
    assert len(study.votes()) == 1


def test_two_programs_may_use_the_same_idempotency_key(site_with_study):
    site, study = site_with_study
    for key in (site.key("ask", "tell"), site.key("ask", "tell")):
        ballot = key.post(f"{ROOT}/tea/ballots", json={}).json()["ballots"][0]["id"]
        path = f"{ROOT}/tea/ballots/{ballot}/vote"
        assert (
            key.post(path, json={"outcome": "tie"}, headers={"Idempotency-Key": "1"}).status_code
            == 201
        )
    assert len(study.votes()) == 2


def test_a_late_answer_is_kept_and_a_new_key_answers_the_ballots_of_a_revoked_one(site_with_study):
    site, _ = site_with_study
    key = site.key("ask", "tell")
    ballot = key.post(f"{ROOT}/tea/ballots", json={}).json()["ballots"][0]["id"]
    site.clock.now += 601
    body = key.post(f"{ROOT}/tea/ballots/{ballot}/vote", json={"outcome": "left"}).json()
    assert body["late"] and not body["counted"]
    old, new = site.key("ask", "tell"), site.key("ask", "tell")
    ballot = old.post(f"{ROOT}/tea/ballots", json={}).json()["ballots"][0]["id"]
    study = site.page().study
    site.server.store.revoke_key(study, site.server.store.keys(study)[1].id)
    path = f"{ROOT}/tea/ballots/{ballot}/vote"
    assert new.post(path, json={"outcome": "left"}).status_code == 201


def test_fewer_ballots_have_a_reason(site):
    site.study(options=["one", "two"], voters="people")
    key = site.key("ask")
    few = key.post(f"{ROOT}/tea/ballots", json={"voter": "ann", "n": 5}).json()
    assert len(few["ballots"]) == 1 and few["reason"] == "nothing_left"
    site.server.store.save_page(replace(site.page(), paused=True))
    assert key.post(f"{ROOT}/tea/ballots", json={}).json() == {"ballots": [], "reason": "paused"}


def test_a_decided_study_says_so(site):
    study = site.study(options=["one", "two"], voters="independent")
    study.add_votes([{"left": "one", "right": "two", "outcome": "left"}] * 20)
    key = site.key("ask", "read")
    assert key.post(f"{ROOT}/tea/ballots", json={}).json()["reason"] == "decided"
    result = key.get(f"{ROOT}/tea/results").json()
    assert result["verdict"] == "winner" and result["best"] == ["one"] and result["votes_left"] == 0


def test_bulk_votes_are_taken_all_or_none(site_with_study):
    site, study = site_with_study
    key = site.key("tell")
    rows = [
        {"left": "sencha-7", "right": "bai-3", "outcome": "left", "event_id": f"e{n}"}
        for n in range(3)
    ]
    body = "\n".join(json.dumps(row) for row in rows)
    taken = key.post(f"{ROOT}/tea/votes", content=body)
    assert taken.status_code == 201 and taken.json()["imported"] == 3
    assert key.post(f"{ROOT}/tea/votes", content=body).json()["known"] == 3
    bad = body + '\n{"left": "sencha-7", "right": "nothing", "outcome": "left"}'
    assert is_problem(key.post(f"{ROOT}/tea/votes", content=bad.replace("e", "f", 0)), 422)
    assert is_problem(key.post(f"{ROOT}/tea/votes", content=b"not json"), 400)
    assert is_problem(key.post(f"{ROOT}/tea/votes", content=b"[1]"), 400)
    assert len(study.votes()) == 3


def test_a_vote_is_undone_with_a_reason(site_with_study):
    site, study = site_with_study
    key = site.key("admin")
    vote = study.tell(study.ask(), "left", event_id="a/b")
    gone = key.delete(f"{ROOT}/tea/votes/{vote.event_id}?reason=a%20robot")
    assert gone.status_code == 204 and study.log()[-1].body["reason"] == "a robot"
    assert is_problem(key.delete(f"{ROOT}/tea/votes/a/b"), 404, "unknown-vote")


def test_the_export_the_certificate_and_numbers_are_those_of_the_log(site_with_study):
    site, study = site_with_study
    study.tell(study.ask(), "left")
    key = site.key("read")
    lines = key.get(f"{ROOT}/tea/export").text.splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2, 3]
    assert len(key.get(f"{ROOT}/tea/export?after=2").text.splitlines()) == 1
    assert is_problem(key.get(f"{ROOT}/tea/export?after=-1"), 422)
    assert key.get(f"{ROOT}/tea/certificate").json()["events"] == 3
    assert key.get(f"{ROOT}/tea/certificate?at=2").json()["events"] == 2
    assert is_problem(key.get(f"{ROOT}/tea/certificate?at=4"), 404)
    text = site.key("read").get("/metrics").text
    assert 'copeland_votes_total{outcome="left",study="tea"} 1.0' in text
    assert site.browser().get("/metrics").status_code == 404


@pytest.mark.slow
def test_the_stream_goes_on_after_any_number():
    import asyncio

    from copeland.web.api.access import Call
    from copeland.web.api.studies import _follow

    site = Site()
    study = site.study(batch=1)
    study.tell(study.ask(voter="ann"), "left")
    site.server.store.add_key(None, "k", ["read"])
    call = Call(site.server, site.page(), study, site.server.store.keys(None)[0])

    class Gone:
        looks = 0

        async def is_disconnected(self):
            self.looks += 1
            return self.looks > 1

    async def read(after):
        return "".join([event async for event in _follow(Gone(), call, after)])

    whole, rest = asyncio.run(read(0)), asyncio.run(read(2))
    assert [line for line in whole.splitlines() if line.startswith("id")] == [
        "id: 1",
        "id: 2",
        "id: 3",
    ]
    assert "id: 3\nevent: voted\ndata: " in rest and "id: 2" not in rest


def test_the_stream_of_a_revoked_key_ends(monkeypatch):
    import asyncio

    from copeland.web.api import studies
    from copeland.web.api.access import Call

    monkeypatch.setattr(studies, "STEP", 0.01)
    site = Site()
    study, store = site.study(batch=1), site.server.store
    store.add_key(site.page().study, "k", ["read"])
    key = store.keys(site.page().study)[0]

    class Reader:
        looks = 0

        async def is_disconnected(self):
            self.looks += 1
            if self.looks == 3:
                store.revoke_key(key.study, key.id)
                study.ask(voter="ann")
            return self.looks > 20

    async def read(reader):
        call = Call(site.server, site.page(), study, key)
        return "".join([event async for event in studies._follow(reader, call, 0)])

    reader = Reader()
    told = asyncio.run(read(reader))
    assert reader.looks == 3 and "id: 1\n" in told and "asked" not in told


@pytest.mark.parametrize("by", ["copeland", "borda", "strength"])
def test_a_ranking_is_that_of_the_study(site_with_study, by):
    site, study = site_with_study
    study.add_votes([{"winner": "bai-3", "loser": "assam-9", "n": 5}])
    key = site.key("read")
    found = key.get(f"{ROOT}/tea/ranking", params={"by": by})
    assert found.status_code == 200
    assert found.json() == json.loads(json.dumps(study.ranking(by).to_dict(), allow_nan=False))
    header = {"If-None-Match": found.headers["etag"]}
    again = key.get(f"{ROOT}/tea/ranking", params={"by": by}, headers=header)
    assert again.status_code == 304
    assert key.get(f"{ROOT}/tea/ranking").json()["by"] == "copeland"
    assert is_problem(site.key("ask").get(f"{ROOT}/tea/ranking"), 403)


@pytest.mark.slow
def test_an_order_that_cannot_be_is_refused_by_its_field(site):
    site.study(voters="independent")
    site.study("panel", panel=["ann", "bob"], voters="panel")
    key = site.key("admin", "read", name=None)
    for path in ("tea/ranking?by=wins", "panel/ranking?by=strength"):
        refused = key.get(f"{ROOT}/{path}")
        assert is_problem(refused, 422, "invalid") and refused.json()["field"] == "by"
    assert (
        "'copeland', 'borda' or 'strength'" in key.get(f"{ROOT}/tea/ranking?by=").json()["detail"]
    )


@pytest.mark.slow
def test_keys_open_their_study_and_scope_alone(site):
    site.study()
    site.study("other")
    reader, teller = site.key("read"), site.key("tell")
    assert is_problem(site.browser().get(f"{ROOT}/tea/results"), 401)
    wrong = site.browser(Authorization="Bearer cop_x_y").get(f"{ROOT}/tea/results")
    assert is_problem(wrong, 401) and wrong.headers["www-authenticate"] == "Bearer"
    assert is_problem(teller.get(f"{ROOT}/tea/results"), 403)
    assert is_problem(reader.get(f"{ROOT}/other/results"), 404)
    assert (
        reader.get(f"{ROOT}/other/results").json() == reader.get(f"{ROOT}/nothing/results").json()
    )
    assert is_problem(reader.post(f"{ROOT}/tea/close"), 403)
    page = site.page()
    site.server.store.revoke_key(page.study, site.server.store.keys(page.study)[0].id)
    assert is_problem(reader.get(f"{ROOT}/tea/results"), 401)


def test_cookies_open_nothing_here(site):
    site.study()
    assert is_problem(site.admin().get(f"{ROOT}/tea/results"), 401)


@pytest.mark.slow
def test_an_admin_key_creates_changes_and_closes(site):
    key = site.key("admin", "read", name=None)
    made = key.post(ROOT, json={"name": "new", "options": ["a", {"name": "b", "text": "Bee."}]})
    assert made.status_code == 201 and made.json()["settings"]["voters"] == "people"
    assert is_problem(key.post(ROOT, json={"name": "new", "options": ["a", "b"]}), 409, "exists")
    assert key.post(f"{ROOT}/new/options", json={"name": "c"}).status_code == 201
    state = key.patch(f"{ROOT}/new/options/c", json={"state": "paused"}).json()["options"][2][
        "state"
    ]
    assert state == "paused"
    assert is_problem(key.patch(f"{ROOT}/new/options/x", json={"state": "paused"}), 404)
    assert key.post(f"{ROOT}/new/close").json()["closed"]
    assert is_problem(key.post(f"{ROOT}/new/options", json={"name": "d"}), 409, "closed")
    assert is_problem(
        key.post(ROOT, json={"name": "x", "options": ["a", "b"], "settings": {"k": 1}}), 422
    )
    assert is_problem(
        key.post(ROOT, json={"name": "x", "options": ["a", "b"], "settings": {"delta": 7}}), 422
    )


@pytest.mark.slow
def test_a_key_of_one_study_creates_none(site):
    site.study()
    assert is_problem(site.key("admin").post(ROOT, json={"name": "x", "options": ["a", "b"]}), 403)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff", 400),
        (b"[]", 422),
        (b'{"n": 0}', 422),
        (b'{"n": 101}', 422),
        (b'{"n": 1e400}', 422),
        (b'{"voter": ""}', 422),
        (b'{"voter": 7}', 422),
        (b'{"nothing": 1}', 422),
        (b'{"voter": "a\\u0000"}', 422),
        (b'{"available": ["no-such-tea"]}', 404),
        (b"[" * 100_000, 400),
    ],
)
def test_bodies_that_cannot_be_are_problems(site_with_study, body, status):
    site, study = site_with_study
    key = site.key("ask")
    answer = key.post(
        f"{ROOT}/tea/ballots", content=body, headers={"Content-Type": "application/json"}
    )
    assert is_problem(answer, status)
    assert study.number == 1


@pytest.mark.slow
@pytest.mark.parametrize("ballot", ["0", "-1", "99", "x", str(2**70)])
def test_ballots_that_are_not_there_are_problems(site_with_study, ballot):
    site, _ = site_with_study
    answer = site.key("tell").post(f"{ROOT}/tea/ballots/{ballot}/vote", json={"outcome": "left"})
    assert answer.status_code in (404, 422) and is_problem(answer, answer.status_code)


def test_paths_that_are_not_there_are_problems_too(site):
    assert is_problem(site.browser().get("/api/v1/nothing"), 404)
    assert is_problem(site.browser().put(ROOT), 405)


@pytest.mark.slow
def test_a_key_that_comes_too_often_has_to_wait(site_with_study):
    site, _ = site_with_study
    key = site.key("read")
    answers = [key.get(f"{ROOT}/tea") for _ in range(101)]
    assert answers[99].status_code == 200
    assert is_problem(answers[100], 429) and answers[100].headers["Retry-After"] == "1"


@pytest.mark.slow
def test_the_calls_are_described(site):
    about = site.browser().get("/api/v1/openapi.json").json()
    calls = {f"{verb} {path}" for path, verbs in about["paths"].items() for verb in verbs}
    assert {
        "post /studies/{study}/ballots",
        "post /studies/{study}/ballots/{ballot}/vote",
        "post /studies/{study}/votes",
        "get /studies/{study}/events",
    } <= calls
    ranking = about["paths"]["/studies/{study}/ranking"]["get"]
    by = next(one for one in ranking["parameters"] if one["name"] == "by")
    assert by["schema"]["enum"] == ["copeland", "borda", "strength"]
    assert "strength" in by["description"] and "tiers" in ranking["description"]


SPELLINGS = ["event_id", "Event_Id", " event_id", "EVENT_ID\t"]


def send_rows(key, *rows):
    return key.post(f"{ROOT}/tea/votes", content="\n".join(json.dumps(row) for row in rows))


@pytest.mark.slow
@pytest.mark.parametrize("spelled", SPELLINGS)
def test_no_row_takes_the_id_of_a_coming_vote_of_a_page(site, spelled):
    study, key, slug = site.study(batch=3), site.key("tell"), site.page().slug
    ids = [form.format(n) for n in range(1, 9) for form in ("page/{}/0", f"page/{slug}/{{}}/0")]
    rows = [{"left": "sencha-7", "right": "bai-3", "outcome": "tie", spelled: i} for i in ids]
    assert send_rows(key, *rows).status_code == 201
    assert not [vote for vote in study.votes() if vote.event_id.startswith("page/")]
    browser, page = site.voter()
    for _ in range(3):
        page = vote(browser, page)
    assert sum(one.ballot is not None for one in study.votes()) == 3


def test_a_row_with_two_ids_has_the_prefix_of_its_key(site_with_study):
    site, study = site_with_study
    row = {"left": "sencha-7", "right": "bai-3", "outcome": "tie", "event_id": "a"}
    assert send_rows(site.key("tell"), {**row, "Event_id": "b"}, {"Event_id": 7, **row}).is_success
    assert all("/" in one.event_id for one in study.votes())


@pytest.mark.slow
def test_votes_of_another_study_stop_no_page(site, tmp_path):
    for name in ("tea", "milk"):
        site.study(name, batch=3)
        browser, page = site.voter(name=name)
        vote(browser, page)
    file = tmp_path / "votes.csv"
    site.server.study(site.page("milk")).export(file)
    study = site.server.study(site.page())
    study.import_votes(file)
    vote(*site.voter())
    assert sum(one.ballot is not None for one in study.votes()) == 2


@pytest.mark.slow
def test_a_key_answers_only_ballots_that_it_asked(site):
    study = site.study(batch=3)
    site.voter()
    waiting = [event.number for event in study.log() if event.kind == "asked"]
    one, other = site.key("ask", "tell"), site.key("ask", "tell")
    asked, signed = (
        one.post(f"{ROOT}/tea/ballots", json=body).json()["ballots"][0]["id"]
        for body in ({"voter": "ann"}, {"voter": "bob", "source": "app 7"})
    )
    for ballot in (*waiting, asked, signed):
        path = f"{ROOT}/tea/ballots/{ballot}/vote"
        assert is_problem(other.post(path, json={"outcome": "left"}), 403, "other-ballot")
    assert study.votes() == []
    for ballot in (asked, signed):
        told = one.post(f"{ROOT}/tea/ballots/{ballot}/vote", json={"outcome": "left"})
        assert told.status_code == 201


def test_a_key_answers_no_ballot_of_a_panel_that_a_member_holds(site):
    study = site.study(voters="panel", panel=["ann", "bob"])
    held = study.visitors.following("ann")
    key = site.key("ask", "tell")
    path = f"{ROOT}/tea/ballots/{held.id}/vote"
    for body in ({"outcome": "left"}, {"outcome": "left", "voter": "ann"}):
        assert is_problem(key.post(path, json=body), 403, "other-ballot")
    own = key.post(f"{ROOT}/tea/ballots", json={"voter": "bob"}).json()["ballots"][0]["id"]
    path = f"{ROOT}/tea/ballots/{own}/vote"
    assert key.post(path, json={"outcome": "left"}).status_code == 201


def test_one_call_brings_no_more_votes_than_others_can_wait_for(site_with_study, monkeypatch):
    site, study = site_with_study
    monkeypatch.setattr(Kind, "can_fold", lambda _kind, _settings, voter: voter is None)
    row = {"winner": "sencha-7", "loser": "bai-3", "n": 5_001}
    named = row | {"voter": "ann"}
    assert is_problem(send_rows(site.key("tell"), named, named), 422, "invalid-row")
    assert study.votes() == []
    assert send_rows(site.key("tell"), row, row).json()["imported"] == 10_002
    assert [vote.times for vote in study.votes()] == [5_001, 5_001]
    monkeypatch.setattr(voting, "MOST_VOTES", 2)
    assert is_problem(send_rows(site.key("tell"), row, row, row), 422, "invalid-row")
