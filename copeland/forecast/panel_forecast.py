"""What the missing answers of a panel may bring: completions in plausible worlds, and questions asked in them.

Worlds are those of :mod:`copeland.forecast.plausible_worlds`. Chances draw every missing answer by itself. Forecasts draw
members who have a taste of their own: what one says of two pairs hangs together, as with real people. None of
this is a proof: what is settled is said by :func:`copeland.certificate.panel_certificate`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

import numpy as np
from scipy.special import logit

from copeland.certificate import next_question
from copeland.certificate.panel_planner import cheapest_plan
from copeland.errors import InvalidParameter
from copeland.forecast.forecast import (
    MOST_WORLDS,
    SETTLED,
    Forecast,
    ForecastRange,
    Need,
    Outlook,
    Way,
)
from copeland.forecast.plausible_worlds import Belief, Chances, belief_of, ties_in, worlds
from copeland.forecast.races import ALL_PAIRS
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.goal import BEST
from copeland.support.progress import progress_bar
from copeland.support.rng import stream

PLANNED = "panel planner"
WORLDS = 1_000  # that chances are told from
PAIRS = 500_000  # in all of these; fewer worlds of many options
# Of strengths: members of a panel know what they like, and share much of it.
SPREADS = (0.4, 0.8, 1.6, 3.2)
BELIEF = (
    "In a plausible world every member has a taste: the log-odds of a pair are the difference of two strengths and "
    "a deviation of its own, and a member likes each option a little more or less. How large these are is learnt from the "
    "answers; before any, the standard deviation of strengths is 0.4 to 3.2."
)
USUAL, FEWEST = 20, 6  # worlds of a forecast
LARGEST = 30  # options up to which panels are simulated in passing
# About how many all simulated panels have in passing: each takes most of a millisecond.
_QUESTIONS = 1_200
_LOW, _HIGH = 0.6, 2.2  # times the answers of the planner's plan: measured in docs/notes/panels.md

Aim = tuple[str, Sequence[str] | None]  # a goal, and the names of the options
WINNER: Aim = (BEST, None)


def panel_chances(
    wins: Ints, ties: Ints, missing: Ints, together: Collection[int] = (), seed: int = 0
) -> Chances:
    """Return how likely each option is to be best once all answers are in."""
    k = len(wins)
    count = max(min(WORLDS, PAIRS // (k * k)), 100)
    named = np.isin(np.arange(k), list(together))
    won, tied = _complete_answers(wins, ties, missing, count, stream(seed, "chances"))
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


def _complete_answers(
    wins: Ints, ties: Ints, missing: Ints, count: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Wins and ties, worlds x K x K, as they may be when all answers are in."""
    belief = belief_of(wins, ties)
    won, tied = (np.repeat(counts[None], count, axis=0) for counts in (wins, ties))
    i, j = np.nonzero(np.triu(missing))
    left = missing[i, j]
    p = np.stack([world[i, j] for world in worlds(belief, count, rng)])
    tie = np.minimum(belief.tie, 2 * np.minimum(p, 1 - p))  # as ties_in has it
    even = rng.binomial(left, tie) if belief.tie else np.zeros(p.shape, np.int64)
    row = np.clip((p - tie / 2) / np.maximum(1 - tie, 1e-9), 0.0, 1.0)  # of those that are no tie
    first = rng.binomial(left - even, row)
    won[:, i, j] += first
    won[:, j, i] += left - even - first
    tied[:, i, j] += even
    tied[:, j, i] += even
    return won, tied


def panel_outlook(wins: Ints, missing: Ints, aim: Aim = WINNER) -> Outlook:
    """Return what would settle the goal, by the planner's cheapest plan; votes are answers here."""
    plan = cheapest_plan(wins, missing, *aim)
    if plan is None:
        return SETTLED
    needs = tuple(Need(claim.first, claim.second, claim.answers) for claim in plan.claims)
    return Outlook(plan.champion, needs, plan.answers)


def panel_remaining(
    wins: Ints, ties: Ints, silent: Bools, aim: Aim = WINNER
) -> ForecastRange | None:
    """Return about how many more answers it takes until the goal is settled; None if it is.

    It is what :func:`panel_forecast` says; of very many answers, a rule of thumb.
    """
    plan = cheapest_plan(wins, _missing(silent), *aim)
    if plan is None:
        return None
    if len(wins) > LARGEST or plan.answers * FEWEST > _QUESTIONS:
        most = int(_missing(silent).sum()) // 2
        low, high = (min(round(times * plan.answers), most) for times in (_LOW, _HIGH))
        return ForecastRange(low, min(plan.answers, most), high, most)
    return panel_forecast(wins, ties, silent, ways=(PLANNED,), aim=aim).way(PLANNED).range


@lru_cache
def new_panel_remaining(members: int, k: int) -> ForecastRange:
    """Return about how many answers a panel takes that has not been asked anything."""
    none = np.zeros((k, k), np.int64)
    found = panel_remaining(none, none, no_answers(members, k))
    return ForecastRange(0, 0, 0, 1) if found is None else found


