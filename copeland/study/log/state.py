"""What a log says so far: options, counts, open ballots. A fold: one event after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import StorageError, UnknownOption, UnknownStudy, nearest
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.log.events import (
    ADDED,
    ASKED,
    BOTH_BAD,
    CLOSED,
    COUNTED,
    EDITED,
    ERROR,
    EXCUSED,
    LEFT,
    OPTION_TEXT,
    PAUSED,
    PRESENTED,
    READMITTED,
    REOPENED,
    RESUMED,
    RETIRED,
    RIGHT,
    TIE,
    UNDONE,
    VOTED,
    AskedEvent,
    Event,
    OptionEvent,
    Spent,
    VoteEvent,
    VoterEvent,
    lease_of,
    read_needed,
    times_of,
)
from copeland.study.log.ledger import Entry, Ledger, Waiting
from copeland.study.log.panel_ledger import PanelLedger
from copeland.study.log.sides import Sides, Swaps
from copeland.study.log.snapshots import dump_values, load_values, write_value
from copeland.study.log.tables import Counts, Tables, Tally
from copeland.study.options import ACTIVE, Option
from copeland.study.settings import IGNORED, INDEPENDENT, JUDGE, PANEL, PEOPLE, Settings

FORMAT = 1  # of snapshots; others are not read


LEDGERS: dict[str, Callable[[Settings], Ledger]] = {  # by who votes
    INDEPENDENT: lambda settings: Ledger("ballot", IGNORED),
    PEOPLE: lambda settings: Ledger("person", settings.missing),
    JUDGE: lambda settings: CaseLedger(),
    PANEL: lambda settings: PanelLedger(settings.panel),
}


class Edit(NamedTuple):
    """What was changed after votes: a text that voters read, or that the study was closed."""

    part: str  # which text, or the kind of the event
    option: int | None  # whose; None: it is of the whole study
    votes: int  # that counted by then


class _Known:
    """What a process has found out from a state. Slots hold it, so ``vars``, and with it a snapshot, leaves it out."""

    __slots__ = ("_changes", "_end")


class StudyState(_Known):
    """The state of a study as a function of its log, and of nothing else.

    ``take`` alone changes them. A million votes are two K x K arrays here: who voted what is looked up
    in the log.
    """

    def __init__(self, created: Event):
        try:
            self._begin(created)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(created) from error

    def _begin(self, created: Event) -> None:
        body = created.body or {}
        self.settings = Settings.of(body["settings"])
        self.options: list[Option] = []
        self.indices: dict[str, int] = {}  # of the options, by name
        self.ledger = LEDGERS[self.settings.voters](self.settings)  # of all ballots, for the proof
        self.tally = Tally()  # of all votes, as they were given
        self.undone: set[int] = set()  # the numbers of those votes
        self.counted: set[int] = set()  # and of repeats that count, as what they repeat was undone
        self.asked = 0  # ballots, as often as they were handed out
        self.epoch = self.settings.first_epoch
        self.offered: dict[int, int] = {}  # how many options there were in each epoch
        self.voted_in_epoch = False
        self.edits: list[Edit] = []  # after votes, in the order in which they were made
        self.edited = 0  # the number of the last event that changed a text
        self.closed = False
        self.number = created.number  # of the last event
        self._add([Option(**option) for option in body["options"]])
        self.offered[self.epoch] = self.k

    @property
    def k(self) -> int:
        """The number of options ever offered."""
        return len(self.options)

    @property
    def wins(self) -> Counts:
        """The votes that count for each option against each other: [winner, loser]."""
        return self.tally.wins

    @property
    def ties(self) -> Counts:
        """The votes that count for neither option: symmetric."""
        return self.tally.ties

    @property
    def votes(self) -> int:
        """How many votes count."""
        return self.tally.votes

    def index(self, name: str) -> int:
        """Return the index of the option of this name."""
        if name not in self.indices:
            raise UnknownOption(f"there is no option '{name}'; {nearest(str(name), self.indices)}")
        return self.indices[name]

    def take(self, event: Event) -> None:
        """Take in the next event."""
        try:
            if None in read_needed[event.kind](event) or not math.isfinite(event.time):
                raise ValueError(f"an event of the kind '{event.kind}' lacks a field")
            _HANDLERS[event.kind](self, event)
            if event.kind not in _IN_THE_LEDGER:
                self._changes = getattr(self, "_changes", 0) + 1
        except (LookupError, TypeError, ValueError) as error:
            raise _unreadable(event) from error
        self.number = event.number

    def find_end(self, look: Callable[[StudyState, float], bool], now: float) -> bool:
        """Return what a look at the proof finds; it looks again only after the proof may have changed."""
        proof = getattr(self, "_changes", 0), self.ledger.state_at(now)
        known: tuple[tuple[int, Any], bool] | None = getattr(self, "_end", None)
        if known is None or known[0] != proof:
            known = self._end = proof, look(self, now)
        return known[1]

    def _add_option(self, event: OptionEvent) -> None:
        self._add([Option(**(event.body or {}))])
        if self.voted_in_epoch:  # otherwise nobody can have looked at votes before adding it
            self.epoch += 1
            self.voted_in_epoch = False
        self.offered[self.epoch] = self.k

    def _add(self, new: Iterable[Option]) -> None:
        for option in new:
            self.indices[option.name] = self.k
            self.options.append(option)
        self.tally.widen(self.k)
        self.ledger.widen(self.k)

    def _change_option(self, event: OptionEvent) -> None:
        target = ACTIVE if event.kind == RESUMED else event.kind
        self.options[event.left] = replace(self.options[event.left], state=target)

    def _edit(self, event: Event) -> None:
        body = event.body or {}
        part, text = str(body["part"]), str(body["text"])
        if event.left is not None and part == OPTION_TEXT:
            self.options[event.left] = replace(self.options[event.left], text=text)
        if self.votes:
            self.edits.append(Edit(part, event.left, self.votes))
        self.edited = event.number

    def _take_question(self, event: AskedEvent) -> None:
        self.asked += 1
        self.ledger.deal(event, lease_of(event, self.settings.lease))

    def _take_vote(self, event: VoteEvent) -> None:
        if event.ballot is not None:
            self.ledger.close(event.ballot)
        self.voted_in_epoch = True
        self.tally.spend(event)
        self._hear(event, times_of(event))
        if not proves(event):
            return  # so its ballot has no answer
        if event.outcome == ERROR:
            self.ledger.fail(event)
        else:
            self.ledger.answer(event, self._standing_meaning(event))

    def _standing_meaning(self, vote: VoteEvent) -> str | None:
        return self.meaning(vote.outcome) if vote.repeats is None else None

    def _undo_vote(self, event: VoteEvent) -> None:
        self.undone.add(event.vote)
        self.tally.undone += times_of(event)
        self._hear(event, -times_of(event))
        if proves(event):
            is_own = "own" in (event.body or {})
            undo = self.ledger.take_back if is_own else self.ledger.undo
            undo(event, self._standing_meaning(event))

    def _count_repeat(self, event: VoteEvent) -> None:
        self.counted.add(event.vote)
        self.tally.repeated -= 1
        self._count(event, 1)
        self.ledger.count_repeat(event, self.meaning(event.outcome))

    def _hear(self, vote: VoteEvent, step: int) -> None:
        self.tally.hear(vote, step)
        self.ledger.hear(vote, step)
        if not proves(vote):
            self.tally.extra += step
        elif vote.repeats is not None:
            self.tally.repeated += step
        else:
            self._count(vote, step)

    def _count(self, vote: VoteEvent, step: int) -> None:
        meaning = self.meaning(vote.outcome)
        if meaning is not None:
            self.ledger.count(vote, step)
            self.tally.count(vote, meaning, step)

    @property
    def options_asked(self) -> frozenset[int]:
        """The options that are asked: neither paused nor retired."""
        return frozenset(i for i, option in enumerate(self.options) if option.state == ACTIVE)

    @property
    def options_left(self) -> list[int]:
        """The options that are not retired."""
        return find_options_left(self.options)

    def meaning(self, outcome: str | None) -> str | None:
        """Return what an outcome counts as: left, right, tie, or None for nothing."""
        if outcome == BOTH_BAD:
            return TIE if self.settings.both_bad == "tie" else None
        return outcome if outcome in (LEFT, RIGHT, TIE) else None

    def counts(self, vote: Event) -> bool:
        """Tell whether a vote of the log counts."""
        if vote.number in self.undone or self.meaning(vote.outcome) is None:
            return False
        if not proves(vote):
            return False
        return vote.repeats is None or vote.number in self.counted

    def _change_attendance(self, event: VoterEvent) -> None:
        self.ledger.excuse(event.voter, event.kind == EXCUSED)

    def _close(self, event: Event) -> None:
        self.closed = event.kind == CLOSED
        if event.kind == REOPENED and self.votes:
            self.edits.append(Edit(REOPENED, None, self.votes))

    def fields(self) -> dict[str, Any]:
        """Return all that it holds."""
        return vars(self) | {"settings": self.settings.to_dict()}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StudyState):
            return False
        own: list[np.ndarray] = []
        others: list[np.ndarray] = []
        same = write_value(self.fields(), own) == write_value(other.fields(), others)
        return same and all(map(np.array_equal, own, others))

    __hash__ = None  # type: ignore[assignment]


_PARTS = (
    *(CaseLedger, Edit, Entry, Ledger, Option, PanelLedger),
    *(Sides, Spent, Swaps, Tables, Tally, Waiting),
)

_HANDLERS: dict[str, Callable[[StudyState, Any], None]] = {
    ADDED: StudyState._add_option,
    PAUSED: StudyState._change_option,
    RESUMED: StudyState._change_option,
    RETIRED: StudyState._change_option,
    ASKED: StudyState._take_question,
    VOTED: StudyState._take_vote,
    UNDONE: StudyState._undo_vote,
    COUNTED: StudyState._count_repeat,
    EXCUSED: StudyState._change_attendance,
    READMITTED: StudyState._change_attendance,
    PRESENTED: lambda _state, _event: None,
    EDITED: StudyState._edit,
    CLOSED: StudyState._close,
    REOPENED: StudyState._close,
}


_IN_THE_LEDGER = (ASKED, VOTED)  # events that change a proof only as far as the ledger changes


def proves(vote: Event) -> bool:
    """Tell whether a vote was dealt beforehand, so that it can prove something."""
    return (vote.body or {}).get("proves", True)


def find_options_left(options: Sequence[Option]) -> list[int]:
    """Return the options that are not retired, by number; all of them if fewer than two are left.

    Examples
    --------
    >>> find_options_left([Option("tea"), Option("milk", state="retired"), Option("juice")])
    [0, 2]
    """
    kept = [i for i, option in enumerate(options) if option.state != RETIRED]
    return kept if len(kept) > 1 else list(range(len(options)))


def _unreadable(event: Event) -> StorageError:
    return StorageError(
        f"event {event.number} of the log cannot be read: it is not as copeland writes events. "
        "Go back to a copy of the database from before it was changed."
    )


def fold_log(log: Iterable[Event]) -> StudyState:
    """Return the state of a whole log."""
    stream = iter(log)
    created = next(stream, None)
    if created is None:
        raise UnknownStudy("this study has no events: it was deleted.")
    state = StudyState(created)
    for event in stream:
        state.take(event)
    return state


def dump_state(state: StudyState) -> bytes:
    """Return everything as a compact file of arrays."""
    return dump_values({"format": FORMAT, "fields": state.fields()})


def load_state(content: bytes) -> StudyState | None:
    """Return the state that :func:`dump_state` wrote, None if another version wrote it or it is damaged."""
    try:
        told = load_values(content, _PARTS)
        if told["format"] != FORMAT:
            return None
        state = object.__new__(StudyState)
        vars(state).update(told["fields"], settings=Settings.of(told["fields"]["settings"]))
        return state
    except Exception:  # damaged bytes raise almost anything; what is lost is only a cache
        return None
