"""What to append to a log: questions, answers, undoings, checked against the books and the log.

These functions read and decide. Nothing has happened until their events are stored and the books take
them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Literal, NamedTuple

from copeland.errors import (
    AlreadyVoted,
    Conflict,
    InvalidParameter,
    StudyClosed,
    UnknownBallot,
    UnknownVote,
    nearest,
)
from copeland.registry import find
from copeland.study.bulk_imports import cut_rows
from copeland.study.case_draws import require_room
from copeland.study.input_limits import check_text
from copeland.study.kinds.panel import (
    require_few,
    require_member,
    require_one_each,
    require_own,
    require_same_voter,
)
from copeland.study.log.arrivals import IGNORED
from copeland.study.log.event_log import Log
from copeland.study.log.events import (
    ADDED,
    ASKED,
    COUNTED,
    RESTARTED,
    RESUMED,
    RETIRED,
    UNDONE,
    VOTED,
    Event,
    times_of,
)
from copeland.study.log.judged_cases import pair_of
from copeland.study.log.sides import marks_of
from copeland.study.log.state import Books, OpenBallot, proves
from copeland.study.options import ACTIVE, Option
from copeland.study.pair_choice import Chooser, Wish, active
from copeland.study.results.standing import is_open
from copeland.study.voter_history import last_of, opinions_of, past_of
from copeland.study.votes import Imported, ImportedVote
from copeland.support.vote_tables import outcome_of

TAKEN_BACK = "taken back"

_SAYING = ("ballot", "voter", "left", "right", "outcome", "item")  # what a vote says


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


class Answer(NamedTuple):
    """What is told of a ballot."""

    ballot: int
    sides: tuple[str, str] | None  # left and right, if they are told too
    outcome: str
    event_id: str
    voter: str | None  # None: who was asked
    item: str | None  # None: what the ballot says
    source: str | None


def require_open(books: Books) -> None:
    """Refuse to go on with a closed study."""
    if books.closed:
        raise StudyClosed("the study is closed; it takes no more votes.")


def refuse_for_space(books: Books) -> None:
    """Refuse to change the options of a space."""
    if books.tuning is not None:
        raise InvalidParameter(
            "the options of this study are points of its space, made as they are asked; they cannot be "
            "added, paused or retired."
        )


def wish_of(
    books: Books,
    log: Log,
    voter: str | None,
    item: str | None,
    available: Collection[str] | None,
    now: float,
) -> Wish:
    """Return what a ballot for a voter must keep to, if there may be one."""
    require_open(books)
    if voter is not None and books.settings.panel:
        require_member(books, voter)
    options = active(books)
    if available is not None and books.tuning is not None:
        raise InvalidParameter(
            "the options of this study are points that it makes itself, so all are available."
        )
    if available is not None:
        options &= {books.index(name) for name in available}
    wish = Wish(books.number + 1, now, voter, options, item=item)
    if books.judges_cases(voter):  # see wish_on_cases
        return wish if voter is None else wish._replace(manners=last_of(log, voter))
    if voter is None or books.settings.panel:  # whose books know what each member has met
        return wish
    if books.settings.repeats == "count":
        return wish._replace(manners=last_of(log, voter))
    if books.settings.people:
        past = past_of(books, log, voter)
        return wish._replace(
            once=True, avoided=past.done, manners=past.manners, waiting=past.waiting
        )
    done = opinions_of(books, log, voter, item)
    return wish._replace(once=True, avoided=done, manners=last_of(log, voter))


def new_to(wish: Wish, books: Books, shown: Collection[tuple[str, str]] | None) -> Wish:
    """Return the same wish, but for nothing that was shown, left and right, as it is here."""
    if shown is None:
        return wish
    try:
        orders = {(books.index(left), books.index(right)) for left, right in shown}
    except (TypeError, ValueError):
        raise InvalidParameter(
            f"without is {shown!r}; give pairs of names, left and right."
        ) from None
    return wish.without_orders(orders)


def questions(
    books: Books, log: Log, chooser: Chooser, wish: Wish, n: int
) -> tuple[list[Event], list[Event] | Wait]:
    """Return what to append, and what to hand out: new questions, or those that the voter holds."""
    held = _find_open_ballots(books, wish)
    new = _new_questions(books, log, chooser, wish, held, _room(books, log, wish, held, n))
    return new, new[:n] or _held_questions(books, log, chooser, wish, held, n)


def _room(books: Books, log: Log, wish: Wish, held: dict[int, OpenBallot], n: int) -> int:
    """How many new questions there may be; who is dealt a batch gets all of it at once, and no more."""
    if wish.voter is None:
        return n
    if books.settings.batch and not books.is_guide(wish.voter):
        return books.settings.batch if _first_visit(log, wish.voter) is None else 0
    return min(n, books.settings.open_ballots - len(held))


def _first_visit(log: Log, voter: str) -> int | None:
    """Return the number of the first event of a voter, None for somebody new."""
    first = [events[0].number for events in (log.ballots_of(voter), log.votes_of(voter)) if events]
    return min(first, default=None)


def _find_open_ballots(books: Books, wish: Wish) -> dict[int, OpenBallot]:
    """The ballots that a voter is still to answer, the oldest first; nobody in particular has none."""
    if wish.voter is None:
        return {}
    under_way = books.under_way(wish.now).items()
    return {ballot: asked for ballot, asked in under_way if asked.voter == wish.voter}


def _same_item(books: Books, one: str | None, other: str | None) -> bool:
    """Tell whether two votes of a voter on a pair are on the same: those of one person are."""
    return books.settings.once or one == other


def _new_questions(
    books: Books, log: Log, chooser: Chooser, wish: Wish, held: dict[int, OpenBallot], room: int
) -> list[Event]:
    """Up to so many new questions for a voter who holds some."""
    if room < 1:
        return []
    for ballot in (*held.values(), *wish.waiting):
        assert ballot.left is not None and ballot.right is not None
        if wish.once and _same_item(books, ballot.item, wish.item):
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
    fitting = [asked for asked in (*kept, *expired) if _fits(asked, wish)]
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
    assert asked.left is not None and asked.right is not None
    sides = asked.left, asked.right
    if wish.cases is not None:
        mine = asked.voter == wish.voter and wish.voter is not None
        return mine and wish.options.issuperset(sides) and asked.item in wish.cases.cases
    if wish.later:  # each ballot of a batch has its own item
        return wish.allows(*sides)
    return asked.item == wish.item and wish.allows(*sides) and wish.sides(*sides) == sides


def answer_to(books: Books, log: Log, told: Answer, now: float) -> tuple[list[Event], Event]:
    """Return what to append, and the vote that answers a ballot: the same answer is kept once."""
    known = log.vote(told.event_id)
    if known is not None:
        _require_same(books, log, known, told)
        return [], known
    require_open(books)
    asked = _question(books, log, told.ballot)
    before = _require_no_answer(books, log, asked)
    vote = _make_vote(books, asked, told, now)
    if books.settings.panel:
        require_own(books, asked, vote)
    elif _is_dealt(books, asked) and asked.voter is not None:
        require_same_voter(asked, vote)
    repeats = _find_repeat(books, log, vote)
    vote = vote._replace(repeats=repeats, body=_standing(books, log, asked, vote, before))
    if books.cases is not None:
        require_room(books, [vote])
    return [vote], vote


def _is_dealt(books: Books, asked: Event) -> bool:
    """Tell whether a ballot proves something only if it was dealt to its voter before that voter's first answer."""
    return books.arrivals is not None or (books.settings.people and "audit" in (asked.body or {}))


