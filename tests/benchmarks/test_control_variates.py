"""The measurement of judges that count: it weighs votes as certificates do."""

import numpy as np
import pytest

from benchmarks import control_variates as measured
from copeland.certificate.certificate import certify
from copeland.certificate.control_judge import ControlJudge, turn_tables


def judge_of(watch, run):
    """The judge and the votes of one run, as a certificate takes them."""
    k, mean = watch.problem.k, watch.draws[0].mean
    tables = np.zeros((k, k, 5, 3), np.int64)
    wins = np.zeros((k, k), np.int64)
    for pair, (i, j) in enumerate(watch.pairs):
        tables[i, j] = watch.tables[run, pair].reshape(5, 3)
        wins[i, j], wins[j, i] = round(1000 * mean), round(1000 * (1 - mean))
    tables += turn_tables(tables).swapaxes(0, 1)
    counts = tables.sum(axis=3)
    return counts[:, :, 0], counts[:, :, 1], ControlJudge("judge", 1000, wins, tables)


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_what_it_finds_is_what_a_certificate_says(margin):
    shares = measured.agree(0.7, 0.9, 0.0)
    problem = measured.Problem("three", shares, 3, 60, margin)
    watch = measured.Watch(problem, 3, np.random.default_rng(1))
    for _ in range(150):
        watch.step("U")
    assert watch.claimed.any()
    for run in range(3):
        wins, ties, control = judge_of(watch, run)
        found = certify(wins, ties, control=control, margin=margin)
        beats = (watch.found >= watch.level).all(axis=0)[run]
        claims = {pair for n, pair in enumerate(watch.pairs) if beats[n, 0]}
        claims |= {pair[::-1] for n, pair in enumerate(watch.pairs) if beats[n, 1]}
        if margin > 0:
            assert claims == set(found.beats)
        else:  # one that beats every other has all its pairs
            assert claims <= set(found.beats)


def test_shares_add_up_and_the_judge_agrees_as_often_as_told():
    shares = measured.agree(0.6, 0.8, 0.2)
    assert shares.sum() == pytest.approx(1)
    assert measured.Problem("two", shares).p == pytest.approx(0.6)
    assert np.trace(shares[:3]) == pytest.approx(0.8)
    skipped = measured.skip_where_judged(0.5, 0.5)
    assert (skipped.sum(), skipped[3].sum()) == pytest.approx((1, 0.25))
    assert measured.Problem("two", skipped).p == pytest.approx(0.5)


@pytest.mark.slow
def test_a_good_judge_saves_votes_and_a_useless_one_costs_few():
    rng = np.random.default_rng(2)
    ratios = []
    for agreement in (0.5, 0.88):
        votes = measured.count_votes_to_proof(measured.agree(0.6, agreement), 1_500, 60, rng)
        ratios.append(measured.compare_votes(*votes))
    useless, good = ratios
    assert useless.ratio - 3 * useless.error < 1.1
    assert good.ratio + 3 * good.error < 0.75


@pytest.mark.slow
def test_real_votes_are_read_from_the_view_of_the_better(data):
    apart = measured.arena_tables(data, "gpt4", (0.1, 0.5))
    shares = [table.sum(axis=1)[:2] @ [1, 0.5] / table.sum() for table in apart]
    assert len(apart) > 50
    assert min(shares) >= 0.6
    assert np.mean([measured.correlate(table) for table in apart]) == pytest.approx(0.3, abs=0.03)
