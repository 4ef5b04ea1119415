"""What a study of a space asks: a point becomes an option when the study first asks about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copeland.errors import InvalidParameter
from copeland.study.conduct.chooser import Wish
from copeland.study.conduct.decisions import Wait
from copeland.study.conduct.manners import coin_of
from copeland.study.record.books import Books, OpenBallot, require_tuning
from copeland.study.record.events import ADDED, ASKED, AUDITED, Event
from copeland.study.record.log import Log
from copeland.study.record.points import point_option
from copeland.study.record.tuning import TRIES, State, Step, ask_step, key_of

MOST = 1_000  # ballots at once
MOST_VOTES = 100_000  # of an audit

Point = Mapping[str, Any]


def tuned_questions(
    books: Books, log: Log, wish: Wish, n: int
) -> tuple[list[Event], list[Event] | Wait]:
    """Return what to append, and what to hand out: new questions, or those that the voter holds."""
    held = {
        ballot: asked
        for ballot, asked in books.under_way(wish.now).items()
        if wish.voter is not None and asked.voter == wish.voter
    }
    room = n if wish.voter is None else min(n, books.settings.open_ballots - len(held))
    asking = _Asking(books, _without(wish, held))
    while len(asking.asked) < min(room, MOST) and asking.ask():
        pass
    asking.remember()
    return asking.new, asking.asked or _again(log, wish, held, n)


def _without(wish: Wish, held: Mapping[int, OpenBallot]) -> Wish:
    """The same wish, but not for what a voter holds who is asked everything once."""
    for ballot in held.values() if wish.once else ():
        wish = wish.without(ballot.left, ballot.right)
    return wish


def _again(log: Log, wish: Wish, held: Mapping[int, OpenBallot], n: int) -> list[Event] | Wait:
    """The questions that a voter holds, or until when there are no others."""
    kept = [asked for asked in map(log.event, held) if asked is not None]
    fitting = [asked for asked in kept if asked.item == wish.item]
    if fitting or not held:
        return fitting[:n]
    return Wait(min(asked.expires for asked in held.values()))


class _Asking:
    """Questions on their way to the log, and the points that become options for them."""

    def __init__(self, books: Books, wish: Wish):
        assert books.tuning is not None
        self.new: list[Event] = []
        self.asked: list[Event] = []
        self._books, self._tuning, self._wish = books, books.tuning, wish
        self._offered: dict[str, int] = {}  # points that are options from now on
        self._names: set[str] = set()  # theirs
        self._places: set[int] = set()  # of the audit, asked now
        self._state: State | None = None
        self._steps: list[Step] = []

    def ask(self) -> bool:
        """Make one more question, from the audit under way or else from the tuner; tell whether there is any."""
        return self._ask_audit() or self._ask_tuner()

    def remember(self) -> None:
        """Let the books know where the tuner went, in case this is stored."""
        if self._state is not None and self._steps:
            self._tuning.foresee(self._steps, self._state)

    def _ask_audit(self) -> bool:
        audit = self._tuning.audits.current
        under_way = self._books.under_way(self._wish.now)
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
        if not self._books.settings.people or self._wish.voter is None:
            return True
        return not (self._wish.manners.recent or self._wish.avoided)

    def _ask_tuner(self) -> bool:
        if self._state is None:
            self._state = self._tuning.trial()
            self._tuning.expire(self._state, self._wish.now)
        for tries in range(1, TRIES + 1):
            duel = self._state.tuner.ask()
            if self._may_ask(duel.first, duel.second):
                ballot = self._hand_out(
                    duel.first, duel.second, {"tries": tries} if tries > 1 else None
                )
                self._tuning.expect(self._state, ballot, self._wish.now, duel)
                self._steps.append(ask_step(ballot, self._wish.now, tries))
                return True
            self._state.tuner.drop(duel)
        return False

    def _may_ask(self, *points: Point) -> bool:
        """Tell whether two points differ, and whether the voter may be asked about them."""
        pair = frozenset(self._index(point) for point in points)
        if None in pair:  # a new point
            return key_of(points[0]) != key_of(points[1])
        return len(pair) == 2 and pair not in self._wish.avoided

    def _index(self, point: Point) -> int | None:
        key = key_of(point)
        return self._tuning.indices.get(key, self._offered.get(key))

    def _hand_out(self, one: Point, other: Point, body: dict[str, Any] | None) -> int:
        """Ask about two points; return the number of the ballot."""
        pair = self._option(one), self._option(other)
        number = self._books.number + len(self.new) + 1
        seated = self._wish.manners.seated(*pair, coin_of(self._books, number))
        left, right = self._wish.sides(*seated)
        self._wish = self._wish.after(left, right)
        asked = Event(number, ASKED, self._wish.now, voter=self._wish.voter, item=self._wish.item)
        asked = asked._replace(left=left, right=right, source=self._wish.source)
        self.asked.append(asked._replace(body=body))
        self.new.append(self.asked[-1])
        return number

    def _option(self, point: Point) -> int:
        """The option of a point, a new one if necessary."""
        found = self._index(point)
        if found is not None:
            return found
        added = addition_of(self._books, point, len(self.new), self._names, self._wish.now)
        self.new.append(added)
        assert added.left is not None
        self._names.add((added.body or {})["name"])
        self._offered[key_of(point)] = added.left
        return added.left


def addition_of(books: Books, point: Point, before: int, names: set[str], now: float) -> Event:
    """Return the event that makes a point an option, after this many other events and their names."""
    option = point_option(point, books.settings.show, books.indices.keys() | names)
    return Event(
        books.number + before + 1, ADDED, now, left=books.k + len(names), body=option.shown
    )


def audit_begun(books: Books, point: Point, votes: int, seed: int, now: float) -> list[Event]:
    """Return the events that begin an audit of a point."""
    tuning = require_tuning(books)
    if isinstance(votes, bool) or not isinstance(votes, int) or not 1 <= votes <= MOST_VOTES:
        raise InvalidParameter(f"votes is {votes!r}; an audit can have 1 to {MOST_VOTES:,} votes.")
    if tuning.audits.current is not None:
        raise InvalidParameter("an audit is under way; wait until it has all its votes.")
    exact = tuning.space.point(tuning.space.place(point))
    index, events = tuning.indices.get(key_of(exact)), []
    if index is None:
        index, events = books.k, [addition_of(books, exact, 0, set(), now)]
    body = {"votes": votes, "delta": tuning.audits.next_delta(), "seed": seed}
    number = books.number + len(events) + 1
    return [*events, Event(number, AUDITED, now, left=index, body=body)]
