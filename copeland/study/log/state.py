"""What a log says so far: options, counts, open ballots. A fold: one event after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from copeland.errors import StorageError, UnknownOption, UnknownStudy, nearest
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
    read_needed,
    spent_on,
    times_of,
)
from copeland.study.log.ledger import Entry, Ledger, Waiting, ledger_of
from copeland.study.log.sides import Sides, Swaps
from copeland.study.log.snapshots import dump_values, load_values, write_value
from copeland.study.log.state_parts import (
    Cases,
    Counts,
    Edit,
    Panel,
    Tables,
    count,
    widen,
)
from copeland.study.options import ACTIVE, Option
from copeland.study.settings import Settings

FORMAT = 1  # of snapshots; others are not read


class OpenBallot(NamedTuple):
    """A ballot that was handed out and not answered; whether its lease has run out, only a clock can tell."""

    left: int
    right: int
    voter: str | None
    item: str | None
    expires: float


class _Known:
    """What a process has found out from a state. Slots hold it, so ``vars``, and with it a snapshot, leaves it out."""

    __slots__ = ("_changes", "_end", "_open_of")


class StudyState(_Known):
    """The state of a study as a function of its log, and of nothing else.

    ``take`` alone changes them. A million votes are two K x K arrays here: who voted what is looked up
    in the log.
    """

    # By judges, over all runs; undoing a vote brings nothing back. A field of its own once there is any, so that snapshots without it stay good.
    spent: Spent = NOTHING

    def __init__(self, created: Event):
        try:
            self._begin(created)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(created) from error

    def _begin(self, created: Event) -> None:
        body = created.body or {}
        self.settings = Settings.of(body["settings"])
        self.options: list[Option] = []
        self.wins: Counts = np.zeros((0, 0), np.int64)  # [winner, loser]
        self.ties: Counts = np.zeros((0, 0), np.int64)  # symmetric
        self.ledger = ledger_of(self.settings)  # of all ballots, and what a proof is made from
        self.cases = Cases() if self.settings.cases else None  # where judges vote on test cases
        self.sides = Sides()  # of the wins that count, and of what each voter said
        self.outcomes: dict[str, int] = dict.fromkeys(OUTCOMES, 0)  # of all that were not undone
        self.repeated = 0  # votes that only repeat an earlier one
        self.extra = 0  # votes that are kept and prove nothing: nobody dealt them
        self.undone: set[int] = set()  # the numbers of those votes
        self.undone_votes = 0  # that they stand for
        self.counted: set[int] = set()  # and of repeats that count, as what they repeat was undone
        self.votes = 0  # that count
        self.asked = 0
        self.open: dict[int, OpenBallot] = {}  # by ballot, the oldest first; see under_way
        self.epoch = 1
        self.offered: dict[int, int] = {}  # how many options there were in each epoch
        self.voted_in_epoch = False
        self.edits: list[Edit] = []  # after votes, in the order in which they were made
        self.edited = 0  # the number of the last event that changed a text
        self.closed = False
        self.number = created.number  # of the last event
        self.indices: dict[str, int] = {}  # of the options, by name
        self.panel = Panel(self.settings.panel)
        self._add([Option(**option) for option in body["options"]])
        self.offered[self.epoch] = self.k

    @property
    def k(self) -> int:
        """The number of options ever offered."""
        return len(self.options)

    def index(self, name: str) -> int:
        """Return the index of the option of this name."""
        if name not in self.indices:
            raise UnknownOption(f"there is no option '{name}'; {nearest(str(name), self.indices)}")
        return self.indices[name]

    def take(self, event: Event) -> None:
        """Take in the next event."""
        try:
            if None in read_needed[event.kind](event):
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

    def under_way(self, now: float) -> dict[int, OpenBallot]:
        """Return the ballots whose answers are waited for now, the oldest first.

        These were handed out less than a lease ago, or less than a lease ahead: clocks may differ a
        little, and one that is years off must keep nothing open.
        """
        return self.find_current(self.open, now)

    def find_current(self, ballots: Mapping[int, OpenBallot], now: float) -> dict[int, OpenBallot]:
        """Return those of some ballots that :meth:`under_way` returns."""
        longest = 2 * self.settings.lease
        return {b: asked for b, asked in ballots.items() if 0 < asked.expires - now < longest}

    def open_of(self, voter: str) -> dict[int, OpenBallot]:
        """Return the ballots that a voter has not answered, the oldest first, without a look at all others."""
        index: dict[str | None, dict[int, OpenBallot]] | None = getattr(self, "_open_of", None)
        if index is None:
            index = self._open_of = {}
            for ballot, asked in self.open.items():
                index.setdefault(asked.voter, {})[ballot] = asked
        return index.get(voter, {})

    def _close_ballot(self, ballot: int) -> None:
        """Wait for the answer to a ballot no more."""
        asked, index = self.open.pop(ballot, None), getattr(self, "_open_of", None)
        if asked is not None and index is not None:
            del index[asked.voter][ballot]
            if not index[asked.voter]:
                del index[asked.voter]

    def _expire(self, now: float) -> None:
        # Only so that they do not pile up: the oldest go, up to the first that is still waited for.
        longest = 2 * self.settings.lease
        while self.open:
            ballot = next(iter(self.open))
            if 0 < self.open[ballot].expires - now < longest:
                return
            self._close_ballot(ballot)

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
        self.wins, self.ties = widen(self.wins, self.k), widen(self.ties, self.k)
        self.ledger.widen(self.k)
        self.panel.widen(self.k)

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
        self._expire(event.time)
        expires = event.time + self.settings.lease
        ballot = OpenBallot(event.left, event.right, event.voter, event.item, expires)
        self.open[event.number] = ballot
        index = getattr(self, "_open_of", None)
        if index is not None:
            index.setdefault(event.voter, {})[event.number] = ballot
        self.asked += 1
        self.ledger.deal(event, self.settings.lease)

    def _take_vote(self, event: VoteEvent) -> None:
        if event.ballot is not None:
            self._close_ballot(event.ballot)
        self.voted_in_epoch = True
        spent = spent_on(event)
        if spent != NOTHING:
            self.spent = self.spent.plus(spent)
        times = times_of(event)
        self._tally(event, times)
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
        times = times_of(event)
        self.undone_votes += times
        self._tally(event, -times)
        if not proves(event):
            return
        meaning = self._standing_meaning(event)
        if "own" in (event.body or {}):
            self.ledger.take_back(event, meaning)
            return
        self.ledger.undo(event, meaning)
        if self.cases is not None and meaning is not None:
            self.cases.undo(event)

    def _count_repeat(self, event: VoteEvent) -> None:
        self.counted.add(event.vote)
        self.repeated -= 1
        self._count(event, 1)
        self.ledger.count_repeat(event, self.meaning(event.outcome))

    def _tally(self, vote: VoteEvent, step: int) -> None:
        self.outcomes[vote.outcome] += step
        self.sides.note(vote, step)
        if self.panel.members and vote.outcome != ERROR:
            self.panel.mark(vote.voter, vote.left, vote.right, step > 0)
        if not proves(vote):
            self.extra += step
        elif vote.repeats is not None:
            self.repeated += step
        else:
            self._count(vote, step)

    def _count(self, vote: VoteEvent, step: int) -> None:
        meaning = self.meaning(vote.outcome)
        if meaning is None:
            return
        if self.cases is not None:
            self.cases.take(vote, step)
        count(self.wins, self.ties, vote.left, vote.right, meaning, step)
        self.votes += step
        self.sides.count(vote, meaning, step)

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

    def _excuse(self, event: VoterEvent) -> None:
        self.panel.excuse(event.voter)
        self.open = {b: asked for b, asked in self.open.items() if asked.voter != event.voter}
        self._open_of = None

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
    *(Cases, Edit, Entry, Ledger, OpenBallot, Option),
    *(Panel, Sides, Spent, Swaps, Tables, Waiting),
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
    EXCUSED: StudyState._excuse,
    READMITTED: lambda state, event: state.panel.excused.remove(event.voter),
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
