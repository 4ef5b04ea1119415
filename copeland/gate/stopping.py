"""Where many simulated runs of a gate stop, with a look after every verdict.

The evidence of a fixed population takes long to compute. A ceiling of it is quick, and close where it matters: so the exact rule is only
asked where the ceiling reaches the level.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from copeland.certificate.case_evidence import EDGE, share_of_ties
from copeland.gate.claims import (
    BETTER,
    NOT_WORSE,
    OPPOSITE,
    REQUIRED,
    GateTerms,
    find_border,
    find_margin,
    find_outcomes,
    has_passed,
    is_ruled_out,
)
from copeland.kernels.vote_evidence import PRIOR
from copeland.support.arrays import Bools, Floats, Ints

FIRST_BLOCK, GROWTH = (
    64,
    1.5,
)  # steps that are looked at together: few at first, as many runs stop early


WON, LOST, TIED = range(3)


class Stops(NamedTuple):
    """Where runs stopped, and why; a run that neither passed nor failed is undecided."""

    questions: Ints
    passed: Bools
    failed: Bools


class Counts(NamedTuple):
    """VerdictCounts of the candidate, of runs x steps."""

    wins: Ints
    losses: Ints
    ties: Ints

    def take(self, rows: Ints, steps: Ints) -> Counts:
        """Return one step of some runs."""
        return Counts(self.wins[rows, steps], self.losses[rows, steps], self.ties[rows, steps])


class StoppingRule:
    """When a gate stops: where it passes or fails, where no outcome of the rest passes, or after ``most`` questions.

    Examples
    --------
    >>> rule = StoppingRule(GateTerms("better", margin=0.0, delta=0.05, questions=400, exact=True), most=100)
    >>> rule.find_stops(np.array([[WON] * 100, [LOST] * 100])).questions.tolist()
    [9, 9]
    """

    def __init__(self, terms: GateTerms, most: int):
        self.terms, self.most = terms, most
        self.ceilings = PopulationCeilings(terms) if terms.exact else SampleCeilings(terms)
        self.hope = self._find_hope()

    def find_stops(self, verdicts: Ints) -> Stops:
        """Return where each run stops; ``verdicts`` are runs x questions, in the order in which they come."""
        runs = len(verdicts)
        stops = Stops(np.full(runs, self.most), np.zeros(runs, bool), np.zeros(runs, bool))
        active, before = np.arange(runs), np.zeros((runs, 3), np.int64)
        start, width = 0, FIRST_BLOCK
        while start < self.most and len(active):
            block = _count(verdicts[active, start : min(start + width, self.most)], before)
            is_open = self._decide(block, active, start, stops)
            active = active[is_open]
            before = np.stack([x[is_open, -1] for x in block], axis=1)
            start, width = start + width, int(width * GROWTH)
        return stops

    def may_decide(self, counts: Counts) -> Bools:
        """Tell where a gate may pass or fail; all other counts leave it undecided."""
        found = is_ruled_out(*counts, self.terms)
        required = REQUIRED[self.terms.require]
        for claim in (required, OPPOSITE[required]):
            found |= self.ceilings.may_prove(claim, counts)
        return found

    def _find_hope(self) -> Ints:
        """Return for each number of ties how many losses still let a gate pass if the rest are wins; -1 if none do."""
        ties = np.arange(self.most + 1)
        low, high = np.full_like(ties, -1), self.most - ties + 1
        while (high - low > 1).any():
            middle = np.maximum((low + high) // 2, 0)
            passes = has_passed(self.most - ties - middle, middle, ties, self.terms)
            low, high = np.where(passes, middle, low), np.where(passes, high, middle)
        return low

    def _decide(self, block: Counts, active: Ints, start: int, stops: Stops) -> Bools:
        """Write down which runs stop within a block of questions, and return which go on."""
        futile = block.losses > self.hope[block.ties]
        is_open = ~futile[:, -1]  # who has no hope never gets it back
        last = np.where(is_open, futile.shape[1] - 1, futile.argmax(axis=1))
        stops.questions[active[~is_open]] = start + last[~is_open] + 1
        likely = self.may_decide(block) & (np.arange(futile.shape[1]) <= last[:, None])
        rows = np.flatnonzero(likely.any(axis=1))
        while len(rows):
            at = likely[rows].argmax(axis=1)
            passed, failed = find_outcomes(*block.take(rows, at), self.terms)
            decided = passed | failed
            is_open[rows[decided]] = False
            run = active[rows[decided]]
            stops.questions[run] = start + at[decided] + 1
            stops.passed[run], stops.failed[run] = passed[decided], failed[decided]
            likely[rows, at] = False
            rows = rows[~decided & likely[rows].any(axis=1)]
        return is_open


def _count(verdicts: Ints, before: Ints) -> Counts:
    found = (
        np.cumsum(verdicts == kind, axis=1, dtype=np.int64) + before[:, kind, None]
        for kind in (WON, LOST, TIED)
    )
    return Counts(*found)


class SampleCeilings:
    """Upper bounds of the evidence of independent votes: a divergence is at most chi-squared."""

    def __init__(self, terms: GateTerms):
        self.terms = terms

    def may_prove(self, claim: str, counts: Counts) -> Bools:
        """Tell where a claim may be proved; it is not anywhere else."""
        m = find_border(claim, self.terms)
        w, l, t = counts
        if claim not in (BETTER, NOT_WORSE):
            w, l = l, w
        # As in log_evidence_of_votes; Stirling's rest is at most 1/12 of 1/a + 1/b, and a and b are 2 or more.
        a = w + t * max((0.5 - m) / (1 - m), 0.0) + PRIOR
        b = l + t * max((m - 0.5) / m, 0.0) + PRIOR
        n = a + b
        ahead = np.maximum(a - m * n, 0.0)
        spread = math.log(6 * m * m / (1 + 2 * m)) + np.log(2 * math.pi * n / (a * b)) / 2
        found = ahead * ahead / (n * (m * (1 - m))) + spread + 1 / 12
        return found >= self.terms.find_level(claim)


class PopulationCeilings:
    """Upper bounds of the evidence on a fixed population, from tables of logarithms of factorials."""

    def __init__(self, terms: GateTerms):
        self.terms = terms
        self.log_factorial = gammaln(np.arange(terms.questions + 5) + 1.0)

    def may_prove(self, claim: str, counts: Counts) -> Bools:
        """Tell where a claim may be proved; it is not anywhere else."""
        return self._above(claim, counts) >= self.terms.find_level(claim) - EDGE

    def _above(self, claim: str, counts: Counts) -> Floats:
        w, l, t = counts
        if claim not in (BETTER, NOT_WORSE):
            w, l = l, w
        questions = self.terms.questions
        margin = find_margin(find_border(claim, self.terms), questions)
        slack = 2 * margin * questions
        share = share_of_ties(margin)
        found = self._of_cases(w, l, t, margin, slack)
        if share:
            other = self._of_populations(w, l, t, round(-slack))
            found = np.logaddexp(math.log1p(-share) + found, math.log(share) + other)
        left = questions - w - l - t
        return np.where(w - l - left > EDGE - slack, math.inf, found)

    def _of_cases(self, w: Ints, l: Ints, t: Ints, margin: float, slack: float) -> Floats:
        """Return ln E_D of the largest D with the sum over all m, not only those above m0.

        Where the likeliest m is not above m0, no m above is likelier than m0, and E_D is 1 at most.
        """
        log = self.log_factorial
        if margin < 0:
            l, t = l + t, np.zeros_like(t)
        d = self.terms.questions - t
        m0 = np.floor((d - slack) / 2 + EDGE).astype(np.int64)
        certain = (m0 < 0) | (w > m0)
        nothing = (m0 >= d) | (l > d - m0) | (w * (d + 1) <= (w + l) * (m0 + 1))
        fits = ~certain & ~nothing
        w, l, d, m0 = (np.where(fits, x, 0) for x in (w, l, d, m0))
        above = (d - m0).astype(float)
        weight = above * (above + 1) * (3 * (d + 2) - (2 * above + 1)) / 6
        every = (d + 1.0) * (d + 2) * (d + 3) / 6
        with np.errstate(divide="ignore"):
            found = (
                math.log(6)
                + log[w + 1]
                + log[l + 1]
                - log[w + l + 3]
                + log[d]
                - log[d - w - l]
                - log[m0]
                + log[m0 - w]
                - log[d - m0]
                + log[d - m0 - l]
                + np.log(every / weight)
            )
        return np.where(certain, math.inf, np.where(fits, found, -math.inf))

    def _of_populations(self, w: Ints, l: Ints, t: Ints, border: int) -> Floats:
        """Return the likelihood ratio to one population on the border: the likeliest of independent votes."""
        log, questions = self.log_factorial, self.terms.questions
        n = w + l + t
        least, most = np.maximum(l, w - border), (questions - border - t) // 2
        beyond = (w - l) * questions > border * n
        fits = beyond & (least <= most)
        lead = border / questions
        b = (w + l) * (1 - lead) - 2 * (l + t) * lead
        root = np.sqrt(np.maximum(b * b + 8 * n * l * lead * (1 - lead), 0.0))
        guess = np.rint((b + root) / np.maximum(4 * n, 1) * questions).astype(np.int64)
        lost = np.where(fits, np.clip(guess, least, np.maximum(most, least)), 0)
        won, tied = (
            np.where(fits, lost + border, 0),
            np.where(fits, questions - border - 2 * lost, 0),
        )
        w, l, t, n = (np.where(fits, x, 0) for x in (w, l, t, n))
        found = (
            math.log(2)
            + log[w]
            + log[l]
            + log[t]
            - log[n + 2]
            + log[questions]
            - log[questions - n]
            - log[won]
            + log[won - w]
            - log[lost]
            + log[lost - l]
            - log[tied]
            + log[tied - t]
        )
        return np.where(beyond, np.where(fits, found, math.inf), -math.inf)
