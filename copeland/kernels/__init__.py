"""What algorithms are written with: the mark, the counts of pairs, and what kinds of rules share.

The readable code and the fast code are the same code. :func:`kernel` only marks a plain function;
simulations compile copies of the marked functions, live use runs them as they are.
"""

from copeland.kernels.arrays import draw, greatest, least, pick, total
from copeland.kernels.compiler.compile import compiled
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import (
    NEVER,
    Pairs,
    count,
    first_expiry,
    hoeffding_expiry,
    judge,
    least_beaten,
    new_pairs,
    next_expired,
    record,
    reopen,
    settle,
    strongest_challenger,
)
from copeland.kernels.thompson_sampling import (
    Beliefs,
    believe,
    conditional_theta,
    expected_winner,
    new_beliefs,
    sample_sides,
    sampled_scores,
    theta,
)
from copeland.kernels.trials import LOST, OPEN, TIED, WON, Trials, forget, new_trials, observe
from copeland.kernels.vote_evidence import kl, kl_lower, kl_upper

__all__ = [
    "LOST",
    "NEVER",
    "OPEN",
    "TIED",
    "WON",
    "Beliefs",
    "Pairs",
    "Trials",
    "believe",
    "compiled",
    "conditional_theta",
    "count",
    "draw",
    "expected_winner",
    "first_expiry",
    "forget",
    "greatest",
    "hoeffding_expiry",
    "judge",
    "kernel",
    "kl",
    "kl_lower",
    "kl_upper",
    "least",
    "least_beaten",
    "new_beliefs",
    "new_pairs",
    "new_trials",
    "next_expired",
    "observe",
    "pick",
    "record",
    "reopen",
    "sample_sides",
    "sampled_scores",
    "settle",
    "strongest_challenger",
    "theta",
    "total",
]
