"""Requests that nobody sends by accident get an answer that fits, never a failure."""

import json
from dataclasses import replace

import pytest
from web_client import Site, send

ROOT = "/api/v1/studies"
HALF = "\ud800"  # of a character: JSON can say it, and UTF-8 cannot
ODD = ["\u00b2", "9" * 30, "2147483648", "-1", ""]


@pytest.mark.parametrize(
    "kind", ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("path", ["/r/%00", "/r/a%00@3", "/r/%ED%A0%80", f"{ROOT}/%00/results"])
def test_an_address_that_no_database_can_look_for_is_nothing(storage_of, kind, path):
    storage = storage_of(kind)
    site = Site(storage)
    site.study()
    assert site.key("read", name=None).get(path).status_code == 404
    storage.dispose()


@pytest.mark.slow
def test_head_answers_as_get_does_without_the_body(site):
    site.study()
    site.server.store.save_page(replace(site.page(), results="live"))
    result = f"/r/{site.page().slug}"
    admin, browser = site.admin(), site.browser()
    for one, path in [
        *((browser, path) for path in (site.link(), result, "/problems", "/healthz", "/r/none")),
        *((admin, path) for path in ("/admin", f"/admin/s/{site.page().slug}/votes.csv")),
        (site.key("read"), f"{ROOT}/tea/results"),
    ]:
        head, get = one.head(path), one.get(path)
        assert head.status_code == get.status_code and head.content == b"", path
        assert head.headers["content-type"] == get.headers["content-type"]
        assert head.headers["x-frame-options"] == "DENY"
    assert browser.head("/vote/x/undo").status_code == 405


def test_head_of_a_stream_ends(site):
    site.study()
    assert site.key("read").head(f"{ROOT}/tea/events").status_code == 200
    assert site.admin().head(f"/admin/s/{site.page().slug}/live").status_code == 200
    assert site.server.streams == 0


@pytest.mark.parametrize("value", [5, True, 0.5, {"a": 1}, HALF, "a\0b", 10**30])
def test_an_algorithm_that_is_no_name_is_a_problem(site, value):
    told = {"name": "tea", "options": ["a", "b"], "settings": {"algorithm": value}}
    answer = _send(site.key("admin", name=None), ROOT, told)
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "told",
    [
        {"options": ["a", "b"], "settings": {HALF: 1}},
        {"options": ["a", "b"], "settings": {"voters": HALF}},
        {"options": ["a", "b"], "settings": {"panel": [HALF, "ann"]}},
        {"space": {"style": {"choices": [HALF, "b"]}}},
        {"space": {"style": {"choices": ["a\0", "b"]}}},
    ],
)
def test_half_a_character_in_a_new_study_is_a_problem(site, told):
    answer = _send(site.key("admin", name=None), ROOT, {"name": "tea", **told})
    assert answer.status_code == 422 and answer.json()["type"] == "/problems/invalid"
    assert site.storage.names() == []


@pytest.mark.parametrize("column", ["left", "outcome", "voter", "item", "event_id", "time"])
def test_half_a_character_in_a_row_is_a_problem(site, column):
    study = site.study()
    row = {"left": "sencha-7", "right": "bai-3", "outcome": "left", column: HALF}
    answer = _send(site.key("tell"), f"{ROOT}/tea/votes", row)
    assert answer.status_code == 422 and answer.json()["type"] == "/problems/invalid-row"
    assert study.votes() == []


def _send(key, path, told):
    return key.post(path, content=json.dumps(told), headers={"Content-Type": "application/json"})


@pytest.mark.parametrize("number", ODD)
def test_a_form_with_a_number_that_is_none_changes_nothing(site, number):
    site.study()
    site.link()
    site.key("read")
    admin, here = site.admin(), f"/admin/s/{site.page().slug}"
    share, manage = admin.get(f"{here}/share"), admin.get(f"{here}/manage")
    answers = [
        send(admin, share, f"{here}/share", does="revoke", link=number),
        send(admin, manage, f"{here}/keys", does="revoke", key=number),
        send(admin, admin.get("/admin"), "/admin/keys", does="revoke", key=number),
        send(admin, share, f"{here}/share", does="open", days=number),
    ]
    assert [answer.status_code for answer in answers] == [200] * 4
    study, store = site.page().study, site.server.store
    assert not any(one.revoked for one in (*store.links(study), *store.keys(study)))
    assert store.links(study)[-1].expires is None


@pytest.mark.parametrize("number", [b"\xb2", b"9" * 30, b"x"])
def test_a_stream_after_a_number_that_is_none_begins_where_it_is_told(site, number):
    site.study()
    key = site.key("read")
    assert key.head(f"{ROOT}/tea/events", headers={b"Last-Event-ID": number}).status_code == 200
