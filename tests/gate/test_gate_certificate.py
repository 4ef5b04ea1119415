"""A certificate of a gate holds as it was written, and no change of it goes unseen."""

import json

import pytest
from gate_helpers import NEW, OLD, Scripted, answers_of, make_pairs
from hypothesis import given
from hypothesis import strategies as st

from copeland.errors import InvalidParameter
from copeland.gate import run_gate
from copeland.gate.gate_certificate import (
    find_objections,
    make_certificate,
    read_gate_certificate,
)
from copeland.study.results.certificate_file import seal_of

pytestmark = pytest.mark.slow  # left out of `make fast`

PAIRS = make_pairs(20, identical=4)


def issue(judge=None, pairs=PAIRS, **how):
    result = run_gate(*answers_of(pairs), judge or {"small": Scripted(NEW, OLD, "tie", NEW)}, **how)
    return json.loads(make_certificate(result))


ISSUED = json.dumps(issue(judge_all=True))


def seal(content):
    return content | {"seal": seal_of(content)}


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"judge_all": True},
        {"require": "better", "seed": 7},
        {"swap": "confirm"},
        {"population": "these"},
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
    assert any("other cases" in one for one in find_objections(content, make_pairs(19, 4)))


def change_log(content, **fields):
    """The same, with another event in the log of the judge's study."""
    log = content["proofs"][0]["log"]
    place = next(i for i, event in enumerate(log) if event.get("outcome") == "left")
    log[place] = log[place] | fields
    return content


@pytest.mark.quick
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c | {"outcome": "failed"}, "its outcome should be"),
        (lambda c: c | {"statement": "All is well."}, "its statement should be"),
        (lambda c: c | {"gate": c["gate"] | {"seed": 1}}, "it says that seed is 1"),
        (lambda c: c | {"names": ["old", "new"]}, "it says that names is ['old', 'new']"),
        (lambda c: c | {"assumptions": []}, "its assumptions should be"),
        (lambda c: c | {"cases": []}, "nothing can be weighed again"),
        (lambda c: c | {"gate": c["gate"] | {"judges": None}}, "a part is missing or damaged"),
        (lambda c: c | {"surprise": 1}, "it says 'surprise', which no certificate of a gate says"),
        (lambda c: {k: v for k, v in c.items() if k != "gate"}, "a part is missing"),
        (lambda c: change_log(c, outcome="right"), "issued on another log"),
        (lambda c: change_log(c, item="q0"), "issued on another log"),
        (lambda c: change_log(c, time=10**400), "nothing can be weighed again"),
        (
            lambda c: c | {"gate": c["gate"] | {"baseline": "0" * 64}},
            "but the log says",
        ),
    ],
)
def test_a_change_under_a_new_seal_is_found_too(change, said):
    found = find_objections(seal(change(issue(require="better", judge_all=True))))
    assert found and any(said in one for one in found), found
    assert not any("seal does not match" in one for one in found)


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
    assert read_gate_certificate(path)["outcome"] == "undecided"
    path.write_text('{"study": "tea"}')
    assert read_gate_certificate(path) is None
    path.write_text('{"gate_certificate": 99}')
    with pytest.raises(InvalidParameter, match="has format 99; this version reads format 3"):
        read_gate_certificate(path)
    path.write_text("{")
    with pytest.raises(InvalidParameter, match="is not JSON"):
        read_gate_certificate(path)
