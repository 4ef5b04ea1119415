"""Documents with equal scores: ordered once, for each list, or again before the clicks are credited."""

import itertools
import math

import numpy as np
import pytest
from helpers import kept

from copeland.errors import InvalidParameter, UnknownName
from copeland.ranking import Collection, estimation, letor
from copeland.ranking.clicks import click_distribution, click_model
from copeland.ranking.comparison_arrays import (
    DRAFTED,
    EXPECTED,
    NAIVE,
    SCORE_TIES,
    SIGN,
    click_world,
)
from copeland.ranking.estimation import Protocol, all_pairs, estimate
from copeland.ranking.interleaved_comparison import compare_many, compare_once, sign_of
from copeland.ranking.interleaving_methods import marginal_credit
from copeland.ranking.rankers import all_features, rankings, ranks, tie_starts

pytestmark = pytest.mark.slow  # left out of `make fast`

TAU = 3.0
LENGTH = 3
MODEL = click_model("informational")
GRADES = (0, 4, 1, 2)

# Scores of four documents by two rankers.
CASES = {
    "no ties": ((4, 3, 2, 1), (1, 3, 2, 4)),
    "one side": ((1, 1, 1, 1), (4, 1, 3, 2)),
    "groups": ((2, 2, 1, 1), (3, 1, 3, 3)),
    "identical": ((2, 2, 2, 1), (2, 2, 2, 1)),
}


def orders_of(scores):
    """Every order of the documents by score, one for each way to break the ties."""
    found = {
        tuple(sorted(range(len(scores)), key=lambda d: (-scores[d], keys[d])))
        for keys in itertools.permutations(range(len(scores)))
    }
    return sorted(found)


def drawing(two_orders, documents):
    """For each position: the chances that the first ranker, and that the second, draw what is there."""
    left = set(range(len(GRADES)))
    chances = []
    for document in documents:
        weights = [{d: (order.index(d) + 1) ** -TAU for d in left} for order in two_orders]
        chances.append([0.5 * w[document] / sum(w.values()) for w in weights])
        left.remove(document)
    return np.array(chances)


def enumerated(scores, mode, outcome):
    """The mean outcome of the first ranker, and of its square, over ties, lists, clicks and assignments."""
    both = list(itertools.product(*map(orders_of, scores)))
    mean = square = 0.0
    for documents in itertools.permutations(range(len(GRADES)), LENGTH):
        drawn = [drawing(orders, documents) for orders in both]
        made = [chances.sum(axis=1).prod() / len(both) for chances in drawn]
        for clicks, p in click_distribution(MODEL, [GRADES[d] for d in documents]).items():
            leads = [lead_of(chances, np.array(clicks), outcome) for chances in drawn]
            if mode == "rebroken":
                found = [(sum(made) * p / len(both), lead) for lead in leads]
            else:
                found = [(chance * p, lead) for chance, lead in zip(made, leads, strict=True)]
            mean += sum(chance * lead for chance, lead in found)
            square += sum(chance * lead**2 for chance, lead in found)
    return mean, square


def lead_of(chances, clicked, outcome):
    ours, theirs = marginal_credit((chances[:, 0] / chances.sum(axis=1))[clicked])
    return sign_of(ours - theirs) if outcome == SIGN else ours - theirs


def collection_of(scores):
    """The documents as the second of two queries, so that the offset counts."""
    features = np.array(scores, float).T
    return Collection((0, 1, *GRADES), np.vstack([[[9, 9]] * 2, features]), offsets=[0, 2, 6])


def world_of(scores, mode, outcome):
    made = collection_of(scores)
    rankers = all_features(made)
    orders = rankings(made, rankers)
    return click_world(
        *(orders, ranks(orders, made.offsets), made.grades, made.offsets, MODEL),
        *(outcome, LENGTH, TAU, tie_starts(made, rankers, orders), SCORE_TIES[mode]),
    )


def run(world, times, seed=0, twin=kept):
    counts, sums = np.zeros(3, np.int64), np.zeros(2)
    twin(compare_many)(world, 0, 1, 1, times, counts, sums, np.random.default_rng(seed))
    return counts, sums


@pytest.mark.sampled(5)
@pytest.mark.parametrize("mode", ["fresh", "rebroken"])
@pytest.mark.parametrize("outcome", [SIGN, EXPECTED])
@pytest.mark.parametrize("case", CASES)
def test_the_kernel_is_the_enumeration(case, outcome, mode):
    mean, square = enumerated(CASES[case], mode, outcome)
    n = 200_000
    _, sums = run(world_of(CASES[case], mode, outcome), n)
    if outcome == EXPECTED:  # the enumeration has the clicks' variance too
        assert sums[1] / n <= square + 1e-9
    assert abs(sums[0] / n - mean) <= 5 * math.sqrt(max(square - mean**2, 1e-12) / n)


