"""From evidence to what is proved: the row argument, scores, and which options to take.

The claims, their levels and the proof are explained in docs/notes/certificate-proofs.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc

from copeland.certificate.cluster_evidence import ClusterVotes
from copeland.certificate.samples import (
    Sample,
    VoteCounts,
    Voters,
    check_labels,
    check_margin,
    mask_of,
    sample_of,
)
from copeland.errors import InvalidParameter
from copeland.kernels.vote_evidence import (
    Levels,
    all_level,
    baseline_level,
    baseline_shares,
    levels,
    loss_level,
    win_level,
)
from copeland.support.arrays import Bools, Floats, Ints
from copeland.support.goal import BEST, Goal


class Terms(NamedTuple):
    """What was agreed on beforehand."""

    delta: float = 0.05
    margin: float = 0.0
    epoch: int = 0
    voters: Voters = "independent"
    offered: int | None = None
    cases: int | None = None
    judges: tuple[str, ...] = ()
    goal: str = BEST
    clusters: tuple[int, int, str] | None = None  # as in Clusters, if cases come in any

    @property
    def sample(self) -> Sample:
        """What the votes are a sample of."""
        return sample_of(self.voters, self.cases, self.judges, self.clusters)

    def levels(self, k: int, union: bool) -> Levels:
        """Return how much evidence claims on ``k`` options need, but those about a baseline."""
        goal = Goal.parse(self.goal)
        delta = (baseline_shares(k)[1] if goal.name else 1.0) * self.delta
        dependent = self.sample.dependent
        return levels(k, delta, self.epoch, dependent, union, self.margin, goal.number)

    def check(self) -> None:
        """Refuse what cannot be agreed on."""
        if not 0 < self.delta < 1:
            raise InvalidParameter(
                f"delta is {self.delta}; it is an error probability between 0 and 1."
            )
        check_margin(self.margin)
        if self.epoch < 0 or self.epoch != int(self.epoch):
            raise InvalidParameter(
                f"epoch is {self.epoch}; it is 0 if options are never added, else 1, 2, ... with each addition."
            )
        sample_of(self.voters, self.cases, self.judges, self.clusters)


def prove(
    votes: VoteCounts, terms: Terms, active: Sequence[int] | None, labels: Sequence[str] | None
) -> dict[str, Any]:
    """Return the fields of a :class:`copeland.Certificate`: what the votes prove, and on which terms."""
    terms.check()
    votes = votes.taken_as(terms.sample)
    every, digest, offered = votes.number, votes.digest, len(votes.won)
    k = offered if terms.offered is None else terms.offered
    if not 2 <= k <= offered:
        raise InvalidParameter(
            f"offered is {k}; of {offered} options, 2 to {offered} can have been."
        )
    names = check_labels(labels, offered)
    votes, later = votes.cut(k), offered - k
    among = mask_of(active, k)
    # All that were offered in an epoch are no choice: a certificate of these can be made again from what it says.
    is_choice = active is not None and (terms.offered is None or not among.all())
    at = terms.levels(k, union=is_choice)
    exact = votes.find_evidence(0.0)
    found = votes.find_evidence(terms.margin) if terms.margin > 0 else exact
    held = votes.find_unbeaten(terms.margin)
    lower, upper, best, is_all = apply_row_argument(found, at, among, held)
    even = votes.find_unbeaten(0.0)
    # Each of these claims includes the one before it: so one capital stands for each pair that is wrong.
    close = found >= at.pair  # i is not behind j by the margin or more
    beats = close & (exact >= at.exact)
    scores = _bound_scores(beats, among, even)
    if terms.margin > 0:
        clear = beats & (votes.find_evidence(-terms.margin) >= at.exact)
        possible = best | _possible(*_bound_scores(clear, among), among)
    else:
        # One that beats every other is the only winner.
        is_all |= bool((lower == among.sum() - 1)[best].any())
        beats |= (best & (lower == among.sum() - 1))[:, None] & among & ~np.eye(k, dtype=bool)
        by_pairs = _bound_scores(beats, among, even)
        scores = _bound_by_verdict(*by_pairs, lower, best, is_all, among)
        possible = best if is_all else _possible(*scores, among)
        if best.any() and not is_all and (possible == best).all():
            is_all, scores = True, _bound_by_verdict(*by_pairs, lower, best, True, among)
    points, goal = votes.won + votes.tied / 2, Goal.parse(terms.goal)
    compare = partial(_compare_with_baseline, votes, terms)
    aimed = prove_goal(goal, names[:k], (lower, upper), among, points, compare)
    baseline = goal.baseline(names)
    beats[list(aimed.get("above", ())), baseline] = True  # what is proved for the goal is proved
    beats[baseline, list(aimed.get("below", ()))] = True
    least, most = _bound_scores(beats, among, even)
    scores = np.maximum(scores[0], least), np.minimum(scores[1], most)
    if terms.margin == 0:
        scores = _bound_by_top(scores, aimed.get("top", ()), among)
    return dict(
        terms._asdict()
        | {"clusters": None if votes.clusters is None else tuple(votes.clusters.clusters)},
        **aimed,
        labels=names,
        votes=every,
        digest=digest,
        delta=float(terms.delta),
        margin=float(terms.margin),
        epoch=int(terms.epoch),
        active=None if active is None and terms.offered is None else _indices(among),
        lower=(*lower.tolist(), *[0] * later),
        upper=(*upper.tolist(), *[0] * later),
        best=_indices(best),
        is_all=is_all,
        possible=_indices(possible),
        choice=_choice(points, beats, among, possible if terms.margin > 0 else best)
        if best.any()
        else (),
        scores=(
            *pairs_of(np.where(among, np.stack(scores), 0).T),
            *[(0, 0)] * later,
        ),
        beats=pairs_of(np.argwhere(beats)),
        ties=pairs_of(np.argwhere(np.triu(close & close.T))),
    )


def is_decided(
    wins: Ints,
    ties: Ints,
    terms: Terms,
    missing: Ints | None = None,
    given: tuple[Ints, Ints] | None = None,
    clusters: ClusterVotes | None = None,
) -> bool:
    """Tell whether :func:`copeland.certify` would name an option best; it is asked before every question."""
    at = terms.levels(len(wins), union=False)
    votes = VoteCounts(wins, ties, missing, given, terms.sample, clusters)
    among, held = np.ones(len(wins), bool), votes.find_unbeaten(terms.margin)
    _, _, best, _ = apply_row_argument(votes.find_evidence(terms.margin), at, among, held)
    return bool(best.any())


def apply_row_argument(
    found: Floats, at: Levels, among: Bools, held: Bools | bool = False
) -> tuple[Ints, Ints, Bools, bool]:
    """Return bounds of the scores, who is best, and whether they are all: the row argument.

    ``held`` are pairs (i, j) in which j is sure not to beat i, though i may not beat j either.
    """
    k = len(found)
    others = among.sum() - among  # how many each option meets
    met = np.where(among[None, :], found, -math.inf)
    needed = _levels_of_wins(at, k)
    lower = np.zeros(k, np.int64)
    some = np.flatnonzero(met.max(axis=1) >= needed.min())  # who can claim anything at all
    strongest = -np.sort(-met[some], axis=1)[:, : k - 1]
    lower[some] = ((strongest >= needed) * np.arange(1, k)).max(axis=1)
    upper = others - ((found >= loss_level(at)) | held)[among].sum(axis=0)
    none_beats = np.any(held) and upper[among].max() == 0  # where all pairs are exactly even
    best = among & ((lower > 0) | none_beats) & (lower >= _largest_other(upper, among))
    m = int(best.sum())
    outside = among & ~best
    if m == 0:
        return lower, upper, best, False
    surely = others - ((found >= all_level(at, m)) | held)[among].sum(axis=0)
    return lower, upper, best, bool((surely[outside] < lower[among].max()).all())


def find_share(found: Floats, at: Levels) -> float:
    """Return how much of the evidence that the row argument needs is there, for the option nearest to a proof.

    To prove an option best while l of its comparisons stay open takes K - 1 - l wins and l losses of every other, each at its
    level. Evidence above a level does not count. The share is that of the best l and the best option; it is 1 if and only if an
    option is proved best.
    """
    k, found = len(found), np.maximum(found, 0.0)
    won = -np.sort(-found, axis=1)[:, : k - 1]  # of each option, the strongest first
    lost = np.minimum(-np.sort(-found, axis=0)[: k - 1], loss_level(at))
    shares = []
    for l in range(k - 1):
        level = win_level(at, l)
        wins = np.minimum(won[:, : k - 1 - l], level).sum(axis=1)
        losses = lost[:l].sum(axis=0)
        needed = (k - 1 - l) * level + (k - 1) * l * loss_level(at)
        shares.append((wins + losses.sum() - losses).max() / needed)
    return float(min(max(shares), 1.0))


@lru_cache(100)
def _levels_of_wins(at: Levels, k: int) -> Floats:
    """What it takes to claim 1, 2, ... wins over K - 1 others."""
    return np.array([win_level(at, k - 1 - r) for r in range(1, k)])


def _bound_scores(beats: Bools, among: Bools, held: Bools | bool = False) -> tuple[Ints, Ints]:
    """How many options each beats at least and at most, by proved wins and by pairs (i, j) in which j cannot beat i."""
    least = beats[:, among].sum(axis=1)
    return least, among.sum() - among - (beats | held)[among].sum(axis=0)


def _bound_by_verdict(
    least: Ints, most: Ints, lower: Ints, best: Bools, is_all: bool, among: Bools
) -> tuple[Ints, Ints]:
    """The same by what the verdict rests on: those proved best have the highest score, and no other if they are all."""
    least = np.maximum(least, lower)
    if not best.any():
        return least, most
    top = min(most[best])
    others = np.minimum(most, top - is_all)
    return np.where(best, max(least[among]), least), np.where(best, top, others)


def _bound_by_top(scores: tuple[Ints, Ints], top: Sequence[int], among: Bools) -> tuple[Ints, Ints]:
    """Return the intervals of scores, if no other option beats more than any of the top."""
    inside = np.isin(np.arange(len(among)), top)
    if not top or not (among & ~inside).any():
        return scores
    least, most = scores
    floor, ceiling = least[among & ~inside].max(), most[inside].min()
    return (
        np.where(inside, np.maximum(least, floor), least),
        np.where(inside | ~among, most, np.minimum(most, ceiling)),
    )


def prove_goal(
    goal: Goal,
    labels: Sequence[str],
    bounds: tuple[Ints, Ints],
    among: Bools,
    points: Floats,
    compare: Callable[[int], Mapping[str, Bools]],
) -> dict[str, tuple[int, ...]]:
    """Return the fields of a certificate that a goal beyond one winner needs.

    Parameters
    ----------
    bounds
        How many others each option beats, at least and at most.
    points
        Votes for each option over each other, a tie as half of one.
    compare
        What says by a baseline who is above it, below, not worse and even.
    """
    goal.check(labels)
    baseline = goal.baseline(labels)
    if baseline is not None and among[baseline]:
        others = among & (np.arange(len(among)) != baseline)
        return {name: _indices(who & others) for name, who in compare(baseline).items()}
    return {"top": find_top(*bounds, among, goal.number, points)} if goal.number > 1 else {}


def find_top(
    lower: Ints, upper: Ints, among: Bools, number: int, points: Floats
) -> tuple[int, ...]:
    """Return so many options that beat at least as many others, each, as any other option beats at most; or none."""
    options = np.flatnonzero(among)
    if len(options) <= number:
        return tuple(options.tolist())
    shares = points.sum(axis=1) / np.maximum((points + points.T).sum(axis=1), 1)
    order = sorted(options.tolist(), key=lambda i: (-lower[i], -upper[i], -shares[i]))
    top, rest = order[:number], order[number:]
    return tuple(sorted(top)) if min(lower[top]) >= max(upper[rest]) else ()


def _compare_with_baseline(votes: VoteCounts, terms: Terms, baseline: int) -> dict[str, Bools]:
    """Return who is better than the baseline, who is worse, who is not worse by the margin, and who is even with it.

    Each claim includes the one before it, so one capital stands for each option that is wrong, or two if it is exactly even.
    """
    k, margin = len(votes.won), terms.margin
    level = baseline_level(k, terms.delta, terms.epoch, terms.sample.dependent)
    exact, close = votes.find_evidence(0.0) >= level, votes.find_evidence(margin) >= level
    beats, even = close & exact, close & close.T if margin > 0 else np.zeros_like(close)
    held = votes.find_unbeaten(0.0)
    even |= held & held.T & ~beats & ~beats.T  # all cases are judged, and the count is even
    return {
        "above": beats[:, baseline],
        "below": beats[baseline],
        "not_worse": close[:, baseline] if margin > 0 else beats[:, baseline],
        "even": even[baseline] & ~beats[:, baseline] & ~beats[baseline],
    }


def _possible(lower: Ints, upper: Ints, among: Bools) -> Bools:
    """Who may be best, as no other is sure to beat more: both bounds are of the same scores."""
    return among & (upper >= _largest_other(lower, among))


def _choice(points: Floats, beats: Bools, among: Bools, pool: Bools) -> tuple[int, ...]:
    """Which options of the pool to take: those that beat the most others in the mean.

    A win or loss that is proved counts in full, any other pair by the probability that its votes give
    to p > 1/2, from a uniform prior.
    """
    likely = betainc(points.T + 1, points + 1, 0.5)
    wins = np.where(beats, 1.0, np.where(beats.T, 0.0, likely))[:, among].sum(axis=1)
    return _indices(pool & (wins >= wins[pool].max() - 1e-9))


def _largest_other(values: Ints, among: Bools) -> Ints:
    """The largest value of each option's rivals."""
    rivals = among[None, :] & ~np.eye(len(values), dtype=bool)
    return np.where(rivals, values[None, :], -1).max(axis=1)


def _indices(mask: Bools) -> tuple[int, ...]:
    return tuple(np.flatnonzero(mask).tolist())


def pairs_of(rows: Ints) -> tuple[tuple[int, int], ...]:
    """Return the rows of a table of two columns."""
    return tuple(map(tuple, rows.tolist()))
