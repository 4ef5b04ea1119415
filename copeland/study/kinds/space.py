"""A space whose points are the options: a point becomes one when the study first asks about it. Only audits prove anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, NoReturn

from copeland.errors import InvalidParameter
from copeland.study.input_limits import json_of
from copeland.study.kinds.base import (
    ADDING,
    CHANGING,
    CHOOSING,
    ENDLESS,
    RESTARTING,
    Kind,
    MakeChooser,
    Questions,
    find_open_ballots,
    repeat_questions,
)
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    ADDED,
    ASKED,
    AUDITED,
    LEFT,
    RIGHT,
    AskedEvent,
    Event,
    OptionEvent,
    VoteEvent,
)
from copeland.study.log.space_state import (
    TRIES,
    AuditLog,
    Step,
    TunerState,
    Tuning,
    ask_step,
    key_of,
)
from copeland.study.log.state import StudyState, require_tuning
from copeland.study.log.state_parts import Edit
from copeland.study.options import point_option, values_of
from copeland.study.results.edit_notes import describe_edits
from copeland.study.results.standing import Standing
from copeland.study.results.verdict import Verdict
from copeland.study.voter_history import BallotRequest, coin_of, sides_of
from copeland.support.phrasing import format_count, percent
from copeland.tuning import Found, Space, Tuner
from copeland.tuning.spaces import lacks_constraint
from copeland.tuning.tuner import Cast

TUNED_EVERY = 20  # events between snapshots
MOST = 1_000  # ballots at once
MOST_VOTES = 100_000  # of an audit

FIXED = "the options of this study are points of its space, made as they are asked; they cannot be added, paused or retired."

Point = Mapping[str, Any]


class SpaceOfPoints(Kind):
    """A study in which a tuner chooses the points to compare."""

    refused: ClassVar = {
        ADDING: FIXED,
        CHANGING: FIXED,
        RESTARTING: "a study of a space cannot start again, because its tuner learns from all votes; create a new study instead.",
        CHOOSING: "the options of this study are points that it makes itself, so all are available.",
    }
    only_counts = False

    def check_start(self, state: StudyState) -> None:
        """Return: there are no options yet."""

    def give_space(self, state: StudyState, space: Space) -> None:
        """Let the state know a space with its constraint, which is not in the log."""
        require_tuning(state).give(space)

    def snapshot_every(self, state: StudyState, usual: int) -> int | None:
        """Return a smaller number, as it takes some time to go through each event again; None while nobody needed the tuner."""
        return TUNED_EVERY if require_tuning(state).is_at_work else None

    def propose(
        self, state: StudyState, log: Log, make: MakeChooser, request: BallotRequest, n: int
    ) -> Questions:
        """Return what to append, the points that become options included, and what to hand out."""
        held = find_open_ballots(state, request)
        room = n if request.voter is None else min(n, state.settings.open_ballots - len(held))
        for ballot in held.values() if request.once else ():
            request = request.without(ballot.left, ballot.right)
        asking = _Asking(state, request)
        while len(asking.asked) < min(room, MOST) and asking.ask():
            pass
        asking.remember()
        if asking.asked:
            return asking.new, asking.asked
        kept = [one for one in log.questions(held) if one.item == request.item]
        return asking.new, repeat_questions(kept, held, n)

    def count_options(self, state: StudyState) -> int:
        """Return more than anybody can be asked: a space always has other points."""
        return ENDLESS

    def is_dealt(self, state: StudyState, asked: AskedEvent) -> bool:
        """Tell whether a ballot is one of an audit by people."""
        return state.settings.people and "audit" in (asked.body or {})

    def certificate(self, state: StudyState, active: bool = False) -> NoReturn:
        """Refuse: only audits prove anything."""
        raise InvalidParameter(
            "the options of this study are points of a space, without end; what is proved of them, "
            "audits say: see its verdict."
        )

    def certificate_to_file(
        self, state: StudyState, space: Space | None, active: bool
    ) -> AuditCertificate:
        """Return what audits prove."""
        assert space is not None
        if active:
            raise InvalidParameter("active options are for studies of options; audits have none.")
        return audit_certificate(state, space)

    def is_open(self, state: StudyState) -> bool:
        """Return True: a space always has something to ask."""
        return True

    def require_options(self, instead: str) -> None:
        """Refuse what has no meaning here."""
        raise InvalidParameter(
            f"the options of this study are points of a space, and there is no end of them; {instead}."
        )

    def claim(self, look: Callable[[], Standing]) -> str:
        """Return what the options are: an estimate would take a while."""
        return ", points of a space"

    def verdict(self, look: Callable[[], Standing], tuned: Callable[[], Any]) -> Verdict:
        """Return what audits prove, and what the tuner estimates."""
        return tuned_verdict(tuned())


class _Asking:
    """Questions on their way to the log, and the points that become options for them."""

    def __init__(self, state: StudyState, request: BallotRequest):
        assert state.tuning is not None
        self.new: list[Event] = []
        self.asked: list[AskedEvent] = []
        self._state, self._tuning, self._request = state, state.tuning, request
        self._offered: dict[str, int] = {}  # points that are options from now on
        self._names: set[str] = set()  # theirs
        self._places: set[int] = set()  # of the audit, asked now
        self._tuner: TunerState | None = None
        self._steps: list[Step] = []

    def ask(self) -> bool:
        """Make one more question, from the audit under way or else from the tuner; tell whether there is any."""
        return self._ask_audit() or self._ask_tuner()

    def remember(self) -> None:
        """Let the state know where the tuner went, in case this is stored."""
        if self._tuner is not None and self._steps:
            self._tuning.foresee(self._steps, self._tuner)

    def _ask_audit(self) -> bool:
        audit = self._tuning.audits.current
        under_way = self._state.under_way(self._request.now)
        place = None if audit is None else audit.next_place(under_way, self._places)
        if audit is None or place is None or not self._may_audit():
            return False
        point = self._tuning.points[audit.option]
        other = audit.opponent(self._tuning.space, point, place)
        if not self._may_ask(point, other):  # this voter knows the pair: others are asked
            return False
        self._places.add(place)
        self._hand_out(point, other, {"audit": place})
        return True

    def _may_audit(self) -> bool:
        """Tell whether the voter may answer for an audit: a person does so once, and before anything else."""
        if not self._state.settings.people or self._request.voter is None:
            return True
        return not (self._request.recent_ballots.recent or self._request.avoided)

    def _ask_tuner(self) -> bool:
        if self._tuner is None:
            self._tuner = self._tuning.trial()
            self._tuning.expire(self._tuner, self._request.now)
        for tries in range(1, TRIES + 1):
            duel = self._tuner.tuner.ask()
            if self._may_ask(duel.first, duel.second):
                ballot = self._hand_out(
                    duel.first, duel.second, {"tries": tries} if tries > 1 else None
                )
                self._tuning.expect(self._tuner, ballot, self._request.now, duel)
                self._steps.append(ask_step(ballot, self._request.now, tries))
                return True
            self._tuner.tuner.drop(duel)
        return False

    def _may_ask(self, *points: Point) -> bool:
        """Tell whether two points differ, and whether the voter may be asked about them."""
        pair = frozenset(self._index(point) for point in points)
        if None in pair:  # a new point
            return key_of(points[0]) != key_of(points[1])
        return len(pair) == 2 and pair not in self._request.avoided

    def _index(self, point: Point) -> int | None:
        key = key_of(point)
        return self._tuning.indices.get(key, self._offered.get(key))

    def _hand_out(self, one: Point, other: Point, body: dict[str, Any] | None) -> int:
        """Ask about two points; return the number of the ballot."""
        pair = self._option(one), self._option(other)
        number = self._state.number + len(self.new) + 1
        seated = self._request.recent_ballots.choose_sides(*pair, coin_of(self._state, number))
        left, right = self._request.sides(*seated)
        self._request = self._request.after(left, right)
        asked = AskedEvent(
            *(number, ASKED, self._request.now),
            voter=self._request.voter,
            left=left,
            right=right,
            item=self._request.item,
            source=self._request.source,
            body=body,
        )
        self.asked.append(asked)
        self.new.append(self.asked[-1])
        return number

    def _option(self, point: Point) -> int:
        """The option of a point, a new one if necessary."""
        found = self._index(point)
        if found is not None:
            return found
        added = addition_of(self._state, point, len(self.new), self._names, self._request.now)
        self.new.append(added)
        self._names.add((added.body or {})["name"])
        self._offered[key_of(point)] = added.left
        return added.left


def addition_of(
    state: StudyState, point: Point, before: int, names: set[str], now: float
) -> OptionEvent:
    """Return the event that makes a point an option, after this many other events and their names."""
    option = point_option(point, state.settings.show, state.indices.keys() | names)
    return OptionEvent(
        state.number + before + 1, ADDED, now, left=state.k + len(names), body=option.shown
    )


def audit_begun(state: StudyState, point: Point, votes: int, seed: int, now: float) -> list[Event]:
    """Return the events that begin an audit of a point."""
    tuning = require_tuning(state)
    if isinstance(votes, bool) or not isinstance(votes, int) or not 1 <= votes <= MOST_VOTES:
        raise InvalidParameter(f"votes is {votes!r}; an audit can have 1 to {MOST_VOTES:,} votes.")
    if tuning.audits.current is not None:
        raise InvalidParameter("an audit is under way; wait until it has all its votes.")
    exact = tuning.space.point(tuning.space.place(point))
    index, events = tuning.indices.get(key_of(exact)), []
    if index is None:
        index, events = state.k, [addition_of(state, exact, 0, set(), now)]
    body = {"votes": votes, "delta": tuning.audits.next_delta(), "seed": seed}
    number = state.number + len(events) + 1
    return [*events, Event(number, AUDITED, now, left=index, body=body)]


SMALL = 0.01  # an estimated regret at which an audit is worth its votes
ASSUMED = (
    "Every vote of an audit is a fresh draw: each time a new voter of the group that the result is about, or the one "
    "judge that it is about.",
    "Votes do not change over time, and nobody chooses votes by their outcome.",
)


@dataclass(frozen=True)
class Audited:
    """An audit of a study: which point, what it proves so far, and how many votes it will have."""

    point: Mapping[str, Any]
    votes: int  # counted
    of: int
    bound: float  # the share of the space that the point beats at least
    delta: float

    @property
    def statement(self) -> str:
        """What is proved, in a sentence."""
        name, more = values_of(self.point), "" if self.votes >= self.of else f" of {self.of:,}"
        after = f"After {self.votes:,}{more} votes of its audit"
        if self.bound <= 0:
            return f"{after}, nothing is proved of {name}."
        return (
            f"{after}, {name} is proved to beat at least {percent(self.bound)} of the space "
            f"(error probability {self.delta:.2g})."
        )


@dataclass(frozen=True)
class Tuned:
    """Where a study of a space stands: ``found`` is estimated, and only ``audits`` prove."""

    name: str
    votes: int
    open: int  # ballots whose lease has not run out
    closed: bool
    found: Found
    audits: tuple[Audited, ...]
    edits: tuple[Edit, ...] = ()  # texts that were changed after votes

    @property
    def is_proved(self) -> bool:
        """Whether an audit proves anything."""
        return any(one.bound > 0 for one in self.audits)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, with its sentences."""
        verdict = tuned_verdict(self)
        return {
            "study": self.name,
            "votes": self.votes,
            "open": self.open,
            "closed": self.closed,
            "estimated": asdict(self.found),
            "audits": [asdict(one) | {"statement": one.statement} for one in self.audits],
            "verdict": verdict.to_dict(),
        }


