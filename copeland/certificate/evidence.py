"""What counts of votes speak for: the evidence for each option over each other, in nats."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from copeland.certificate.case_evidence import cannot_lose, log_evidence_of_cases, require_cases
from copeland.certificate.cluster_evidence import ClusterVotes
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import PRIOR
from copeland.support.arrays import Bools, Floats, Ints


def check_counts(
    wins: ArrayLike, ties: ArrayLike | None = None, missing: ArrayLike | None = None
) -> tuple[Ints, Ints, Ints]:
    """Return the three tables of counts, all of one size."""
    won = _whole_counts(wins, "wins")
    k = len(won)
    return won, _symmetric_counts(ties, "ties", k), _symmetric_counts(missing, "missing", k)


def _whole_counts(values: ArrayLike, what: str) -> Ints:
    """Return a square table of counts."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"{what} must be a square table of counts.") from None
    if given.ndim != 2 or given.shape[0] != given.shape[1] or len(given) < 2:
        raise InvalidParameter(
            f"{what} must be square, a row and a column for each of 2 or more options; "
            f"got shape {given.shape}."
        )
    wrong = ~((given >= 0) & (given == np.floor(given)) & (given < 2**53))  # true also for NaN
    wrong |= np.eye(len(given), dtype=bool) & (given != 0)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise InvalidParameter(
            f"{what}[{i}, {j}] is {given[i, j]:g}; counts are whole numbers from 0 up, and 0 on the diagonal."
        )
    return given.astype(np.int64)


def _symmetric_counts(values: ArrayLike | None, what: str, k: int) -> Ints:
    """Return a symmetric table of counts of k options, all 0 if there is none."""
    if values is None:
        return np.zeros((k, k), dtype=np.int64)
    given = _whole_counts(values, what)
    if len(given) != k:
        raise InvalidParameter(
            f"{what} has {len(given)} options, and wins has {k}; make them equal."
        )
    if not np.array_equal(given, given.T):
        i, j = np.argwhere(given != given.T)[0]
        raise InvalidParameter(
            f"{what} must be symmetric, but {what}[{i}, {j}] is {given[i, j]} and "
            f"{what}[{j}, {i}] is {given[j, i]}."
        )
    return given


def check_margin(margin: float) -> None:
    """Refuse what is no margin."""
    if not 0 <= margin < 0.5:
        raise InvalidParameter(f"margin is {margin}; it is 0 or more, and less than 0.5.")


def mask_of(active: Sequence[int] | None, k: int) -> Bools:
    """Return which options a statement is about."""
    if active is None:
        return np.ones(k, dtype=bool)
    if len(set(active)) < 2 or not all(0 <= i < k for i in active):
        raise InvalidParameter(
            f"active is {list(active)}; name two or more of the options 0 to {k - 1} by index."
        )
    return np.isin(np.arange(k), list(active))