def _standing(
    books: Books, log: Log, asked: Event, vote: Event, before: list[Event]
) -> dict[str, Any] | None:
    """What the log says of a vote besides: that it proves nothing, or that it stands in the place of another."""
    if _is_dealt(books, asked) and not books.is_guide(vote.voter):
        named = vote.voter if asked.voter is None else None
        if named is not None and _first_visit(log, named) is not None:
            return {"proves": False}
        late = books.settings.missing == IGNORED and books.is_counted(asked.number)
        if asked.number <= books.since or (late and not before):
            return {"proves": False}
    if books.cases is not None:
        return {"again": UNDONE} if books.cases.was_undone(vote) else None
    if not before or books.settings.panel or books.tuning is not None:
        return None
    own = before[-1].number in books.taken_back
    return {"again": TAKEN_BACK if own else UNDONE}


def _require_same(books: Books, log: Log, kept: Event, told: Answer) -> None:
    """Refuse an answer that is not the one kept under its ``event_id``; do not say what that one is."""
    said = _make_vote(books, _question(books, log, told.ballot), told, kept.time)
    if any(getattr(said, field) != getattr(kept, field) for field in _SAYING):
        raise _conflict(told.event_id)


def _conflict(event_id: str) -> Conflict:
    return Conflict(
        f"another vote has the event_id '{event_id}', so this one was not kept; "
        "give every vote its own event_id."
    )


