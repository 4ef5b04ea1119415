"""PBR, preference-based racing: Busa-Fekete, Szörényi, Weng, Cheng & Hüllermeier 2013, Copeland.

The paper selects the best few options; this is its race for the best one. All active pairs are
dueled sweep by sweep; an option is discarded once another's score is sure to be higher, selected
once its score is sure to be above all others', and a pair is dropped once it is decided or once both
of its options are settled in one of these ways.

Rulings where the paper is silent:

- Option i is selected if #{j : highest score of j < sure score of i} >= K - 1 and discarded if
  #{j : sure score of j > highest score of i} >= 1. Public implementations have ">" for ">=" and K
  for K - 1 in the scores; with these one option could never be selected.
- What an answer settles holds at once and not from the next sweep on, which saves less than a sweep.
- A sweep takes every unordered pair once, in a new random order.
- n_max, the cap on the duels of a pair, is the horizon, which no pair can exceed.
- A decision is final, also if later answers that nobody asked for contradict it.
- The answer is the option selected. Where several may share the highest score nobody is: then it is
  the one with the fewest sure losses, the most sure wins, and the most opponents it mostly beat.

Not checked against the paper, whose text was not at hand: the radius
sqrt(ln(2 K^2 n_max / delta) / (2n)) is that of one public implementation (another has an anytime
radius), and delta = 1/T with n_max = T is our choice for regret.
"""

from __future__ import annotations

import math

from copeland.kernels.mark import kernel
from copeland.kernels.sweeps import (
    CONTEST_PARTS,
    Contest,
    failure_probability,
    new_contest,
    record,
    rule_out_options,
)
from copeland.registry import register


def init(k: int, horizon: int, delta: float = 0.0) -> Contest:
    """Begin; the answer is wrong with probability ``delta`` at most (0: 1/horizon, for regret)."""
    probability = failure_probability("pbr", delta, horizon)
    return new_contest(k, math.log(2 * k**2 * horizon / probability))


@kernel
def update(state, winner, loser, rng):
    """Count the duel; if it decides the pair, discard options and select the last one left."""
    if record(state.tally, winner, loser):
        discarded = rule_out_options(state)
        if discarded == len(state.out) - 1:
            state.out[:] = True


ALGORITHM = register(
    __name__,
    name="pbr",
    paper="Busa-Fekete, Szörényi, Weng, Cheng & Hüllermeier 2013, PBR with Copeland scores",
    summary="Preference-based racing: sweeps over pairs until one option is sure to score best",
    target="copeland",
    **CONTEST_PARTS,
)
