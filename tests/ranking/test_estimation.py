"""Estimates from clicks: against the enumeration, under every rule for ties, resumed and shared out."""

import numpy as np
import pytest

import copeland
from copeland import InvalidMatrix, InvalidParameter
from copeland.errors import UnknownName
from copeland.ranking import all_features, synthetic
from copeland.ranking.clicks import click_model, clicks_on
from copeland.ranking.collection import Collection
from copeland.ranking.estimation import Estimate, Protocol, estimate
from copeland.ranking.interleaving import credit, interleave, winner
from copeland.ranking.rankers import scores


def four_documents():
    """The case with known answers: rankings 0123 and 2031, grades 0, 2, 4, 1."""
    collection = Collection([0, 2, 4, 1], np.zeros((4, 1)), [0, 4])
    first = scores("0123", np.array([4.0, 3, 2, 1]))
    second = scores("2031", np.array([3.0, 1, 4, 2]))
    return collection, [first, second]


@pytest.mark.parametrize(("outcome", "p"), [("sign", 0.346224), ("expected", 0.380566)])
def test_a_known_case_is_estimated_within_its_standard_error(tmp_path, outcome, p):
    collection, rankers = four_documents()
    rules = Protocol(click_model("informational"), 400_000, outcome, length=3)
    found = estimate(collection, rankers, rules, tmp_path, seed=1)
    assert found.n[0, 1] == 400_000
    error = found.standard_errors()[0, 1]
    assert 0 < error < 0.001
    assert abs(found.probabilities()[0, 1] - p) < 4.5 * error


@pytest.fixture(scope="module")
def small_estimate(tmp_path_factory):
    collection = synthetic(queries=20, documents=12, features=6, seed=2)
    rankers = all_features(collection)[:3]  # of the others, some are the same twice
    rules = Protocol(click_model("informational"), comparisons=3000)
    folder = tmp_path_factory.mktemp("cells")
    return collection, rankers, rules, folder, estimate(collection, rankers, rules, folder, seed=3)


def test_counts_add_up_and_are_the_same_for_any_number_of_processes(small_estimate, tmp_path):
    found = small_estimate[-1]
    off = ~np.eye(len(found.labels), dtype=bool)
    assert (found.wins + found.wins.T + found.ties == found.n)[off].all()
    assert (found.n[off] == 3000).all()
    collection, rankers, rules, _, found = small_estimate
    other = estimate(collection, rankers, rules, tmp_path, seed=3, jobs=2)
    assert np.array_equal(found.wins, other.wins)
    assert np.array_equal(found.ties, other.ties)


def test_what_is_finished_is_not_done_again(small_estimate):
    collection, rankers, rules, folder, found = small_estimate
    seen = []
    again = estimate(
        collection, rankers, rules, folder, seed=3, progress=lambda *done: seen.append(done)
    )
    assert len(seen) == 1 and seen[0][0] == seen[0][1]
    assert np.array_equal(found.wins, again.wins)


def test_every_rule_for_ties_keeps_who_wins(small_estimate):
    found = small_estimate[-1]
    half, discard = found.probabilities("half"), found.probabilities("discard")
    decisive = found.n - found.ties
    clear = np.abs(half - 0.5) > 1e-9
    assert (np.sign(half - 0.5) == np.sign(discard - 0.5))[clear].all()
    i, j = 0, 1
    assert half[i, j] == (found.wins[i, j] + found.ties[i, j] / 2) / 3000
    assert discard[i, j] == found.wins[i, j] / decisive[i, j]
    coin = found.probabilities("coin", seed=1)
    assert np.abs(coin - half).max() < 0.05
    assert np.allclose(coin + coin.T, 1)


def test_an_estimate_is_a_matrix_file_too(small_estimate, tmp_path):
    found = small_estimate[-1]
    found.save(tmp_path / "m.npz")
    m = copeland.load(tmp_path / "m.npz")
    assert m.labels == found.labels
    assert np.array_equal(m.p, found.matrix().p)
    back = Estimate.load(tmp_path / "m.npz")
    assert np.array_equal(back.wins, found.wins) and back.outcome == "sign"


def test_rankers_that_are_the_same_tie_always_and_cannot_discard_it(tmp_path):
    collection, (first, _) = four_documents()
    twin = scores("twin", np.array([4.0, 3, 2, 1]))
    found = estimate(
        collection, [first, twin], Protocol(click_model("perfect"), 500, length=3), tmp_path
    )
    assert found.ties[0, 1] == 500
    assert found.probabilities()[0, 1] == 0.5
    with pytest.raises(InvalidMatrix, match="are ties"):
        found.probabilities("discard")


@pytest.mark.parametrize("bad", [{"comparisons": 0}, {"length": 0}])
def test_an_impossible_protocol_is_refused(bad):
    with pytest.raises(InvalidParameter):
        Protocol(click_model("informational"), **bad)


def test_what_cannot_be_estimated_is_refused(small_estimate, tmp_path):
    with pytest.raises(UnknownName, match="did you mean 'sign'"):
        Protocol(click_model("informational"), outcome="sing")
    with pytest.raises(InvalidParameter, match="did you mean 'half'"):
        small_estimate[-1].matrix(ties="halv")
    collection, rankers = four_documents()
    with pytest.raises(InvalidParameter, match="at least 2"):
        estimate(collection, rankers[:1], Protocol(click_model("perfect")), tmp_path)
    with pytest.raises(InvalidParameter, match="not expected"):
        Protocol(click_model("perfect"), outcome="expected", interleave="team-draft")


@pytest.mark.slow
def test_a_team_draft_favours_whom_its_lists_made_one_by_one_favour(tmp_path):
    collection, rankers = four_documents()
    model = click_model("informational")
    rules = Protocol(model, 200_000, length=3, interleave="team-draft")
    found = estimate(collection, rankers, rules, tmp_path, seed=1)
    rng = np.random.default_rng(2)
    n, score, ties = 20_000, 0.0, 0
    for _ in range(n):
        shown = interleave([[0, 1, 2, 3], [2, 0, 3, 1]], 3, rng, method="team-draft")
        clicks = clicks_on(model, [int(collection.grades[d]) for d in shown.documents], rng)
        best = winner(credit(shown, clicks))
        ties += best is None
        score += 0.5 if best is None else float(best == 0)
    error = np.hypot(0.5 / np.sqrt(n), found.standard_errors()[0, 1])
    assert abs(found.probabilities()[0, 1] - score / n) < 4.5 * error
    share = ties / n
    assert abs(found.ties[0, 1] / 200_000 - share) < 4.5 * np.sqrt(share * (1 - share) / n)
