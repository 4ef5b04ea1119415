"""Adaptive estimates: fewer comparisons, the same winners, and counts that nothing else changes."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from copeland import InvalidParameter
from copeland.cli import app
from copeland.ranking import all_features, synthetic
from copeland.ranking.adaptive import estimate_adaptively, pairs_that_matter
from copeland.ranking.clicks import click_model
from copeland.ranking.collection import Collection
from copeland.ranking.estimation import Estimate, PairsTask, Protocol, all_pairs, estimate, tally
from copeland.ranking.rankers import scores
from copeland.theory import winners

pytestmark = pytest.mark.slow  # left out of `make fast`

QUERIES = 20
BUDGET = 8000


def count_comparisons(adaptive_estimate):
    return int(adaptive_estimate.n.sum()) // 2


@pytest.fixture(scope="module")
def comparison():
    collection = synthetic(queries=QUERIES, documents=12, features=10, seed=2)
    return collection, all_features(collection), Protocol(click_model("informational"), BUDGET)


@pytest.fixture(scope="module")
def rounds_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rounds")


@pytest.fixture(scope="module")
def adaptive_estimate(comparison, rounds_folder):
    return estimate_adaptively(*comparison, rounds_folder, seed=3)


def test_it_names_the_winners_of_a_large_estimate_with_fewer_comparisons(
    comparison, adaptive_estimate, tmp_path
):
    collection, rankers, _ = comparison
    plenty = Protocol(click_model("informational"), 10 * BUDGET)
    large = estimate(collection, rankers, plenty, tmp_path, seed=4).matrix()
    best = winners.copeland_winners(large)
    assert np.array_equal(winners.copeland_winners(adaptive_estimate.matrix()), best)
    assert count_comparisons(adaptive_estimate) < 0.6 * BUDGET * len(all_pairs(len(rankers)))


@pytest.mark.quick
def test_pairs_get_unequal_numbers_in_whole_passes_over_the_queries(adaptive_estimate):
    off = ~np.eye(len(adaptive_estimate.labels), dtype=bool)
    assert adaptive_estimate.n[off].min() < adaptive_estimate.n[off].max() <= BUDGET + 16 * QUERIES
    assert (adaptive_estimate.n % QUERIES == 0).all()
    assert (
        adaptive_estimate.wins + adaptive_estimate.wins.T + adaptive_estimate.ties
        == adaptive_estimate.n
    )[off].all()


def test_the_counts_do_not_depend_on_the_number_of_processes(
    comparison, adaptive_estimate, tmp_path
):
    other = estimate_adaptively(*comparison, tmp_path, seed=3, jobs=2)
    for name in ("wins", "ties", "n", "lead", "spread"):
        assert np.array_equal(getattr(other, name), getattr(adaptive_estimate, name)), name


def test_finished_rounds_are_not_made_again(
    comparison, adaptive_estimate, rounds_folder, monkeypatch
):
    monkeypatch.setattr(PairsTask, "run", lambda task: pytest.fail("made again"))
    told = []
    again = estimate_adaptively(
        *comparison, rounds_folder, seed=3, progress=lambda *done: told.append(done)
    )
    assert np.array_equal(again.wins, adaptive_estimate.wins)
    assert told[-1] == (
        count_comparisons(adaptive_estimate),
        BUDGET * len(all_pairs(len(adaptive_estimate.labels))),
    )
    assert told == sorted(told)


def test_a_stopped_run_goes_on_to_the_same_counts(
    comparison, adaptive_estimate, tmp_path, monkeypatch
):
    def stop(task):
        if task.round == 2:
            raise KeyboardInterrupt
        return run(task)

    run = PairsTask.run
    with monkeypatch.context() as patch:
        patch.setattr(PairsTask, "run", stop)
        with pytest.raises(KeyboardInterrupt):
            estimate_adaptively(*comparison, tmp_path, seed=3)
    assert np.array_equal(
        estimate_adaptively(*comparison, tmp_path, seed=3).wins, adaptive_estimate.wins
    )


def test_the_first_round_is_a_small_plain_estimate(comparison, tmp_path):
    collection, rankers, rules = comparison
    first = estimate_adaptively(*comparison, tmp_path / "a", seed=3, rounds=1)
    plain = estimate(
        collection, rankers, Protocol(rules.clicks, BUDGET // 16), tmp_path / "b", seed=3
    )
    assert np.array_equal(first.wins, plain.wins) and np.array_equal(first.n, plain.n)


def test_standard_errors_follow_the_number_of_comparisons_of_each_pair(adaptive_estimate, tmp_path):
    counts = np.array([[600, 400, 0], [6, 4, 0], [30, 10, 60]])
    sums = np.stack([counts[:, 0] - counts[:, 1], counts[:, 0] + counts[:, 1]], axis=1)
    uneven = tally("abc", "sign", all_pairs(3), counts, sums.astype(float))
    p, errors = uneven.probabilities(), uneven.standard_errors()
    assert p[0, 1] == p[0, 2] == 0.6
    assert np.isclose(errors[0, 1], np.sqrt(0.24 / 1000))
    assert np.isclose(errors[0, 2], np.sqrt(0.24 / 10))
    assert np.isclose(errors[1, 2], np.sqrt((0.3 + 0.6 / 4 - 0.6**2) / 100))
    adaptive_estimate.save(tmp_path / "m.npz")
    assert np.array_equal(Estimate.load(tmp_path / "m.npz").n, adaptive_estimate.n)


def test_the_budget_is_not_exceeded(comparison, tmp_path):
    collection, rankers, _ = comparison
    rules = Protocol(click_model("random"), 640)
    adaptive_estimate = estimate_adaptively(collection, rankers[:4], rules, tmp_path, rounds=30)
    assert 0.9 * 6 * 640 < count_comparisons(adaptive_estimate) <= 6 * 640
    rules = Protocol(click_model("informational"), QUERIES - 5)
    adaptive_estimate = estimate_adaptively(collection, rankers[:3], rules, tmp_path)
    assert count_comparisons(adaptive_estimate) == 3 * (QUERIES - 5)


@pytest.mark.parametrize("outcome", ["sign", "naive", "expected"])
def test_rankers_that_are_the_same_are_not_compared_for_ever(tmp_path, outcome):
    collection = Collection([0, 2, 4, 1], np.zeros((4, 1)), [0, 4])
    twins = [scores(name, np.array([4.0, 3, 2, 1])) for name in ("one", "two")]
    rules = Protocol(click_model("perfect"), 1600, outcome, length=3)
    adaptive_estimate = estimate_adaptively(collection, twins, rules, tmp_path)
    assert adaptive_estimate.n[0, 1] == 100


def beaten(*rows, n=1000):
    """An estimate in which each pair's first won so many of n comparisons."""
    k = next(k for k in range(2, 9) if len(all_pairs(k)) == len(rows))
    counts = np.array([[won, n - won, 0] for won in rows])
    sums = np.array([[2.0 * won - n, n] for won in rows])
    return tally([f"o{i}" for i in range(k)], "sign", all_pairs(k), counts, sums)


