"""CPC: always work on the cheapest plausible certificate, for regret.

An answer to the question that ends the paper: one algorithm with CCB's dependence on the gaps and SCB's
growth with K. docs/one-algorithm.md explains it on a page and says what is proved and what is measured.

A certificate (c, l) proves that c is a Copeland winner: c beats all others but l, and each of the
others loses at least l times. The planner (:mod:`copeland.kernels.planner`) prices all certificates by
the regret that proving them may take, optimistically, and duels for the cheapest, its riskiest pair
first. Once a certificate holds, its option plays itself, until the first decision expires.

A pair with n duels and the empirical rate p has x = n d(p, 1/2) nats, d the Bernoulli divergence. It is decided at
step t while

    x + ln n > ln t + c(n),  and where x < ln n:  max(2 x, ln n + L) > ln t + c(n),  L + ln(1 + L) / 2 = x.

The first line is the index of Honda & Takemura 2015 (IMED); it saves ln n of ln t and leaves the rate of growth
alone. The second keeps exact ties from being decided by their mere length, and asks near ties for ln(t/n) nats and a
little. Caution, c(n) = c / (1 + n / 300), trades the mean against rare long wrong spells
(:func:`copeland.kernels.vote_evidence.index_of_nats`). Losses of a rival may also be shown by several pairs together
(:mod:`copeland.kernels.planner.prices`).

Plans contradict no decision, so a pair is dueled only while it is open: one that is not tied has O(log t)
duels: docs/cpc-theorem.md.
"""

from __future__ import annotations

import math

from copeland.errors import InvalidParameter, nearest
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import first_step_after
from copeland.kernels.planner.champion import look_around, next_pair
from copeland.kernels.planner.planner_state import (
    LOSS,
    WIN,
    Planner,
    check_margin,
    new_planner,
    smallest,
    weakest,
)
from copeland.kernels.planner.vote_updates import PLANNER_PARTS, expire, with_options
from copeland.kernels.vote_evidence import SETTINGS
from copeland.registry import register


def init(k: int, setting: str = "cautious", margin: float = 0.0) -> Planner:
    """Begin; options within ``margin`` of 1/2 against each other count as equals.

    ``setting`` is "cautious", or "eager" for the lower mean regret and rare wrong spells.
    """
    if setting not in SETTINGS:
        raise InvalidParameter(
            f"cpc: there is no setting '{setting}'; {nearest(setting, SETTINGS)}"
        )
    check_margin("cpc", margin)
    planner = new_planner(k, costly=True, margin=margin, joint=True)
    planner.caution[0] = SETTINGS[setting]
    return planner


@kernel
def advance(planner, t, rng):
    """Let decisions expire, and look for a cheaper certificate when it is time."""
    steps = max(t, planner.counted[0])  # votes that were not asked for count as steps too
    planner.levels[WIN] = planner.levels[LOSS] = math.log(steps)
    expire(planner)
    look_around(planner, rng)


@kernel
def select(planner, t, rng):
    """Return the riskiest pair of the cheapest certificate; its option twice once it holds."""
    return next_pair(planner)


@kernel
def rest(planner, t):
    """Return the first step at which a decision expires."""
    least = min(weakest(planner.claims), smallest(planner.joint.until))
    return max(t + 1, first_step_after(least))


ALGORITHM = register(
    __name__,
    name="cpc",
    paper="this package, docs/one-algorithm.md",
    summary="Works on the cheapest plausible certificate, its riskiest pair first",
    target="copeland",
    grow=with_options,
    **PLANNER_PARTS,
)
