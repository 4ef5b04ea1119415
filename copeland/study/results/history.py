"""How a certificate grew: what the votes of a log proved after some of them, and after all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from copeland.certificate import PanelCertificate
from copeland.certificate.evidence import evidence
from copeland.kernels.vote_evidence import levels, loss_level, win_level
from copeland.study.log.events import (
    ADDED,
    ASKED,
    COUNTED,
    CREATED,
    ERROR,
    EXCUSED,
    GUIDE,
    PAUSED,
    READMITTED,
    RESTARTED,
    RESUMED,
    RETIRED,
    ROLE,
    UNDONE,
    VOTED,
    Event,
    times_of,
)
from copeland.study.log.sides import find_blocks
from copeland.study.log.state import Books, fold_log
from copeland.study.results.standing import Standing, certificate_of, epoch_with, leader_of

POINTS = 200  # rows, evenly spaced over the votes

_TELLING = (
    CREATED,
    ADDED,
    PAUSED,
    RESUMED,
    RETIRED,
    ASKED,
    VOTED,
    UNDONE,
    COUNTED,
    EXCUSED,
    READMITTED,
    RESTARTED,
)


class Progress(NamedTuple):
    """What was proved after so many votes."""

    votes: int
    options: int  # offered by then
    leader: str | None  # who came first by then
    possible: int  # options not ruled out
    best: int  # options proved best
    share: float  # of the evidence for the nearest proof, what was there; of a panel, of all pairs


def history_of(log: Iterable[Event], points: int = POINTS) -> tuple[Progress, ...]:
    """Return how the certificate of a study grew, from no vote to the last, in about ``points`` rows.

    Only votes that still stand are counted, in the order in which they came. Votes that came as counts have no order:
    there is no row in the middle of them. The last row is the certificate of today, which undone votes may weaken.

    Examples
    --------
    >>> from copeland.study import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
    >>> rows = history_of(study.log())
    >>> [(row.votes, row.possible, row.best, round(row.share, 2)) for row in rows][6:9]
    [(6, 2, 0, 0.58), (7, 2, 0, 0.72), (8, 2, 0, 0.86)]
    >>> rows[-1]
    Progress(votes=10, options=2, leader='green', possible=1, best=1, share=1.0)
    """
    log = list(log)
    told = _standing(log)
    books = Books(told[0])
    marks = _marks(sum(_counts(event, books) for event in told), points)
    now = fold_log(log)
    ends = _ends(told, now)
    rows = {0: _progress(books)}
    for event in told[1:]:
        before = books.votes
        books.take(event)
        passed = not marks.isdisjoint(range(before + 1, books.votes + 1))
        telling = ends.get(event.number, passed)
        if telling and books.votes not in rows:
            rows[books.votes] = _progress(books)
    rows.pop(now.votes, None)
    return (*rows.values(), _progress(now))


def is_unordered(progress: Sequence[Progress]) -> bool:
    """Tell whether there is no order in which the votes came, so that nothing can be said of what was in between."""
    return len(progress) == 2 and progress[-1].votes > 1


def proved_share(books: Books | Standing) -> float:
    """Return how much of the evidence that a proof needs is there, for the option nearest to it.

    To prove an option best while l of its comparisons stay open takes K - 1 - l wins and l losses of
    every other, each at its level (docs/certificate.md). Evidence above a level does not count. The
    share is that of the best l and the best option; it is 1 if and only if an option is proved best.
    """
    settings, proof = books.settings, books.proof
    assert proof is not None
    counts = (proof.wins, proof.ties, settings.margin, proof.missing_or_none, proof.before_undoing)
    found = evidence(*counts, cases=settings.finite)
    found = np.maximum(found[np.ix_(books.options_left, books.options_left)], 0.0)
    epoch, offered = epoch_with(books, books.options_left)
    k = len(found)
    at = levels(offered, settings.delta, epoch, settings.dependent, union=k < offered)
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


def share_of(standing: Standing) -> float:
    """Return how much of a proof is there: of its evidence, or of a panel's pairs."""
    if isinstance(standing.certificate, PanelCertificate):
        return settled_share(standing.certificate)
    return 1.0 if standing.certificate.best else proved_share(standing)


def settled_share(certificate: PanelCertificate) -> float:
    """Return how many of all pairs a panel has settled, as a share."""
    k = certificate.k
    return (len(certificate.beats) + len(certificate.ties)) / (k * (k - 1) / 2)


def _progress(books: Books) -> Progress:
    certificate = certificate_of(books)
    best = len(certificate.best)
    if isinstance(certificate, PanelCertificate):
        share = settled_share(certificate)
    else:
        share = 1.0 if best else proved_share(books)  # sums of floats may miss 1
    return Progress(
        books.votes,
        books.k if certificate.active is None else len(certificate.active),
        leader_of(books, certificate),
        len(certificate.possible),
        best,
        share,
    )


def _standing(log: Iterable[Event]) -> list[Event]:
    """The events that bear on a certificate; a vote that counts no more is an error, which still began an epoch."""
    told, guides = [], set()
    for event in log:
        if event.kind == ROLE:  # given before the first vote, so it holds for all
            (guides.add if (event.body or {})["role"] == GUIDE else guides.discard)(event.voter)
        elif event.kind in _TELLING and event.voter not in guides:
            told.append(event)
    undone = {event.undoes for event in told if event.kind == UNDONE}
    counted = {event.counts for event in told if event.kind == COUNTED}
    since = max((event.number for event in told if event.kind == RESTARTED), default=0)
    standing = []
    for event in told:
        if event.number in undone or (event.kind == VOTED and event.number < since):
            standing.append(event._replace(outcome=ERROR))
        elif event.number in counted:
            standing.append(event._replace(repeats=None))
        elif event.kind not in (UNDONE, COUNTED):
            standing.append(event)
    return standing


def _ends(told: list[Event], books: Books) -> dict[int, bool]:
    """The votes without an order, by number, and whether those end with it."""
    votes = [event for event in told if event.kind == VOTED]
    found = find_blocks(votes, books.sides)
    unordered = {vote.number for block, has_order in found if not has_order for vote in block}
    after = chain((vote.number not in unordered for vote in votes[1:]), [True])
    ends = zip(votes, after, strict=bool(votes))
    return {vote.number: is_end for vote, is_end in ends if vote.number in unordered}


def _counts(event: Event, books: Books) -> int:
    """How many votes that count an event stands for."""
    votes = event.kind == VOTED and event.repeats is None
    return times_of(event) if votes and books.meaning(event.outcome) is not None else 0


def _marks(votes: int, points: int) -> set[int]:
    return set(np.linspace(0, votes, max(points, 2)).round().astype(int).tolist())
