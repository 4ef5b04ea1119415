"""No acknowledged vote is lost, and no lock reaches a voter, when voters are killed while they vote."""

import pytest
from kills import kill_voters


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_voters_who_are_killed_lose_no_acknowledged_vote(kind, tmp_path, request):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    if kind == "postgres":
        storage = request.getfixturevalue("postgres_url")
    no_vote_is_lost(kill_voters(storage, rounds=2, voters=4, seconds=(0.0, 0.6)))


@pytest.mark.slow
@pytest.mark.quick
def test_two_voters_who_are_soon_killed_lose_no_acknowledged_vote(tmp_path):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    no_vote_is_lost(kill_voters(storage, rounds=1, voters=2, seconds=(0.0, 0.2)))


def no_vote_is_lost(rounds):
    assert [r for r in rounds if not r.passed] == []
    assert sum(r.acknowledged for r in rounds) > 0
