"""RMED, Relative Minimum Empirical Divergence: Komiyama, Honda, Kashima & Nakagawa 2015, Algorithm 1 in its three forms.

How likely is it that option i is the Condorcet winner? As exp(-I_i), with the empirical divergence
I_i = sum of n_ij d(m_ij, 1/2) over the j that i lost to. An option is dueled again only while I_i is within
ln t + f(K) of the least, I* = I_i*. A Condorcet winner is assumed.

- RMED1: the opponent of an option is i* if that beats it, else whoever beats it most (Algorithm 2).
- RMED2: the opponent of an option l is b*(l), against whom l is shown to lose at the least regret
  (Algorithm 3), and to know who that is every pair is dueled alpha ln ln t times.
- RMED2FH, RMED2 for a fixed horizon: every pair is dueled alpha ln ln T times at the start, and then b*(l) is
  fixed for good.

A duel changes two of the divergences. With the counts unchanged, I_j - I* stays, and the step at which ln t
reaches it is known in advance.

Rulings where the paper is silent:

- Lines 3 and 10: the pairs below their quota are dueled in random order.
- Line 12, "in an arbitrarily fixed order": a new random order for every loop over L_C.
- i*, where several divergences are least: it stays who it was, else it is drawn. Equal m_lj are drawn.
- Line 16: J_j(t) is tested with the counts after the duel, as in the author's code, t being the step
  to come. With the counts before it, as in another public code, regret is the same within error.
- An option against itself is a step but no duel. A pair without answers has m = 1/2.
- b*(l): the regret m_{i*,l} + m_{i*,j} - 1 of a duel counts as 0 where it is less, which is only while
  i* has not beaten everyone; the author's code has 0.01 there. Equal costs are drawn. An option
  that beats all others has no b*, nor is b* used where l is i* itself, which it never meets.
- ln ln t is 0 where it would be less (t < 3).
- RMED2FH: Algorithm 3 has ln ln T; the author's code has ln ln t there, two others ln ln T. The initial phase has
  at least one duel of every pair, and is cut off where T is shorter.

The paper's listing could not be opened. The rule, f(K) = 0.3 K^1.01 and alpha = 3 were checked against public code,
that of J. Komiyama (an author) and that of H. Wu's simulator; line numbers are quoted from memory. An
earlier version of the author's code takes the opponent out of L_R instead of l; it is not followed. Two public
codes have the regret in b*(l) with the opposite sign, which makes b* the dearest opponent; nor are they.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, draw, new_record
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.kernels.vote_evidence import kl
from copeland.registry import register

LONGEST = 37.0  # e^37 > 2^53: a step that no simulation reaches


class Evidence(NamedTuple):
    """Counts of duels, and what they say against each option."""

    wins: Ints  # K x K: wins of i over j
    duels: Ints  # K x K, symmetric: n_ij
    against: Floats  # K x K: n_ij d(m_ij, 1/2) if m_ij < 1/2, else 0
    divergence: Floats  # K: I_i, the sum of row i of `against`
    best: Ints  # (1,): i*, the option with the least divergence; -1 before it is looked for


class Quota(NamedTuple):
    """How often every pair has to be dueled, and from which step on."""

    order: Ints  # codes i K + j of the pairs, those found to have their quota first
    done: Ints  # (1,): how many those are
    duels: Ints  # (1,): the quota
    due: Ints  # (1,): the step from which it is asked for


class Turns(NamedTuple):
    """Whose turn it is: the lists L_C, L_R and L_N of Algorithm 1."""

    listed: Ints  # K: L_C in the order of the turns, as far as `size`
    size: Ints  # (1,)
    at: Ints  # (1,): the place of the turn, -1 between two loops over L_C
    waiting: Bools  # K: in L_R
    following: Bools  # K: in L_N


def new_evidence(k: int) -> Evidence:
    """Return K options that never met."""
    return new_record(Evidence, k, vectors="divergence", matrices="wins duels against", best=-1)


def new_quota(k: int, duels: int) -> Quota:
    """Ask for ``duels`` of every pair at once."""
    first, second = np.triu_indices(k, 1)
    return new_record(Quota, order=(first * k + second).astype(np.int64), duels=duels)


def new_turns(k: int) -> Turns:
    """Line 7 of Algorithm 1: everyone is listed."""
    return Turns(
        listed=np.arange(k),
        size=np.array([k], np.int64),
        at=np.array([-1]),
        waiting=np.ones(k, np.bool_),
        following=np.zeros(k, np.bool_),
    )


@kernel
def mean(evidence, i, j):
    """Return m_ij, 1/2 if the two never met (an option never meets itself)."""
    n = evidence.duels[i, j]
    return evidence.wins[i, j] / n if n > 0 else 0.5


@kernel
def add_duel(evidence, winner, loser):
    """Add one duel."""
    evidence.wins[winner, loser] += 1
    n = evidence.duels[winner, loser] + 1
    evidence.duels[winner, loser] = evidence.duels[loser, winner] = n
    for i, j in ((winner, loser), (loser, winner)):
        w = evidence.wins[i, j]
        evidence.against[i, j] = n * kl(w / n, 0.5) if 2 * w < n else 0.0
        # Summed anew: differences would drift away from 0, where ties are.
        divergence = 0.0
        for x in range(len(evidence.divergence)):
            divergence += evidence.against[i, x]
        evidence.divergence[i] = divergence


@kernel
def find_best(evidence, rng):
    """Find i*: the one before while no other is less, else a draw from the least."""
    before = evidence.best[0]
    best = max(before, 0)
    n = int(before < 0)
    for i in range(int(before < 0), len(evidence.divergence)):
        if evidence.divergence[i] < evidence.divergence[best]:
            best, n = i, 1
        elif n > 0 and evidence.divergence[i] == evidence.divergence[best]:
            n += 1
            if rng.random() * n < 1:
                best = i
    evidence.best[0] = best


@kernel
def least_divergent(evidence):
    """Return i* without a draw: the last that was found, unless another has become less."""
    best = max(evidence.best[0], 0)
    for i in range(len(evidence.divergence)):
        if evidence.divergence[i] < evidence.divergence[best]:
            best = i
    return best


@kernel
def loses(evidence, i, j):
    """Tell whether j is in O_i: another option that i has not beaten more often than not."""
    return i != j and 2 * evidence.wins[i, j] <= evidence.duels[i, j]


@kernel
def opponent(evidence, l, rng):
    """Algorithm 2: i* if l loses to it, else whom l loses to most; l = i* itself if l loses to none."""
    if loses(evidence, l, evidence.best[0]):
        return evidence.best[0]
    worst = l
    lowest = 0.5
    n = 0
    for j in range(len(evidence.divergence)):
        if loses(evidence, l, j):
            m = mean(evidence, l, j)
            if n == 0 or m < lowest:
                worst, lowest, n = j, m, 1
            elif m == lowest:  # the nth of equals takes the place with probability 1/n
                n += 1
                if rng.random() * n < 1:
                    worst = j
    return worst


@kernel
def cheapest_refuter(evidence, l, rng):
    """Return b*(l): against whom l is shown to lose at the least regret; -1 if l loses to none.

    The regret of a duel of l and j, by estimate, is m_{i*,l} + m_{i*,j} - 1; 1/d(m_lj, 1/2) duels are
    needed for each unit of divergence.
    """
    best = evidence.best[0]
    refuter = -1
    least = math.inf
    n = 0
    for j in range(len(evidence.divergence)):
        if evidence.against[l, j] > 0:
            regret = max(mean(evidence, best, l) + mean(evidence, best, j) - 1, 0.0)
            cost = regret * evidence.duels[l, j] / evidence.against[l, j]
            if cost < least:
                refuter, least, n = j, cost, 1
            elif cost == least:
                n += 1
                if rng.random() * n < 1:
                    refuter = j
    return refuter


@kernel
def sparing_opponent(evidence, l, b, loglog, rng):
    """Algorithm 3: b*(l) = b, but i* where it was met less than the share 1 / ln ln of that often."""
    if b >= 0 and loses(evidence, l, b):
        often = evidence.duels[l, evidence.best[0]] * loglog
        if often >= evidence.duels[l, b]:
            return b
    return opponent(evidence, l, rng)


@kernel
def double_log(t):
    """Return ln ln t, 0 where that is less."""
    return math.log(max(math.log(t), 1.0))


@kernel
def first_step(level):
    """Return the first step t with ln t >= level, as the logarithm is rounded."""
    if level > LONGEST:
        return NEVER
    t = max(int(math.exp(level)), 1)
    while t > 1 and math.log(t - 1) >= level:
        t -= 1
    while math.log(t) < level:
        t += 1
    return t


@kernel
def short_pair(quota, duels, rng):
    """Tell whether a pair was dueled less often than its quota; a draw of those is put in its place."""
    while quota.done[0] < len(quota.order):
        code = draw(quota.order, quota.done[0], rng)
        if duels[code // len(duels), code % len(duels)] < quota.duels[0]:
            return True
        quota.done[0] += 1
    return False


@kernel
def pair_in_place(quota, k):
    """Return the pair that :func:`short_pair` drew."""
    code = quota.order[quota.done[0]]
    return code // k, code % k


@kernel
def between_loops(turns):
    """Tell whether no loop over L_C is under way."""
    return turns.at[0] < 0


@kernel
def end_turn(turns, evidence, f, t):
    """Lines 15 to 19: after a turn, list for the next loop whoever may be the winner at step t."""
    if between_loops(turns):
        return
    turns.waiting[turns.listed[turns.at[0]]] = False
    least = evidence.divergence[evidence.best[0]]
    log_t = math.log(t)
    for j in range(len(turns.listed)):
        if not turns.waiting[j] and evidence.divergence[j] - least - f <= log_t:  # J_j(t)
            turns.following[j] = True
    if turns.at[0] == turns.size[0] - 1:
        _next_list(turns)


@kernel
def _next_list(turns):
    """Line 19: L_C, L_R <- L_N and L_N <- {}."""
    n = 0
    for i in range(len(turns.listed)):
        turns.waiting[i] = turns.following[i]
        if turns.following[i]:
            turns.following[i] = False
            turns.listed[n] = i
            n += 1
    turns.size[0] = n
    turns.at[0] = -1


@kernel
def begin_turn(turns, rng):
    """Line 12: draw l from those of L_C whose turn is still to come."""
    turns.at[0] += 1
    draw(turns.listed[: turns.size[0]], turns.at[0], rng)


@kernel
def whose_turn(turns):
    """Return l."""
    return turns.listed[turns.at[0]]


@kernel
def end_of_rest(turns, evidence, f, due, t):
    """Return when anything but i* against itself may come, that having been the pair of step t.

    With L_C = {i*} every loop is one self-duel, until J_j holds for another j, or until the quota of
    step ``due``.
    """
    best = evidence.best[0]
    if turns.size[0] > 1:
        return t + 1
    second = math.inf
    for j in range(len(turns.listed)):
        if j != best:
            second = min(second, evidence.divergence[j])
    return max(t + 1, min(due, first_step(second - evidence.divergence[best] - f)))


# The three forms


class State(NamedTuple):
    """What RMED1 knows, and whose turn it is."""

    evidence: Evidence
    quota: Quota  # of the initial phase
    turns: Turns
    f: Floats  # (1,): f(K)


class State2(NamedTuple):
    """What RMED2 knows, and whose turn it is."""

    evidence: Evidence
    quota: Quota  # of the initial phase, then of line 10
    turns: Turns
    f: Floats  # (1,): f(K)
    alpha: Floats  # (1,)


class State2FH(NamedTuple):
    """What RMED2FH knows, and whose turn it is."""

    evidence: Evidence
    quota: Quota  # of the initial phase
    turns: Turns
    refuter: Ints  # K: b*(l), -1 if l lost to none in the initial phase
    f: Floats  # (1,): f(K)
    loglog: Floats  # (1,): ln ln T


def init(k: int, c: float = 0.3, epsilon: float = 0.01) -> State:
    """Lines 1 to 7; f(K) = ``c`` K^(1 + ``epsilon``) keeps options listed for longer."""
    return State(new_evidence(k), new_quota(k, 1), new_turns(k), slack("rmed1", k, c, epsilon))


def init_rmed2(k: int, alpha: float = 3.0, c: float = 0.3, epsilon: float = 0.01) -> State2:
    """Lines 1 to 7; every pair is dueled ``alpha`` ln ln t times, f(K) = ``c`` K^(1 + ``epsilon``)."""
    check_alpha("rmed2", alpha)
    f = slack("rmed2", k, c, epsilon)
    return State2(new_evidence(k), new_quota(k, 1), new_turns(k), f, np.array([alpha], np.float64))


def init_rmed2fh(
    k: int, horizon: int, alpha: float = 3.0, c: float = 0.3, epsilon: float = 0.01
) -> State2FH:
    """Lines 1 to 7; every pair is dueled ``alpha`` ln ln T times, f(K) = ``c`` K^(1 + ``epsilon``)."""
    check_alpha("rmed2fh", alpha)
    if not horizon >= 1:
        raise InvalidParameter(f"rmed2fh: horizon is {horizon}; at least 1 step is needed.")
    loglog = double_log(horizon)
    return State2FH(
        evidence=new_evidence(k),
        quota=new_quota(k, max(math.ceil(alpha * loglog), 1)),
        turns=new_turns(k),
        refuter=np.full(k, -1),
        f=slack("rmed2fh", k, c, epsilon),
        loglog=np.array([loglog]),
    )


def slack(name: str, k: int, c: float, epsilon: float) -> Floats:
    """Return f(K), or refuse it in the name of an algorithm."""
    for symbol, value in (("c", c), ("epsilon", epsilon)):
        if not 0 <= value < math.inf:
            raise InvalidParameter(
                f"{name}: {symbol} is {value}; f(K) = c K^(1 + epsilon) requires c, epsilon >= 0."
            )
    return np.array([c * k ** (1 + epsilon)])


def check_alpha(name: str, alpha: float) -> None:
    """Refuse a quota that means nothing."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(f"{name}: alpha is {alpha}; Algorithm 1 requires alpha > 0.")


