"""Every call of the API, given what its description allows and what it does not: only documented answers."""

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from web_client import Site

from copeland.web.app import api
from copeland.web.ideas import Ideas

ROOT = "http://127.0.0.1:8000/api/v1"
STREAMS = ("/studies/{study}/events",)  # which do not end
FEW = settings(
    max_examples=6,
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
MODES = {"allowed": "POSITIVE", "not allowed": "NEGATIVE"}
DESCRIBED = api(Site().server).openapi()
CALLS = [
    f"{method.upper()} {path}"
    for path, methods in DESCRIBED["paths"].items()
    for method in methods
    if path not in STREAMS
]


@pytest.fixture(scope="module")
def schemathesis():
    """Imported by who needs it: that takes as long as all else here that is quick."""
    return pytest.importorskip("schemathesis")


@pytest.fixture(scope="module")
def operations(schemathesis):
    """What there is to call, by method and path."""
    found = schemathesis.openapi.from_dict(DESCRIBED).get_all_operations()
    return {f"{o.method.upper()} {o.path}": o for o in (each.ok() for each in found)}


def sent(browser, case, known):
    """Send a case; ``known`` are values of parameters that name something that exists."""
    if case.path_parameters:
        case.path_parameters |= known
    how = case.as_transport_kwargs(base_url=ROOT)
    how.pop("cookies", None)
    how["headers"] = {k: v for k, v in how["headers"].items() if k.lower() != "authorization"}
    if isinstance(how.get("data"), bytes):
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
@pytest.mark.parametrize("name", CALLS)
def test_a_call_with_a_key_gives_only_documented_answers(schemathesis, operations, name, mode):
    operation, site = operations[name], Site()
    study = site.study()
    program = site.key("ask", "tell", "read", "admin", name=None)
    has_rows = operation.path.endswith("/votes")
    if mode == "not allowed" and not operation.body and not operation.query:
        pytest.skip("all that it can be given is a path")
    how = getattr(schemathesis.GenerationMode, MODES[mode])
    cases = st.just(None) if has_rows else operation.as_strategy(generation_mode=how)

    @FEW
    @given(st.data())
    def each(data):
        site.clock.now += 1.0  # or else it comes too often
        if has_rows:
            rows = data.draw(ROWS)
            check(operation, program.post(f"{ROOT}/studies/tea/votes", content=rows.encode()))
            return
        known = {"study": "tea", "ballot": 2, "name": "bai-3", "event_id": "a", "idea": 1}
        some = {key: value for key, value in known.items() if f"{{{key}" in operation.path}
        case = data.draw(cases)
        check(operation, sent(program, case, some if data.draw(st.booleans()) else {}))

    study.ask("ann")
    Ideas(site.storage, site.clock).add(site.page().study, "ann", "Mint tea")
    each()
    assert study.replay() == study.state()


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_call_without_a_key_is_refused(operations, name):
    method, path = name.split(" ")
    path = path.format(study="tea", ballot=2, name="bai-3", event_id="a", idea=1)
    site = Site()
    site.study()
    answer = site.browser().request(method, f"{ROOT}{path.replace('{event_id:path}', 'a')}")
    assert answer.status_code in (401, 422)  # what it says is read first
    check(operations[name], answer)


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
