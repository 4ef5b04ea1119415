"""What every algorithm is written with: the mark, the counts of pairs, the one duel loop.

The readable code and the fast code are the same code. :func:`kernel` only marks a plain function;
simulations compile copies of the marked functions, live use runs them as they are.
"""

from copeland.kernels.arrays import greatest, least, total
from copeland.kernels.draws import pick
from copeland.kernels.mark import compiled, is_kernel, kernel
from copeland.kernels.pairs import (
    NEVER,
    Pairs,
    count,
    first_expiry,
    hoeffding_expiry,
    new_pairs,
    next_expired,
    settle,
)

__all__ = [
    "NEVER",
    "Pairs",
    "compiled",
    "count",
    "first_expiry",
    "greatest",
    "hoeffding_expiry",
    "is_kernel",
    "kernel",
    "least",
    "new_pairs",
    "next_expired",
    "pick",
    "settle",
    "total",
]