@kernel
def advance(state, t, rng):
    """Lines 3, 12 and 15 to 19: end the last turn, and come to the next pair or option."""
    find_best(state.evidence, rng)
    end_turn(state.turns, state.evidence, state.f[0], t)
    if between_loops(state.turns) and t >= state.quota.due[0]:
        if short_pair(state.quota, state.evidence.duels, rng):
            return
        state.quota.due[0] = NEVER
    begin_turn(state.turns, rng)


@kernel
def advance_rmed2(state, t, rng):
    """The same with line 10: the quota rises."""
    find_best(state.evidence, rng)
    end_turn(state.turns, state.evidence, state.f[0], t)
    while between_loops(state.turns) and t >= state.quota.due[0]:
        if short_pair(state.quota, state.evidence.duels, rng):
            return
        state.quota.due[0] = step_to_outgrow(state.quota.duels[0], state.alpha[0])
        state.quota.duels[0] += 1
        state.quota.done[0] = 0
    begin_turn(state.turns, rng)


@kernel
def advance_rmed2fh(state, t, rng):
    """The same with line 6: after the initial phase the opponents are fixed."""
    find_best(state.evidence, rng)
    end_turn(state.turns, state.evidence, state.f[0], t)
    if between_loops(state.turns) and t >= state.quota.due[0]:
        if short_pair(state.quota, state.evidence.duels, rng):
            return
        state.quota.due[0] = NEVER
        for l in range(len(state.refuter)):
            state.refuter[l] = cheapest_refuter(state.evidence, l, rng)
    begin_turn(state.turns, rng)


