"""What to append to a log: questions, answers, undoings, checked against the ledger and the log.

These functions read and decide. Nothing has happened until their events are stored and the ledger takes
them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from copeland.errors import (
    AlreadyVoted,
    InvalidParameter,
    StudyClosed,
    UnknownBallot,
    UnknownVote,
)
from copeland.policy import find
from copeland.streams import stream
from copeland.study.events import (
    ADDED,
    ASKED,
    RESUMED,
    RETIRED,
    UNDONE,
    VOTED,
    Event,
)
from copeland.study.guide import Guide, Wish, active
from copeland.study.ledger import Ledger
from copeland.study.log import Log
from copeland.study.options import ACTIVE, Option
from copeland.study.votes import Row, outcome_of


class Answer(NamedTuple):
    """What is told of a ballot."""

    ballot: int
    sides: tuple[str, str] | None  # left and right, if they are told too
    outcome: str
    event_id: str
    voter: str | None  # None: who was asked
    item: str | None  # None: what the ballot says
    source: str | None


def require_open(ledger: Ledger) -> None:
    """Refuse to go on with a closed study."""
    if ledger.closed:
        raise StudyClosed("the study is closed; it takes no more votes.")


def require_voter(ledger: Ledger, voter: str | None) -> None:
    """Refuse a vote by nobody where it matters who votes."""
    if voter is None and ledger.settings.voters == "dependent":
        raise InvalidParameter(
            "the voters of this study are dependent, so it must know who votes; name the voter."
        )


def wish_of(
    ledger: Ledger,
    log: Log,
    voter: str | None,
    item: str | None,
    available: Collection[str] | None,
    now: float,
) -> Wish:
    """Return what the next ballot for a voter must keep to."""
    options = active(ledger)
    if available is not None:
        options &= {ledger.index(name) for name in available}
    once = voter is not None and ledger.settings.repeats == "first"
    avoided: set[frozenset[int]] = set()
    if voter is not None and once:
        waiting = [open for open in ledger.open.values() if open.voter == voter]
        answered = [*log.pairs_of(voter), *((frozenset(b[:2]), b.item) for b in waiting)]
        avoided = {pair for pair, on in answered if _same_item(ledger, on, item)}
    return Wish(ledger.number + 1, now, voter, options, once, frozenset(avoided))


def _same_item(ledger: Ledger, one: str | None, other: str | None) -> bool:
    """Tell whether two votes of a voter on a pair are on the same: with dependent voters they are."""
    return ledger.settings.voters == "dependent" or one == other


def ballots(
    ledger: Ledger, log: Log, guide: Guide, wish: Wish, n: int, item: str | None
) -> list[Event]:
    """Return up to ``n`` questions; left and right are shuffled."""
    settings = ledger.settings
    asked = []
    for number, pair in enumerate(guide.propose(log, ledger, wish, n), wish.number):
        swap = stream(settings.seed, "sides", number).random() < 0.5
        left, right = reversed(pair) if swap else pair
        asked.append(
            Event(
                *(number, ASKED, wish.now),
                voter=wish.voter,
                left=left,
                right=right,
                item=item,
            )
        )
    return asked


def answer_to(ledger: Ledger, log: Log, told: Answer, now: float) -> Event:
    """Return the vote that answers a ballot."""
    asked = _unanswered(ledger, log, told.ballot)
    assert asked.left is not None and asked.right is not None
    left, right = ledger.options[asked.left].name, ledger.options[asked.right].name
    if told.sides not in (None, (left, right)):
        raise UnknownBallot(
            f"ballot {told.ballot} is of '{left}' and '{right}' in this study; "
            "the one that is answered comes from another."
        )
    vote = Event(
        *(ledger.number + 1, VOTED, now),
        event_id=told.event_id,
        ballot=asked.number,
        voter=asked.voter if told.voter is None else told.voter,
        left=asked.left,
        right=asked.right,
        outcome=outcome_of(told.outcome, left, right, ledger.indices),
        item=asked.item if told.item is None else told.item,
        source=told.source,
    )
    require_voter(ledger, vote.voter)
    return vote._replace(repeats=_repeated(ledger, log, vote))


def _unanswered(ledger: Ledger, log: Log, ballot: int) -> Event:
    """Return the question of a ballot that is still to be answered."""
    is_number = isinstance(ballot, int) and not isinstance(ballot, bool)
    asked = log.event(ballot) if is_number and 0 < ballot <= ledger.number else None
    if asked is None or asked.kind != ASKED:
        raise UnknownBallot(f"there is no ballot {ballot!r}; ask for one first.")
    for answer in () if ballot in ledger.open else log.answers(ballot):
        if answer.number not in ledger.undone:
            raise AlreadyVoted(
                f"ballot {ballot} was answered before, with '{answer.outcome}'; "
                f"to change that, undo the vote '{answer.event_id}' first."
            )
    return asked


def _repeated(ledger: Ledger, log: Log, vote: Event, known: int | None = None) -> int | None:
    """Return the number of the vote that this one only repeats, None if it counts itself."""
    if ledger.settings.repeats == "count" or vote.voter is None:
        return None
    if ledger.meaning(vote.outcome) is None:
        return None
    if known is not None:
        return known
    assert vote.left is not None and vote.right is not None
    for earlier in log.opinions(vote.voter, vote.left, vote.right):
        counts = ledger.meaning(earlier.outcome) is not None and earlier.number not in ledger.undone
        if counts and _same_item(ledger, earlier.item, vote.item):
            return earlier.number
    return None


def imported(
    ledger: Ledger, log: Log, rows: Iterable[Row], source: str | None, now: float
) -> Iterator[Event]:
    """Yield votes that nobody asked for, but for those whose id is known."""
    rows = list(rows)
    known = log.known([row.event_id for row in rows])
    first: dict[tuple[Any, ...], int] = {}  # votes of this import that later ones repeat
    number = ledger.number
    for row in rows:
        if row.event_id in known:
            continue
        require_voter(ledger, row.voter)
        known.add(row.event_id)
        number += 1
        vote = Event(
            *(number, VOTED, now if row.time is None else row.time),
            event_id=row.event_id,
            voter=row.voter,
            left=row.left,
            right=row.right,
            outcome=row.outcome,
            item=row.item,
            source=source,
        )
        item = None if ledger.settings.voters == "dependent" else row.item
        subject = (row.voter, frozenset((row.left, row.right)), item)
        repeats = _repeated(ledger, log, vote, first.get(subject))
        if repeats is None and ledger.meaning(row.outcome) is not None:
            first[subject] = number
        yield vote._replace(repeats=repeats)


def undoing(ledger: Ledger, log: Log, event_id: str, now: float) -> Event:
    """Return the event that undoes a vote."""
    vote = log.vote(event_id)
    if vote is None:
        raise UnknownVote(f"there is no vote '{event_id}' in this study.")
    if vote.number in ledger.undone:
        raise UnknownVote(f"the vote '{event_id}' was undone before.")
    return vote._replace(
        number=ledger.number + 1,
        kind=UNDONE,
        time=now,
        event_id=None,
        ballot=None,
        undoes=vote.number,
    )


def addition(ledger: Ledger, option: Option, now: float) -> Event:
    """Return the event that adds an option."""
    if option.name in ledger.indices:
        raise InvalidParameter(
            f"there is an option '{option.name}' already; every option needs a name of its own."
        )
    algorithm = find(ledger.settings.spec.name)
    if algorithm.absorb is None and algorithm.grow is None:
        raise InvalidParameter(
            f"{algorithm.name} cannot take in options once it has begun; "
            "create a new study, or use cpc-pac."
        )
    return Event(ledger.number + 1, ADDED, now, left=ledger.k, body=option.shown)


def change_of_state(ledger: Ledger, name: str, kind: str, now: float) -> Event | None:
    """Return the event that pauses, resumes or retires an option, None if it is so already."""
    i = ledger.index(name)
    state = ledger.options[i].state
    if state == (ACTIVE if kind == RESUMED else kind):
        return None
    if state == RETIRED:
        raise InvalidParameter(f"the option '{name}' is retired, and stays so.")
    return Event(ledger.number + 1, kind, now, left=i)
