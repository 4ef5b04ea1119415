"""Doubler, MultiSBM and Sparring: Ailon, Karnin & Joachims 2014, Algorithms 1 to 3.

All three let learners of an ordinary bandit duel. Such a learner plays options and is told a reward for each play; it need
not know that others play too. A Condorcet winner is assumed, for Doubler and MultiSBM also utilities with a linear link.

- Doubler: epoch i lasts 2^i steps. The right option of a step is the choice of a learner which starts anew with every
  epoch and is told whether its choice won; the left one is drawn from what the learner chose in the epoch before. Where
  there are no utilities, an epoch in which a loser was played most may hand that on to the next. The left options are
  drawn independently, step by step. Here a draw comes with the number of steps for which the next ones repeat it, which
  has the same law and lets a simulation jump.
- MultiSBM: every option x owns a learner, which is asked for opponents of x. The option on the right at one step stands
  on the left at the next, and only the learner of the left option is told whether its choice won. Where the others beat
  each other harder than the winner beats them, steps run in their circle for ever.
- Sparring: two learners. Each names an option; the one whose option wins is told 1, the other 0. No regret bound is
  known, the paper conjectures one.

Rulings where the paper is silent:

- The learner: UCB with index mean + sqrt((alpha + 2) ln t / (2 n)), t the plays of that learner, of Doubler's in the
  epoch; options not yet played first, in random order. MultiSBM's are never reset.
- An option that meets itself wins by a fair coin. A tie is worth 1/2.
- An answer to none of the last 64 pairs asked: a coin says who stood on the left.
- Doubler: before the first epoch the multiset L holds one option, which is drawn. L is a multiset: an option is drawn
  as often as it was chosen.
- MultiSBM: the first option on the left is drawn.
- The recommendation. Doubler: the option most often chosen in this epoch and the one before. MultiSBM: the option that
  stood on the right most often. Sparring: the option played most by both learners together.

The paper's text could not be read; the numbers of the algorithms are from memory. Sparring agrees in three public
implementations (duelingbanditlib of Komiyama; DuelingBandits of Wu; Dueling-Bandits-Algorithms of Wolfenfeld), the transition
and the one-sided feedback of MultiSBM in the first two. The index and alpha = 3 are Wu's, who counts t over all learners;
the own count is Komiyama's. That L is a multiset is from Wolfenfeld, the reset of Doubler's learner from that and from
methi1999's dueling-bandits. From memory: epochs of 2^i steps from i = 1 (methi1999 has them, Wolfenfeld begins with
i = 0), and that the theory of MultiSBM wants alpha = max(3, ln K / ln ln T).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, find_greatest, new_record, pick, total
from copeland.kernels.learners import (
    LEFT,
    RIGHT,
    Questions,
    ask,
    heads,
    left_now,
    new_questions,
    right_now,
    right_one,
    self_duels,
)
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER
from copeland.registry import register

ONLY = 0  # the row of Doubler's one learner


class Ucb(NamedTuple):
    """Learners by upper confidence bounds: each plays the highest mean + sqrt(scale ln t / n)."""

    plays: Ints  # learners x K: n
    sums: Floats  # learners x K: of the rewards
    means: Floats  # learners x K: infinite before the first play, so that it comes first
    widths: Floats  # learners x K: 1 / sqrt(n), 0 before the first play
    rounds: Ints  # learners: t, the plays of all options


def new_ucb(learners: int, k: int) -> Ucb:
    """Return learners who have played nothing."""
    return Ucb(
        plays=np.zeros((learners, k), np.int64),
        sums=np.zeros((learners, k)),
        means=np.full((learners, k), math.inf),
        widths=np.zeros((learners, k)),
        rounds=np.zeros(learners, np.int64),
    )


def ucb_scale(name: str, alpha: float) -> Floats:
    """Return the scale (alpha + 2) / 2 of an alpha-robust learner, in a one-element array."""
    if not 0 < alpha < math.inf:
        raise InvalidParameter(
            f"{name}: alpha is {alpha}; its learners must be alpha-robust for some alpha > 0."
        )
    return np.array([(alpha + 2) / 2])


@kernel
def ucb_choice(learners, row, scale, rng):
    """Return the option that a learner plays next: one not yet played if any; equals are drawn."""
    means, widths = learners.means[row], learners.widths[row]
    spread = math.sqrt(scale * math.log(max(learners.rounds[row], 1)))
    best = 0
    highest = -1.0
    n = 0
    for i in range(len(means)):
        index = means[i] + spread * widths[i]
        if index > highest:
            best, highest, n = i, index, 1
        elif index == highest:
            n += 1
    if n == 1:
        return best
    nth = pick(rng, n)
    for i in range(best, len(means)):
        if means[i] + spread * widths[i] == highest:
            if nth == 0:
                return i
            nth -= 1
    return best


@kernel
def reward(learners, row, option, rewards, n):
    """Tell a learner the summed rewards of n plays of an option."""
    learners.plays[row, option] += n
    learners.sums[row, option] += rewards
    learners.means[row, option] = learners.sums[row, option] / learners.plays[row, option]
    learners.widths[row, option] = 1 / math.sqrt(learners.plays[row, option])
    learners.rounds[row] += n


@kernel
def forget_rewards(learners, row):
    """Let a learner start anew."""
    learners.plays[row, :] = 0
    learners.sums[row, :] = 0
    learners.means[row, :] = math.inf
    learners.widths[row, :] = 0
    learners.rounds[row] = 0


@kernel
def sure_plays(learners, row, c, scale):
    """Return how many plays of c leave it the learner's choice whatever their rewards are.

    If all m of them fail, the index of c falls by less than m (mean + bonus / 2) / n, and that of j
    rises by less than m bonus_j / (2 t ln t): the one is convex in m, the other concave.
    """
    means, widths = learners.means[row], learners.widths[row]
    t = learners.rounds[row]
    if t < 2 or learners.plays[row, c] == 0:
        return 0
    spread = math.sqrt(scale * math.log(t))
    index = means[c] + spread * widths[c]
    fall = (means[c] + spread * widths[c] / 2) / learners.plays[row, c]
    rise = 1 / (2 * t * math.log(t))
    sure = math.inf
    for j in range(len(means)):
        if j != c:
            bonus = spread * widths[j]
            sure = min(sure, (index - means[j] - bonus) / (fall + rise * bonus))
            if sure < 1:  # as with an option not yet played
                return 0
    return int(sure)


@kernel
def select(state, t, rng):
    """Return what the learners named."""
    return left_now(state.asked), right_now(state.asked)


# Doubler


class Doubler(NamedTuple):
    """The epoch, its learner and its pair."""

    learner: Ucb  # 1
    asked: Questions
    pool: Ints  # L: how often each option is in it
    chosen: Ints  # how often the learner chose each option in this epoch
    repeats: Ints  # (1,): for how many steps to come the left option is drawn again
    epoch: Ints  # (1,): i
    last: Ints  # (1,): the last step of the epoch
    scale: Floats  # (1,): (alpha + 2) / 2


def init_doubler(k: int, alpha: float = 3.0) -> Doubler:
    """Begin before the first epoch; ``alpha`` > 0 makes the learner explore more."""
    return new_record(
        Doubler,
        k,
        vectors="pool chosen",
        learner=new_ucb(1, k),
        asked=new_questions(),
        scale=ucb_scale("doubler", alpha),
    )


@kernel
def advance_doubler(state, t, rng):
    """Close the steps since the last pair, begin an epoch if it is time, and choose the pair."""
    since = t - state.asked.step[0]
    close_steps(state, t, since, rng)
    left = left_now(state.asked)
    if t > state.last[0]:
        begin_epoch(state, rng)
        left = draw_left(state, -1, rng)
    elif since > state.repeats[0]:
        left = draw_left(state, left, rng)
    else:
        state.repeats[0] -= since
    ask(state.asked, left, ucb_choice(state.learner, ONLY, state.scale[0], rng), t)


@kernel
def close_steps(state, t, since, rng):
    """Count the choice of the steps since the last pair, and decide self-duels."""
    right = right_now(state.asked)
    if right >= 0:
        state.chosen[right] += since
    n = self_duels(state.asked, t)
    if n > 0:
        reward(state.learner, ONLY, right, heads(n, rng), n)


@kernel
def begin_epoch(state, rng):
    """Let L be what was chosen in the epoch before, and start the learner anew."""
    for i in range(len(state.pool)):
        state.pool[i] = state.chosen[i]
        state.chosen[i] = 0
    if state.epoch[0] == 0:
        state.pool[pick(rng, len(state.pool))] = 1
    forget_rewards(state.learner, ONLY)
    state.epoch[0] += 1
    state.last[0] += 2 ** state.epoch[0]


@kernel
def draw_left(state, other_than, rng):
    """Draw from L an option other than the given one (-1: any), and how often it is repeated."""
    size = total(state.pool)
    excluded = state.pool[other_than] if other_than >= 0 else 0
    nth = pick(rng, size - excluded)
    i = 0
    while i == other_than or nth >= state.pool[i]:
        if i != other_than:
            nth -= state.pool[i]
        i += 1
    if state.pool[i] == size:
        state.repeats[0] = NEVER
    else:  # the next m draws are i too with probability (share of i)^m
        share = state.pool[i] / size
        state.repeats[0] = int(math.log(1 - rng.random()) / math.log(share))
    return i


@kernel
def update_doubler(state, winner, loser, rng):
    """Tell the learner whether its choice won."""
    right = right_one(state.asked, winner, loser, rng)
    reward(state.learner, ONLY, right, int(right == winner), 1)


@kernel
def tie_doubler(state, first, second, rng):
    """Tell the learner that its choice was as good."""
    right = right_one(state.asked, first, second, rng)
    reward(state.learner, ONLY, right, 0.5, 1)


@kernel
def recommend_doubler(state):
    """Return the option most often chosen in this epoch and the one before."""
    best = 0
    for i in range(len(state.pool)):
        if state.pool[i] + state.chosen[i] > state.pool[best] + state.chosen[best]:
            best = i
    return best


@kernel
def rest_doubler(state, t):
    """Return the first step at which either side may change, whatever the coins say."""
    sure = sure_plays(state.learner, ONLY, right_now(state.asked), state.scale[0])
    return min(t + 1 + min(sure, state.repeats[0]), state.last[0] + 1)


# MultiSBM


class MultiSbm(NamedTuple):
    """The learners, one for each option on the left, and the pair."""

    learners: Ucb  # K
    asked: Questions
    played: Ints  # how often each option stood on the right
    scale: Floats  # (1,): (alpha + 2) / 2


def init_multisbm(k: int, alpha: float = 3.0) -> MultiSbm:
    """Begin; ``alpha`` > 0 makes the learners explore more."""
    return MultiSbm(
        learners=new_ucb(k, k),
        asked=new_questions(),
        played=np.zeros(k, np.int64),
        scale=ucb_scale("multisbm", alpha),
    )


@kernel
def advance_multisbm(state, t, rng):
    """Decide self-duels since the last pair, move right to left and ask for an opponent."""
    left = right_now(state.asked)
    if left < 0:
        left = pick(rng, len(state.played))
    else:
        state.played[left] += t - state.asked.step[0]
    n = self_duels(state.asked, t)
    if n > 0:
        reward(state.learners, left, left, heads(n, rng), n)
    ask(state.asked, left, ucb_choice(state.learners, left, state.scale[0], rng), t)


@kernel
def update_multisbm(state, winner, loser, rng):
    """Tell the learner of the left option whether its choice won."""
    right = right_one(state.asked, winner, loser, rng)
    reward(state.learners, winner + loser - right, right, int(right == winner), 1)


@kernel
def tie_multisbm(state, first, second, rng):
    """Tell the learner of the left option that its choice was as good."""
    right = right_one(state.asked, first, second, rng)
    reward(state.learners, first + second - right, right, 0.5, 1)


@kernel
def recommend_multisbm(state):
    """Return the option that stood on the right most often."""
    return find_greatest(state.played)


@kernel
def rest_multisbm(state, t):
    """Return the first step at which the option's learner may leave it, whatever the coins say."""
    c = left_now(state.asked)
    return t + 1 + sure_plays(state.learners, c, c, state.scale[0])