@kernel
def step_to_outgrow(n, alpha):
    """Return the first step t with n < alpha ln ln t (equality has no solution)."""
    level = n / alpha
    return NEVER if level > math.log(LONGEST) else first_step(math.exp(level))


@kernel
def select(state, t, rng):
    """Return a pair of the initial phase, or the option whose turn it is and Algorithm 2's opponent."""
    if between_loops(state.turns):
        return pair_in_place(state.quota, len(state.turns.listed))
    l = whose_turn(state.turns)
    return l, opponent(state.evidence, l, rng)


@kernel
def select_rmed2(state, t, rng):
    """Return a pair below its quota, or the option whose turn it is and Algorithm 3's opponent."""
    if between_loops(state.turns):
        return pair_in_place(state.quota, len(state.turns.listed))
    l = whose_turn(state.turns)
    b = cheapest_refuter(state.evidence, l, rng)
    return l, sparing_opponent(state.evidence, l, b, double_log(t), rng)


@kernel
def select_rmed2fh(state, t, rng):
    """Return a pair of the initial phase, or the option whose turn it is and Algorithm 3's opponent."""
    if between_loops(state.turns):
        return pair_in_place(state.quota, len(state.turns.listed))
    l = whose_turn(state.turns)
    return l, sparing_opponent(state.evidence, l, state.refuter[l], state.loglog[0], rng)


