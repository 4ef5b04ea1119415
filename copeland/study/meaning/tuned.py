"""What the votes on a space mean: a point to take, which is estimated, and what audits prove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from copeland.study.meaning.verdict import Verdict
from copeland.study.record.books import Books, require_tuning
from copeland.study.record.events import LEFT, RIGHT, Event
from copeland.study.record.points import values_of
from copeland.study.record.tuning import Tuning
from copeland.tuning import Audit, Found, Tuner
from copeland.tuning.progress import Cast
from copeland.words import counted, percent

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


def tuned_of(name: str, books: Books, now: float) -> tuple[Tuner, Callable[[], Tuned]]:
    """Return the tuner of a study, and a function that says where it stands, which takes a while."""
    tuning = require_tuning(books)
    tuner, audits = tuning.trial().tuner, audits_of(tuning)
    votes, under_way, closed = books.votes, len(books.under_way(now)), books.closed
    return tuner, lambda: Tuned(name, votes, under_way, closed, tuner.recommend(), audits)


def cast_of(books: Books, votes: Iterable[Event]) -> list[Cast]:
    """Return the votes of a log that count, as votes between points, in the order in which they came."""
    return [_cast(books, vote) for vote in votes if books.proves(vote)]


def _cast(books: Books, vote: Event) -> Cast:
    points = require_tuning(books).points
    assert vote.left is not None and vote.right is not None
    left, right = points[vote.left], points[vote.right]
    return Cast(left, right, {LEFT: left, RIGHT: right}.get(books.meaning(vote.outcome) or ""))


def audits_of(tuning: Tuning) -> tuple[Audited, ...]:
    """Return what the audits of a study prove, the oldest first."""
    return tuple(
        _audited(one.audit(tuning.space, tuning.points[one.option]), one.votes)
        for one in tuning.audits.all
    )


def _audited(audit: Audit, of: int) -> Audited:
    return Audited(audit.point, audit.votes, of, audit.bound, audit.delta)


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
    yield f"{counted(tuned.votes, 'vote')}, {counted(tuned.open, 'open ballot')}."


def _advice(tuned: Tuned) -> Iterator[str]:
    if tuned.closed:
        return
    going = next((one for one in tuned.audits if one.votes < one.of), None)
    if going is not None:
        yield f"An audit is under way: {counted(going.of - going.votes, 'more vote')} to come."
    elif tuned.votes and tuned.found.regret < SMALL:
        yield "The estimated loss is small: an audit of this point may prove how good it is."
    else:
        yield "More votes make the estimate better."
