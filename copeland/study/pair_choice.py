"""Which pair to ask next: what a ballot must keep to, what a person would rather not be shown, and the study's algorithm at work.

What a ballot must keep to follows from what was asked, never from what was answered: a voter's own answers may not decide
what that voter is asked (docs/notes/certificate-proofs.md, People).

An algorithm whose state is a function of counts takes them in at once, however many votes there are.
Any other is shown the log event by event, every question and every answer with the generator that
belongs to its number, so that it stands where it stood when they happened.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from copeland.policy import Policy
from copeland.registry import find
from copeland.study.case_draw import Draw
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    ADDED,
    ASKED,
    COUNTED,
    LEFT,
    RIGHT,
    TIE,
    VOTED,
    AskedEvent,
    Event,
    proves,
    times_of,
)
from copeland.study.log.state import StudyState
from copeland.support.rng import stream

RUNNING = 3  # ballots in a row that may show the same option

# How much a voter would mind a pair.
FINE = 0
LOPSIDED = 1  # it shows an option on one side twice more than on the other
TIRESOME = 2  # it shows an option once more after RUNNING ballots
AGAIN = 3  # it is the pair of the ballot before
NEVER = 127  # above all of these

FEW = 500  # options, of which all pairs can be looked at for each question
TRIES = 16  # pairs that the algorithm may name until one is allowed
UNTRIED = 500  # votes after which a player is made anew from the counts: that takes less time than more of them
MANY = np.iinfo(np.int64).max  # votes

Pair = tuple[int, int]  # left, right
Levels = NDArray[np.int8]
IsOpen = Callable[[StudyState, float], bool]  # whether no option is proved best, at a time


class RecentlyShown(NamedTuple):
    """What a voter was shown last, and how much more often each option was on the left than on the right.

    ``lean`` is None where sides are drawn anew for every ballot.
    """

    recent: tuple[Pair, ...] = ()  # the latest last
    lean: dict[int, int] | None = None  # by option: times left less times right
    tiring_options: frozenset[int] = frozenset()  # that every one of the last ballots showed

    def minds(self, one: int, other: int) -> int:
        """Return how much the voter would mind a pair, FINE if not at all."""
        if self.recent and {one, other} == set(self.recent[-1]):
            return AGAIN
        if not self.tiring_options.isdisjoint((one, other)):
            return TIRESOME
        lean = self.lean or {}
        return LOPSIDED if lean.get(one, 0) == lean.get(other, 0) != 0 else FINE

    def find_easiest(self, pairs: Iterable[Pair]) -> tuple[Pair, int]:
        """Return the first of the pairs that the voter minds least, and how much that is."""
        best, least = (0, 0), NEVER
        for pair in pairs:
            level = self.minds(*pair)
            if level < least:
                best, least = pair, level
            if level == FINE:
                break
        return best, least

    def minds_of(self, k: int) -> Levels:
        """Return how much the voter would mind each pair of K options."""
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
        tiring, lean = frozenset[int](), self.lean
        if len(recent) == RUNNING:
            tiring = frozenset.intersection(*map(frozenset, recent))
        if lean is not None:
            lean = lean | {left: lean.get(left, 0) + 1, right: lean.get(right, 0) - 1}
        return RecentlyShown(recent, lean, tiring)

    def choose_sides(self, one: int, other: int, coin: bool) -> Pair:
        """Return a pair with its sides: on the left goes who was less often there, or the coin decides."""
        lean = self.lean or {}
        ahead = lean.get(one, 0) - lean.get(other, 0)
        return (other, one) if ahead > 0 or (ahead == 0 and coin) else (one, other)


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
    # Ballots that a person has not answered, also expired ones.
    waiting: tuple[AskedEvent, ...] = ()
    # What the further ballots of a batch are about: an item, and the options that it has.
    later: tuple[tuple[str | None, frozenset[int]], ...] = ()
    source: str | None = None  # who asks for it
    lease: float | None = None  # seconds of its own for which the answer is waited for
    cases: Draw | None = None  # where judges vote: what draws the test case of each ballot
    further: bool = False  # also after the goal is reached

    def allows(self, one: int, other: int) -> bool:
        """Tell whether a pair may be asked."""
        pair = frozenset((one, other))
        return len(pair) == 2 and pair <= self.options and pair not in self.avoided

    def allows_again(self, asked: AskedEvent) -> bool:
        """Tell whether a ballot that was handed out before may be asked, as it was shown then."""
        sides = asked.left, asked.right
        return self.allows(*sides) and sides not in (self.shown or ())

    def minds_of(self, k: int) -> Levels:
        """Return how much the voter would mind each pair of K options, NEVER where it is not allowed; each pair once."""
        minds = self.recent_ballots.minds_of(k)
        minds[np.tri(k, dtype=bool)] = NEVER
        if len(self.options) < k:
            out = list(frozenset(range(k)) - self.options)
            minds[out] = minds[:, out] = NEVER
        if self.avoided:
            one, other = np.array([sorted(pair) for pair in self.avoided]).T
            minds[one, other] = NEVER
        return minds

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

    def sides(self, one: int, other: int, seed: int) -> Pair:
        """Return a pair with the sides of this ballot, by a coin of its own; no pair is shown again as it was."""
        coin = bool(stream(seed, "sides", self.number).random() < 0.5)
        left, right = self.recent_ballots.choose_sides(one, other, coin)
        return (right, left) if (left, right) in (self.shown or ()) else (left, right)

    def ballot(self, n: int, left: int, right: int) -> AskedEvent:
        """Return the event that hands out the nth ballot, the first of which is number 0."""
        item = self.item if n == 0 or n > len(self.later) else self.later[n - 1][0]
        body = None if self.lease is None else {"lease": self.lease}
        about = {"voter": self.voter, "left": left, "right": right, "item": item, "body": body}
        return AskedEvent(self.number + n, ASKED, self.now, **about, source=self.source)


class Counted:
    """The chooser of an algorithm whose state is a function of the counts."""

    def __init__(self, is_open: IsOpen):
        self._is_open = is_open
        self._player: Player | None = None  # made from the counts when it is needed
        self._untold: list[Event] = []  # what the player is told when it is used
        self._untried = 0  # votes in these

    def follow(self, events: Iterable[Event]) -> None:
        """Follow events that the state has taken."""
        if self._player is None:
            return
        for event in events:
            self._untold.append(event)
            self._untried += times_of(event) if event.kind in (VOTED, COUNTED) else 0
            if event.kind == ADDED or self._untried > UNTRIED:
                # After an import, say, one from the counts takes less time.
                self._player, self._untold, self._untried = None, [], 0

    def propose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs, left first, for the events from ``request.number`` on; change nothing."""
        if not (request.further or self._is_open(state, request.now)):
            return []
        if self._player is None:
            self._player = Player(state, (state.wins, state.ties))
        else:
            self._player.catch_up(self._untold, state)
        self._untold, self._untried = [], 0
        self._player.policy.asked = state.asked
        return self._player.choose(state, request, n)


