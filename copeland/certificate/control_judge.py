"""A judge that has answered all cases: its answers make people's votes count for more, and are not believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from copeland.certificate.control_variates import ANSWERS, OUTCOMES, JudgeCounts
from copeland.certificate.evidence import VoteCounts, symmetric_counts, whole_counts
from copeland.errors import InvalidParameter
from copeland.support.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False, init=False)
class ControlJudge:
    """What a judge said of each pair on all cases, and what people said where it said what.

    Parameters
    ----------
    name
        The judge's name.
    cases
        How many cases there are. A person's case is drawn from all of these.
    wins
        K x K counts: ``wins[i, j]`` cases on which the judge prefers i to j.
    tables
        K x K tables of people's votes, each 5 x 3: a row for each outcome (i won, tie, i lost, skipped, no answer), a column for each answer
        of the judge on the same case (i, tie, j). A ballot that has no answer, or whose vote was undone, counts against both options. The last rows
        may be left out if they are empty.
    ties
        K x K symmetric counts of cases on which the judge sees a tie.

    Examples
    --------
    >>> none = np.zeros((3, 3))
    >>> tea_or_milk = np.array([[60, 0, 4], [0, 0, 0], [3, 0, 33]])
    >>> tables = [[none, tea_or_milk], [tea_or_milk[::-1, ::-1], none]]
    >>> judge = ControlJudge("gpt", 1000, wins=[[0, 640], [360, 0]], tables=tables)
    >>> float(judge.means[0, 1])
    0.64
    """

    name: str
    cases: int
    wins: Ints
    ties: Ints
    tables: Ints

    def __init__(
        self,
        name: str,
        cases: int,
        wins: ArrayLike,
        tables: ArrayLike,
        ties: ArrayLike | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise InvalidParameter(f"the judge's name is {name!r}; give it one.")
        if isinstance(cases, bool) or not isinstance(cases, int) or cases < 1:
            raise InvalidParameter(f"cases is {cases!r}; it is the number of cases, 1 or more.")
        won = whole_counts(wins, "the judge's wins")
        tied = symmetric_counts(ties, "the judge's ties", len(won))
        _require_cases(won + won.T + tied, cases)
        counts = {"wins": won, "ties": tied, "tables": _check_tables(tables, len(won))}
        for table in counts.values():
            table.flags.writeable = False
        for field, value in {"name": name, "cases": cases, **counts}.items():
            object.__setattr__(self, field, value)

    @property
    def is_complete(self) -> Bools:
        """On which pairs the judge has answered all cases."""
        return self.wins + self.wins.T + self.ties == self.cases

    @property
    def means(self) -> Floats:
        """The judge's mean over all cases, of each pair; NaN where it has not answered all."""
        points = self.wins + self.ties / 2
        return np.where(self.is_complete, points / self.cases, np.nan)

    @property
    def counts(self) -> JudgeCounts:
        """What the evidence is made from."""
        return JudgeCounts(self.tables, self.means, (self.wins, self.ties, np.array(self.cases)))

    def add_to(self, votes: VoteCounts, voters: str) -> VoteCounts:
        """Return the votes with what the judge said on the same cases."""
        self._require_fitting(votes, voters)
        return votes._replace(control=self.counts)

    def _require_fitting(self, votes: VoteCounts, voters: str) -> None:
        """Refuse tables that hold other votes than were counted, and votes that are no draws of a case with replacement."""
        if voters.startswith("judge"):
            raise InvalidParameter(
                f"voters is {voters!r}, who have one vote for each case; a judge that counts is for people, whose cases are drawn anew for each vote."
            )
        if len(self.tables) != len(votes.won):
            raise InvalidParameter(
                f"the judge has {len(self.tables)} options, and wins has {len(votes.won)}; make them equal."
            )
        outcomes = self.tables.sum(axis=3)
        more = (outcomes[:, :, 0] > votes.won) | (outcomes[:, :, 1] > votes.tied)
        if more.any():
            i, j = np.argwhere(more)[0]
            raise InvalidParameter(
                f"the table of options {i} and {j} holds votes that wins and ties do not; count each vote in both."
            )


def _require_cases(answers: Ints, cases: int) -> None:
    """Refuse more answers of a judge on a pair than there are cases."""
    if answers.max() > cases:
        i, j = np.argwhere(answers > cases)[0]
        raise InvalidParameter(
            f"the judge has more answers on options {i} and {j} than there are cases; give one for each of the {cases:,} cases."
        )


def _check_tables(given: ArrayLike, k: int) -> Ints:
    """Return tables with a row for skips, of whole numbers, such that those of (i, j) and (j, i) say the same."""
    try:
        tables = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("tables must hold a table of counts for each pair.") from None
    if tables.shape not in [(k, k, rows, ANSWERS) for rows in (3, 4, OUTCOMES)]:
        raise InvalidParameter(
            f"tables has the shape {tables.shape}; give one of {OUTCOMES} x {ANSWERS} counts for each pair of {k} options."
        )
    if not ((tables >= 0) & (tables == np.floor(tables)) & (tables < 2**53)).all():
        raise InvalidParameter(
            "tables has a value that is no count; counts are whole numbers from 0 up."
        )
    padded = np.zeros((k, k, OUTCOMES, ANSWERS), np.int64)
    padded[:, :, : tables.shape[2]] = tables
    if (
        not np.array_equal(padded, turn_tables(padded).swapaxes(0, 1))
        or padded[np.eye(k, dtype=bool)].any()
    ):
        raise InvalidParameter(
            "the tables of (i, j) and (j, i) do not say the same; turn rows and columns round for the other side, and leave (i, i) empty."
        )
    return padded


def turn_tables(tables: Ints) -> Ints:
    """Return tables as they look from the other side: a win is a loss, for people and for the judge.

    Examples
    --------
    >>> turn_tables(np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 0, 0], [0, 0, 1]])).tolist()
    [[9, 8, 7], [6, 5, 4], [3, 2, 1], [0, 0, 1], [1, 0, 0]]
    """
    return tables[..., [2, 1, 0, 3, 4], ::-1]
