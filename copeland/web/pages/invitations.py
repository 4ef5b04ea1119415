"""Who was invited to a study by name: their links, which lead on or have ended, and how far they are.

A person keeps one name in the log, whatever becomes of the link: who is renamed, or gets a new link, goes on where
they were, and keeps the place in a panel.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from copeland.errors import InvalidParameter
from copeland.study.kinds import kind_of
from copeland.support.phrasing import is_random_name
from copeland.web.pages.admin import ManagedStudy
from copeland.web.pages.question_counts import count_panel, usual_questions
from copeland.web.store import Link

LABEL = 200  # letters
COLUMNS = ("name", "email", "e-mail")  # of a CSV file of people, the first that is filled in
MOST = 1_000  # personal links made at a time


class Person(NamedTuple):
    """Somebody who was invited by name."""

    place: int  # among those who were invited, from 1
    voter: str  # in the log
    label: str  # as the owner calls them; empty once that was deleted
    link: Link | None  # that leads on
    ended: Link | None  # the last one that was revoked, and can be taken back
    answers: int = 0
    left: int = 0  # answers that are still to come, about
    excused: bool = False  # whether a panel no longer waits for the answers

    @property
    def name(self) -> str:
        """What pages call them."""
        return self.label or f"Person {self.place}"


def list_people(here: ManagedStudy) -> list[Person]:
    """Return who was invited, in the order of their first links; of a panel, every member."""
    links: dict[str, list[Link]] = {}
    for link in here.server.store.links(here.page.study):
        if link.voter is not None:
            links.setdefault(link.voter, []).append(link)
    panel = here.study.settings.panel
    if panel:
        links = {name: own for name, own in links.items() if name in panel}
        links |= {name: [] for name in panel if name not in links}
    answers, now = here.server.store.answers_by_voter(here.page.study), here.server.clock()
    left = _count_left(here, answers)
    excused = here.study.look_at_state(lambda state: set(state.ledger.excused))
    return [
        _person(place, voter, own, now)._replace(
            answers=answers.get(voter, 0), left=left(voter), excused=voter in excused
        )
        for place, (voter, own) in enumerate(links.items(), 1)
    ]


def _count_left(here: ManagedStudy, answers: Mapping[str, int]) -> Callable[[str], int]:
    """What tells how many answers of somebody are still to come."""
    settings = here.study.settings
    if here.study.closed or here.study.certificate().decided:
        return lambda _: 0
    if kind_of(settings).asks_shares:
        return count_panel(here.study).left
    pairs = usual_questions(here.page, here.study)
    return lambda voter: max(pairs - answers.get(voter, 0), 0)


def _person(place: int, voter: str, links: Sequence[Link], now: float) -> Person:
    usual = "" if is_random_name(voter) else voter  # a panel that has names of its own
    label = next((link.label for link in reversed(links) if link.label), usual)
    leading = next((link for link in reversed(links) if link.is_open(now)), None)
    revoked = [link for link in links if link.revoked and link._replace(revoked=False).is_open(now)]
    return Person(place, voter, label, leading, revoked[-1] if revoked else None)


def find_person(here: ManagedStudy, place: int) -> Person:
    """Return who has a place in the list."""
    found = next((one for one in list_people(here) if one.place == place), None)
    if found is None:
        raise InvalidParameter("Nobody has this place any more; look at the list again.")
    return found


def can_vote(here: ManagedStudy, link: Link) -> bool:
    """Tell whether somebody who comes by a link could vote: in a panel, only its members."""
    settings = here.study.settings
    return kind_of(settings).serves_pages and kind_of(settings).admits(settings, link.voter)


class Invited(NamedTuple):
    """Somebody whom a CSV file names."""

    name: str
    email: str  # empty where the file has none; the server does not keep it


def read_people(content: bytes) -> list[Invited]:
    """Return whom a CSV file names in its column name or email, or else in its first column."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidParameter("The CSV file is not in UTF-8; save it as CSV in UTF-8.") from None
    first = text.partition("\n")[0]
    rows = list(csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ","))
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    places = [head.index(name) for name in COLUMNS if name in head]
    people = []
    for row in rows[1:] if places else rows:
        told = {place: row[place].strip() for place in places or [0] if place < len(row)}
        name = next(filter(None, told.values()), "")
        email = next((text for place, text in told.items() if head[place] != "name"), "")
        people += [Invited(name[:LABEL], email if places else "")] if name else []
    return people


def invite(here: ManagedStudy, names: Sequence[str], expires: float | None) -> None:
    """Make a link for each name; somebody who was here before comes back as who they were."""
    settings = here.study.settings
    known = {one.label: one for one in list_people(here) if one.label}
    again = [known[name] for name in names if name in known]
    busy = next((one.label for one in again if one.link is not None), None)
    if busy is not None:
        raise InvalidParameter(f"{busy} has a link already; copy it from the list.")
    fresh = list(dict.fromkeys(name[:LABEL] for name in names if name not in known))[:MOST]
    if fresh:
        kind_of(settings).check_link(settings, fresh[0])
        here.server.store.add_links(here.page.study, here.server.signer, fresh, True, expires)
    for person in again:
        renew(here, person, expires)


def renew(here: ManagedStudy, person: Person, expires: float | None = None) -> None:
    """Give somebody a new link; the one before leads nowhere any more."""
    store, study = here.server.store, here.page.study
    for link in store.links(study):
        if link.voter == person.voter and not link.revoked:
            store.revoke_link(study, link.id)
    store.add_links(study, here.server.signer, [person.name], True, expires, voters=[person.voter])


def add_open_link(here: ManagedStudy, expires: float | None) -> None:
    """Make a link for everybody, unless only some may vote."""
    kind_of(here.study.settings).check_link(here.study.settings)
    store, signer = here.server.store, here.server.signer
    store.add_links(here.page.study, signer, ["Open link"], False, expires)
