"""PBR with the random-walk ranking, for one winner: Busa-Fekete, Szörényi, Weng, Cheng & Hüllermeier 2013.

A walk goes from option i to option j with probability p_ji / sum_l p_li, staying included (p_ii = 1/2):
it leaves options for their betters, and the winner is the option that it visits most. The duels
estimate p, and so the walk; it stops once the most visited option of the estimated walk is surely that of
the true one. Duels go to the pairs that limit how well the walk is known.

The paper's text was not at hand; the rule is that of public code (duelpy), which says of its own error
bound, a row error of 3 K max_j c_ij / sum_l m_li times twice the largest entry of the group inverse,
that it corrects the paper's. The bound here is neither, but derived (see :func:`fundamental`):

- m estimates p, within c_ij = sqrt(ln(pi^2 K^2 n^2 / (6 delta)) / (2 n)) after n duels of i and j:
  Hoeffding's inequality, for all pairs and all n together, with probability 1 - delta. So no cap n_max
  on the duels of a pair is needed, as the radius of the public code needs it.
- With v and G of the estimated walk S, v' of the true one, and g = G a for any weights a, the error of
  a v' is at most the largest over i of sum_l c_il |g_l - (S g)_i| / sum_l p_li, because
  S'_il - S_il = [(p_li - m_li) - S_il sum_k (p_ki - m_ki)] / sum_k p_ki. The last sum is at least
  sum_l (m_li - c_il), and at least 1/2. On the problems tried it needs 7 to 80 times fewer duels than
  half the largest row error times the spread of g, which is itself some 3 times narrower than the
  public code's.

Rulings where the paper is silent:

- After every pair was dueled once, the pair of the largest c_ij / sum_l m_li is next, i and j in either
  order. The sums are brought up to date, and the stopping rule is tried, only when there are a
  tenth more duels than the last time; in between, the order of the duels does not matter and is random.
- A tie is half a win.
- Equal visit rates are never told apart, so it also stops once no other option can be visited more
  than 1 + ``resolution`` times as often. The promise: with probability 1 - delta no option is visited
  more often than the answer by more than that factor; with 0 it is a most visited option.
- The recommendation before the end is the most visited option of the last estimated walk; before
  the first, the option with the best average.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, draw_greatest, new_record, pick
from copeland.kernels.mark import kernel
from copeland.kernels.trials import check_delta, finished, select
from copeland.registry import register

GROWTH = 1.1  # of the duels between two looks at the walk


class State(NamedTuple):
    """What is known of the walk, and which pairs it needs next. A pair i < j has the code i K + j."""

    points: Floats  # K x K: wins of i over j, and half of their ties
    duels: Ints  # K x K, symmetric
    n_duels: Ints  # (1,): of all pairs together
    outflow: Floats  # K: sum_l m_li at the last look
    walk: Floats  # K x K: the estimated walk, then G of `fundamental`
    visits: Floats  # K: its stationary distribution
    errors: Floats  # K: room for the errors that one row of the walk makes in them
    pivots: Ints  # K: room for the elimination
    queue: Ints  # codes of the pairs to duel
    queued: Ints  # (1,): how many
    ceiling: Floats  # (1,): the need down to which they are dueled
    pair: Ints  # (2,): the pair of this step
    next_look: Ints  # (1,): the number of duels at which to look at the walk again
    leader: Ints  # (1,): the option visited most at the last look, -1 before the first
    answer: Ints  # (1,): -1 until it is found
    level: Floats  # (1,): ln(pi^2 K^2 / (6 delta))
    resolution: Floats  # (1,)


def init(k: int, delta: float = 0.05, resolution: float = 0.05) -> State:
    """Begin; the most visited option is found with probability 1 - ``delta``."""
    check_delta("random-walk", delta)
    if not 0 <= resolution < math.inf:
        raise InvalidParameter(
            f"random-walk: resolution is {resolution}; it must be a finite number, 0 or more."
        )
    first, second = np.triu_indices(k, 1)
    return new_record(
        State,
        k,
        vectors="errors pivots",
        matrices="points duels walk",
        outflow=np.full(k, k / 2),
        visits=np.full(k, 1 / k),
        queue=(first * k + second).astype(np.int64),
        queued=len(first),
        ceiling=math.inf,
        pair=np.array([-1, -1]),
        leader=-1,
        answer=-1,
        level=math.log((math.pi * k) ** 2 / (6 * delta)),
        resolution=resolution,
    )


@kernel
def advance(state, t, rng):
    """Draw a pair that is needed; look at the walk when it is time to."""
    while state.answer[0] < 0 and not draw_pair(state, rng):
        if state.n_duels[0] >= state.next_look[0]:
            look(state, rng)
        refill(state)


@kernel
def draw_pair(state, rng):
    """Draw a pair from the queue that still needs duels; tell whether there is one."""
    k = len(state.outflow)
    while state.queued[0] > 0:
        at = pick(rng, state.queued[0])
        i, j = state.queue[at] // k, state.queue[at] % k
        if state.duels[i, j] == 0 or need(state, i, j) > state.ceiling[0]:
            state.pair[0] = i
            state.pair[1] = j
            return True
        state.queued[0] -= 1
        state.queue[at] = state.queue[state.queued[0]]
    return False


@kernel
def need(state, i, j):
    """Return how much the pair limits what is known of the walk: c_ij over the smaller outflow."""
    return radius(state, i, j) / min(state.outflow[i], state.outflow[j])


@kernel
def radius(state, i, j):
    """Return c_ij, how far m_ij may be from p_ij."""
    n = state.duels[i, j]
    return math.sqrt((state.level[0] + 2 * math.log(n)) / (2 * n))


@kernel
def refill(state):
    """Queue the pairs of the largest need: those that a tenth more duels each would bring below."""
    k = len(state.outflow)
    largest = 0.0
    for i in range(k):
        for j in range(i + 1, k):
            largest = max(largest, need(state, i, j))
    state.ceiling[0] = largest / math.sqrt(GROWTH)
    n = 0
    for i in range(k):
        for j in range(i + 1, k):
            if need(state, i, j) > state.ceiling[0]:
                state.queue[n] = i * k + j
                n += 1
    state.queued[0] = n


@kernel
def look(state, rng):
    """Estimate the walk, and see whether its most visited option is certain."""
    estimate(state)
    fundamental(state.walk, state.pivots)
    stationary(state.walk, state.visits)
    state.leader[0] = draw_greatest(state.visits, rng)
    if is_certain(state):
        state.answer[0] = state.leader[0]
    state.next_look[0] = math.ceil(GROWTH * state.n_duels[0])


@kernel
def estimate(state):
    """Write the walk that the duels so far suggest."""
    k = len(state.outflow)
    for i in range(k):
        state.outflow[i] = 0.0
        for j in range(k):
            state.walk[i, j] = share(state, j, i)
            state.outflow[i] += state.walk[i, j]
        for j in range(k):
            state.walk[i, j] /= state.outflow[i]


@kernel
def share(state, i, j):
    """Return m_ij, the share of their duels that i won against j; 1/2 before any."""
    n = state.duels[i, j]
    return state.points[i, j] / n if n > 0 else 0.5


@kernel
def is_certain(state):
    """Tell whether v'_j <= (1 + resolution) v'_leader for every j, whatever walk the duels allow."""
    for i in range(len(state.visits)):
        sum_errors(state, i)
        outflow = least_outflow(state, i)
        for j in range(len(state.visits)):
            if j != state.leader[0] and state.errors[j] > lead(state, j) * outflow:
                return False
    return True


@kernel
def lead(state, j):
    """Return (1 + resolution) v_leader - v_j: how much error may be left between the two."""
    return (1 + state.resolution[0]) * state.visits[state.leader[0]] - state.visits[j]


@kernel
def sum_errors(state, i):
    """Write sum_l c_il |g_l - (S g)_i| for every j, where g = G_.j - (1 + resolution) G_.leader."""
    k = len(state.visits)
    best = state.leader[0]
    weight = 1 + state.resolution[0]
    state.errors[:] = 0.0
    for l in range(k):
        if l != i:
            c = radius(state, i, l)
            # (S g)_i = g_i - a_i + a v, where a is 1 at j and -weight at the leader.
            offset = weight * (state.walk[i, best] - state.walk[l, best] - int(i == best))
            for j in range(k):
                distance = state.walk[l, j] - state.walk[i, j] + int(i == j) + offset
                state.errors[j] += c * abs(distance + lead(state, j))


@kernel
def least_outflow(state, i):
    """Return what sum_l p_li is at least."""
    least = state.outflow[i]
    for l in range(len(state.outflow)):
        if l != i:
            least -= radius(state, i, l)
    return max(least, 0.5)


@kernel
def update(state, winner, loser, rng):
    """Count a win."""
    count(state, winner, loser, 1.0)


@kernel
def tie(state, first, second, rng):
    """Count a tie."""
    count(state, first, second, 0.5)


@kernel
def count(state, i, j, points):
    """Add a duel, with its points for i and the rest for j."""
    state.points[i, j] += points
    state.points[j, i] += 1 - points
    state.duels[i, j] += 1
    state.duels[j, i] += 1
    state.n_duels[0] += 1


@kernel
def recommend(state):
    """Return the most visited option at the last look; before the first, the best on average."""
    if state.leader[0] >= 0:
        return state.leader[0]
    best = 0
    highest = -1.0
    for i in range(len(state.outflow)):
        won = 0.0
        for j in range(len(state.outflow)):
            won += share(state, i, j)
        if won > highest:
            best, highest = i, won
    return best


# Markov chains in arrays made beforehand: their stationary distribution, and what moves it.
#
# For a chain S of K states with one closed class let G = (I - S + E/K)^-1, where E is all ones. Then
#
# - the stationary distribution is v_j = sum_i G_ij / K;
# - (I - S) G = I - 1 v;
# - for any other chain S' with distribution v', v' - v = v' (S' - S) G.
#
# G differs from the group inverse of I - S only by a constant in each column, which the last line ignores:
# rows of S' - S sum to 0.


@kernel
def fundamental(chain, pivots):
    """Put G in the place of the transition matrix S; ``pivots`` is room for K integers."""
    k = len(chain)
    for i in range(k):
        for j in range(k):
            chain[i, j] = 1 / k - chain[i, j]
        chain[i, i] += 1
    invert(chain, pivots)


@kernel
def stationary(fundamental, visits):
    """Write the stationary distribution into ``visits``."""
    k = len(fundamental)
    visits[:] = 0.0
    for i in range(k):
        for j in range(k):
            visits[j] += fundamental[i, j] / k


@kernel
def invert(matrix, pivots):
    """Put the inverse in the place of a regular matrix: Gauss-Jordan elimination, largest pivot first."""
    k = len(matrix)
    for c in range(k):
        pivots[c] = _largest_below(matrix, c)
        _swap_rows(matrix, c, pivots[c])
        _eliminate(matrix, c)
    for c in range(k - 1, -1, -1):  # exchanged rows of the matrix are columns of its inverse
        _swap_columns(matrix, c, pivots[c])


@kernel
def _largest_below(matrix, c):
    """Return the row, from c on, with the largest entry in column c."""
    found = c
    for r in range(c + 1, len(matrix)):
        if abs(matrix[r, c]) > abs(matrix[found, c]):
            found = r
    return found


@kernel
def _eliminate(matrix, c):
    """Solve row c for unknown c, and put the solution into all other rows."""
    k = len(matrix)
    scale = 1 / matrix[c, c]
    matrix[c, c] = 1.0
    for j in range(k):
        matrix[c, j] *= scale
    for r in range(k):
        if r != c:
            factor = matrix[r, c]
            matrix[r, c] = 0.0
            for j in range(k):
                matrix[r, j] -= factor * matrix[c, j]


@kernel
def _swap_rows(matrix, a, b):
    if a != b:
        for j in range(len(matrix)):
            matrix[a, j], matrix[b, j] = matrix[b, j], matrix[a, j]


@kernel
def _swap_columns(matrix, a, b):
    if a != b:
        for i in range(len(matrix)):
            matrix[i, a], matrix[i, b] = matrix[i, b], matrix[i, a]


ALGORITHM = register(
    __name__,
    name="random-walk",
    paper="Busa-Fekete, Szörényi, Weng, Cheng & Hüllermeier 2013, PBR with random walk",
    summary="Preference-based racing: identifies the option a walk to better options visits most",
    target="random walk",
    select=select,
    finished=finished,
)