def test_without_ties_all_modes_are_one():
    counts = [run(world_of(CASES["no ties"], mode, SIGN), 2_000)[0] for mode in SCORE_TIES]
    assert np.array_equal(counts[0], counts[1])
    mean = [enumerated(CASES["no ties"], mode, SIGN)[0] for mode in ("fresh", "rebroken")]
    assert mean[0] == pytest.approx(mean[1], abs=1e-12)


@pytest.mark.quick
def test_ties_broken_again_cost_whoever_has_them_credit():
    """The second ranker orders every document; the first knows nothing, and loses by the way it is counted."""
    fresh, rebroken = (enumerated(CASES["one side"], m, SIGN)[0] for m in ("fresh", "rebroken"))
    assert rebroken < fresh - 0.05


@pytest.mark.parametrize("mode", ["fresh", "rebroken"])
def test_identical_rankers_win_equally_often(mode):
    mean, square = enumerated(CASES["identical"], mode, SIGN)
    assert mean == pytest.approx(0, abs=1e-12)
    counts, _ = run(world_of(CASES["identical"], mode, SIGN), 50_000)
    won = counts[:2].sum()
    assert abs(counts[0] - won / 2) <= 5 * math.sqrt(won) / 2
    assert won / 50_000 == pytest.approx(square, abs=0.02) and square > 0  # by chance alone


@pytest.mark.parametrize("outcome", [SIGN, NAIVE, EXPECTED, DRAFTED])
def test_a_list_leaves_nothing_behind(outcome):
    for mode in ("fresh", "rebroken") if outcome in (SIGN, EXPECTED) else ("fresh",):
        world = world_of(CASES["groups"], mode, outcome)
        alone = [compare_once(world, 0, 1, 1, np.random.default_rng(s)) for s in range(40)]
        turned = [
            compare_once(world, 0, 1, 1, np.random.default_rng(s)) for s in reversed(range(40))
        ]
        assert alone == turned[::-1]
        counts, sums = run(world, 300), run(world, 300, twin=lambda kernel: kernel)
        assert np.array_equal(counts[0], sums[0]) and np.allclose(counts[1], sums[1], atol=1e-9)


def test_a_fresh_team_draft_is_the_mean_over_orders():
    """Over all ways to break the ties, each drafted as if it were frozen."""
    both = list(itertools.product(*map(orders_of, CASES["groups"])))
    n, means = 40_000, []
    for orders in both:
        scores = [[len(GRADES) - order.index(d) for d in range(len(GRADES))] for order in orders]
        means.append(run(world_of(scores, "frozen", DRAFTED), n, seed=1)[1][0] / n)
    _, sums = run(world_of(CASES["groups"], "fresh", DRAFTED), n)
    error = math.sqrt(1 / n + 1 / (n * len(both)))  # an outcome is at most 1
    assert abs(sums[0] / n - np.mean(means)) <= 5 * error


def test_an_estimate_takes_the_mode_and_does_not_depend_on_who_computes_it(tmp_path):
    made = collection_of(CASES["groups"])
    found = {}
    for mode in SCORE_TIES:
        how = Protocol(MODEL, 4_000, score_ties=mode, length=LENGTH)
        found[mode] = estimate(made, all_features(made), how, tmp_path / mode)
        again = estimate(made, all_features(made), how, tmp_path / f"{mode} again", jobs=2)
        assert np.array_equal(found[mode].wins, again.wins)
    assert len({tuple(e.wins.ravel()) for e in found.values()}) == 3
    assert all_pairs(2) == [(0, 1)]


def test_bad_modes():
    with pytest.raises(UnknownName, match="did you mean 'rebroken'"):
        Protocol(MODEL, score_ties="rebroke")
    with pytest.raises(InvalidParameter, match="use fresh instead"):
        Protocol(MODEL, outcome="naive", score_ties="rebroken")
    with pytest.raises(InvalidParameter, match="use fresh instead"):
        Protocol(MODEL, interleave="team-draft", score_ties="rebroken")


def test_the_papers_matrix_comes_from_ties_that_are_broken_again(data, real_matrix):
    made = letor.load(data / "letor" / "mslr_fold1_train_5k.txt")
    paper = real_matrix("mslr_informational_136").p
    pairs = all_pairs(136)
    some = [pairs[i] for i in np.random.default_rng(0).choice(len(pairs), 200, replace=False)]
    theirs = [paper[pair] for pair in some]
    found = {}
    for mode in SCORE_TIES:
        rules = Protocol(MODEL, 600, score_ties=mode)
        world = estimation.world_of(made, all_features(made), rules, 0)
        won, _, tied = estimation.PairsTask(world, rules, tuple(some), 0).run()["counts"].T
        found[mode] = np.corrcoef((won + tied / 2) / 600, theirs)[0, 1]
    assert found["rebroken"] > 0.97
    assert max(found["frozen"], found["fresh"]) < 0.4