def test_open_pairs_matter_to_contenders_alone():
    # 0 beats all; 1, 2 and 3 are not told apart.
    adaptive_estimate = beaten(900, 900, 900, 500, 500, 500)
    assert not pairs_that_matter(adaptive_estimate).any()
    # 0 and 1 beat 2 and 3 and are not told apart; neither are 2 and 3.
    matters = pairs_that_matter(beaten(505, 1000, 1000, 1000, 1000, 500))
    assert matters[0, 1] and matters[1, 0] and not matters[2, 3]
    assert not matters.diagonal().any()
    # 0 beats everybody, but 1 may have the higher Borda score by its pairs with 2 and 3.
    matters = pairs_that_matter(beaten(600, 700, 700, 800, 800, 500))
    assert matters[0].tolist() == [False, True, True, True]
    assert matters[1, 2] and not matters[2, 3]
    same = np.eye(3, dtype=bool)
    same[0, 1] = same[1, 0] = True
    assert not pairs_that_matter(beaten(500, 900, 900), same).any()
    assert pairs_that_matter(beaten(500, 900, 900)).any()


@pytest.mark.parametrize("n", [1, 8])
def test_a_few_comparisons_settle_nothing(n):
    assert pairs_that_matter(beaten(n, n=n))[0, 1]


def test_no_round_is_too_few(comparison, tmp_path):
    with pytest.raises(InvalidParameter, match="at least 1"):
        estimate_adaptively(*comparison, tmp_path, rounds=0)


def test_the_command_says_what_it_spent(tmp_path):
    collection = synthetic(queries=8, documents=8, features=5, seed=1)
    lines = [
        f"{collection.grades[d]} qid:{q + 1} "
        + " ".join(f"{f + 1}:{value}" for f, value in enumerate(collection.features[d]))
        for q in range(8)
        for d in range(collection.offsets[q], collection.offsets[q + 1])
    ]
    (tmp_path / "train.txt").write_text("\n".join(lines) + "\n")
    out = str(tmp_path / "m.npz")
    args = ["rankers", "estimate", str(tmp_path / "train.txt"), "--out", out, "--comparisons"]
    answer = CliRunner().invoke(app, [*args, "1600", "--adaptive", "--json"])
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    assert told["comparisons_in_all"] == count_comparisons(Estimate.load(out)) <= 16000
    assert told["share_of_the_full_budget"] == round(told["comparisons_in_all"] / 16000, 4)
