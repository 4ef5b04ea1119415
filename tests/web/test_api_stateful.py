"""Calls of the API one after the other, as its description links them: no answer that it does not tell of."""

from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, settings
from web_client import Site

LONG = settings(
    max_examples=6,
    stateful_step_count=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
SENSIBLE = {
    "create": lambda turn: {"name": f"study {turn}", "options": ["a", "b", "c"]},
    "ask": lambda turn: {"voter": f"voter {turn % 5}"},
    "tell": lambda turn: {"outcome": ("left", "right", "tie")[turn % 3]},
    "add": lambda turn: {"name": f"option {turn}"},
    "change": lambda turn: {"state": ("paused", "active", "retired")[turn % 3]},
    "settle": lambda turn: {"state": "declined"},
    "edit": lambda turn: {"question": f"Which is better, {turn}?"},
}


class Anew:
    """A server that can be begun anew, with nothing in it, under the same description."""

    def __init__(self):
        self.begin()

    def begin(self):
        self.site = Site()
        self.key = self.site.server.store.add_key(
            None, "a program", ("ask", "tell", "read", "admin")
        )
        self.turn = 0

    async def __call__(self, scope, receive, send):
        await self.site.app(scope, receive, send)


def described(server):
    schemathesis = pytest.importorskip("schemathesis")
    told = {"Host": "127.0.0.1"}
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", server, headers=told)
    # A stream does not end; votes in bulk are lines of JSON, and have a test of their own.
    return schema.exclude(path_regex="/events$").exclude(path="/studies/{study}/votes")


@pytest.mark.slow
def test_what_follows_from_an_answer_is_answered_as_described():
    server, statuses = Anew(), set()

    class Calls(described(server).as_state_machine()):
        def setup(self):
            server.begin()

        def before_call(self, case):
            server.site.clock.now += 1.0  # or else it comes too often
            server.turn += 1
            name = case.operation.definition.raw["operationId"]
            if server.turn % 4 and name in SENSIBLE:  # or else nothing would ever follow
                case.body = SENSIBLE[name](server.turn)

        def get_call_kwargs(self, case):
            return {"headers": {"Authorization": f"Bearer {server.key}", "Host": "127.0.0.1"}}

        def after_call(self, response, case):
            statuses.add((case.operation.definition.raw["operationId"], response.status_code))

        def validate_response(self, response, case, **how):
            documented = case.operation.definition.raw["responses"]
            assert str(response.status_code) in documented, (case.operation.label, response.text)
            if response.status_code >= 400:
                assert response.headers["content-type"] == ["application/problem+json"]

        def teardown(self):
            for page in server.site.server.store.pages():
                study = server.site.server.study(page)
                assert study.replay() == study.state() and study.misfit() is None

    Calls.run(settings=LONG)
    assert statuses


@pytest.mark.slow
def test_every_way_of_four_calls_along_the_links_is_answered_as_described():
    server = Anew()
    calls = operations(server)
    ways, seen = [()], set()
    while ways:
        way = ways.pop()
        step, answer = walked(server, calls, way)
        seen.add((step["call"], answer.status_code))
        documented = calls[step["call"]]["responses"]
        assert str(answer.status_code) in documented, (way, answer.text)
        if len(way) < 3 and answer.status_code < 300:
            ways += [(*way, name) for name in followed(calls, step, answer)]
    assert seen >= {("create", 201), ("ask", 201), ("tell", 201), ("undo", 204), ("close", 200)}
    assert seen >= {("certificate", 200), ("change", 200), ("tell", 409)}
    assert seen >= {("edit", 200), ("reopen", 200), ("delete", 204)}


def operations(server):
    """The calls by name, each with its method and path."""
    paths = server.site.browser().get("/api/v1/openapi.json").json()["paths"]
    return {
        one["operationId"]: {**one, "method": method, "path": path}
        for path, methods in paths.items()
        for method, one in methods.items()
    }


def walked(server, calls, way):
    """Begin anew, create a study and follow these links; return the last call and its answer."""
    server.begin()
    step = {"call": "create", "path": {}, "query": {}}
    answer = called(server, calls, step)
    for name in way:
        step = followed(calls, step, answer)[name]
        answer = called(server, calls, step)
    return step, answer


def called(server, calls, step):
    """Send a call of a way."""
    server.turn += 1
    call, name = calls[step["call"]], step["call"]
    program = server.site.browser(Authorization=f"Bearer {server.key}")
    path = call["path"].format(**{key: quote(str(one)) for key, one in step["path"].items()})
    body = SENSIBLE[name](server.turn) if name in SENSIBLE else None
    how = {"json": body} if body else {}
    return program.request(call["method"], f"/api/v1{path}", params=step["query"], **how)


def followed(calls, step, answer):
    """The calls that an answer leads to, by the names of the links."""
    found = {}
    links = calls[step["call"]]["responses"][str(answer.status_code)].get("links", {})
    for label, link in links.items():
        given = {name: value_of(said, step, answer) for name, said in link["parameters"].items()}
        places = {one["name"]: one["in"] for one in calls[link["operationId"]]["parameters"]}
        apart = {
            where: {n: v for n, v in given.items() if places[n] == where}
            for where in ("path", "query")
        }
        found[label] = {"call": link["operationId"], **apart}
    return found


def value_of(said, step, answer):
    """What an expression of a link stands for."""
    source, _, rest = said.partition("#/" if "#/" in said else "path.")
    if source == "$request.":
        return step["path"][rest]
    found = answer.json()
    for part in rest.split("/"):
        found = found[int(part) if isinstance(found, list) else part]
    return found


@pytest.mark.quick
def test_links_lead_from_calls_to_calls():
    paths = Site().browser().get("/api/v1/openapi.json").json()["paths"]
    calls = {one["operationId"]: one for path in paths.values() for one in path.values()}
    found = {
        (name, title, link["operationId"]): link["parameters"]
        for name, call in calls.items()
        for answer in call["responses"].values()
        for title, link in answer.get("links", {}).items()
    }
    assert {
        ("create", "ask", "ask"),
        ("ask", "answer", "tell"),
        ("tell", "undo", "undo"),
        ("about", "change an option", "change"),
        ("close", "read", "results"),
        ("close", "reopen", "reopen"),
        ("about", "delete it", "delete"),
    } <= set(found)
    for (_, _, follows), parameters in found.items():
        taken = {one["name"] for one in calls[follows].get("parameters", ())}
        assert set(parameters) <= taken
