"""Options in order: places, tiers and what they rest on."""

import json

import numpy as np
import pytest
from board_votes import STRENGTHS, draw_counts, read_arena

import copeland
from copeland.errors import InvalidParameter
from copeland.orders import ORDERS, rank
from copeland.orders.option_estimates import Ballots
from copeland.orders.rank import cut_tiers

WINS, TIES = draw_counts(STRENGTHS, 20_000, 0.1)


@pytest.mark.parametrize("by", ORDERS)
def test_the_order_is_that_of_the_truth_and_intervals_hold_it(by):
    found = copeland.rank(WINS, TIES, by=by, labels="abcde")
    assert [place.name for place in found.places] == list("abcde")
    assert all(place.low <= place.value <= place.high for place in found.places)
    assert all(place.first <= n <= place.last for n, place in enumerate(found.places, 1))
    assert found.tiers[0] == ("a",) and found.tiers[-1] == ("e",)


def test_strengths_lie_in_their_intervals_and_tiers_end_where_all_differ():
    found = rank(WINS, by="strength")
    for place, true in zip(found.places, STRENGTHS - STRENGTHS.mean(), strict=True):
        assert place.low < true < place.high and place.strength == place.value
    above = np.zeros((4, 4), bool)
    above[0, 2:] = above[1, 2:] = True
    above[2, 3] = True
    assert cut_tiers(above, np.arange(4)) == [1, 1, 2, 3]
    above[1, 3] = False
    assert cut_tiers(above, np.arange(4)) == [1, 1, 1, 1]


@pytest.mark.parametrize("by", ORDERS)
def test_without_votes_nothing_is_told_apart(by):
    found = rank(np.zeros((3, 3)), by=by)
    assert len(found.tiers) == 1
    assert {(place.first, place.last) for place in found.places} == {(1, 3)}
    assert "yet" in found.sentence


@pytest.mark.parametrize("by", ORDERS)
def test_every_single_vote_early_on_tells_nobody_apart(by):
    """One win each: an estimate without spread must not pass for a sure one."""
    found = rank([[0, 1, 1], [0, 0, 1], [0, 0, 0]], by=by)
    assert len(found.tiers) == 1


@pytest.mark.parametrize("by", ["borda", "strength"])
def test_two_voters_tell_nobody_apart_however_many_votes_they_give(by):
    """The votes of two voters differ in one direction alone: in all others they seem to have no spread."""
    rng, k, each = np.random.default_rng(0), 8, 100
    first = rng.integers(k, size=2 * each)
    second = (first + 1 + rng.integers(k - 1, size=2 * each)) % k
    said = (rng.random(2 * each) < 0.5).astype(float)
    wins = np.zeros((k, k), int)
    np.add.at(wins, (np.where(said, first, second), np.where(said, second, first)), 1)
    ballots = Ballots(first, second, said, np.repeat([0, 1], each))
    found = rank(wins, by=by, ballots=ballots, expected=2)
    assert {(place.first, place.last) for place in found.places} == {(1, k)}


def test_json_has_names_ranks_and_the_sentence():
    told = rank(WINS, by="borda", labels="abcde").to_dict()
    assert told["by"] == "borda" and told["places"][0]["name"] == "a"
    assert told["sentence"].startswith("a is on top.") and len(told["assumptions"]) == 3
    assert "beats" not in told["places"][0]
    assert rank(WINS).to_dict()["places"][0]["beats"] == 4


def test_counts_do_not_say_who_chose_the_pairs_so_the_order_states_what_it_assumes():
    said = rank(WINS, by="strength").assumptions
    assert (
        "This assumes that the votes did not decide which pairs were asked, or how often." in said
    )


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(InvalidParameter, match="'copeland', 'borda' or 'strength'"):
        rank(WINS, by="elo")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="delta"):
        rank(WINS, by="borda", delta=2)


def test_a_thin_board_is_not_sorted_by_raw_wins():
    """A mediocre option that met only the weakest has the most wins per vote, and does not come first."""
    strengths = np.linspace(2, -2, 12)
    wins, _ = draw_counts(strengths, 4_000, seed=3)
    wins[6, :] = wins[:, 6] = 0
    wins[6, 9:], wins[9:, 6] = 100, 20
    shares = wins.sum(axis=1) / (wins + wins.T).sum(axis=1)
    assert shares.argmax() in (0, 6) and shares[6] > shares[1]
    for by in ("borda", "strength"):
        order = [int(place.name) for place in rank(wins, by=by).places]
        assert order.index(6) > 3


@pytest.mark.slow
def test_real_votes_on_language_models(data):
    names, wins, ties = read_arena(data)
    found = rank(wins, ties, by="strength", labels=names)
    assert found.tiers[0] == ("gpt-4",)
    told_apart = sum(len(names) - place.last for place in found.places)
    assert told_apart >= 150 and len(found.tiers) >= 4


def test_an_interval_without_an_end_has_none_in_json():
    told = rank([[0, 9, 9], [3, 0, 5], [0, 0, 0]], by="strength").to_dict()
    ends = [(row["low"], row["high"]) for row in told["places"]]
    assert ends[2] == (None, None) and None not in ends[0]
    json.dumps(told, allow_nan=False)


def test_options_that_only_regularisation_bounds_have_no_interval():
    """One side won all votes: neither strength is bounded by them."""
    found = rank([[0, 9], [0, 0]], by="strength")
    assert all(place.high - place.low == np.inf for place in found.places)
