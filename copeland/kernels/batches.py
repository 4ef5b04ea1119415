"""What elimination in batches shares: options are cut into batches, dropped, and batches merged.

Options duel only within their batch, so that K options make K p pairs instead of K^2. An option is
dropped, for good, once another of its batch is sure to beat it; when half of the options are gone,
small batches join large ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels.arrays import Ints, draw, new_record
from copeland.kernels.mark import kernel

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
    _regroup(batches)


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
        _regroup(batches)
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
    _regroup(batches)


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
    _regroup(batches)
    return b % batches.n[0]


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
def _regroup(batches):
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