@kernel
def update(state, winner, loser, rng):
    """Count the duel."""
    add_duel(state.evidence, winner, loser)


@kernel
def recommend(state):
    """Return i*."""
    return least_divergent(state.evidence)


@kernel
def rest(state, t):
    """Return when an option besides i* may be listed, or pairs fall short of their quota."""
    return end_of_rest(state.turns, state.evidence, state.f[0], state.quota.due[0], t)


RMED1 = register(
    __name__,
    name="rmed1",
    paper="Komiyama, Honda, Kashima & Nakagawa 2015, Algorithms 1 and 2",
    summary="Relative Minimum Empirical Divergence: duels options that may still be the winner",
    target="condorcet",
    assumes_condorcet=True,
)

RMED2 = register(
    __name__,
    name="rmed2",
    paper="Komiyama, Honda, Kashima & Nakagawa 2015, Algorithms 1 and 3",
    summary="RMED, choosing opponents that refute an option at the least regret",
    target="condorcet",
    init=init_rmed2,
    advance=advance_rmed2,
    select=select_rmed2,
    assumes_condorcet=True,
)

RMED2FH = register(
    __name__,
    name="rmed2fh",
    paper="Komiyama, Honda, Kashima & Nakagawa 2015, Algorithms 1 and 3",
    summary="RMED2 for a known horizon: fixes the opponents after an initial phase",
    target="condorcet",
    init=init_rmed2fh,
    advance=advance_rmed2fh,
    select=select_rmed2fh,
    assumes_condorcet=True,
)
