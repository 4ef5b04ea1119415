"""What to append to a log: answers, undoings, changes of options, checked against the state and the log.

Every change of a study is a function ``decide(log) -> (events, result)``, or one that returns the events alone. It is called under
the lock of a study's turn, in a transaction that has caught up with the log (``session.py``). It reads the state and the log, and
decides. It changes neither: nothing has happened until its events are stored and the state takes them. It may be called again if
the transaction has to be, so it must come to the same events from the same log. What depends on the kind of study, it asks ``kind``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from copeland.errors import (
    AlreadyVoted,
    Conflict,
    InvalidParameter,
    UnknownBallot,
    UnknownVote,
    nearest,
)
from copeland.study.kinds.kind import Kind, find_answers, require_open
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    ADDED,
    COUNTED,
    NOTHING,
    REOPENED,
    RESUMED,
    RETIRED,
    UNDONE,
    VOTED,
    AskedEvent,
    Event,
    Spent,
    VoteEvent,
    check_text,
    is_question,
    new_event_id,
    proves,
)
from copeland.study.log.sides import marks_of
from copeland.study.log.state import Ballot, StudyState
from copeland.study.options import ACTIVE, Option, check_distinct
from copeland.support.goal import ABOVE
from copeland.support.phrasing import look_of
from copeland.support.vote_tables import outcome_of

_SAYING = ("ballot", "voter", "left", "right", "outcome", "item")  # what a vote says


class Answer(NamedTuple):
    """What is told of a ballot."""

    ballot: int
    sides: tuple[str, str] | None  # left and right, if they are told too
    outcome: str
    event_id: str
    voter: str | None  # None: who was asked
    item: str | None  # None: what the ballot says
    source: str | None
    spent: Spent = NOTHING  # on judges, since the vote before


def make_answer(
    ballot: Ballot | int,
    outcome: str,
    voter: str | None,
    event_id: str | None,
    item: str | None,
    source: str | None,
    spent: Spent = NOTHING,
) -> Answer:
    """Return what is told of a ballot, its texts checked."""
    check_text(voter=voter, event_id=event_id, item=item, source=source)
    number = ballot.id if isinstance(ballot, Ballot) else ballot
    sides = (ballot.left, ballot.right) if isinstance(ballot, Ballot) else None
    about = (voter, item, source, spent)
    return Answer(number, sides, outcome, event_id or new_event_id(), *about)


def answer_to(
    kind: Kind, state: StudyState, log: Log, told: Answer, now: float
) -> tuple[list[Event], VoteEvent]:
    """Return what to append, and the vote that answers a ballot: the same answer is kept once."""
    known = log.vote(told.event_id)
    if known is not None:
        _require_same(kind, state, log, known, told)
        return [], known
    require_open(state)
    asked = _question(state, log, told.ballot)
    kind.check_item(asked, told.item)
    before = find_answers(state, log, asked.number)
    for one in before:
        if one.number not in state.undone:  # whoever asks may not be who gave it, so do not tell it
            raise AlreadyVoted(
                f"ballot {asked.number} was answered before; to change the answer, undo that vote first."
            )
    vote = _make_vote(state, asked, told, now)
    repeats = kind.find_first(state, log, vote)
    body = _describe(kind, state, log, asked, vote, before)
    if told.spent != NOTHING:
        body = (body or {}) | {"spent": list(told.spent)}
    vote = vote._replace(repeats=repeats, body=body)
    kind.check_answer(state, asked, vote)
    return [vote], vote


def _describe(
    kind: Kind,
    state: StudyState,
    log: Log,
    asked: AskedEvent,
    vote: VoteEvent,
    before: list[VoteEvent],
) -> dict[str, Any] | None:
    """What the log says of a vote besides: that it proves nothing, or that it stands in the place of another."""
    if asked.voter is None and vote.voter in kind.find_visitors(log, [vote.voter]):
        return {"proves": False}
    if state.ledger.was_taken_back(asked):
        return None
    in_time = any(map(proves, before))  # and undone since
    if not in_time and state.ledger.is_late(asked, vote.time):
        return {"proves": False}
    return kind.mark_again(state, vote, before)


def _require_same(kind: Kind, state: StudyState, log: Log, kept: VoteEvent, told: Answer) -> None:
    """Refuse an answer that is not the one kept under its ``event_id``; do not say what that one is."""
    asked = _question(state, log, told.ballot)
    kind.check_item(asked, told.item)
    said = _make_vote(state, asked, told, kept.time)
    if any(getattr(said, field) != getattr(kept, field) for field in _SAYING):
        raise conflict_over(told.event_id)


def conflict_over(event_id: str) -> Conflict:
    """Return the error that an id has another vote."""
    return Conflict(
        f"another vote has the event_id '{event_id}', so this one was not kept; "
        "give every vote its own event_id."
    )


def _make_vote(state: StudyState, asked: AskedEvent, told: Answer, now: float) -> VoteEvent:
    """What an answer says, as the next event."""
    left, right = state.options[asked.left].name, state.options[asked.right].name
    if told.sides not in (None, (left, right)):
        raise UnknownBallot(
            f"ballot {told.ballot} is of '{left}' and '{right}' in this study; "
            "the ballot you answered comes from another study."
        )
    return VoteEvent(
        number=state.number + 1,
        kind=VOTED,
        time=now,
        event_id=told.event_id,
        ballot=asked.number,
        voter=asked.voter if told.voter is None else told.voter,
        left=asked.left,
        right=asked.right,
        outcome=outcome_of(told.outcome, left, right, state.indices),
        item=asked.item if told.item is None else told.item,
        source=told.source,
    )


def _question(state: StudyState, log: Log, ballot: int) -> AskedEvent:
    """Return what a ballot asks."""
    is_number = isinstance(ballot, int) and not isinstance(ballot, bool)
    asked = log.event(ballot) if is_number and 0 < ballot <= state.number else None
    if asked is None or not is_question(asked):
        raise UnknownBallot(f"there is no ballot {ballot!r}; ask for one first.")
    return asked


def undo_vote(
    kind: Kind,
    state: StudyState,
    log: Log,
    event_id: str,
    now: float,
    reason: str | None = None,
    own: bool = False,
) -> list[Event]:
    """Return the event that undoes a vote, and the one by which the vote that it kept out counts."""
    vote = log.vote(event_id)
    if vote is None:
        raise UnknownVote(f"there is no vote '{event_id}' in this study.")
    if vote.number in state.undone:
        raise UnknownVote(f"the vote '{event_id}' was undone before.")
    told: dict[str, Any] = {} if reason is None else {"reason": reason}
    # A vote that nobody asked for, or that stands for one that was undone, is not the voter's own to take back.
    if own and vote.ballot is not None and (vote.body or {}).get("again") != UNDONE:
        told["own"] = True
    return _undo_votes(kind, state, log, [vote], now, told)


def withdrawal(kind: Kind, state: StudyState, log: Log, source: str, now: float) -> list[Event]:
    """Return the events that undo every vote of an import that stands."""
    votes = [vote for vote in log.read_import(source) if vote.number not in state.undone]
    if votes:
        return _undo_votes(kind, state, log, votes, now, {"import": source})
    sources = log.sources()
    if source in sources:
        raise UnknownVote(f"all votes imported from '{source}' were undone before.")
    known = nearest(source, sources) if sources else "no import has been made."
    raise UnknownVote(f"no votes were imported from '{source}'; {known}")


def _undo_votes(
    kind: Kind,
    state: StudyState,
    log: Log,
    votes: list[VoteEvent],
    now: float,
    body: dict[str, Any],
) -> list[Event]:
    """The events that undo votes, and those by which the votes that they kept out count."""
    gone = state.undone | {vote.number for vote in votes}
    events, heirs = [], {}
    for vote in votes:
        counted = state.counts(vote)
        heir = _heir(kind, state, log, vote, gone) if counted else None
        if heir is not None:
            heirs[heir.number] = _again(heir, COUNTED, now)._replace(counts=heir.number)
        repeats = None if counted else vote.repeats
        again = _again(vote, UNDONE, now)
        told = {**(again.body or {}), **body} | ({} if proves(vote) else {"proves": False})
        events.append(again._replace(undoes=vote.number, repeats=repeats, body=told or None))
    numbered = enumerate([*events, *heirs.values()], state.number + 1)
    return [event._replace(number=number) for number, event in numbered]


def _again(vote: VoteEvent, kind: str, now: float) -> VoteEvent:
    """An event that says again what a vote said, so that sums are easy."""
    said = vote._replace(kind=kind, time=now, event_id=None, ballot=None, repeats=None)
    of = {} if vote.ballot is None else {"ballot": vote.ballot}
    return said._replace(body={**marks_of(vote), **of} or None)


def _heir(
    kind: Kind, state: StudyState, log: Log, vote: VoteEvent, gone: set[int]
) -> VoteEvent | None:
    """Return the earliest vote that is not gone and that this vote kept out, None if there is none."""
    subject = kind.subject_of(state, vote)
    if subject is None:
        return None
    for other in log.opinions(subject.voter, vote.left, vote.right):
        opinion = state.meaning(other.outcome) is not None
        stands = other.number not in gone and opinion and proves(other)
        if stands and kind.subject_of(state, other) == subject:
            return other
    return None


def addition(kind: Kind, state: StudyState, option: Option, now: float) -> list[Event]:
    """Return the event that adds an option."""
    if option.name in state.indices:
        raise InvalidParameter(
            f"there is an option '{option.name}' already; every option needs its own name."
        )
    for one in state.options:
        if look_of(one.name) == look_of(option.name):
            check_distinct([one.name, option.name])  # which refuses
    kind.check_adding(state)
    return [Event(state.number + 1, ADDED, now, left=state.k, body=option.shown)]


def change_of_state(state: StudyState, name: str, target: str, now: float) -> list[Event]:
    """Return the event that pauses, resumes or retires an option; none if it is so already."""
    i = state.index(name)
    before = state.options[i].state
    if before == (ACTIVE if target == RESUMED else target):
        return []
    if before == RETIRED and target != RESUMED:
        raise InvalidParameter(f"the option '{name}' is retired; resume it first.")
    if target == RETIRED and state.settings.goal == f"{ABOVE}:{name}":
        raise InvalidParameter(
            f"all options are compared with '{name}', so it cannot be retired; pause it, or close the study."
        )
    return [Event(state.number + 1, target, now, left=i)]


def reopening(state: StudyState, reason: str | None, now: float) -> list[Event]:
    """Return the event by which a closed study takes votes again; none if it does."""
    if reason is not None:
        check_text("the reason, as a ", source=reason)
    body = None if reason is None else {"reason": reason}
    return [Event(state.number + 1, REOPENED, now, body=body)] if state.closed else []
