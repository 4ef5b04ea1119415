"""What the order of votes shows: how a certificate grew, and pairs whose votes changed over time.

A certificate assumes that preferences do not change. Votes are taken in the order in which they came in. Counts have no
order, so they are left out where that matters. Other votes of one import at one time are shuffled, by the study's seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import inf as INF
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.drift_evidence import LEVEL, Change, change_in
from copeland.certificate.drift_evidence import share_of as level_share_of
from copeland.certificate.proof import find_share
from copeland.certificate.samples import evidence
from copeland.kernels.vote_evidence import levels
from copeland.study.kinds import kind_of
from copeland.study.log.events import (
    ADDED,
    ASKED,
    COUNTED,
    CREATED,
    ERROR,
    EXCUSED,
    LEFT,
    PAUSED,
    READMITTED,
    RESUMED,
    RETIRED,
    TIE,
    UNDONE,
    VOTED,
    Event,
    VoteEvent,
    is_vote,
    times_of,
)
from copeland.study.log.ledger import Tables
from copeland.study.log.sides import find_blocks
from copeland.study.log.state import StudyState
from copeland.study.options import ACTIVE
from copeland.study.results.standing import Standing, epoch_with, leader_of
from copeland.support.arrays import Bools
from copeland.support.phrasing import percent, quote_names
from copeland.support.rng import stream

POINTS = 200  # rows, evenly spaced over the votes

Pair = tuple[int, int]

_TELLING = (
    CREATED,
    ADDED,
    PAUSED,
    RESUMED,
    RETIRED,
    ASKED,
    VOTED,
    EXCUSED,
    READMITTED,
)
_NUMBER = attrgetter("number")


class Progress(NamedTuple):
    """What was proved after so many votes."""

    votes: int
    options: int  # offered by then
    leader: str | None  # who came first by then
    possible: int  # options not ruled out
    best: int  # options proved best
    share: float  # of the evidence for the nearest proof, what was there; of a panel, of all pairs


def history_of(log: Iterable[Event], now: Standing, points: int = POINTS) -> tuple[Progress, ...]:
    """Return how the certificate of a study grew, from no vote to where it stands ``now``, in about ``points`` rows.

    Only votes that still stand are counted, in the order in which they came. Votes that came as counts have no order:
    there is no row in the middle of them. The last row is the certificate of today, which undone votes may weaken.

    Examples
    --------
    >>> from copeland.study import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
    >>> rows = history_of(study.log(), study.standing())
    >>> [(row.votes, row.possible, row.best, round(row.share, 2)) for row in rows][6:9]
    [(6, 2, 0, 0.58), (7, 2, 0, 0.72), (8, 2, 0, 0.86)]
    >>> rows[-1]
    Progress(votes=10, options=2, leader='green', possible=1, best=1, share=1.0)
    """
    assert now.proof is not None
    told, kind = _standing(log), kind_of(now.settings)
    state, ends = _begin(told[0], now), _ends(told)
    marks = set(np.linspace(0, now.votes, max(points, 2)).round().astype(int).tolist())
    rows: dict[int, Progress] = {}
    for event in told:
        before = state.votes
        if event is not told[0]:
            state.take(event)
        passed = not rows or not marks.isdisjoint(range(before + 1, state.votes + 1))
        if ends.get(event.number, passed) and state.votes not in rows:
            certificate = kind.certificate(state, event.time)
            proof = state.ledger.tables(event.time)
            rows[state.votes] = _progress(state, proof, certificate, state.ledger.unsettled)
    rows.pop(now.votes, None)
    return (*rows.values(), _progress(now, now.proof, now.certificate, now.unsettled))


def _begin(created: Event, now: Standing) -> StudyState:
    """The state before all votes, of a study whose settings and options are known."""
    options = []
    for option in now.options[: len((created.body or {})["options"])]:
        options.append(option if option.state == ACTIVE else replace(option, state=ACTIVE))
    return StudyState(created, now.settings, options)


def is_unordered(progress: Sequence[Progress]) -> bool:
    """Tell whether there is no order in which the votes came, so that nothing can be said of what was in between."""
    return len(progress) == 2 and progress[-1].votes > 1


def proved_share(state: StudyState | Standing, proof: Tables) -> float:
    """Return how much of the evidence that a proof needs is there, for the option nearest to it."""
    settings = state.settings
    counts = (proof.wins, proof.ties, settings.margin, proof.missing_or_none, proof.before_undoing)
    found = evidence(*counts, kind_of(settings).sample(settings), proof.clusters)
    left, (epoch, offered) = state.options_left, epoch_with(state, state.options_left)
    terms = (settings.delta, epoch, settings.dependent, len(left) < offered)
    return find_share(found[np.ix_(left, left)], levels(offered, *terms))


def share_of(votes: StudyState | Standing, proof: Tables, certificate: BaseCertificate) -> float:
    """Return how much of a proof is there: of its evidence, or of a panel's pairs."""
    share = certificate.claims.share
    return proved_share(votes, proof) if share is None else share


