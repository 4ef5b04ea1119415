"""CPC to identify a winner: it asks for votes until a certificate holds, which is valid whenever you look.

The planner is that of :mod:`copeland.algorithms.cpc`; here prices are votes, and a claim is proved by
the evidence and at the levels of :mod:`copeland.kernels.vote_evidence`: with probability 1 - delta, no
certificate is ever wrong, whichever pairs were asked. It stops with the certificate of its champion.

Voting ends, whatever the plans are: docs/notes/cpc-pac-ends.md has the proof. Plans are searched for locally, and for
few options at a time. So a look is taken now and then whether the claims that are proved make a certificate of any
option; and at vote numbers 64^2, 65^2, 66^2, ..., ever rarer, a vote goes to a pair that no plan may want, each open
pair in its turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import find_greatest
from copeland.kernels.mark import apart, kernel
from copeland.kernels.planner.champion import lay_out, look_around, next_pair
from copeland.kernels.planner.planner_state import (
    EPOCH,
    NONE,
    Planner,
    check_margin,
    count_shown_losses,
    entry_of,
    new_planner,
    win_level,
)
from copeland.kernels.planner.vote_updates import PLANNER_PARTS, with_options
from copeland.kernels.trials import check_delta
from copeland.kernels.vote_evidence import Levels, levels
from copeland.registry import register
from copeland.support.goal import BEST, Goal

if TYPE_CHECKING:
    from copeland.kernels.goals.goal_state import GoalPlanner

FIRST_TURN = 64  # its square is beyond most studies, and few of any number of votes are squares


def init(
    k: int,
    delta: float = 0.05,
    margin: float = 0.0,
    epoch: int = 0,
    dependent: bool = False,
    goal: str = BEST,
) -> Planner:
    """Begin; what is certified is wrong with probability ``delta`` at most.

    Options within ``margin`` of 1/2 against each other count as equals: then it ends with probability 1,
    as it does without a margin where no pair is exactly even (docs/one-algorithm.md). ``epoch``
    is 1 if options may be added later, ``dependent`` says that votes of different pairs may depend on
    each other: docs/certificate.md.
    ``goal`` is to find a winner; any other is the business of ``cpc-goal``, which then takes over.
    """
    if hand_over({"goal": goal}):
        raise InvalidParameter(f"cpc-pac: goal is {goal!r}; cpc-goal plans for it.", "goal")
    check_promise("cpc-pac", delta, margin, epoch)
    planner = new_planner(k, costly=False, margin=margin)
    planner.promise[:] = delta, epoch, dependent
    return with_levels(planner, levels(k, delta, epoch, dependent))


def check_promise(algorithm: str, delta: float, margin: float, epoch: int) -> None:
    """Refuse what no certificate can promise."""
    check_delta(algorithm, delta)
    check_margin(algorithm, margin)
    if epoch < 0 or epoch != int(epoch):
        raise InvalidParameter(
            f"{algorithm}: epoch is {epoch}; it is 0 if options are never added, else 1."
        )


def hand_over(params: Mapping[str, Any]) -> str | None:
    """Return who plans for a goal beyond one winner."""
    return None if Goal.parse(str(params.get("goal", BEST))).kind == BEST else "cpc-goal"


def with_levels(planner: Planner, at: Levels) -> Planner:
    """Take these levels; return the planner."""
    planner.levels[:] = at.win, at.win_growth, at.loss
    return planner


def grow(planner: Planner, k: int) -> Planner:
    """Return the planner with new options; after votes, in a new epoch."""
    at = levels(k, *next_promise("cpc-pac", planner))
    return with_options(with_levels(planner, at), k)


def next_promise(algorithm: str, planner: Planner | GoalPlanner) -> tuple[float, int, bool]:
    """Return delta, the epoch and whether votes may depend on each other, once options are added: after votes, a new epoch begins."""
    if planner.counted[0] > 0:
        if planner.promise[EPOCH] == 0:
            raise InvalidParameter(
                f"{algorithm}: with epoch = 0 all of delta is promised to the first options; begin with"
                " epoch=1 where options may be added after votes."
            )
        planner.promise[EPOCH] += 1
    delta, epoch, dependent = planner.promise.tolist()
    return delta, int(epoch), bool(dependent)


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


@kernel
def turn(planner):
    """Return n if the votes so far are n^2 for n >= FIRST_TURN, else 0."""
    n = round(math.sqrt(planner.counted[0]))
    return n if n >= FIRST_TURN and n * n == planner.counted[0] else 0


@apart
def waiting_pair(planner, n):
    """Return the open pair whose turn it is: number n of all pairs, or the next that is open.

    NONE twice if no pair is.
    """
    k = len(planner.points)
    pairs = k * (k - 1) // 2
    i, place = 0, n % pairs
    while place >= k - 1 - i:
        place -= k - 1 - i
        i += 1
    j = i + 1 + place
    for _ in range(pairs):
        if is_waiting(planner, i, j):
            return i, j
        j += 1
        if j == k:
            i = i + 1 if i + 2 < k else 0
            j = i + 1
    return NONE, NONE


@kernel
def is_waiting(planner, i, j):
    """Tell whether a pair may be asked, no answer is under way, and neither side is proved for good."""
    if not (planner.asking[i] and planner.asking[j]):
        return False
    entry = entry_of(planner.meetings, i, j)
    if entry == NONE:
        return True
    evidence = planner.claims.evidence
    level = highest_level(planner)
    return (
        planner.meetings.pending[entry] == 0
        and evidence[2 * entry] <= level
        and evidence[2 * entry + 1] <= level
    )


@kernel
def highest_level(planner):
    """Return the evidence that makes a claim good for every certificate."""
    return win_level(planner, len(planner.points) - 2)


@apart
def crown_winner(planner):
    """Make an option the champion whose certificate is proved, if the claims good for all make one.

    Once each pair is decided, they do: the option of the most wins has l = K - 1 - wins, and any other
    has at least K - 1 - (its own wins) >= l losses.
    """
    k = len(planner.points)
    meetings, evidence = planner.meetings, planner.claims.evidence
    level = highest_level(planner)
    won = planner.row
    won[:] = 0.0
    for entry in range(meetings.size[0]):
        won[meetings.first[entry]] += int(evidence[2 * entry] > level)
        won[meetings.second[entry]] += int(evidence[2 * entry + 1] > level)
    champion = find_greatest(won)
    l = k - 1 - int(won[champion])
    if l == k - 1:
        return
    for j in range(k):
        if j != champion and count_shown_losses(planner, j) < l:
            return
    planner.champion[0] = champion
    planner.skipped[champion] = l
    lay_out(planner)


ALGORITHM = register(
    __name__,
    name="cpc-pac",
    paper="this package, docs/one-algorithm.md",
    summary="Asks for votes on the cheapest plausible certificate until it holds",
    target="copeland",
    **PLANNER_PARTS,
)
