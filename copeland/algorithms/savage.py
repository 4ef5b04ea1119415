"""SAVAGE: Urvoy, Clerot, Feraud & Naamane 2013, the Copeland and the Condorcet version.

It always duels the pair dueled least among those that can still matter, and drops a pair for good
once it is decided or once its options are out of the running. When no pair is left the winner is
known; it is then played to the horizon.

- `savage` looks for a Copeland winner and assumes nothing: an option is out once its highest
  possible score is below another's sure score, and a pair matters unless both of its options are out.
- `savage-condorcet` assumes a Condorcet winner: an option is out once it is beaten, and a pair
  matters unless one of its options is out.

Rulings where the paper is silent:

- Pairs dueled equally often are taken in random order: sweeps, each in a new order.
- A decision is final, also if later answers that nobody asked for contradict it.
- "Below" is strict: an option that can at best equal the leader stays in.
- The answer is the option with the fewest sure losses, then the most sure wins. Before the end, ties
  go to the option that won most of its duels against the most others.

Not checked against the paper, whose text was not at hand (so no algorithm number is given); taken
from public implementations that agree with each other: the radius sqrt(ln(eta / delta) / (2n)), with
eta = K (K - 1) T for a horizon T and eta = pi^2 N n^2 / 3, N = K (K - 1) / 2, without; delta = 1/T
for regret; the strict comparison of scores; and that one beaten option is enough to drop a pair in
the Condorcet version (one implementation asks for two).
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
    return begin("savage", k, horizon, delta, quorum=2)


def init_condorcet(k: int, horizon: int, delta: float = 0.0) -> Contest:
    """Begin; as above, where there is a Condorcet winner."""
    return begin("savage-condorcet", k, horizon, delta, quorum=1)


def begin(name: str, k: int, horizon: int, delta: float, quorum: int) -> Contest:
    """Return all pairs undueled, with the radius for a known horizon or, given delta, for any time."""
    pairs = k * (k - 1) / 2
    probability = failure_probability(name, delta, horizon)
    if delta > 0:
        level = math.log(math.pi**2 * pairs / (3 * probability))
        return new_contest(k, level, growth=2.0, quorum=quorum)
    return new_contest(k, math.log(2 * pairs * horizon / probability), quorum=quorum)


@kernel
def update(state, winner, loser, rng):
    """Count the duel; if it decides the pair, see which options cannot be Copeland winners."""
    if record(state.tally, winner, loser):
        rule_out_options(state)


@kernel
def update_condorcet(state, winner, loser, rng):
    """Count the duel; if it decides the pair, the one that loses is not the Condorcet winner."""
    if record(state.tally, winner, loser):
        for option in (winner, loser):
            state.out[option] = state.tally.lost[option] > 0


ALGORITHM = register(
    __name__,
    name="savage",
    paper="Urvoy, Clerot, Feraud & Naamane 2013, SAVAGE for Copeland",
    summary="SAVAGE: duels every pair that can still matter until none is left",
    target="copeland",
    **CONTEST_PARTS,
)

CONDORCET = register(
    __name__,
    name="savage-condorcet",
    paper="Urvoy, Clerot, Feraud & Naamane 2013, SAVAGE for Condorcet",
    summary="SAVAGE for a Condorcet winner: one sure loss rules an option out",
    target="condorcet",
    init=init_condorcet,
    update=update_condorcet,
    **CONTEST_PARTS,
    assumes_condorcet=True,
)
