"""Elimination by sweeps over the pairs: SAVAGE, PBR and RankEl, for Copeland winners and one for Condorcet winners.

All pairs that can still matter are dueled sweep by sweep, and a pair is dropped for good once it is decided or once its
options are out of the running. When no pair is left the answer is known; it is then played to the horizon. The sure score
of an option is the number of others that it surely beats, its highest possible one leaves out those that surely beat it.

- SAVAGE: Urvoy, Clerot, Feraud & Naamane 2013. `savage` looks for a Copeland winner and assumes nothing: an option is out
  once its highest possible score is below another's sure score, and a pair matters unless both of its options are out.
  `savage-condorcet` assumes a Condorcet winner: an option is out once it is beaten, and a pair matters unless one of its
  options is out.
- PBR, preference-based racing: Busa-Fekete, Szörényi, Weng, Cheng & Hüllermeier 2013. The paper selects the best few
  options; this is its race for the best one. An option is discarded once another's score is sure to be higher, selected
  once its score is sure to be above all others', and a pair matters unless both of its options are settled in one of these
  ways.
- RankEl, rank elicitation: Busa-Fekete, Szörényi & Hüllermeier 2014, with Copeland scores: how many others an option beats
  with probability above 1/2 + ``epsilon``. A pair is dropped only once it is known, for both of its options, whether it
  counts. The paper ranks all options up to an allowed ranking error; this is its use for the best one: it stops once one
  option's sure score is at least every other's highest possible score.

Rulings where the papers are silent:

- A sweep takes every unordered pair once, in a new random order. SAVAGE duels the pair dueled least, which is the same.
- A decision is final, also if later answers that nobody asked for contradict it. It holds at once and not from the next
  sweep on, which saves less than a sweep.
- The answer is the option with the fewest sure losses, then the most sure wins. Before the end, or where PBR selects
  nobody because several may share the highest score, ties go to the option that won most of its duels against the most
  others.
- SAVAGE: "below" is strict; an option that can at best equal the leader stays in.
- PBR: option i is selected if #{j : highest score of j < sure score of i} >= K - 1 and discarded if
  #{j : sure score of j > highest score of i} >= 1. Public implementations have ">" for ">=" and K for K - 1 in the scores;
  with these one option could never be selected. n_max, the cap on the duels of a pair, is the horizon, which no pair can
  exceed.
- RankEl: option i beats j once its interval lies above 1/2 + epsilon and fails to once it lies below. So a pair is dropped
  if its interval lies above 1/2 + epsilon, below 1/2 - epsilon, or between the two. With epsilon = 0 a pair at exactly 1/2
  is dueled for ever, unless the answer does not depend on it.

Not checked against the papers, whose texts were not at hand (so no algorithm number is given).

- SAVAGE, from public implementations that agree with each other: the radius sqrt(ln(eta / delta) / (2n)), with
  eta = K (K - 1) T for a horizon T and eta = pi^2 N n^2 / 3, N = K (K - 1) / 2, without; delta = 1/T for regret; the strict
  comparison of scores; and that one beaten option is enough to drop a pair in the Condorcet version (one implementation
  asks for two).
- PBR: the radius sqrt(ln(2 K^2 n_max / delta) / (2n)) is that of one public implementation (another has an anytime radius),
  and delta = 1/T with n_max = T is our choice for regret.
- RankEl: no code was at hand either; everything here is second-hand. The radius sqrt(ln(5 K^2 n^4 / (4 delta)) / (2n)) is
  valid whatever its source: its error probabilities, summed over n, both sides and all pairs, stay below 0.87 delta.
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
from copeland.registry import register

# A roster is visited in turn, in a new random order each time round: that is the rule "take the one taken least often, ties
# at random", at a cost that does not depend on the roster's length.


class Roster(NamedTuple):
    """Numbers that are visited in turn until they are struck off."""

    items: Ints  # those on the roster first; of these, the ones that this round has visited first
    size: Ints  # (1,): how many are on the roster
    visited: Ints  # (1,): how many of them this round has visited


def new_roster(items: Ints) -> Roster:
    """Return a roster of these numbers, none of them visited."""
    return new_record(Roster, items=items.astype(np.int64), size=len(items))


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


def new_tally(k: int, level: float, growth: float, margin: float) -> SweepCounts:
    """Return K options that never met; an interval is w/n +- sqrt((level + growth ln n) / (2n))."""
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
def advance(contest, t, rng):
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
def select(contest, t, rng):
    """Return the pair whose turn it is, or the answer against itself."""
    if contest.answer[0] >= 0:
        return contest.answer[0], contest.answer[0]
    code = visiting(contest.roster)
    return code // len(contest.out), code % len(contest.out)


@kernel
def recommend(contest):
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


# SAVAGE


def init_savage(k: int, horizon: int, delta: float = 0.0) -> Contest:
    """Begin; the answer is wrong with probability ``delta`` at most (0: 1/horizon, for regret)."""
    return begin("savage", k, horizon, delta, quorum=2)


def init_condorcet(k: int, horizon: int, delta: float = 0.0) -> Contest:
    """Begin; as above, where there is a Condorcet winner."""
    return begin("savage-condorcet", k, horizon, delta, quorum=1)


def begin(name: str, k: int, horizon: int, delta: float, quorum: int) -> Contest:
    """Return all pairs undueled, with the radius for a known horizon or, given delta, for any time."""
    pairs = k * (k - 1) / 2
    probability = failure_probability(name, delta, horizon)
    if delta > 0:
        level = math.log(math.pi**2 * pairs / (3 * probability))
        return new_contest(k, level, growth=2.0, quorum=quorum)
    return new_contest(k, math.log(2 * pairs * horizon / probability), quorum=quorum)


@kernel
def update_savage(state, winner, loser, rng):
    """Count the duel; if it decides the pair, see which options cannot be Copeland winners."""
    if record(state.tally, winner, loser):
        rule_out_options(state)


@kernel
def update_condorcet(state, winner, loser, rng):
    """Count the duel; if it decides the pair, the one that loses is not the Condorcet winner."""
    if record(state.tally, winner, loser):
        for option in (winner, loser):
            state.out[option] = state.tally.lost[option] > 0


# PBR


def init_pbr(k: int, horizon: int, delta: float = 0.0) -> Contest:
    """Begin; the answer is wrong with probability ``delta`` at most (0: 1/horizon, for regret)."""
    probability = failure_probability("pbr", delta, horizon)
    return new_contest(k, math.log(2 * k**2 * horizon / probability))


@kernel
def update_pbr(state, winner, loser, rng):
    """Count the duel; if it decides the pair, discard options and select the last one left."""
    if record(state.tally, winner, loser):
        discarded = rule_out_options(state)
        if discarded == len(state.out) - 1:
            state.out[:] = True


# RankEl


def init_rankel(k: int, horizon: int, epsilon: float = 0.0, delta: float = 0.0) -> Contest:
    """Begin; the answer is wrong with probability ``delta`` at most (0: 1/horizon, for regret)."""
    if not 0 <= epsilon < 0.5:
        raise InvalidParameter(f"rankel: epsilon is {epsilon}; the paper needs 0 <= epsilon < 1/2.")
    probability = failure_probability("rankel", delta, horizon)
    return new_contest(k, math.log(5 * k**2 / (4 * probability)), growth=4.0, margin=epsilon)


@kernel
def update_rankel(state, winner, loser, rng):
    """Count the duel; if that makes the best option sure, no pair is needed any more."""
    if record(state.tally, winner, loser) and best_is_sure(state.tally):
        state.out[:] = True


@kernel
def best_is_sure(tally):
    """Tell whether one option's sure score is at least every other's highest possible score.

    Only an option that may score above every sure score can stand in the way. If there is one, it
    must be the best itself, with the highest sure score; if there are two, one stands in the way.
    """
    surest = greatest(tally.won)
    above = 0
    for i in range(len(tally.won)):
        if highest_score(tally, i) > surest:
            above += 1
            if above > 1 or tally.won[i] < surest:
                return False
    return True


SAVAGE = register(
    __name__,
    name="savage",
    paper="Urvoy, Clerot, Feraud & Naamane 2013, SAVAGE for Copeland",
    summary="SAVAGE: duels every pair that can still matter until none is left",
    target="copeland",
    init=init_savage,
    update=update_savage,
    finished=finished,
)

SAVAGE_CONDORCET = register(
    __name__,
    name="savage-condorcet",
    paper="Urvoy, Clerot, Feraud & Naamane 2013, SAVAGE for Condorcet",
    summary="SAVAGE for a Condorcet winner: one sure loss rules an option out",
    target="condorcet",
    init=init_condorcet,
    update=update_condorcet,
    finished=finished,
    assumes_condorcet=True,
)

PBR = register(
    __name__,
    name="pbr",
    paper="Busa-Fekete, Szörényi, Weng, Cheng & Hüllermeier 2013, PBR with Copeland scores",
    summary="Preference-based racing: sweeps over pairs until one option is sure to score best",
    target="copeland",
    init=init_pbr,
    update=update_pbr,
    finished=finished,
)

RANKEL = register(
    __name__,
    name="rankel",
    paper="Busa-Fekete, Szörényi & Hüllermeier 2014, RankEl with Copeland scores",
    summary="Rank elicitation: decides every pair it can, stops when the best option is sure",
    target="copeland",
    init=init_rankel,
    update=update_rankel,
    finished=finished,
)
