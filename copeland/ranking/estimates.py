"""What comparisons of rankers came to: counts of every pair, and a preference matrix under any rule for ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.errors import InvalidMatrix, InvalidParameter, nearest
from copeland.matrix import PreferenceMatrix
from copeland.support.arrays import Floats, Ints
from copeland.support.atomic_files import write_file
from copeland.support.npz import pack_arrays, read_arrays
from copeland.support.rng import stream
from copeland.support.tasks import Arrays

Pair = tuple[int, int]

TIES = ("half", "coin", "discard")

_TABLES = ("wins", "ties", "n", "lead", "spread")


@dataclass(frozen=True, eq=False)
class Estimate:
    """What the comparisons of every pair came to, as integers: any tie rule can be applied later.

    ``wins[i, j]`` counts comparisons that i won against j; ``ties`` and ``n`` are symmetric. Of the
    outcome ``expected`` the values are kept too, because they are no whole wins: ``lead[i, j]`` is the
    mean of P(i ahead) - P(i behind), and ``spread`` its variance from comparison to comparison.

    Examples
    --------
    >>> counts, sums = np.array([[60, 30, 10]]), np.array([[30.0, 90.0]])
    >>> found = tally(["a", "b"], "sign", [(0, 1)], counts, sums)
    >>> found.matrix().p.tolist()  # a tie is half a win each
    [[0.5, 0.65], [0.35, 0.5]]
    >>> found.matrix(ties="discard").p.round(2).tolist()
    [[0.5, 0.67], [0.33, 0.5]]
    >>> found.standard_errors().round(3)[0, 1].item()
    0.045
    """

    labels: tuple[str, ...]
    outcome: str
    wins: Ints
    ties: Ints
    n: Ints
    lead: Floats
    spread: Floats

    def probabilities(self, ties: str = "half", seed: int = 0) -> Floats:
        """Return p_ij under a rule for ties: ``half`` a win each, a ``coin`` for each, or ``discard``.

        With the outcome ``expected`` there are no ties to rule on.
        """
        check_ties(ties)
        if self.outcome == "expected":
            p = (1 + self.lead) / 2
        elif ties == "discard":
            decisive = self.n - self.ties
            never = (decisive == 0) & ~np.eye(len(self.n), dtype=bool)
            if never.any():
                i, j = np.argwhere(never)[0]
                raise InvalidMatrix(
                    f"all comparisons of {self.labels[i]} and {self.labels[j]} are ties; "
                    "count ties as half instead of discarding them."
                )
            p = self.wins / np.maximum(decisive, 1)
        else:
            won = self.ties / 2
            if ties == "coin":  # a fair coin says which ties the first of the pair won
                heads = np.triu(stream(seed, "ties").binomial(self.ties, 0.5), 1)
                won = heads + np.tril((self.ties - heads.T), -1)
            p = (self.wins + won) / np.maximum(self.n, 1)
        upper = np.triu(p, 1)
        return upper + np.tril(1 - upper.T, -1) + np.eye(len(p)) / 2

    def standard_errors(self, ties: str = "half") -> Floats:
        """Return the standard error of each probability, from the comparisons alone.

        Rather too large: differences between queries, which the strata take out, are counted in.
        """
        check_ties(ties)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.outcome == "expected":
                error = np.sqrt(self.spread / self.n) / 2
            elif ties == "discard":
                decisive = self.n - self.ties
                share = self.wins / decisive
                error = np.sqrt(share * (1 - share) / decisive)
            else:
                p = (self.wins + self.ties / 2) / self.n
                square = (self.wins + self.ties / (2 if ties == "coin" else 4)) / self.n
                error = np.sqrt(np.maximum(square - p**2, 0) / self.n)
        np.fill_diagonal(error, 0)
        return error

    def matrix(self, ties: str = "half", name: str = "", seed: int = 0) -> PreferenceMatrix:
        """Return the preference matrix under a rule for ties."""
        return PreferenceMatrix(self.probabilities(ties, seed), self.labels, name)

    def save(self, path: str | Path, ties: str = "half", seed: int = 0) -> None:
        """Write an .npz that loads wherever a matrix does, with the counts beside ``p``."""
        arrays = {
            "p": self.probabilities(ties, seed),
            "labels": np.array(self.labels),
            "standard_errors": self.standard_errors(ties),
            **{name: getattr(self, name) for name in _TABLES},
            "outcome": np.array(self.outcome),
        }
        write_file(Path(path), pack_arrays(arrays))

    @classmethod
    def load(cls, path: str | Path) -> Estimate:
        """Read what :meth:`save` wrote."""
        try:
            arrays = read_arrays(Path(path))
            labels = tuple(str(label) for label in arrays["labels"])
            return cls(
                labels=labels,
                outcome=str(arrays["outcome"]),
                **{name: _table(arrays, name, len(labels)) for name in _TABLES},
            )
        except (KeyError, OSError, ValueError, TypeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if isinstance(error, KeyError):
                reason = f"it has no {error}"
            raise InvalidMatrix(
                f"{path}: this is not an estimate from comparisons: {reason.rstrip('.')}."
            ) from error


def _table(arrays: Arrays, name: str, k: int) -> NDArray[Any]:
    """One of the tables of an estimate, if it is one."""
    table = arrays[name]
    if k < 2 or table.shape != (k, k) or table.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers of {k} x {k} rankers, at least 2")
    if not (np.isfinite(table).all() and (name == "lead" or (table >= 0).all())):
        raise ValueError(f"{name} must be finite, and not negative")
    return table


def tally(
    labels: Sequence[str], outcome: str, pairs: Sequence[Pair], counts: Ints, sums: Floats
) -> Estimate:
    """Return the estimate from what each pair's comparisons add up to, however many they were.

    Parameters
    ----------
    counts
        One row for each pair: won by its first, won by its second, ties.
    sums
        One row for each pair: the sum of the outcomes and of their squares.

    Examples
    --------
    >>> found = tally(["a", "b"], "sign", [(0, 1)], np.array([[60, 30, 10]]), np.array([[30.0, 90.0]]))
    >>> found.wins.tolist(), found.n.tolist()
    ([[0, 60], [30, 0]], [[0, 100], [100, 0]])
    """
    k = len(labels)
    first, second = np.array(pairs).T
    made = counts.sum(axis=1)
    tables = {name: np.zeros((k, k), np.int64) for name in ("wins", "ties", "n")}
    lead, spread = np.zeros((k, k)), np.zeros((k, k))
    tables["wins"][first, second], tables["wins"][second, first] = counts[:, 0], counts[:, 1]
    for i, j in ((first, second), (second, first)):
        tables["ties"][i, j] = counts[:, 2]
        tables["n"][i, j] = made
    mean = sums[:, 0] / made
    lead[first, second], lead[second, first] = mean, -mean
    spread[first, second] = spread[second, first] = np.maximum(sums[:, 1] / made - mean**2, 0)
    return Estimate(tuple(labels), outcome, **tables, lead=lead, spread=spread)


def check_ties(ties: str) -> None:
    """Refuse a rule for ties that there is not.

    Examples
    --------
    >>> check_ties("half")
    >>> check_ties("halv")
    Traceback (most recent call last):
    copeland.errors.InvalidParameter: there is no rule 'halv' for ties; did you mean 'half'?
    """
    if ties not in TIES:
        raise InvalidParameter(f"there is no rule '{ties}' for ties; {nearest(ties, TIES)}")