def _progress(
    votes: StudyState | Standing,
    proof: Tables,
    certificate: BaseCertificate,
    unsettled: Bools | None,
) -> Progress:
    active = certificate.active
    return Progress(
        votes.votes,
        len(votes.options) if active is None else len(active),
        leader_of(votes, certificate, unsettled),
        len(certificate.possible),
        len(certificate.best),
        share_of(votes, proof, certificate),
    )


def _standing(log: Iterable[Event]) -> list[Event]:
    """The events that bear on a certificate; a vote that counts no more is an error, which still began an epoch."""
    told, undone, counted = [], set(), set()
    for event in log:
        if event.kind == UNDONE:
            undone.add(event.undoes)
        elif event.kind == COUNTED:
            counted.add(event.counts)
        elif event.kind in _TELLING:
            told.append(event)
    for n, event in enumerate(told):
        if event.number in undone:
            told[n] = event._replace(outcome=ERROR)
        elif event.number in counted:
            told[n] = event._replace(repeats=None)
    return told


def _ends(told: list[Event]) -> dict[int, bool]:
    """The votes without an order, by number, and whether those end with it."""
    votes = list(filter(is_vote, told))
    unordered: set[int] = set()
    for block, has_order in find_blocks(votes):
        if not has_order:
            unordered.update(map(_NUMBER, block))
    ends = {}
    for vote, following in zip_longest(votes, votes[1:]):
        if vote.number in unordered:
            ends[vote.number] = following is None or following.number not in unordered
    return ends


# Pairs whose votes changed


class Drift(NamedTuple):
    """A pair whose votes changed over time, with the evidence for it."""

    first: str
    second: str
    change: Change

    @property
    def sentence(self) -> str:
        """What changed, in words."""
        change, (first, second) = self.change, quote_names((self.first, self.second))
        return (
            f"The votes on {first} and {second} changed over time: {first} won "
            f"{percent(change.before)} of the first {change.early:,} that name a winner, and "
            f"{percent(change.after)} of the {change.votes - change.early:,} since."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {"first": self.first, "second": self.second, **self.change._asdict()}


def drifts_of(
    state: StudyState, votes: Iterable[VoteEvent], now: float, level: float = LEVEL
) -> tuple[Drift, ...]:
    """Return the pairs whose votes changed over time, the strongest evidence first.

    If no pair's preference changes, any pair is ever among them with a probability of at most ``level``, whatever options
    are added. Votes are taken in the order in which their ballots were handed out, up to the first that is still open: some
    answers may come later because of what they say.
    """
    known = state.offered[state.settings.first_epoch]  # options when the first vote came
    drifts = []
    for pair, placed in _sequences(state, votes, now).items():
        _, won = zip(*sorted(placed, key=itemgetter(0)), strict=True)
        change = change_in(won)
        if change is not None and change.is_proved(level * level_share_of(max(pair), known)):
            first, second = pair
            drifts.append(Drift(state.options[first].name, state.options[second].name, change))
    return tuple(sorted(drifts, key=lambda drift: -drift.change.evidence))


def _sequences(
    state: StudyState, votes: Iterable[VoteEvent], now: float
) -> dict[Pair, list[tuple[int, bool]]]:
    """For each pair, the smaller option first, the votes that have an order: their places, and whether that option won.

    The place of a vote is when it was asked for or, if nobody did, when it came.
    """
    placed: dict[Pair, list[tuple[int, bool]]] = {}
    ends = state.ledger.first_open(now)
    for block, has_order in find_blocks(votes):
        if not has_order:
            continue
        place = block[0].ballot
        if place is None:
            place, block = block[0].number, _shuffle_votes(state, block)
        for vote in block:
            meaning = state.meaning(vote.outcome)
            if meaning == TIE or not state.counts(vote):
                continue
            turned = vote.left > vote.right
            pair = (vote.right, vote.left) if turned else (vote.left, vote.right)
            if place < ends.get(pair, INF):
                placed.setdefault(pair, []).append((place, (meaning == LEFT) != turned))
    return placed


def _shuffle_votes(state: StudyState, block: Sequence[VoteEvent]) -> list[VoteEvent]:
    votes = [vote for vote in block for _ in range(times_of(vote))]
    order = stream(state.settings.seed, "drift", votes[0].number).permutation(len(votes))
    return [votes[i] for i in order]