def _make_vote(books: Books, asked: Event, told: Answer, now: float) -> Event:
    """What an answer says, as the next event."""
    assert asked.left is not None and asked.right is not None
    left, right = books.options[asked.left].name, books.options[asked.right].name
    if books.judges_cases(asked.voter) and told.item not in (None, asked.item):
        raise InvalidParameter(
            f"ballot {told.ballot} is about the case '{asked.item}', and the answer about '{told.item}'; the study "
            "draws the case."
        )
    if told.sides not in (None, (left, right)):
        raise UnknownBallot(
            f"ballot {told.ballot} is of '{left}' and '{right}' in this study; "
            "the ballot you answered comes from another study."
        )
    return Event(
        *(books.number + 1, VOTED, now),
        event_id=told.event_id,
        ballot=asked.number,
        voter=asked.voter if told.voter is None else told.voter,
        left=asked.left,
        right=asked.right,
        outcome=outcome_of(told.outcome, left, right, books.indices),
        item=asked.item if told.item is None else told.item,
        source=told.source,
    )


def _question(books: Books, log: Log, ballot: int) -> Event:
    """Return what a ballot asks."""
    is_number = isinstance(ballot, int) and not isinstance(ballot, bool)
    asked = log.event(ballot) if is_number and 0 < ballot <= books.number else None
    if asked is None or asked.kind != ASKED:
        raise UnknownBallot(f"there is no ballot {ballot!r}; ask for one first.")
    return asked


def _require_no_answer(books: Books, log: Log, asked: Event) -> list[Event]:
    """Refuse a ballot that has its answer; whoever asks may not be who gave it, so do not tell it.

    Return the answers that were undone.
    """
    ballot = asked.number
    before = [] if ballot in books.open else list(log.answers(ballot))
    if any(answer.number not in books.undone for answer in before):
        raise AlreadyVoted(
            f"ballot {ballot} was answered before; to change the answer, undo that vote first."
        )
    return before


def _find_repeat(books: Books, log: Log, vote: Event) -> int | None:
    """Return the number of the vote that this one only repeats, None if it counts itself."""
    if not _may_repeat(books, vote):
        return None
    if books.judges_cases(vote.voter):
        assert books.cases is not None
        return books.cases.votes_on(pair_of(vote)).get(vote.item)
    assert vote.voter is not None and vote.left is not None and vote.right is not None
    return _first_opinion(books, log.opinions(vote.voter, vote.left, vote.right), vote.item)


def _may_repeat(books: Books, vote: Event | ImportedVote) -> bool:
    """Tell whether a vote does not count if its voter, or on a test case any judge, voted on the pair before."""
    known = vote.voter is not None or books.cases is not None
    return known and books.settings.repeats != "count" and books.meaning(vote.outcome) is not None


