"""Losses that several pairs show together: against plain products, in the planner, and under the null."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.planner import votes_of
from scipy.stats import binom
from situations import with_random_votes

from copeland import Certificate, InvalidParameter, Policy, certify, create_study
from copeland.certificate.evidence import evidence, losses_together
from copeland.kernels.planner import planner_state, prices
from copeland.kernels.vote_evidence import MANY, STAKE, levels, log_evidence, shows_together
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    read_certificate,
)

DELTA = 0.05


def plainly(wins, ties, j, level, margin=0.0):
    """The most losses of j whose product reaches the level, one factor at a time."""
    factors = []
    for i in range(len(wins)):
        if i != j:
            capital = math.exp(log_evidence(wins[i, j], wins[j, i], ties[i, j], margin))
            asked = wins[i, j] + wins[j, i] + ties[i, j] > 0
            factors.append(1 - STAKE + STAKE * capital if asked else 1.0)
    factors.sort(reverse=True)
    shown = [m for m in range(1, len(wins)) if math.prod(factors[m - 1 :]) >= math.exp(level)]
    return max(shown, default=0)


def planner_amid_votes(seed, margin):
    """A planner of votes whose losses can be shown together, of few options so that all can be looked at."""
    rng = np.random.default_rng(seed)
    planner = planner_state.new_planner(
        int(rng.integers(3, 9)), costly=False, margin=margin, joint=True
    )
    planner.levels[:] = 6.0, 1.0, float(rng.uniform(3, 9))
    planner.joint.stake[:], planner.joint.level[:] = STAKE, float(rng.uniform(1, 5))
    return with_random_votes(planner, rng, rng.choice([0.3, 1.0]), 60, ties=0.1, unmet=0.3)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.05]))
@settings(max_examples=30, deadline=None)
def test_as_many_losses_are_shown_as_plain_products_show(seed, margin):
    planner = planner_amid_votes(seed, margin)
    wins, ties, _ = votes_of(planner.meetings)
    level, asked = float(planner.joint.level[0]), wins + wins.T + ties > 0
    expected = [plainly(wins, ties, j, level, margin) for j in range(len(wins))]
    assert losses_together(evidence(wins, ties, margin), asked, level).tolist() == expected
    shown = np.maximum(expected, planner.claims.lost)
    assert planner.joint.shown.tolist() == shown.tolist()


@pytest.mark.parametrize("nats", [0.01, 1.0, 30.0])
def test_the_evidence_of_a_part_is_what_gives_it_its_nats(nats):
    kept = planner_state.new_joint(2, 1, True)
    kept.stake[:] = STAKE
    assert prices.staked_nats(kept, prices.evidence_of_nats(kept, nats)) == pytest.approx(nats)


# Levels


def test_both_ways_to_show_losses_share_their_delta():
    at = levels(MANY, DELTA, together=True)
    spent = (MANY - 1) / math.exp(at.loss) + 1 / math.exp(at.together)
    assert spent == pytest.approx(0.3 * DELTA)
    assert at._replace(loss=0.0, together=0.0) == levels(MANY, DELTA)._replace(
        loss=0.0, together=0.0
    )
    # A wrong loss at the level of "all" is wrong at the level of a single loss, too.
    assert at.all + math.log(2) > at.loss


@pytest.mark.parametrize(
    "terms", [{"dependent": True}, {"epoch": 2}, {"union": True}, {"together": False}]
)
def test_where_products_prove_nothing_levels_are_those_of_single_losses(terms):
    assert levels(MANY, DELTA, **{"together": True, **terms}) == levels(
        MANY, DELTA, **{**terms, "together": False}
    )
    assert levels(MANY - 1, DELTA, together=True) == levels(MANY - 1, DELTA)
    assert shows_together(levels(MANY, DELTA, epoch=1, together=True))


def test_the_page_of_proofs_has_the_numbers_that_count():
    page = (Path(__file__).parents[2] / "docs" / "notes" / "certificate-proofs.md").read_text()
    section = page.partition("### Losses shown together")[2].partition("\n## ")[0]
    at = levels(MANY, DELTA, together=True)
    share = round(1 / math.exp(at.together) / DELTA, 6)
    assert f"from {MANY} options on" in section and f"a = {STAKE:g}".replace("0.", ".") in section
    assert f"x_t = 1 / ({share:g} delta)".replace("0.", ".") in section
    assert f"x_l = (K-1) / ({share:g} delta)".replace("0.", ".") in section


# Under the null

CAPITAL = np.array(
    [
        [math.exp(log_evidence(w, l, 0, 0.0)) if w + l else 1.0 for l in range(400)]
        for w in range(400)
    ]
)


@pytest.mark.slow
@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("losses", [0, 2])
def test_more_losses_than_there_are_are_shown_no_more_often_than_the_level_says(losses, greedy):
    # The first options beat the rival with .8, all others are even with it; any who chooses the pairs may look.
    runs, others, chance = 300, 12, 0.2
    rng = np.random.default_rng(7)
    p = np.where(np.arange(others) < losses, 0.8, 0.5)
    won, lost = (np.zeros((runs, others), int) for _ in range(2))
    nats, wrong, rows = np.zeros((runs, others)), np.zeros(runs, bool), np.arange(runs)
    for _ in range(2_000):
        pair = rng.integers(0, others, runs)
        if greedy:  # the strongest of those that count, half of the time
            counted = np.argsort(nats, axis=1)[:, others - 1 - losses]
            pair = np.where(rng.random(runs) < 0.5, counted, pair)
        pair = np.where((won + lost)[rows, pair] < 399, pair, (won + lost).argmin(axis=1))
        outcome = rng.random(runs) < p[pair]
        won[rows, pair] += outcome
        lost[rows, pair] += ~outcome
        capital = CAPITAL[won[rows, pair], lost[rows, pair]]
        nats[rows, pair] = np.log(1 - STAKE + STAKE * capital)
        counted = np.sort(nats, axis=1)[:, : others - losses].sum(axis=1)
        wrong |= counted >= -math.log(chance)
    # more than this has a chance of one in a million if the rate is as high as the level allows
    assert wrong.sum() <= binom.ppf(1 - 1e-6, runs, chance)
    assert wrong.any()  # else this shows nothing


# Certificates


def votes_of_many(won, lost):
    """Counts of 50 options on a circle, each of which beats the next 24 or 25 so clearly; but the first loses to 10 only."""
    ahead = (np.arange(MANY)[None, :] - np.arange(MANY)[:, None]) % MANY
    beats = (ahead > 0) & (
        (ahead < MANY // 2) | ((ahead == MANY // 2) & (np.arange(MANY) >= MANY // 2))
    )
    wins = np.where(beats, won, np.where(beats.T, lost, 0))
    wins[0, 1:-10], wins[1:-10, 0] = 40, 5
    return wins


def test_losses_shown_together_prove_an_option_best_that_single_ones_do_not():
    wins = votes_of_many(15, 3)
    assert certify(wins).best == () and not certify(wins).together
    found = certify(wins, together=True)
    assert found.best == (0,) and found.together
    assert "shown together" in " ".join(found.assumptions)
    assert certify(wins, voters="dependent", together=True).best == ()


def test_a_file_says_that_losses_were_shown_together_and_is_made_again_so():
    wins = votes_of_many(15, 3)
    found = certify(wins, together=True)
    text = found.to_json()
    assert json.loads(text)["together"]
    read = Certificate.from_json(text)
    assert read == found and read.recheck(wins) == ()
    singly = Certificate.from_json(json.dumps(json.loads(text) | {"together": False}))
    assert any("best" in why for why in singly.recheck(wins))
    assert any("upper" in why for why in replace(found, upper=(0,) * MANY).recheck(wins))


@pytest.mark.slow
def test_the_planner_is_finished_when_the_certificate_says_so():
    for votes, proved in (((7, 2), ()), ((15, 3), (0,))):
        wins = votes_of_many(*votes)
        assert certify(wins, together=True).best == proved
        policy = Policy("cpc-pac", k=MANY, together=True)
        policy.absorb(wins)
        policy.drop(policy.ask())
        assert policy.finished == bool(proved)
    assert policy.recommend() == 0
    again = Policy.load(policy.dump())
    assert again.finished and again.state.joint.debt.tolist() == policy.state.joint.debt.tolist()


def test_added_options_leave_no_losses_shown_together():
    policy = Policy("cpc-pac", k=3, epoch=1, together=True)
    policy.grow(MANY)  # before the first vote
    assert policy.state.joint.used[0]
    policy.add(0, 1, 0)
    policy.grow(MANY + 1)
    assert (
        not policy.state.joint.used[0] and policy.state.levels[2] == levels(MANY + 1, DELTA, 2).loss
    )


# Studies


def test_a_study_shows_losses_one_by_one(tmp_path):
    with pytest.raises(InvalidParameter, match="one by one"):
        create_study(
            "tea", ["green", "black"], algorithm="cpc-pac:together=1", voters="independent"
        )
    study = create_study("tea", ["green", "black"], voters="independent")
    path = tmp_path / "tea.json"
    path.write_text(certificate_to_file(study)[1].replace('"together": false', '"together": true'))
    assert any("together is True" in why for why in objections(read_certificate(path), study))
