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


@pytest.mark.slow
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


@pytest.mark.parametrize("path", ["/votes", "/ballots", "/options", "/ballots/2/vote"])
def test_a_body_in_pieces_that_goes_on_too_long_is_a_problem(site, path):
    site.study()
    pieces = (b"x" * 100_000 for _ in range(20))
    answer = site.key("ask", "tell", "admin").post(
        f"{ROOT}/tea{path}", content=pieces, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413 and answer.json()["type"] == "/problems/too-large"


@pytest.mark.slow
def test_a_slash_at_the_end_leads_nowhere_else():
    site = Site(url="https://vote.example.org")
    site.study()
    browser = site.browser(host="vote.example.org")
    for path in ("/healthz", "/problems", "/admin/enter", site.link()):
        with_slash = browser.get(f"{path}/", follow_redirects=False)
        assert with_slash.status_code == 200, path
    key = site.key("ask", "read")
    key.headers["host"] = "vote.example.org"
    assert key.get(f"{ROOT}/tea/").status_code == 200
    assert key.post(f"{ROOT}/tea/ballots/", json={"voter": "ann"}).status_code == 201
    missing = browser.get("/nowhere/", follow_redirects=False)
    assert missing.status_code == 404 and "location" not in missing.headers


@pytest.mark.parametrize("path", ["/vote/x", "/admin/enter", f"{ROOT}/tea/votes", "/v/token"])
def test_who_leaves_while_sending_is_not_worth_a_traceback(site, path, caplog):
    import asyncio

    site.study()
    token = site.server.store.add_key(None, "k", ["tell"])
    sent = []

    async def leave():
        messages = [
            {"type": "http.request", "body": b"a=", "more_body": True},
            {"type": "http.disconnect"},
        ]
        heads = {
            "host": "127.0.0.1",
            "content-type": "application/x-www-form-urlencoded" if "api" not in path else "",
            "content-length": "99",
            "authorization": f"Bearer {token}",
        }
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
            "client": ("127.0.0.1", 5000),
            "server": ("127.0.0.1", 8000),
            "headers": [(name.encode(), value.encode()) for name, value in heads.items()],
        }

        async def receive():
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        await site.app(scope, receive, send)

    asyncio.run(leave())
    assert caplog.text == "" and sent[0]["status"] in (400, 404)


@pytest.mark.slow
def test_the_description_names_the_types_of_the_log(site):
    paths = site.browser().get("/api/v1/openapi.json").json()["paths"]
    for call, kind in (("export", "application/x-ndjson"), ("events", "text/event-stream")):
        assert list(paths[f"/studies/{{study}}/{call}"]["get"]["responses"]["200"]["content"]) == [
            kind
        ]


def test_a_storage_that_can_only_be_read_is_not_ready(site, monkeypatch):
    from copeland.errors import StorageError

    transact = site.storage.transact

    def only_read(work, reads=False):
        if not reads:
            raise StorageError("database or disk is full")
        return transact(work, reads)

    assert site.browser().get("/readyz").status_code == 200
    monkeypatch.setattr(site.storage, "transact", only_read)
    site.clock.now += 6
    assert site.browser().get("/readyz").status_code == 503
    monkeypatch.undo()
    site.clock.now += 6
    assert site.browser().get("/readyz").status_code == 200
