"""The audits of a study of a space: a point meets random opponents, one vote each, in the order of their draw.

Opponents have places in the order of their draw, and several may be out at a time. If a voter skips a place or
does not answer, the study asks about it again. Only the places before the first one without an answer count, so
nobody can choose what counts by an answer or by silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass, field
from typing import Any

from copeland.study.record.events import LEFT, TIE, Event
from copeland.study.record.settings import Settings
from copeland.tuning import Audit, Space

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

    def begun(self, event: Event) -> None:
        """Take in the beginning of an audit."""
        told = event.body or {}
        assert event.left is not None
        self.all.append(AuditLog(event.left, told["votes"], told["delta"], told["seed"]))

    def asked(self, ballot: int, place: int) -> None:
        """Take in a question of the audit under way."""
        self.all[-1].ballots[ballot] = place

    def counted(self, vote: Event, meaning: str, times: int) -> None:
        """Take in a vote, or take it back, if it answers a place of an audit."""
        for one in self.all:
            if times > 0 and vote.ballot in one.ballots:
                _answered(one, vote, meaning)
            elif times < 0 and vote.undoes in one.given:
                del one.answers[one.given.pop(vote.undoes)]

    def to_list(self) -> list[dict[str, Any]]:
        """Return all as plain values."""
        return [asdict(one) for one in self.all]

    def restore(self, told: list[dict[str, Any]]) -> None:
        """Take over what :meth:`to_list` gave, after a trip through JSON."""
        self.all = [AuditLog(**one) for one in told]
        for one in self.all:
            for name in ("ballots", "answers", "given"):
                setattr(one, name, {int(key): value for key, value in getattr(one, name).items()})


def _answered(one: AuditLog, vote: Event, meaning: str) -> None:
    """Keep the first answer to a place."""
    assert vote.ballot is not None
    place = one.ballots[vote.ballot]
    if place not in one.answers:
        won = (vote.left if meaning == LEFT else vote.right) == one.option
        one.answers[place] = TIED if meaning == TIE else WON if won else LOST
        one.given[vote.number] = place
