"""Names for people to read in place of those that a server draws for its voters."""

from __future__ import annotations

import re
from collections.abc import Sequence

_RANDOM = re.compile(r"(voter|visitor)-[0-9a-f]{12}")


def is_random_name(voter: str) -> bool:
    """Tell whether a server drew a voter's name, so that it says nothing to anybody.

    Examples
    --------
    >>> is_random_name("voter-e41a8a5d6883"), is_random_name("ann")
    (True, False)
    """
    return _RANDOM.fullmatch(voter) is not None


def name_voters(voters: Sequence[str], noun: str = "voter") -> dict[str, str]:
    """Return what to call each voter: a name that somebody gave, or a number.

    Examples
    --------
    >>> name_voters(["voter-e41a8a5d6883", "ann", "visitor-0123456789ab"])
    {'voter-e41a8a5d6883': 'voter 1', 'ann': 'ann', 'visitor-0123456789ab': 'voter 3'}
    """
    return {
        voter: f"{noun} {place}" if is_random_name(voter) else voter
        for place, voter in enumerate(voters, 1)
    }
