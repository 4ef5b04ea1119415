"""mergeRUCB and MergeDTS: rules in batches, which merge as options are dropped.

The batches take turns. Options duel only within their batch, so that K options make K p pairs instead of K^2. An option that
is sure to lose to another of its batch is dropped for good; when half of the options are gone, batches are merged. The last
option left plays itself for ever. A Condorcet winner is assumed.

- mergeRUCB: Zoghi, Whiteson & de Rijke 2015 (WSDM), Algorithm 1. In each batch a random option meets the one with the
  highest upper bound against it.
- MergeDTS: Li, Markov, de Rijke & Zoghi 2020 (TOIS), Algorithm 1. In each batch a sampled champion meets the option that a
  second sample makes the surest to lose to it, so that it is soon dropped. Of the first sample only the entries above 1/2
  are used, so a coin for each pair of the batch stands for it (see :mod:`copeland.kernels.thompson_sampling`).

Rulings where the papers are silent:

- Options are dropped one at a time, drawn from those that are beaten in what is left of the batch, so
  that a batch never runs empty, also where preferences run in a cycle.
- The recommendation is the option, of those left, that won against the most others more often than not.
- mergeRUCB: a pair that never met has u = +inf: with ln(t + C) in the bounds, x/0 := 1 would put it last. A batch of one
  option is passed over; if all of them are such, batches are merged at once.
- MergeDTS: theta_ij and theta_ji = 1 - theta_ij are one sample; the authors' code draws two. Counts begin at 0 and priors
  are uniform; the authors' code counts the prior in the bounds too.

Neither paper could be opened.

- C(delta), p = 4, alpha = 1.01, delta = 0.01 and the way of merging of mergeRUCB are those of public code: of the lerot
  framework and of the authors of MergeDTS, which agree. Both merge when K / 2^S + 1 options are left, rounded down; whether
  the paper has the 1 is not known. Both begin with one win of everyone over everyone, and the second restarts the clock of
  the bounds at a merge; neither is followed.
- The rule of MergeDTS is that of the authors' public code, with the values that it calls the best, alpha = 0.8^6, M = 16 and
  C = 400,000; the theory's alpha > 1/2 does not hold for them. From the code, too: an option alone in its batch joins the
  next batch, the clock of the bounds is restarted when batches are merged, and that is when K / 2^S + 1 options are left,
  rounded down.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, draw, draw_greatest, new_record, pick
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER, count, upper
from copeland.kernels.thompson_sampling import Beliefs, believe, new_beliefs, theta
from copeland.registry import register

INVISIBLE = 80.0  # added to e^80, no step makes a difference


class DuelCounts(NamedTuple):
    """Who was dueled how often."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric


class Batches(NamedTuple):
    """The options that are left, in batches."""

    batch: Ints  # K: the batch of each option, -1 once it is dropped
    members: Ints  # K: the options that are left, batch by batch
    start: Ints  # K + 1: where each batch begins among them; at [n], how many options are left
    n: Ints  # (1,): the number of batches, 0 before the options are cut into batches
    stage: Ints  # (1,): S, from 1
    size: Ints  # (1,): p, the size of a full batch
    room: Ints  # K: to sort in


def new_counts(k: int) -> DuelCounts:
    """Return K options that never met."""
    return new_record(DuelCounts, k, matrices="wins duels")


def new_batches(k: int, size: int) -> Batches:
    """Return K options that are still to be cut into batches of ``size``."""
    return new_record(
        Batches,
        k,
        vectors="batch room",
        members=np.arange(k),
        start=np.zeros(k + 1, np.int64),
        stage=1,
        size=size,
    )


@kernel
def cut(batches, rng):
    """Shuffle the options and cut them into batches of p; the last may be smaller."""
    k = len(batches.batch)
    for place in range(k):
        batches.batch[draw(batches.members, place, rng)] = place // batches.size[0]
    batches.n[0] = (k + batches.size[0] - 1) // batches.size[0]
    regroup(batches)


@kernel
def log_with_shift(t, log_shift):
    """Return ln(t + C), for any C however large."""
    return math.log(t + math.exp(log_shift)) if log_shift < INVISIBLE else log_shift


@kernel
def options_left(batches):
    """Return how many options are left."""
    n = batches.n[0]
    return batches.start[n] if n > 0 else len(batches.batch)