def tuned_of(name: str, state: StudyState, now: float) -> tuple[Tuner, Callable[[], Tuned]]:
    """Return the tuner of a study, and a function that says where it stands, which takes a while."""
    tuning = require_tuning(state)
    tuner, audits = tuning.trial().tuner, audits_of(tuning)
    votes, under_way, closed = state.votes, len(state.under_way(now)), state.closed
    edits = tuple(state.edits)
    return tuner, lambda: Tuned(name, votes, under_way, closed, tuner.recommend(), audits, edits)


def cast_of(state: StudyState, votes: Iterable[VoteEvent]) -> list[Cast]:
    """Return the votes of a log that count, as votes between points, in the order in which they came."""
    points, casts = require_tuning(state).points, []
    for vote in filter(state.counts, votes):
        left, right = (points[i] for i in sides_of(vote))
        winner = {LEFT: left, RIGHT: right}.get(state.meaning(vote.outcome) or "")
        casts.append(Cast(left, right, winner))
    return casts


def audits_of(tuning: Tuning) -> tuple[Audited, ...]:
    """Return what the audits of a study prove, the oldest first."""
    done = ((one, one.audit(tuning.space, tuning.points[one.option])) for one in tuning.audits.all)
    return tuple(
        Audited(audit.point, audit.votes, one.votes, audit.bound, audit.delta)
        for one, audit in done
    )


