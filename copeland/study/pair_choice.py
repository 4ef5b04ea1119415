"""Which pair to ask next: the study's algorithm at work, brought to where the log is.

An algorithm whose state is a function of counts takes them in at once, however many votes there are.
Any other is shown the log event by event, every question and every answer with the generator that
belongs to its number, so that it stands where it stood when they happened.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from itertools import takewhile

import numpy as np

from copeland.policy import Policy
from copeland.registry import find
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    ADDED,
    ASKED,
    COUNTED,
    LEFT,
    RIGHT,
    TIE,
    VOTED,
    Event,
    times_of,
)
from copeland.study.log.state import StudyState
from copeland.study.voter_history import FINE, NEVER, BallotRequest, Pair, active, coin_of
from copeland.support.rng import stream

TRIES = 16  # pairs that the algorithm may name until one is allowed
UNTRIED = 500  # votes after which a player is made anew from the counts: that takes less time than more of them
MANY = np.iinfo(np.int64).max  # votes

IsOpen = Callable[[StudyState, float], bool]  # whether no option is proved best, at a time


class Counted:
    """The chooser of an algorithm whose state is a function of the counts."""

    def __init__(self, is_open: IsOpen):
        self._is_open = is_open
        self._player: Player | None = None  # made from the counts when it is needed
        self._untold: list[Event] = []  # votes that the player is told when it is used
        self._untried = 0  # how many these are

    def propose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs, left first, for the events from ``request.number`` on; change nothing."""
        if not self._is_open(state, request.now):
            return []
        player = self._of_all(state)
        player.policy.asked = state.asked
        return player.choose(state, request, n)

    def _of_all(self, state: StudyState) -> Player:
        untold, self._untold, self._untried = self._untold, [], 0
        if self._player is None:
            self._player = Player(state, (state.wins, state.ties))
            self._player.follows = True
        else:
            self._player.tell_all(untold, state)
        return self._player

    def take(self, event: Event, state: StudyState) -> None:
        """Follow an event that the state is about to take."""
        if self._player is not None:
            self._player.note(event)
        if event.kind in (VOTED, COUNTED) and self._player is not None:
            self._untried += times_of(event)
            self._untold.append(event)
        if event.kind == ADDED or self._untried > UNTRIED:
            # After an import, say, one from the counts takes less time.
            self._player, self._untold, self._untried = None, [], 0