@kernel
def size_of(batches, b):
    """Return the number of options in batch b."""
    return batches.start[b + 1] - batches.start[b]


@kernel
def member(batches, b, nth):
    """Return the nth option of batch b."""
    return batches.members[batches.start[b] + nth]


@kernel
def is_beaten(counts, i, j, spread):
    """Tell whether u_ij = w/n + sqrt(spread / n) < 1/2."""
    n = counts.duels[i, j]
    short = n / 2 - counts.wins[i, j]
    return short > 0 and short * short > spread * n


@kernel
def drop_beaten(batches, counts, b, spread, rng):
    """Drop options of batch b that are sure to lose to another, one random one after the other."""
    i = _draw_loser(batches, counts, b, spread, rng)
    while i >= 0:
        batches.batch[i] = -1
        regroup(batches)
        i = _draw_loser(batches, counts, b, spread, rng)


@kernel
def _draw_loser(batches, counts, b, spread, rng):
    """Draw one of the options of batch b that another one beats for sure; -1 if there is none."""
    found = -1
    n = 0
    for x in range(size_of(batches, b)):
        i = member(batches, b, x)
        if _sure_losses(batches, counts, b, i, spread) > 0:
            n += 1
            if n == 1 or rng.random() * n < 1:
                found = i
    return found


@kernel
def _sure_losses(batches, counts, b, i, spread):
    """Count the options of batch b that option i is sure to lose to."""
    losses = 0
    for y in range(size_of(batches, b)):
        losses += int(is_beaten(counts, i, member(batches, b, y), spread))
    return losses


@kernel
def most_wins(batches, counts):
    """Return the option, of those left, that won against the most others more often than it lost."""
    best = -1
    most = -1
    for i in range(len(batches.batch)):
        if batches.batch[i] >= 0:
            won = 0
            for j in range(len(batches.batch)):
                won += int(2 * counts.wins[i, j] > counts.duels[i, j])
            if won > most:
                best, most = i, won
    return best


@kernel
def stage_is_over(batches):
    """Tell whether few enough options are left, K / 2^S + 1, to merge batches."""
    few = len(batches.batch) // 2 ** batches.stage[0] + 1
    return batches.n[0] > 1 and options_left(batches) <= few


@kernel
def next_stage(batches, rng):
    """Merge batches, and once more if one is still of half the full size or less."""
    merge(batches, rng)
    for b in range(batches.n[0]):
        if 2 * size_of(batches, b) <= batches.size[0]:
            merge(batches, rng)
            break
    batches.stage[0] += 1


@kernel
def merge(batches, rng):
    """Join the smallest batch with the largest, and so on inwards, where that makes 3p/2 or less."""
    _rank(batches, rng)
    n = 0
    small, large = 0, batches.n[0] - 1
    while small <= large:
        a, b = batches.room[small], batches.room[large]
        _rename(batches, b, n)
        if a != b and 2 * (size_of(batches, a) + size_of(batches, b)) <= 3 * batches.size[0]:
            _rename(batches, a, n)
            small += 1
        large -= 1
        n += 1
    batches.n[0] = n
    regroup(batches)


@kernel
def _rank(batches, rng):
    """Sort the batches by size, equals in random order."""
    n = batches.n[0]
    ranked = batches.room[:n]
    for b in range(n):
        ranked[b] = b
    for place in range(n):
        draw(ranked, place, rng)
    for place in range(1, n):
        b = ranked[place]
        at = place
        while at > 0 and size_of(batches, ranked[at - 1]) > size_of(batches, b):
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = b


@kernel
def _rename(batches, b, name):
    """Call batch b ``name``; who its members are is asked by its old name until they are regrouped."""
    for x in range(size_of(batches, b)):
        batches.batch[member(batches, b, x)] = name


@kernel
def regroup(batches):
    """List the members batch by batch: a counting sort."""
    batches.start[:] = 0
    for b in batches.batch:
        if b >= 0:
            batches.start[b + 1] += 1
    for b in range(batches.n[0]):
        batches.start[b + 1] += batches.start[b]
        batches.room[b] = batches.start[b]  # where the next member of batch b belongs
    for i in range(len(batches.batch)):
        b = batches.batch[i]
        if b >= 0:
            batches.members[batches.room[b]] = i
            batches.room[b] += 1


# mergeRUCB


class State(NamedTuple):
    """What mergeRUCB knows."""

    counts: DuelCounts  # W
    batches: Batches
    turn: Ints  # (1,): the batch of this step
    alpha: Floats  # (1,)
    log_shift: Floats  # (1,): ln C


