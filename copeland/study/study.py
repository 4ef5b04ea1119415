"""A study at work: ask, tell, change, and read what the votes mean."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Collection, Mapping
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from copeland.errors import InvalidParameter, InvalidRow
from copeland.study.allocation import Allocation, allocate_users
from copeland.study.any_study import AboutBallots, AnyStudy, ReadLog
from copeland.study.ballots import Visitors
from copeland.study.commands import (
    addition,
    answer_to,
    change_of_state,
    make_answer,
    reopening,
    undo_vote,
    withdrawal,
)
from copeland.study.imports import find_copy, import_votes
from copeland.study.kinds.kind import Questions, Wait, require_open
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    CLOSED,
    EXCUSED,
    NOTHING,
    READMITTED,
    UNDONE,
    Event,
    Misfit,
    Spent,
    check_plain,
    check_text,
    misfit_of,
    times_of,
)
from copeland.study.log.state import Ballot, StudyState, Vote, fold_log
from copeland.study.log.storage import Storage
from copeland.study.options import Option, option_of
from copeland.study.session import Transactions
from copeland.study.settings import Settings, check_lease
from copeland.study.text_edits import edit_option, edit_page
from copeland.study.votes import Imported, incoming, source_of, votes_from
from copeland.support.escaping import inert
from copeland.support.phrasing import format_count, shorten_names

Clock = Callable[[], float]
T = TypeVar("T")

LAST = 2**63 - 1  # number that an event can have
CLAIM = 80  # letters of what is said of a study in passing


class Study(AnyStudy):
    """A study at work; made by :func:`create_study` and :func:`open_study`.

    Any number of these, in any number of threads, processes and machines, may work on one study:
    each question and each answer is a transaction that begins by reading what the others did.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"])
    >>> while ballot := study.ask():
    ...     vote = study.tell(ballot, "green")
    >>> study.verdict().claim
    'green is proved the only winner.'
    """

    def __init__(self, storage: Storage, name: str, key: int, clock: Clock = time.time):
        self.name = name
        self.storage = storage
        self._key = key
        self._clock = clock
        self._work = Transactions(storage, key)

    def __repr__(self) -> str:
        from copeland.study.results.analysis import Analysis  # which loads scipy, as forecasts do
        from copeland.study.results.verdict import claim_of

        now, kind = self.now(), self._work.kind  # no storage is looked into
        standing = self._work.look_at_state(lambda state: kind.standing(self.name, state, now))
        claim, _, _ = claim_of(Analysis(standing)).partition(". ")
        return f"<Study {self._size()}: {shorten_names([claim.rstrip('.')], CLAIM)[0]}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(inert(self._size()))}</p>{self.verdict()._repr_html_()}"

    def _size(self) -> str:
        size = f"{format_count(self._work.state.k, 'option')}, {format_count(self._work.state.votes, 'vote')}"
        return f"{self.name!r}, {size}"

    # What it is

    @property
    def settings(self) -> Settings:
        """What was fixed when it was created."""
        return self._work.state.settings

    @property
    def options(self) -> tuple[Option, ...]:
        """All options ever offered, with their states."""
        return tuple(self._current().options)

    @property
    def closed(self) -> bool:
        """Whether it takes no more votes."""
        return self._current().closed

    @property
    def is_open(self) -> bool:
        """Whether its goal is not reached, as far as this object has read the log."""
        now = self.now()
        return self._work.look_at_state(lambda state: self._work.kind.is_open(state, now))

    @property
    def number(self) -> int:
        """The number of the last event in its log."""
        return self._current().number

    @property
    def spent(self) -> Spent:
        """What judges have cost over all runs: calls, tokens and money, as the log has it."""
        return self._current().tally.spent

    def option(self, name: str) -> Option:
        """Return the option of this name: what to show for it, and whether it is still asked."""
        state = self._current()
        return state.options[state.index(name)]

    # Asking and telling

    def _ask_all(
        self, voter: str | None, n: int, available: Collection[str] | None, about: AboutBallots
    ) -> list[Ballot] | Wait:
        item, source, lease = (about.get(part) for part in ("item", "source", "lease"))
        check_text(voter=voter, item=item, source=source)
        if lease is not None:
            check_lease(lease)
        limits = about.get("without"), about.get("cases"), about.get("further", False)

        def decide(log: Log) -> Questions:
            work, now = self._work, self.now()
            request = work.kind.request_for(work.state, log, now, voter, item, available, *limits)
            return work.propose(log, request._replace(source=source, lease=lease), n)

        asked = self._work.change(decide)
        return asked if isinstance(asked, Wait) else list(map(self._work.state.name_ballot, asked))

    def tell(
        self,
        ballot: Ballot | int,
        outcome: str,
        voter: str | None = None,
        event_id: str | None = None,
        *,
        item: str | None = None,
        source: str | None = None,
        spent: Spent = NOTHING,
    ) -> Vote:
        """Store the answer to a ballot, and return it as stored; it is on disk by then.

        An answer to a ballot that has expired is kept. It counts where missing answers are losses of both options (people by
        default, and judges); elsewhere it proves nothing. The same answer with the same ``event_id`` is
        not stored again: you get the earlier one, so you can safely send an answer twice. A different
        answer with that ``event_id`` is refused.

        Parameters
        ----------
        outcome
            left, right, tie, both_bad, skip or error; or the name of the option that won.
        voter
            Who answers; by default the voter who was asked.
        event_id
            Any text that no other vote of this study has.
        item, source, spent
            For the log: what the options were compared on, if the ballot does not say; where the vote comes from; and what a judge has
            cost since its study's vote before.
        """
        told = make_answer(ballot, outcome, voter, event_id, item, source, spent)
        kept = self._work.change(
            lambda log: answer_to(self._work.kind, self._work.state, log, told, self.now()),
            told.event_id,
        )
        return self._work.state.name_vote(kept)

    @property
    def visitors(self) -> Visitors:
        """The voters who come to a page."""
        return Visitors(self)

    def undo(self, vote: Vote | str, reason: str | None = None, own: bool = False) -> None:
        """Stop counting a vote; give the vote or its ``event_id``. Its ballot can be answered again.

        The vote stays in the log, and so does its undoing. Where only a voter's first vote on a pair
        counts, the first one that is not undone now counts. The log keeps the ``reason``.

        What is proved then takes the smaller evidence of the votes with and without it. ``own``: the voter takes it
        back. Until there is another answer, its ballot is then a loss of both options.
        """
        event_id = vote.event_id if isinstance(vote, Vote) else vote
        check_plain(event_id=event_id)
        if reason is not None:
            check_text("the reason, as a ", source=reason)
        work, about = self._work, (reason, own)
        work.append(lambda log: undo_vote(work.kind, work.state, log, event_id, self.now(), *about))

    # Options

    def add_option(
        self, option: str | Mapping[str, str] | Option, text: str = "", path: str = ""
    ) -> None:
        """Add an option; from now on the certificate covers all of them."""
        new = option_of(Option(option, text, path) if isinstance(option, str) else option)
        self._work.append(lambda _log: addition(self._work.kind, self._work.state, new, self.now()))

    def _set_state(self, name: str, kind: str) -> None:
        self._work.append(lambda _log: change_of_state(self._work.state, name, kind, self.now()))

    def edit_option(self, name: str, text: str, source: str | None = None) -> bool:
        """Change the text that voters see for an option; return whether it was another one before.

        The name stays; with an empty text, voters see the name. If votes were given before, the verdict and the certificate say
        so. ``source``: who changes it, for the log.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", {"green": "Steemed.", "black": "Oxidised."})
        >>> study.edit_option("green", "Steamed."), study.option("green").text
        (True, 'Steamed.')
        """
        return edit_option(self, name, text, source)

    def edit_page(
        self, question: str | None = None, guidance: str | None = None, source: str | None = None
    ) -> bool:
        """Change the question or the guidance that voters read on a server, each unless it is None; return whether one is new.

        ``source``: who changes them, for the log.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black"])
        >>> study.edit_page(question="Which would you drink?"), study.log()[-1].body["text"]
        (True, 'Which would you drink?')
        """
        return edit_page(self, self.storage, question, guidance, source)

    def close(self) -> None:
        """Take no more votes until the study is reopened."""

        def decide(_log: Log) -> tuple[list[Event], None]:
            end = Event(self._work.state.number + 1, CLOSED, self.now())
            return [] if self._work.state.closed else [end], None

        self._work.change(decide)

    def reopen(self, reason: str | None = None) -> None:
        """Take votes again; a certificate from before still holds, and the log keeps the ``reason``."""
        self._work.change(lambda _log: (reopening(self._work.state, reason, self.now()), None))

    # Search

    def allocate(self, impressions: int, **terms: Any) -> Allocation:
        """Return which users see which rankers while ``impressions`` lists are shown, as a document that front ends draw from.

        Nothing is logged: votes come back as they are, by :meth:`add_votes`. ``terms``: ``control``, what users who do not take part
        see, by default the leader; ``control_share``, the share of users who never take part; ``cap``, the largest share of
        interleaved lists that may hold one ranker; ``traffic``, the share of users who take part; ``valid``, for how many seconds.
        """
        return allocate_users(self, impressions, **terms)

    # The panel, if there is one

    def excuse(self, voter: str) -> None:
        """Stop waiting for the missing answers of a member of the panel; answers already given stay."""
        self._attend(voter, EXCUSED)

    def readmit(self, voter: str) -> None:
        """Wait again for the answers of a member who was excused."""
        self._attend(voter, READMITTED)

    def _attend(self, voter: str, kind: str) -> None:
        check_plain(voter=voter)
        work = self._work
        work.append(lambda _: work.kind.change_attendance(work.state, voter, kind, self.now()))

    # Votes from elsewhere, and votes to take away

    def add_votes(
        self,
        votes: Any,
        source: str | None = None,
        columns: Mapping[str, str] | None = None,
        format: str | None = None,
    ) -> Imported:
        """Add votes that the study did not ask for; return how many were new, and what became of the others.

        It adds all of them, or none if one cannot be read. It leaves out votes that are there already,
        by their ``event_id``, and votes marked as ``undone``. In a file, a row without an id gets one
        from the source and from what it says, so you can import a file again as it grows. A copy of the file
        under another name counts again, and ``copy_of`` of the result names the first.

        Parameters
        ----------
        votes
            A file, a data frame, or mappings, with ``left``, ``right`` and ``outcome`` and, if known,
            ``event_id``, ``voter``, ``item`` and ``time``; or any other form of :mod:`copeland.support.vote_tables`.
        source
            Where they come from, for the log; by default the name of the file.
        columns
            Which columns are those named above, if they have other names: ``{"voter": "who"}``.
        format
            The format of a file, by its name in :func:`copeland.formats.formats`, if the file does not show it.
        """
        source = source_of(votes, source)
        check_text(source=source)
        options = self._current().indices
        try:
            told = incoming(votes, columns, options, format)
            rows, undone = votes_from(told, options, source)
        except InvalidRow as error:
            raise InvalidRow(f"{error} Nothing was imported.") from error

        def decide(log: Log) -> tuple[list[Event], Imported]:
            require_open(self._work.state)
            kind, state = self._work.kind, self._work.state
            new, taken = import_votes(kind, state, log, rows, source, self.now())
            if taken.counted:
                taken = taken.copied_from(find_copy(kind, state, log, told, source))
            return new, taken

        return self._work.change(decide).also(undone)

    def import_votes(self, path: str | Path) -> Imported:
        """Add the votes of a file: :meth:`add_votes`, with the file's name as their source."""
        return self.add_votes(Path(path))

    def undo_import(self, source: str) -> int:
        """Undo every imported vote from a source that is not undone yet; return how many.

        The votes stay in the log. If they are imported again, they count again.
        """
        check_plain(source=source)
        work = self._work
        undone = work.append(lambda log: withdrawal(work.kind, work.state, log, source, self.now()))
        return sum(times_of(event) for event in undone if event.kind == UNDONE)

    def log(self, after: int = 0, voter: str | None = None) -> list[Event]:
        """Return every event from the first, or after a number; or only the answers of a voter."""
        check_text(voter=voter)
        _check_number(after)
        if voter is not None:
            return self._work.read(lambda log: list(log.answers_of(voter, after)))
        return self._work.read(lambda log: list(log.replay(after)))

    def events(self, after: int = 0, most: int = 1000) -> list[Event]:
        """Return up to ``most`` events after a number, without taking a turn: nobody who asks or votes has to wait."""
        _check_number(after)
        return self.storage.read(self._key, lambda log: log.some(after, min(most, LAST)))

    def misfit(self) -> Misfit | None:
        """Return where the log is not as it was written, by its chain; None if it is intact."""
        return self.storage.read(self._key, lambda log: misfit_of(self.name, log.read_links()))

    def look_at_log(self, look: Callable[[StudyState, ReadLog], T]) -> T:
        """Return what ``look`` makes of the state, which it must not change, and of the log."""
        return self._work.read(lambda log: look(self._work.state, log))

    # For packages that build on studies

    @property
    def transactions(self) -> Transactions:
        """The turns in which this process reads and changes the study."""
        return self._work

    def now(self) -> float:
        """Return the time by the clock of the study, in seconds since 1970."""
        return self._clock()

    def state(self) -> StudyState:
        """Return a copy of the state that the log gives, to look at."""
        return copy.deepcopy(self._current())

    def look_at_state(self, look: Callable[[StudyState], T]) -> T:
        """Return what ``look`` makes of that state, which it must not change; nothing is copied."""
        return self._work.read(lambda _log: look(self._work.state))

    def replay(self) -> StudyState:
        """Return the same state, rebuilt from the bare log without a snapshot."""
        return self._work.read(lambda log: fold_log(log.replay()))

    def forget_snapshot(self) -> None:
        """Delete the stored snapshot; this costs only time."""
        self.storage.write(self._key, lambda log: log.forget_snapshot())

    def _current(self) -> StudyState:
        return self._work.read(lambda _log: self._work.state)


def _check_number(after: int) -> None:
    """Refuse what is no number of an event."""
    if isinstance(after, bool) or not isinstance(after, int) or abs(after) > LAST:
        raise InvalidParameter(f"after is {after!r}; give the number of an event.")
