"""A live study: options, voters who are asked, votes that are kept, and what they prove."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, overload

from copeland.certificate import Certificate
from copeland.errors import InvalidParameter, InvalidRow, StorageError
from copeland.forecast.goals import Goal, goal_of
from copeland.forecast.outlook import outlook_of
from copeland.forecast.prospects import Prospect, check_people, prospect_of
from copeland.forecast.races import MOST, Forecast, forecast_of
from copeland.inert import inert
from copeland.panel import PanelCertificate
from copeland.study.conduct.chooser import Chooser, Wish, active, chooser_of
from copeland.study.conduct.decisions import (
    Answer,
    Wait,
    addition,
    answer_to,
    change_of_state,
    new_to,
    questions,
    require_open,
    undoing,
    wish_of,
    withdrawal,
)
from copeland.study.conduct.manners import waiting_of
from copeland.study.conduct.members import attendance
from copeland.study.conduct.panels import panel_questions
from copeland.study.conduct.roles import check_role, imported_in_role, role_given
from copeland.study.meaning.guidance import guidance_of
from copeland.study.meaning.likely import refuse_for_panel, require_chances
from copeland.study.meaning.panel_plan import panel_plan
from copeland.study.meaning.ranking import Ranking, ranking_of
from copeland.study.meaning.reach import Met, met_of, votes_each
from copeland.study.meaning.reading import Reading
from copeland.study.meaning.standing import (
    Standing,
    certificate_of,
    is_open,
    standing_of,
    voters_of,
)
from copeland.study.meaning.verdict import Verdict, claim_of, verdict_of
from copeland.study.record.books import Books, replayed
from copeland.study.record.events import (
    CLOSED,
    EXCUSED,
    GUIDE,
    PAUSED,
    PROOF,
    READMITTED,
    RESUMED,
    RETIRED,
    UNDONE,
    Event,
    Misfit,
    misfit_of,
    to_json,
)
from copeland.study.record.log import Log
from copeland.study.record.options import Option, option_of
from copeland.study.record.settings import Settings
from copeland.study.record.storage import Storage
from copeland.study.record.texts import check_plain, check_text
from copeland.study.record.votes import (
    Imported,
    Vote,
    frame_of,
    incoming,
    new_event_id,
    source_of,
    votes_from,
    writable,
    write_csv,
)
from copeland.words import counted, shortened

SNAPSHOT_EVERY = 10_000  # events
LAST = 2**63 - 1  # number that an event can have
CLAIM = 80  # letters of what is said of a study in passing

Clock = Callable[[], float]
T = TypeVar("T")


class Ballot(NamedTuple):
    """A pair to be voted on, the options by name. After ``expires`` it may be asked of somebody else."""

    id: int
    left: str
    right: str
    voter: str | None
    item: str | None
    expires: float


class Following(NamedTuple):
    """What a ballot should be about if it is a new one, as in :meth:`Study.ask`."""

    item: str | None = None
    available: Collection[str] | None = None


class Look(NamedTuple):
    """A study as one voter meets it, at one moment."""

    active: int  # options that are asked
    closed: bool
    votes: tuple[Event, ...]  # of this voter, the oldest first
    undone: frozenset[int]  # the numbers of those that were undone


Onward = Callable[[Look], Following | None]  # what follows, if anything does, by what was done


class Answered(NamedTuple):
    """What became of an answer."""

    vote: Vote
    number: int  # of its event
    late: bool  # whether it came after its ballot had expired
    new: bool  # or else it was kept before
    next: Ballot | Wait | None  # for the same voter, if that was asked for
    look: Look | None = None  # after it, if what follows was to depend on that


class Study:
    """A study at work; made by :func:`create_study` and :func:`open_study`.

    Any number of these, in any number of threads, processes and machines, may work on one study:
    each question and each answer is a transaction that begins by reading what the others did.
    """

    def __init__(self, storage: Storage, name: str, key: int, clock: Clock = time.time):
        self.name = name
        self.storage = storage
        self._key = key
        self._clock = clock
        self._turn = threading.RLock()
        self._chooser: Chooser | None = None  # made when it is needed
        self._snapshot = 0  # the number of events in the last one known
        self._torn = False  # whether the books were interrupted as they took in events
        self._books = storage.read(key, self._opened)
        self._keep()

    def __repr__(self) -> str:
        claim, _, _ = claim_of(self._seen()).partition(". ")
        return f"<Study {self._size()}: {shortened([claim.rstrip('.')], CLAIM)[0]}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(inert(self._size()))}</p>{self.verdict()._repr_html_()}"

    def _size(self) -> str:
        books = self._books
        size = f"{counted(books.k, 'option')}, {counted(books.votes, 'vote')}"
        return f"{self.name!r}, {size}"

    def _seen(self) -> Reading:
        """What is known without looking into the storage."""
        with self._turn:
            return Reading(standing_of(self.name, self._books, (), self._clock()))

    # What it is

    @property
    def settings(self) -> Settings:
        """What it was told when it was created."""
        return self._books.settings

    @property
    def options(self) -> tuple[Option, ...]:
        """All options ever offered, with their states."""
        return tuple(self._current().options)

    @property
    def closed(self) -> bool:
        """Whether it takes no more votes."""
        return self._current().closed

    @property
    def number(self) -> int:
        """The number of the last event in its log."""
        return self._current().number

    def option(self, name: str) -> Option:
        """Return the option of this name: what to show for it, and whether it is still asked."""
        books = self._current()
        return books.options[books.index(name)]

    # Asking and telling

    @overload
    def ask(
        self,
        voter: str | None = None,
        n: None = None,
        available: Collection[str] | None = None,
        *,
        item: str | None = None,
        without: Collection[tuple[str, str]] | None = None,
    ) -> Ballot | Wait | None: ...
    @overload
    def ask(
        self,
        voter: str | None = None,
        *,
        n: int,
        available: Collection[str] | None = None,
        item: str | None = None,
        without: Collection[tuple[str, str]] | None = None,
    ) -> list[Ballot]: ...
    def ask(
        self,
        voter: str | None = None,
        n: int | None = None,
        available: Collection[str] | None = None,
        *,
        item: str | None = None,
        without: Collection[tuple[str, str]] | None = None,
    ) -> Ballot | list[Ballot] | Wait | None:
        """Return the next ballot, or None if nothing is left to ask; with ``n``, a list of up to so many.

        A voter who holds as many unanswered ballots as the settings allow, or who can be asked nothing
        else, gets the oldest of them again. If they are about another item, or about options that are
        not available, the answer is to :class:`Wait`, and the list is empty.

        Parameters
        ----------
        voter
            Who is asked. Without a name everybody who asks is somebody else, and gets a new ballot; of a
            panel, the member who should be asked next is chosen, and the ballot says who.
        available
            The only options that can be shown now.
        item
            What the options are compared on, as it should be logged.
        without
            Left and right of what is not to be shown so again; nor is, then, what the voter holds.
        """
        check_text(voter=voter, item=item)
        if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
            raise InvalidParameter(f"n is {n!r}; ask for 1 ballot or more.")
        if isinstance(available, str):
            raise InvalidParameter(f"available is '{available}'; give a list of names.")

        def decide(log: Log) -> tuple[list[Event], list[Event] | Wait]:
            wish = wish_of(self._books, log, voter, item, available, self._clock())
            wish = new_to(wish, self._books, without)
            return self._proposed(log, wish, n or 1)

        asked = self._change(decide)
        if isinstance(asked, Wait):
            return asked if n is None else []
        handed_out = [self._ballot(event) for event in asked]
        return next(iter(handed_out), None) if n is None else handed_out

    def tell(
        self,
        ballot: Ballot | int,
        outcome: str,
        voter: str | None = None,
        event_id: str | None = None,
        *,
        item: str | None = None,
        source: str | None = None,
    ) -> Vote:
        """Keep the answer to a ballot, and return it as it is kept; it is on disk by then.

        An answer to a ballot that has expired counts too. The same answer with the same ``event_id`` is
        not kept again: the earlier one is returned, so an answer may safely be sent twice. Another
        answer with that ``event_id`` is refused.

        Parameters
        ----------
        outcome
            left, right, tie, both_bad, skip or error; or the name of the option that won.
        voter
            Who answers; by default who was asked.
        event_id
            Any text that no other vote of this study has.
        item
            What the options were compared on, if the ballot does not say.
        source
            Where the vote comes from, as it should be logged.
        """
        told = self._told(ballot, outcome, voter, event_id, item, source)
        kept = self._change(lambda log: answer_to(self._books, log, told, self._clock()))
        return self._vote(kept)

    def _told(
        self,
        ballot: Ballot | int,
        outcome: str,
        voter: str | None,
        event_id: str | None,
        item: str | None,
        source: str | None,
    ) -> Answer:
        check_text(voter=voter, event_id=event_id, item=item, source=source)
        number = ballot.id if isinstance(ballot, Ballot) else ballot
        sides = (ballot.left, ballot.right) if isinstance(ballot, Ballot) else None
        return Answer(number, sides, outcome, event_id or new_event_id(), voter, item, source)

    def answer(
        self,
        ballot: Ballot | int,
        outcome: str,
        voter: str | None = None,
        event_id: str | None = None,
        *,
        item: str | None = None,
        source: str | None = None,
        following: Following | Onward | None = None,
    ) -> Answered:
        """Keep the answer to a ballot as :meth:`tell` does, and return all that became of it.

        With ``following`` the same transaction finds the voter's next ballot, as :meth:`following` does; a
        function may decide what that is about, and whether there is to be one.
        """
        told = self._told(ballot, outcome, voter, event_id, item, source)

        def decide(log: Log) -> tuple[list[Event], Answered]:
            now = self._clock()
            new, vote = answer_to(self._books, log, told, now)
            asked = log.event(told.ballot)
            log.append(new)
            self._take(new)
            self._torn = True  # until it is stored, the books are ahead of the log
            late = asked is not None and vote.time > asked.time + self.settings.lease
            events: list[Event] = []
            found: Ballot | Wait | None = None
            look, wanted = None, following
            if callable(wanted) and vote.voter is not None:
                look = self._looked(log, vote.voter)
                wanted = wanted(look)
            if wanted is not None and vote.voter is not None and not self._books.closed:
                assert isinstance(wanted, Following)
                events, found = self._found(log, vote.voter, wanted, now)
            return events, Answered(self._vote(vote), vote.number, late, bool(new), found, look)

        return self._change(decide)

    def look(self, voter: str) -> Look:
        """Return the study as a voter meets it."""
        check_plain(voter=voter)
        return self._read(lambda log: self._looked(log, voter))

    def _looked(self, log: Log, voter: str) -> Look:
        votes = tuple(log.votes_of(voter))
        undone = self._books.undone.intersection(vote.number for vote in votes)
        return Look(len(active(self._books)), self._books.closed, votes, frozenset(undone))

    def following(
        self,
        voter: str,
        item: str | None = None,
        available: Collection[str] | None = None,
    ) -> Ballot | Wait | None:
        """Return the oldest ballot that a voter has not answered, or else a new one as :meth:`ask` does.

        So a page that is loaded again shows the same pair. ``item`` and ``available`` are for a new one.
        """
        check_text(voter=voter, item=item)
        new = Following(item, available)
        return self._change(lambda log: self._found(log, voter, new, self._clock()))

    def waiting(self, voter: str) -> list[Ballot]:
        """Return the ballots that a voter has not answered, the oldest first.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black", "white"], voters="people")
        >>> asked = [study.ask("ann"), study.ask("ann")]
        >>> [ballot.id for ballot in study.waiting("ann")] == [ballot.id for ballot in asked]
        True
        """
        check_text(voter=voter)
        held = self._read(lambda log: waiting_of(self._books, log, voter))
        return [self._ballot(asked) for asked in held]

    def _found(
        self, log: Log, voter: str, wanted: Following, now: float
    ) -> tuple[list[Event], Ballot | Wait | None]:
        require_open(self._books)
        held = waiting_of(self._books, log, voter)
        if held:
            again = self._ballot(held[0]._replace(time=now))
            return [], again if is_open(self._books) else None
        wish = wish_of(self._books, log, voter, wanted.item, wanted.available, now)
        new, asked = self._proposed(log, wish, 1)
        return new, asked if isinstance(asked, Wait) else self._first(asked)

    def _first(self, asked: list[Event]) -> Ballot | None:
        return self._ballot(asked[0]) if asked else None

    def _proposed(self, log: Log, wish: Wish, n: int) -> tuple[list[Event], list[Event] | Wait]:
        if self.settings.panel:
            return panel_questions(self._books, log, wish, n)
        chooser, self._chooser = self._chooser or chooser_of(self._books, log), None
        decided = questions(self._books, log, chooser, wish, n)
        self._chooser = chooser  # not if it was interrupted
        return decided

    def undo(self, vote: Vote | str, reason: str | None = None) -> None:
        """Count a vote no more; give the vote or its ``event_id``. Its ballot can be answered again.

        The vote stays in the log, and so does its undoing. Where only a voter's first vote on a pair
        counts, that is from now on the first one that stands. A ``reason`` is kept in the log.
        """
        event_id = vote.event_id if isinstance(vote, Vote) else vote
        check_plain(event_id=event_id)
        if reason is not None:
            check_text("the reason, as a ", source=reason)
        self._append(lambda log: undoing(self._books, log, event_id, self._clock(), reason))

    def set_role(self, voter: str, role: str) -> None:
        """Say before a voter's first vote what that voter's votes are for.

        Parameters
        ----------
        role
            ``"proof"``, as everybody has who is given none: the votes count for the certificate. ``"guide"``:
            they move what the study asks next, and prove nothing.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black"])
        >>> study.set_role("a language model", "guide")
        >>> study.tell(study.ask("a language model"), "green").counted
        False
        """
        check_text(voter=voter)
        if voter is None:
            raise InvalidParameter("a role is given to a voter by name, and there is none.")
        check_role(role)
        self._append(lambda log: role_given(self._books, log, voter, role, self._clock()))

    def role(self, voter: str | None) -> str:
        """Return the role of a voter; who was given none, or has no name, has the role ``proof``."""
        check_text(voter=voter)
        return GUIDE if self._current().is_guide(voter) else PROOF

    # Options

    def add_option(
        self, option: str | Mapping[str, str] | Option, text: str = "", path: str = ""
    ) -> None:
        """Offer one more option; from now on the certificate is about all of them."""
        new = option_of(Option(option, text, path) if isinstance(option, str) else option)
        self._append(lambda _log: [addition(self._books, new, self._clock())])

    def pause_option(self, name: str) -> None:
        """Ask an option no more until it is resumed."""
        self._set_state(name, PAUSED)

    def resume_option(self, name: str) -> None:
        """Ask a paused option again."""
        self._set_state(name, RESUMED)

    def retire_option(self, name: str) -> None:
        """Ask an option never again. It stays in the certificate, which is about all ever offered."""
        self._set_state(name, RETIRED)

    def _set_state(self, name: str, kind: str) -> None:
        self._append(lambda _log: change_of_state(self._books, name, kind, self._clock()))

    def close(self) -> None:
        """Take no more votes."""

        def decide(_log: Log) -> tuple[list[Event], None]:
            end = Event(self._books.number + 1, CLOSED, self._clock())
            return [] if self._books.closed else [end], None

        self._change(decide)

    # The panel, if there is one

    def excuse(self, voter: str) -> None:
        """Wait no more for the missing answers of a member of the panel; those given stay."""
        self._attend(voter, EXCUSED)

    def readmit(self, voter: str) -> None:
        """Wait again for the answers of a member who was excused."""
        self._attend(voter, READMITTED)

    def _attend(self, voter: str, kind: str) -> None:
        check_plain(voter=voter)
        self._append(lambda _log: attendance(self._books, voter, kind, self._clock()))

    # Votes from elsewhere, and votes to take away

    def add_votes(
        self,
        votes: Any,
        source: str | None = None,
        columns: Mapping[str, str] | None = None,
        role: str | None = None,
    ) -> Imported:
        """Take in votes that nobody asked for; return how many were new, and what became of the others.

        All of them are taken, or none if one of them cannot be read. Votes that are there already, by
        their ``event_id``, or which are marked as ``undone``, are left out. In a file, a row without an id
        gets one from the source and from what it says, so that a file can be imported again as it grows.

        Parameters
        ----------
        votes
            A file, a data frame, or mappings, with ``left``, ``right`` and ``outcome`` and, if known,
            ``event_id``, ``voter``, ``item`` and ``time``; or any other form of :mod:`copeland.tallies`.
            An outcome may be the winner's name.
        source
            Where they come from, as it should be logged; by default the name of the file.
        columns
            Which columns are those named above, where theirs are other names: ``{"voter": "who"}``.
        role
            The role that all voters of these votes are given, as by :meth:`set_role`; by default they keep the
            one they have, unless a column ``role`` says ``guide``.
        """
        if role is not None:
            check_role(role)
        source = source_of(votes, source)
        check_text(source=source)
        options = self._current().indices
        try:
            rows, undone = votes_from(incoming(votes, columns, options), options, source)
        except InvalidRow as error:
            raise InvalidRow(f"{error} Nothing was imported.") from error

        def decide(log: Log) -> tuple[list[Event], Imported]:
            require_open(self._books)
            return imported_in_role(self._books, log, rows, source, role, self._clock())

        return self._change(decide).also(undone)

    def import_votes(self, path: str | Path) -> Imported:
        """Take in the votes of a file: :meth:`add_votes`, with the file's name as their source."""
        return self.add_votes(Path(path))

    def undo_import(self, source: str) -> int:
        """Undo every vote from a source that nobody asked for and that stands; return how many.

        The votes stay in the log. If they are imported again, they count again.
        """
        check_plain(source=source)
        undone = self._append(lambda log: withdrawal(self._books, log, source, self._clock()))
        return sum(event.kind == UNDONE for event in undone)

    @overload
    def votes(self, frame: Literal[False] = False) -> list[Vote]: ...
    @overload
    def votes(self, frame: Literal[True]) -> Any: ...
    def votes(self, frame: bool = False) -> Any:
        """Return every vote in the order they came in: a list, or a data frame (extra: pandas).

        ``counted`` is False for what was undone, only repeats an earlier vote, or is no vote: a skip,
        an error, or both_bad where that is left out; and for every vote of a guide.
        """
        found = self._read(lambda log: [self._vote(event) for event in log.votes()])
        return frame_of(found) if frame else found

    def log(self, after: int = 0, voter: str | None = None) -> list[Event]:
        """Return every event from the first, or from after a number; or the answers of a voter alone."""
        check_text(voter=voter)
        if isinstance(after, bool) or not isinstance(after, int) or abs(after) > LAST:
            raise InvalidParameter(f"after is {after!r}; give the number of an event.")
        if voter is not None:
            return self._read(lambda log: list(log.answers_of(voter, after)))
        return self._read(lambda log: list(log.replay(after)))

    def events(self, after: int = 0, most: int = 1000) -> list[Event]:
        """Return up to ``most`` events after a number, without a turn: whoever asks or votes waits for nobody."""
        return self.storage.read(self._key, lambda log: log.some(after, most))

    def misfit(self) -> Misfit | None:
        """Return where the log is not as it was written, by the chain over it; None if all fits."""
        return self.storage.read(self._key, lambda log: misfit_of(self.name, log.linked()))

    def export(self, path: str | Path) -> None:
        """Write every vote to a ``.csv`` file, or the whole log to a ``.jsonl`` file."""
        path = Path(path)
        if path.suffix == ".csv":
            write_csv(self.votes(), path)
        elif path.suffix == ".jsonl":
            with writable(path) as file:
                file.writelines(to_json(event) + "\n" for event in self.log())
        else:
            raise InvalidParameter(
                f"{path} ends in neither .csv, for the votes, nor .jsonl, for the whole log."
            )

    # What it means

    def verdict(self) -> Verdict:
        """Return what to tell people who wait for an answer, in sentences.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black"])
        >>> _ = study.add_votes([{"left": "green", "right": "black", "outcome": "left"}] * 10)
        >>> study
        <Study 'tea', 2 options, 10 votes: green is proved the only winner>
        >>> study.verdict().kind, study.certificate().best
        ('winner', (0,))
        """
        return verdict_of(self.standing(voters=self.settings.dependent))

    def certificate(self, active: bool = False) -> Certificate | PanelCertificate:
        """Return what the votes prove: of all options ever offered, or of the active ones alone."""
        return self._read(lambda _log: certificate_of(self._books, active))

    def plan(
        self,
        worlds: int | None = None,
        most: int = MOST,
        seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
        *,
        until: str | Goal = "proved",
        people: int | None = None,
    ) -> Forecast:
        """Return how many more votes it may take to prove an option best, by simulation.

        Where people vote, it also says what the voters so far can settle, each with one vote a pair.
        Of a panel, these are answers until some active option is sure to be best.

        Parameters
        ----------
        worlds
            How many plausible worlds; 100 by default, fewer for more than 30 options.
        most
            Votes after which a world is given up.
        progress
            Called with (worlds done, worlds in all).
        until
            ``"likely=0.95"``: the votes until one option has that chance to be best, which is an estimate.
        people
            How many voters there will be in all; by default those who have voted so far.
        """
        goal = goal_of(until)
        check_people(people)
        if self.settings.panel:
            refuse_for_panel(goal, people)
            return panel_plan(self.standing(voters=False), worlds, seed, progress)
        standing, met = self._read(self._met)
        require_chances(goal, len(standing.options))
        start = standing.start
        if outlook_of(start).votes is None:
            raise InvalidParameter(
                "nothing can be proved of all options while some that it takes are paused or retired; "
                "resume them, or see what certify --active says."
            )
        each = votes_each(self.settings, len(standing.active))
        voters = met.voters(start, each, people or 0) if start.dependent else None
        return forecast_of(start, worlds, most, seed, progress, goal, voters)

    def prospect(self, people: int) -> Prospect:
        """Return what so many voters can settle: as people, and as a panel; by simulation."""
        check_people(people)
        if not self.settings.dependent:
            raise InvalidParameter("what people can settle is for studies of people; this is none.")
        standing = self.standing(voters=False)
        each = votes_each(self.settings, len(standing.active))
        return prospect_of(standing.start, people, each)

    def _met(self, log: Log) -> tuple[Standing, Met]:
        """Where the study stands, and what those have met whose votes prove something."""
        books = self._books
        standing = standing_of(self.name, books, (), self._clock())
        tally = log.tally() if self.settings.dependent else ()
        return standing, met_of((row for row in tally if not books.is_guide(row[0])), books.k)

    def ranking(self) -> Ranking:
        """Return all options in tiers that are proved apart, with Copeland scores and strengths.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black", "white"])
        >>> _ = study.add_votes([{"winner": "black", "loser": "white", "n": 40}])
        >>> _ = study.add_votes([{"winner": "black", "loser": "green", "n": 40}])
        >>> study.ranking().tiers
        (('black',), ('green', 'white'))
        """
        return ranking_of(Reading(self.standing(voters=False)))

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write where the study stands as one HTML page; return its path.

        ``command`` is how the page can be made again, if it shall say so.
        """
        from copeland.study.page.page import write_study_page

        return write_study_page(self.standing(), self.log(), path, command)

    def standing(self, voters: bool = True) -> Standing:
        """Return where the study stands: counts, certificate, leader, position bias, voters, guides.

        ``voters=False`` leaves voters and guides out, for whom all votes must be gone through.
        """

        def look(log: Log) -> Standing:
            books, now = self._books, self._clock()
            if not voters:
                return standing_of(self.name, books, (), now)
            tally = list(log.tally())
            proving = (row for row in tally if not books.is_guide(row[0]))
            known = voters_of(proving, self.settings.panel)
            guides = guidance_of(tally, books.guides, books.wins)
            return standing_of(self.name, books, known, now, guides)

        return self._read(look)

    def books(self) -> Books:
        """Return the state that the log gives: a copy, to look at."""
        return copy.deepcopy(self._current())

    def replay(self) -> Books:
        """Return the same state, made anew from the bare log without a snapshot."""
        return self._read(lambda log: replayed(log.replay()))

    def forget_snapshot(self) -> None:
        """Delete the stored snapshot; nothing is lost by it but time."""
        self.storage.write(self._key, lambda log: log.forget_snapshot())

    # Transactions

    def _append(self, decide: Callable[[Log], list[Event]]) -> list[Event]:
        """Append what is decided to the log of a study that is open; return it."""

        def work(log: Log) -> tuple[list[Event], list[Event]]:
            require_open(self._books)
            new = decide(log)
            return new, new

        return self._change(work)

    def _change(self, decide: Callable[[Log], tuple[list[Event], T]]) -> T:
        """Catch up with the log, decide what to append to it, and take that in once it is stored."""

        def work(log: Log) -> tuple[list[Event], T]:
            self._catch_up(log)
            new, result = decide(log)
            log.append(new)
            return new, result

        with self._turn:
            new, result = self.storage.write(self._key, work)
            self._take(new)
            self._keep()
            return result

    def _read(self, look: Callable[[Log], T]) -> T:
        def work(log: Log) -> T:
            self._catch_up(log)
            return look(log)

        with self._turn:
            return self.storage.read(self._key, work)

    def _current(self) -> Books:
        return self._read(lambda log: self._books)

    def _catch_up(self, log: Log) -> None:
        if self._torn:
            self._books, self._chooser, self._torn = self._opened(log), None, False
        self._take(log.after(self._books.number))

    def _take(self, new: Iterable[Event]) -> None:
        self._torn = True
        for event in new:
            chooser, self._chooser = self._chooser, None  # if this is interrupted, it is made anew
            if chooser is not None and event.kind != UNDONE:
                chooser.take(event, self._books)
            self._books.take(event)
            self._chooser = None if event.kind == UNDONE else chooser
        self._torn = False

    def _opened(self, log: Log) -> Books:
        kept = log.snapshot()
        books = None if kept is None else Books.load(kept[1])
        if kept is None or books is None or books.number != kept[0]:
            return replayed(log.replay())
        self._snapshot = books.number
        for event in log.replay(books.number):
            books.take(event)
        return books

    def _keep(self) -> None:
        """Store a snapshot now and then. It is only a cache: if that fails, nothing is lost."""
        number = self._books.number
        if number - self._snapshot < SNAPSHOT_EVERY:
            return
        self._snapshot = number
        content = self._books.dump()
        with suppress(StorageError):
            self.storage.write(self._key, lambda log: log.save_snapshot(number, content))

    # Events by name

    def _ballot(self, asked: Event) -> Ballot:
        assert asked.left is not None and asked.right is not None
        left, right = self._books.options[asked.left], self._books.options[asked.right]
        expires = asked.time + self.settings.lease
        return Ballot(asked.number, left.name, right.name, asked.voter, asked.item, expires)

    def _vote(self, event: Event) -> Vote:
        assert event.event_id is not None and event.outcome is not None
        assert event.left is not None and event.right is not None
        return Vote(
            event.event_id,
            event.ballot,
            event.voter,
            self._books.options[event.left].name,
            self._books.options[event.right].name,
            event.outcome,
            event.time,
            event.item,
            event.source,
            event.number in self._books.undone,
            self._books.proves(event),
            GUIDE if self._books.is_guide(event.voter) else PROOF,
        )
