"""Two players of an adversarial bandit duel: Versatile-DB, and sparring for the von Neumann winner.

Each player draws by weights; the loser has loss 1. The rules share all but the weights, and what is made of them.

- Versatile-DB: Saha & Gaillard 2022, Algorithm 3. Each player is Tsallis-INF (Zimmert & Seldin 2021): probabilities
  4 / (eta_t (L_i - x))^2 with x such that they sum to 1, losses divided by the probability of the play. A Condorcet
  winner is assumed; regret is logarithmic where preferences stay the same and of order sqrt(K T) whatever they do.
- Sparring for the von Neumann winner: Dudik, Hofmann, Schapire, Slivkins & Zoghi 2015. Each player has exponential
  weights. No assumption on preferences: where they run in cycles the players' average play comes near the von Neumann
  winner, the mixture that no option beats. If the players' regrets over T steps are R and R', then the average of both
  plays beats every option with probability at least 1/2 - (R + R') / T.

Rulings where the papers are silent, and choices of this implementation:

- An option that meets itself loses by a fair coin. A tie is a loss of 1/2 to both.
- An answer to none of the last 64 pairs asked was drawn by nobody: it counts with weight 1, for both players.
- Versatile-DB: eta_t = rate / sqrt(t) with rate = 2, which belongs to plainly importance-weighted losses. The
  recommendation is the option with the least estimated losses of both players together.
- SparringEXP4.P of Dudik et al. plays over policies of contexts and knows its horizon. Without contexts the policies are
  the options. Each player here is EXP3-IX (Neu 2015), which has a bound of the same order, sqrt(K T ln K), with high
  probability, and needs no horizon: with eta_t = sqrt(ln K / (K t)) an option has probability proportional to
  exp(-eta_t L), and the loss of a play is divided by its probability plus eta_t / 2.
- The recommendation of the latter is the option played most by both players together; :func:`average_play` is the
  mixture itself.

The papers' texts could not be read. Versatile-DB: two players, the estimate and the rate agree in two public
implementations (dueling-bandit of Huan, which tells this from the variant of the paper's remark in which both options come
from one distribution; multiplayer-dueling-bandits). The other: that two players are told 1 and 0 agrees with public code
(sparring_exp3.py of Li's MergeDTS); eta / 2 is in several public codes of EXP3-IX, whose fixed rate is
sqrt(2 ln K / (K T)); the anytime rate is from memory.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import Floats, Ints, find_greatest, least
from copeland.kernels.learners import (
    LEFT,
    REMEMBERED,
    RIGHT,
    Questions,
    ask,
    close_question,
    heads,
    left_now,
    new_questions,
    right_now,
    self_duels,
)
from copeland.kernels.mark import kernel
from copeland.registry import register


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


@kernel
def select(state, t, rng):
    """Return what the players drew."""
    return left_now(state.players.asked), right_now(state.players.asked)


@kernel
def update(state, winner, loser, rng):
    """Charge the player whose option lost."""
    charge_loser(state.players, winner, loser)


@kernel
def tie(state, first, second, rng):
    """Charge both players half."""
    charge_both(state.players, first, second)


def check_rate(name: str, rate: float) -> None:
    """Refuse what is no learning rate."""
    if not 0 < rate < math.inf:
        raise InvalidParameter(f"{name}: rate is {rate}; a learning rate is greater than 0.")


# Versatile-DB


class Versatile(NamedTuple):
    """The two players."""

    players: Players
    normalisers: Floats  # 2: x of each player
    rate: Floats  # (1,)


def init_versatile(k: int, rate: float = 2.0) -> Versatile:
    """Begin; ``rate`` > 0 scales the learning rate."""
    check_rate("versatile", rate)
    return Versatile(
        players=new_players(k), normalisers=np.zeros(2), rate=np.array([rate], np.float64)
    )


@kernel
def advance_versatile(state, t, rng):
    """Decide a self-duel of the last step, and let each player draw by its weights."""
    players = state.players
    toss_self_duel(players, t, rng)
    eta = state.rate[0] / math.sqrt(t)
    for side in (LEFT, RIGHT):
        state.normalisers[side] = tsallis_weights(
            players.losses[side], eta, state.normalisers[side], players.chances[side]
        )
    draw_pair(players, 0.0, t, rng)


@kernel
def recommend_versatile(state):
    """Return the option with the least losses."""
    losses = state.players.losses
    best = 0
    for i in range(losses.shape[1]):
        if losses[LEFT, i] + losses[RIGHT, i] < losses[LEFT, best] + losses[RIGHT, best]:
            best = i
    return best


# Sparring for the von Neumann winner


class VonNeumannSparring(NamedTuple):
    """The two players."""

    players: Players
    rate: Floats  # (1,)


def init_sparring(k: int, rate: float = 1.0) -> VonNeumannSparring:
    """Begin; ``rate`` > 0 scales the learning rate."""
    check_rate("von-neumann-sparring", rate)
    return VonNeumannSparring(players=new_players(k), rate=np.array([rate], np.float64))


def average_play(state: VonNeumannSparring) -> Floats:
    """Return the mixture that both players together played so far, an estimate of the winner."""
    plays = state.players.plays
    return plays / plays.sum() if plays.any() else np.full(len(plays), 1 / len(plays))


@kernel
def advance_sparring(state, t, rng):
    """Decide a self-duel of the last step, and let each player draw by its weights."""
    players = state.players
    toss_self_duel(players, t, rng)
    k = len(players.plays)
    eta = state.rate[0] * math.sqrt(math.log(k) / (k * t))
    for side in (LEFT, RIGHT):
        exponential_weights(players.losses[side], eta, players.chances[side])
    draw_pair(players, eta / 2, t, rng)


@kernel
def recommend_sparring(state):
    """Return the option that both players together played most."""
    return find_greatest(state.players.plays)


VERSATILE = register(
    __name__,
    name="versatile",
    paper="Saha & Gaillard 2022, Algorithm 3",
    summary="Versatile-DB: two Tsallis-INF players duel; also for changing preferences",
    target="condorcet",
    init=init_versatile,
    advance=advance_versatile,
    recommend=recommend_versatile,
    assumes_condorcet=True,
)

VON_NEUMANN_SPARRING = register(
    __name__,
    name="von-neumann-sparring",
    paper="Dudik, Hofmann, Schapire, Slivkins & Zoghi 2015, with players of Neu 2015",
    summary="Two EXP3-IX players duel; their average play approaches the von Neumann winner",
    target="von neumann",
    init=init_sparring,
    advance=advance_sparring,
    recommend=recommend_sparring,
)
