"""A certificate of a gate holds as it was written, and no change of it goes unseen."""

import json

import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs
from hypothesis import given
from hypothesis import strategies as st

from copeland.errors import InvalidParameter
from copeland.gate import run_gate
from copeland.gate.gate_certificate import (
    _seal,
    find_objections,
    make_certificate,
    read_gate_certificate,
)

pytestmark = pytest.mark.slow  # left out of `make fast`

PAIRS = make_pairs(20, identical=4)


def issue(judge=None, pairs=PAIRS, **how):
    result = run_gate(*answers_of(pairs), judge or {"small": Scripted(NEW, OLD, "tie", NEW)}, **how)
    return json.loads(make_certificate(result))


ISSUED = json.dumps(issue(judge_all=True))


def seal(content):
    return content | {"seal": _seal(content)}


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"judge_all": True},
        {"require": "better", "seed": 7},
        {"swap": "confirm"},
        {"population": "like-these"},
        {"judge_identical": True, "max_calls": 25},
        {"judge": {"small": Scripted(NEW, "skip"), "other": Scripted(OLD)}},
    ],
)
def test_what_was_written_holds(how):
    content = issue(**how)
    assert find_objections(content) == ()
    assert find_objections(content, PAIRS) == ()


def test_changed_parts_are_found_by_the_seal_and_other_answers_by_their_digest():
    content = issue()
    for key in content:
        changed = content | {key: "something else"}
        assert any("seal" in one for one in find_objections(changed)), key
    found = find_objections(content, make_pairs(20, identical=5))
    assert any("the candidate's answers are not those that were judged" in one for one in found)
    assert any("the same answer twice" in one for one in found)
    assert any("other cases" in one for one in find_objections(content, make_pairs(19, 4)))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c | {"outcome": "failed"}, "it says that the gate is failed"),
        (
            lambda c: c | {"statement": "All is well."},
            "its statement should be: By the judge small",
        ),
        (
            lambda c: c | {"settings": c["settings"] | {"seed": 1}},
            "does not belong to the question",
        ),
        (lambda c: c | {"identical": [0, 1, 2]}, "does not belong to the question"),
        (lambda c: c | {"assumptions": []}, "does not say what it assumes"),
        (lambda c: c | {"cases": []}, "its cases are damaged"),
        (lambda c: c | {"judges": None}, "a part is missing or damaged"),
        (lambda c: {k: v for k, v in c.items() if k != "settings"}, "a part is missing"),
    ],
)
def test_a_change_under_a_new_seal_is_found_too(change, said):
    found = find_objections(seal(change(issue(require="better", judge_all=True))))
    assert found and any(said in one for one in found)
    assert not any("seal" in one for one in found)


def turn_one(verdicts):
    place = verdicts.index("left")
    return [*verdicts[:place], "right", *verdicts[place + 1 :]]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (turn_one, "but they are"),
        (lambda v: v[:-1], "but they are"),
        (lambda v: [*v, *["tie"] * 99], "verdicts on 40 questions"),
        (lambda v: ["won", *v[1:]], "'won', which is none"),
        (lambda v: [v[0], *v[:-1]], "does not belong"),
    ],
)
def test_a_changed_verdict_is_found_under_a_new_seal(change, said):
    content = issue(judge_all=True)
    content["judges"][0]["verdicts"] = change(content["judges"][0]["verdicts"])
    assert any(said in one for one in find_objections(seal(content)))


JUNK = st.sampled_from([None, -1, 0, 1e400, "x", "", [], {}, [None], {"name": 3}, True, 10**400])


def places(content, path=()):
    """Every part of a file, by the way to it."""
    inner = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, value in inner:
        yield (*path, key)
        yield from places(value, (*path, key))


@given(st.data())
def test_junk_in_any_place_is_an_objection_and_never_a_crash(data):
    content = json.loads(ISSUED)
    *way, last = data.draw(st.sampled_from(list(places(content))))
    part = content
    for key in way:
        part = part[key]
    part[last] = data.draw(JUNK)
    if content != json.loads(ISSUED):
        assert find_objections(content)
    find_objections(seal(content))


def test_a_file_is_recognised(tmp_path):
    path = tmp_path / "cert.json"
    path.write_text(json.dumps(issue()))
    assert read_gate_certificate(path)["outcome"] == "passed"
    path.write_text('{"study": "tea"}')
    assert read_gate_certificate(path) is None
    path.write_text('{"gate_certificate": 99}')
    with pytest.raises(InvalidParameter, match="has format 99; this version reads format 1"):
        read_gate_certificate(path)
    path.write_text("{")
    with pytest.raises(InvalidParameter, match="is not JSON"):
        read_gate_certificate(path)
