"""Evidence from people's votes that a judge's answers make stronger, however bad the judge is.

For a pair let y be a person's vote for i (1, 1/2, 0) on a case that was drawn uniformly from all cases, f what a judge said there,
and f_bar the judge's mean over all cases, which is known. f - f_bar has the mean 0, so for the null "p <= m" and every c each product

    prod (1 + lambda (a (y - m) - c (f - f_bar))),      lambda >= 0 such that no factor is negative,

is a capital in a fair game or a worse one; a is 1 for a vote, and 0 for a skip. What has no answer yet counts as a loss. Half of the evidence is that of the votes alone, the other half the mean
of these products over a grid of c and lambda. It takes no more than counts. docs/notes/certificate-proofs.md has the argument ("Judges that count").
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from copeland.support.arrays import Floats, Ints

# The rows of a table: outcomes. What has no answer yet, or never will, counts against both options.
WON, TIED, LOST, SKIPPED, UNANSWERED = range(5)
OUTCOMES, ANSWERS = 5, 3  # rows, and columns: won, tied and lost by the judge
# The weight of each c in the judge's half. The negative ones are for a judge that is mostly wrong, which tells as much.
CORRECTIONS = {0.25: 0.24, 0.5: 0.24, 0.75: 0.24, 1.0: 0.24, -0.5: 0.02, -1.0: 0.02}
BETS = tuple(0.9 / 2**k for k in range(6))  # shares of the largest lambda; they weigh the same


class JudgeCounts(NamedTuple):
    """What people said where the judge said what, for each pair, and the judge's mean over all cases."""

    tables: Ints  # K x K x 5 x 3: of i against j, by outcome and by the judge's answer
    means: Floats  # K x K; NaN where the judge has not answered every case
    content: tuple[Ints, ...]  # all that the judge said, for the digest

    def cut(self, k: int) -> JudgeCounts:
        """Return the same of the first ``k`` options alone."""
        return self._replace(tables=self.tables[:k, :k], means=self.means[:k, :k])

    def weigh(self, plain: Floats, margin: float) -> Floats:
        """Return the evidence for each option over each other, from that of the votes alone."""
        found = log_evidence_with_judge(plain, self.tables, self.means, margin)
        np.fill_diagonal(found, -math.inf)
        return found

    def to_bytes(self) -> bytes:
        """Return the same bytes for the same counts, on any machine."""
        return b"".join(table.astype("<i8").tobytes() for table in (self.tables, *self.content))


def log_evidence_with_judge(
    plain: Floats, tables: Ints, means: Floats, margin: float = 0.0
) -> Floats:
    """Return ln E, the evidence for i over j: half of it is that of the votes alone, ``plain``, half is the judge's.

    Where the mean is NaN, because the judge has not answered every case, the judge's half bets nothing and stays 1.

    Parameters
    ----------
    plain
        ln E of the votes alone.
    tables
        For each pair a table of counts: a row for each outcome (i won, tie, i lost, skipped, no answer), a column for each answer of the
        judge on the same case (i, tie, j).
    means
        For each pair the judge's mean over all cases: 1 for i, 1/2 for a tie, 0 for j.
    margin
        The null is "p <= 1/2 - margin"; a negative one asks for more than half.

    Examples
    --------
    >>> agree = np.array([[[30, 0, 2], [0, 0, 0], [2, 0, 16], [0, 0, 0], [0, 0, 0]]])
    >>> log_evidence_with_judge(np.array([1.2]), agree, np.array([0.5])).round(2).tolist()
    [0.89]
    >>> log_evidence_with_judge(np.array([1.2]), agree, np.array([0.64])).round(2).tolist()
    [1.86]
    """
    known = ~np.isnan(means) & tables.any(axis=(-2, -1))
    capital = np.zeros(means.shape)
    capital[known] = log_capital_with_judge(tables[known], means[known], margin)
    return np.logaddexp(plain, capital) - math.log(2)


def log_capital_with_judge(tables: Ints, means: Floats, margin: float = 0.0) -> Floats:
    """Return the logarithm of the judge's half: the mean of the products over all c and lambda.

    Examples
    --------
    >>> nobody_voted = np.zeros((1, 5, 3), dtype=int)
    >>> log_capital_with_judge(nobody_voted, np.array([0.3])).round(12).tolist()
    [0.0]
    """
    total = np.full(means.shape, -math.inf)
    for log_weight, factors in list_bets(means, margin):
        total = np.logaddexp(total, log_weight + (tables * factors).sum(axis=(-2, -1)))
    return total


def list_bets(means: Floats, margin: float = 0.0) -> Iterator[tuple[float, Floats]]:
    """Yield each bet: the logarithm of its weight, and those of its factors for each outcome and each answer of the judge.

    Examples
    --------
    >>> log_weight, factors = next(list_bets(np.array(0.5)))
    >>> round(math.exp(log_weight), 3), np.exp(factors[0]).round(2).tolist()  # of a win
    (0.04, [1.54, 1.72, 1.9])
    """
    null = 0.5 - margin
    # A skip bets on the judge alone. What has no answer may turn out to be a loss, which is the worst.
    votes = np.array([1 - null, 0.5 - null, -null, 0.0, -null])[:, None]
    above = np.array([1.0, 0.5, 0.0]) - means[..., None]  # f - f_bar
    for c, weight in CORRECTIONS.items():
        moves = votes - c * above[..., None, :]
        worst = null + np.maximum(c * (1 - means), -c * means)  # the most that a factor can lose
        for bet in BETS:
            stakes = (bet / worst)[..., None, None]
            yield math.log(weight / len(BETS)), np.log1p(stakes * moves)
