"""The state of one study, kept up with its log: every look and every change is a transaction.

A process has one turn for each study, a lock. :meth:`Transactions.change`, ``append``, ``read`` and ``look_at_state`` take it. What
is handed to the first three runs under the lock with a log that has been caught up with. It may look at the state and, in a change,
call ``propose`` and ``advance``. It calls none of the four itself, and does not keep the log, which ends with the transaction.
Whoever looks at the state without the turn may see it half way through an event.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from copeland.errors import StorageError
from copeland.study.any_study import AnyStudy
from copeland.study.kinds import kind_of
from copeland.study.kinds.kind import Kind, Questions, require_open
from copeland.study.log.event_log import Log, Recall
from copeland.study.log.events import UNDONE, Event
from copeland.study.log.state import StudyState, dump_state, fold_log, load_state
from copeland.study.log.storage import TROUBLE, Storage
from copeland.study.pair_choice import BallotRequest, Chooser

SNAPSHOT_EVERY = 10_000  # events
AT_ONCE = 32  # changes in one transaction
UNSEEN = 10_000  # events after which a chooser that nobody asks is given up, and made anew when somebody does

T = TypeVar("T")


class _Half(Exception):
    """A change failed half way, so that those made with it have to be made again."""


@dataclass(eq=False)
class _Change:
    """What somebody wants to append, and what became of it."""

    decide: Callable[[Log], tuple[list[Event], Any]]
    needs: tuple[str | None, str | None] = (None, None)  # the vote of an id, a voter's past
    result: Any = None
    error: Exception | None = None
    is_made: bool = False
    thread: int = field(default_factory=threading.get_ident)  # of whoever waits for it
    # Set when it is made, or when it is the first who waits.
    turn: threading.Event = field(default_factory=threading.Event)

    def outcome(self) -> Any:
        """Return what was decided, or raise what went wrong."""
        error, self.error = self.error, None
        if error is None:
            return self.result
        try:
            raise error
        finally:
            # Its traceback holds this frame: neither would end, nor the connections below.
            del error


class Transactions:
    """What this process knows of a study, and the turns in which it is brought up to date and changed.

    A transaction begins by reading what other processes did, so what is decided in it is decided on the newest
    state. The state takes in what it appends at once, and is made anew from the log if it cannot be stored.
    """

    def __init__(self, storage: Storage, key: int):
        self._storage = storage
        self._key = key
        self._turn = threading.RLock()
        self._queue = threading.Lock()
        self._waiting: list[_Change] = []  # the first has the turn, or will have it next
        self._chooser: Chooser | None = None  # made when it is needed
        self._unseen: list[Event] = []  # that it has not followed yet
        self._recall = Recall()
        self._snapshot = 0  # the number of events in the last one known
        self._torn = False  # whether the state may be ahead of the log, or were left half way
        self.state = storage.read(key, self._load_state)
        self.kind: Kind = kind_of(self.state.settings)  # for good: settings never change
        if self.state.number - self._snapshot >= SNAPSHOT_EVERY:
            self._keep()

    def change(
        self,
        decide: Callable[[Log], tuple[list[Event], T]],
        event_id: str | None = None,
        voter: str | None = None,
    ) -> T:
        """Catch up with the log, decide what to append to it, and return once that is stored.

        Those who wait for their turn have their changes made in one transaction, by the first of them: a disk takes
        as long to store many as to store one. What all of them need is looked up together: the vote of an ``event_id``, and
        the past of a ``voter``.
        """
        mine = _Change(decide, (event_id, voter))
        try:
            if not self._join(mine):
                mine.turn.wait()
            if not mine.is_made:
                with self._turn:
                    self._make(self._waiting[:AT_ONCE])
        finally:
            self._leave(mine)
        return mine.outcome()

    def _join(self, mine: _Change) -> bool:
        """Join those who wait; tell whether nobody is ahead.

        A thread waits for one change at a time, so an older one of this thread was left behind by an interrupt.
        """
        with self._queue:
            was_behind = False
            for change in [*self._waiting]:
                if change.thread == mine.thread:
                    self._waiting.remove(change)
                    was_behind = True
            self._waiting.append(mine)
            is_first = self._waiting[0] is mine
            if was_behind and not is_first:
                self._waiting[0].turn.set()
            return is_first

    def _leave(self, mine: _Change) -> None:
        """Go; who was the first lets those go whose changes are made, and gives the turn to the next."""
        with self._queue:
            was_first = bool(self._waiting) and self._waiting[0] is mine
            for change in [*self._waiting]:
                if change is mine:  # for whom nobody waits
                    self._waiting.remove(change)
                elif was_first and change.is_made:
                    self._waiting.remove(change)
                    change.turn.set()
            if was_first and self._waiting:
                self._waiting[0].turn.set()

    def _make(self, changes: list[_Change]) -> None:
        """Make changes in one transaction; what fails is known to be so by whoever wanted it."""

        def work(log: Log) -> None:
            self._catch_up(log)
            log.foresee(map(attrgetter("needs"), changes))
            for change in changes:
                before, change.error = log.appended, None
                try:
                    new, change.result = change.decide(log)
                    self.advance(log, new)
                except TROUBLE:
                    raise  # the storage knows what to do
                except Exception as error:
                    change.error = error
                if change.error is not None and log.appended > before:
                    raise change.error if len(changes) == 1 else _Half

        try:
            self._storage.write(self._key, work, self._recall)
        except _Half:  # so each is made alone
            for change in changes:
                self._make([change])
            return
        except Exception as error:
            for change in changes:
                change.error, change.is_made = change.error or error, True
            return
        self._torn = False
        for change in changes:
            change.is_made = True
        if self.state.number - self._snapshot >= SNAPSHOT_EVERY:
            self._keep()

    def append(self, decide: Callable[[Log], list[Event]]) -> list[Event]:
        """Append what is decided to the log of a study that is open; return it."""

        def work(log: Log) -> tuple[list[Event], list[Event]]:
            require_open(self.state)
            new = decide(log)
            return new, new

        return self.change(work)

    def advance(self, log: Log, new: list[Event]) -> None:
        """Append events amid a transaction, for those decisions in it that build on them."""
        if new:
            self._torn = True  # until it is stored, the state is ahead of the log
            log.append(new)
            self.take(new)

    def read(self, look: Callable[[Log], T]) -> T:
        """Catch up with the log, and look."""

        def work(log: Log) -> T:
            self._catch_up(log)
            return look(log)

        with self._turn:
            return self._storage.read(self._key, work, self._recall)

    def look_at_state(self, look: Callable[[StudyState], T]) -> T:
        """Look at what is known without the storage."""
        with self._turn:
            return look(self.state)

    def propose(self, log: Log, request: BallotRequest, n: int) -> Questions:
        """Return what to append for a request, and what to hand out, as the kind of study proposes it."""
        chooser, self._chooser = self._chooser, None  # if this is interrupted, it is made anew
        unseen, self._unseen = self._unseen, []
        if chooser is None:
            chooser = self.kind.make_chooser(self.state, log)
        else:
            chooser.follow(unseen)
        proposed = self.kind.propose(self.state, log, chooser, request, n)
        self._chooser = chooser
        return proposed

    def take(self, new: Iterable[Event]) -> None:
        """Let the state, and all that follows it, take in events."""
        torn, self._torn = self._torn, True
        for event in new:
            self.state.take(event)
            self._recall.take(event)
            if self._chooser is not None:
                self._unseen.append(event)
                if event.kind == UNDONE or len(self._unseen) > UNSEEN:
                    self._chooser, self._unseen = None, []
        self._torn = torn

    def _catch_up(self, log: Log) -> None:
        if self._torn:
            self._recall.forget()
            self.state, self._chooser, self._unseen = self._load_state(log), None, []
            self._torn = False
        self.take(log.after(self.state.number))

    def _load_state(self, log: Log) -> StudyState:
        kept = log.snapshot()
        state = None if kept is None else load_state(kept[1])
        if kept is None or state is None or state.number != kept[0]:
            return fold_log(log.replay())
        self._snapshot = state.number
        for event in log.replay(state.number):
            state.take(event)
        return state

    def _keep(self) -> None:
        """Store a snapshot now and then. It is only a cache: if that fails, nothing is lost."""
        number = self._snapshot = self.state.number
        content = dump_state(self.state)
        with suppress(StorageError):
            self._storage.write(self._key, lambda log: log.save_snapshot(number, content))


class OpenedStudy(AnyStudy, Protocol):
    """A study at hand, as functions on it use it (:class:`copeland.study.Study`)."""

    @property
    def transactions(self) -> Transactions:
        """Its state, and the turns in which it is read and changed."""
        ...
