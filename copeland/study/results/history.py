"""What the order of votes shows: how a certificate grew, and pairs whose votes changed over time.

A certificate assumes that preferences do not change. Votes are taken in the order in which they came in. Counts have no
order, so they are left out where that matters. Other votes of one import at one time are shuffled, by the study's seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import inf as INF
from operator import itemgetter
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
from copeland.study.log.sides import find_blocks
from copeland.study.log.state import StudyState, fold_log
from copeland.study.log.tables import Tables
from copeland.study.results.standing import Standing, epoch_with, leader_of
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
    UNDONE,
    COUNTED,
    EXCUSED,
    READMITTED,
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
    state = StudyState(told[0])
    votes = sum(_counts(event, state) for event in told)
    marks = set(np.linspace(0, votes, max(points, 2)).round().astype(int).tolist())
    now = fold_log(log)
    ends = _ends(told)
    rows = {0: _progress(state, told[0].time)}
    for event in told[1:]:
        before = state.votes
        state.take(event)
        passed = not marks.isdisjoint(range(before + 1, state.votes + 1))
        telling = ends.get(event.number, passed)
        if telling and state.votes not in rows:
            rows[state.votes] = _progress(state, event.time)
    rows.pop(now.votes, None)
    return (*rows.values(), _progress(now, log[-1].time))


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


def share_of(standing: Standing) -> float:
    """Return how much of a proof is there: of its evidence, or of a panel's pairs."""
    assert standing.proof is not None
    return _share_of(standing, standing.proof, standing.certificate)


def _share_of(votes: StudyState | Standing, proof: Tables, found: BaseCertificate) -> float:
    share = found.claims.share
    return proved_share(votes, proof) if share is None else share


def _progress(state: StudyState, now: float) -> Progress:
    found = kind_of(state.settings).certificate(state, now)
    return Progress(
        state.votes,
        state.k if found.active is None else len(found.active),
        leader_of(state, found, state.ledger.unsettled),
        len(found.possible),
        len(found.best),
        _share_of(state, state.ledger.tables(now), found),
    )


def _standing(log: Iterable[Event]) -> list[Event]:
    """The events that bear on a certificate; a vote that counts no more is an error, which still began an epoch."""
    told = [event for event in log if event.kind in _TELLING]
    undone = {event.undoes for event in told if event.kind == UNDONE}
    counted = {event.counts for event in told if event.kind == COUNTED}
    standing = []
    for event in told:
        if event.number in undone:
            standing.append(event._replace(outcome=ERROR))
        elif event.number in counted:
            standing.append(event._replace(repeats=None))
        elif event.kind not in (UNDONE, COUNTED):
            standing.append(event)
    return standing


def _ends(told: list[Event]) -> dict[int, bool]:
    """The votes without an order, by number, and whether those end with it."""
    votes = [event for event in told if is_vote(event)]
    found = find_blocks(votes)
    unordered = {vote.number for block, has_order in found if not has_order for vote in block}
    after = chain((vote.number not in unordered for vote in votes[1:]), [True])
    ends = zip(votes, after, strict=bool(votes))
    return {vote.number: is_end for vote, is_end in ends if vote.number in unordered}


def _counts(event: Event, state: StudyState) -> int:
    """How many votes that count an event stands for."""
    votes = event.kind == VOTED and event.repeats is None
    return times_of(event) if votes and state.meaning(event.outcome) is not None else 0


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


class _Course:
    """What a pair's share of the level depends on."""

    def __init__(self) -> None:
        self.options = 0
        self.known = 0  # options when the first vote came; 0 before

    def take(self, event: Event) -> None:
        """Take in the next event."""
        if event.kind == CREATED:
            self.options = len((event.body or {})["options"])
        elif event.kind == ADDED:
            self.options += 1
        elif event.kind == VOTED and not self.known:
            self.known = self.options

    def share_of(self, pair: Pair) -> float:
        """Return a pair's share of the level."""
        return level_share_of(max(pair), self.known)


def drifts_of(
    state: StudyState, log: Iterable[Event], now: float, level: float = LEVEL
) -> tuple[Drift, ...]:
    """Return the pairs whose votes changed over time, the strongest evidence first.

    If no pair's preference changes, any pair is ever among them with a probability of at most ``level``, whatever options
    are added. Votes are taken in the order in which their ballots were handed out, up to the first that is still open: some
    answers may come later because of what they say.
    """
    course = _Course()
    names = [option.name for option in state.options]
    found = []
    for pair, won in _sequences(state, _votes(log, course), now).items():
        change = change_in(won)
        if change is not None and change.is_proved(level * course.share_of(pair)):
            found.append(Drift(names[pair[0]], names[pair[1]], change))
    return tuple(sorted(found, key=lambda drift: -drift.change.evidence))


def _votes(log: Iterable[Event], course: _Course) -> Iterator[VoteEvent]:
    for event in log:
        course.take(event)
        if is_vote(event):
            yield event


def _sequences(state: StudyState, votes: Iterable[VoteEvent], now: float) -> dict[Pair, list[bool]]:
    """For each pair, the smaller option first, whether that one won each vote."""
    placed: dict[Pair, list[tuple[int, bool]]] = {}
    for place, vote in _in_order(state, votes):
        meaning = state.meaning(vote.outcome)
        if meaning == TIE or not state.counts(vote):
            continue
        turned = vote.left > vote.right
        pair = (vote.right, vote.left) if turned else (vote.left, vote.right)
        placed.setdefault(pair, []).append((place, (meaning == LEFT) != turned))
    ends = state.ledger.first_open(now)
    return {
        pair: [won for place, won in sorted(ones, key=itemgetter(0)) if place < ends.get(pair, INF)]
        for pair, ones in placed.items()
    }


def _in_order(state: StudyState, votes: Iterable[VoteEvent]) -> Iterator[tuple[int, VoteEvent]]:
    """The votes that have an order, each with its place: when it was asked for or, if nobody did, when it came."""
    for block, has_order in find_blocks(votes):
        if has_order and block[0].ballot is not None:
            yield from ((block[0].ballot, vote) for vote in block)
        elif has_order:
            yield from ((block[0].number, vote) for vote in _shuffle_votes(state, block))


def _shuffle_votes(state: StudyState, block: Sequence[VoteEvent]) -> Iterator[VoteEvent]:
    votes = [vote for vote in block for _ in range(times_of(vote))]
    order = stream(state.settings.seed, "drift", votes[0].number).permutation(len(votes))
    return (votes[i] for i in order)
