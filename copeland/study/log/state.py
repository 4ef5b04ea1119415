"""What a log says so far: options, counts, open ballots. A fold: one event after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import StorageError, UnknownOption, UnknownStudy, nearest
from copeland.study.log.case_ledger import CaseLedger
from copeland.study.log.cluster_ledger import ClusterLedger
from copeland.study.log.clusters import CaseClusters
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
    NOTHING,
    OPTION_TEXT,
    OUTCOMES,
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
    proves,
    read_needed,
    spent_on,
    times_of,
)
from copeland.study.log.ledger import Counts, Entry, Ledger, Tables, Waiting, count, widen
from copeland.study.log.panel_ledger import PanelLedger
from copeland.study.log.sides import Sides, Swaps
from copeland.study.log.snapshots import dump_values, load_values, write_value
from copeland.study.options import ACTIVE, Option
from copeland.study.settings import IGNORED, INDEPENDENT, JUDGE, PANEL, PEOPLE, Settings

FORMAT = 2  # of snapshots; others are not read


def _ledger_of_cases(settings: Settings, body: Mapping[str, Any]) -> Ledger:
    if "clusters" not in body:
        return CaseLedger(skips_tie=bool(settings.finite))
    return ClusterLedger(CaseClusters.of(body["clusters"], exact=bool(settings.finite)))


LEDGERS: dict[str, Callable[[Settings, Mapping[str, Any]], Ledger]] = {  # by who votes
    INDEPENDENT: lambda settings, body: Ledger("ballot", IGNORED),
    PEOPLE: lambda settings, body: Ledger("person", settings.missing),
    JUDGE: _ledger_of_cases,
    PANEL: lambda settings, body: PanelLedger(settings.panel),
}


class Edit(NamedTuple):
    """What was changed after votes: a text that voters read, or that the study was closed."""

    part: str  # which text, or the kind of the event
    option: int | None  # whose; None: it is of the whole study
    votes: int  # that counted by then


@dataclass
class Tally:
    """The sums of all votes that were not undone."""

    wins: Counts = field(default_factory=partial(np.zeros, (0, 0), np.int64))  # [winner, loser]
    ties: Counts = field(default_factory=partial(np.zeros, (0, 0), np.int64))  # symmetric
    votes: int = 0  # that count, as wins and ties do
    repeated: int = 0  # votes that only repeat an earlier one
    extra: int = 0  # votes that are kept and prove nothing: nobody dealt them
    undone: int = 0  # votes that were undone
    outcomes: dict[str, int] = field(default_factory=partial(dict.fromkeys, OUTCOMES, 0))
    sides: Sides = field(default_factory=Sides)  # of the wins that count, and of each voter
    spent: Spent = NOTHING  # by judges, over all runs; undoing a vote brings nothing back

    def widen(self, k: int) -> None:
        """Make room for ``k`` options."""
        self.wins, self.ties = widen(self.wins, k), widen(self.ties, k)

    def hear(self, vote: VoteEvent, meaning: str | None, step: int) -> bool:
        """Take in what was said, or with a negative step that it is undone; tell whether it counts, if it means anything."""
        self.outcomes[vote.outcome] += step
        self.sides.note(vote, step)
        if not proves(vote):
            self.extra += step
        elif vote.repeats is not None:
            self.repeated += step
        elif meaning is not None:
            self.count(vote, meaning, step)
            return True
        return False

    def count(self, vote: VoteEvent, meaning: str, step: int) -> None:
        """Take in that a vote counts, or with a negative step that it counts no more."""
        count(self.wins, self.ties, vote.left, vote.right, meaning, step)
        self.votes += step
        self.sides.count(vote, meaning, step)


class Ballot(NamedTuple):
    """A pair to vote on, with the options by name. After ``expires`` the study may ask somebody else."""

    id: int
    left: str
    right: str
    voter: str | None
    item: str | None
    expires: float


class Vote(NamedTuple):
    """One vote as it is in the log, or a count of equal ones, with the options by name."""

    event_id: str
    ballot: int | None
    voter: str | None
    left: str
    right: str
    outcome: str
    time: float
    item: str | None
    source: str | None
    undone: bool
    counted: bool
    times: int = 1  # more if it came as a count: so many votes said so


class _Known:
    """What a process has found out from a state. Slots hold it, so ``vars``, and with it a snapshot, leaves it out."""

    __slots__ = ("_changes", "_end", "options_asked", "options_left", "terms")

    _changes: int  # of what a proof depends on beside the ledger
    _end: tuple[Any, bool] | None  # what the last look at the proof found, and on what
    options_asked: frozenset[int]  # neither paused nor retired
    options_left: list[int]  # not retired
    terms: dict[str, Any]  # what a proof is held to


class StudyState(_Known):
    """The state of a study as a function of its log, and of nothing else.

    ``take`` alone changes them. A million votes are two K x K arrays here: who voted what is looked up
    in the log.
    """

    def __init__(
        self,
        created: Event,
        settings: Settings | None = None,
        options: Iterable[Option] | None = None,
    ):
        """Begin with the first event; ``settings`` and ``options`` are those in it, if somebody has read them already."""
        try:
            self._begin(created, settings, options)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(created) from error

    def _begin(
        self, created: Event, settings: Settings | None, options: Iterable[Option] | None
    ) -> None:
        body = created.body or {}
        self.settings = settings or Settings.of(body["settings"])
        self.options: list[Option] = []
        self.indices: dict[str, int] = {}  # of the options, by name
        self.ledger = LEDGERS[self.settings.voters](
            self.settings, body
        )  # of all ballots, for the proof
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
        self._add([Option(**told) for told in body["options"]] if options is None else options)
        self.offered[self.epoch] = self.k
        self._changes, self._end = 0, None
        self.note_options()

    def note_options(self) -> None:
        """Note what follows from the options and their states, as a process does that begins or has read a snapshot."""
        active = set()
        for i, option in enumerate(self.options):
            if option.state == ACTIVE:
                active.add(i)
        self.options_asked = frozenset(active)
        self.options_left = find_options_left(self.options)
        self.terms = self.settings.terms(self.epoch)

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
                self._changes += 1
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise _unreadable(event) from error
        self.number = event.number

    def find_end(self, look: Callable[[StudyState, float], bool], now: float) -> bool:
        """Return what a look at the proof finds; it looks again only after the proof may have changed."""
        proof = self._changes, self.ledger.state_at(now)
        if self._end is None or self._end[0] != proof:
            self._end = proof, look(self, now)
        return self._end[1]

    def _add_option(self, event: OptionEvent) -> None:
        self._add([Option(**(event.body or {}))])
        if self.voted_in_epoch:  # otherwise nobody can have looked at votes before adding it
            self.epoch += 1
            self.voted_in_epoch = False
        self.offered[self.epoch] = self.k
        self.note_options()

    def _add(self, new: Iterable[Option]) -> None:
        for option in new:
            self.indices[option.name] = self.k
            self.options.append(option)
        self.tally.widen(self.k)
        self.ledger.widen(self.k)

    def _change_option(self, event: OptionEvent) -> None:
        target = ACTIVE if event.kind == RESUMED else event.kind
        self.options[event.left] = replace(self.options[event.left], state=target)
        self.note_options()

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
        if "spent" in (event.body or {}):
            self.tally.spent = self.tally.spent.plus(spent_on(event))
        meaning = self._hear(event, times_of(event))
        if not proves(event):
            return  # so its ballot has no answer
        if event.outcome == ERROR:
            self.ledger.fail(event)
        else:
            self.ledger.answer(event, meaning)

    def _undo_vote(self, event: VoteEvent) -> None:
        self.undone.add(event.vote)
        self.tally.undone += times_of(event)
        meaning = self._hear(event, -times_of(event))
        if proves(event):
            is_own = "own" in (event.body or {})
            (self.ledger.take_back if is_own else self.ledger.undo)(event, meaning)

    def _count_repeat(self, event: VoteEvent) -> None:
        self.counted.add(event.vote)
        self.tally.repeated -= 1
        meaning = self.meaning(event.outcome)
        if meaning is not None:
            self.tally.count(event, meaning, 1)
            self.ledger.hear(event, 1, counts=True)
        self.ledger.count_repeat(event, meaning)

    def _hear(self, vote: VoteEvent, step: int) -> str | None:
        """Take in what was said, or that it is undone; return what it means, None where it only repeats another."""
        meaning = self.meaning(vote.outcome)
        counts = self.tally.hear(vote, meaning, step)
        self.ledger.hear(vote, step, counts)
        return meaning if vote.repeats is None else None

    def name_ballot(self, asked: AskedEvent) -> Ballot:
        """Return a question with its options by name."""
        left, right = self.options[asked.left].name, self.options[asked.right].name
        expires = asked.time + lease_of(asked, self.settings.lease)
        return Ballot(asked.number, left, right, asked.voter, asked.item, expires)

    def name_vote(self, vote: VoteEvent) -> Vote:
        """Return a vote of the log with its options by name, and what became of it."""
        return Vote(
            vote.event_id or "",
            vote.ballot,
            vote.voter,
            self.options[vote.left].name,
            self.options[vote.right].name,
            vote.outcome,
            vote.time,
            vote.item,
            vote.source,
            vote.number in self.undone,
            self.counts(vote),
            times_of(vote),
        )

    def meaning(self, outcome: str | None) -> str | None:
        """Return what an outcome counts as: left, right, tie, or None for nothing."""
        if outcome == BOTH_BAD:
            return TIE if self.settings.both_bad == "tie" else None
        return outcome if outcome in (LEFT, RIGHT, TIE) else None

    def counts(self, vote: Event) -> bool:
        """Tell whether a vote of the log counts."""
        if vote.number in self.undone or self.meaning(vote.outcome) is None or not proves(vote):
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
    *(CaseClusters, CaseLedger, ClusterLedger, Edit, Entry, Ledger, Option, PanelLedger),
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


def find_options_left(options: Sequence[Option]) -> list[int]:
    """Return the options that are not retired, by number; all of them if fewer than two are left.

    Examples
    --------
    >>> find_options_left([Option("tea"), Option("milk", state="retired"), Option("juice")])
    [0, 2]
    """
    kept = []
    for i, option in enumerate(options):
        if option.state != RETIRED:
            kept.append(i)
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
        state._changes, state._end = 0, None
        state.note_options()
        state.ledger.list_open()
        return state
    except Exception:  # damaged bytes raise almost anything; what is lost is only a cache
        return None
