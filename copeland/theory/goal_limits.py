"""What it costs to be sure of more than one winner: of the top m, of who beats a baseline, or of the whole order.

An answer says how some options compare. Each comparison turns out wrong by the upsets of one contest
(:mod:`copeland.theory.upsets`), and the answer is wrong if and only if one of them is. So the linear program is that for
a winner, with the upsets of more contests. Let i beat n options more than j, n >= 0.

Top m. S is wrong if and only if some j outside beats more than some i of S, which takes n + 1 points. So each i in S has a
contest with each j outside. If i and j beat equally many (n = 0), several S are right, and the limit is that of the cheapest; each
win of i, and each pair that j does not win, must be sure alone, as where there are several winners.

Above a baseline. Each other option beats it or does not, whatever the other pairs do: each of these pairs must be sure alone.

Tiers. The answer is the order of all options by how many others they beat, and who beats equally many. It is another one if and only
if two options compare otherwise: i above j no longer is (n points; equality is enough), or of two that beat equally many one
beats more (one point, for either). So any two options make a contest, and equal ones make two. If n is 1, each win of i must be
sure alone, and each pair that j does not win; if n is 0, both of both. So an order of all options needs every pair.

A tie is gained for nothing, as in :mod:`copeland.theory.lower_bounds`. If ties alone make an upset, the limit is infinite.

The unit of the program. Let b be the highest price such that the pairs that cost b or more make an upset. It must weigh 1, so the
limit is at least b. No upset has dearer pairs alone, so a weight of 1 on all pairs that cost b or less is a plan. It costs at most
K (K - 1) / 2 times the limit, and is the unit: prices far above it, of pairs close to a tie, do not spoil the arithmetic.
"""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np

from copeland.errors import InvalidParameter, Undefined
from copeland.matrix import PreferenceMatrix
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.goal import TIERS, TOP, Goal
from copeland.support.phrasing import format_count, some
from copeland.theory.upsets import Contest, make_contest, rule_out_upsets

MOST_SETS = 100  # right answers of which the cheapest is looked for


def price_goal(
    goal: Goal, m: PreferenceMatrix, price: Floats, what: str, most_options: int
) -> float:
    """Return the least price of being sure of what a goal beyond one winner asks for."""
    price = np.maximum(price, price.T)  # they differ by rounding
    baseline = goal.baseline(m.labels)
    if baseline is not None:
        return _price_baseline(price, baseline, what)
    beats = m.p > 0.5
    count, list_answers = _ANSWERS[goal.kind]
    size = math.isqrt(count(beats, goal.number) * m.k - 1) + 1
    if size > most_options:
        raise InvalidParameter(
            f"there are {m.k} options; {what} for the goal '{goal}' is a linear program as large as that for one winner of "
            f"{size} options, and is computed only for up to {most_options}. In Python give most_options."
        )
    return _cheapest(list_answers(beats, goal.number), price, what)


def _price_baseline(price: Floats, baseline: int, what: str) -> float:
    prices = np.delete(price[baseline], baseline)
    if np.isinf(prices).any():
        tied = [str(i) for i in np.flatnonzero(np.isinf(price[baseline])) if i != baseline]
        raise Undefined(
            f"{what} is infinite: the baseline {baseline} ties exactly with {some(tied)}; "
            "no number of duels tells a tie from a narrow win."
        )
    return float(prices.sum())


def _count_top_contests(beats: Bools, number: int) -> int:
    return number * (len(beats) - number)


def _top_contests(beats: Bools, number: int) -> list[list[Contest]]:
    """Return the contests of each set of so many options than any of which no other option beats more."""
    wins = beats.sum(axis=1)
    border = np.sort(wins)[-number]
    sure, tied = np.flatnonzero(wins > border).tolist(), np.flatnonzero(wins == border).tolist()
    sets = math.comb(len(tied), number - len(sure))
    if sets > MOST_SETS:
        raise Undefined(
            f"{len(tied)} options tie at the border of the top {number}, so {sets:,} answers are right; "
            f"the cheapest is looked for among up to {MOST_SETS}."
        )
    return [
        _contests_of_top(beats, wins, [*sure, *rest])
        for rest in combinations(tied, number - len(sure))
    ]


def _contests_of_top(beats: Bools, wins: Ints, top: list[int]) -> list[Contest]:
    outside = [j for j in range(len(beats)) if j not in top]
    return [make_contest(beats, i, j, int(wins[i] - wins[j]) + 1) for i in top for j in outside]


def _count_tier_contests(beats: Bools, _: int) -> int:
    wins = beats.sum(axis=1)
    return int((wins[:, np.newaxis] >= wins).sum()) - len(beats)


def _tier_contests(beats: Bools, _: int) -> list[list[Contest]]:
    wins = beats.sum(axis=1)
    return [
        [
            make_contest(beats, i, j, max(1, int(wins[i] - wins[j])))
            for i, j in permutations(range(len(beats)), 2)
            if wins[i] >= wins[j]
        ]
    ]


# For each goal, how many contests an answer has, and those of each right answer.
_ANSWERS = {
    TOP: (_count_top_contests, _top_contests),
    TIERS: (_count_tier_contests, _tier_contests),
}


def _cheapest(answers: list[list[Contest]], price: Floats, what: str) -> float:
    """Return the least price of ruling all upsets of one of these answers out."""
    least = [max(_bottleneck(price, contest) for contest in contests) for contests in answers]
    if math.isinf(min(least)):
        raise Undefined(_why_infinite(answers[0], price, what))
    best = math.inf
    pairs = price[np.triu_indices(len(price), 1)]
    for at in np.argsort(least):
        if least[at] < best:
            plan = float(pairs[pairs <= least[at]].sum())
            best = min(best, plan * min(1.0, rule_out_upsets(price / plan, answers[at])))
    return best


def _bottleneck(price: Floats, contest: Contest) -> float:
    """Return the highest price such that the pairs that cost so much, or more, make an upset."""
    single = np.append(price[contest.leader, contest.won], price[contest.rival, contest.not_won])
    both = price[contest.leader, [contest.rival] * (2 * contest.beaten)]  # a point each
    return float(np.sort(np.append(single, both))[-contest.points])


def _why_infinite(contests: list[Contest], price: Floats, what: str) -> str:
    contest = next(c for c in contests if math.isinf(_bottleneck(price, c)))
    tied = contest.not_won[np.isinf(price[contest.rival, contest.not_won])]
    return (
        f"{what} is infinite: option {contest.rival} ties exactly with {some([str(i) for i in tied])}, and "
        f"{format_count(contest.points, 'more win')} would change how it compares with option {contest.leader}; "
        "no number of duels tells a tie from a narrow win."
    )