class Replayed:
    """The chooser of any other algorithm: the whole log is gone through before the first question."""

    def __init__(self, log: Log, undone: set[int]):
        self._undone = undone
        past = log.replay()
        self._state = StudyState(next(past))
        self._player = Player(self._state)
        self.follow(past)

    def follow(self, events: Iterable[Event]) -> None:
        """Follow events."""
        for event in events:
            if event.kind == ADDED:
                self._player.policy.grow(self._state.k + 1)
            elif event.kind in (VOTED, COUNTED):
                if (event.counts or event.number) not in self._undone:
                    self._player.tell(event, self._state)
            elif event.kind == ASKED:
                options = self._state.options_asked
                request = BallotRequest(event.number, event.time, event.voter, options)
                self._player.step(self._state, request)
            self._state.take(event)

    def propose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs."""
        return copy.deepcopy(self._player).choose(state, request, n)


def recall_ballots(asked: Iterable[AskedEvent]) -> RecentlyShown:
    """Return what a voter was shown last, who was asked these, the oldest first."""
    recent_ballots = RecentlyShown(lean={})
    for one in asked:
        recent_ballots = recent_ballots.after(one.left, one.right)
    return recent_ballots


class Chooser(Protocol):
    """What follows a log, and proposes what to ask."""

    def follow(self, events: Iterable[Event]) -> None:
        """Follow events that the state has taken."""
        ...

    def propose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs, left first, for the events from ``request.number`` on; change nothing."""
        ...


def chooser_of(state: StudyState, log: Log, is_open: IsOpen) -> Chooser:
    """Return the chooser of a study, up to date; ``is_open`` tells whether no option is proved best."""
    if find(state.settings.spec.name).absorb is not None:
        return Counted(is_open)
    return Replayed(log, state.undone)


