"""Who of a panel may answer what: checked before an answer is kept. And who is excused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.certificate import PanelCertificate, panel_certificate
from copeland.certificate.panel_planner import still_matter
from copeland.errors import AlreadyVoted, CopelandError, InvalidParameter, InvalidRow
from copeland.study.log.events import ERROR, EXCUSED, READMITTED, Event
from copeland.study.log.state import Books
from copeland.study.options import ACTIVE
from copeland.support.phrasing import join_names

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
            f"this vote has no voter, but the panel is {join_names(panel.members)}; say whose it is."
        )
    if voter not in panel.places:
        raise InvalidParameter(
            f"'{voter}' is not on the panel, which is {join_names(panel.members)}."
        )
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
        raise _second_answer_error(books, vote)
    met.add(subject)


def _second_answer_error(books: Books, vote: Event) -> AlreadyVoted:
    assert vote.left is not None and vote.right is not None
    pair = join_names([books.options[i].name for i in sorted((vote.left, vote.right))])
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
        raise InvalidParameter(
            f"'{voter}' is not on the panel, which is {join_names(panel.members)}."
        )
    if (voter in panel.excused) == (kind == EXCUSED):
        return []
    assert kind in (EXCUSED, READMITTED)
    return [Event(books.number + 1, kind, now, voter=voter)]


def active_of(books: Books) -> list[int]:
    """Return the options that are asked."""
    return [i for i, option in enumerate(books.options) if option.state == ACTIVE]


def panel_certificate_of(books: Books, active: bool = False) -> PanelCertificate:
    """Return what is settled of the options that are not retired, or of the active ones alone.

    Answers that nobody will be asked for, as an option is paused, are missing all the same.
    """
    panel, kept = books.panel, books.options_left
    among = active_of(books) if active else kept
    return panel_certificate(
        books.wins,
        books.ties,
        panel.missing,
        labels=[option.name for option in books.options],
        members=len(panel.members),
        excused=[name for name in panel.members if name in panel.excused],
        active=among if active or len(kept) < books.k else None,
    )


def find_open_answers(books: Books) -> NDArray[np.bool_]:
    """Return members x K x K: whose missing answers may bear on who is best of the active options."""
    among = active_of(books)
    matter = np.zeros(books.panel.answered.shape, dtype=bool)
    if len(among) > 1:
        cut = np.ix_(range(len(matter)), among, among)
        matter[cut] = still_matter(books.wins[np.ix_(among, among)], books.panel.silent[cut])
    return matter


@dataclass(frozen=True, eq=False)
class PanelStanding:
    """Where a panel stands: who has answered how much, what is missing, and whose answers still matter."""

    members: tuple[str, ...]
    excused: tuple[str, ...]
    given: tuple[int, ...]  # answers of each member, skips included
    matter: tuple[int, ...]  # of each member: missing answers that may bear on who is best
    missing: NDArray[np.int64]  # K x K: answers that are waited for
    silent: NDArray[np.bool_]  # members x K x K: answered, or excused
    active: PanelCertificate  # what is settled of the active options: of those not paused

    @property
    def members_to_ask(self) -> tuple[str, ...]:
        """The members who are still to be asked something."""
        return tuple(name for name, n in zip(self.members, self.matter, strict=True) if n)

    def rows(self) -> list[dict[str, Any]]:
        """Return what is known of each member."""
        k = len(self.missing)
        return [
            {
                "name": name,
                "answers": given,
                "missing": 0 if name in self.excused else k * (k - 1) // 2 - given,
                "to_ask": matter,
                "excused": name in self.excused,
            }
            for name, given, matter in zip(self.members, self.given, self.matter, strict=True)
        ]


def panel_standing_of(books: Books) -> PanelStanding | None:
    """Return where the panel stands, None if there is none."""
    panel = books.panel
    if not panel.members:
        return None
    matter = find_open_answers(books).sum(axis=(1, 2)) // 2
    return PanelStanding(
        members=panel.members,
        excused=tuple(name for name in panel.members if name in panel.excused),
        given=tuple(map(panel.count_answers, panel.members)),
        matter=tuple(matter.tolist()),
        missing=panel.missing,
        silent=panel.silent,
        active=panel_certificate_of(
            books, active=1 < len(active_of(books)) < len(books.options_left)
        ),
    )
