"""A tuner: asking and telling, the same run from the same seed, and what it finds."""

import numpy as np
import pytest
from turning import BEST, SQUARE, chance, score

from copeland import Choice, Integer, InvalidParameter, Real, Space, Tuner
from copeland.errors import UnknownDuel
from copeland.support.npz import pack_arrays, read_arrays
from copeland.tuning.duels import Duel

pytestmark = pytest.mark.slow  # left out of `make fast`

LINE = Space({"x": Real(0, 1)})
MIXED = Space(
    {"x": Real(0, 1), "n": Integer(1, 8), "c": Choice("a", "b", "c")},
    feasible=lambda x, n, c: n < 7 or x < 0.5,
)


def better(duel):
    """The point whose x is closer to .3; others do not matter."""
    return min(duel.first, duel.second, key=lambda point: abs(point["x"] - 0.3))


def tune(space, votes, seed=0):
    tuner = Tuner(space, seed=seed)
    for _ in range(votes):
        duel = tuner.ask()
        tuner.tell(duel, better(duel))
    return tuner


@pytest.fixture(scope="module")
def recommendation():
    return tune(LINE, 12).recommend()


def test_it_finds_the_best_point_of_a_line(recommendation):
    assert recommendation.point["x"] == pytest.approx(0.3, abs=0.1)
    assert 0.8 < recommendation.score <= 1
    assert 0 <= recommendation.regret < 0.2


def test_same_seed_same_run_and_another_seed_another_one():
    runs = [[duel[1:] for duel in tune(MIXED, 6, seed).ask(3)] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_a_tuner_goes_on_after_dump_and_load_as_if_nothing_had_happened():
    tuner = tune(MIXED, 7)
    waiting = tuner.ask(2)
    loaded = Tuner.load(tuner.dump(), MIXED)
    for one in (tuner, loaded):
        one.tell(waiting[1], None)
        one.tell(waiting[0], waiting[0].first)
    assert loaded.recommend() == tuner.recommend()
    assert [tuner.ask() for _ in range(5)] == [loaded.ask() for _ in range(5)]
    assert loaded.dump() == tuner.dump()


def test_looking_changes_nothing():
    tuner, other = tune(LINE, 5), tune(LINE, 5)
    tuner.recommend()
    tuner.shortlist(3)
    tuner.dump()
    assert tuner.ask() == other.ask()


def test_points_of_a_mixed_space_are_feasible_and_a_duel_has_two():
    for duel in tune(MIXED, 5).ask(10):
        assert all(MIXED.allows(point) for point in duel[1:])
        assert duel.first != duel.second


def test_a_space_of_two_points_can_be_asked():
    tuner = Tuner(Space({"c": Choice("a", "b")}))
    for _ in range(10):
        duel = tuner.ask()
        tuner.tell(duel, {"c": "b"})
    assert tuner.recommend().point == {"c": "b"}
    assert len(tuner._counts.places) == 1


def test_old_votes_come_first_and_known_pairs_are_counted_from_either_side():
    tuner = Tuner(LINE)
    a, b = {"x": 0.2}, {"x": 0.9}
    for _ in range(5):
        tuner.add(a, b, a)
        tuner.add(b, a, a)
    tuner.add(b, a, None)
    assert tuner._counts.counts.tolist() == [[10.5, 0.5]]
    assert tuner.votes == 11
    assert tuner.recommend().point["x"] < 0.6


def test_a_shortlist_has_different_points_the_recommended_one_first():
    tuner = tune(LINE, 12)
    points = tuner.shortlist(4)
    assert len({point["x"] for point in points}) == 4
    assert points[0] == tuner.recommend().point


@pytest.mark.quick
def test_duels_that_were_not_asked_or_were_answered_are_refused_and_nothing_is_lost():
    tuner = Tuner(LINE)
    duel = tuner.ask()
    for wrong in (duel._replace(id=9), duel._replace(first={"x": 0.123}), "x"):
        with pytest.raises(UnknownDuel):
            tuner.tell(wrong, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="not one of"):
        tuner.tell(duel, {"x": 7})
    tuner.tell(duel, duel.second)
    with pytest.raises(UnknownDuel):
        tuner.tell(duel, duel.second)
    assert tuner.votes == 1
    dropped = tuner.ask()
    tuner.drop(dropped)
    with pytest.raises(UnknownDuel):
        tuner.tell(dropped, None)


@pytest.mark.quick
def test_what_a_tuner_cannot_take_is_one_sentence():
    tuner = Tuner(MIXED)
    inside = {"x": 0.1, "n": 1, "c": "a"}
    with pytest.raises(InvalidParameter, match=r"from 0 to 1\.$"):
        tuner.add(inside, {**inside, "x": 3}, None)
    with pytest.raises(InvalidParameter, match="the same"):
        tuner.add(inside, inside, None)
    with pytest.raises(InvalidParameter, match="a different space"):
        Tuner.load(tuner.dump(), LINE)
    with pytest.raises(InvalidParameter, match="constraint"):
        Tuner.load(tuner.dump())
    with pytest.raises(InvalidParameter, match="not a dumped tuner"):
        Tuner.load(tuner.dump()[:-20])
    arrays = read_arrays(tune(LINE, 3).dump())
    for name, wrong in (("counts", -1), ("places", 7.0), ("walkers", 1e9), ("v3", np.nan)):
        with pytest.raises(InvalidParameter, match="not a dumped tuner"):
            Tuner.load(pack_arrays({**arrays, name: np.full_like(arrays[name], wrong)}))
    for wrong in (-1, True, 10**30, 0.5):
        with pytest.raises(InvalidParameter):
            tuner.ask(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter):
        Tuner("x")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter):
        Tuner(LINE, seed=-1)


def test_an_old_vote_that_is_given_twice_over_does_not_break_the_fit():
    tuner = Tuner(LINE)
    for _ in range(300):
        tuner.add({"x": 0.2}, {"x": 0.9}, {"x": 0.2})
        tuner.add({"x": 0.2 + 1e-9}, {"x": 0.9}, {"x": 0.2 + 1e-9})
    assert np.isfinite(tuner.recommend().score)
    assert isinstance(tuner.ask(), Duel)


@pytest.mark.long
def test_it_finds_the_best_point_where_preferences_run_in_a_circle():
    voter = np.random.default_rng(0)
    tuner = Tuner(SQUARE, seed=0)
    for _ in range(100):
        duel = tuner.ask()
        x, z = (SQUARE.place(point) for point in duel[1:])
        tuner.tell(duel, duel.first if voter.random() < chance(x, z) else duel.second)
    assert score(BEST) > 0.99
    # The mean regret after 100 votes was measured at about .05; random pairs are at .1 or more then.
    assert score(SQUARE.place(tuner.recommend().point)) > 0.8
