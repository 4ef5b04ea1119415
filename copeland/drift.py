r"""Whether the votes on a pair changed over time: evidence that holds however often one looks.

Suppose that each vote on a pair is won by the first option with one probability p, which stays. For any
distribution Q over sequences, the ratio of Q's probability of the votes so far to the largest that any p gives
them is then above 1/a at some time with a probability of at most a (Ville's inequality, since it is at most the
ratio to the true p, a martingale). Q is a mixture over times of change. Before and after each, the votes are those
of a probability of their own, drawn from Beta(2, 2):

.. math:: E_n = \sum_j w_j \frac{B(k_j, t_j) \, B(k - k_j, n - t_j)}{\sup_p p^k (1-p)^{n-k}},
    \qquad w_j = \frac{8}{(j+8)(j+9)}, \quad t_j = 8 \cdot 2^{j/2}

with k of n votes won, k_j of the first t_j, and B(k, n) the mixture's probability of k wins in n votes in their
order. Ties name no winner and are left out.

References
----------
Wasserman, Ramdas and Balakrishnan, "Universal inference", PNAS 2020; Ramdas, Ruf, Larsson and Koolen, "Testing
exchangeability: fork-convexity, supermartingales and e-processes", IJAR 2022.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copeland.errors import InvalidParameter

LEVEL = 0.05  # the probability with which a study without any change is ever said to have one
EARLIEST = 8  # votes before a change
EVERY = 2_000  # votes up to which each is looked at; then one in a hundred is

Floats = NDArray[np.float64]


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


def change_in(won: ArrayLike) -> Change | None:
    """Return the evidence for a change in the votes on a pair; None of fewer than 10.

    Parameters
    ----------
    won
        For each vote that names a winner, in their order, whether that is the first option.

    Examples
    --------
    >>> change = change_in([True] * 60 + [False] * 60)
    >>> change.early, change.before, change.after, change.is_proved(0.001)
    (64, 0.9375, 0.0, True)
    """
    flags = _flags(won)
    if len(flags) < EARLIEST + 2:
        return None
    wins = np.concatenate([np.zeros(1, np.int64), np.cumsum(flags)])
    looks, times = _looks(len(flags)), _times(len(flags))
    found = _log_ratios(wins, looks, times)
    split = times[int(np.argmax(_parts(wins, looks[-1:], times)))]
    return Change(
        float(found.max()),
        len(flags),
        int(split),
        float(wins[split] / split),
        float((wins[-1] - wins[split]) / (len(flags) - split)),
    )


def _flags(won: ArrayLike) -> NDArray[np.bool_]:
    try:
        flags = np.asarray(won)
    except ValueError:  # lists of several lengths
        flags = np.asarray(None)
    if flags.ndim != 1 or (flags.dtype != bool and len(flags)):
        raise InvalidParameter(
            "won is not a list of truth values; say for each vote whether it was won."
        )
    return flags.astype(bool)


def _looks(n: int) -> NDArray[np.int64]:
    """The numbers of votes after which one looks; fewer looks are no less valid."""
    later = EVERY * 1.01 ** np.arange(1, max(1, int(np.log(max(n / EVERY, 1)) / np.log(1.01)) + 1))
    looks = np.concatenate(
        [np.arange(EARLIEST + 1, min(n, EVERY) + 1), later.astype(np.int64), [n]]
    )
    return np.unique(looks[looks <= n])


def _times(n: int) -> NDArray[np.int64]:
    times = (EARLIEST * 2 ** (np.arange(2 * 60) / 2)).astype(np.int64)
    return times[times < n]


def _log_ratios(wins: NDArray[Any], looks: NDArray[Any], times: NDArray[Any]) -> Floats:
    parts = _parts(wins, looks, times)
    top = parts.max(axis=1)
    mixed = top + np.log(np.exp(parts - top[:, None]).sum(axis=1))
    return mixed - _log_best(wins[looks], looks)


def _parts(wins: NDArray[Any], looks: NDArray[Any], times: NDArray[Any]) -> Floats:
    """The logarithm of what each time of change adds to the mixture, after each look."""
    j = np.arange(len(times))
    weight = np.log(8 / ((j + 8) * (j + 9)))
    early = _log_mixture(wins[times], times)
    n, t = np.broadcast_arrays(looks[:, None], times)
    later = t < n
    size = np.where(later, n - t, 0)
    late = _log_mixture(np.where(later, wins[n] - wins[t], 0), size)
    return np.where(later, weight + early + late, -np.inf)


def _log_mixture(k: NDArray[Any], n: NDArray[Any]) -> Floats:
    """The logarithm of the probability of k wins in n votes, in their order, where p is of Beta(2, 2)."""
    table = _log_factorials(int(n.max(initial=0)) + 3)
    return np.log(6.0) + table[k + 1] + table[n - k + 1] - table[n + 3]


def _log_factorials(n: int) -> Floats:
    return np.concatenate([np.zeros(1), np.cumsum(np.log(np.arange(1, n + 1)))])


def _log_best(k: NDArray[Any], n: NDArray[Any]) -> Floats:
    """The logarithm of the largest probability that any p gives to k wins in n votes in their order."""
    with np.errstate(divide="ignore", invalid="ignore"):
        won = np.where(k > 0, k * np.log(k / n), 0.0)
        lost = np.where(k < n, (n - k) * np.log((n - k) / n), 0.0)
    return won + lost
