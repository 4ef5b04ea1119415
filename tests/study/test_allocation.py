"""Allocations: which users see which rankers."""

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from commands import flat, run, values
from scipy.stats import binom

from copeland.errors import InvalidParameter, UnknownOption
from copeland.study import create_study
from copeland.study.allocation import BUCKETS, Allocation, Share, bucket_of

RANKERS = ["bm25", "neural", "fresh", "old", "odd"]
USERS = [f"user {n}" for n in range(20_000)]
DOCS = Path(__file__).parents[2] / "docs" / "click-logs.md"
NOW = 1_800_000_000.0


@pytest.fixture
def study():
    made = create_study("search", RANKERS, clock=lambda: NOW, voters="independent")
    made.add_votes([{"winner": "bm25", "loser": "old", "n": 9}])
    return made


def shares(allocation):
    return {(s.left, s.right): (s.end - s.first) / BUCKETS for s in allocation.pairs}


def held(allocation):
    """The share of interleaved lists that hold each ranker."""
    found = Counter()
    for pair, share in shares(allocation).items():
        found.update(dict.fromkeys(pair, share))
    return found


@pytest.mark.quick
def test_the_numbers_in_the_docs_are_those_of_the_rule():
    text = DOCS.read_text().replace("(empty)", "``")
    rows = re.findall(r"^\| `(.*?)` \| `(.*?)` \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) >= 4
    for seed, user, bucket in rows:
        bits = int.from_bytes(sha256(f"{seed}\n{user}".encode()).digest()[:7], "big") >> 4
        assert bits % 10_000 == int(bucket) == bucket_of(seed, user)


@pytest.mark.slow
def test_users_are_shared_out_as_the_document_says(study):
    found = study.allocate(100_000, control="old", control_share=0.1)
    drawn = Counter(found.draw(user) for user in USERS)
    expected = {pair: 0.9 * share for pair, share in shares(found).items()} | {("old",): 0.1}
    assert set(drawn) <= set(expected)
    for rankers, share in expected.items():  # one in a million runs would fail by chance
        low, high = binom.interval(1 - 1e-6 / len(expected), len(USERS), share)
        assert low <= drawn[rankers] <= high


def test_the_pairs_are_those_that_the_study_would_ask_and_nothing_is_logged(study):
    found = study.allocate(50)
    asked = Counter(tuple(sorted(b[1:3])) for b in study.ask(n=50))
    total = asked.total()
    assert {tuple(sorted(pair)): round(total * s) for pair, s in shares(found).items()} == asked
    before = study.number
    first = study.allocate(100)
    assert study.number == before and study.allocate(100) == first


@pytest.mark.parametrize("cap", [0.4, 0.5, 0.7])
def test_no_ranker_has_more_than_its_cap(study, cap):
    found = study.allocate(100_000, cap=cap)
    assert max(held(found).values()) <= cap + 2 / BUCKETS * len(found.pairs)
    assert sum(shares(found).values()) > 0.9


@pytest.mark.slow
def test_who_takes_part_at_little_traffic_does_so_at_more(study):
    few, many = (study.allocate(100, traffic=traffic) for traffic in (0.1, 0.5))
    inside = [{u for u in USERS if len(found.draw(u)) == 2} for found in (few, many)]
    assert inside[0] < inside[1]
    assert 0.08 < len(inside[0]) / len(USERS) < 0.12
    assert study.allocate(100, traffic=0.0).taking_part == 0


def test_a_paused_ranker_is_out_and_users_meet_other_pairs_with_the_next_document(study):
    assert held(study.allocate(100))["neural"] > 0
    study.pause_option("neural")
    assert held(study.allocate(100))["neural"] == 0
    one = study.allocate(100)
    study.add_votes([{"winner": "bm25", "loser": "odd", "n": 1}])
    other = study.allocate(100)
    moved = sum(one.draw(user) != other.draw(user) for user in USERS[:1000])
    assert other.pair_seed != one.pair_seed and other.entry_seed == one.entry_seed and moved > 300


def test_one_winner_is_shown_alone(study):
    rows = [{"winner": "fresh", "loser": name, "n": 60} for name in RANKERS if name != "fresh"]
    study.add_votes(rows)
    found = study.allocate(100)
    assert found.pairs == () and {found.draw(user) for user in USERS[:100]} == {("fresh",)}


def test_an_expired_document_shows_one_ranker_alone(study):
    found = study.allocate(100, valid=60.0, control="old")
    user = next(u for u in USERS if len(found.draw(u, NOW + 59)) == 2)
    assert found.draw(user, NOW + 60) == ("old",)


def test_a_document_is_read_as_it_was_written(study, tmp_path):
    found = study.allocate(100)
    file = tmp_path / "allocation.json"
    file.write_text(found.to_json())
    assert Allocation.load(str(file)) == found
    for text in ("", "[]", "{}", json.dumps({**json.loads(found.to_json()), "format": 9})):
        file.write_text(text)
        with pytest.raises(InvalidParameter, match="not an allocation"):
            Allocation.load(str(file))


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({"impressions": 0}, "impressions is 0"),
        ({"impressions": True}, "impressions is True"),
        ({"cap": 0.3}, "two of 5 rankers"),
        ({"cap": 1.5}, "cap is 1.5"),
        ({"traffic": -0.1}, "traffic is -0.1"),
        ({"control_share": 2.0}, "control_share is 2"),
        ({"valid": 0.0}, "valid is 0"),
        ({"ramp": 0.1}, "no such term"),
    ],
)
def test_terms_that_cannot_be_met_are_refused(study, terms, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        study.allocate(**{"impressions": 10, **terms})


def test_a_panel_and_a_control_that_is_no_option_are_refused(study):
    with pytest.raises(UnknownOption, match="bm25"):
        study.allocate(10, control="bm52")
    panel = create_study("search", RANKERS, voters="panel", panel=["ann", "bea"])
    with pytest.raises(InvalidParameter, match="by name"):
        panel.allocate(10)


@pytest.mark.slow
def test_the_command_writes_the_document(tmp_path):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    create_study("search", RANKERS, storage, voters="independent")
    out = tmp_path / "allocation.json"
    words = ("study", "allocate", "search", "--storage", storage, "--impressions", "1e3")
    said = run(*words, "--out", out, "--control", "old", "--control-share", "0.25")
    assert said.exit_code == 0
    assert "75 % of users take part; the others see old. Once" in flat(said.stdout)
    written = json.loads(out.read_text())
    assert written["taking_part"] == 7500 and values(*words)["format"] == 1
    assert all(Share(**share) for share in written["pairs"])
    assert json.loads(run(*words).stdout)["study"] == "search"
    again = run(*words, "--out", out)
    assert again.exit_code == 2 and "exists" in flat(again.stderr)
    everybody = flat(run(*words, "--out", out, "--force", "--control", "old").stdout)
    assert "All users take part. Once this expires, everybody sees old." in everybody