def init(k: int, alpha: float = 1.01, p: int = 4, delta: float = 0.01, shift: float = 0) -> State:
    """Begin with batches of ``p``; C is C(``delta``), or ``shift`` if that is given."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(f"merge-rucb: alpha is {alpha}; the paper requires alpha > 1/2.")
    if not p >= 4 or p != int(p):
        raise InvalidParameter(f"merge-rucb: p is {p}; the paper requires a whole number p >= 4.")
    if shift and not 1 <= shift < math.inf:
        raise InvalidParameter(
            f"merge-rucb: shift is {shift}; C must be at least 1, or 0 to use C(delta)."
        )
    return State(
        counts=new_counts(k),
        batches=new_batches(k, int(p)),
        turn=np.zeros(1, np.int64),
        alpha=np.array([alpha], np.float64),
        log_shift=np.array([math.log(shift) if shift else log_c(k, alpha, delta)]),
    )


def log_c(k: int, alpha: float, delta: float) -> float:
    """Return ln C(delta): from step C(delta) on all bounds hold together, with probability 1 - delta."""
    if not alpha > 0.5:
        raise InvalidParameter(
            f"merge-rucb: alpha is {alpha}; C(delta) requires alpha > 1/2, unless shift= is given."
        )
    if not 0 < delta < 1:
        raise InvalidParameter(f"merge-rucb: delta is {delta}; it is a probability, 0 < delta < 1.")
    return math.log((4 * alpha - 1) * k**2 / ((2 * alpha - 1) * delta)) / (2 * alpha - 1)


@kernel
def advance(state, t, rng):
    """Merge batches if the stage is over, and come to a batch whose options can still meet."""
    batches = state.batches
    if batches.n[0] == 0:
        cut(batches, rng)
    if stage_is_over(batches):
        next_stage(batches, rng)
    state.turn[0] = t % batches.n[0]
    spread = state.alpha[0] * log_with_shift(t, state.log_shift[0])
    while not find_batch(state, spread, rng) and batches.n[0] > 1:
        merge(batches, rng)
        state.turn[0] = 0


@kernel
def find_batch(state, spread, rng):
    """From the batch whose turn it is, go on to the first that has two options or more, if any."""
    batches = state.batches
    for _ in range(batches.n[0]):
        drop_beaten(batches, state.counts, state.turn[0], spread, rng)
        if size_of(batches, state.turn[0]) > 1:
            return True
        state.turn[0] = (state.turn[0] + 1) % batches.n[0]
    return False


@kernel
def select(state, t, rng):
    """Return a random option of the batch and its strongest challenger; the last option left, itself."""
    b = state.turn[0]
    n = size_of(state.batches, b)
    c = member(state.batches, b, pick(rng, n))
    if n == 1:
        return c, c
    spread = state.alpha[0] * log_with_shift(t, state.log_shift[0])
    return c, challenger(state, b, c, spread, rng)


@kernel
def challenger(state, b, c, spread, rng):
    """Return the other option of batch b with the highest u_dc, equals drawn."""
    d = c
    highest = -1.0
    n = 0
    for x in range(size_of(state.batches, b)):
        l = member(state.batches, b, x)
        if l != c:
            u = upper(state.counts, l, c, spread, math.inf)
            if u > highest:
                d, highest, n = l, u, 1
            elif u == highest:  # the nth of equals takes the place with probability 1/n
                n += 1
                if rng.random() * n < 1:
                    d = l
    return d


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    count(state.counts, winner, loser)


@kernel
def recommend(state):
    """Return the option, of those left, that won against the most others more often than not."""
    return most_wins(state.batches, state.counts)


@kernel
def rest(state, t):
    """Return NEVER: who plays itself is the last option left."""
    return NEVER


# MergeDTS


class DtsState(NamedTuple):
    """What MergeDTS knows, and the sample of this step."""

    counts: DuelCounts
    beliefs: Beliefs
    batches: Batches
    turn: Ints  # (1,): the batch of this step
    champion: Ints  # (1,): its champion
    scores: Ints  # K: sampled wins, by place in the batch
    alpha: Floats  # (1,)
    log_shift: Floats  # (1,): ln C
    merged: Ints  # (1,): the step before which batches were merged last


def init_dts(k: int, alpha: float = 0.262144, m: int = 16, shift: float = 400_000) -> DtsState:
    """Begin with batches of ``m``; bounds are as wide as after ``shift`` = C steps."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(
            f"merge-dts: alpha is {alpha}; the width of the bounds must be above 0."
        )
    if not m >= 4 or m != int(m):
        raise InvalidParameter(
            f"merge-dts: m is {m}; as in mergeRUCB a batch has at least 4 options, a whole number."
        )
    if not 1 <= shift < math.inf:
        raise InvalidParameter(f"merge-dts: shift is {shift}; C must be at least 1.")
    return new_record(
        DtsState,
        k,
        vectors="scores",
        counts=new_counts(k),
        beliefs=new_beliefs(k),
        batches=new_batches(k, int(m)),
        champion=-1,
        alpha=alpha,
        log_shift=math.log(shift),
        merged=1,
    )


