"""The decision threshold of CPC for other rules: so they can be compared at equal caution.

A rule's own threshold is part of it, and a lower one lets it decide sooner and err more often. To tell
what a rule owes to its plan and what to its threshold, some take ``threshold="eager"`` or ``"cautious"``:
then a pair is decided as in :mod:`copeland.algorithms.cpc` with that setting.
"""

from __future__ import annotations

from copeland.algorithms.cpc import SETTINGS
from copeland.errors import InvalidParameter, nearest

OWN = "own"


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