def _first_opinion(books: Books, earlier: Iterable[Event], item: str | None) -> int | None:
    """Return the number of the vote that counts, of a voter's votes on a pair."""
    for vote in earlier:
        if books.counts(vote) and _same_item(books, vote.item, item):
            return vote.number
    return None


def import_rows(
    books: Books,
    log: Log,
    rows: Iterable[ImportedVote],
    source: str | None,
    now: float,
    last: int | None = None,
    guides: Collection[str | None] = (),
) -> tuple[list[Event], Imported]:
    """Return votes that nobody asked for, but for those that are there already, and how many are what.

    ``last`` is the number of the event that they follow, and ``guides`` are voters who become guides, if that is not in the books yet.
    """
    last = books.number if last is None else last
    rows, known, restored = _under_their_ids(books, log, cut_rows(books, log, rows))
    before = books.undone & {vote.number for vote in known.values()}
    fresh = [row for row in rows if row.event_id not in known]
    firsts, came_before = _Firsts(books, log, fresh, guides), _visitors(books, log, fresh)
    new: list[Event] = []
    seen = undone = 0
    for row in rows:
        if row.event_id in known:
            _require_same_row(known[row.event_id], row)
            gone = known[row.event_id].number in before
            undone += row.times * gone
            seen += row.times * (not gone)
            continue
        number = last + len(new) + 1
        vote = Event(
            *(number, VOTED, now if row.time is None else row.time),
            event_id=row.event_id,
            voter=row.voter,
            left=row.left,
            right=row.right,
            outcome=row.outcome,
            item=row.item,
            source=source,
        )
        repeats = firsts.find_repeat(vote)
        body: dict[str, Any] = row.marks
        if row.voter in came_before:
            body |= {"proves": False}
        elif _is_back(books, vote, row.again or row.event_id in restored):
            body |= {"again": UNDONE}
        new.append(vote._replace(repeats=repeats, body=body))
        known[row.event_id] = new[-1]
    if books.settings.panel:
        require_one_each(books, new)
    if books.cases is not None:
        require_room(books, (vote for vote in new if vote.voter not in guides))
    extra = _sum(vote for vote in new if not proves(vote))
    repeated = _sum(vote for vote in new if vote.repeats is not None and proves(vote))
    skipped = _sum(vote for vote in new if books.meaning(vote.outcome) is None and proves(vote))
    counted = _sum(new) - repeated - skipped - extra
    return new, Imported(counted, repeated, skipped, seen, undone, extra)


def _is_back(books: Books, vote: Event, restored: bool) -> bool:
    """Tell whether a vote takes the place of one that was undone."""
    return restored or (books.cases is not None and books.cases.was_undone(vote))


def _sum(votes: Iterable[Event]) -> int:
    """How many votes events stand for."""
    return sum(map(times_of, votes))


class _Firsts:
    """The votes that rows of an import repeat: of an earlier day, or of the import itself."""

    def __init__(
        self,
        books: Books,
        log: Log,
        rows: Iterable[ImportedVote],
        guides: Collection[str | None],
    ):
        self._books, self._guides = books, guides
        repeating = (row for row in rows if _may_repeat(books, row) and not self._judges(row.voter))
        subjects = {(row.voter, frozenset((row.left, row.right))) for row in repeating}
        self._earlier = log.opinions_on(subjects)  # type: ignore[arg-type]  (they have names)
        self._first: dict[tuple[Any, ...], int] = {}

    def _judges(self, voter: str | None) -> bool:
        """Tell whether somebody votes on test cases, each of which has one vote for a pair, whoever gives it."""
        return self._books.judges_cases(voter) and voter not in self._guides

    def find_repeat(self, vote: Event) -> int | None:
        """Return the number of the vote that one repeats; None if it counts itself, and is the first."""
        if not _may_repeat(self._books, vote):
            return None
        assert vote.left is not None and vote.right is not None
        subject = vote.voter, frozenset((vote.left, vote.right))
        on = (*subject, None if self._books.settings.once else vote.item)
        if self._judges(vote.voter):
            on = (None, subject[1], vote.item)
        if on not in self._first:
            self._first[on] = self._find_earlier(vote, subject) or vote.number
        return None if self._first[on] == vote.number else self._first[on]

    def _find_earlier(self, vote: Event, subject: tuple[str | None, frozenset[int]]) -> int | None:
        """Return the vote of an earlier day that counts."""
        if self._judges(vote.voter):
            assert self._books.cases is not None
            return self._books.cases.votes_on(pair_of(vote)).get(vote.item)
        return _first_opinion(self._books, self._earlier[subject], vote.item)  # type: ignore[index]


