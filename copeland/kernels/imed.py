"""When a pair is decided by IMED's index: n d + ln n against ln t, and a guard against ties.

n d, the evidence of n duels at the divergence d from 1/2, is weighed together with ln n: the index of
Honda & Takemura 2015. An exact tie would be decided by its mere length, so 2 n d must be enough too.
"""

from __future__ import annotations

import math

from copeland.kernels.kl import kl
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import NEVER


@kernel
def imed_index(wins, duels):
    """Return min(n d(w/n, 1/2) + ln n, 2 n d(w/n, 1/2)), whichever side is ahead; 0 without a duel."""
    if duels == 0:
        return 0.0
    nats = duels * kl(max(wins, duels - wins) / duels, 0.5)
    return min(nats + math.log(duels), 2 * nats)


@kernel
def imed_expiry(wins, duels, caution):
    """Return the first step t at which the index is not above ln t + ``caution``."""
    exponent = imed_index(wins, duels) - caution
    return NEVER if exponent > 42 else math.ceil(math.exp(exponent))
