"""No acknowledged vote is lost, and no lock reaches a voter, when voters are killed while they vote."""

import pytest
from kills import kill_voters


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pytest.param("sqlite", marks=pytest.mark.quick), "postgres"])
def test_voters_who_are_killed_lose_no_acknowledged_vote(kind, tmp_path, request):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    if kind == "postgres":
        storage = request.getfixturevalue("postgres_url")
    rounds = kill_voters(storage, rounds=2)
    assert [r for r in rounds if not r.passed] == []
    assert sum(r.acknowledged for r in rounds) > 0
