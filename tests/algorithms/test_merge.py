"""mergeRUCB and MergeDTS against their rules read literally, step by step, and their parts by hand."""

import math

import numpy as np
import pytest

import copeland
from copeland.algorithms.batches import (
    MERGE_DTS,
    MERGE_RUCB,
    cut,
    drop_beaten,
    join_next,
    log_with_shift,
    merge,
    new_batches,
    new_counts,
    options_left,
)

pytestmark = pytest.mark.slow  # the oracles of rivals are left out of `make fast`


def partition(batches):
    """The batches as a list of sets."""
    return [
        {i for i, b in enumerate(batches.batch.tolist()) if b == number}
        for number in range(batches.n[0])
    ]


def batches_of(sizes, p):
    """Batches of these sizes, the options in order."""
    batches = new_batches(sum(sizes), p)
    cut(batches, np.random.default_rng(0))
    batches.batch[:] = np.repeat(np.arange(len(sizes)), sizes)
    batches.members[:] = np.arange(sum(sizes))
    batches.start[: len(sizes) + 1] = np.concatenate([[0], np.cumsum(sizes)])
    batches.n[0] = len(sizes)
    return batches


def merged_sizes(sizes, p):
    """The merge, on sizes alone: smallest with largest, moving inwards."""
    queue, merged = sorted(sizes), []
    while queue:
        largest = queue.pop()
        if queue and largest + queue[0] <= 1.5 * p:
            largest += queue.pop(0)
        merged.append(largest)
    return merged


def sizes_after_a_stage(sizes, p):
    sizes = merged_sizes(sizes, p)
    return merged_sizes(sizes, p) if min(sizes) <= p / 2 else sizes


def upper(wins, i, j, spread):
    n = wins[i, j] + wins[j, i]
    return wins[i, j] / n + math.sqrt(spread / n) if n else math.inf


def ordered(k):
    """Everyone beats all that come later, at .9."""
    p = np.full((k, k), 0.5)
    p[np.triu_indices(k, 1)] = 0.9
    p[np.tril_indices(k, -1)] = 0.1
    return copeland.PreferenceMatrix(p)


