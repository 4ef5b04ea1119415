"""No acknowledged vote is lost, and no lock reaches a voter, when voters are killed while they vote."""

import pytest
from kills import kill_voters


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rounds"),
    [
        pytest.param("sqlite", 1, marks=pytest.mark.quick),
        ("postgres", 1),
        pytest.param("sqlite", 20, marks=pytest.mark.nightly),
        pytest.param("postgres", 20, marks=pytest.mark.nightly),
    ],
)
def test_voters_who_are_killed_lose_no_acknowledged_vote(kind, rounds, tmp_path, request):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    if kind == "postgres":
        storage = request.getfixturevalue("postgres_url")
    voters, longest = (2, 0.2) if rounds == 1 else (4, 0.6)
    found = kill_voters(storage, rounds=rounds, voters=voters, seconds=(0.0, longest))
    assert [one for one in found if not one.passed] == []
    assert sum(one.acknowledged for one in found) > 0
