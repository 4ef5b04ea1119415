"""The audits of a study of a space: a point meets random opponents, one vote each, in the order of their draw.

Opponents have places in the order of their draw, and several may be out at a time. If a voter skips a place or
does not answer, the study asks about it again. Only the places before the first one without an answer count, so
nobody can choose what counts by an answer or by silence.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from copeland.errors import InvalidParameter
from copeland.study.log.events import LEFT, RIGHT, TIE, AskedEvent, OptionEvent, VoteEvent
from copeland.study.settings import Settings
from copeland.tuning import Audit, Duel, Space, Tuner
from copeland.tuning.spaces import lacks_constraint

Point = Mapping[str, Any]

WON, LOST, TIED = "won", "lost", "tied"


@dataclass
class AuditLog:
    """What happened in one audit."""

    option: int  # whose point it is
    votes: int  # how many there are to be
    delta: float
    seed: int
    ballots: dict[int, int] = field(default_factory=dict)  # places, by ballot
    answers: dict[int, str] = field(default_factory=dict)  # by place
    given: dict[int, int] = field(default_factory=dict)  # places, by the number of the vote

    @property
    def is_done(self) -> bool:
        """Whether every place has its answer."""
        return len(self.answers) >= self.votes

    def next_place(self, under_way: Iterable[int], more: Set[int]) -> int | None:
        """Return the first place that has neither an answer nor a ballot under way; None if there is none."""
        out = {self.ballots[b] for b in under_way if b in self.ballots} | self.answers.keys() | more
        return next((place for place in range(1, self.votes + 1) if place not in out), None)

    def opponent(self, space: Space, point: Point, place: int) -> Point:
        """Return the opponent at a place."""
        return Audit(space, point, self.delta, self.seed).opponent(place)

    def audit(self, space: Space, point: Point) -> Audit:
        """Return the audit as far as every place has its answer."""
        found = Audit(space, point, self.delta, self.seed)
        for place in range(1, self.votes + 1):
            if place not in self.answers:
                break
            duel = found.ask()
            winners = {WON: duel.first, LOST: duel.second, TIED: None}
            found.tell(duel, winners[self.answers[place]])
        return found


class Audits:
    """All audits of a study; the last one may be under way."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self.all: list[AuditLog] = []

    @property
    def current(self) -> AuditLog | None:
        """The audit under way."""
        return self.all[-1] if self.all and not self.all[-1].is_done else None

    def next_delta(self) -> float:
        """Return the error probability of the next audit. Those of all audits add up to delta at most."""
        n = len(self.all) + 1
        return self._settings.delta / (n * (n + 1))

    def begin(self, event: OptionEvent) -> None:
        """Take in the beginning of an audit."""
        told = event.body or {}
        self.all.append(AuditLog(event.left, told["votes"], told["delta"], told["seed"]))

    def take_vote(self, vote: VoteEvent, meaning: str, times: int) -> None:
        """Take in a vote, or take it back, if it answers a place of an audit."""
        for one in self.all:
            place = one.ballots.get(vote.ballot or 0)  # no ballot has the number 0
            if times > 0 and place is not None and place not in one.answers:  # the first is kept
                won = (vote.left if meaning == LEFT else vote.right) == one.option
                one.answers[place] = TIED if meaning == TIE else WON if won else LOST
                one.given[vote.number] = place
            elif times < 0 and vote.vote in one.given:
                del one.answers[one.given.pop(vote.vote)]


TRIES = 16  # questions that the tuner may name until one is allowed
_ASK, _VOTE, _DROP = "ask", "vote", "drop"

Step = list[Any]  # what happened, as JSON keeps it


class TunerState(NamedTuple):
    """A tuner, and its open duels: number and expiry by ballot."""

    tuner: Tuner
    duels: dict[int, tuple[int, float]]