def tuned_verdict(tuned: Tuned) -> Verdict:
    """Return the verdict on a study of a space."""
    return Verdict(
        kind="open",
        claim=claim_of(tuned),
        proved=tuple(one.statement for one in tuned.audits) or ("Nothing is proved yet.",),
        shown=tuple(_estimates(tuned)),
        advice=tuple(_advice(tuned)),
        assumptions=ASSUMED,
        chances=None,
    )


def claim_of(tuned: Tuned) -> str:
    """Return the point to take, in a sentence."""
    if not tuned.votes:
        return "There are no votes yet."
    return f"Estimated best so far: {values_of(tuned.found.point)}."


def _estimates(tuned: Tuned) -> Iterator[str]:
    if tuned.votes:
        yield (
            f"Estimated, not proved: it beats {percent(tuned.found.score)} of all points, and some other point "
            f"beats {100 * tuned.found.regret:.1f} percentage points more."
        )
    yield f"{format_count(tuned.votes, 'vote')}, {format_count(tuned.open, 'open ballot')}."
    yield from describe_edits(tuned.edits, ())  # the texts of points never change


def _advice(tuned: Tuned) -> Iterator[str]:
    if tuned.closed:
        return
    going = next((one for one in tuned.audits if one.votes < one.of), None)
    if going is not None:
        yield f"An audit is under way: {format_count(going.of - going.votes, 'more vote')} to come."
    elif tuned.votes and tuned.found.regret < SMALL:
        yield "The estimated loss is small: an audit of this point may prove how good it is."
    else:
        yield "More votes make the estimate better."


