"""RankEl, rank elicitation: Busa-Fekete, Szörényi & Hüllermeier 2014, with Copeland scores.

All pairs are dueled sweep by sweep. The score of an option is the number of others that it beats
with probability above 1/2 + ``epsilon``; a pair is dropped only once it is known, for both of its
options, whether it counts. The paper ranks all options up to an allowed ranking error; this is its
use for the best one: it stops once one option's sure score is at least every other's highest
possible score.

Rulings where the paper is silent:

- Option i beats j once its interval lies above 1/2 + epsilon and fails to once it lies below. So a
  pair is dropped if its interval lies above 1/2 + epsilon, below 1/2 - epsilon, or between the two.
- What an answer settles holds at once and not from the next sweep on, which saves less than a sweep.
- A decision is final, also if later answers that nobody asked for contradict it.
- Before the end the option with the fewest sure losses is recommended, then the most sure wins, then
  the most opponents that it mostly beat.
- With epsilon = 0 a pair at exactly 1/2 is dueled for ever, unless the answer does not depend on it.

Not checked against the paper, for which neither text nor code was at hand; everything here is
second-hand. The radius sqrt(ln(5 K^2 n^4 / (4 delta)) / (2n)) is valid whatever its source: its
error probabilities, summed over n, both sides and all pairs, stay below 0.87 delta.
"""

from __future__ import annotations

import math

from copeland.errors import InvalidParameter
from copeland.kernels.arrays import greatest
from copeland.kernels.mark import kernel
from copeland.kernels.sweeps import (
    CONTEST_PARTS,
    Contest,
    failure_probability,
    highest_score,
    new_contest,
    record,
)
from copeland.registry import register


def init(k: int, horizon: int, epsilon: float = 0.0, delta: float = 0.0) -> Contest:
    """Begin; the answer is wrong with probability ``delta`` at most (0: 1/horizon, for regret)."""
    if not 0 <= epsilon < 0.5:
        raise InvalidParameter(f"rankel: epsilon is {epsilon}; the paper needs 0 <= epsilon < 1/2.")
    probability = failure_probability("rankel", delta, horizon)
    return new_contest(k, math.log(5 * k**2 / (4 * probability)), growth=4.0, margin=epsilon)


@kernel
def update(state, winner, loser, rng):
    """Count the duel; if that makes the best option sure, no pair is needed any more."""
    if record(state.tally, winner, loser) and best_is_sure(state.tally):
        state.out[:] = True


@kernel
def best_is_sure(tally):
    """Tell whether one option's sure score is at least every other's highest possible score.

    Only an option that may score above every sure score can stand in the way. If there is one, it
    must be the best itself, with the highest sure score; if there are two, one stands in the way.
    """
    surest = greatest(tally.won)
    above = 0
    for i in range(len(tally.won)):
        if highest_score(tally, i) > surest:
            above += 1
            if above > 1 or tally.won[i] < surest:
                return False
    return True


ALGORITHM = register(
    __name__,
    name="rankel",
    paper="Busa-Fekete, Szörényi & Hüllermeier 2014, RankEl with Copeland scores",
    summary="Rank elicitation: decides every pair it can, stops when the best option is sure",
    target="copeland",
    **CONTEST_PARTS,
)
