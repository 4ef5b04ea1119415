"""The measurement of gates: it counts claims as the package makes them."""

import numpy as np
import pytest

from benchmarks import gates as measured
from copeland.gate.claims import GateTerms, Tally, find_claims
from copeland.gate.gate_forecast import LOST, TIED, WON


@pytest.mark.parametrize("exact", [True, False])
def test_claims_are_counted_where_the_package_makes_them(exact):
    rng = np.random.default_rng(4)
    verdicts = np.array([rng.choice(3, 40, p=p) for p in [(0.8, 0.1, 0.1), (0.05, 0.9, 0.05)]])
    trial = measured.Trial("x", "x", verdicts, measured.means(verdicts), exact)
    made = measured.find_claims(trial)
    for run, said in enumerate(verdicts):
        ever = set()
        for n in range(1, 41):
            counts = (int((said[:n] == kind).sum()) for kind in (WON, LOST, TIED))
            ever |= set(find_claims(Tally(*counts), trial.terms).claims)
        assert ever == {claim for claim in measured.CLAIMS if made[claim][run]}


def test_populations_are_what_they_are_called():
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, 3, (50, 200)).astype(np.int8)
    assert (measured.means(measured.shift(drawn, 0, rng)) == 0.5).all()
    assert measured.means(measured.shift(drawn, -20, rng)) == pytest.approx(np.full(50, 0.45))
    always_left = measured.side_verdicts(1.0, 0.0, 5, rng).reshape(5, -1)
    assert (measured.means(always_left) == 0.5).all()
    even = measured.exchange(np.zeros((200, 200), np.int8), rng)
    assert abs(even.mean() - 0.5) < 0.02  # won or lost by a coin: 5 standard errors are .0125


def test_a_claim_is_false_on_the_border_and_beyond():
    theta = np.array([0.44, 0.45, 0.47, 0.5, 0.51])
    false = {claim: measured.is_false(claim, theta).tolist() for claim in measured.CLAIMS}
    assert false == {
        "better": [True, True, True, True, False],
        "not worse": [True, True, False, False, False],
        "worse": [False, False, False, True, True],
        "worse by more than the margin": [False, True, True, True, True],
    }


def test_power_is_measured_by_the_rule(monkeypatch):
    monkeypatch.setattr(measured, "CASES", 12)
    terms = GateTerms("better", 0.0, 0.3, 12, exact=True)
    passed, calls = measured.measure_power(terms, 2, 18, 30, seed=0)
    rng = measured.stream(0, "gates", "power", "better", 12, 2)
    said = np.where(rng.random((30, 12)) < 0.3, TIED, rng.random((30, 12)) >= 0.6)
    times = 0
    for run in range(30):
        spent, outcome = 0, "undecided"
        for n in range(1, 13):
            now = Tally(*(int((said[run, :n] == kind).sum()) for kind in (WON, LOST, TIED)))
            spent += 1 if said[run, n - 1] == TIED else 2  # a tie needs no second order
            outcome = find_claims(now, terms).outcome
            best = now._replace(wins=now.wins + min(12 - n, (18 - spent) // 2))
            if outcome != "undecided" or find_claims(best, terms).outcome != "passed":
                break
        times += outcome == "passed"
        assert calls[run] == spent
    assert passed == times / 30


def test_the_upper_end_is_that_of_clopper_and_pearson():
    assert measured.largest_rate(0, 20) == pytest.approx(1 - 0.025 ** (1 / 20))
    assert measured.largest_rate(20, 20) == 1.0
