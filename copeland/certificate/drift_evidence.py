r"""Whether the votes on a pair changed over time: evidence that holds however often one looks.

Suppose that each vote on a pair is won by the first option with one probability p, which stays. Take a time t, and
match vote 1 with vote t + 1, vote 2 with t + 2, and so on up to t with 2t. No vote is in two matches, so they are
independent. Where the two votes of a match differ, the later one is the win with probability 1/2, whatever p is. So
after u matches with a later win and d with an earlier one, the ratio

.. math:: M_t = \frac{1}{2} \sum_{s \in \{2, 20\}} 2^{u+d} \, \frac{B(u + s, d + s)}{B(s, s)}

is a martingale that begins with 1: u and d against a coin whose bias is drawn from Beta(2, 2) or Beta(20, 20). It ever
reaches x with a probability of at most 1/x (Ville's inequality). The evidence is the largest of all w_j M_t so far,
with the weights

.. math:: w_j = \frac{8}{(j+8)(j+9)}, \qquad t_j = 8 \cdot 2^{j/3},

which sum to 1: it ever reaches 1/a for any t_j with a probability of at most a. Ties name no winner and are left out.
:func:`share_of` divides a level among all pairs that a study may ever have.

References
----------
McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika 1947; Ville,
"Étude critique de la notion de collectif", 1939.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, xlogy

from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools, Floats, Ints

LEVEL = 0.05  # the probability with which a study without any change is ever said to have one
KNOWN = 0.9  # of the level is for pairs of the options that there are at the first vote
EARLIEST = 8  # votes before a change
BELIEFS = (2, 20)  # in how far the later votes are others: coins of Beta(s, s)


class Change(NamedTuple):
    """How strong the evidence for a change is at its strongest, and where the change is likely."""

    evidence: float  # the logarithm of the largest ratio so far
    votes: int  # that name a winner
    early: int  # of these, those before the likely change
    before: float  # the first option's share of the early ones
    after: float  # and of those since

    def is_proved(self, level: float) -> bool:
        """Tell whether a ratio as large comes about with at most this probability if nothing changes."""
        return self.evidence >= -math.log(level)


def check_level(level: float) -> None:
    """Refuse what is no probability."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise InvalidParameter(f"level is {level!r}; it must be a number between 0 and 1.")


def share_of(later: int, known: int) -> float:
    """Return a pair's share of the level; all pairs that there may ever be have 1 together.

    Parameters
    ----------
    later
        The index, from 0, of the later of the pair's two options.
    known
        How many options there were when the first vote came.
    """
    for name, value, least in (("later", later, 1), ("known", known, 2)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InvalidParameter(f"{name} is {value!r}; it must be {least} or more.")
    if later < known:
        return KNOWN / (known * (known - 1) / 2)
    # An option has `later` pairs with earlier ones; known / (later (later + 1)) sums to 1.
    return (1 - KNOWN) * known / (later**2 * (later + 1))


def change_in(won: ArrayLike) -> Change | None:
    """Return the evidence for a change in the votes on a pair; None of fewer than 10.

    Parameters
    ----------
    won
        For each vote that names a winner, in their order, whether that is the first option.
    """
    flags = _flags(won)
    if len(flags) < EARLIEST + 2:
        return None
    wins = np.concatenate([np.zeros(1, np.int64), np.cumsum(flags, dtype=np.int64)])
    split, n = _likely_time(wins), len(flags)
    return Change(
        max(float(_log_ratios(flags, j, t).max()) for j, t in enumerate(_times_before(n))),
        n,
        split,
        float(wins[split] / split),
        float((wins[-1] - wins[split]) / (n - split)),
    )


def _flags(won: ArrayLike) -> Bools:
    try:
        flags = np.asarray(won)
    except ValueError:  # lists of several lengths
        flags = np.asarray(None)
    if flags.ndim != 1 or (flags.dtype != bool and len(flags)):
        raise InvalidParameter(
            "won is not a list of truth values; say for each vote whether it was won."
        )
    return flags.astype(bool)


def _times_before(n: int) -> Ints:
    """Return the times of change that are looked at, of n votes."""
    times = (EARLIEST * 2 ** (np.arange(3 * 50) / 3)).astype(np.int64)
    return times[times < n]


def _log_ratios(flags: Bools, j: int, t: int) -> Floats:
    """Return the logarithm of the ratio of a time of change, with its weight, after each vote from t + 1 to 2t."""
    late = flags[t : 2 * t]
    early = flags[: len(late)]
    up, down = np.cumsum(late & ~early), np.cumsum(early & ~late)
    parts = [betaln(up + s, down + s) - betaln(s, s) for s in BELIEFS]
    weight = np.log(8 / ((j + 8) * (j + 9)))
    return np.logaddexp(*parts) + (up + down - 1) * np.log(2.0) + weight


def _likely_time(wins: Ints) -> int:
    """After how many votes the votes change most: the two shares on both sides of it make them likeliest."""
    n = len(wins) - 1
    t = np.arange(EARLIEST, n - 1)
    parts = _log_best(wins[t], t) + _log_best(wins[n] - wins[t], n - t)
    return int(t[np.argmax(parts)])


def _log_best(k: NDArray[Any], n: NDArray[Any]) -> Floats:
    """The logarithm of the largest probability that any p gives to k wins in n votes in their order."""
    return xlogy(k, k / n) + xlogy(n - k, (n - k) / n)
