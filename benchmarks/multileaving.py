"""Lists to a certificate: one list that mixes many rankers and votes on all their pairs, beside lists of two.

Votes of one list depend on each other, so the list is a person: the certificate is that for dependent voters. Lists of
two are chosen by `cpc-pac`, and their votes are independent.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np

import copeland
from copeland.certificate.certificate import certify
from copeland.certificate.proof import Terms, is_decided
from copeland.policy import warm
from copeland.problems.problem import matrix_problem
from copeland.ranking import all_features, letor, rankings
from copeland.ranking.clicks import click_model

LENGTH = 10
BLOCK = 50  # lists between two looks
MOST = 300_000  # lists after which a run is given up
RUNS = 5
SAMPLES = 40_000  # lists of each pair, for the probabilities of lists of two
DELTA = 0.05
NAMED = 40  # questions of the planner, of which the rankers are mixed


class Search(NamedTuple):
    """Rankers of some queries, and how users click."""

    orders: np.ndarray  # [ranker, document]: documents of a query by number, the best first
    grades: np.ndarray
    offsets: np.ndarray
    click: np.ndarray
    stop: np.ndarray


@numba.njit(cache=True)
def draft(search, mixed, length, credit, spot, used, waiting, rng):
    """Mix rankers into a list by team draft, let a user click, and count the clicks of each team."""
    q = int(rng.random() * (len(search.offsets) - 1))
    begin, n = search.offsets[q], search.offsets[q + 1] - search.offsets[q]
    used[:n] = False
    credit[:] = 0
    spot[:] = 0
    left = 0
    for _ in range(min(length, n)):
        if left == 0:  # a round: each ranker adds one document, in an order that is drawn
            left = len(mixed)
            waiting[:left] = mixed
        at = int(rng.random() * left)
        team = waiting[at]
        left -= 1
        waiting[at] = waiting[left]
        while used[search.orders[team, begin + spot[team]]]:
            spot[team] += 1
        document = search.orders[team, begin + spot[team]]
        used[document] = True
        grade = search.grades[begin + document]
        if rng.random() < search.click[grade]:
            credit[team] += 1
            if rng.random() < search.stop[grade]:
                return


@numba.njit(cache=True)
def votes_of(search, mixed, n, wins, ties, rng):
    """Show lists, and let each vote on every pair of the rankers it mixes: who has more clicks wins."""
    k, most = search.orders.shape[0], np.diff(search.offsets).max()
    credit, spot = np.zeros(k, np.int64), np.zeros(k, np.int64)
    used, waiting = np.zeros(most, np.bool_), np.zeros(k, np.int64)
    for _ in range(n):
        draft(search, mixed, LENGTH, credit, spot, used, waiting, rng)
        for a in range(len(mixed)):
            for b in range(a + 1, len(mixed)):
                i, j = mixed[a], mixed[b]
                if credit[i] > credit[j]:
                    wins[i, j] += 1
                elif credit[j] > credit[i]:
                    wins[j, i] += 1
                else:
                    ties[i, j] += 1
                    ties[j, i] += 1


def search_of(collection, features, model="navigational"):
    """Some features of a collection as rankers."""
    rankers = [all_features(collection)[f] for f in features]
    clicks = click_model(model)
    return Search(
        np.ascontiguousarray(rankings(collection, rankers)).astype(np.int64),
        collection.grades.astype(np.int64),
        collection.offsets.astype(np.int64),
        np.array(clicks.click),
        np.array(clicks.stop),
    )


def table_of(search, rng, n=SAMPLES):
    """Wins and ties of lists of two, for every pair."""
    k = len(search.orders)
    wins, ties = np.zeros((2, k, k), np.int64)
    for i, j in zip(*np.triu_indices(k, 1), strict=True):
        votes_of(search, np.array([i, j]), n, wins, ties, rng)
    return wins, ties


def mixed_run(search, size, seed):
    """Lists until somebody is certified, each of ``size`` rankers; and who that is."""
    k, rng = len(search.orders), np.random.default_rng(seed)
    policy = copeland.Policy("cpc-pac", k, seed, dependent=True)
    wins, ties = np.zeros((2, k, k), np.int64)
    shown = 0
    while shown < MOST:
        new = np.zeros((2, k, k), np.int64)
        block = max(BLOCK, shown // 50)
        votes_of(search, to_mix(policy, size), block, *new, rng)
        policy.absorb(*new)
        wins, ties, shown = wins + new[0], ties + new[1], shown + block
        if is_decided(wins, ties, Terms(DELTA, voters="dependent")):
            return shown, certify(wins, ties, delta=DELTA, voters="dependent").best
    return MOST, ()


def to_mix(policy, size):
    """The rankers that the planner would ask about next."""
    if size == policy.k:
        return np.arange(size)
    named = policy.name(NAMED, np.zeros((policy.k, policy.k), bool))
    rankers = list(dict.fromkeys(ranker for pair in named for ranker in pair))
    return np.array(rankers[:size])


def paired_runs(wins, ties, runs, seed):
    """Lists of two until somebody is certified, for each run; and whether that is the true winner."""
    n = (wins + wins.T + ties).astype(float)
    np.fill_diagonal(n, 1.0)
    p = (wins + ties / 2) / n
    np.fill_diagonal(p, 0.5)
    problem = matrix_problem(copeland.PreferenceMatrix(p), ties / n)
    (curve,) = copeland.simulate(problem, "cpc-pac", MOST, runs, seed, marks=1).curves
    return curve.comparisons[:, -1], curve.correct[:, -1]


def rows(collection, k, draws, runs):
    """Lists to a certificate and who got it, of each way, on random features of a collection."""
    for draw in range(draws):
        rng = np.random.default_rng([draw, k])
        search = search_of(collection, rng.choice(collection.n_features, k, replace=False))
        wins, ties = table_of(search, rng)
        best = {int(np.argmax(((wins > wins.T) + (wins == wins.T) / 2).sum(axis=1)))}
        lists, right = paired_runs(wins, ties, runs, draw)
        yield k, draw, "two", lists, (right & (lists < MOST)).sum()
        for size in (5, k):
            found = [mixed_run(search, size, 1000 * draw + run) for run in range(runs)]
            same = sum(set(who) == best for _, who in found)
            yield k, draw, size, np.array([n for n, _ in found]), same


def multileaving():
    """Lists that mix many rankers, beside lists of two."""
    yield "## Multileaving"
    file = Path(os.environ.get("COPELAND_TEST_DATA", "data")) / "letor" / "mslr_fold1_train_5k.txt"
    if not file.exists():
        yield "Not measured: the sample of MSLR is not there."
        return
    warm()
    collection = letor.load(file, grades=5)
    yield (
        f"Lists until a ranker is certified (delta {DELTA:g}), of random features of an MSLR sample, navigational clicks, lists of "
        f"{LENGTH} by team draft; median of {RUNS} runs, given up after {MOST:,}. A list of two is one vote, on the "
        "pair that cpc-pac asks; "
        "a list of more votes on all pairs of its rankers, with the levels for dependent voters."
    )
    yield ""
    yield "| rankers | draw | mixed in a list | lists | stopped | certified and best by lists of two |"
    yield "|---|---|---|---|---|---|"
    for k, draws in ((10, 5), (30, 3)):
        for _, draw, size, lists, right in rows(collection, k, draws, RUNS):
            middle = np.median(lists)
            shown = f"over {MOST:,}" if middle >= MOST else f"{middle:,.0f}"
            stopped = int((lists < MOST).sum())
            yield f"| {k} | {draw + 1} | {size} | {shown} | {stopped} of {RUNS} | {int(right)} |"