class Tuning:
    """The points of a study, the tuner that asks about them, and the audits."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.points: list[Point] = []  # of the options
        self.indices: dict[str, int] = {}  # of the options, by key_of their points
        self.audits = Audits(settings)
        self._space: Space | None = None
        self._kept: tuple[bytes, dict[int, tuple[int, float]]] | None = None  # the last snapshot
        self._steps: list[Step] = []  # since then
        self._state: TunerState | None = None  # after some of the steps
        self._at = 0  # how many
        self._ahead: tuple[list[Step], TunerState] | None = None  # what may happen next, worked out

    # The space

    @property
    def space(self) -> Space:
        """The space; one whose constraint is a function must have been given."""
        if self._space is None:
            if lacks_constraint(self.settings.space):
                raise InvalidParameter(
                    "the space of this study has a constraint, which is a function, so it is not in the log; "
                    "open the study in Python, with open_study(..., space=space)."
                )
            self._space = Space.from_json(self.settings.space)
        return self._space

    def give(self, space: Space) -> None:
        """Take the space with its constraint; refuse a space other than that of the log."""
        if not isinstance(space, Space) or space.to_json() != self.settings.space:
            raise InvalidParameter(
                "this study was made for a different space; a study keeps its space for life."
            )
        self._space = space

    # The fold

    def add(self, point: Point | None) -> None:
        """Take in the point of a new option."""
        if point is None:
            raise ValueError("an option of a space is a point")
        self.indices.setdefault(key_of(point), len(self.points))
        self.points.append(point)

    def take_question(self, event: AskedEvent) -> None:
        """Take in a question."""
        told = event.body or {}
        if "audit" in told:
            self.audits.all[-1].ballots[event.number] = told["audit"]
        else:
            self._steps.append(ask_step(event.number, event.time, told.get("tries", 1)))

    def take_vote(self, vote: VoteEvent, meaning: str, times: int) -> None:
        """Take in a vote that counts, or take it back."""
        self.audits.take_vote(vote, meaning, times)
        self._steps.append([_VOTE, vote.ballot, vote.left, vote.right, meaning, times])

    def drop_ballot(self, ballot: int | None) -> None:
        """Note that a ballot has an answer that is not a vote."""
        if ballot is not None:
            self._steps.append([_DROP, ballot])

    # The tuner

    def state(self) -> TunerState:
        """Return the tuner after everything that happened."""
        state, at = self._state, self._at
        if state is None:
            state, at = self._load_state(), 0
        self._state = None  # if this is interrupted, it is made anew
        ahead, self._ahead = self._ahead, None
        if ahead is not None and self._steps[at : at + len(ahead[0])] == ahead[0]:
            state, at = ahead[1], at + len(ahead[0])
        for step in self._steps[at:]:
            self._take(state, step)
        self._state, self._at = state, len(self._steps)
        return state

    @property
    def is_at_work(self) -> bool:
        """Whether the tuner is known here; else nobody asks here, and those who ask keep snapshots."""
        return self._state is not None

    def trial(self) -> TunerState:
        """Return a copy of it, to try what would be asked next."""
        return copy.deepcopy(self.state())

    def foresee(self, steps: list[Step], state: TunerState) -> None:
        """Remember where some steps lead, so that they need not be taken twice."""
        self._ahead = steps, state

    def _load_state(self) -> TunerState:
        if self._kept is None:
            return TunerState(Tuner(self.space, self.settings.seed), {})
        return TunerState(Tuner.load(self._kept[0], self.space), dict(self._kept[1]))

    def _take(self, state: TunerState, step: Step) -> None:
        kind, *told = step
        if kind == _ASK:
            self._ask(state, *told)
        elif kind == _VOTE:
            self._vote(state, *told)
        else:
            _forget(state, *told)

    def _ask(self, state: TunerState, ballot: int, time: float, tries: int) -> None:
        """Let the tuner name a question; ``tries`` says how many it names until one is taken."""
        self.expire(state, time)
        for _ in range(min(tries, TRIES) - 1):
            state.tuner.drop(state.tuner.ask())
        self.expect(state, ballot, time, state.tuner.ask())

    def expire(self, state: TunerState, time: float) -> None:
        """Let the tuner stop waiting for answers to ballots that are not under way."""
        for late, (_, expires) in list(state.duels.items()):
            if not 0 < expires - time < 2 * self.settings.lease:
                _forget(state, late)

    def expect(self, state: TunerState, ballot: int, time: float, duel: Duel) -> None:
        """Let the tuner wait for the answer to a ballot."""
        state.duels[ballot] = duel.id, time + self.settings.lease

    def _vote(
        self, state: TunerState, ballot: int | None, left: int, right: int, meaning: str, times: int
    ) -> None:
        _forget(state, ballot)
        points = self.points[left], self.points[right]
        winner = {LEFT: points[0], RIGHT: points[1], TIE: None}[meaning]
        # The points of the log, whatever this version of the tuner would have asked.
        (state.tuner.add if times > 0 else state.tuner.withdraw)(*points, winner)

    # Snapshots

    def dump(self) -> dict[str, Any]:
        """Return what to keep in a snapshot; start again from there."""
        if self.is_at_work:
            state = self.state()
            self._kept = state.tuner.dump(), dict(state.duels)
            self._steps, self._at = [], 0
        audits = [vars(one) for one in self.audits.all]
        return {"points": self.points, "kept": self._kept, "steps": self._steps, "audits": audits}

    def restore(self, told: Mapping[str, Any]) -> None:
        """Take over what was dumped."""
        for point in told["points"]:
            self.add(point)
        self._kept, self._steps = told["kept"], told["steps"]
        self.audits.all = [AuditLog(**one) for one in told["audits"]]
        if self._kept and not lacks_constraint(self.settings.space):
            self._state = self._load_state()  # a tuner that cannot be read shows now


def key_of(point: Point) -> str:
    """Return a text that identifies this point."""
    return json.dumps(point, sort_keys=True)


def ask_step(ballot: int, time: float, tries: int) -> Step:
    """Return the step of a question."""
    return [_ASK, ballot, time, tries]


def _forget(state: TunerState, ballot: int | None) -> None:
    """Stop waiting for the answer to a ballot."""
    found = state.duels.pop(ballot, None) if ballot is not None else None
    if found is not None:
        state.tuner.drop(state.tuner.duel(found[0]))