def _visitors(books: Books, log: Log, rows: Iterable[ImportedVote]) -> set[str | None]:
    """Who of an import has been here before it: people are dealt their pairs once, so those votes prove nothing."""
    if books.arrivals is None:
        return set()
    names = {row.voter for row in rows if row.voter is not None and not books.is_guide(row.voter)}
    return {*log.visitors(list(names))}


def _under_their_ids(
    books: Books, log: Log, rows: list[ImportedVote]
) -> tuple[list[ImportedVote], dict[str, Event], set[str]]:
    """Return the rows, the votes that are known by their ids, and the ids of those that come back.

    An import that was undone can be imported again. Its ids are taken, so its votes come back under others.
    """
    ids = {row.event_id: row.event_id for row in rows}
    known = log.find_votes(list(ids))
    undone = any(vote.number in books.undone for vote in known.values())
    withdrawn = log.find_withdrawals() if undone else set()
    times = 1
    while gone := [one for one, i in ids.items() if i in known and known[i].number in withdrawn]:
        times += 1
        ids |= {one: f"{one}~{times}" for one in gone}
        known |= log.find_votes([ids[one] for one in gone])
    restored = {i for one, i in ids.items() if i != one}
    if times > 1:
        rows = [row._replace(event_id=ids[row.event_id]) for row in rows]
    return rows, known, restored


def _require_same_row(kept: Event, row: ImportedVote) -> None:
    """Refuse a row that is not the vote kept under its ``event_id``; what it leaves out is the same."""
    said = (row.left, row.right, row.outcome)
    more = ((row.voter, kept.voter), (row.item, kept.item))
    if (
        said != (kept.left, kept.right, kept.outcome)
        or any(told not in (None, known) for told, known in more)
        or row.times > times_of(kept)
    ):
        raise _conflict(row.event_id)


def undo_vote(
    books: Books, log: Log, event_id: str, now: float, reason: str | None = None, own: bool = False
) -> list[Event]:
    """Return the event that undoes a vote, and the one by which the vote that it kept out counts."""
    vote = log.vote(event_id)
    if vote is None:
        raise UnknownVote(f"there is no vote '{event_id}' in this study.")
    if vote.number in books.undone:
        raise UnknownVote(f"the vote '{event_id}' was undone before.")
    told: dict[str, Any] = {} if reason is None else {"reason": reason}
    if (
        own and (vote.body or {}).get("again") != UNDONE
    ):  # else it stands for one that was not taken back
        told["own"] = True
    return _undo_votes(books, log, [vote], now, told)


def withdrawal(books: Books, log: Log, source: str, now: float) -> list[Event]:
    """Return the events that undo every vote of an import that stands."""
    votes = [vote for vote in log.read_import(source) if vote.number not in books.undone]
    if not votes:
        raise UnknownVote(_nothing_from(source, log.sources()))
    return _undo_votes(books, log, votes, now, {"import": source})


def _nothing_from(source: str, sources: list[str]) -> str:
    if source in sources:
        return f"all votes imported from '{source}' were undone before."
    known = nearest(source, sources) if sources else "no import has been made."
    return f"no votes were imported from '{source}'; {known}"


