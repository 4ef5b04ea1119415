"""Who proves and who guides: roles that voters are given before they vote.

What a guide says moves what the planner believes, never what is proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from copeland.errors import AlreadyVoted, InvalidParameter, InvalidRow, UnknownName, nearest
from copeland.registry import find
from copeland.study.commands import import_rows
from copeland.study.log.event_log import Log
from copeland.study.log.events import GUIDE, PROOF, ROLE, ROLES, Event
from copeland.study.log.state import Books
from copeland.study.votes import Imported, ImportedVote


def check_role(role: str) -> None:
    """Refuse what is no role."""
    if role not in ROLES:
        raise UnknownName(f"there is no role '{role}'; {nearest(str(role), ROLES)}")


def give_role(books: Books, log: Log, voter: str, role: str, now: float) -> list[Event]:
    """Return the event that gives a voter a role; none if the voter has it already."""
    has = GUIDE if books.is_guide(voter) else PROOF
    if role == has:
        return []
    if books.settings.panel:
        raise InvalidParameter("every member of a panel counts, so nobody can guide it.")
    if books.tuning is not None:
        raise InvalidParameter(
            "every vote moves a tuner's estimate, so nobody can be a guide here."
        )
    algorithm = find(books.settings.spec.name)
    if algorithm.hint is None:
        raise InvalidParameter(
            f"{algorithm.name} cannot be guided, so every vote counts as proof; use cpc-pac for guides."
        )
    if next(iter(log.votes_of(voter)), None) is not None:
        raise AlreadyVoted(
            f"'{voter}' has voted in the role {has} and keeps it; let the {role} vote under another name."
        )
    return [Event(books.number + 1, ROLE, now, voter=voter, body={"role": role})]


def import_in_role(
    books: Books,
    log: Log,
    rows: Sequence[ImportedVote],
    source: str | None,
    role: str | None,
    now: float,
) -> tuple[list[Event], Imported]:
    """Return the roles of the voters of an import and then its votes, and how many are what.

    The role is the one that is named; without one, that of the rows.
    """
    roles = _roles_of(books, log, rows, role, now)
    last = books.number + len(roles)
    guides = {event.voter for event in roles if (event.body or {})["role"] == GUIDE}
    votes, found = import_rows(books, log, rows, source, now, last, guides)
    return [*roles, *votes], found


def _roles_of(
    books: Books, log: Log, rows: Iterable[ImportedVote], role: str | None, now: float
) -> list[Event]:
    """The events that give voters the roles that they do not have yet."""
    roles: dict[str | None, str] = {}
    for row in rows:
        told = role or row.role
        if told is not None:
            roles[row.voter] = told
    if roles.pop(None, PROOF) == GUIDE:
        raise InvalidRow("a vote of a guide needs its voter's name. Nothing was imported.")
    given = (give_role(books, log, str(voter), told, now) for voter, told in roles.items())
    new = [event for events in given for event in events]
    return [event._replace(number=number) for number, event in enumerate(new, books.number + 1)]