@kernel
def advance_dts(state, t, rng):
    """Merge batches if the stage is over; come to the next batch, prune it and sample its champion."""
    batches = state.batches
    if batches.n[0] == 0:
        cut(batches, rng)
    if stage_is_over(batches):
        next_stage(batches, rng)
        state.merged[0] = t
    clock = t - state.merged[0] + 1
    state.turn[0] = clock % batches.n[0]
    prune(state, state.alpha[0] * log_with_shift(clock, state.log_shift[0]), rng)
    state.champion[0] = sampled_champion(state, rng)


@kernel
def prune(state, spread, rng):
    """Drop the options of the batch that are sure to lose; the last of a batch joins the next."""
    batches = state.batches
    drop_beaten(batches, state.counts, state.turn[0], spread, rng)
    while size_of(batches, state.turn[0]) == 1 and batches.n[0] > 1:
        state.turn[0] = join_next(batches, state.turn[0])
        drop_beaten(batches, state.counts, state.turn[0], spread, rng)


@kernel
def join_next(batches, b):
    """Join batch b with the next, in a circle; return the number of what they become."""
    other = (b + 1) % batches.n[0]
    for i in range(len(batches.batch)):
        if batches.batch[i] == b:
            batches.batch[i] = other
        if batches.batch[i] > b:
            batches.batch[i] -= 1
    batches.n[0] -= 1
    regroup(batches)
    return b % batches.n[0]


@kernel
def sampled_champion(state, rng):
    """Draw an option of the batch that beats the most others of it in a sampled matrix."""
    batches, b = state.batches, state.turn[0]
    n = size_of(batches, b)
    sample_wins(state, b, n, rng)
    return member(batches, b, draw_greatest(state.scores[:n], rng))


@kernel
def sample_wins(state, b, n, rng):
    """Draw a matrix of the n options of batch b and count each one's entries above 1/2."""
    state.scores[:n] = 0
    for x in range(n):
        i = member(state.batches, b, x)
        for y in range(x):
            above = rng.random() < state.beliefs.above[i, member(state.batches, b, y)]
            state.scores[x] += int(above)
            state.scores[y] += int(not above)


@kernel
def select_dts(state, t, rng):
    """Return the champion, and the other option of its batch with the lowest sample against it."""
    c = state.champion[0]
    d = c
    lowest = 1.0  # theta_cc: never itself, unless it is the last option left
    for x in range(size_of(state.batches, state.turn[0])):
        j = member(state.batches, state.turn[0], x)
        if j != c:
            sampled = theta(state.counts, j, c, rng)
            if d == c or sampled < lowest:
                d, lowest = j, sampled
    return c, d


@kernel
def update_dts(state, winner, loser, rng):
    """Count the duel."""
    believe(state.beliefs, state.counts, winner, loser)
    count(state.counts, winner, loser)


MERGE_RUCB = register(
    __name__,
    name="merge-rucb",
    paper="Zoghi, Whiteson & de Rijke 2015 (WSDM), Algorithm 1",
    summary="RUCB in batches that merge as options are dropped; for many options",
    target="condorcet",
    assumes_condorcet=True,
)

MERGE_DTS = register(
    __name__,
    name="merge-dts",
    paper="Li, Markov, de Rijke & Zoghi 2020 (TOIS), Algorithm 1",
    summary="Double Thompson sampling in batches that merge; for very many options",
    target="condorcet",
    init=init_dts,
    advance=advance_dts,
    select=select_dts,
    update=update_dts,
    assumes_condorcet=True,
)
