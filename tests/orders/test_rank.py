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
def test_without_votes_or_with_one_each_nothing_is_told_apart(by):
    found = rank(np.zeros((3, 3)), by=by)
    assert len(found.tiers) == 1
    assert {(place.first, place.last) for place in found.places} == {(1, 3)}
    assert "yet" in found.sentence
    # One win each: an estimate without spread must not pass for a sure one.
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
    assert next(iter(told)) == "sentence" and len(told["assumptions"]) == 3
    assert told["sentence"].startswith("These counts are taken as independent votes;")
    assert "a is on top." in told["sentence"]
    assert "beats" not in told["places"][0]
    assert rank(WINS).to_dict()["places"][0]["beats"] == 4


def test_the_order_states_what_it_assumes_and_refuses_what_it_cannot_rank():
    said = rank(WINS, by="strength").assumptions
    assert (
        "This assumes that the votes did not decide which pairs were asked, or how often." in said
    )
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


def test_an_interval_without_an_end_is_none_in_json_and_infinite_otherwise():
    told = rank([[0, 9, 9], [3, 0, 5], [0, 0, 0]], by="strength").to_dict()
    ends = [(row["low"], row["high"]) for row in told["places"]]
    assert ends[2] == (None, None) and None not in ends[0]
    json.dumps(told, allow_nan=False)
    # One side won all votes: neither strength is bounded by them.
    found = rank([[0, 9], [0, 0]], by="strength")
    assert all(place.high - place.low == np.inf for place in found.places)


def draw_shared_cases(rng, systems=20, cases=500):
    """Equal systems, whose answers to each case have a quality: the better one of every two wins."""
    quality = rng.normal(size=(cases, systems))
    better = (quality[:, :, None] > quality[:, None, :]) & np.triu(np.ones((systems,) * 2, bool), 1)
    worse = (quality[:, :, None] < quality[:, None, :]) & np.triu(np.ones((systems,) * 2, bool), 1)
    places = [np.nonzero(better), np.nonzero(worse)]
    case, first, second = (np.concatenate(parts) for parts in zip(*places, strict=True))
    outcome = np.repeat([1.0, 0.0], [len(places[0][0]), len(places[1][0])])
    return better.sum(axis=0) + worse.sum(axis=0).T, Ballots(
        first, second, outcome, np.arange(len(case)), case
    )


def count_apart(found):
    """How many pairs are told apart."""
    return sum(len(found.places) - place.last for place in found.places)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["borda", "strength"])
def test_equal_systems_on_shared_cases_are_told_apart_only_where_cases_are_not_grouped(by):
    rng = np.random.default_rng(4)
    boards = [draw_shared_cases(rng) for _ in range(10)]
    assert sum(count_apart(rank(wins, by=by)) > 0 for wins, _ in boards) >= 8
    grouped = [rank(wins, by=by, ballots=ballots) for wins, ballots in boards]
    # Each may be wrong with 5 %: more than three of ten have a probability of 1 / 1000.
    assert sum(count_apart(one) > 0 for one in grouped) <= 3


def write_cases(path, wins, ballots, columns):
    """A file with a row for each vote."""
    names = {1.0: "left", 0.0: "right"}
    rows = [",".join(["left", "right", "outcome", *columns])]
    for i, j, y, case in zip(*ballots[:3], ballots.case, strict=True):
        rows.append(",".join([f"s{i}", f"s{j}", names[y], *[f"q{case}"] * len(columns)]))
    path.write_text("\n".join(rows))
    return path


@pytest.mark.parametrize("column", ["item", "voter", "question_id"])
def test_a_file_is_grouped_by_what_it_names(tmp_path, column):
    wins, ballots = draw_shared_cases(np.random.default_rng(5), 5, 60)
    path = write_cases(tmp_path / "votes.csv", wins, ballots, [column])
    found, alone = (
        rank(path, by="borda"),
        rank(wins, by="borda", labels=[f"s{i}" for i in range(5)]),
    )
    what = "voter" if column == "voter" else "case"
    assert found.sentence.startswith(f"Votes are grouped by {what}.")
    known = rank(wins, by="borda", labels=[f"s{i}" for i in range(5)], ballots=ballots)
    assert {place.name: place[2:] for place in found.places} == {
        place.name: pytest.approx(place[2:]) for place in known.places
    }
    assert repr(alone).startswith("<Ranking: These counts are taken as independent votes;")
    by_scores = rank(path).sentence
    assert by_scores.startswith(
        f"Votes are taken as independent of each other, those of one {what}"
    )


def test_a_file_that_names_neither_says_so_first(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("winner,loser\na,b\nb,a\n")
    for by in ORDERS:
        assert rank(path, by=by).sentence.startswith("The votes of this file are taken as indepen")


def test_voters_and_cases_count_together():
    """Each has an effect of its own, so that either alone shows too little of the spread."""
    rng = np.random.default_rng(6)
    voter, case = (each.ravel() for each in np.indices((30, 30)))
    lean = rng.normal(size=30)[voter] + rng.normal(size=30)[case]
    won = (rng.normal(size=900) < lean) * 1.0
    wins = np.array([[0, int(won.sum())], [int(900 - won.sum()), 0]])
    none = np.zeros(900, int)
    widths = {}
    for name, units in {"voter": (voter,), "case": (case,), "both": (voter, case)}.items():
        found = rank(wins, by="borda", ballots=Ballots(none, none + 1, won, *units), expected=30)
        widths[name] = found.places[0].high - found.places[0].low
    assert widths["both"] > 1.2 * max(widths["voter"], widths["case"])
