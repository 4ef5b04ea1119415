"""Who of a panel may answer what: checked before an answer is kept. And who is excused."""

from __future__ import annotations

from collections.abc import Iterable

from copeland.errors import AlreadyVoted, CopelandError, InvalidParameter, InvalidRow
from copeland.study.record.books import Books
from copeland.study.record.events import ERROR, EXCUSED, READMITTED, Event
from copeland.words import listed

_Subject = tuple[str, frozenset[int]]  # a member and a pair

MOST = 200  # options: the planner weighs every champion against every rival of every other


def require_few(k: int) -> None:
    """Refuse more options than a panel's planner can weigh while somebody waits."""
    if k > MOST:
        raise InvalidParameter(
            f"a panel's study takes up to {MOST} options, not {k:,}; let people vote instead."
        )


def require_member(books: Books, voter: str | None) -> None:
    """Refuse who is not on the panel, or is excused."""
    panel = books.panel
    if voter is None:
        raise InvalidParameter(
            f"this vote has no voter, but the panel is {listed(panel.members)}; say whose it is."
        )
    if voter not in panel.places:
        raise InvalidParameter(f"'{voter}' is not on the panel, which is {listed(panel.members)}.")
    if voter in panel.excused:
        raise InvalidParameter(f"'{voter}' is excused; readmit the voter first.")


def require_own(books: Books, asked: Event, vote: Event) -> None:
    """Refuse a vote that is not the first answer, by the member who was asked."""
    require_same_voter(asked, vote)
    require_member(books, vote.voter)
    _require_first(books, vote, set())


def require_same_voter(asked: Event, vote: Event) -> None:
    """Refuse an answer by somebody else than who was asked."""
    if vote.voter != asked.voter:
        raise InvalidParameter(
            f"ballot {asked.number} was handed to '{asked.voter}', so '{vote.voter}' cannot answer it."
        )


def require_one_each(books: Books, votes: Iterable[Event]) -> None:
    """Refuse votes from elsewhere, all of them, if one is not a member's first answer on its pair."""
    met: set[_Subject] = set()
    try:
        for vote in votes:
            require_member(books, vote.voter)
            _require_first(books, vote, met)
    except CopelandError as error:
        raise InvalidRow(f"{error} Nothing was imported.") from error


def _require_first(books: Books, vote: Event, met: set[_Subject]) -> None:
    """Refuse a member's second answer on a pair; note the first in what was met."""
    assert vote.voter is not None and vote.left is not None and vote.right is not None
    if vote.outcome == ERROR:
        return
    subject = vote.voter, frozenset((vote.left, vote.right))
    if subject in met or books.panel.has_answered(vote.voter, vote.left, vote.right):
        raise _answered(books, vote)
    met.add(subject)


def _answered(books: Books, vote: Event) -> AlreadyVoted:
    assert vote.left is not None and vote.right is not None
    pair = listed([books.options[i].name for i in sorted((vote.left, vote.right))])
    return AlreadyVoted(
        f"'{vote.voter}' has already answered {pair}; to change the answer, undo that vote first."
    )


def attendance(books: Books, voter: str, kind: str, now: float) -> list[Event]:
    """Return the event that excuses or readmits a member; none if it is so already."""
    panel = books.panel
    if not panel.members:
        raise InvalidParameter(
            "this study has no panel, and you can excuse only members of a panel."
        )
    if voter not in panel.places:
        raise InvalidParameter(f"'{voter}' is not on the panel, which is {listed(panel.members)}.")
    if (voter in panel.excused) == (kind == EXCUSED):
        return []
    assert kind in (EXCUSED, READMITTED)
    return [Event(books.number + 1, kind, now, voter=voter)]
