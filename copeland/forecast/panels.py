"""What the missing answers of a panel may bring: completions in plausible worlds, and questions asked in them.

Worlds are those of :mod:`copeland.forecast.worlds`. In each, every missing answer is drawn by itself. None of
this is a proof: what is settled is said by :func:`copeland.panel.panel_certificate`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from copeland.errors import InvalidParameter
from copeland.forecast.outlook import SETTLED, Need, Outlook
from copeland.forecast.races import ALL_PAIRS, MOST_WORLDS, Forecast, Way
from copeland.forecast.worlds import (
    Belief,
    Chances,
    Counts,
    Floats,
    belief_of,
    ties_in,
    worlds,
)
from copeland.panel import next_question
from copeland.panel.planner import Bools, cheapest_plan
from copeland.streams import stream
from copeland.waiting import waiting

PLANNED = "panel planner"
WORLDS = 1_000  # that chances are told from
PAIRS = 500_000  # in all of these; fewer worlds of many options
_EFFORT = 200_000  # options cubed times worlds, unless a number of worlds is given
_FEWEST_WORLDS, _MOST_WORLDS = 5, 50


def panel_chances(
    wins: Counts, ties: Counts, missing: Counts, together: Collection[int] = (), seed: int = 0
) -> Chances:
    """Return how likely each option is to be best once all answers are in.

    Examples
    --------
    >>> wins, missing = np.array([[0, 2], [0, 0]]), np.array([[0, 1], [1, 0]])
    >>> panel_chances(wins, np.zeros((2, 2), int), missing).each
    (1.0, 0.0)
    """
    k = len(wins)
    count = max(min(WORLDS, PAIRS // (k * k)), 100)
    named = np.isin(np.arange(k), list(together))
    won, tied = _completed(wins, ties, missing, count, stream(seed, "chances"))
    scores = (won > won.transpose(0, 2, 1)).sum(axis=2)
    best = scores == scores.max(axis=1, keepdims=True)
    n = won + won.transpose(0, 2, 1) + tied
    return Chances(
        each=tuple((best / best.sum(axis=1, keepdims=True)).mean(axis=0).tolist()),
        among=tuple(best.mean(axis=0).tolist()),
        together=float((best == named).all(axis=1).mean()),
        worlds=count,
        mean=np.where(n > 0, (won + tied / 2) / np.maximum(n, 1), 0.5).mean(axis=0),
    )


def _completed(
    wins: Counts, ties: Counts, missing: Counts, count: int, rng: np.random.Generator
) -> tuple[Counts, Counts]:
    """Wins and ties, worlds x K x K, as they may be when all answers are in."""
    belief = belief_of(wins, ties)
    won, tied = (np.repeat(counts[None], count, axis=0) for counts in (wins, ties))
    i, j = np.nonzero(np.triu(missing))
    left = missing[i, j]
    p = np.stack([world[i, j] for world in worlds(belief, count, rng)])
    tie = np.minimum(belief.tie, 2 * np.minimum(p, 1 - p))  # as ties_in has it
    even = rng.binomial(left, tie) if belief.tie else np.zeros(p.shape, np.int64)
    first = rng.binomial(left - even, _without_ties(p, tie))
    won[:, i, j] += first
    won[:, j, i] += left - even - first
    tied[:, i, j] += even
    tied[:, j, i] += even
    return won, tied


def _without_ties(p: Floats, tie: Floats) -> Floats:
    """The chance that an answer which is no tie is for the row."""
    return np.clip((p - tie / 2) / np.maximum(1 - tie, 1e-9), 0.0, 1.0)


def panel_outlook(wins: Counts, missing: Counts) -> Outlook:
    """Return what would settle who is best, by the planner's cheapest plan; votes are answers here."""
    plan = cheapest_plan(wins, missing)
    if plan is None:
        return SETTLED
    needs = tuple(Need(claim.first, claim.second, claim.answers) for claim in plan.claims)
    return Outlook(plan.champion, needs, plan.answers)


def panel_forecast(
    wins: Counts,
    ties: Counts,
    silent: Bools,
    count: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Forecast:
    """Return how many more answers it may take until some option is sure to be best.

    Parameters
    ----------
    silent
        Voters x K x K: who has answered what, or is excused.
    count
        How many worlds; 50 by default, fewer for more than 15 options.
    progress
        Called with (worlds done, worlds in all).
    """
    k = len(wins)
    count = min(max(_EFFORT // k**3, _FEWEST_WORLDS), _MOST_WORLDS) if count is None else count
    if not 1 <= count <= MOST_WORLDS:
        raise InvalidParameter(f"worlds is {count}; it must lie between 1 and {MOST_WORLDS:,}.")
    belief, done, interrupted = belief_of(wins, ties), [], False
    try:
        with waiting("worlds", progress) as tell:
            for number, p in enumerate(worlds(belief, count, stream(seed, "worlds"))):
                rng = stream(seed, "answers", number)
                done.append(_asked_in(belief, p, wins, ties, silent, rng))
                tell(len(done), count)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    most = int((~silent).sum()) + 1  # more than there are
    ways = zip((PLANNED, ALL_PAIRS), zip(*done, strict=True), strict=True)
    votes = int(wins.sum() + ties.sum() // 2)
    told = tuple(Way(name, answers, most) for name, answers in ways)
    return Forecast(k, votes, len(done), most, told, interrupted)


def _asked_in(
    belief: Belief,
    p: Floats,
    wins: Counts,
    ties: Counts,
    silent: Bools,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """How many answers it takes in a world: by the planner, and to decide every pair by itself."""
    tie = ties_in(belief, p)
    said = np.where(rng.random(silent.shape) < _without_ties(p, tie), 1, -1)
    said[rng.random(silent.shape) < tie] = 0
    said = np.triu(said, 1)
    said -= said.transpose(0, 2, 1)
    return _planned(said, wins, ties, silent, rng), _pair_by_pair(said, wins, silent)


def _planned(
    said: Counts, wins: Counts, ties: Counts, silent: Bools, rng: np.random.Generator
) -> int:
    won, tied, known = wins.copy(), ties.copy(), silent.copy()
    asked = 0
    while question := next_question(won, tied, known, rng):
        voter, i, j = question
        known[voter, [i, j], [j, i]] = True
        answer = said[voter, i, j]
        won[i, j] += answer > 0
        won[j, i] += answer < 0
        tied[[i, j], [j, i]] += answer == 0
        asked += 1
    return asked


def _pair_by_pair(said: Counts, wins: Counts, silent: Bools) -> int:
    """How many answers it takes if every pair is asked until its majority is decided."""
    asked = 0
    for i, j in np.argwhere(np.triu(np.ones(wins.shape, dtype=bool), 1)).tolist():
        margin, left = int(wins[i, j] - wins[j, i]), int((~silent[:, i, j]).sum())
        for answer in said[~silent[:, i, j], i, j].tolist():
            if abs(margin) > left:
                break
            margin, left, asked = margin + answer, left - 1, asked + 1
    return asked
