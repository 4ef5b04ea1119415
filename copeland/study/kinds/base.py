"""What differs between kinds of study, as methods of one value that is chosen when a study is opened.

The ordinary kind is a list of options and an algorithm that chooses pairs of them, for people or for independent voters. It is the
base class, so any other kind says only where it differs. A kind holds nothing: the state is in the books, and every method gets
these. Methods named ``check_...`` and ``require...`` return if something may be done, and raise an error that says why not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from copeland.errors import InvalidParameter, StudyClosed
from copeland.forecast.forecast import Forecast
from copeland.forecast.start import Goal
from copeland.registry import find
from copeland.study.log.event_log import Log
from copeland.study.log.events import ASKED, UNDONE, Event
from copeland.study.log.state import Books, OpenBallot
from copeland.study.pair_choice import Chooser, Player
from copeland.study.results.analysis import Analysis
from copeland.study.results.standing import Standing, is_open
from copeland.study.results.verdict import Verdict, claim_of, require_chances
from copeland.study.results.voter_reach import Met, plan_of
from copeland.study.settings import Settings
from copeland.study.voter_history import (
    Wish,
    active,
    add_past,
    first_visit,
    last_of,
    opinions_of,
    same_item,
    sides_of,
)
from copeland.support.phrasing import shorten_names

if TYPE_CHECKING:
    from copeland.tuning import Space

ENDLESS = 1_000_000  # options, as it were: a space always has other points
CLAIM = 80  # letters of what is said of a study in passing
TAKEN_BACK = "taken back"

# What a kind may refuse.
ADDING, CHANGING, CHOOSING = "adding", "changing", "choosing"  # options
RESTARTING, GUIDING = "restarting", "guiding"


class Wait(NamedTuple):
    """There is no ballot now, but there may be one at ``until``, or earlier. Like None, it is false.

    Examples
    --------
    >>> bool(Wait(until=1_800_000_000.0))
    False
    """

    until: float

    def __bool__(self) -> Literal[False]:
        return False


Names = Collection[str] | None
Without = Collection[tuple[Any, ...]] | None  # what is not to be shown again
MakeChooser = Callable[[], Chooser]  # returns the one that follows the study, made if need be
Questions = tuple[list[Event], list[Event] | Wait]  # what to append, and what to hand out
Meetings = Callable[[], tuple[Standing, Met]]  # looks where a study and its voters stand


def require_open(books: Books) -> None:
    """Refuse to go on with a closed study."""
    if books.closed:
        raise StudyClosed("the study is closed; it takes no more votes.")


def require_same_voter(asked: Event, vote: Event) -> None:
    """Refuse an answer by somebody else than who was asked."""
    if vote.voter != asked.voter:
        raise InvalidParameter(
            f"ballot {asked.number} was handed to '{asked.voter}', so '{vote.voter}' cannot answer it."
        )


class Kind:
    """What a study asks and whom, which answers it takes, what may be changed, and what it says."""

    refused: ClassVar[Mapping[str, str]] = {}  # what cannot be done, and the sentence for it
    only_counts: ClassVar[bool] = True  # whether it takes no more of votes than their counts

    def require(self, action: str) -> None:
        """Refuse what this kind of study cannot do."""
        if action in self.refused:
            raise InvalidParameter(self.refused[action])

    # Opening

    def check_start(self, books: Books) -> None:
        """Refuse options and parameters with which nothing could be asked."""
        Player(books)

    def give_space(self, books: Books, space: Space) -> None:
        """Let the books know a space with its constraint, which is not in the log."""
        raise InvalidParameter("this study has options and no space; open it without a space.")

    def snapshot_every(self, books: Books, usual: int) -> int | None:
        """Return after how many events a snapshot is worth its time; None for no snapshot now."""
        return usual

    # Asking

    def wish_for(
        self,
        books: Books,
        log: Log,
        now: float,
        voter: str | None,
        item: str | None = None,
        available: Names = None,
        without: Without = None,
        cases: Names = None,
    ) -> Wish:
        """Return what a ballot for a voter must keep to, if there may be one; the parameters are those of ``Study.ask``."""
        require_open(books)
        self.check_voter(books, voter)
        options = active(books)
        if available is not None:
            self.require(CHOOSING)
            options &= {books.index(name) for name in available}
        wish = Wish(books.number + 1, now, voter, options, item=item)
        if voter is not None:
            wish = self.add_history(books, log, voter, wish)
        return self.leave_out(books, wish, without, cases)

    def check_voter(self, books: Books, voter: str | None) -> None:
        """Refuse a voter who may not be asked."""

    def add_history(self, books: Books, log: Log, voter: str, wish: Wish) -> Wish:
        """Return the same wish, with what the voter has met already."""
        if books.settings.repeats == "count":
            return wish._replace(manners=last_of(log, voter))
        if books.settings.people:
            return add_past(books, log, voter, wish)
        done = opinions_of(books, log, voter, wish.item)
        return wish._replace(once=True, avoided=done, manners=last_of(log, voter))

    def leave_out(self, books: Books, wish: Wish, without: Without, cases: Names) -> Wish:
        """Return the same wish, but for no pair that was shown, left and right, as it is in ``without``."""
        if without is None:
            return wish
        try:
            orders = {(books.index(left), books.index(right)) for left, right in without}
        except (TypeError, ValueError):
            raise InvalidParameter(
                f"without is {without!r}; give pairs of names, left and right."
            ) from None
        return wish.without_orders(orders)

    def propose(self, books: Books, log: Log, make: MakeChooser, wish: Wish, n: int) -> Questions:
        """Return what to append, and what to hand out: up to ``n`` new questions, or those that the voter holds."""
        held, chooser = find_open_ballots(books, wish), make()
        new = _new_questions(books, log, chooser, wish, held, _room(books, log, wish, held, n))
        return new, new[:n] or _held_questions(books, log, chooser, wish, held, n)

    def count_options(self, books: Books) -> int:
        """Return how many options are asked."""
        return len(active(books))

    # Answers and votes from elsewhere

    def is_dealt(self, books: Books, asked: Event) -> bool:
        """Tell whether a ballot proves something only if it was dealt to its voter before that voter's first answer."""
        return books.arrivals is not None

    def mark_again(self, books: Books, vote: Event, before: list[Event]) -> dict[str, Any] | None:
        """Return what the log says of a vote that stands in the place of others, which were undone."""
        if not (before and self.only_counts):
            return None
        return {"again": TAKEN_BACK if before[-1].number in books.taken_back else UNDONE}

    def check_answer(self, books: Books, asked: Event, vote: Event) -> None:
        """Refuse an answer that the ballot does not allow."""
        if self.is_dealt(books, asked) and asked.voter is not None:
            require_same_voter(asked, vote)

    def check_import(self, books: Books, votes: list[Event], guides: set[str | None]) -> None:
        """Refuse votes from elsewhere, all of them, if one may not be; ``guides`` become guides with them."""

    def can_fold(self, settings: Settings, voter: str | None) -> bool:
        """Tell whether votes that say the same may be one event: where all of them count, and only as counts."""
        all_count = voter is None or settings.repeats == "count"
        return self.only_counts and all_count and find(settings.spec.name).absorb is not None

    # Changes

    def check_adding(self, books: Books) -> None:
        """Refuse a further option where nobody could ask about it."""
        self.require(ADDING)
        algorithm = find(books.settings.spec.name)
        if algorithm.absorb is None and algorithm.grow is None:
            raise InvalidParameter(
                f"{algorithm.name} cannot add options once it has begun; "
                "create a new study, or use cpc-pac."
            )

    def check_guides(self, settings: Settings) -> None:
        """Refuse voters who guide and prove nothing."""
        self.require(GUIDING)
        algorithm = find(settings.spec.name)
        if algorithm.hint is None:
            raise InvalidParameter(
                f"{algorithm.name} cannot be guided, so every vote counts as proof; use cpc-pac for guides."
            )

    def change_attendance(self, books: Books, voter: str, kind: str, now: float) -> list[Event]:
        """Return the event that excuses or readmits a member; none if it is so already."""
        raise InvalidParameter(
            "this study has no panel, and you can excuse only members of a panel."
        )

    # What it says

    def require_options(self, instead: str) -> None:
        """Refuse what has no meaning where there is no end of options."""

    def claim(self, look: Callable[[], Standing]) -> str:
        """Return what to say of a study in passing, after its size; ``look`` returns where it stands."""
        claim, _, _ = claim_of(Analysis(look())).partition(". ")
        return f": {shorten_names([claim.rstrip('.')], CLAIM)[0]}"

    def verdict(self, look: Callable[[], Standing], tuned: Callable[[], Any]) -> Verdict:
        """Return what to tell people who are waiting for an answer; ``tuned`` returns where a study of a space stands."""
        return Analysis(look()).verdict

    def plan(self, look: Meetings, goal: Goal, people: int | None, **how: Any) -> Forecast:
        """Return how many more votes it may take to reach a goal."""
        standing, met = look()
        require_chances(goal, len(standing.options))
        return plan_of(standing, met, people, goal=goal, **how)


