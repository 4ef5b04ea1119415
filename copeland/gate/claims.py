"""What verdicts on test cases prove about a candidate: better, not worse, worse, and worse by more than a margin.

theta is the mean over test cases of 1 where the candidate wins, 1/2 for a tie and 0 where it loses. The evidence is that of a study
of two options, and so is the level: each claim is tested at delta / 2, and whatever theta is, two tests at most can be wrong at once.
Of J judges one is enough to fail the candidate, so claims against it are tested at delta / (2 J) of each.
docs/notes/certificate-proofs.md has the argument ("A gate").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from copeland.certificate.case_evidence import EDGE, log_evidence_of_cases
from copeland.certificate.cluster_evidence import Clusters, cluster_votes
from copeland.certificate.samples import (
    LIKE_THESE,
    THESE,
    VoteCounts,
    log_evidence_of_votes,
    sample_of,
    votes_of,
)
from copeland.kernels.vote_evidence import baseline_level
from copeland.support.arrays import Bools, Ints

BETTER, NOT_WORSE, WORSE = "better", "not worse", "worse"
MUCH_WORSE = "worse by more than the margin"
STRONGEST_FIRST = (BETTER, MUCH_WORSE, WORSE, NOT_WORSE)
PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
REQUIRED = {"better": BETTER, "not-worse": NOT_WORSE}
OPPOSITE = {BETTER: WORSE, NOT_WORSE: MUCH_WORSE}
AGAINST = (MUCH_WORSE, WORSE)  # the candidate
BESIDE = {BETTER: NOT_WORSE, MUCH_WORSE: WORSE}  # a claim needs the evidence of the weaker one, too
HALVINGS = 40  # of [0, 1] in an interval: far below what anybody reads

# The evidence for the candidate and for the baseline, each "not behind by the margin": of one count, or of many at once.
Weigh = Callable[[float], tuple[Any, Any]]


class Tally(NamedTuple):
    """How many cases the candidate won, lost and tied, and how many were put to the judge and have no answer.

    ``clusters`` are the same by clusters of cases, as rows of ClusterVotes, if cases come in any.
    """

    wins: int = 0
    losses: int = 0
    ties: int = 0
    unanswered: int = 0
    clusters: tuple[tuple[int, ...], ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The four counts by name."""
        return dict(zip(self._fields, self[:4], strict=False))  # type: ignore[arg-type]

    @property
    def answers(self) -> int:
        """How many have one."""
        return self.wins + self.losses + self.ties

    @property
    def theta(self) -> float | None:
        """The mean of the answers; None if there are none."""
        return (self.wins + self.ties / 2) / self.answers if self.answers else None


class GateTerms(NamedTuple):
    """What is claimed, and how surely: fixed before the first call."""

    require: str  # "better" (theta > 1/2) or "not-worse" (theta > 1/2 - margin)
    margin: float  # how far below 1/2 is still not worse; 0 for none
    delta: float  # the probability of any false claim, at most
    cases: int
    exact: bool = False  # whether the claims are about exactly these cases, or cases like these
    epoch: int = 0  # of a study, in which the claims are made; 0: no option can be added any more
    judges: int = 1  # of which one is enough to fail the candidate
    clusters: Clusters | None = None  # of cases that hang together, if that matters

    @property
    def required(self) -> str:
        """The claim that passes the candidate."""
        return REQUIRED[self.require]

    @property
    def border(self) -> float:
        """How far behind the candidate may be."""
        return self.margin if self.require == "not-worse" else 0.0

    @property
    def claims(self) -> tuple[str, ...]:
        """What may be claimed, strongest first."""
        return STRONGEST_FIRST if self.margin > 0 else (BETTER, WORSE)

    def find_level(self, claim: str) -> float:
        """Return the evidence in nats that a claim needs."""
        judges = self.judges if claim in AGAINST else 1
        return baseline_level(2, self.delta / judges, self.epoch)

    def weigh(self, wins: Ints, losses: Ints, ties: Ints) -> Weigh:
        """Return what weighs many counts at once."""

        def weigh_side(ours: Ints, theirs: Ints, margin: float) -> Any:
            if self.exact:
                return log_evidence_of_cases(ours, theirs, ties, self.cases, margin)
            return log_evidence_of_votes(ours, theirs, ties, margin)

        return lambda m: (weigh_side(wins, losses, m), weigh_side(losses, wins, m))

    def as_votes(self, tally: Tally) -> VoteCounts:
        """Return a tally as votes on the baseline, option 0, and the candidate; without an answer both lose."""
        ties, missing = ([[0, n], [n, 0]] for n in (tally.ties, tally.unanswered))
        voters = THESE if self.exact else LIKE_THESE
        clusters = None if self.clusters is None else cluster_votes(tally.clusters, self.clusters)
        votes = votes_of([[0, tally.losses], [tally.wins, 0]], ties, missing, None, clusters)
        return votes.taken_as(sample_of(voters, self.cases, (), self.clusters))