class Replayed:
    """The chooser of any other algorithm: the whole log is gone through before the first question."""

    def __init__(self, log: Log, undone: set[int]):
        self._undone = undone
        past = log.replay()
        state = StudyState(next(past))
        self._player = Player(state)
        for event in past:
            self.take(event, state)
            state.take(event)

    def propose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs."""
        return copy.deepcopy(self._player).choose(state, request, n)

    def take(self, event: Event, state: StudyState) -> None:
        """Follow an event."""
        if event.kind == ADDED:
            self._player.policy.grow(state.k + 1)
        elif event.kind in (VOTED, COUNTED):
            if (event.counts or event.number) not in self._undone:
                self._player.tell(event, state)
        elif event.kind == ASKED:
            request = BallotRequest(event.number, event.time, event.voter, active(state))
            self._player.step(state, request)


Chooser = Counted | Replayed  # follows a log, and proposes what to ask


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
        self.follows = False  # whether it is told of every event, by `note`
        self._new: list[int] = []  # ballots that were asked since the scene was set
        self._answered: list[int] = []  # and those that were answered
        self._expires: dict[int, float] = {}  # of the pending ballots, in the same order
        self._last: float | None = None  # when the scene was set; None if it must be set anew
        self._paused: frozenset[int] = frozenset()

    def choose(self, state: StudyState, request: BallotRequest, n: int) -> list[Pair]:
        """Return up to ``n`` pairs, left first, one for each event from ``request.number`` on."""
        self._set_scene(state, request)
        first = request.number
        pairs: list[Pair] = []
        while (
            len(pairs) < n
            and (pair := self._choose(state, request, first if request.dealt or not pairs else 0))
            is not None
        ):
            pair = request.recent_ballots.choose_sides(*pair, coin_of(state, request.number))
            pairs.append(pair)
            self._expect({request.number: pair})
            before, request = request.options, request.after(*pair)
            if request.options != before:
                self._pause(state, request)
        self._forget(
            range(first, request.number)
        )  # whether they are asked will be known from the log
        return pairs

    def step(self, state: StudyState, request: BallotRequest) -> None:
        """Let the policy's time pass by one question; what was asked is in the log."""
        self._set_scene(state, request)
        self.policy.events = request.number - 1
        self.policy.drop(self.policy.ask())

    def tell(self, vote: Event, state: StudyState) -> None:
        """Let the policy know of a vote, if it counts."""
        self.policy.events = vote.number - 1
        for answer in _answers_in(vote, state):
            self.policy.add(*answer)

    def tell_all(self, votes: list[Event], state: StudyState) -> None:
        """Let a policy that goes by counts know of votes, those that count."""
        self.policy.add_all([answer for vote in votes for answer in _answers_in(vote, state)])

    def note(self, event: Event) -> None:
        """Follow an event: what it says of ballots matters when the next one is chosen."""
        if event.kind == ASKED:
            self._new.append(event.number)
        elif event.ballot is not None:
            self._answered.append(event.ballot)

    def _set_scene(self, state: StudyState, request: BallotRequest) -> None:
        """Count on the answers that are under way now, and name only options that may be asked."""
        if not (self.follows and self._follow_scene(state, request.now)):
            self._look_around(state, request)
        self._new, self._answered = [], []
        self._pause(state, request)

    def _follow_scene(self, state: StudyState, now: float) -> bool:
        """Do so by what has changed alone; tell whether that is certain to be all.

        Ballots expire in the order in which they were asked, and leave the state in that order, unless clocks differ.
        """
        if self._last is None or now < self._last or self._overlooked:
            return False
        gone = {ballot for ballot in self._answered if ballot in self._pending}
        expired = takewhile(
            lambda ballot: ballot in gone or self._expires[ballot] <= now, self._pending
        )
        gone.update(list(expired))
        held = [ballot for ballot in self._new if ballot in state.ledger.open]
        fresh = {ballot: state.ledger.open[ballot].expires for ballot in held}
        last = next(reversed(self._expires.values()), now)
        if any(
            not last <= one < now + 2 * state.settings.lease or one <= now for one in fresh.values()
        ) or sorted(fresh.values()) != list(fresh.values()):
            return False
        self._forget(gone)
        self._expect({b: (state.ledger.open[b].left, state.ledger.open[b].right) for b in held})
        self._expires |= fresh
        self._last = now
        return not self._pending or next(iter(self._pending)) in state.ledger.open

    def _look_around(self, state: StudyState, request: BallotRequest) -> None:
        """Do so by looking at every open ballot."""
        under_way = state.ledger.under_way(request.now)
        self._overlooked &= under_way.keys()
        expected = under_way.keys() - self._overlooked
        self._forget(self._pending.keys() - expected)
        self._expect(
            {
                ballot: (under_way[ballot].left, under_way[ballot].right)
                for ballot in sorted(expected - self._pending.keys())
            }
        )
        self._pending = dict(sorted(self._pending.items()))
        self._expires = {ballot: under_way[ballot].expires for ballot in self._pending}
        ends = list(self._expires.values())
        every = list(state.ledger.open)
        over, rest = every[: len(every) - len(under_way)], every[len(every) - len(under_way) :]
        is_plain = ends == sorted(ends) and rest == list(under_way)
        is_plain &= all(state.ledger.open[ballot].expires <= request.now for ballot in over)
        self._last = request.now if is_plain else None

    def _pause(self, state: StudyState, request: BallotRequest) -> None:
        """Let the policy name only options that may be asked."""
        if self.policy.algorithm.pause is not None:  # else what it names is turned down
            paused = frozenset(range(state.k)) - request.options
            for option in paused - self._paused:
                self.policy.pause(option)
            for option in self._paused - paused:
                self.policy.resume(option)
            self._paused = paused

    def _choose(self, state: StudyState, request: BallotRequest, urgent: int) -> Pair | None:
        """Return the next pair; what is urgent waits for no answer under way, to ballots before this number."""
        drawn = self._draw(request)
        while urgent and drawn and _rests(drawn) and self._overlook(urgent):
            drawn = self._draw(request)
        named = [pair for pair in drawn if request.allows(*pair)]
        if named:
            return self._pick_fitting_pair(state, request, named)
        if _rests(drawn) and (self._knows_the_end or not self.policy.finished):
            if urgent:  # then it was not for answers under way that it rests
                self._overlooked.clear()
                self._last = None
            return None
        claimed = [pair for pair in self._claims() if request.allows(*pair)]
        if claimed:
            return self._pick_fitting_pair(state, request, claimed)
        return self._pick_rare_pair(state, request)

    def _pick_fitting_pair(
        self, state: StudyState, request: BallotRequest, named: list[Pair]
    ) -> Pair:
        """Return the first pair that the voter minds least: of those named, of the plan, of all."""
        if request.recent_ballots.minds(*named[0]) > FINE:
            named = named + [pair for pair in self._claims() if request.allows(*pair)]
        best = request.recent_ballots.find_easiest(named)
        if request.recent_ballots.minds(*best) > FINE and request.dealt:
            other = self._pick_rare_pair(state, request)
            if other is not None and request.recent_ballots.minds(
                *other
            ) < request.recent_ballots.minds(*best):
                return other
        return best

    def _claims(self) -> list[Pair]:
        """Return what else the plan is to prove, the riskiest first, if the policy has a plan."""
        claims = self.policy.algorithm.claims
        return [] if claims is None else claims(self.policy.state)

    def _draw(self, request: BallotRequest) -> list[Pair]:
        """Return what the policy names until the voter minds that not at all."""
        self.policy.events = request.number - 1  # its generator is that of the event
        return self.policy.name(TRIES, request.fine(self.policy.k))

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
        self._pending |= ballots
        self.policy.count_on(ballots.values())

    def _forget(self, ballots: Collection[int]) -> None:
        self.policy.count_on([self._pending.pop(ballot) for ballot in ballots], -1)
        for ballot in ballots:
            self._expires.pop(ballot, None)


def _answers_in(vote: Event, state: StudyState) -> list[tuple[int, int, int | None]]:
    """What a vote tells a policy: its pair and the winner, as often as it was said; nothing if it does not count."""
    meaning = state.meaning(vote.outcome) if vote.repeats is None else None
    if meaning is None:
        return []
    assert vote.left is not None and vote.right is not None
    winner = {LEFT: vote.left, RIGHT: vote.right, TIE: None}[meaning]
    return [(vote.left, vote.right, winner)] * times_of(vote)


def _rests(drawn: list[Pair]) -> bool:
    return all(first == second for first, second in drawn)
