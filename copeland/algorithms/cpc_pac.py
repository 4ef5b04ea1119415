"""CPC to identify a winner: it asks for votes until a certificate holds, which is valid whenever you look.

The planner is that of :mod:`copeland.algorithms.cpc`; here prices are votes, and a claim is proved by
the evidence and at the levels of :mod:`copeland.kernels.vote_evidence`: with probability 1 - delta, no
certificate is ever wrong, whichever pairs were asked. It stops with the certificate of its champion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copeland.algorithms.cpc import PLANNER_PARTS, check_margin
from copeland.errors import InvalidParameter
from copeland.kernels.mark import kernel
from copeland.kernels.planner import (
    EPOCH,
    NONE,
    Planner,
    crown_winner,
    look_around,
    new_planner,
    next_pair,
    turn,
    waiting_pair,
    with_options,
)
from copeland.kernels.vote_evidence import STAKE, Levels, levels, shows_together
from copeland.registry import register
from copeland.support.goal import BEST, Goal


def init(
    k: int,
    delta: float = 0.05,
    margin: float = 0.0,
    epoch: int = 0,
    dependent: bool = False,
    together: bool = False,
    goal: str = BEST,
) -> Planner:
    """Begin; what is certified is wrong with probability ``delta`` at most.

    Options within ``margin`` of 1/2 against each other count as equals: then it ends with probability 1,
    as it does without a margin where no pair is exactly even (docs/one-algorithm.md). ``epoch``
    is 1 if options may be added later, ``dependent`` says that votes of different pairs may depend on
    each other, ``together`` lets losses be shown by several pairs together: docs/certificate.md.
    ``goal`` is to find a winner; any other is the business of ``cpc-goal``, which then takes over.
    """
    if hand_over({"goal": goal}):
        raise InvalidParameter(f"cpc-pac: goal is {goal!r}; cpc-goal plans for it.", "goal")
    if not 0 < delta < 1:
        raise InvalidParameter(
            f"cpc-pac: delta is {delta}; a failure probability lies between 0 and 1."
        )
    check_margin("cpc-pac", margin)
    if epoch < 0 or epoch != int(epoch):
        raise InvalidParameter(
            f"cpc-pac: epoch is {epoch}; it is 0 if options are never added, else 1."
        )
    at = levels(k, delta, epoch, dependent, together=together)
    planner = new_planner(k, costly=False, margin=margin, joint=shows_together(at))
    planner.promise[:] = delta, epoch, dependent
    planner.joint.stake[:] = STAKE if together else 0.0
    return with_levels(planner, at)


def hand_over(params: Mapping[str, Any]) -> str | None:
    """Return who plans for a goal beyond one winner."""
    return None if Goal.parse(str(params.get("goal", BEST))).kind == BEST else "cpc-goal"


def promised_levels(planner: Planner, k: int) -> Levels:
    """Return the levels for K options by what is promised."""
    delta, epoch, dependent = planner.promise.tolist()
    together = bool(planner.joint.stake[0] > 0)
    return levels(k, delta, int(epoch), bool(dependent), together=together)


def with_levels(planner: Planner, at: Levels) -> Planner:
    """Take these levels; return the planner."""
    planner.levels[:] = at.win, at.win_growth, at.loss
    planner.joint.level[:] = at.together
    return planner


def grow(planner: Planner, k: int) -> Planner:
    """Return the planner with new options; after votes, in a new epoch."""
    if planner.counted[0] > 0:
        if planner.promise[EPOCH] == 0:
            raise InvalidParameter(
                "cpc-pac: with epoch = 0 all of delta is promised to the first options; begin with"
                " epoch=1 where options may be added after votes."
            )
        planner.promise[EPOCH] += 1
    at = promised_levels(planner, k)
    return with_options(with_levels(planner, at), k, shows_together(at))


@kernel
def advance(planner, t, rng):
    """Look for a cheaper certificate when it is time, and then also for one that is proved."""
    compared = look_around(planner, rng)
    if (compared or turn(planner) > 0) and planner.unproved[0] > 0:
        crown_winner(planner)


@kernel
def select(planner, t, rng):
    """Return the riskiest pair of the cheapest certificate; now and then the open pair whose turn it is."""
    n = turn(planner)
    if n > 0 and planner.unproved[0] > 0:
        i, j = waiting_pair(planner, n)
        if i != NONE:
            return i, j
    return next_pair(planner)


@kernel
def finished(planner):
    """Tell whether the champion's certificate holds."""
    return planner.champion[0] != NONE and planner.unproved[0] == 0


ALGORITHM = register(
    __name__,
    name="cpc-pac",
    paper="this package, docs/one-algorithm.md",
    summary="Asks for votes on the cheapest plausible certificate until it holds",
    target="copeland",
    **PLANNER_PARTS,
)