def _room(books: Books, log: Log, wish: Wish, held: dict[int, OpenBallot], n: int) -> int:
    """How many new questions there may be; who is dealt a batch gets all of it at once, and no more."""
    if wish.voter is None:
        return n
    if books.settings.batch and not books.is_guide(wish.voter):
        return books.settings.batch if first_visit(log, wish.voter) is None else 0
    return min(n, books.settings.open_ballots - len(held))


def find_open_ballots(books: Books, wish: Wish) -> dict[int, OpenBallot]:
    """Return the ballots that a voter is still to answer, the oldest first; nobody in particular has none."""
    if wish.voter is None:
        return {}
    under_way = books.under_way(wish.now).items()
    return {ballot: asked for ballot, asked in under_way if asked.voter == wish.voter}


def _new_questions(
    books: Books, log: Log, chooser: Chooser, wish: Wish, held: dict[int, OpenBallot], room: int
) -> list[Event]:
    """Up to so many new questions for a voter who holds some."""
    if room < 1:
        return []
    for ballot in (*held.values(), *wish.waiting):
        assert ballot.left is not None and ballot.right is not None
        if wish.once and same_item(books, ballot.item, wish.item):
            wish = wish.without(ballot.left, ballot.right)
        if wish.shown is not None and ballot.item == wish.item:
            wish = wish.without_orders({(ballot.left, ballot.right)})
    asked, items = [], wish.items
    for number, sides in enumerate(chooser.propose(log, books, wish, room), wish.number):
        left, right = wish.sides(*sides)
        item = next(items) if wish.cases is None else wish.cases.case(left, right, number)
        question = Event(number, ASKED, wish.now, voter=wish.voter, item=item)
        asked.append(question._replace(left=left, right=right, source=wish.source))
    return asked