class Player:
    """A policy, with what it was told of ballots under way and of options not to ask."""

    def __init__(self, state: StudyState, counts: tuple[np.ndarray, np.ndarray] | None = None):
        settings = state.settings
        params = settings.parameters(state.epoch, [option.name for option in state.options])
        self.policy = Policy(settings.spec.name, state.k, settings.seed, **params)
        if counts is not None and state.votes > 0:
            self.policy.absorb(*counts)
        self._knows_the_end = counts is None  # else the certificate says when to end
        self._pending: dict[int, Pair] = {}  # by ballot
        self._overlooked: set[int] = set()  # ballots under way that the policy no longer counts on
        self._new: list[int] = []  # ballots that were asked since the scene was set
        self._answered: list[int] = []  # and those that were answered
        self._ends: list[tuple[float, int]] = []  # a heap: when leases end, and of which ballots
        self._last: float | None = None  # when the scene was set; None if it must be set anew
        self._paused: frozenset[int] = frozenset()

    def choose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs, left first, one for each event from ``request.number`` on."""
        if not self._follow_scene(state, request.now):
            self._look_around(state, request.now)
        self._pause(request)
        first = request.number
        pairs: list[Pair] = []
        while len(pairs) < n:
            urgent = first if request.dealt or not pairs else 0
            pair = self._choose(state, request, urgent)
            if pair is None:
                break
            pair = request.sides(*pair, state.settings.seed)
            pairs.append(pair)
            self._expect({request.number: pair})
            before, request = request.options, request.after(*pair)
            if request.options != before:
                self._pause(request)
        # Whether they are asked will be known from the log.
        self._forget(range(first, request.number))
        return pairs

    def step(self, state: StudyState, request: BallotRequest) -> None:
        """Let the policy's time pass by one question; what was asked is in the log."""
        self._look_around(state, request.now)
        self._last = None  # for nobody tells it of ballots
        self._pause(request)
        self.policy.events = request.number - 1
        self.policy.drop(self.policy.ask())

    def tell(self, vote: Event, state: StudyState) -> None:
        """Let the policy know of a vote, if it counts."""
        self.policy.events = vote.number - 1
        for answer in _answers_in(vote, state):
            self.policy.add(*answer)

    def catch_up(self, events: Iterable[Event], state: StudyState) -> None:
        """Let a policy that goes by counts know of votes, and note what happened to ballots: it matters when the next is chosen."""
        answers: list[tuple[int, int, int | None]] = []
        for event in events:
            if event.kind == ASKED:
                self._new.append(event.number)
                continue
            if event.ballot is not None:
                self._answered.append(event.ballot)
            answers += _answers_in(event, state)
        self.policy.add_all(answers)

    def _follow_scene(self, state: StudyState, now: float) -> bool:
        """Count on the answers that are under way now, by what has changed alone; tell whether that is certain to be all."""
        asked, gone, fresh = self._new, self._answered, dict[int, Pair]()
        self._new, self._answered = [], []
        if self._last is None or now < self._last or self._overlooked:
            return False
        while self._ends and self._ends[0][0] <= now:
            gone.append(heappop(self._ends)[1])
        for ballot in asked:
            entry = state.ledger.open.get(ballot)
            if entry is not None and entry.expires > now:
                fresh[ballot] = entry.left, entry.right
                heappush(self._ends, (entry.expires, ballot))
                if entry.expires >= now + 2 * entry.lease:  # by a clock that is ahead
                    return False
        self._forget(gone)
        self._expect(fresh)
        self._last = now
        # The oldest leave the ledger first, by the clock of whoever asks.
        return not self._pending or next(iter(self._pending)) in state.ledger.open

    def _look_around(self, state: StudyState, now: float) -> None:
        """Do the same by looking at every open ballot."""
        under_way = state.ledger.under_way(now)
        self._overlooked &= under_way.keys()
        expected = under_way.keys() - self._overlooked
        self._forget(self._pending.keys() - expected)
        new = sorted(expected - self._pending.keys())
        self._expect({ballot: (under_way[ballot].left, under_way[ballot].right) for ballot in new})
        self._pending = dict(sorted(self._pending.items()))
        self._ends = [(under_way[ballot].expires, ballot) for ballot in self._pending]
        heapify(self._ends)
        is_plain = all(
            ballot in under_way or one.expires <= now for ballot, one in state.ledger.open.items()
        )
        self._last = now if is_plain else None

    def _pause(self, request: BallotRequest) -> None:
        """Let the policy name only options that may be asked."""
        if self.policy.algorithm.pause is not None:  # else what it names is turned down
            paused = frozenset(range(self.policy.k)) - request.options
            for option in paused - self._paused:
                self.policy.pause(option)
            for option in self._paused - paused:
                self.policy.resume(option)
            self._paused = paused

    def _choose(self, state: StudyState, request: BallotRequest, urgent: int) -> Pair | None:
        """Return the next pair; what is urgent waits for no answer under way, to ballots before this number."""
        named, rests = self._draw(request)
        while rests and urgent and self._overlook(urgent):
            named, rests = self._draw(request)
        if named:
            return self._pick_fitting_pair(state, request, named)
        # A policy that goes by counts may take for proved what the certificate does not: then others are asked.
        if self._knows_the_end if self.policy.finished else rests:
            if urgent:  # then it was not for answers under way that it rests
                self._overlooked.clear()
                self._last = None
            return None
        claimed = self._claims(request)
        if claimed:
            return self._pick_fitting_pair(state, request, claimed)
        return self._pick_rare_pair(state, request)

    def _draw(self, request: BallotRequest) -> tuple[list[Pair], bool]:
        """Return what the policy names until the voter minds that not at all, as far as it may be asked; and whether it rests."""
        self.policy.events = request.number - 1  # its generator is that of the event
        fine = None
        if self.policy.k <= FEW:
            fine = request.minds_of(self.policy.k) == FINE
            fine |= fine.T
        # Of two options there is one pair, which a judge minds at every second look.
        tries = TRIES if fine is None or fine.any() else 1
        named, drawn = [], self.policy.name(tries, fine)
        rests = bool(drawn)
        for first, second in drawn:
            rests = rests and first == second
            if request.allows(first, second):
                named.append((first, second))
        return named, rests

    def _pick_fitting_pair(
        self, state: StudyState, request: BallotRequest, named: list[Pair]
    ) -> Pair:
        """Return the first pair that the voter minds least: of those named, of the plan, of all."""
        shown = request.recent_ballots
        if shown.minds(*named[0]) == FINE:
            return named[0]
        best, level = shown.find_easiest([*named, *self._claims(request)])
        if level > FINE and request.dealt:
            other = self._pick_rare_pair(state, request)
            if other is not None and shown.minds(*other) < level:
                return other
        return best

    def _claims(self, request: BallotRequest) -> list[Pair]:
        """Return what else the plan is to prove and may be asked, the riskiest first, if the policy has a plan."""
        claims = self.policy.algorithm.claims
        planned = [] if claims is None else claims(self.policy.state)
        return [pair for pair in planned if request.allows(*pair)]

    def _overlook(self, before: int) -> bool:
        """Count no more on the older half of the answers under way, to ballots before a number; tell whether there were any.

        The policy asks for no more answers than it needs, but those under way may never come, and who
        asks now is here now. The latest still count, so that questions spread over pairs.
        """
        if self.policy.algorithm.pend is None:
            return False
        held = sorted(ballot for ballot in self._pending if ballot < before)
        older = held[: (len(held) + 1) // 2]
        self._forget(older)
        self._overlooked.update(older)
        self._last = None
        return bool(older)

    def _pick_rare_pair(self, state: StudyState, request: BallotRequest) -> Pair | None:
        """Return an allowed pair that is minded least and, of these, has the fewest votes so far and under way."""
        load = state.wins + state.wins.T + state.ties
        if self._pending:
            one, other = np.array(list(self._pending.values())).T
            np.add.at(load, (one, other), 1)
            np.add.at(load, (other, one), 1)
        minds = request.minds_of(state.k)
        if minds.min() == NEVER:
            return None
        loads = np.where(minds == minds.min(), load, MANY)
        rng = stream(state.settings.seed, "least", request.number)
        return divmod(int(rng.choice(np.flatnonzero(loads == loads.min()))), state.k)

    def _expect(self, ballots: dict[int, Pair]) -> None:
        """Count on answers to ballots."""
        self._pending |= ballots
        self.policy.count_on(ballots.values())

    def _forget(self, ballots: Iterable[int]) -> None:
        """Count on the answers to ballots no more."""
        pairs = []
        for ballot in ballots:
            if ballot in self._pending:
                pairs.append(self._pending.pop(ballot))
        self.policy.count_on(pairs, -1)


def _answers_in(vote: Event, state: StudyState) -> list[tuple[int, int, int | None]]:
    """What a vote tells a policy: its pair and the winner, as often as it was said; nothing if it does not count."""
    meaning = state.meaning(vote.outcome) if vote.repeats is None and proves(vote) else None
    if meaning is None:
        return []
    assert vote.left is not None and vote.right is not None
    winner = {LEFT: vote.left, RIGHT: vote.right, TIE: None}[meaning]
    return [(vote.left, vote.right, winner)] * times_of(vote)