def questions_sentence(members: int, k: int) -> str:
    """Return how many questions a panel takes: about, at least and at most, in a sentence."""
    # One option beats all others but one, and does not lose to that.
    fewest = (k - 2) * (members // 2 + 1) + (members + 1) // 2
    most = k * (k - 1) // 2 * members
    return (
        f"It takes {new_panel_remaining(members, k).answers_words(members)}; at least {fewest:,}, and at most "
        f"{most:,}: one for each member and pair."
    )


def no_answers(members: int, k: int) -> Bools:
    """Return members x K x K: nobody has answered anything, and nobody compares an option with itself."""
    return np.broadcast_to(np.eye(k, dtype=bool), (members, k, k)).copy()


def _missing(silent: Bools) -> Ints:
    return (~silent).sum(axis=0) * ~np.eye(silent.shape[1], dtype=bool)


def panel_forecast(
    wins: Ints,
    ties: Ints,
    silent: Bools,
    count: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    ways: Collection[str] = (PLANNED, ALL_PAIRS),
    aim: Aim = WINNER,
) -> Forecast:
    """Return how many more answers it may take until some option is sure to be best, or another goal is settled.

    Parameters
    ----------
    silent
        Voters x K x K: who has answered what, or is excused.
    count
        How many worlds; 20 by default, fewer if many answers are needed.
    progress
        Called with (worlds done, worlds in all).
    ways
        How questions are chosen: by the planner, and pair by pair.
    aim
        The goal, and the names of the options.
    """
    k = len(wins)
    if count is None:
        plan = cheapest_plan(wins, _missing(silent), *aim)
        count = USUAL if plan is None else max(min(USUAL, _QUESTIONS // plan.answers), FEWEST)
    if not 1 <= count <= MOST_WORLDS:
        raise InvalidParameter(f"worlds is {count}; it must lie between 1 and {MOST_WORLDS:,}.")
    belief, done, interrupted = belief_of(wins, ties, SPREADS), [], False
    try:
        with progress_bar("worlds", progress) as tell:
            for number, p in enumerate(worlds(belief, count, stream(seed, "worlds"))):
                rng = stream(seed, "answers", number)
                said = _draw_answers(belief, p, len(silent), rng)
                done.append([_WAYS[way](said, wins, ties, silent, rng, aim) for way in ways])
                tell(len(done), count)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    most = int(_missing(silent).sum()) // 2 + 1  # more than there are
    votes = int(wins.sum() + ties.sum() // 2)
    columns = zip(ways, zip(*done, strict=True), strict=True)
    told = tuple(Way(name, answers, most) for name, answers in columns)
    return Forecast(k, votes, len(done), most, told, interrupted)


def _draw_answers(belief: Belief, p: Floats, members: int, rng: np.random.Generator) -> Ints:
    """What members answer in a world, members x K x K: 1 for the row, -1 for the column, 0 for a tie.

    Each likes each option a little more or less than the others do. With Gumbel's distribution a member
    prefers i to j as often as the world says.
    """
    taste = rng.gumbel(size=(members, len(p)))
    liking = logit(np.clip(p, 1e-12, 1 - 1e-12)) + taste[:, :, None] - taste[:, None, :]
    said = np.where(liking > 0, 1, -1)
    said[rng.random(said.shape) < ties_in(belief, p)] = 0
    said = np.triu(said, 1)
    return said - said.transpose(0, 2, 1)


def _count_questions(
    said: Ints, wins: Ints, ties: Ints, silent: Bools, rng: np.random.Generator, aim: Aim
) -> int:
    """How many answers the planner asks for, with the manners of a study."""
    won, tied, known = wins.copy(), ties.copy(), silent.copy()
    seen: list[list[tuple[int, int]]] = [[] for _ in silent]
    asked = 0
    goal, labels = aim
    while question := next_question(won, tied, known, rng, last=seen, goal=goal, labels=labels):
        voter, i, j = question
        seen[voter].append((i, j))
        known[voter, [i, j], [j, i]] = True
        answer = said[voter, i, j]
        won[i, j] += answer > 0
        won[j, i] += answer < 0
        tied[[i, j], [j, i]] += answer == 0
        asked += 1
    return asked


def _pair_by_pair(
    said: Ints, wins: Ints, ties: Ints, silent: Bools, rng: np.random.Generator, _aim: Aim
) -> int:
    """How many answers it takes if every pair is asked until its majority is decided."""
    asked = 0
    for i, j in np.argwhere(np.triu(np.ones(wins.shape, dtype=bool), 1)).tolist():
        margin, left = int(wins[i, j] - wins[j, i]), int((~silent[:, i, j]).sum())
        for answer in said[~silent[:, i, j], i, j].tolist():
            if abs(margin) > left:
                break
            margin, left, asked = margin + answer, left - 1, asked + 1
    return asked


_WAYS = {PLANNED: _count_questions, ALL_PAIRS: _pair_by_pair}
