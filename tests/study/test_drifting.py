"""Drift in a study: told in status, JSON and report, at one level for all pairs."""

import math

import numpy as np
import pytest
from commands import flat, run, values
from scipy.stats import binom

from copeland.certificate.drift_evidence import change_in
from copeland.study import create_study

pytestmark = pytest.mark.slow  # left out of `make fast`

NAMES = ["tea", "milk", "juice"]


def told(study, shares, seed=0, pair=("tea", "milk"), start=0.0):
    """Let the first option of a pair win with these shares, a vote a second."""
    rng = np.random.default_rng(seed)
    won = rng.random(len(shares)) < shares
    rows = [
        {"left": pair[0], "right": pair[1], "outcome": "left" if w else "right", "time": start + n}
        for n, w in enumerate(won)
    ]
    study.add_votes(rows)
    return won


def test_a_pair_that_changed_is_named():
    study = create_study("drinks", NAMES, voters="independent")
    won = told(study, np.repeat([0.8, 0.3], 200))
    told(study, np.full(200, 0.7), pair=("juice", "tea"), seed=1)
    (drift,) = study.drift()
    assert (drift.first, drift.second) == ("tea", "milk")
    assert drift.change == change_in(won)
    assert drift.sentence.startswith("The votes on tea and milk changed over time: tea won ")


def test_sides_do_not_matter():
    study, turned = (
        create_study("drinks", NAMES, voters="independent"),
        create_study("turned", NAMES, voters="independent"),
    )
    won = told(study, np.repeat([0.8, 0.3], 200))
    turned.add_votes(
        [
            {"left": "milk", "right": "tea", "outcome": "right" if w else "left", "time": n}
            for n, w in enumerate(won)
        ]
    )
    assert turned.drift() == study.drift()


def test_votes_that_do_not_count_say_nothing():
    study = create_study("drinks", NAMES, repeats="first", voters="independent")
    told(study, np.repeat([0.8, 0.3], 200))
    study.add_votes(
        [{"left": "tea", "right": "milk", "outcome": word} for word in ("tie", "skip", "both_bad")]
        * 90
    )
    assert study.drift()[0].change.votes == 400
    for vote in study.votes()[:200]:
        if vote.outcome == "left":
            study.undo(vote)
    assert study.drift() == ()


@pytest.mark.quick
def test_counts_have_no_order():
    study = create_study("drinks", NAMES, voters="independent")
    study.add_votes(
        [{"winner": "tea", "loser": "milk", "n": 300}, {"winner": "milk", "loser": "tea", "n": 300}]
    )
    assert study.drift() == ()
    study.add_votes([{"winner": "tea", "loser": "milk", "n": 300}], source="later")
    assert study.drift() == ()  # nor does anybody know which file was counted first


def needed(study, evidence):
    """The least level at which evidence of this size names a pair, from what the study says at levels beside it."""
    low, high = -2 * evidence, math.log(0.99)
    assert study.drift(math.exp(high))
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if study.drift(math.exp(middle)) else (middle, high)
    return math.exp(high + evidence)


CHANGED = np.repeat([0.05, 0.95], 60)


def test_pairs_of_the_first_options_share_nine_tenths_of_the_level():
    study = create_study("drinks", NAMES, voters="independent")
    won = told(study, CHANGED)
    assert needed(study, change_in(won).evidence) == pytest.approx(3 / 0.9, rel=1e-3)
    study.add_option("water")  # pairs that come later change nothing for those that are there
    assert needed(study, change_in(won).evidence) == pytest.approx(3 / 0.9, rel=1e-3)


def test_a_pair_is_weighed_by_its_later_option():
    """Option 5 of three that were known: .1 * 3 / (4^2 5) of the level."""
    study = create_study("drinks", NAMES, voters="independent")
    told(study, np.full(10, 0.5))
    study.add_option("water")
    study.add_option("wine")
    won = told(study, CHANGED, pair=("tea", "wine"), start=100.0)
    assert needed(study, change_in(won).evidence) == pytest.approx(80 / 0.3, rel=1e-3)


def test_options_that_are_added_before_the_first_vote_are_known():
    study = create_study("drinks", NAMES, voters="independent")
    study.add_option("water")
    won = told(study, CHANGED, pair=("tea", "water"))
    assert needed(study, change_in(won).evidence) == pytest.approx(6 / 0.9, rel=1e-3)


def test_studies_to_which_options_are_added_one_by_one_are_rarely_said_to_change():
    """Five options one by one, every look counts: at most 5 % of 20 studies of even pairs.

    One more than this has a probability below 1e-6.
    """
    flagged = 0
    for seed in range(20):
        study, rng = (
            create_study("even", ["0", "1"], voters="independent"),
            np.random.default_rng(seed),
        )
        seen = False
        for n in range(2, 7):
            pairs = [(str(i), str(n - 1)) for i in range(n - 1)]
            for pair in pairs:
                told(study, np.full(40, 0.5), seed=int(rng.integers(10**9)), pair=pair)
            seen |= bool(study.drift())
            study.add_option(str(n))
        flagged += seen
    assert flagged <= binom.isf(1e-6, 20, 0.05)


def test_status_json_and_report_tell_it(tmp_path):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    study = create_study("drinks", NAMES, storage, voters="independent")
    words = ("study", "status", "drinks", "--storage", storage)
    told(study, np.full(60, 0.5))
    assert values(*words)["drift"] == [] and "Changed over time" not in run(*words).stdout
    told(study, np.repeat([0.9, 0.1], 150), start=100.0)
    assert values(*words)["drift"][0]["first"] == "tea"
    said = flat(run(*words).stdout)
    assert "The votes on tea and milk changed over time" in said
    assert "copeland study copy drinks" in said
    page = study.report(tmp_path / "report.html").read_text()
    assert "The votes on tea and milk changed over time" in page
