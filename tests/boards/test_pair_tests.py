"""The two tests of a finished table, held against plain versions of themselves."""

from itertools import product

import numpy as np
import pytest

from copeland.boards import board
from copeland.boards.pair_tests import compare_pairs, step_down
from tests.people_log import most_wrong


def plain_step_down(t, drawn, are_all):
    """Romano and Wolf 2005, word for word: each pair against the largest of those that are no further apart."""
    levels = np.empty(len(t))
    for pair, own in enumerate(t):
        others = [k for k in range(len(t)) if t[k] < own or k == pair or t[k] == own]
        reached = sum(max(draw[others]) >= own * (1 - 1e-5) for draw in drawn)
        levels[pair] = reached / len(drawn) if are_all else (1 + reached) / (1 + len(drawn))
    return np.array([max(levels[t >= own]) for own in t])


def plain_flips(sums):
    """The level of each pair by all signs of the clusters, one after the other."""
    systems, clusters = sums.shape
    pairs = [(i, j) for i in range(systems) for j in range(i + 1, systems)]
    d = np.array([sums[i] - sums[j] for i, j in pairs])
    spread = np.sqrt((d * d).sum(axis=1))
    t = np.abs(d.sum(axis=1)) / spread
    drawn = [np.abs(d @ signs) / spread for signs in product((1, -1), repeat=clusters)]
    return plain_step_down(t, np.array(drawn), are_all=True)


@pytest.mark.parametrize("seed", range(5))
def test_with_few_clusters_flips_are_those_of_all_signs(seed):
    rng = np.random.default_rng(seed)
    sums = rng.normal(size=(4, 7)) + np.arange(4)[:, None]
    found = compare_pairs(
        lambda i, j: sums[i] - sums[j], systems=4, clusters=7, delta=0.05, draws=50, rng=rng
    )
    assert np.allclose(found.flips, plain_flips(sums), atol=2 / 2**7)
    assert (found.level >= found.flips).all()


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_steps_are_the_plain_ones_however_pairs_are_split(block, monkeypatch):
    monkeypatch.setattr("copeland.boards.pair_tests._BLOCK", block * 200)
    rng = np.random.default_rng(1)
    t, drawn = rng.gamma(2.0, size=15), rng.gamma(1.0, size=(200, 15))
    found, largest = step_down(t, lambda pairs: drawn[:, pairs].copy(), 20, 200)
    assert np.allclose(found, plain_step_down(t, drawn, are_all=False))
    assert np.allclose(largest, drawn.max(axis=1))


def test_the_bootstrap_divides_each_sample_by_its_own_error():
    rng = np.random.default_rng(3)
    sums = rng.normal(size=(3, 30)) + np.array([[0.0], [0.5], [1.0]])
    found = compare_pairs(
        lambda i, j: sums[i] - sums[j],
        systems=3,
        clusters=30,
        delta=0.05,
        draws=4000,
        rng=np.random.default_rng(7),
    )
    pairs = [(0, 1), (0, 2), (1, 2)]
    d = np.array([sums[i] - sums[j] for i, j in pairs])
    t = np.abs(d.mean(axis=1)) / d.std(axis=1)
    own, drawn = np.random.default_rng(8), []
    for _ in range(4000):
        sample = d[:, own.integers(30, size=30)]
        drawn.append(np.abs(sample.mean(axis=1) - d.mean(axis=1)) / sample.std(axis=1))
    expected = plain_step_down(t, np.array(drawn), are_all=False)
    assert np.abs(found.bootstrap - expected).max() < 5 * np.sqrt(0.25 / 4000)


def test_pairs_that_never_differ_or_always_by_the_same_are_told_by_flips():
    sums = np.vstack([np.ones(20), np.ones(20), np.zeros(20)])
    found = compare_pairs(
        lambda i, j: sums[i] - sums[j],
        systems=3,
        clusters=20,
        delta=0.05,
        draws=999,
        rng=np.random.default_rng(0),
    )
    assert found.level[0] == 1.0 and (found.level[1:] < 0.01).all()


SETTINGS = {  # what each system scores on the cases of a cluster, where all are equal
    "pass and fail": lambda rng, k: (rng.random((k, 60)) < 0.6).astype(float),
    "shared luck": lambda rng, k: (
        rng.random((k, 60)) < np.clip(rng.normal(0.5, 0.3, 60), 0, 1)
    ).astype(float),
    "real scores": lambda rng, k: rng.beta(0.5, 0.5, size=(k, 60)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_equal_systems_are_told_apart_as_rarely_as_promised(name):
    boards, wrong = 100, 0
    for seed in range(boards):
        scores = SETTINGS[name](np.random.default_rng(seed), 8)
        wrong += board({f"{i}": row for i, row in enumerate(scores)}, seed=seed).pairs_apart > 0
    assert wrong <= most_wrong(boards)


@pytest.mark.slow
def test_runs_of_a_case_that_agree_are_no_further_evidence():
    boards, by_cluster, by_case = 100, 0, 0
    for seed in range(boards):
        rng = np.random.default_rng(seed)
        tasks = (rng.random((4, 50)) < 0.5).astype(float)
        rows = [
            {
                "system": f"{i}",
                "case": f"{task} {run}",
                "score": tasks[i, task],
                "cluster": f"{task}",
            }
            for i, task, run in product(range(4), range(50), range(5))
        ]
        by_cluster += board(rows, seed=seed).pairs_apart > 0
        bare = [{name: row[name] for name in ("system", "case", "score")} for row in rows]
        by_case += board(bare, seed=seed).pairs_apart > 0
    assert by_cluster <= most_wrong(boards) < by_case
