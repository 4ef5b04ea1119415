"""The measurement of false certificates: it judges as certificates do, and they are false as seldom as promised."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks import false_certificates as watched
from copeland.certificate.certificate import certify
from copeland.kernels.vote_evidence import levels


@pytest.mark.parametrize("k, margin, tie", [(3, 0.0, 0.0), (5, 0.0, 0.2), (6, 0.1, 0.3)])
@pytest.mark.parametrize("dependent", [False, True])
def test_the_certificate_that_is_measured_is_the_one_that_is_issued(k, margin, tie, dependent):
    world = watched.World("order", watched.order(k, 0.3), votes=0, tie=tie, margin=margin)
    state = watched.new_watch(world)
    at = levels(k, 0.05, dependent=dependent, margin=margin)
    watched.begin_epoch(state, at, margin)
    rng = np.random.default_rng(k)
    seen = set()
    for _ in range(60 * k * k):
        i, j = watched.next_pair(state, at, watched.UNIFORM, 0, rng, 0)
        watched.answer(state, world.rankings, 0, tie, i, j, rng)
        watched.update_pair(state, at, i, j, margin)
        watched.update_pair(state, at, j, i, margin)
        for first, second in ((i, j), (j, i)):
            state.clear[first, second] = watched.is_clear(state, at, first, second, margin)
        watched.conclude(state, at, margin)
        issued = certify(
            state.wins,
            state.ties,
            margin=margin,
            voters="dependent" if dependent else "independent",
        )
        assert (tuple(state.lower), tuple(state.upper)) == (issued.lower, issued.upper)
        assert (tuple(np.flatnonzero(state.best)), state.is_all[0]) == (issued.best, issued.is_all)
        out = {i for i in range(k) if watched.is_ruled_out(state, i, margin)}
        assert out == set(range(k)) - set(issued.possible) or issued.is_all
        seen.add((issued.best, issued.is_all))
    assert len(seen) >= 3  # open, best, and all of the best


def test_the_certificate_that_is_measured_is_the_one_that_is_issued_after_options_were_added():
    world = watched.World("even", watched.even(4), votes=0, start=2, lead=0.2)
    table = watched.levels_of(world)
    state = watched.new_watch(world)
    rng = np.random.default_rng(0)
    for epoch in (1, 2, 3):
        at = watched.levels_at(table, epoch - 1)
        watched.begin_epoch(state, at, 0.0)
        for _ in range(400):
            i, j = watched.next_pair(state, at, watched.UNIFORM, 0, rng, 0)
            watched.answer(state, world.rankings, 0, 0.0, i, j, rng)
            watched.update_pair(state, at, i, j, 0.0)
            watched.update_pair(state, at, j, i, 0.0)
        watched.judge(state, at, 0.0)
        k = state.k[0]
        issued = certify(state.wins[:k, :k], epoch=epoch)
        assert tuple(state.lower[:k]) == issued.lower
        assert tuple(np.flatnonzero(state.best[:k])) == issued.best
        if k < 4:
            watched.add_option(state, world.lead)


@pytest.mark.parametrize(
    "world", [w for w in watched.worlds() if len(w.p) <= 20], ids=lambda world: world.name
)
def test_certificates_are_wrong_no_more_often_than_promised(world):
    runs = 100
    for mode in world.modes:
        wrong = watched.measure(replace(world, votes=2_000), mode, runs) > 0
        # more than this has a chance of one in a million if the rate is delta
        assert wrong[:, watched.WRONG_BEST :].sum(axis=0).max() <= binom.ppf(1 - 1e-6, runs, 0.05)


def test_in_the_crowd_that_is_measured_a_voters_own_votes_change_nothing_that_the_voter_is_asked():
    rankings, p = watched.of_voters(list(permutations(range(4))))
    world = watched.World("crowd", p, votes=0, rankings=rankings, ballots=5, crowd=1)
    at = watched.levels_at(watched.levels_of(world), 0)
    asked, shown = set(), set()
    for kind in range(len(rankings)):
        state = watched.new_watch(world)
        state.wins[:] = np.triu(np.arange(16).reshape(4, 4), 1)  # votes of others
        watched.begin_epoch(state, at, 0.0)
        state.asked[0, :3] = [(0, 1), (2, 0), (3, 1)]
        state.dealt[0] = state.said[0] = 3
        state.kind[0] = kind
        watched.take_own(state, at, rankings, 0, 1)
        before = state.wins.tobytes(), state.evidence.tobytes()
        rng = np.random.default_rng(1)
        asked.add(watched.next_question(state, at, watched.ROW, 0, rankings, 1, rng)[1:])
        assert before == (state.wins.tobytes(), state.evidence.tobytes())
        shown.add(before)
    assert len(asked) == 1 < len(shown)