# Sparring


class Sparring(NamedTuple):
    """The two learners and their pair."""

    learners: Ucb  # 2
    asked: Questions
    scale: Floats  # (1,): (alpha + 2) / 2


def init_sparring(k: int, alpha: float = 3.0) -> Sparring:
    """Begin; ``alpha`` > 0 makes the learners explore more."""
    return Sparring(
        learners=new_ucb(2, k), asked=new_questions(), scale=ucb_scale("sparring", alpha)
    )


@kernel
def advance_sparring(state, t, rng):
    """Decide self-duels since the last pair, and let each learner name its option."""
    n = self_duels(state.asked, t)
    if n > 0:
        c = left_now(state.asked)
        tell(state, c, c, heads(n, rng), n)
    left = ucb_choice(state.learners, LEFT, state.scale[0], rng)
    right = ucb_choice(state.learners, RIGHT, state.scale[0], rng)
    ask(state.asked, left, right, t)


@kernel
def tell(state, left, right, left_wins, n):
    """Tell both learners what n duels of their options were worth."""
    reward(state.learners, LEFT, left, left_wins, n)
    reward(state.learners, RIGHT, right, n - left_wins, n)


@kernel
def update_sparring(state, winner, loser, rng):
    """Reward the learner whose option won."""
    right = right_one(state.asked, winner, loser, rng)
    tell(state, winner + loser - right, right, int(right == loser), 1)


