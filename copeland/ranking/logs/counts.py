"""Counts of wins by pair, as a click log gives them: a value, and a table that readers of votes take."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copeland.support.escaping import cell


@dataclass(frozen=True)
class ClickCounts:
    """Counts of wins and ties by pair of rankers, and what became of every row.

    Each list that was read is counted once in ``lists``, each click once in ``clicks``, by what became of it.
    Rows that are neither are counted in ``damaged``; ``unreadable`` names the first ones with file, line and reason.
    """

    labels: tuple[str, ...]
    wins: NDArray[np.int64]  # wins[i, j]: of i over j
    ties: NDArray[np.int64]
    lists: Mapping[str, int]
    clicks: Mapping[str, int]
    damaged: int = 0
    unreadable: tuple[str, ...] = ()

    def csv(self) -> str:
        """Return a row for each direction of each pair with votes: i, j, wins, ties.

        Rows of several such tables add up. Ties stand in the first row of their pair alone.
        """
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("i", "j", "wins", "ties"))
        for i, j in np.argwhere(np.triu(self.wins + self.wins.T + self.ties)):
            one, other = cell(self.labels[i]), cell(self.labels[j])
            rows.writerow((one, other, self.wins[i, j], self.ties[i, j]))
            rows.writerow((other, one, self.wins[j, i], 0))
        return text.getvalue()