class Finding(NamedTuple):
    """What verdicts prove, and what it means for the required claim.

    A gate that requires *better* fails where theta is proved to be 1/2 or less. That may hold without any claim: if all are judged
    and exactly even, or if the cases left can make it even at most.
    """

    claims: tuple[str, ...]  # what is proved, strongest first
    outcome: str  # "passed", "failed" or "undecided"
    complete: bool  # all cases are judged, and they are all that is claimed about
    even: bool  # and wins and losses are as many
    evidence: Mapping[str, float]  # nats by claim; infinite where it is certain


def find_claims(tally: Tally, terms: GateTerms) -> Finding:
    """Return what verdicts prove. It is valid whenever you look."""
    votes = terms.as_votes(tally)
    weigh = _weigh_votes(votes)
    evidence = {claim: float(_find_evidence(claim, weigh, terms)) for claim in terms.claims}
    claims = tuple(one for one in terms.claims if _is_proved(one, evidence.__getitem__, terms))
    outcome = UNDECIDED
    if terms.required in claims:
        outcome = PASSED
    elif OPPOSITE[terms.required] in claims or votes.find_unbeaten(-terms.border)[0, 1]:
        outcome = FAILED
    complete = terms.exact and tally.answers == terms.cases
    return Finding(claims, outcome, complete, complete and tally.wins == tally.losses, evidence)


def win_clusters(tally: Tally, terms: GateTerms, more: int) -> bool:
    """Tell whether the required claim would be proved if all cases without an answer were won, and so many further clusters.

    These are taken to be as large as the largest, so no more can come of them.
    """
    assert terms.clusters is not None
    rows = [(*row[:3], row[3] + row[6], *row[4:6], 0, 1) for row in tally.clusters]
    rows += [(0, 1, 0, terms.clusters.largest, 0, 0, 0, more)] if more else []
    best = tally._replace(
        wins=sum(row[3] * row[7] for row in rows), unanswered=0, clusters=tuple(rows)
    )
    room = terms._replace(cases=max(terms.cases, best.answers))
    return find_claims(best, room).outcome == PASSED


def find_conflicts(overall: Finding, by_tag: Mapping[str, Finding]) -> tuple[str, ...]:
    """Return the tags that are proved better where another, or all together, is proved worse, and the other way round."""
    claimed = {claim for one in (overall, *by_tag.values()) for claim in one.claims}
    opposed = {BETTER: WORSE, WORSE: BETTER}
    return tuple(
        tag
        for tag, one in by_tag.items()
        if any(opposed.get(claim) in claimed for claim in one.claims)
    )


def find_interval(tally: Tally, terms: GateTerms) -> tuple[float, float]:
    """Return a confidence interval for theta that is valid whenever you look, at level delta.

    It holds every value that the tests of the claims, at this border or any other, do not refute.
    """
    weigh = _weigh_votes(terms.as_votes(tally))
    return _find_end(weigh, 0, BETTER, terms), 1 - _find_end(weigh, 1, WORSE, terms)


def has_passed(wins: Ints, losses: Ints, ties: Ints, terms: GateTerms) -> Bools:
    """Return where the required claim is proved, of many counts at once."""
    return _is_proved_of_many(terms.required, wins, losses, ties, terms)


def has_failed(wins: Ints, losses: Ints, ties: Ints, terms: GateTerms) -> Bools:
    """Return where its opposite is, or where the cases left can no longer make it true."""
    behind = losses - wins - (terms.cases - wins - losses - ties)
    sure = (behind >= 2 * terms.border * terms.cases - EDGE) & terms.exact
    return sure | _is_proved_of_many(OPPOSITE[terms.required], wins, losses, ties, terms)


def _is_proved_of_many(claim: str, wins: Ints, losses: Ints, ties: Ints, terms: GateTerms) -> Bools:
    weigh = terms.weigh(wins, losses, ties)
    return _is_proved(claim, lambda one: _find_evidence(one, weigh, terms), terms)


def _is_proved(claim: str, evidence: Callable[[str], Any], terms: GateTerms) -> Any:
    """Whether there is evidence for a claim and for the one beside it."""
    parts = [one for one in terms.claims if one in (claim, BESIDE.get(claim))]
    return np.logical_and.reduce([evidence(one) >= terms.find_level(one) for one in parts])


def _find_evidence(claim: str, weigh: Weigh, terms: GateTerms) -> Any:
    margins = {NOT_WORSE: terms.margin, MUCH_WORSE: -terms.margin}
    return weigh(margins.get(claim, 0.0))[claim in AGAINST]


def _weigh_votes(votes: VoteCounts) -> Weigh:
    return lambda margin: tuple(votes.find_evidence(margin)[[1, 0], [0, 1]])


def _find_end(weigh: Weigh, side: int, claim: str, terms: GateTerms) -> float:
    """Return the smallest mean of one side that is not refuted by evidence for a larger one."""
    level = terms.find_level(claim)
    # The mean over exactly these cases is a whole number of half verdicts.
    steps = 2 * terms.cases if terms.exact else 2**HALVINGS
    least, most = -1 if terms.exact else 0, steps
    while most - least > 1:
        middle = (least + most) // 2
        is_refuted = weigh(0.5 - middle / steps)[side] >= level
        least, most = (middle, most) if is_refuted else (least, middle)
    return (most if terms.exact else least) / steps