def _undo_votes(
    books: Books,
    log: Log,
    votes: list[Event],
    now: float,
    body: dict[str, Any],
) -> list[Event]:
    """The events that undo votes, and those by which the votes that they kept out count."""
    gone = books.undone | {vote.number for vote in votes}
    events, heirs = [], {}
    for vote in votes:
        counted = books.counts(vote)
        heir = _heir(books, log, vote, gone) if counted else None
        if heir is not None:
            heirs[heir.number] = _again(heir, COUNTED, now)._replace(counts=heir.number)
        repeats = None if counted else vote.repeats
        again = _again(vote, UNDONE, now)
        told = marks_of(vote) | body | ({} if proves(vote) else {"proves": False})
        events.append(again._replace(undoes=vote.number, repeats=repeats, body=told or None))
    numbered = enumerate([*events, *heirs.values()], books.number + 1)
    return [event._replace(number=number) for number, event in numbered]


def _again(vote: Event, kind: str, now: float) -> Event:
    """An event that says again what a vote said, so that sums are easy."""
    said = vote._replace(kind=kind, time=now, event_id=None, ballot=None, repeats=None)
    return said._replace(body=marks_of(vote) or None)


def _heir(books: Books, log: Log, vote: Event, gone: set[int]) -> Event | None:
    """Return the voter's earliest vote that is not gone and says the same pair, None if none does."""
    shared = books.judges_cases(vote.voter)
    if books.settings.repeats == "count" or (vote.voter is None and not shared):
        return None
    assert vote.left is not None and vote.right is not None
    for other in log.opinions(None if shared else vote.voter, vote.left, vote.right):
        if shared and books.is_guide(other.voter):
            continue
        opinion = books.meaning(other.outcome) is not None
        if other.number not in gone and opinion and _same_item(books, other.item, vote.item):
            return other
    return None


def addition(books: Books, option: Option, now: float) -> Event:
    """Return the event that adds an option."""
    if option.name in books.indices:
        raise InvalidParameter(
            f"there is an option '{option.name}' already; every option needs its own name."
        )
    _require_growing(books)
    return Event(books.number + 1, ADDED, now, left=books.k, body=option.shown)


def _require_growing(books: Books) -> None:
    """Refuse a further option where nobody could ask about it."""
    refuse_for_space(books)
    if books.settings.panel:
        require_few(books.k + 1)
        return
    if books.settings.cases and books.settings.finite is None and books.voted_in_epoch:
        raise InvalidParameter(
            "votes on these cases may have shaped a further option, so on cases like these they prove nothing about it; create "
            "a new study with new cases."
        )
    algorithm = find(books.settings.spec.name)
    if algorithm.absorb is None and algorithm.grow is None:
        raise InvalidParameter(
            f"{algorithm.name} cannot add options once it has begun; "
            "create a new study, or use cpc-pac."
        )


def change_of_state(books: Books, name: str, kind: str, now: float) -> list[Event]:
    """Return the event that pauses, resumes or retires an option; none if it is so already."""
    refuse_for_space(books)
    i = books.index(name)
    state = books.options[i].state
    if state == (ACTIVE if kind == RESUMED else kind):
        return []
    if state == RETIRED:
        raise InvalidParameter(f"the option '{name}' is retired for good.")
    return [Event(books.number + 1, kind, now, left=i)]


def restart(books: Books, reason: str | None, now: float) -> Event:
    """Return the event that begins a new epoch; refuse one that leaves no votes behind."""
    if reason is not None:
        check_text("the reason, as a ", source=reason)
    if books.settings.panel:
        raise InvalidParameter(
            "a panel cannot start again, because its answers are the whole electorate; create a new study instead."
        )
    if books.tuning is not None:
        raise InvalidParameter(
            "a study of a space cannot start again, because its tuner learns from all votes; create a new study instead."
        )
    if not books.votes:
        raise InvalidParameter("no votes count yet, so there is nothing to restart.")
    body = None if reason is None else {"reason": reason}
    return Event(books.number + 1, RESTARTED, now, body=body)
