"""Learners of one bandit each, for rules that let such learners duel.

A learner plays options and is told a reward or a loss for each play; it need not know that others
play too. Here are upper confidence bounds (:class:`Ucb`, any number of learners, one a row) and two
players who draw from weights (:class:`Players`, exponential or Tsallis).

The last pairs asked are remembered (:class:`Questions`), so that an answer finds its sides also when it
comes late. A duel of an option with itself is a fair coin that no one reports: it is tossed when the
next step begins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Bools, Floats, Ints, least, new_record, pick
from copeland.kernels.mark import kernel

LEFT = 0  # the rows of two learners that duel
RIGHT = 1
REMEMBERED = 64  # how many pairs an answer is looked for among


class Questions(NamedTuple):
    """The pairs asked last, each option on its side; they may be answered late and in any order."""

    left: Ints  # by place, -1 if none was asked
    right: Ints
    waiting: Bools  # for an answer
    newest: Ints  # (1,): the place of the pair of the step
    step: Ints  # (1,): the step at which it was asked


def new_questions() -> Questions:
    """Return the pairs before the first step."""
    return new_record(
        Questions,
        left=np.full(REMEMBERED, -1),
        right=np.full(REMEMBERED, -1),
        waiting=np.zeros(REMEMBERED, np.bool_),
    )


@kernel
def ask(asked, left, right, t):
    """Note the pair of step t, in the place of the oldest; return that place."""
    place = (asked.newest[0] + 1) % REMEMBERED
    asked.left[place] = left
    asked.right[place] = right
    asked.waiting[place] = left != right
    asked.newest[0] = place
    asked.step[0] = t
    return place


@kernel
def left_now(asked):
    """Return the left option of the step, -1 before the first."""
    return asked.left[asked.newest[0]]


@kernel
def right_now(asked):
    """Return the right option of the step, -1 before the first."""
    return asked.right[asked.newest[0]]


@kernel
def self_duels(asked, t):
    """Return how many steps before t, since the pair was noted, an option met itself."""
    met_itself = left_now(asked) >= 0 and left_now(asked) == right_now(asked)
    return t - asked.step[0] if met_itself else 0


@kernel
def close_question(asked, i, j):
    """Return the place of the latest pair of i and j that waits, and wait no more; -1 if none does."""
    for back in range(REMEMBERED):
        place = (asked.newest[0] - back) % REMEMBERED
        if asked.waiting[place]:
            left, right = asked.left[place], asked.right[place]
            if (left == i and right == j) or (left == j and right == i):
                asked.waiting[place] = False
                return place
    return -1


@kernel
def right_one(asked, winner, loser, rng):
    """Return which option of an answer stood on the right; a coin says where nobody asked."""
    place = close_question(asked, winner, loser)
    if place >= 0:
        return asked.right[place]
    return winner if rng.random() < 0.5 else loser


@kernel
def heads(n, rng):
    """Return the number of heads in n tosses of a fair coin."""
    return int(rng.random() < 0.5) if n == 1 else rng.binomial(n, 0.5)


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


class Players(NamedTuple):
    """Two players who draw from weights; the winner of a duel has no loss, the loser has one.

    A loss counts with the weight 1 / p, p the probability with which its option was drawn, so that
    the estimates are unbiased. An answer that nobody asked for was not drawn: its weight is 1.
    """

    losses: Floats  # 2 x K: estimated, cumulative
    chances: Floats  # 2 x K: the probabilities of the step
    plays: Ints  # K: by both players
    asked: Questions
    weights: Floats  # 2 x places: of the losses of the pairs asked


def new_players(k: int) -> Players:
    """Return players who have played nothing."""
    return Players(
        losses=np.zeros((2, k)),
        chances=np.full((2, k), 1 / k),
        plays=np.zeros(k, np.int64),
        asked=new_questions(),
        weights=np.zeros((2, REMEMBERED)),
    )


@kernel
def draw_pair(players, extra, t, rng):
    """Let each player draw an option for step t.

    ``extra`` is added to the probability in the weight of a loss: implicit exploration, 0 for none.
    """
    left = draw_by(players.chances[LEFT], rng)
    right = draw_by(players.chances[RIGHT], rng)
    players.plays[left] += 1
    players.plays[right] += 1
    place = ask(players.asked, left, right, t)
    players.weights[LEFT, place] = 1 / (players.chances[LEFT, left] + extra)
    players.weights[RIGHT, place] = 1 / (players.chances[RIGHT, right] + extra)


@kernel
def draw_by(chances, rng):
    """Draw an option by these probabilities."""
    left_over = rng.random()
    for i in range(len(chances) - 1):
        left_over -= chances[i]
        if left_over < 0:
            return i
    return len(chances) - 1


@kernel
def toss_self_duel(players, t, rng):
    """Where the pair of the step before t was one option with itself, let a coin decide it."""
    if self_duels(players.asked, t) > 0:
        charge(players, players.asked.newest[0], heads(1, rng))


@kernel
def charge_loser(players, winner, loser):
    """Take in an answer."""
    place = close_question(players.asked, winner, loser)
    if place >= 0:
        charge(players, place, int(players.asked.left[place] == loser))
    else:
        players.losses[LEFT, loser] += 1
        players.losses[RIGHT, loser] += 1


@kernel
def charge_both(players, first, second):
    """Take in a tie: a loss of 1/2 to each."""
    place = close_question(players.asked, first, second)
    if place >= 0:
        charge(players, place, 0.5)
    else:
        for option in (first, second):
            players.losses[LEFT, option] += 0.5
            players.losses[RIGHT, option] += 0.5


@kernel
def charge(players, place, loss):
    """Add up the losses of a pair that was asked: ``loss`` for the left player, the rest right."""
    asked = players.asked
    players.losses[LEFT, asked.left[place]] += loss * players.weights[LEFT, place]
    players.losses[RIGHT, asked.right[place]] += (1 - loss) * players.weights[RIGHT, place]


@kernel
def exponential_weights(losses, eta, chances):
    """Fill in the probabilities proportional to exp(-eta L_i)."""
    lowest = least(losses)
    total = 0.0
    for i in range(len(losses)):
        chances[i] = math.exp(-eta * (losses[i] - lowest))
        total += chances[i]
    for i in range(len(losses)):
        chances[i] /= total


@kernel
def tsallis_weights(losses, eta, x, chances):
    """Fill in the probabilities 4 / (eta (L_i - x))^2 for the x at which they sum to 1; return it.

    The given x is where to start from. Newton's method on (sum of all)^(-1/2) = 1: its left side is
    concave in x, so every step ends to the right of the solution and the next come down to it; at the
    ceiling the likeliest option alone would have probability 1.
    """
    ceiling = least(losses) - 2 / eta
    x = min(x, ceiling)
    total = 0.0
    for _ in range(30):
        total = 0.0
        cubes = 0.0
        for i in range(len(losses)):
            root = 2 / (eta * (losses[i] - x))
            chances[i] = root * root
            total += chances[i]
            cubes += chances[i] * root
        if abs(total - 1) < 1e-9:
            break
        x = min(ceiling, x - 2 * total * (math.sqrt(total) - 1) / (eta * cubes))
    for i in range(len(losses)):
        chances[i] /= total
    return x