def run(module, matrix, steps, seed, **params):
    """Yield (t, batches before, state after `advance`, pair, wins before the duel)."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    state = module.init(matrix.k, **params)
    for t in range(1, steps + 1):
        before, stage = partition(state.batches), int(state.batches.stage[0])
        module.advance(state, t, rng)
        first, second = (int(x) for x in module.select(state, t, rng))
        yield t, before, stage, state, first, second
        if first != second:
            first_wins = noise.random() < matrix.p[first, second]
            module.update(state, *((first, second) if first_wins else (second, first)), rng)


def check_structure(before, stage, state, spread, k, p, joins):
    """Check what a step did to the batches; return whether they were merged."""
    after, wins = partition(state.batches), state.counts.wins
    left = sum(map(len, before))
    over = len(before) > 1 and left <= k // 2**stage + 1
    assert state.batches.stage[0] == stage + over
    dropped = set().union(*before) - set().union(*after)
    for i in dropped:
        mates = set().union(*before) if over or joins else next(b for b in before if i in b)
        assert any(upper(wins, i, j, spread) < 0.5 for j in mates - {i})
    if over and not dropped and not joins:
        assert sorted(map(len, after)) == sorted(sizes_after_a_stage(map(len, before), p))
    if not over and not joins:
        assert after == [batch - dropped for batch in before]
    visited = after[state.turn[0]]
    assert not any(upper(wins, i, j, spread) < 0.5 for i in visited for j in visited - {i})
    return over


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("k", "p", "seed"), [(8, 4, 0), (13, 4, 1), (21, 5, 2), (34, 8, 3)])
def test_steps_of_merge_rucb_are_those_of_the_literal_rule(k, p, seed):
    alpha, delta = 0.8, 0.1
    c = ((4 * alpha - 1) * k**2 / ((2 * alpha - 1) * delta)) ** (1 / (2 * alpha - 1))
    merges = 0
    steps = run(MERGE_RUCB, ordered(k), 1000 * k, seed, alpha=alpha, p=p, delta=delta)
    for t, before, stage, state, first, second in steps:
        after, wins = partition(state.batches), state.counts.wins
        spread = alpha * math.log(t + c)
        if t == 1:
            assert [len(b) for b in after] == [p] * (k // p) + [k % p] * (k % p > 0)
        else:
            merges += check_structure(before, stage, state, spread, k, p, joins=False)
        passed = [after[(t + x) % len(after)] for x in range((state.turn[0] - t) % len(after))]
        assert all(len(batch) == 1 for batch in passed)
        visited = after[state.turn[0]]
        if first == second:
            break
        assert first in visited
        bounds = {j: upper(wins, j, first, spread) for j in visited - {first}}
        assert bounds[second] >= max(bounds.values()) - 1e-12
    assert merges >= 1
    assert after == [{0}]


@pytest.mark.parametrize(("k", "m", "seed"), [(8, 4, 0), (13, 4, 1), (21, 5, 2), (34, 8, 3)])
def test_steps_of_merge_dts_are_those_of_the_literal_rule(k, m, seed):
    alpha, shift, clock, merges = 0.6, 1000, 0, 0
    steps = run(MERGE_DTS, ordered(k), 150 * k, seed, alpha=alpha, m=m, shift=shift)
    for t, before, stage, state, first, second in steps:
        after = partition(state.batches)
        over = t > 1 and len(before) > 1 and sum(map(len, before)) <= k // 2**stage + 1
        clock = 1 if over else clock + 1  # the clock of the bounds begins anew with a stage
        spread = alpha * math.log(shift + clock)
        if t > 1:
            joined = not over and len(after) < len(before)
            check_structure(before, stage, state, spread, k, m, joins=joined or over)
        merges += over
        visited = after[state.turn[0]]
        assert {first, second} <= visited
        assert (first == second) == (after == [{first}])
        assert len(visited) > 1 or len(after) == 1
        if len(after) == len(before):
            assert state.turn[0] == clock % len(after)
    assert merges >= 1
    assert after == [{0}]


def test_merge_dts_pairs_a_sampled_champion_with_the_sampled_loser():
    n = 10_000
    wins = np.array([[0, 6, 3], [4, 0, 9], [5, 2, 0]])
    rng = np.random.default_rng(1)
    state = MERGE_DTS.init(3)
    for i, j in np.ndindex(3, 3):
        for _ in range(wins[i, j]):
            MERGE_DTS.update(state, i, j, rng)
    ours, literal = np.zeros((3, 3)), np.zeros((3, 3))
    for t in range(1, n + 1):
        MERGE_DTS.advance(state, t, rng)
        ours[MERGE_DTS.select(state, t, rng)] += 1
        upper_half = np.triu(rng.beta(wins + 1, wins.T + 1), 1)
        sampled = upper_half + np.tril(1 - upper_half.T, -1) > 0.5
        scores = sampled.sum(axis=1)
        c = rng.choice(np.flatnonzero(scores == scores.max()))
        second = rng.beta(wins[:, c] + 1, wins[c] + 1)
        second[c] = 1
        literal[c, second.argmin()] += 1
    spread = np.sqrt(np.maximum(ours + literal, 1))
    assert (abs(ours - literal) < 4.5 * spread).all()


@pytest.mark.parametrize(
    ("sizes", "p", "merged"),
    [
        ([1, 2, 3, 4], 4, [5, 5]),  # 1 + 4, 2 + 3
        ([2, 3, 4, 4], 4, [4, 6, 3]),  # 3 + 4 is more than 6
        ([3, 4, 4], 4, [4, 4, 3]),
        ([1], 4, [1]),
        ([2, 2, 2], 4, [4, 2]),
    ],
)
def test_the_smallest_batch_joins_the_largest_if_it_may(sizes, p, merged):
    batches = batches_of(sizes, p)
    before = partition(batches)
    merge(batches, np.random.default_rng(0))
    after = partition(batches)
    assert sorted(map(len, after)) == sorted(merged) == sorted(merged_sizes(sizes, p))
    assert all(any(old <= new for new in after) for old in before)
    assert sorted(batches.members.tolist()) == list(range(sum(sizes)))


@pytest.mark.quick
def test_equal_batches_are_merged_in_random_order():
    partners = set()
    for seed in range(40):
        batches = batches_of([2, 2, 2, 2], 4)
        merge(batches, np.random.default_rng(seed))
        partners |= {min(batch - {0, 1}) for batch in partition(batches) if 0 in batch}
    assert partners == {2, 4, 6}


@pytest.mark.parametrize(("b", "joined"), [(0, 0), (1, 1), (2, 0)])
def test_a_batch_joins_the_next_in_a_circle(b, joined):
    batches = batches_of([2, 1, 3], 4)
    before = partition(batches)
    assert join_next(batches, b) == joined
    after = partition(batches)
    assert len(after) == 2
    assert after[joined] == before[b] | before[(b + 1) % 3]


def test_of_a_sure_cycle_one_option_stays():
    stayed = set()
    for seed in range(40):
        batches, counts = batches_of([3], 4), new_counts(3)
        for i in range(3):
            counts.wins[i, (i + 1) % 3] = 50
            counts.duels[i, (i + 1) % 3] = counts.duels[(i + 1) % 3, i] = 50
        drop_beaten(batches, counts, 0, 5.0, np.random.default_rng(seed))
        assert options_left(batches) == 1
        stayed |= set(partition(batches)[0])
    assert stayed == {0, 1, 2}


def test_when_every_batch_has_one_option_left_they_are_merged_at_once():
    state = MERGE_RUCB.init(12)
    rng = np.random.default_rng(0)
    MERGE_RUCB.advance(state, 1, rng)
    survivors = [min(batch) for batch in partition(state.batches)]
    state.batches.stage[0] = 5  # so that the stage is not over
    for batch in partition(state.batches):
        for loser in batch - {min(batch)}:
            for _ in range(200):
                MERGE_RUCB.update(state, min(batch), loser, rng)
    MERGE_RUCB.advance(state, 2, rng)
    assert set(MERGE_RUCB.select(state, 2, rng)) < set(survivors)


@pytest.mark.parametrize("module", [MERGE_RUCB, MERGE_DTS])
def test_the_last_option_left_plays_itself_for_ever(module):
    state = module.init(5)
    rng = np.random.default_rng(0)
    for t in range(1, 5000):
        module.advance(state, t, rng)
        first, second = module.select(state, t, rng)
        if first == second:
            break
        module.update(state, max(first, second), min(first, second), rng)
    assert (first, second) == (4, 4)
    assert module.recommend(state) == 4
    assert module.rest(state, t) == 2**62


@pytest.mark.parametrize("algorithm", ["merge-rucb", "merge-dts:m=4"])
def test_labels_do_not_matter_across_batches(algorithm):
    matrix = copeland.load("arithmetic-8")
    moved = matrix.sub([5, 2, 7, 0, 3, 6, 1, 4])
    one = copeland.simulate(matrix, algorithm, 3000, runs=300, seed=1).summary()[0]
    other = copeland.simulate(moved, algorithm, 3000, runs=300, seed=2).summary()[0]
    error = np.hypot(one["sd"], other["sd"]) / np.sqrt(300)
    assert abs(one["mean"] - other["mean"]) < 4.5 * error


def test_the_shift_of_the_clock_is_the_papers():
    # ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1)); at alpha = 1 it is 3 K^2 / delta.
    assert math.exp(MERGE_RUCB.init(10, alpha=1, delta=0.1).log_shift[0]) == pytest.approx(3000)
    assert math.exp(MERGE_RUCB.init(136).log_shift[0]) == pytest.approx(4.07e6, rel=1e-3)
    assert math.exp(MERGE_RUCB.init(10, alpha=0.3, shift=7).log_shift[0]) == pytest.approx(7)


@pytest.mark.parametrize("log_shift", [0.0, 10.0, 79.9, 80.1, 1e4])
def test_the_shifted_logarithm_takes_any_shift(log_shift):
    expected = np.logaddexp(math.log(1000), log_shift)
    assert log_with_shift(1000, log_shift) == pytest.approx(expected, rel=1e-14)


@pytest.mark.nightly
def test_batches_pay_with_many_options():
    # 64 options make 2,016 pairs, of which rucb has to meet most and batches few.
    names = ["rucb", "merge-rucb", "merge-dts"]
    rows = copeland.simulate("bradley-terry-64:seed=0", names, 1e6, runs=10, seed=0).summary()
    rucb, merge_rucb_row, merge_dts_row = rows
    assert merge_dts_row["mean"] < merge_rucb_row["mean"] < rucb["mean"]
    assert merge_rucb_row["correct"] >= 0.9