FORMAT = 1
_NEAR = 1e-9  # bounds that differ by less are the same on another machine
_KINDS = {"point": dict, "votes": int, "of": int, "bound": (int, float), "delta": (int, float)}


@dataclass(frozen=True)
class AuditCertificate:
    """What audits prove of points of a space; made by :func:`audit_certificate`."""

    space: str  # as text
    audits: tuple[Audited, ...]

    @property
    def decided(self) -> bool:
        """Whether an audit proves something."""
        return self.verdict != "open"

    @property
    def verdict(self) -> Literal["proved", "open"]:
        """Whether any audit proves anything."""
        return "proved" if any(one.bound > 0 for one in self.audits) else "open"

    @property
    def statement(self) -> str:
        """What is proved, in sentences."""
        return " ".join(one.statement for one in self.audits) or "Nothing is proved yet."

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must hold so that the error probabilities do."""
        return ASSUMED

    @property
    def lacks_constraint(self) -> bool:
        """Whether the constraint of the space is a function, without which nobody can draw its points."""
        return lacks_constraint(self.space)

    def to_dict(self) -> dict[str, Any]:
        """Return what a file says of it, as plain values."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, text: str) -> AuditCertificate:
        """Return the certificate that a file holds."""
        content = json_of(text)
        if content.get("format") != FORMAT or "envelope" not in content:
            raise InvalidParameter("this text is no certificate of audits that this version reads.")
        space, audits = content.get("space"), content["audits"]
        if not isinstance(audits, list) or not all(map(_is_audit, audits)):
            raise InvalidParameter("this text does not say what was audited.")
        if not isinstance(space, str):
            raise InvalidParameter("this text does not say of which space it is.")
        Space.parameters_in(space)  # which refuses what is none
        return cls(space, tuple(Audited(**one) for one in audits))


def _is_audit(told: Any) -> bool:
    if not isinstance(told, dict) or told.keys() != _KINDS.keys():
        return False
    fits = all(isinstance(told[name], kind) for name, kind in _KINDS.items())
    shares = fits and all(0 <= told[name] <= 1 for name in ("bound", "delta"))
    return shares and not any(isinstance(value, bool) for value in told.values())


def audit_certificate(state: StudyState, space: Space) -> AuditCertificate:
    """Return what the audits of a study prove; ``space`` has the constraint, which the state does not."""
    tuning = require_tuning(state)
    tuning.give(space)
    return AuditCertificate(state.settings.space, audits_of(tuning))


def audit_objections(
    said: AuditCertificate, state: StudyState, space: Space, past: Sequence[Event]
) -> Iterator[str]:
    """Make a certificate again from the state after past events; yield what does not hold, in sentences."""
    if said.space != state.settings.space:
        yield "it is about another space than the study."
        return
    found, tuning = audit_certificate(state, space), require_tuning(state)
    if len(said.audits) != len(found.audits):
        yield f"it is about {len(said.audits)} audits, but the study had {len(found.audits)} then."
    for nth, (one, other) in enumerate(zip(said.audits, found.audits, strict=False), 1):
        yield from (f"audit {nth}: {words}" for words in _differences(one, other))
    for nth, log in enumerate(tuning.audits.all, 1):
        yield from (f"audit {nth}: {words}" for words in _misdrawn(tuning, nth, log, past))


def _differences(said: Audited, found: Audited) -> Iterator[str]:
    """What a certificate says of an audit, and the votes do not."""
    for name in ("point", "votes", "of", "delta"):
        one, other = getattr(said, name), getattr(found, name)
        if one != other:
            yield f"it says that {name} is {one!r}, but in the study it is {other!r}."
    if not abs(said.bound - found.bound) <= _NEAR:
        yield f"it says that the share is at least {said.bound:.6g}, but the votes prove {found.bound:.6g}."


def _misdrawn(tuning: Tuning, nth: int, log: AuditLog, past: Sequence[Event]) -> Iterator[str]:
    """What a proof takes for granted of a log: its share of delta, and opponents by the draw."""
    share = tuning.settings.delta / (nth * (nth + 1))
    if log.delta != share:
        yield f"its error probability is {log.delta:.6g}, but its share is {share:.6g}."
    point = tuning.points[log.option]
    for ballot, place in log.ballots.items():
        asked = past[ballot - 1]
        met = [side for side in (asked.left, asked.right) if side != log.option]
        drawn = key_of(log.opponent(tuning.space, point, place))
        if [key_of(tuning.points[side or 0]) for side in met] != [drawn]:
            yield f"ballot {ballot} is not about the opponent that was drawn."
