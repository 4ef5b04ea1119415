"""CCB, the Copeland Confidence Bound: Algorithm 1 of the paper, to be read beside it.

Line 6 needs no arithmetic here. An interval [l_ij, u_ij] matters only by the side of 1/2 it lies on,
and it changes side only when its pair is dueled, or at a step known in advance (see
:mod:`copeland.kernels.pairs`). So with u_ij < 1/2 the pair is decided and i has lost (``verdict`` -1),
with l_ij > 1/2 it is decided and i has won (+1), else it is open (0); lines 7 to 9 run only at steps
at which some pair changes side, because at all others they change nothing.

Rulings where the paper is silent:

- Line 6, a pair that never met: u = +inf, l = -inf, so it is open and the first to be tried.
- Line 7: l_ij = 1/2 exactly counts as open; it has probability zero.
- Line 9A: after a reset, 9B and 9C go on with the sets just reset.
- Line 9B: the condition on |B^i| is for the options that are removed. Where B_t ran empty and was
  reset, lines 7 to 9 run again at the next step.
- Line 9C: uses C_t before line 11 narrows it; the options added share one L_C.
- Line 13: "B^i" is B^c. Where it holds no j with l_jc <= 1/2, all options are used. d = c only if
  u_cc = 1/2 is the one largest; other ties are drawn uniformly.
- A coin that cannot matter (an empty set, a single candidate) is not thrown.

With ``threshold`` "eager" or "cautious" line 6 decides pairs as :mod:`copeland.kernels.vote_evidence` says. Line 13
still compares the upper ends u_jc of its open pairs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, greatest, least, new_record, pick, total
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import (
    Pairs,
    count,
    first_expiry,
    hoeffding_expiry,
    least_beaten,
    new_pairs,
    next_expired,
    settle,
    strongest_challenger,
)
from copeland.kernels.vote_evidence import OWN, caution_of, expiry_of_leader
from copeland.registry import register


class State(NamedTuple):
    """What CCB knows."""

    pairs: Pairs  # W, and the side of 1/2 on which each interval lies
    everyone: Bools  # all true: the options {a_1, ..., a_K} of line 13
    best: Bools  # B_t
    rivals: Bools  # rivals[i, j]: option j is in B^i_t
    n_rivals: Ints  # |B^i_t|
    n_open: Ints  # how many j in B^i_t have 1/2 in [l_ij, u_ij]: the set of line 10, by row
    losses: Ints  # (1,): L_C, the estimated losses of a Copeland winner
    alpha: Floats  # (1,)
    borrowed: Bools  # (1,): whether pairs are decided by CPC's index, in place of line 6
    caution: Floats  # (1,): the nats beyond ln t that few duels need then
    step: Ints  # (1,): the step that `advance` came to
    changed: Bools  # (1,): a pair changed side since lines 7 to 9 ran
    disproved: Bools  # (1,): l_ij > 1/2 for some j in B^i, the condition of line 9A


def init(k: int, alpha: float = 0.51, threshold: str = OWN) -> State:
    """Lines 1 to 4; ``alpha`` > 1/2 widens the intervals (the paper prints no value).

    ``threshold`` is "own", or the caution with which CPC's index decides pairs.
    """
    caution = caution_of("ccb", threshold)
    if not alpha > 0.5:
        raise InvalidParameter(f"ccb: alpha is {alpha}; Algorithm 1 requires alpha > 1/2.")
    return new_record(
        State,
        k,
        vectors="n_rivals n_open",
        matrices="rivals",
        pairs=new_pairs(k),
        everyone=np.ones(k, np.bool_),
        best=np.ones(k, np.bool_),
        losses=k,
        alpha=alpha,
        borrowed=caution is not None,
        caution=caution or 0.0,
    )


@kernel
def advance(state, t, rng):
    """Lines 6 to 9: what step t changes before anything is dueled."""
    state.step[0] = t
    i, j = next_expired(state.pairs, t)
    while i >= 0:
        look_at(state, i, j, t)
        i, j = next_expired(state.pairs, t)
    if state.changed[0]:
        state.changed[0] = False
        if state.disproved[0]:  # line 9A
            reset(state)
        remove_losers(state)  # line 9B
        add_winners(state, rng)  # line 9C


@kernel
def select(state, t, rng):
    """Lines 10 to 13: a pair of B that is open again, or an optimistic winner and its challenger."""
    open_rivals = total(state.n_open)
    if open_rivals > 0 and rng.random() < 1 / 4:  # line 10
        return open_rival(state, pick(rng, open_rivals))
    c = optimistic_winner(state, rng)
    return c, challenger(state, c, t, rng)


@kernel
def update(state, winner, loser, rng):
    """Line 14, and what the answer decides from the next step on (line 6)."""
    count(state.pairs, winner, loser)
    look_at(state, winner, loser, state.step[0] + 1)


@kernel
def recommend(state):
    """Return an optimistic winner with the most sure wins."""
    return least_beaten(state.pairs)


@kernel
def rest(state, t):
    """Return the next step at which CCB may duel two different options.

    Once every option of C_t is decided against all others, line 13 answers d = c whoever c is; and
    nothing changes until the first decision expires.
    """
    if state.changed[0] or total(state.n_open) > 0:
        return t + 1
    fewest = least(state.pairs.lost)
    for i in range(len(state.best)):
        if state.pairs.lost[i] == fewest and not is_settled(state, i):
            return t + 1
    return first_expiry(state.pairs)


@kernel
def resting(state, among):
    """List C_t, from which line 12 draws the option of each resting step."""
    fewest = least(state.pairs.lost)
    n = 0
    for i in range(len(state.best)):
        if state.pairs.lost[i] == fewest:
            among[n] = i
            n += 1
    return n


@kernel
def is_settled(state, i):
    """Tell whether the optimistic and the pessimistic score of option i are equal."""
    return state.pairs.won[i] + state.pairs.lost[i] == len(state.best) - 1


@kernel
def look_at(state, i, j, t):
    """Line 6 for one pair at step t, with what depends on its side."""
    verdict = state.pairs.verdict
    was_open = verdict[i, j] == 0
    if settle(state.pairs, i, j, expiry(state, i, j), t):
        state.changed[0] = True
        is_open = verdict[i, j] == 0
        for a, b in ((i, j), (j, i)):
            if state.rivals[a, b]:
                state.n_open[a] += int(is_open) - int(was_open)
                if verdict[a, b] > 0:
                    state.disproved[0] = True


@kernel
def expiry(state, i, j):
    """Return the first step at which a pair is open, its counts unchanged."""
    wins, duels = state.pairs.wins[i, j], state.pairs.duels[i, j]
    if state.borrowed[0]:
        return expiry_of_leader(wins, duels, state.caution[0])
    return hoeffding_expiry(wins, duels, state.alpha[0])


@kernel
def reset(state):
    """Lines 2 to 4 again."""
    state.best[:] = True
    state.rivals[:, :] = False
    state.n_rivals[:] = 0
    state.n_open[:] = 0
    state.losses[0] = len(state.best)
    state.disproved[0] = False


@kernel
def remove_losers(state):
    """Line 9B: options that cannot be Copeland winners leave B_t, those that beat them become B^i."""
    k = len(state.best)
    surest = greatest(state.pairs.won)
    for i in range(k):
        if state.best[i] and k - 1 - state.pairs.lost[i] < surest:
            state.best[i] = False
            if state.n_rivals[i] != state.losses[0] + 1:
                for j in range(k):
                    state.rivals[i, j] = state.pairs.verdict[i, j] < 0
                state.n_rivals[i] = state.pairs.lost[i]
                state.n_open[i] = 0
    if not greatest(state.best):
        reset(state)
        state.changed[0] = True


@kernel
def add_winners(state, rng):
    """Line 9C: options sure to be Copeland winners enter B_t, and fix the size of every B^j."""
    fewest = least(state.pairs.lost)
    found = False
    for i in range(len(state.best)):
        if state.pairs.lost[i] == fewest and is_settled(state, i):
            found = True
            state.best[i] = True
            keep_rivals(state, i, 0, rng)
    if found:
        state.losses[0] = fewest
        for j in range(len(state.best)):
            if state.n_rivals[j] < fewest + 1:
                keep_rivals(state, j, 0, rng)
            elif state.n_rivals[j] > fewest + 1:
                keep_rivals(state, j, fewest + 1, rng)


@kernel
def keep_rivals(state, i, n, rng):
    """Leave in B^i a random subset of n of its options."""
    left = state.n_rivals[i]
    if left == n:
        return
    state.n_rivals[i] = n
    state.n_open[i] = 0
    for j in range(len(state.best)):
        if state.rivals[i, j]:
            state.rivals[i, j] = n > 0 and rng.random() * left < n
            left -= 1
            if state.rivals[i, j]:
                n -= 1
                if state.pairs.verdict[i, j] == 0:
                    state.n_open[i] += 1


@kernel
def open_rival(state, nth):
    """Return the nth of the pairs (i, j) with j in B^i and 1/2 in [l_ij, u_ij]."""
    i = 0
    while nth >= state.n_open[i]:
        nth -= state.n_open[i]
        i += 1
    for j in range(len(state.best)):
        if state.rivals[i, j] and state.pairs.verdict[i, j] == 0:
            if nth == 0:
                return i, j
            nth -= 1
    return i, i


@kernel
def optimistic_winner(state, rng):
    """Lines 8, 11 and 12: draw c from C_t, with probability 2/3 from B_t alone."""
    fewest = least(state.pairs.lost)
    n_top = 0
    n_listed = 0
    for i in range(len(state.best)):
        if state.pairs.lost[i] == fewest:
            n_top += 1
            n_listed += int(state.best[i])
    listed = n_listed == n_top or (n_listed > 0 and rng.random() < 2 / 3)
    nth = pick(rng, n_listed if listed else n_top)
    for i in range(len(state.best)):
        if state.pairs.lost[i] == fewest and (state.best[i] or not listed):
            if nth == 0:
                return i
            nth -= 1
    return -1


@kernel
def challenger(state, c, t, rng):
    """Line 13: draw d, the option with the highest u_jc among those not sure to beat c.

    Only the open pairs of c matter: their u_jc >= 1/2 = u_cc, those that c beats have u_jc < 1/2.
    """
    only_rivals = state.n_open[c] > 0 and rng.random() < 1 / 2
    among = state.rivals[c] if only_rivals else state.everyone
    spread = state.alpha[0] * math.log(t)
    return strongest_challenger(state.pairs, c, among, False, spread, math.inf, rng)


ALGORITHM = register(
    __name__,
    name="ccb",
    paper="Zoghi, Karnin, Whiteson & de Rijke 2015, Algorithm 1",
    summary="Copeland Confidence Bound: optimism, then pessimism; for few options",
    target="copeland",
)
