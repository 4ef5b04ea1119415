"""What a voter has met already, what a person would rather not be shown next, and so what a ballot must keep to.

All of it follows from what was asked, never from what was answered: a voter's own answers may not decide
what that voter is asked (docs/notes/certificate-proofs.md, People).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copeland.study.case_draw import CaseDraw
from copeland.study.log.event_log import Log
from copeland.study.log.events import ASKED, ERROR, AskedEvent, VoteEvent
from copeland.study.log.state import StudyState
from copeland.study.options import ACTIVE
from copeland.support.rng import stream

RUNNING = 3  # ballots in a row that may show the same option

# How much a voter would mind a pair.
FINE = 0
LOPSIDED = 1  # it shows an option on one side twice more than on the other
TIRESOME = 2  # it shows an option once more after RUNNING ballots
AGAIN = 3  # it is the pair of the ballot before
NEVER = 127  # above all of these

FEW = 500  # options, of which all pairs can be looked at for each question

Pair = tuple[int, int]  # left, right
Levels = NDArray[np.int8]


class RecentlyShown(NamedTuple):
    """What a voter was shown last, and how much more often each option was on the left than on the right.

    ``lean`` is None where sides are drawn anew for every ballot.
    """

    recent: tuple[Pair, ...] = ()  # the latest last
    lean: dict[int, int] | None = None  # by option: times left less times right

    @property
    def tiring_options(self) -> frozenset[int]:
        """The options of every one of the last ballots."""
        if len(self.recent) < RUNNING:
            return frozenset()
        return frozenset.intersection(*map(frozenset, self.recent))

    def minds(self, one: int, other: int, tiring: frozenset[int] | None = None) -> int:
        """Return how much the voter would mind a pair, FINE if not at all; ``tiring`` are the tiring options, if known."""
        if self.recent and {one, other} == set(self.recent[-1]):
            return AGAIN
        if not (self.tiring_options if tiring is None else tiring).isdisjoint((one, other)):
            return TIRESOME
        return LOPSIDED if self._leans(one) == self._leans(other) != 0 else FINE

    def find_easiest(self, pairs: Iterable[Pair]) -> Pair:
        """Return the first of the pairs that the voter minds least."""
        best, tiring = None, self.tiring_options
        for pair in pairs:
            level = self.minds(*pair, tiring)
            if best is None or level < best[0]:
                best = level, pair
            if level == FINE:
                break
        assert best is not None
        return best[1]

    def minds_of(self, k: int) -> Levels:
        """Return the same for all pairs of K options at once."""
        leans = np.zeros(k, np.int64)
        for option, lean in (self.lean or {}).items():
            leans[option] = lean
        levels = ((leans[:, None] == leans) & (leans != 0)).astype(np.int8)  # LOPSIDED
        for option in self.tiring_options:
            levels[option] = levels[:, option] = TIRESOME
        last = list(self.recent[-1]) if self.recent else []
        levels[np.ix_(last, last)] = AGAIN
        return levels

    def after(self, left: int, right: int) -> RecentlyShown:
        """Return the same, once a ballot was shown."""
        recent = (*self.recent, (left, right))[-RUNNING:]
        if self.lean is None:
            return RecentlyShown(recent)
        moved = {left: self._leans(left) + 1, right: self._leans(right) - 1}
        return RecentlyShown(recent, self.lean | moved)

    def choose_sides(self, one: int, other: int, coin: bool) -> Pair:
        """Return a pair with its sides: on the left goes who was less often there, or the coin decides."""
        ahead = self._leans(one) - self._leans(other)
        return (other, one) if ahead > 0 or (ahead == 0 and coin) else (one, other)

    def _leans(self, option: int) -> int:
        return 0 if self.lean is None else self.lean.get(option, 0)


ANYBODY = RecentlyShown()  # of whom nothing is known


class BallotRequest(NamedTuple):
    """What is asked for: a ballot for a voter, of some of the options, without some of the pairs."""

    number: int  # of the event that the ballot will be
    now: float
    voter: str | None
    options: frozenset[int]
    once: bool = False  # no pair twice
    dealt: bool = False  # what is asked for is dealt all at once, or never
    avoided: frozenset[frozenset[int]] = frozenset()
    item: str | None = None
    shown: frozenset[Pair] | None = None  # left and right, not to be shown so again
    recent_ballots: RecentlyShown = ANYBODY
    waiting: tuple[
        AskedEvent, ...
    ] = ()  # ballots that a person has not answered, also expired ones
    # What the further ballots of a batch are about: an item, and the options that it has.
    later: tuple[tuple[str | None, frozenset[int]], ...] = ()
    source: str | None = None  # who asks for it
    lease: float | None = (
        None  # seconds for which the answer is waited for; None: as the settings say
    )
    cases: CaseDraw | None = None  # where judges vote: what draws the test case of each ballot

    def allows(self, one: int, other: int) -> bool:
        """Tell whether a pair may be asked."""
        pair = frozenset((one, other))
        return len(pair) == 2 and pair <= self.options and pair not in self.avoided

    def minds_of(self, k: int) -> NDArray[np.int8]:
        """Return how much the voter would mind each pair of K options, NEVER where it is not allowed; each pair once."""
        minds = self.recent_ballots.minds_of(k)
        minds[np.tri(k, dtype=bool)] = NEVER
        if len(self.options) < k:
            out = [i for i in range(k) if i not in self.options]
            minds[out] = minds[:, out] = NEVER
        if self.avoided:
            one, other = np.array([sorted(pair) for pair in self.avoided]).T
            minds[one, other] = NEVER
        return minds

    def fine(self, k: int) -> NDArray[np.bool_] | None:
        """Return which of all pairs are allowed and not minded; None if there are too many to look at all."""
        if k > FEW:
            return None
        fine = self.minds_of(k) == FINE
        return fine | fine.T

    @property
    def items(self) -> Iterator[str | None]:
        """What this ballot and all that follow are about."""
        return chain([self.item], (item for item, _ in self.later), repeat(self.item))

    def after(self, left: int, right: int) -> BallotRequest:
        """Return what is asked for next, once there is a ballot of this pair."""
        following = self._replace(number=self.number + 1)
        if self.later:
            (item, options), *rest = self.later
            following = following._replace(item=item, options=options, later=tuple(rest))
        if self.voter is not None:  # else the next one is somebody else's
            following = following._replace(recent_ballots=self.recent_ballots.after(left, right))
        return following.without(left, right) if self.once else following

    def without(self, one: int, other: int) -> BallotRequest:
        """Return the same, but not for this pair."""
        return self._replace(avoided=self.avoided | {frozenset((one, other))})

    def without_orders(self, orders: Collection[Pair]) -> BallotRequest:
        """Return the same, but for no pair with these sides; for none at all that had both."""
        shown = (self.shown or frozenset()) | frozenset(orders)
        both = {frozenset(order) for order in shown if order[::-1] in shown}
        return self._replace(shown=shown, avoided=self.avoided | both)

    def ballot(self, number: int, left: int, right: int, item: str | None) -> AskedEvent:
        """Return the event that hands out a ballot of a pair."""
        body = None if self.lease is None else {"lease": self.lease}
        about = {"voter": self.voter, "left": left, "right": right, "item": item, "body": body}
        return AskedEvent(number, ASKED, self.now, **about, source=self.source)

    def sides(self, left: int, right: int) -> Pair:
        """Return a pair with its sides as they may be shown."""
        return (right, left) if (left, right) in (self.shown or ()) else (left, right)


def active(state: StudyState) -> frozenset[int]:
    """Return the options that are asked."""
    return frozenset(i for i, option in enumerate(state.options) if option.state == ACTIVE)


def add_past(state: StudyState, log: Log, voter: str, request: BallotRequest) -> BallotRequest:
    """Return a request for one of the people, with what that person has met: each pair has one ballot at most."""
    asked, votes = list(log.ballots_of(voter)), list(log.votes_of(voter))
    answers = [vote for vote in votes if vote.number not in state.undone]
    failed = {vote.ballot for vote in answers if vote.outcome == ERROR}  # was not met, after all
    answered = {vote.ballot for vote in answers}
    waiting = [one for one in asked if one.number not in answered and _waits(state, log, one)]
    left_open = {one.number for one in waiting}
    gone = [one for one in asked if one.number not in left_open | failed]
    given = [vote for vote in answers if vote.outcome != ERROR]
    met = frozenset(frozenset(sides_of(one)) for one in (*gone, *given))  # answered, or skipped
    request = request._replace(once=True, dealt=True, avoided=met, waiting=tuple(waiting))
    return request._replace(recent_ballots=recall_ballots(asked))


def waiting_of(state: StudyState, log: Log, voter: str) -> list[AskedEvent]:
    """Return the ballots that a voter has not answered and whose options are still asked, the oldest first."""
    answered = {vote.ballot for vote in log.votes_of(voter) if vote.number not in state.undone}
    return [
        asked
        for asked in log.ballots_of(voter)
        if asked.number not in answered
        and all(state.options[i].state == ACTIVE for i in sides_of(asked))
        and _waits(state, log, asked)
    ]


def opinions_of(log: Log, voter: str, item: str | None) -> frozenset[frozenset[int]]:
    """Return the pairs on which an opinion of a voter, on an item, stands."""
    return frozenset(pair for pair, on in log.pairs_of(voter) if on == item)


def last_of(log: Log, voter: str) -> RecentlyShown:
    """Return what matters to a voter whose every vote is a fresh draw: the ballot before."""
    return RecentlyShown(tuple(sides_of(asked) for asked in log.ballots_of(voter, 1)))


def coin_of(state: StudyState, number: int) -> bool:
    """Return the coin of a ballot."""
    return bool(stream(state.settings.seed, "sides", number).random() < 0.5)


def _waits(state: StudyState, log: Log, asked: AskedEvent) -> bool:
    """Tell whether nobody's answer to a ballot stands."""
    return asked.number in state.ledger.open or all(
        answer.number in state.undone for answer in log.answers(asked.number)
    )


def recall_ballots(asked: Iterable[AskedEvent]) -> RecentlyShown:
    """Return what a voter was shown last, who was asked these, the oldest first."""
    recent_ballots = RecentlyShown(lean={})
    for one in asked:
        recent_ballots = recent_ballots.after(*sides_of(one))
    return recent_ballots


def sides_of(asked: AskedEvent | VoteEvent) -> Pair:
    """Return the pair of a ballot, left first."""
    return asked.left, asked.right


def first_visit(log: Log, voter: str) -> int | None:
    """Return the number of the first event of a voter, None for somebody new."""
    first = [events[0].number for events in (log.ballots_of(voter), log.votes_of(voter)) if events]
    return min(first, default=None)


def same_item(state: StudyState, one: str | None, other: str | None) -> bool:
    """Tell whether two votes of a voter on a pair are on the same: those of one person are."""
    return state.settings.once or one == other
