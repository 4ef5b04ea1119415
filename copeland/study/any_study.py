"""What every study offers, wherever it is kept: at hand, or on a server."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
)

from copeland.certificate.base_certificate import BaseCertificate
from copeland.certificate.drift_evidence import LEVEL, check_level
from copeland.errors import InvalidParameter
from copeland.forecast.start import Until, read_until
from copeland.formats import write_votes
from copeland.study.kinds import kind_of
from copeland.study.kinds.kind import Wait
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    NOTHING,
    PAUSED,
    RESUMED,
    RETIRED,
    UNDONE,
    Event,
    Spent,
    VoteEvent,
    is_vote,
    times_of,
    to_json,
)
from copeland.study.log.state import Ballot, StudyState, Vote
from copeland.study.options import Option
from copeland.study.results.standing import Standing, voters_of
from copeland.study.settings import Settings
from copeland.study.votes import frame_of, writable, write_csv

if TYPE_CHECKING:  # what loads scipy is imported where it is used
    from copeland.forecast.forecast import Forecast
    from copeland.forecast.prospects import Prospect
    from copeland.orders.rank import By, Ranking
    from copeland.study.results.history import Drift
    from copeland.study.results.verdict import Verdict

T = TypeVar("T")
Said = tuple[str | None, int, int, str, int]  # voter, left, right, outcome, and how often


class WholeLog(NamedTuple):
    """A log of which all events are at hand."""

    events: Sequence[Event]

    def replay(self) -> Iterable[Event]:
        """Return all events."""
        return self.events

    def tally(self) -> Iterable[Said]:
        """Return how often each voter gave an outcome to an ordered pair, undone votes left out."""
        undone = {event.undoes for event in self.events if event.kind == UNDONE}
        for vote in self.votes():
            if vote.number not in undone:
                yield vote.voter, vote.left, vote.right, vote.outcome, times_of(vote)

    def votes(self) -> Iterable[VoteEvent]:
        """Return all votes."""
        return filter(is_vote, self.events)


ReadLog = Log | WholeLog  # as far as it is read


class AboutBallots(TypedDict, total=False):
    """What else may be said of the ballots that are asked for, as :meth:`AnyStudy.ask` explains it."""

    item: str | None
    without: Collection[tuple[Any, ...]] | None
    cases: Collection[str] | None
    source: str | None
    lease: float | None
    further: bool


class AnyStudy(Protocol):
    """A study, at hand (:class:`copeland.study.Study`) or on a server (:class:`copeland.client.RemoteStudy`).

    Both ask, take answers and change. What can be read of a study follows from its log.
    """

    name: str

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """What was fixed when it was created."""

    @property
    @abstractmethod
    def options(self) -> tuple[Option, ...]:
        """All options ever offered, with their states."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether it takes no more votes."""

    @property
    @abstractmethod
    def number(self) -> int:
        """The number of the last event in its log."""

    @property
    @abstractmethod
    def spent(self) -> Spent:
        """What judges have cost over all runs: calls, tokens and money."""

    @overload
    def ask(
        self,
        voter: str | None = None,
        n: None = None,
        available: Collection[str] | None = None,
        **about: Unpack[AboutBallots],
    ) -> Ballot | Wait | None: ...
    @overload
    def ask(
        self,
        voter: str | None = None,
        *,
        n: int,
        available: Collection[str] | None = None,
        **about: Unpack[AboutBallots],
    ) -> list[Ballot]: ...
    def ask(
        self,
        voter: str | None = None,
        n: int | None = None,
        available: Collection[str] | None = None,
        *,
        item: str | None = None,
        without: Collection[tuple[Any, ...]] | None = None,
        cases: Collection[str] | None = None,
        source: str | None = None,
        lease: float | None = None,
        further: bool = False,
    ) -> Ballot | list[Ballot] | Wait | None:
        """Return the next ballot, or None if nothing is left to ask; with ``n``, a list of up to ``n``.

        A voter who holds as many unanswered ballots as the settings allow, or who can be asked nothing
        else, gets the oldest of them again. If these are about another item, or about options that are
        not available, the method returns a :class:`Wait`, or an empty list.

        Parameters
        ----------
        voter
            Whom to ask. Without a name, every call is for somebody new, who gets a new ballot. For a
            panel, the study chooses the member to ask next, and the ballot says who.
        available
            The only options that can be shown now.
        item
            What the options are compared on, for the log.
        without
            Pairs, as left and right, that must not be shown this way again; then the ballots that the voter holds are not shown either.
            Where judges vote: two options and a case, which are not to be asked.
        cases
            Where judges vote, the names of all cases. The study draws the one of each ballot, which is its ``item``.
        source
            Who asks, for the log.
        lease
            For how many seconds the answers are waited for, if not for as long as the settings say: more, if you answer in batches.
        further
            Ask also after the goal is reached, while there is anything to ask.
        """
        if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
            raise InvalidParameter(f"n is {n!r}; ask for 1 ballot or more.")
        if isinstance(available, str):
            raise InvalidParameter(f"available is '{available}'; give a list of names.")
        about: AboutBallots = {"item": item, "without": without, "cases": cases, "source": source}
        about |= {"lease": lease, "further": further}
        asked = self._ask_all(voter, n or 1, available, about)
        if isinstance(asked, Wait):
            return asked if n is None else []
        return next(iter(asked), None) if n is None else asked

    @abstractmethod
    def _ask_all(
        self, voter: str | None, n: int, available: Collection[str] | None, about: AboutBallots
    ) -> list[Ballot] | Wait:
        """Up to so many ballots, or until when there may be some."""

    @abstractmethod
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
        """Store the answer to a ballot, once for each ``event_id``, and return it as stored."""

    @abstractmethod
    def undo(self, vote: Vote | str, reason: str | None = None, own: bool = False) -> None:
        """Stop counting a vote; give the vote or its ``event_id``. ``own``: the voter takes it back."""

    @abstractmethod
    def add_option(self, option: str, text: str = "") -> None:
        """Add an option."""

    def pause_option(self, name: str) -> None:
        """Stop asking about an option until it is resumed."""
        self._set_state(name, PAUSED)

    def resume_option(self, name: str) -> None:
        """Ask about a paused or retired option again."""
        self._set_state(name, RESUMED)

    def retire_option(self, name: str) -> None:
        """Ask no more about an option. What is proved is then about the others; :meth:`resume_option` takes it back."""
        self._set_state(name, RETIRED)

    @abstractmethod
    def _set_state(self, name: str, kind: str) -> None:
        """Pause, resume or retire an option, by the kind of the event that says so."""

    @abstractmethod
    def edit_option(self, name: str, text: str, source: str | None = None) -> bool:
        """Change the text that voters see for an option; return whether it was another one before."""

    @abstractmethod
    def edit_page(
        self, question: str | None = None, guidance: str | None = None, source: str | None = None
    ) -> bool:
        """Change the question or the guidance that voters read, each unless it is None; return whether one is new."""

    @abstractmethod
    def close(self) -> None:
        """Take no more votes until the study is reopened."""

    @abstractmethod
    def reopen(self, reason: str | None = None) -> None:
        """Take votes again; the log keeps the ``reason``."""

    @abstractmethod
    def log(self, after: int = 0, voter: str | None = None) -> list[Event]:
        """Return every event from the first, or after a number; or only the answers of a voter."""

    @abstractmethod
    def now(self) -> float:
        """Return the time by the clock of the study, in seconds since 1970."""

    @abstractmethod
    def look_at_log(self, look: Callable[[StudyState, ReadLog], T]) -> T:
        """Return what ``look`` makes of the state, which it must not change, and of the log."""

    def certificate(self, active: bool = False) -> BaseCertificate:
        """Return what the votes prove: about the options that are not retired, or only about the active ones."""
        kind = kind_of(self.settings)
        return self.look_at_log(lambda state, _log: kind.certificate(state, self.now(), active))

    def standing(self, voters: bool = True) -> Standing:
        """Return where the study stands: counts, certificate, leader, position bias, voters.

        ``voters=False`` leaves out voters, which need a pass over all votes.
        """
        return self.look_at_log(lambda state, log: self._stand(state, log, voters))

    def _stand(self, state: StudyState, log: ReadLog, voters: bool) -> Standing:
        known = voters_of(log.tally(), state.settings.panel) if voters else ()
        return kind_of(state.settings).standing(self.name, state, self.now(), known)

    # Its votes, and what they mean

    @overload
    def votes(self, frame: Literal[False] = False) -> list[Vote]: ...
    @overload
    def votes(self, frame: Literal[True]) -> Any: ...
    def votes(self, frame: bool = False) -> Any:
        """Return every vote in the order they came in: a list, or a data frame (extra: pandas).

        ``counted`` is False for a vote that was undone, one that only repeats an earlier vote, and an
        answer that is not a vote: a skip, an error, or both_bad where that is left out.
        """
        found = self.look_at_log(
            lambda state, log: [state.name_vote(event) for event in log.votes()]
        )
        return frame_of(found) if frame else found

    def export(self, path: str | Path, format: str | None = None) -> None:
        """Write every vote to a ``.csv`` file, or the whole log to a ``.jsonl`` file, or votes in another format.

        Parameters
        ----------
        path
            The file. What it ends in says the format: ``.parquet`` too, and ``.soi`` or ``.toi`` for PrefLib.
        format
            The name of a format that is written, such as ``trl``: see :func:`copeland.formats.formats`.
        """
        path = Path(path)
        if format is None and path.suffix == ".csv":
            write_csv(self.votes(), path)
        elif format is None and path.suffix == ".jsonl":
            with writable(path) as file:
                events = self.look_at_log(lambda _state, log: list(log.replay()))
                file.writelines(to_json(event) + "\n" for event in events)
        else:
            votes = [vote._asdict() for vote in self.votes()]
            texts = {option.name: option.text for option in self.options}
            content = write_votes(path, format, votes, texts)
            with writable(path) as file:
                file.buffer.write(content)

    def verdict(self) -> Verdict:
        """Return what to tell people who are waiting for an answer, in sentences.

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
        from copeland.study.results.verdict import verdict_of

        return verdict_of(self.standing(voters=kind_of(self.settings).needs_voters))

    def plan(
        self,
        worlds: int | None = None,
        most: int | None = None,
        seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
        *,
        until: str | Until = "proved",
        people: int | None = None,
    ) -> Forecast:
        """Return how many more votes it may take to prove an option best.

        Where people vote, it also says what the voters so far can settle, each with one vote per pair.
        For a panel, it counts answers until some active option is sure to be best.

        Parameters
        ----------
        worlds
            How many plausible worlds; by default 100, as for every forecast that is shown, and fewer of many options.
        most
            Give up on a world after this many votes; 20,000 by default.
        progress
            Called with (worlds done, worlds in all).
        until
            ``"likely=0.95"``: the votes until one option has that chance to be best, which is an estimate.
        people
            How many voters there will be in all; by default those who have voted so far.
        """
        from copeland.forecast.forecast import MOST
        from copeland.forecast.prospects import check_people

        goal = read_until(until)
        check_people(people)
        most = MOST if most is None else most
        how = {"count": worlds, "most": most, "seed": seed, "progress": progress}
        kind = kind_of(self.settings)
        return kind.plan(self.standing(voters=kind.needs_voters), goal, people, **how)

    def prospect(self, people: int) -> Prospect:
        """Return what this many voters can settle, as people and as a panel, by simulation."""
        from copeland.forecast.prospects import check_people

        check_people(people)
        return kind_of(self.settings).prospect(self.standing(voters=False), people)

    def drift(self, level: float = LEVEL) -> tuple[Drift, ...]:
        """Return the pairs whose votes changed over time; a certificate assumes that none did.

        If none changes, the probability that this ever returns one is at most ``level``, however often you look or add
        options.
        """
        from copeland.study.results.history import drifts_of

        check_level(level)
        return self.look_at_log(lambda state, log: drifts_of(state, log.votes(), self.now(), level))

    def ranking(self, by: By = "copeland", expected: float | None = None) -> Ranking:
        """Return all options in order, with intervals, ranks and tiers that are told apart.

        Parameters
        ----------
        by
            ``"copeland"``: how many others they beat, as the certificate proves it. ``"borda"``: their mean chance against a random
            other. ``"strength"``: Bradley-Terry. The last two hold for many votes (docs/rank.md).
        expected
            How many votes, or people, are expected, fixed beforehand; see :func:`copeland.rank`.

        Examples
        --------
        >>> from copeland.study import create_study
        >>> study = create_study("tea", ["green", "black", "white"])
        >>> _ = study.add_votes([{"winner": "black", "loser": "white", "n": 40}])
        >>> _ = study.add_votes([{"winner": "black", "loser": "green", "n": 40}])
        >>> study.ranking().tiers
        (('black',), ('green', 'white'))
        """
        from copeland.study.results.analysis import Analysis, Rankings

        return Rankings(Analysis(self.standing(voters=False)), self.votes).rank(by, expected)

    def report(
        self, path: str | Path, command: str = "", items: Iterable[Any] | None = None
    ) -> Path:
        """Write where the study stands as one HTML page; return its path.

        ``command``, if given, is the command that the page names to make it again. ``items``, the test cases of judges, let it show
        the answers of the cases that an option lost.
        """
        from copeland.study.report.study_page import write_study_page

        events, standing, drifts = self.look_at_log(self._read_all)
        lost, on_cases = (), bool(standing.settings.cases)
        if on_cases:
            from copeland.study.report.lost_cases import tabulate_lost_cases

            lost = tabulate_lost_cases(standing, self.votes, items)
        return write_study_page(standing, events, path, command, drifts, self.votes, lost)

    def _read_all(
        self, state: StudyState, log: ReadLog
    ) -> tuple[list[Event], Standing, tuple[Drift, ...]]:
        from copeland.study.results.history import drifts_of

        events = list(log.replay())
        drifts = drifts_of(state, filter(is_vote, events), self.now())
        return events, self._stand(state, log, voters=True), drifts


def folder_of(study: AnyStudy) -> Path | None:
    """Return the folder of a study's SQLite file; None if it is kept elsewhere, or on a server."""
    storage = getattr(study, "storage", None)
    return None if storage is None else storage.folder
