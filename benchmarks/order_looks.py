"""Looks at an order after every vote: who is told apart, by the formulas of copeland.orders, kept up to date.

Tests hold each look against :func:`copeland.orders.rank.tell_apart`. Nothing but what is needed to tell options
apart is computed: not the mean of strengths, nor what unmet pairs add to a Borda share.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.kernels import kernel
from copeland.kernels.vote_evidence import log_evidence
from copeland.orders.option_estimates import FEW, PRIOR

ROUNDS, LONGEST_STEP = 100, 2.0
CLOSE = 1e-6  # the step after so short a one would be its square
EDGE = (
    1e-9  # options whose true numbers are this close are alike: no way to tell them apart is right
)

WRONG_PAIR, WRONG_CUT, TOLD = range(3)  # what a replay notes


class Board(NamedTuple):
    """The votes of one replay, and what was told by them."""

    wins: np.ndarray
    ties: np.ndarray
    reach: np.ndarray  # K x K: chains of wins and ties lead from i to j
    joined: np.ndarray  # K x K: chains of votes
    strong: np.ndarray  # (1,): whether every option reaches every other
    values: np.ndarray  # K: strengths, from which the next fit begins
    chance: np.ndarray  # K x K: who wins how often by them
    curve: np.ndarray  # K x K: how sharply the fit bends, or the inverse of that
    moves: np.ndarray  # K x K: room
    product: np.ndarray  # K x K: room
    slope: np.ndarray  # K: room
    step: np.ndarray  # K: room
    score: np.ndarray  # K: sum of the shares against those met
    unmet: np.ndarray  # K
    spread: np.ndarray  # K x K: the variance that a pair adds to a Borda share
    own: np.ndarray  # K: its sum
    above: np.ndarray  # K x K: who is told to be higher than whom
    noted: np.ndarray  # (3,): votes at the first wrong pair and the first wrong cut (0: none); pairs told apart at the end


def new_board(k: int) -> Board:
    """Return K options without votes."""
    return Board(
        wins=np.zeros((k, k), np.int64),
        ties=np.zeros((k, k), np.int64),
        reach=np.eye(k, dtype=bool),
        joined=np.eye(k, dtype=bool),
        strong=np.zeros(1, np.bool_),
        values=np.zeros(k),
        chance=np.zeros((k, k)),
        curve=np.zeros((k, k)),
        moves=np.zeros((k, k)),
        product=np.zeros((k, k)),
        slope=np.zeros(k),
        step=np.zeros(k),
        score=np.zeros(k),
        unmet=np.full(k, k - 1),
        spread=np.zeros((k, k)),
        own=np.zeros(k),
        above=np.zeros((k, k), np.bool_),
        noted=np.zeros(3, np.int64),
    )


@kernel
def count_vote(board, i, j, said):
    """Add a vote: 1 for i, 0 for j, 1/2 for a tie."""
    if said == 0.5:
        board.ties[i, j] += 1
        board.ties[j, i] += 1
    elif said == 1.0:
        board.wins[i, j] += 1
    else:
        board.wins[j, i] += 1
    connect(board.joined, i, j)
    connect(board.joined, j, i)
    if said > 0.0:
        connect(board.reach, i, j)
    if said < 1.0:
        connect(board.reach, j, i)
    if not board.strong[0]:
        board.strong[0] = True
        for a in range(len(board.reach)):
            board.strong[0] = board.strong[0] and board.reach[0, a] and board.reach[a, 0]


@kernel
def connect(reach, i, j):
    """Note that i leads to j, and so whatever leads to i to whatever j leads to."""
    if reach[i, j]:
        return
    for a in range(len(reach)):
        if reach[a, i]:
            for b in range(len(reach)):
                reach[a, b] = reach[a, b] or reach[j, b]


@kernel
def look_at_strengths(board, radius):
    """Tell options apart by their strengths."""
    k, inverse, moves = len(board.values), board.curve, board.moves
    refit(board)
    set_chances(board)
    set_curve(board, 0.0)
    invert(inverse)
    for i in range(k):
        moves[i, i] = 0.0
    for i in range(k):
        for j in range(i):
            won, lost, tied = board.wins[i, j], board.wins[j, i], board.ties[i, j]
            move = 0.0
            if won + lost + tied > 0:
                p, q = board.chance[i, j], board.chance[j, i]
                leverage = p * q * (inverse[i, i] + inverse[j, j] - 2 * inverse[i, j])
                weight = 1 / max(1 - leverage, 1e-3)
                move = weight**2 * (won * q**2 + lost * p**2 + tied * (0.5 - p) ** 2)
            moves[i, j] = moves[j, i] = -move
            moves[i, i] += move
            moves[j, j] += move
    multiply(inverse, moves, board.product)
    multiply(board.product, inverse, moves)
    for i in range(k):
        for j in range(k):
            variance = moves[i, i] + moves[j, j] - 2 * moves[i, j]
            lead = board.values[i] - board.values[j]
            within = i != j and board.reach[i, j] and board.reach[j, i]
            board.above[i, j] = within and variance > 0 and lead > radius * math.sqrt(variance)


@kernel
def refit(board):
    """Fit the strengths anew, from those of the look before."""
    k, values = len(board.values), board.values
    prior = 0.0 if board.strong[0] else PRIOR
    for _ in range(ROUNDS):
        set_chances(board)
        set_curve(board, prior)
        invert(board.curve)
        for i in range(k):
            board.slope[i] = 0.0
            for j in range(k):
                if i != j:
                    p, q = board.chance[i, j], board.chance[j, i]
                    board.slope[i] += (board.wins[i, j] + prior) * q - (
                        board.wins[j, i] + prior
                    ) * p
                    board.slope[i] += board.ties[i, j] * (0.5 - p)
        largest = 0.0
        for i in range(k):
            board.step[i] = 0.0
            for j in range(k):
                board.step[i] += board.curve[i, j] * board.slope[j]
            largest = max(largest, abs(board.step[i]))
        for i in range(k):
            values[i] += board.step[i] * min(1.0, LONGEST_STEP / max(largest, CLOSE))
        if largest < CLOSE:
            return


@kernel
def set_chances(board):
    """Set who wins how often by strengths."""
    for i in range(len(board.values)):
        for j in range(i):
            p = 1 / (1 + math.exp(board.values[j] - board.values[i]))
            board.chance[i, j], board.chance[j, i] = p, 1 - p


@kernel
def set_curve(board, prior):
    """Set the second derivatives of the fit; within each part that votes join, a constant makes them invertible.

    The inverse then has another constant in each part. No difference within it has that.
    """
    k, curve, largest = len(board.values), board.curve, 0.0
    for i in range(k):
        curve[i, i] = 0.0
        for j in range(k):
            if i != j:
                number = board.wins[i, j] + board.wins[j, i] + board.ties[i, j] + 2 * prior
                curve[i, j] = -number * board.chance[i, j] * board.chance[j, i]
                curve[i, i] -= curve[i, j]
        largest = max(largest, curve[i, i])
    for i in range(k):
        for j in range(k):
            if prior > 0.0 or board.joined[i, j]:
                curve[i, j] += largest / k


@kernel
def invert(a):
    """Invert a positive definite matrix in its place, by Gauss and Jordan."""
    k = len(a)
    for p in range(k):
        pivot = 1 / a[p, p]
        a[p, p] = 1.0
        for j in range(k):
            a[p, j] *= pivot
        for i in range(k):
            if i != p:
                times = a[i, p]
                a[i, p] = 0.0
                for j in range(k):
                    a[i, j] -= times * a[p, j]


@kernel
def multiply(a, b, product):
    k = len(a)
    for i in range(k):
        for j in range(k):
            product[i, j] = 0.0
        for m in range(k):
            times = a[i, m]
            for j in range(k):
                product[i, j] += times * b[m, j]


@kernel
def look_at_shares(board, i, j, radius):
    """Tell options apart by their Borda shares, after a vote on i and j."""
    k = len(board.own)
    number = board.wins[i, j] + board.wins[j, i] + board.ties[i, j]
    p = (board.wins[i, j] + board.ties[i, j] / 2) / number
    squares = board.wins[i, j] * (1 - p) ** 2 + board.wins[j, i] * p**2
    squares += board.ties[i, j] * (0.5 - p) ** 2
    board.spread[i, j] = board.spread[j, i] = (squares + FEW) / (number * (k - 1.0)) ** 2
    sum_shares(board, i)
    sum_shares(board, j)
    for a in range(k):
        for b in range(k):
            variance = board.own[a] + board.own[b] + 2 * board.spread[a, b]
            lead = (board.score[a] - board.score[b] - board.unmet[b]) / (k - 1.0)
            board.above[a, b] = a != b and variance > 0 and lead > radius * math.sqrt(variance)


@kernel
def sum_shares(board, i):
    """Add up what an option has against those that it met."""
    board.score[i], board.own[i], board.unmet[i] = 0.0, 0.0, -1
    for j in range(len(board.own)):
        number = board.wins[i, j] + board.wins[j, i] + board.ties[i, j]
        if number == 0:
            board.unmet[i] += 1
        else:
            board.score[i] += (board.wins[i, j] + board.ties[i, j] / 2) / number
            board.own[i] += board.spread[i, j]


@kernel
def compare_with_truth(board, truth, vote):
    """Note the first pair and the first cut that are wrong."""
    if board.noted[WRONG_CUT] == 0 and is_any_wrong(board.above, truth):
        if board.noted[WRONG_PAIR] == 0:
            board.noted[WRONG_PAIR] = vote
        if is_cut_wrong(board.above, truth):
            board.noted[WRONG_CUT] = vote


@kernel
def is_any_wrong(above, truth):
    """Tell whether an option is told to be higher than another that is not lower."""
    for i in range(len(truth)):
        for j in range(len(truth)):
            if above[i, j] and truth[i] <= truth[j] + EDGE:
                return True
    return False


@kernel
def is_cut_wrong(above, truth):
    """Tell whether a cut between tiers has a pair the wrong way round.

    An option above a cut is told to be higher than all below it, and one below only than others below it: so those
    above are known by how many they are told to be higher than.
    """
    k = len(truth)
    for place in range(1, k):
        whole, wrong, n = True, False, 0
        for i in range(k):
            if count_lower(above, i) >= k - place:
                n += 1
                for j in range(k):
                    if count_lower(above, j) < k - place:
                        whole = whole and above[i, j]
                        wrong = wrong or truth[i] <= truth[j] + EDGE
        if n == place and whole and wrong:
            return True
    return False


@kernel
def count_lower(above, i):
    """Return how many options an option is told to be higher than."""
    number = 0
    for j in range(len(above)):
        number += int(above[i, j])
    return number


@kernel
def watch_order(board, first, second, said, radius, looks, truth, by_strength):
    """Count all votes, and look at the order after those of ``looks``."""
    for vote in range(len(first)):
        i, j = first[vote], second[vote]
        count_vote(board, i, j, said[vote])
        if by_strength:
            if looks[vote]:
                look_at_strengths(board, radius[vote])
        else:
            look_at_shares(board, i, j, radius[vote])
        if looks[vote]:
            compare_with_truth(board, truth, vote + 1)
    board.noted[TOLD] = 0
    for i in range(len(board.above)):
        board.noted[TOLD] += count_lower(board.above, i)


@kernel
def watch_claims(wins, against, first, second, said, level, p, wrong):
    """Note after which votes evidence of this level speaks for an option that does not beat the other."""
    number = 0
    for vote in range(len(first)):
        i, j = first[vote], second[vote]
        if said[vote] == 1.0:
            wins[i, j] += 1
        elif said[vote] == 0.0:
            wins[j, i] += 1
        for a, b in ((i, j), (j, i)):
            if p[a, b] <= 0.5 + EDGE:
                number -= int(against[a, b])
                against[a, b] = log_evidence(wins[a, b], wins[b, a], 0.0, 0.0) >= level
                number += int(against[a, b])
        wrong[vote] = number > 0
