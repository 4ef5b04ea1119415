"""Two options against a baseline: all that a certificate says comes from two capitals, so each has half of delta."""

import math
from functools import cache

import numpy as np
import pytest

from copeland import certify
from copeland.kernels.vote_evidence import baseline_level, levels

OLD, NEW = "old", "new"
CASES, DELTA = 10, 0.4
TERMS = {"labels": (OLD, NEW), "goal": f"above:{OLD}", "delta": DELTA}


@cache
def issue(won, lost, tied, margin, voters):
    """The certificate on so many wins, losses and ties of the new option."""
    return certify(
        [[0, lost], [won, 0]],
        [[0, tied], [tied, 0]],
        margin=margin,
        voters=voters,
        cases=None if voters == "independent" else CASES,
        **TERMS,
    )


def is_false(found, lead, margin):
    """Whether it says anything false of an option that is ahead by ``lead``, its mean less that of the baseline."""
    above, below = lead > 1e-9, lead < -1e-9
    even = abs(lead) < (2 * margin - 1e-9 if margin else 1e-9)
    not_worse = lead > -2 * margin + 1e-9 if margin else above
    truth = {"above": above, "below": below, "not_worse": not_worse, "even": even}
    wrong = any(getattr(found, name) == (1,) and not so for name, so in truth.items())
    wrong |= (1, 0) in found.beats and not above
    wrong |= (0, 1) in found.beats and not below
    wrong |= bool(found.ties) and not even
    # Best up to the margin is who is not beaten by more.
    best = {0: lead < 2 * margin + 1e-9, 1: lead > -2 * margin - 1e-9}
    wrong |= any(not best[i] for i in found.best)
    if margin == 0:
        wrong |= found.is_all and set(found.best) != {i for i in best if best[i]}
    wrong |= any(best[i] and i not in found.possible for i in (0, 1))
    scores = (1 if below else 0, 1 if above else 0)
    return wrong or any(
        not low <= one <= high for one, (low, high) in zip(scores, found.scores, strict=True)
    )


def populations():
    for won in range(CASES + 1):
        for lost in range(CASES + 1 - won):
            yield won, lost, CASES - won - lost


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_of_exactly_these_cases_nothing_that_is_ever_said_is_false_more_often_than_delta(margin):
    """By enumeration of all orders of all populations."""
    voters, largest = "judge, these cases", 0.0
    for population in populations():
        lead = (population[0] - population[1]) / CASES

        @cache
        def chance(state, population=population, lead=lead):
            if is_false(issue(*state, margin, voters), lead, margin):
                return 1.0
            left = CASES - sum(state)
            return sum(
                (population[side] - state[side])
                / left
                * chance(tuple(n + (i == side) for i, n in enumerate(state)))
                for side in range(3)
                if population[side] > state[side]
            )

        largest = max(largest, chance((0, 0, 0)))
    assert 0.02 < largest <= DELTA


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("ties", [0.0, 0.4])
@pytest.mark.parametrize("lead", [0.0, 0.2, -0.2, 0.1, -0.1])
def test_of_votes_without_end_nothing_said_in_the_first_forty_is_false_more_often_than_delta(
    lead, ties, margin
):
    """By the probabilities of all counts that say nothing false so far."""
    spread = (1 - ties) / 2
    chances = (spread + lead / 2, spread - lead / 2, ties)
    now, wrong = {(0, 0, 0): 1.0}, 0.0
    for _ in range(40):
        after: dict[tuple[int, ...], float] = {}
        for state, share in now.items():
            for side, p in enumerate(chances):
                more = tuple(n + (i == side) for i, n in enumerate(state))
                if p > 0 and is_false(issue(*more, margin, "independent"), lead, margin):
                    wrong += share * p
                elif p > 0:
                    after[more] = after.get(more, 0.0) + share * p
        now = after
    assert wrong <= DELTA


def test_two_options_share_nothing_and_more_do():
    assert baseline_level(2, 0.05) == pytest.approx(math.log(2 / 0.05)) == levels(2, 0.05).pair
    assert baseline_level(3, 0.05) == pytest.approx(math.log(4 / 0.04))
    rng = np.random.default_rng(1)
    for _ in range(40):
        won, lost, tied = rng.multinomial(rng.integers(10, 80), (0.5, 0.25, 0.25)).tolist()
        found = certify([[0, lost], [won, 0]], [[0, tied], [tied, 0]], labels=(OLD, NEW))
        aimed = certify([[0, lost], [won, 0]], [[0, tied], [tied, 0]], **TERMS | {"delta": 0.05})
        assert (aimed.above == (1,)) == (found.best == (1,)) == ((1, 0) in aimed.beats)
