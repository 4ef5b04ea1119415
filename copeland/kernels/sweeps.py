"""What elimination rules share: sweeps over the pairs still in need of duels, and final verdicts.

A roster is visited in turn, in a new random order each time round: that is the rule "take the one
taken least often, ties at random", at a cost that does not depend on the roster's length. A tally
counts duels and notes, once for all, what the interval w/n +- sqrt((level + growth ln n) / (2n))
proves of a pair. A contest sweeps the pairs until none is needed, and then has its answer.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Bytes, Floats, Ints, draw, greatest, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import count
from copeland.kernels.trials import finished


class Roster(NamedTuple):
    """Numbers that are visited in turn until they are struck off."""

    items: Ints  # those on the roster first; of these, the ones that this round has visited first
    size: Ints  # (1,): how many are on the roster
    visited: Ints  # (1,): how many of them this round has visited


class SweepCounts(NamedTuple):
    """Counts of every pair, and what they prove for good."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric
    verdict: Bytes  # K x K: +1 p_ij > 1/2 + margin is sure, -1 p_ij < 1/2 + margin is, 0 open
    won: Ints  # K: sure wins of i, the lower end of its score
    lost: Ints  # K: sure failures to win; K - 1 - lost is the upper end of its score
    level: Floats  # (1,)
    growth: Floats  # (1,)
    margin: Floats  # (1,)


class Contest(NamedTuple):
    """A tally, the pairs that are swept to fill it, and the answer."""

    tally: SweepCounts
    roster: Roster  # pairs (i, j), i < j, by their code i K + j
    out: Bools  # K: options of which nothing more has to be known
    quorum: Ints  # (1,): a pair is dropped once so many of its two options are out
    answer: Ints  # (1,): -1 until no pair is left


def new_roster(items: Ints) -> Roster:
    """Return a roster of these numbers, none of them visited."""
    return new_record(Roster, items=items.astype(np.int64), size=len(items))


def new_tally(k: int, level: float, growth: float, margin: float) -> SweepCounts:
    """Return K options that never met; the intervals are those of the module's head."""
    return new_record(
        SweepCounts,
        k,
        vectors="won lost",
        matrices="wins duels verdict",
        level=level,
        growth=growth,
        margin=margin,
    )


def new_contest(
    k: int, level: float, growth: float = 0.0, margin: float = 0.0, quorum: int = 2
) -> Contest:
    """Return a contest that has not begun."""
    first, second = np.triu_indices(k, 1)
    return Contest(
        tally=new_tally(k, level, growth, margin),
        roster=new_roster(first * k + second),
        out=np.zeros(k, np.bool_),
        quorum=np.array([quorum], np.int64),
        answer=np.array([-1], np.int64),
    )


def failure_probability(name: str, delta: float, horizon: int) -> float:
    """Return ``delta``, or 1 / horizon where it is 0; refuse what is not a probability."""
    if not horizon >= 1:
        raise InvalidParameter(f"{name}: horizon is {horizon}; it must be at least 1.")
    if not 0 <= delta < 1:
        raise InvalidParameter(
            f"{name}: delta is {delta}; the paper requires a failure probability 0 < delta < 1 "
            "(0 stands for 1 / horizon)."
        )
    return delta if delta > 0 else 1 / horizon


@kernel
def turn(roster, rng):
    """Visit the next item, drawn from those this round has not visited; -1 if the roster is empty."""
    if roster.size[0] == 0:
        return -1
    if is_swept(roster):
        roster.visited[0] = 0
    item = draw(roster.items[: roster.size[0]], roster.visited[0], rng)
    roster.visited[0] += 1
    return item


@kernel
def is_swept(roster):
    """Tell whether every item on the roster has been visited this round."""
    return roster.visited[0] == roster.size[0]


@kernel
def visiting(roster):
    """Return the item visited last."""
    return roster.items[roster.visited[0] - 1]


@kernel
def strike(roster, at):
    """Strike off the item at place ``at``, one of those visited this round."""
    roster.visited[0] -= 1
    roster.size[0] -= 1
    roster.items[at] = roster.items[roster.visited[0]]
    roster.items[roster.visited[0]] = roster.items[roster.size[0]]


