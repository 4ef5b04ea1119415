"""Every call of the API, given what its description allows and what it does not: only documented answers."""

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from web_client import Site

from copeland.web.api.calls import api

schemathesis = pytest.importorskip("schemathesis")


ROOT = "http://127.0.0.1:8000/api/v1"
STREAMS = ("/studies/{study}/events",)  # which do not end
FEW = settings(
    max_examples=12,
    phases=[Phase.generate],  # the first that fails says enough
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "left": st.sampled_from(["sencha-7", "assam-9", "nothing", 5]),
            "right": st.sampled_from(["assam-9", "bai-3", ""]),
            "outcome": st.sampled_from(["left", "tie", "bai-3", None, "x"]),
        },
        optional={
            "event_id": st.text(),
            "voter": st.text(),
            "time": st.floats(),
            "item": st.text(),
        },
    ),
    max_size=3,
).map(lambda rows: "\n".join(map(json.dumps, rows)))
MODES = {
    "allowed": schemathesis.GenerationMode.POSITIVE,
    "not allowed": schemathesis.GenerationMode.NEGATIVE,
}


def operations():
    described = schemathesis.openapi.from_dict(api(Site().server).openapi())
    found = [operation.ok() for operation in described.get_all_operations()]
    return {f"{o.method.upper()} {o.path}": o for o in found if o.path not in STREAMS}


OPERATIONS = operations()


def sent(browser, operation, case, known):
    """Send a case; ``known`` are values of parameters that name something that exists."""
    if case.path_parameters:
        case.path_parameters |= known
    ndjson = operation.path.endswith("/votes")
    body = case.body if ndjson else None
    if ndjson:
        case.body, case.media_type = schemathesis.core.NOT_SET, None
    how = case.as_transport_kwargs(base_url=ROOT)
    how.pop("cookies", None)
    how["headers"] = {k: v for k, v in how["headers"].items() if k.lower() != "authorization"}
    if ndjson:
        how["content"] = str(body).encode("utf-8", "replace")
    elif isinstance(how.get("data"), bytes):
        how["content"] = how.pop("data")
    return browser.request(**how)


def check(operation, answer):
    documented = {str(status) for status in operation.definition.raw["responses"]}
    assert str(answer.status_code) in documented, answer.text
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json", answer.url
        assert answer.json()["status"] == answer.status_code


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_call_with_a_key_gives_only_documented_answers(name, mode):
    operation, site = OPERATIONS[name], Site()
    study = site.study()
    program = site.key("ask", "tell", "read", "admin", name=None)
    has_rows = operation.path.endswith("/votes")
    if mode == "not allowed" and not operation.body and not operation.query:
        pytest.skip("all that it can be given is a path")
    cases = st.just(None) if has_rows else operation.as_strategy(generation_mode=MODES[mode])

    @FEW
    @given(st.data())
    def each(data):
        site.clock.now += 1.0  # or else it comes too often
        if has_rows:
            rows = data.draw(ROWS)
            check(operation, program.post(f"{ROOT}/studies/tea/votes", content=rows.encode()))
            return
        known = {"study": "tea", "ballot": 2, "name": "bai-3", "event_id": "a"}
        some = {key: value for key, value in known.items() if f"{{{key}" in operation.path}
        case = data.draw(cases)
        check(operation, sent(program, operation, case, some if data.draw(st.booleans()) else {}))

    study.ask("ann")
    each()
    assert study.replay() == study.books()


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_call_without_a_key_is_refused(name):
    method, path = name.split(" ")
    path = path.format(study="tea", ballot=2, name="bai-3", event_id="a")
    site = Site()
    site.study()
    answer = site.browser().request(method, f"{ROOT}{path.replace('{event_id:path}', 'a')}")
    assert answer.status_code in (401, 422)  # what it says is read first
    check(OPERATIONS[name], answer)


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", "json"])
def test_a_body_that_is_no_json_is_refused_by_its_kind(kind):
    site = Site()
    site.study()
    program = site.key("ask", "tell", "read", "admin", name=None)
    told = {"Content-Type": kind}
    for path in ("/studies", "/studies/tea/ballots", "/studies/tea/votes"):
        answer = program.post(f"{ROOT}{path}", content=b"{}", headers=told)
        assert answer.status_code == 415 and answer.json()["status"] == 415
    program.headers["Content-Type"] = "application/vnd.tea+json; charset=utf-8"
    assert program.post(f"{ROOT}/studies/tea/ballots", content=b"{}").status_code == 201
