"""What verdicts on test cases prove about a candidate: better, not worse, worse, and worse by more than a margin.

A *question* is a case with an order of sides, or a case asked in both orders. theta is the mean over questions of 1 where the candidate
wins, 1/2 for a tie and 0 where it loses. Each claim is tested at delta / 2, after every verdict; whatever theta is, two tests at most can
be wrong at once. Of J judges one is enough to fail the candidate, so claims against it are tested at delta / (2 J) of each.
docs/notes/certificate-proofs.md has the argument ("A gate").
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from copeland.certificate.case_evidence import EDGE, log_evidence_of_cases
from copeland.certificate.evidence import check_margin, log_evidence_of_votes
from copeland.errors import InvalidParameter, nearest
from copeland.support.arrays import Bools, Floats, Ints

BETTER, NOT_WORSE, WORSE = "better", "not worse", "worse"
MUCH_WORSE = "worse by more than the margin"
STRONGEST_FIRST = (BETTER, MUCH_WORSE, WORSE, NOT_WORSE)
PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
REQUIRED = {"better": BETTER, "not-worse": NOT_WORSE}
OPPOSITE = {BETTER: WORSE, NOT_WORSE: MUCH_WORSE}
AGAINST = (MUCH_WORSE, WORSE)  # the candidate
BESIDE = {BETTER: NOT_WORSE, MUCH_WORSE: WORSE}  # a claim needs the evidence of the weaker one, too


class VerdictCounts(NamedTuple):
    """How many questions the candidate won, lost and tied."""

    wins: int
    losses: int
    ties: int

    @property
    def n(self) -> int:
        """How many there are."""
        return self.wins + self.losses + self.ties

    @property
    def theta(self) -> float | None:
        """The mean; None if there is no verdict."""
        return (self.wins + self.ties / 2) / self.n if self.n else None


@dataclass(frozen=True)
class GateTerms:
    """What is claimed, and how surely: fixed before the first call.

    Parameters
    ----------
    require
        ``"better"`` (theta > 1/2) or ``"not-worse"`` (theta > 1/2 - margin).
    margin
        How far below 1/2 is still not worse; 0 for none.
    delta
        The probability of any false claim, at most.
    questions
        How many there are to draw.
    exact
        Whether these questions are all that is claimed about, or a sample.
    judges
        How many judges there are, of which one is enough to fail the candidate.
    """

    require: str
    margin: float
    delta: float
    questions: int
    exact: bool
    judges: int = 1

    def __post_init__(self) -> None:
        if self.require not in REQUIRED:
            raise InvalidParameter(
                f"a gate cannot require '{self.require}'; {nearest(str(self.require), REQUIRED)}"
            )
        check_margin(self.margin)
        if self.require == "not-worse" and self.margin == 0:
            raise InvalidParameter("not-worse needs a margin above 0; give one, or require better.")
        if not 0 < self.delta < 1:
            raise InvalidParameter(f"delta is {self.delta}; it is above 0 and below 1.")
        if isinstance(self.questions, bool) or not isinstance(self.questions, int):
            raise InvalidParameter(f"questions is {self.questions!r}; it is a whole number.")
        if self.questions < 1:
            raise InvalidParameter(f"there are {self.questions} questions; a gate needs 1 or more.")

    def find_level(self, claim: str) -> float:
        """Return the evidence in nats that a claim needs."""
        return math.log(2 * (self.judges if claim in AGAINST else 1) / self.delta)

    @property
    def claims(self) -> tuple[str, ...]:
        """What may be claimed, strongest first."""
        return STRONGEST_FIRST if self.margin > 0 else (BETTER, WORSE)


class Finding(NamedTuple):
    """What verdicts prove, and what it means for the required claim.

    A gate that requires *better* fails where theta is proved to be 1/2 or less. That may hold without any claim: if all are judged
    and exactly even, or if the questions left can make it even at most.
    """

    claims: tuple[str, ...]  # what is proved, strongest first
    outcome: str  # "passed", "failed" or "undecided"
    complete: bool  # all questions are judged, and they are all that is claimed about
    even: bool  # and wins and losses are as many
    evidence: Mapping[str, float]  # nats by claim; infinite where it is certain


def find_claims(verdicts: VerdictCounts, terms: GateTerms) -> Finding:
    """Return what the verdicts prove. It is valid whenever you look.

    Examples
    --------
    >>> terms = GateTerms("not-worse", margin=0.05, delta=0.05, questions=400, exact=True)
    >>> found = find_claims(VerdictCounts(40, 20, 30), terms)
    >>> found.outcome, found.claims, round(found.evidence["not worse"], 2)
    ('passed', ('not worse',), 5.79)
    >>> find_claims(VerdictCounts(130, 140, 130), terms).claims  # all are judged
    ('worse', 'not worse')
    """
    require_verdicts(verdicts, terms)
    counts = _columns(verdicts)
    evidence = {
        claim: float(find_claim_evidence(claim, *counts, terms)[0]) for claim in terms.claims
    }
    claims = tuple(
        claim
        for claim in terms.claims
        if all(evidence[one] >= terms.find_level(one) for one in _find_parts(claim, terms))
    )
    complete = terms.exact and verdicts.n == terms.questions
    return Finding(
        claims,
        _outcome(claims, bool(is_ruled_out(*counts, terms)[0]), terms),
        complete,
        complete and verdicts.wins == verdicts.losses,
        evidence,
    )


def is_futile(verdicts: VerdictCounts, left: int, terms: GateTerms) -> bool:
    """Tell whether the required claim stays unproved even if the candidate wins the next ``left`` questions.

    Examples
    --------
    >>> terms = GateTerms("better", margin=0.0, delta=0.05, questions=400, exact=True)
    >>> is_futile(VerdictCounts(2, 3, 0), 4, terms), is_futile(VerdictCounts(2, 3, 0), 40, terms)
    (True, False)
    """
    left = min(left, terms.questions - verdicts.n)
    best = verdicts._replace(wins=verdicts.wins + left)
    return find_claims(best, terms).outcome != PASSED


def find_interval(verdicts: VerdictCounts, terms: GateTerms) -> tuple[float, float]:
    """Return a confidence interval for theta that is valid whenever you look, at level delta.

    It holds every value that the tests of the claims, at this border or any other, do not refute.

    Examples
    --------
    >>> low, high = find_interval(VerdictCounts(40, 20, 30), GateTerms("better", 0.0, 0.05, 400, exact=True))
    >>> round(low, 3), round(high, 3)
    (0.486, 0.755)
    """
    require_verdicts(verdicts, terms)
    other = VerdictCounts(verdicts.losses, verdicts.wins, verdicts.ties)
    low = _lower_end(verdicts, terms, terms.find_level(BETTER))
    return low, 1 - _lower_end(other, terms, terms.find_level(WORSE))


def find_claim_evidence(
    claim: str, wins: Ints, losses: Ints, ties: Ints, terms: GateTerms
) -> Floats:
    """Return the evidence for one claim in nats, of many counts at once.

    Examples
    --------
    >>> terms = GateTerms("better", margin=0.0, delta=0.05, questions=400, exact=True)
    >>> find_claim_evidence("worse", np.array([20]), np.array([40]), np.array([30]), terms).round(2)
    array([3.04])
    """
    border = find_border(claim, terms)
    if claim in (BETTER, NOT_WORSE):
        return _find_evidence_above(border, wins, losses, ties, terms)
    return _find_evidence_above(border, losses, wins, ties, terms)


def find_border(claim: str, terms: GateTerms) -> float:
    """Return what the mean must be above for a claim, of the candidate or, for worse, of the baseline."""
    margin = terms.margin if claim in (NOT_WORSE, MUCH_WORSE) else 0.0
    return 0.5 - margin if claim in (BETTER, NOT_WORSE) else 0.5 + margin


def find_margin(border: float, questions: int) -> float:
    """Return how far below one half the border is, of all that a mean over so many questions can be.

    The mean is a whole number of half verdicts. Between two of these, borders mean the same.

    Examples
    --------
    >>> find_margin(0.46, 10)
    0.05
    """
    halves = math.floor(2 * questions * border + EDGE)
    return (questions - halves) / (2 * questions)


def find_outcomes(wins: Ints, losses: Ints, ties: Ints, terms: GateTerms) -> tuple[Bools, Bools]:
    """Return where a gate has passed and where it has failed, of many counts at once.

    Examples
    --------
    >>> terms = GateTerms("better", margin=0.0, delta=0.05, questions=400, exact=True)
    >>> passed, failed = find_outcomes(*np.array([[40, 9], [9, 40], [30, 30]]), terms)
    >>> passed.tolist(), failed.tolist()
    ([True, False], [False, True])
    """
    passed = has_passed(wins, losses, ties, terms)
    opposite = OPPOSITE[REQUIRED[terms.require]]
    failed = is_ruled_out(wins, losses, ties, terms)
    failed |= _is_proved(opposite, wins, losses, ties, terms)
    return passed, failed & ~passed


def has_passed(wins: Ints, losses: Ints, ties: Ints, terms: GateTerms) -> Bools:
    """Return where the required claim is proved, of many counts at once."""
    return _is_proved(REQUIRED[terms.require], wins, losses, ties, terms)


def _is_proved(claim: str, wins: Ints, losses: Ints, ties: Ints, terms: GateTerms) -> Bools:
    return np.logical_and.reduce(
        [
            find_claim_evidence(one, wins, losses, ties, terms) >= terms.find_level(one)
            for one in _find_parts(claim, terms)
        ]
    )


def _find_parts(claim: str, terms: GateTerms) -> list[str]:
    """Return the claims whose evidence a claim needs."""
    return [one for one in terms.claims if one in (claim, BESIDE.get(claim))]


def is_ruled_out(wins: Ints, losses: Ints, ties: Ints, terms: GateTerms) -> Bools:
    """Tell where the required claim is certainly false, whatever the verdicts that are left."""
    behind = losses - wins - (terms.questions - wins - losses - ties)
    margin = terms.margin if terms.require == "not-worse" else 0.0
    return (behind >= 2 * margin * terms.questions - EDGE) & terms.exact


def require_verdicts(verdicts: VerdictCounts, terms: GateTerms) -> None:
    """Refuse counts that cannot be."""
    if min(verdicts) < 0:
        raise InvalidParameter(f"{verdicts} has a count below 0; counts are 0 or more.")
    if verdicts.n > terms.questions:
        raise InvalidParameter(
            f"there are {verdicts.n:,} verdicts on {terms.questions:,} questions; each is judged once."
        )


def _columns(verdicts: VerdictCounts) -> tuple[Ints, Ints, Ints]:
    return np.array([verdicts.wins]), np.array([verdicts.losses]), np.array([verdicts.ties])


def _outcome(claims: tuple[str, ...], is_out: bool, terms: GateTerms) -> str:
    required = REQUIRED[terms.require]
    if required in claims:
        return PASSED
    return FAILED if is_out or OPPOSITE[required] in claims else UNDECIDED


def _find_evidence_above(
    border: float, wins: Ints, losses: Ints, ties: Ints, terms: GateTerms
) -> Floats:
    """Return the evidence for a mean above the border, from the side of who has the wins."""
    if not terms.exact:
        return log_evidence_of_votes(wins, losses, ties, 0.5 - border)
    margin = find_margin(border, terms.questions)
    return log_evidence_of_cases(wins, losses, ties, terms.questions, margin)


def _lower_end(verdicts: VerdictCounts, terms: GateTerms, level: float) -> float:
    """Return the smallest mean that is not refuted by evidence for a larger one."""
    counts = _columns(verdicts)

    def is_refuted(mean: float) -> bool:
        return bool(_find_evidence_above(mean, *counts, terms)[0] >= level)

    if terms.exact:
        steps = 2 * terms.questions
        low, high = -1, steps
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if is_refuted(middle / steps) else (low, middle)
        return high / steps
    least, most = 0.0, 1.0
    for _ in range(HALVINGS):
        mean = (least + most) / 2
        least, most = (mean, most) if is_refuted(mean) else (least, mean)
    return least


HALVINGS = 40  # of [0, 1]: far below what anybody reads