@kernel
def record(tally, winner, loser):
    """Add one duel; tell whether it proves anything new."""
    count(tally, winner, loser)
    n = tally.duels[winner, loser]
    squared = (tally.level[0] + tally.growth[0] * math.log(n)) / (2 * n)
    width = n * math.sqrt(squared)
    forwards = prove(tally, winner, loser, width)
    backwards = prove(tally, loser, winner, width)
    return forwards or backwards


@kernel
def prove(tally, i, j, width):
    """Note whether p_ij > 1/2 + margin, if that is open and sure now; tell whether it is.

    ``width`` is n times the radius: duels ahead of half of them are exact where means are rounded, so
    that without a margin i wins in the very duel in which j loses.
    """
    if tally.verdict[i, j] != 0:
        return False
    n = tally.duels[i, j]
    lead = tally.wins[i, j] - n / 2
    margin = n * tally.margin[0]
    if lead > margin + width:
        tally.verdict[i, j] = 1
        tally.won[i] += 1
        return True
    if lead < margin - width:
        tally.verdict[i, j] = -1
        tally.lost[i] += 1
        return True
    return False


@kernel
def highest_score(tally, i):
    """Return the Copeland score that option i may still have."""
    return len(tally.lost) - 1 - tally.lost[i]


@kernel
def leader(tally):
    """Return the option with the fewest sure losses, then the most sure wins, then the best record."""
    best = 0
    for i in range(1, len(tally.won)):
        ahead = float(tally.lost[best] - tally.lost[i])
        if ahead == 0:
            ahead = float(tally.won[i] - tally.won[best])
        if ahead == 0:
            ahead = win_record(tally, i) - win_record(tally, best)
        if ahead > 0:
            best = i
    return best


@kernel
def win_record(tally, i):
    """Return against how many others option i won most duels; its share of all duels breaks ties."""
    score = 0
    won = 0
    fought = 0
    for j in range(len(tally.won)):
        score += int(2 * tally.wins[i, j] > tally.duels[i, j])
        won += tally.wins[i, j]
        fought += tally.duels[i, j]
    return score + (won / fought if fought > 0 else 0.5)


@kernel
def next_pair(contest, t, rng):
    """Turn to the next pair that is needed, striking those that are not; if none is, name the answer.

    What makes a pair needless never ceases to hold, so it is enough to look when its turn comes.
    """
    code = turn(contest.roster, rng)
    while code >= 0 and not needs_duels(contest, code):
        strike(contest.roster, contest.roster.visited[0] - 1)
        code = turn(contest.roster, rng)
    if code < 0:
        contest.answer[0] = leader(contest.tally)


@kernel
def needs_duels(contest, code):
    """Tell whether a pair is open in one of its directions, and too few of its options are out."""
    k = len(contest.out)
    i, j = code // k, code % k
    verdict = contest.tally.verdict
    decided = verdict[i, j] != 0 and verdict[j, i] != 0
    return not decided and int(contest.out[i]) + int(contest.out[j]) < contest.quorum[0]


@kernel
def pair_to_duel(contest, t, rng):
    """Return the pair whose turn it is, or the answer against itself."""
    if contest.answer[0] >= 0:
        return contest.answer[0], contest.answer[0]
    code = visiting(contest.roster)
    return code // len(contest.out), code % len(contest.out)


@kernel
def answer_or_leader(contest):
    """Return the answer; before it is found, the option that leads."""
    return contest.answer[0] if contest.answer[0] >= 0 else leader(contest.tally)


@kernel
def rule_out_options(contest):
    """Put out every option whose score is sure to be below another's; return how many are out."""
    surest = greatest(contest.tally.won)
    n = 0
    for i in range(len(contest.out)):
        contest.out[i] = highest_score(contest.tally, i) < surest
        n += int(contest.out[i])
    return n


CONTEST_PARTS = {  # what every algorithm that is a contest registers
    "advance": next_pair,
    "select": pair_to_duel,
    "recommend": answer_or_leader,
    "finished": finished,
}
