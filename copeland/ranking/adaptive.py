"""An estimate that spends its comparisons where the winners are still open.

Most pairs of rankers cannot change who wins: both are beaten too often, or the pair is told apart at
once. So the comparisons are made in rounds. In the first, every pair gets a sixteenth of what the
protocol allows it; in each later round only the pairs of :func:`pairs_that_matter` get more, and as
much as they have had in all rounds before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from copeland.errors import InvalidParameter
from copeland.ranking.collection import Collection
from copeland.ranking.estimation import (
    Estimate,
    Protocol,
    all_pairs,
    joined,
    pairs_tasks,
    tally,
    world_of,
)
from copeland.ranking.interleaved_comparison import EVEN
from copeland.ranking.rankers import Ranker
from copeland.support.arrays import Bools
from copeland.support.tasks import finish

Z = 3.0  # standard errors within which a pair, or a Borda score, is still open
FIRST_SHARE = 16  # the first round makes one in so many of the protocol's comparisons
ROUNDS = 5  # a pair that is in all of them gets 2**4 / 16 of the protocol's comparisons: all
LOT = 5  # a task makes about as many comparisons as a full estimate of so many pairs


def estimate_adaptively(
    collection: Collection,
    rankers: Sequence[Ranker],
    protocol: Protocol,
    folder: str | Path,
    seed: int = 0,
    jobs: int = 1,
    rounds: int = ROUNDS,
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[str], None] | None = None,
    backend: str = "loky",
) -> Estimate:
    """Compare every two rankers, more often where that can still change a winner.

    It ends when no pair matters any more, after ``rounds``, or when as many comparisons are made as
    :func:`copeland.ranking.estimation.estimate` would make: ``protocol.comparisons`` times the number
    of pairs. Every round compares all queries equally often, so pairs of unequal n are estimated alike.

    Parameters
    ----------
    folder
        Where finished rounds are kept, so that a run that was stopped goes on.
    jobs
        Processes; the counts do not depend on it.
    backend
        ``loky`` (this machine), ``dask`` or ``ray``; the counts do not depend on it.
    rounds
        At most so many, each as long as all before it: what bounds the cost of pairs that are as good as
        tied. With 5 no pair gets more than ``protocol.comparisons``, but for rounding up to whole passes
        over the queries; each one more lets a pair have twice that, out of what others did not need.
    progress
        Called with (comparisons made, comparisons at most).

    Examples
    --------
    >>> import tempfile
    >>> from copeland.ranking import all_features, synthetic
    >>> from copeland.ranking.clicks import click_model
    >>> collection = synthetic(queries=20, features=5)
    >>> protocol = Protocol(click_model("perfect"), comparisons=1600)
    >>> rankers = all_features(collection)[:3]
    >>> found = estimate_adaptively(collection, rankers, protocol, tempfile.mkdtemp())
    >>> found.n.tolist()  # of the 1,600 comparisons that each pair may have
    [[0, 100, 100], [100, 0, 100], [100, 100, 0]]
    """
    if rounds < 1:
        raise InvalidParameter(f"rounds is {rounds}; there must be at least 1.")
    world = world_of(collection, rankers, protocol, seed)
    labels = [ranker.name for ranker in rankers]
    pairs = all_pairs(len(rankers))
    # Rankers that order all documents alike are exactly tied when interleaved.
    keys = np.array([hashlib.sha256(row.tobytes()).hexdigest() for row in world.orders])
    same = keys[:, None] == keys[None, :]
    budget = left = protocol.comparisons * len(pairs)
    queries = len(world.offsets) - 1
    first = -(-protocol.comparisons // FIRST_SHARE)
    step = min(-(-first // queries) * queries, protocol.comparisons)
    counts, sums = np.zeros((len(pairs), 3), np.int64), np.zeros((len(pairs), 2))
    chosen = np.arange(len(pairs))
    times = step
    for number in range(rounds):
        if number > 0:
            found = tally(labels, protocol.outcome, pairs, counts, sums)
            chosen = np.flatnonzero(pairs_that_matter(found, same)[tuple(np.array(pairs).T)])
            if not len(chosen):
                break
            # Whole passes over the queries only: otherwise the first ones would weigh more.
            times = min(step << (number - 1), left // len(chosen) // queries * queries)
        if times == 0:
            break
        rules = replace(protocol, comparisons=times)
        size = max(1, LOT * protocol.comparisons // times)
        tasks = pairs_tasks(world, rules, [pairs[c] for c in chosen], seed, number, size)
        told = progress and _tell_comparisons(progress, budget - left, times * len(chosen), budget)
        more = joined(finish(tasks, Path(folder), jobs, backend, told, note))
        counts[chosen] += more[0]
        sums[chosen] += more[1]
        left -= times * len(chosen)
    return tally(labels, protocol.outcome, pairs, counts, sums)


def pairs_that_matter(found: Estimate, same: Bools | None = None) -> Bools:
    """Return, for each pair, whether comparing it more can still change a winner.

    A pair is *open* while its probability is within 3 standard errors of 1/2. An option surely beats
    those it is told apart from and above; it may beat the open ones too.

    - Copeland and Condorcet: a *contender* may beat at least as many as any other surely beats. Pairs
      of two others change no winner, whoever wins them, and pairs that are not open change no score.
      So the open pairs of contenders matter; if just one contender is left (or copies of one) it has
      won, and its open pairs matter only as long as it may beat everybody.
    - Borda: a contender's score, with 3 standard errors, reaches that of the best without them. All
      its pairs matter, open or not, because the score is their sum, until one contender is left.

    The standard error of an open pair is the one it would have at 1/2, so that nine comparisons or
    fewer decide nothing. The levels are not corrected for the number of pairs and rounds: this says
    where to look next, and is no guarantee of the winners. Other notions are not looked at.

    Parameters
    ----------
    same
        Pairs known to be tied, an option with itself among them: however often they are compared, they
        stay 1/2.

    Examples
    --------
    >>> from copeland.ranking.estimation import tally
    >>> counts = np.array([[52, 48, 0], [99, 1, 0], [99, 1, 0]])  # of 0-1, 0-2 and 1-2
    >>> sums = np.array([[4.0, 100.0], [98.0, 100.0], [98.0, 100.0]])
    >>> found = tally(["a", "b", "c"], "sign", all_pairs(3), counts, sums)
    >>> pairs_that_matter(found)[2].tolist()  # the last may yet change a Borda winner
    [True, True, False]
    """
    k = len(found.labels)
    known = np.eye(k, dtype=bool) if same is None else same
    square = np.maximum(found.spread + found.lead**2, EVEN**2)
    is_open = (np.abs(found.lead) * np.sqrt(found.n) <= Z * np.sqrt(square)) & ~known
    surely = ((found.lead > 0) & ~is_open & ~known).sum(axis=1)
    maybe = surely + is_open.sum(axis=1)
    contenders = maybe >= surely.max()
    if known[contenders][:, contenders].all():
        contenders &= maybe == k - 1
    score = found.probabilities().sum(axis=1)
    width = Z * np.sqrt((found.standard_errors() ** 2).sum(axis=1))
    leaders = score + width >= (score - width).max()
    if known[leaders][:, leaders].all():
        leaders[:] = False
    return is_open & _touching(contenders) | ~known & _touching(leaders)


def _touching(options: Bools) -> Bools:
    return options[:, None] | options[None, :]


def _tell_comparisons(
    progress: Callable[[int, int], None], before: int, now: int, budget: int
) -> Callable[[int, int], None]:
    """Return what tells of a round's tasks as of comparisons of the whole."""
    return lambda done, total: progress(before + now * done // total, budget)