def check_labels(labels: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Return a name for each option."""
    names = tuple(map(str, range(k) if labels is None else labels))
    if len(names) != k or len(set(names)) != k:
        raise InvalidParameter(
            f"there are {len(set(names))} different labels for {k} options; give each option its own label."
        )
    return names


THESE, LIKE_THESE = "judge, these cases", "judge, cases like these"
Given = tuple[ArrayLike, ArrayLike]
DENSE = 2_500  # pairs, of which all are looked at


class VoteCounts(NamedTuple):
    """The counts that claims are judged by."""

    won: Ints
    tied: Ints
    missing: Ints | None  # answers that never came: losses of both sides
    given: tuple[Ints, Ints] | None  # wins and ties as they were before any was undone
    cases: int | None = None  # votes that there are of each pair; None: no end of them
    clusters: ClusterVotes | None = None  # the same votes by clusters of cases, if they come in any

    def find_evidence(self, margin: float) -> Floats:
        """Return the evidence for each option over each other: the smaller of what stands and what was given."""
        if self.clusters is not None:
            return self.clusters.find_evidence(len(self.won), margin)
        found = self._find_evidence(self.won, self.tied, margin)
        if self.given is not None:
            found = np.minimum(found, self._find_evidence(*self.given, margin))
        return found

    def _find_evidence(self, won: Ints, tied: Ints, margin: float) -> Floats:
        if self.cases is not None:
            return log_evidence_of_cases(won, self._losses(won, tied), tied, self.cases, margin)
        return log_evidence_of_pairs(won, self._losses(won, tied), tied, margin)

    def _losses(self, won: Ints, tied: Ints) -> Ints:
        if self.missing is None:
            return won.T
        if self.cases is None:
            return won.T + self.missing
        return won.T + np.minimum(self.missing, self.cases - won - won.T - tied)

    def unbeaten(self, margin: float) -> Bools:
        """Return who is sure not to be beaten by whom, though not to win: of test cases, exact ties among them."""
        if self.clusters is not None:
            return self.clusters.unbeaten(len(self.won), margin)
        if self.cases is None:
            return np.zeros(self.won.shape, dtype=bool)
        found = [(self.won, self.tied), *([] if self.given is None else [self.given])]
        sure = [cannot_lose(w, self._losses(w, t), t, self.cases, margin) for w, t in found]
        return np.logical_and.reduce(sure)

    @property
    def number(self) -> int:
        """How many votes stand."""
        return int(self.won.sum() + self.tied.sum() // 2)

    def cut(self, k: int) -> VoteCounts:
        """Return the votes on the first ``k`` options alone."""
        missing = None if self.missing is None else self.missing[:k, :k]
        given = None if self.given is None else (self.given[0][:k, :k], self.given[1][:k, :k])
        clusters = None if self.clusters is None else self.clusters.cut(k)
        return VoteCounts(self.won[:k, :k], self.tied[:k, :k], missing, given, self.cases, clusters)

    @property
    def digest(self) -> str:
        """The same counts have the same digest, on any machine."""
        tables = (self.won, self.tied, self.missing, *(self.given or ()))
        content = np.stack([table for table in tables if table is not None]).astype("<i8").tobytes()
        if self.clusters is not None:
            content += self.clusters.content
        return hashlib.sha256(content).hexdigest()


def votes_of(
    wins: ArrayLike,
    ties: ArrayLike | None,
    missing: ArrayLike | None,
    given: Given | None,
    clusters: ClusterVotes | None = None,
) -> VoteCounts:
    """Return counts that are checked; what is nowhere missing or undone is left out."""
    won, tied, lost = check_counts(wins, ties, missing)
    before = None if given is None else check_counts(*given)[:2]
    if before is not None and len(before[0]) != len(won):
        raise InvalidParameter(
            f"given has {len(before[0])} options, wins has {len(won)}; make them equal."
        )
    if before is not None and np.array_equal(before, (won, tied)):
        before = None
    if clusters is not None:
        clusters.require_same(won, tied)
    return VoteCounts(won, tied, lost if lost.any() else None, before, None, clusters)


def on_cases(votes: VoteCounts, voters: str, cases: int | None) -> VoteCounts:
    """Return the votes as they are to be weighed; refuse a number of test cases that does not fit."""
    if (cases is not None) != voters.startswith("judge"):
        raise InvalidParameter(
            f"voters is {voters!r} and cases is {cases!r}; say how many test cases there are where judges vote, "
            "and only there."
        )
    if cases is None:
        if votes.clusters is not None:
            raise InvalidParameter(
                f"voters is {voters!r}, and only test cases come in clusters; leave clusters out, or say which judges vote."
            )
        return votes
    if votes.clusters is not None:
        votes = votes._replace(clusters=votes.clusters.about(voters == THESE))
    for won, tied in ((votes.won, votes.tied), votes.given or (votes.won, votes.tied)):
        require_cases(won + won.T + tied, cases)
    return votes._replace(cases=cases) if voters == THESE else votes


def evidence(
    wins: ArrayLike,
    ties: ArrayLike | None = None,
    margin: float = 0.0,
    missing: ArrayLike | None = None,
    given: Given | None = None,
    cases: int | None = None,
    clusters: ClusterVotes | None = None,
) -> Floats:
    """Return the evidence in nats for each option over each other, K x K.

    Entry (i, j) is ln E against "p_ij <= 1/2 - margin", and -inf where nothing speaks for i: see
    :func:`copeland.kernels.vote_evidence.log_evidence`. With ``cases``, p_ij is the mean over exactly so many test cases.
    With ``clusters``, these are what is drawn at random.

    Examples
    --------
    >>> evidence([[0, 30], [10, 0]]).round(2).tolist()
    [[-inf, 4.26], [-inf, -inf]]
    """
    check_margin(margin)
    votes = votes_of(wins, ties, missing, given, clusters)
    return (
        votes.find_evidence(margin)
        if cases is None
        else on_cases(votes, THESE, cases).find_evidence(margin)
    )


def log_evidence_of_pairs(wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
    """:func:`log_evidence_of_votes` of all pairs at once; of many options, most pairs have no votes and the same evidence."""
    met = wins + losses + ties != 0
    if met.size > DENSE and 2 * np.count_nonzero(met) < met.size:
        none = np.zeros(1, np.int64)
        found = np.full(met.shape, log_evidence_of_votes(none, none, none, margin)[0])
        found[met] = log_evidence_of_votes(wins[met], losses[met], ties[met], margin)
    else:
        found = log_evidence_of_votes(wins, losses, ties, margin)
    np.fill_diagonal(found, -math.inf)
    return found


def log_evidence_of_votes(wins: Ints, losses: Ints, ties: Ints, margin: float) -> Floats:
    """:func:`copeland.kernels.vote_evidence.log_evidence` of many counts at once.

    A negative margin asks for more than 1/2: a tie then counts as so much of a loss.

    Examples
    --------
    >>> log_evidence_of_votes(np.array([30, 10]), np.array([10, 30]), np.array([0, 0]), 0.0).round(2)
    array([4.26, -inf])
    """
    m = 0.5 - margin
    a = wins + ties * max(margin / (1 - m), 0.0) + PRIOR
    b = losses + ties * max(-margin / m, 0.0) + PRIOR
    n = a + b
    information = a * np.log(a / n / m) + b * np.log(b / n / (1 - m))
    above = np.where(a > m * n, np.maximum(-np.expm1(-information), 0.0), 0.0)
    spread = 6 * m * m / (1 + 2 * m) * np.sqrt(2 * math.pi * n / a / b)
    with np.errstate(divide="ignore"):
        return information + _stirling(a) + _stirling(b) - _stirling(n) + np.log(spread * above)


def _stirling(z: Floats) -> Floats:
    y = 1 / (z * z)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / z
