import numpy as np
import pytest

from copeland.algorithms.elimination import (
    advance,
    is_swept,
    leader,
    new_contest,
    new_roster,
    new_tally,
    record,
    select,
    strike,
    turn,
)


def a_round(roster, rng):
    visits = [int(turn(roster, rng))]
    while not is_swept(roster):
        visits.append(int(turn(roster, rng)))
    return visits


def duels_until_decided(tally, direction):
    for n in range(1, 1000):
        record(tally, 0, 1)
        if tally.verdict[direction]:
            return n
    raise AssertionError("it was not decided")


def test_every_round_visits_the_roster_once():
    roster, rng = new_roster(np.array([10, 20, 30, 40, 50])), np.random.default_rng(0)
    rounds = [a_round(roster, rng) for _ in range(20)]
    assert all(sorted(visits) == [10, 20, 30, 40, 50] for visits in rounds)
    assert len({tuple(visits) for visits in rounds}) > 15
    roster, rng = new_roster(np.arange(6)), np.random.default_rng(1)
    visited = [int(turn(roster, rng)) for _ in range(3)]
    strike(roster, 1)
    rest = [int(turn(roster, rng)) for _ in range(3)]
    assert is_swept(roster)
    assert sorted(visited + rest) == list(range(6))
    assert sorted(a_round(roster, rng)) == sorted(set(range(6)) - {visited[1]})
    roster, rng = new_roster(np.array([7])), np.random.default_rng(0)
    assert turn(roster, rng) == 7
    strike(roster, 0)
    assert turn(roster, rng) == -1


def test_a_pair_is_decided_once_and_for_all():
    # With level 8 the radius is 2 / sqrt(n): below 1/2 from n = 17 on.
    tally = new_tally(2, level=8, growth=0, margin=0)
    assert duels_until_decided(tally, (0, 1)) == 17
    assert tally.verdict.tolist() == [[0, 1], [-1, 0]]
    assert (tally.won.tolist(), tally.lost.tolist()) == ([1, 0], [0, 1])
    # With a margin of 1/10: 1 - 2 / sqrt(n) > 0.6 from n = 26 on, 2 / sqrt(n) < 0.6 from n = 12 on.
    assert duels_until_decided(new_tally(2, 8, 0, 0.1), (0, 1)) == 26
    assert duels_until_decided(new_tally(2, 8, 0, 0.1), (1, 0)) == 12
    # sqrt((2 + 2 ln n) / (2n)) < 1/2 from n = 15 on: 4 (1 + ln 14) = 14.6, 4 (1 + ln 15) = 14.8.
    assert duels_until_decided(new_tally(2, 2, 2, 0), (0, 1)) == 15
    tally = new_tally(2, level=8, growth=0, margin=0)
    duels_until_decided(tally, (0, 1))
    for _ in range(200):
        assert not record(tally, 1, 0)
    assert (tally.won.tolist(), tally.lost.tolist()) == ([1, 0], [0, 1])


@pytest.mark.parametrize(
    ("lost", "won", "beaten", "best"),
    [
        ([1, 0, 1], [2, 0, 0], [], 1),
        ([0, 0, 1], [0, 0, 0], [(1, 0)], 1),
        ([0, 0, 0], [0, 0, 1], [(1, 0), (1, 2)], 2),
        ([0, 0, 0], [0, 0, 0], [(0, 1), (1, 2), (2, 0), (2, 0)], 2),
    ],
)
def test_the_leader_has_the_fewest_sure_losses_then_sure_wins_then_the_best_record(
    lost, won, beaten, best
):
    tally = new_tally(3, level=100, growth=0, margin=0)
    tally.lost[:], tally.won[:] = lost, won
    for winner, loser in beaten:
        record(tally, winner, loser)
    assert leader(tally) == best


def test_a_contest_asks_for_every_pair_and_ends_when_all_are_out():
    contest, rng = new_contest(4, level=8), np.random.default_rng(0)
    asked = set()
    for _ in range(6):
        advance(contest, 1, rng)
        asked.add(tuple(int(x) for x in select(contest, 1, rng)))
    assert asked == {(i, j) for i in range(4) for j in range(i + 1, 4)}
    contest.out[:] = True
    advance(contest, 1, rng)
    assert contest.answer[0] >= 0
    assert select(contest, 1, rng) == (contest.answer[0], contest.answer[0])
