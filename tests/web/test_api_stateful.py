"""Calls of the API one after the other, as its description links them: no answer that it does not tell of."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from web_client import Site

from copeland.web.api.links import LINKS

schemathesis = pytest.importorskip("schemathesis")

LONG = settings(
    max_examples=10,
    stateful_step_count=10,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
SENSIBLE = {
    "create": lambda turn: {"name": f"study {turn}", "options": ["a", "b", "c"]},
    "ask": lambda turn: {"voter": f"voter {turn % 5}"},
    "tell": lambda turn: {"outcome": ("left", "right", "tie", "a")[turn % 4]},
    "add": lambda turn: {"name": f"option {turn}"},
    "change": lambda turn: {"state": ("paused", "active", "retired")[turn % 3]},
}


class Anew:
    """A server that can be begun anew, with nothing in it, under the same description."""

    def __init__(self):
        self.begin()

    def begin(self):
        self.site = Site()
        self.key = self.site.server.keep.add_key(
            None, "a program", ("ask", "tell", "read", "admin")
        )
        self.turn = 0

    async def __call__(self, scope, receive, send):
        await self.site.app(scope, receive, send)


def described(server):
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
            for page in server.site.server.keep.pages():
                study = server.site.server.study(page)
                assert study.replay() == study.books() and study.misfit() is None

    Calls.run(settings=LONG)
    assert {name for name, status in statuses if status < 300} >= {"create", "ask", "tell", "undo"}
    assert {status for _, status in statuses} >= {200, 201, 204, 404, 409, 422}


@pytest.mark.quick
def test_links_lead_from_calls_to_calls():
    paths = Site().browser().get("/api/v1/openapi.json").json()["paths"]
    calls = {one["operationId"]: one for path in paths.values() for one in path.values()}
    assert set(LINKS) <= set(calls)
    for name, (status, links) in LINKS.items():
        told = calls[name]["responses"][status]["links"]
        assert set(told) == set(links)
        for link in told.values():
            taken = {one["name"] for one in calls[link["operationId"]].get("parameters", ())}
            assert set(link["parameters"]) <= taken
