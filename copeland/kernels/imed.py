"""When a pair is decided by IMED's index: n d + ln n against ln t + caution, and a guard against ties.

n d, the evidence of n duels at the divergence d from 1/2, is weighed together with ln n: the index of
Honda & Takemura 2015. An exact tie would be decided by its mere length, so 2 n d must be enough too.

CPC decides so. A rule's own threshold is part of it, and a lower one lets it decide sooner and err more
often: to tell what another rule owes to its plan and what to its threshold, some take this one by a
parameter ``threshold``, "eager" or "cautious".
"""

from __future__ import annotations

import math

from copeland.errors import InvalidParameter, nearest
from copeland.kernels.kl import kl
from copeland.kernels.mark import kernel
from copeland.kernels.pairs import first_step_after

SETTINGS = {"eager": 0.0, "cautious": 3.0}  # nats beyond ln t that a decision needs
OWN = "own"  # a rule's threshold, unless it takes one of these


@kernel
def imed_index(wins, duels, margin):
    """Return min(n d + ln n, 2 n d), d = d(w/n, 1/2 - margin); 0 for who is not ahead of that."""
    nats = nats_ahead(wins, duels, margin)
    return min(nats + math.log(duels), 2 * nats) if nats > 0 else 0.0


@kernel
def nats_ahead(wins, duels, margin):
    """Return n d, d = d(w/n, 1/2 - margin); 0 for who is not ahead of that."""
    null = 0.5 - margin
    if duels == 0 or wins <= null * duels:
        return 0.0
    return duels * kl(wins / duels, null)


@kernel
def imed_index_of_leader(wins, duels):
    """Return the index of the side that is ahead."""
    return imed_index(max(wins, duels - wins), duels, 0.0)


@kernel
def imed_expiry(wins, duels, caution):
    """Return the first step t at which the index is not above ln t + ``caution``."""
    return first_step_after(imed_index_of_leader(wins, duels) - caution)


def caution_of(algorithm: str, threshold: str) -> float | None:
    """Return the nats beyond ln t that a decision needs; None if the rule keeps its own threshold."""
    if threshold == OWN:
        return None
    if threshold not in SETTINGS:
        known = (OWN, *SETTINGS)
        raise InvalidParameter(
            f"{algorithm}: there is no threshold '{threshold}'; {nearest(str(threshold), known)}"
        )
    return SETTINGS[threshold]
