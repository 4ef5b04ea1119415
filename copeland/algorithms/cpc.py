"""CPC: always work on the cheapest plausible certificate, for regret.

A candidate for what the paper's conclusion asks for: one algorithm with CCB's dependence on the gaps and SCB's
growth with K. docs/one-algorithm.md explains it on a page and says what is proved, what is measured and where it falls short.

A certificate (c, l) proves that c is a Copeland winner: c beats all others but l, and each of the
others loses at least l times. The planner (:mod:`copeland.kernels.planner`) prices all certificates by
the regret that proving them may take, optimistically, and duels for the cheapest, its riskiest pair
first. Once a certificate holds, its option plays itself, until the first decision expires.

A pair with n duels and the empirical rate p has x = n d(p, 1/2) nats, d the Bernoulli divergence. It is decided at
step t while

    t Phi(-sqrt(2 x)) e^c(n) < what its duels have cost,  in wins and at least 1 each:

a wrong decision loses a win at most at each step, so the loss to expect by deciding is below what was paid for it
(Anscombe 1963 stops medical trials so). Near ties and pairs that are dear to duel are let go soon, and an even pair is
not decided. Caution, c(n) = c / (1 + n / (125 c)), trades the mean against rare long wrong spells
(:func:`copeland.kernels.vote_evidence.decision_index`). Losses of a rival may also be shown by several pairs together
(:mod:`copeland.kernels.planner.joint_losses`).

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
