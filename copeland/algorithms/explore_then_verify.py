"""Explore, then verify: Karnin 2016, Verification Based Solution for Structured MAB Problems.

Here for Copeland winners. Rounds of two parts: the first finds a candidate, and the pairs that would
prove it, with a failure probability kappa that need not be small. The second takes fresh duels of these
pairs alone, until all are proved or one is refuted, with failure probability delta_r. So a small delta is
paid for on the pairs of the proof only.

What could be checked: no text of the paper but its abstract, and there is no public code for Copeland
winners. kappa = min(1/3, 1/ln(1/delta)) is what a public code for Condorcet winners has; delta_r = delta / (2 r^2)
is from memory (it sums to less than delta, so the promise holds whatever the paper has). Both parts are
made for Copeland winners here:

- Exploring: sweeps over all pairs that are undecided and of which one option may still win, until some
  candidate has as many decided wins as any other option can still reach.
- The proof: the W wins of the candidate and, for each other option, K - 1 - W pairs that it does not win.
  A loss to the candidate is there already; the rest are those with the largest gaps.
- Verifying: sweeps over the pairs of the proof that are undecided.
- A pair is decided by the prior-posterior ratio test (see :mod:`copeland.kernels.trials`), at kappa
  divided by the number of all pairs, or delta_r by the number of pairs in the proof.
- As in :mod:`copeland.algorithms.copeland_pac`, a pair proved to lie within ``resolution`` of 1/2 is a tie
  and counts for nobody.

So, with probability 1 - delta, the answer wins the problem in which some of the pairs closer to 1/2 than
``resolution`` are made ties: the problem itself if no pair is that close. With ``resolution=0`` it always
is, but a pair that is exactly even and has to be decided is dueled for ever.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.algorithms.copeland_pac import win_rate
from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Bytes, Floats, Ints, greatest, new_record, pick
from copeland.kernels.mark import kernel
from copeland.kernels.trials import OPEN, WON, Trials, finished, forget, new_trials, observe, select
from copeland.registry import register

NO_CLAIM, WINS, WINS_NOT = 0, 1, 2


class State(NamedTuple):
    """Where the rounds stand. A pair (i, j), i < j, has the code i K + j."""

    trials: Trials  # of this part alone
    won: Ints  # K: pairs decided for each option
    missed: Ints  # K: pairs decided against it, or tied
    claim: Bytes  # K x K: what the proof says of i against j
    queue: Ints  # codes of the pairs to sweep over
    size: Ints  # (1,): how many
    turn: Ints  # (1,): whose turn it is, as a place in the queue
    pair: Ints  # (2,): the pair of this step
    round: Ints  # (1,): r, 0 before the first
    candidate: Ints  # (1,): whom the proof is of, -1 while exploring
    refuted: Bools  # (1,)
    answer: Ints  # (1,): -1 until it is found
    level: Floats  # (1,): ln(1 / error probability of a test)
    kappa: Floats  # (1,): failure probability of exploring
    delta: Floats  # (1,)
    resolution: Floats  # (1,)


def init(k: int, delta: float = 0.05, resolution: float = 0.001) -> State:
    """Begin; a Copeland winner is found with probability 1 - ``delta``.

    Pairs closer to 1/2 than ``resolution`` may count as ties.
    """
    if not 0 < delta < 1:
        raise InvalidParameter(f"delta is {delta}; a failure probability lies between 0 and 1.")
    if not 0 <= resolution < 0.5:
        raise InvalidParameter(f"resolution is {resolution}; a gap lies between 0 and 1/2.")
    n_pairs = k * (k - 1) // 2
    kappa = min(1 / 3, 1 / math.log(1 / delta))
    return new_record(
        State,
        k,
        vectors="won missed",
        matrices="claim",
        trials=new_trials(k),
        queue=np.zeros(n_pairs, np.int64),
        pair=np.zeros(2, np.int64),
        candidate=-1,
        answer=-1,
        level=math.log(n_pairs / kappa),
        kappa=kappa,
        delta=delta,
        resolution=resolution,
    )


@kernel
def advance(state, t, rng):
    """Come to the next pair, through as many changes of part as it takes."""
    while state.answer[0] < 0:
        change_part(state, rng)
        if next_pair(state):
            return


@kernel
def change_part(state, rng):
    """Begin the next part, or end, if this part is over."""
    if state.round[0] == 0 or state.refuted[0]:
        begin_exploring(state, rng)
    elif state.candidate[0] < 0:
        c = sure_candidate(state, rng)
        if c >= 0:
            begin_verifying(state, c, rng)
    elif state.size[0] == 0:
        state.answer[0] = state.candidate[0]


@kernel
def begin_exploring(state, rng):
    """Begin a round: sweep over all pairs."""
    if state.round[0] > 0:
        begin_anew(state)
    state.round[0] += 1
    state.candidate[0] = -1
    state.level[0] = math.log(len(state.queue) / state.kappa[0])
    k = len(state.won)
    for i in range(k):
        for j in range(i + 1, k):
            enqueue(state, i, j, rng)


@kernel
def begin_anew(state):
    """Forget every duel."""
    forget(state.trials)
    state.won[:] = 0
    state.missed[:] = 0
    state.size[0] = 0
    state.turn[0] = 0
    state.refuted[0] = False


@kernel
def enqueue(state, i, j, rng):
    """Put a pair somewhere in the queue, all places alike."""
    last = state.size[0]
    at = pick(rng, last + 1)
    state.queue[last] = state.queue[at]
    state.queue[at] = i * len(state.won) + j
    state.size[0] = last + 1


@kernel
def sure_candidate(state, rng):
    """Draw an option that has as many wins as any other can still reach; -1 if there is none."""
    most = greatest(state.won)
    best = -1
    n = 0
    for i in range(len(state.won)):
        if state.won[i] == most and nobody_can_pass(state, i):
            n += 1
            if n == 1 or rng.random() * n < 1:
                best = i
    return best


@kernel
def nobody_can_pass(state, i):
    """Tell whether every other option has missed too many pairs to win more than option i has."""
    k = len(state.won)
    for j in range(k):
        if j != i and k - 1 - state.missed[j] > state.won[i]:
            return False
    return True


@kernel
def begin_verifying(state, c, rng):
    """Write the proof of option c and sweep over its pairs, with fresh duels."""
    state.candidate[0] = c
    write_proof(state, c, rng)
    begin_anew(state)
    k = len(state.won)
    for i in range(k):
        for j in range(i + 1, k):
            if state.claim[i, j] != NO_CLAIM or state.claim[j, i] != NO_CLAIM:
                enqueue(state, i, j, rng)
    delta = state.delta[0] / (2 * state.round[0] ** 2)
    state.level[0] = math.log(state.size[0] / delta)


@kernel
def write_proof(state, c, rng):
    """Claim the wins of c and, for each other option, as many pairs not won as c has."""
    state.claim[:, :] = NO_CLAIM
    k = len(state.won)
    for i in range(k):
        if i != c:
            needed = k - 1 - state.won[c]
            if state.trials.verdict[c, i] == WON:
                state.claim[c, i] = WINS
                needed -= 1
            for _ in range(needed):
                state.claim[i, widest_gap(state, i, c, rng)] = WINS_NOT


@kernel
def widest_gap(state, i, c, rng):
    """Return against whom option i fell short by most, of those not yet in the proof; equals drawn."""
    widest = -1.0
    best = -1
    n = 0
    for j in range(len(state.won)):
        verdict = state.trials.verdict[i, j]
        named = state.claim[i, j] != NO_CLAIM or state.claim[j, i] == WINS
        if j != i and verdict != OPEN and verdict != WON and not named:
            gap = abs(state.trials.wins[i, j] / state.trials.duels[i, j] - 0.5)
            if gap > widest:
                widest, best, n = gap, j, 1
            elif gap == widest:
                n += 1
                if rng.random() * n < 1:
                    best = j
    return best


@kernel
def next_pair(state):
    """Choose the pair whose turn it is; those that need no more duels leave. Tell whether one is left."""
    k = len(state.won)
    while state.size[0] > 0:
        if state.turn[0] >= state.size[0]:
            state.turn[0] = 0
        code = state.queue[state.turn[0]]
        if is_wanted(state, code // k, code % k):
            state.pair[0], state.pair[1] = code // k, code % k
            state.turn[0] += 1
            return True
        state.size[0] -= 1
        state.queue[state.turn[0]] = state.queue[state.size[0]]
    return False


@kernel
def is_wanted(state, i, j):
    """Tell whether a pair is undecided and matters: when exploring, for an option that may still win."""
    if state.trials.verdict[i, j] != OPEN:
        return False
    fewest_missed = min(state.missed[i], state.missed[j])
    return state.candidate[0] >= 0 or len(state.won) - 1 - fewest_missed >= greatest(state.won)


@kernel
def update(state, winner, loser, rng):
    """Add a duel to the pair's test; if that ends it, see what it says of the proof."""
    was_open = state.trials.verdict[winner, loser] == OPEN
    observe(state.trials, winner, loser, state.level[0], state.resolution[0])
    if was_open and state.trials.verdict[winner, loser] != OPEN:
        settle(state, winner, loser)
        settle(state, loser, winner)


@kernel
def settle(state, i, j):
    """Count a decided pair for one of its options, and compare it with the claim made of it."""
    wins = state.trials.verdict[i, j] == WON
    state.won[i] += int(wins)
    state.missed[i] += int(not wins)
    claim = state.claim[i, j]
    if (claim == WINS and not wins) or (claim == WINS_NOT and wins):
        state.refuted[0] = state.candidate[0] >= 0


@kernel
def recommend(state):
    """Return the answer or the candidate, before that the option with most decided wins, then duels won."""
    if state.candidate[0] >= 0:
        return state.candidate[0]
    best = 0
    for i in range(1, len(state.won)):
        more = state.won[i] - state.won[best]
        if more > 0 or (more == 0 and win_rate(state.trials, i) > win_rate(state.trials, best)):
            best = i
    return best


ALGORITHM = register(
    __name__,
    name="explore-then-verify",
    paper="Karnin 2016, adapted here to Copeland winners",
    summary="Finds a candidate at low confidence, then proves it with fresh duels at 1 - delta",
    target="copeland",
    select=select,
    finished=finished,
)