def _held_questions(
    books: Books, log: Log, chooser: Chooser, wish: Wish, held: dict[int, OpenBallot], n: int
) -> list[Event] | Wait:
    """Up to ``n`` questions that a voter holds, where no new one can be asked.

    Those that have expired come after the others, with new time to answer. If none is what is wished for
    now, there may be another once the first of those held has expired.
    """
    if wish.cases is not None:
        held = held or books.under_way(wish.now)  # whose cases come back if nobody answers
    if not (held or wish.waiting) or not _goes_on(books, log, chooser, wish):
        return []
    kept = [asked for asked in map(log.event, held) if asked is not None]
    expired = [asked._replace(time=wish.now) for asked in wish.waiting if asked.number not in held]
    return repeat_questions([asked for asked in (*kept, *expired) if _fits(asked, wish)], held, n)


def repeat_questions(
    fitting: list[Event], held: Mapping[int, OpenBallot], n: int
) -> list[Event] | Wait:
    """Return up to ``n`` of the questions that somebody holds, or until when there are no others."""
    if fitting or not held:
        return fitting[:n]
    return Wait(min(asked.expires for asked in held.values()))


def _goes_on(books: Books, log: Log, chooser: Chooser, wish: Wish) -> bool:
    """Tell whether the study still asks; whoever was dealt a batch goes on with that."""
    if wish.cases is not None or (books.arrivals is not None and not books.is_guide(wish.voter)):
        return is_open(books)
    return bool(chooser.propose(log, books, wish, 1))


def _fits(asked: Event, wish: Wish) -> bool:
    """Tell whether a ballot is what is wished for."""
    sides = sides_of(asked)
    if wish.cases is not None:
        mine = asked.voter == wish.voter and wish.voter is not None
        return mine and wish.options.issuperset(sides) and asked.item in wish.cases.cases
    if wish.later:  # each ballot of a batch has its own item
        return wish.allows(*sides)
    return asked.item == wish.item and wish.allows(*sides) and wish.sides(*sides) == sides
