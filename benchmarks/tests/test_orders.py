"""The measurement of orders: it tells options apart as copeland.orders does."""

import numpy as np
import pytest

from benchmarks import orders as measured
from benchmarks.order_looks import is_cut_wrong, new_board, watch_order
from copeland.kernels import compiled
from copeland.orders.option_estimates import estimate_borda, estimate_strengths
from copeland.orders.rank import cut_tiers, tell_apart
from copeland.support.rng import stream

ESTIMATES = {"borda": estimate_borda, "strength": estimate_strengths}
WORLDS = {
    "steps": measured.by_strengths("steps", np.linspace(1.5, -1.5, 6), 1.0 - np.eye(6), 700),
    "circle": measured.circle("circle", 5, 700)._replace(tie=0.2 * (1 - np.eye(5))),
    "thin": measured.thin("thin", 400),
}


def look(world, votes, n, radius, by):
    """The board after the first votes, with a look after each."""
    board = new_board(world.k)
    some = [x[:n] for x in votes]
    every = np.full(n, radius), np.ones(n, bool)
    compiled(watch_order)(board, *some, *every, measured.truth_of(world, by), by == "strength")
    return board


@pytest.mark.parametrize("by", ESTIMATES)
@pytest.mark.parametrize("name", WORLDS)
def test_each_look_is_that_of_the_order(name, by):
    """Among them are early looks, when the votes fall into parts or bound no strength yet."""
    world = WORLDS[name]
    votes = measured.draw_votes(world, stream(0, name))
    told = 0
    for n in (1, 3, 8, 20, 60, 200, world.votes):
        for radius in (0.5, 1.0, 2.0, 4.0):
            board = look(world, votes, n, radius, by)
            found = ESTIMATES[by](board.wins, board.ties)
            assert (board.above == tell_apart(found, radius)).all()
            told += board.above.sum()
            if by == "strength":
                assert board.values - board.values.mean() == pytest.approx(found.values, abs=1e-9)
    assert told > 0 or (name, by) == ("thin", "borda")  # most pairs never met there


def test_a_cut_is_wrong_if_a_pair_across_it_is():
    """Against the plain rule, on random orders that are partly told apart."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(300):
        values, truth = rng.random(5), rng.permutation(5.0 * np.arange(5))
        above = np.subtract.outer(values, values) > rng.choice([0.0, 0.05, 0.1, 0.2])
        order = np.argsort(-values)
        tiers = np.empty(5, int)
        tiers[order] = cut_tiers(above, order)
        across = tiers[:, None] < tiers
        expected = bool((across & (truth[:, None] <= truth)).any())
        assert is_cut_wrong(above, truth) == expected
        wrong += expected
    assert 0 < wrong < 300


def test_few_replays_give_a_row_for_each_order():
    world = measured.by_strengths(
        "3 steps", np.array([2.0, 0.0, -2.0]), 1.0 - np.eye(3), 300, expected=200
    )
    noted = measured.measure(world, 3, jobs=1)
    assert noted.shape == (3, 3, 3)
    assert (noted[:, :, measured.TOLD] > 0).all()
