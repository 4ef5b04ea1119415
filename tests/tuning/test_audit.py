"""Audits: the bound holds whenever one looks, ties included, and every duel is answered."""

import math

import numpy as np
import pytest
from turning import SQUARE, chance, score

from copeland import InvalidParameter, Real, Space, Tuner
from copeland.errors import UnknownDuel
from copeland.kernels.vote_evidence import log_evidence
from copeland.tuning import Audit
from copeland.tuning.audit import lower_bound

LINE = Space({"x": Real(0, 1)})


def test_an_audit_is_one_vote_each_against_fresh_opponents():
    audit = Tuner(LINE, seed=3).audit({"x": 0.5})
    seen, duel = [], audit.ask()
    for _ in range(10):
        duel = audit.ask()
        assert audit.ask() == duel  # until it is answered
        assert duel.first == {"x": 0.5}
        seen.append(duel.second["x"])
        audit.tell(duel, duel.first)
    assert len(set(seen)) == 10
    with pytest.raises(UnknownDuel):
        audit.tell(duel, duel.first)
    assert (audit.counts, audit.votes) == ((10, 0, 0), 10)
    assert "proved to beat" in audit.statement


def test_bounds_of_an_audit_by_hand():
    tuner, point = Tuner(LINE, seed=3), {"x": 0.5}
    first, again = tuner.audit(point).ask(), tuner.audit(point).ask()
    tuner.add(first.first, first.second, first.first)
    assert first == again != tuner.audit(point).ask()
    assert lower_bound(0, 0, 1000, 0.05) == 0.5
    assert lower_bound(100, 0, 20, 0.05) < lower_bound(100, 0, 0, 0.05)
    assert lower_bound(20, 0, 0, 0.05) < lower_bound(50, 0, 0, 0.05) < 1
    assert lower_bound(50, 5, 0, 0.05) < lower_bound(50, 0, 0, 0.05)


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_the_mean_is_refuted_in_few_of_many_runs_though_looked_at_after_every_vote(share):
    rng, runs, delta = np.random.default_rng(int(100 * share)), 300, 0.1
    wrong = 0
    for _ in range(runs):
        wins = np.cumsum(rng.random(100) < share).tolist()
        wrong += any(
            log_evidence(w, n - w, 0, 0.5 - share) >= -math.log(delta)
            for n, w in enumerate(wins, 1)
        )
    # More than 50 of 300 happen with probability 2e-4 if a run is wrong with probability .1.
    assert wrong <= 50


def test_the_bound_is_where_the_evidence_just_suffices():
    bound = lower_bound(90, 10, 3, 0.05)
    for b, suffices in ((bound - 1e-6, True), (bound + 1e-6, False)):
        assert (log_evidence(90, 10, 3, 0.5 - b) >= -math.log(0.05)) == suffices


def test_no_audit_of_a_point_is_above_the_truth():
    place, voter = np.array([0.6, 0.4]), np.random.default_rng(0)
    truth = score(place)
    audit = Audit(SQUARE, SQUARE.point(place), delta=0.05)
    for _ in range(150):
        duel = audit.ask()
        won = voter.random() < chance(place, SQUARE.place(duel.second))
        audit.tell(duel, duel.first if won else duel.second)
        assert audit.bound <= truth
    assert audit.bound > 0


def test_wrong_settings_are_refused():
    for delta in (0, 1, -1, float("nan"), "x"):
        with pytest.raises(InvalidParameter):
            Audit(LINE, {"x": 0.5}, delta)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="a number from 0 to 1"):
        Audit(LINE, {"x": 5})