@kernel
def tie_sparring(state, first, second, rng):
    """Reward both learners by half."""
    right = right_one(state.asked, first, second, rng)
    tell(state, first + second - right, right, 0.5, 1)


@kernel
def recommend_sparring(state):
    """Return the option that both learners together played most."""
    plays = state.learners.plays
    best = 0
    for i in range(plays.shape[1]):
        if plays[LEFT, i] + plays[RIGHT, i] > plays[LEFT, best] + plays[RIGHT, best]:
            best = i
    return best


@kernel
def rest_sparring(state, t):
    """Return the first step at which a learner may leave the option, whatever the coins say."""
    c = left_now(state.asked)
    left = sure_plays(state.learners, LEFT, c, state.scale[0])
    return t + 1 + min(left, sure_plays(state.learners, RIGHT, c, state.scale[0]))


DOUBLER = register(
    __name__,
    name="doubler",
    paper="Ailon, Karnin & Joachims 2014, Algorithm 1",
    summary="Doubler: a UCB learner against its own past choices, in doubling epochs",
    target="condorcet",
    init=init_doubler,
    advance=advance_doubler,
    update=update_doubler,
    tie=tie_doubler,
    recommend=recommend_doubler,
    rest=rest_doubler,
    assumes_condorcet=True,
)

MULTISBM = register(
    __name__,
    name="multisbm",
    paper="Ailon, Karnin & Joachims 2014, Algorithm 2",
    summary="MultiSBM: a UCB learner for each option names its opponents",
    target="condorcet",
    init=init_multisbm,
    advance=advance_multisbm,
    update=update_multisbm,
    tie=tie_multisbm,
    recommend=recommend_multisbm,
    rest=rest_multisbm,
    assumes_condorcet=True,
)

SPARRING = register(
    __name__,
    name="sparring",
    paper="Ailon, Karnin & Joachims 2014, Algorithm 3",
    summary="Sparring: two UCB learners duel, and the winner gets a reward",
    target="condorcet",
    init=init_sparring,
    advance=advance_sparring,
    update=update_sparring,
    tie=tie_sparring,
    recommend=recommend_sparring,
    rest=rest_sparring,
    assumes_condorcet=True,
)
