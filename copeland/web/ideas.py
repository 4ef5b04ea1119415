"""Options that voters suggest: kept beside the log until the owner adds one, which the log then says, or declines it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, func, select

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Study
from copeland.study.kinds import kind_of
from copeland.study.log.events import check_text
from copeland.study.log.schema import ideas
from copeland.study.log.state import StudyState
from copeland.study.log.storage import Storage
from copeland.support.phrasing import look_of
from copeland.web.server import Server
from copeland.web.store import VotingPage

WAITING, ADDED, DECLINED = "waiting", "added", "declined"  # states of an idea
FEW = 3  # answers that somebody gives before suggesting anything
EACH = 3  # ideas of one voter
MOST = 200  # ideas of a study that wait for its owner
LETTERS = 500  # of an idea
TITLE = 60  # letters of the name that is offered for it
FULL = "Many ideas are waiting to be read. Come back later, please."
ENOUGH = f"You have suggested {EACH} options, and that is all for one person. Thank you."


class Idea(NamedTuple):
    """What a voter suggested."""

    id: int
    study: int  # its key
    voter: str  # which no page shows
    text: str
    time: float
    state: str
    option: str | None  # that it became

    @property
    def title(self) -> str:
        """The name that is offered for it."""
        first = self.text.splitlines()[0]
        return first if len(first) <= TITLE else f"{first[:TITLE].rstrip()}…"


class Ideas:
    """The ideas of all studies in a storage."""

    def __init__(self, storage: Storage, clock: Callable[[], float] = time.time):
        self._storage, self._clock = storage, clock

    def add(self, study: int, voter: str, text: str) -> Idea:
        """Keep what a voter suggests, and return it; the same words again are kept once."""
        text = check_idea(text)

        def work(connection: Connection) -> Idea:
            here = ideas.c.study == study
            own = select(ideas).where(here, ideas.c.voter == voter)
            known = [Idea(*row) for row in connection.execute(own)]
            for idea in known:
                if idea.text == text:
                    return idea
            if len(known) >= EACH:
                raise InvalidParameter(ENOUGH)
            waits = select(func.count()).where(here, ideas.c.state == WAITING)
            if connection.execute(waits).scalar_one() >= MOST:
                raise InvalidParameter(FULL)
            told: dict[str, Any] = {"study": study, "voter": voter, "text": text}
            told |= {"time": self._clock(), "state": WAITING, "option": None}
            made = connection.execute(sa.insert(ideas).returning(ideas.c.id), told)
            return Idea(made.scalar_one(), **told)

        return self._storage.transact(work)

    def find_all(self, study: int) -> list[Idea]:
        """Return the ideas of a study, the oldest first."""
        query = select(ideas).where(ideas.c.study == study).order_by(ideas.c.id)
        return [Idea(*row) for row in self._rows(query)]

    def find(self, study: int, idea: int) -> Idea | None:
        """Return one of a study."""
        query = select(ideas).where(ideas.c.study == study, ideas.c.id == idea)
        return next((Idea(*row) for row in self._rows(query)), None)

    def count(self, study: int, **those: str) -> int:
        """Return how many there are of a study, of a voter or in a state."""
        so = (ideas.c.study == study, *(ideas.c[name] == value for name, value in those.items()))
        return self._rows(select(func.count()).where(*so))[0][0]

    def settle(self, study: Study, idea: Idea, state: str, name: str = "", text: str = "") -> None:
        """Add the option that an idea becomes, under a name and with the text that voters see; decline it, or let it wait again."""
        if state == ADDED:
            name, text = name or idea.title, text or idea.text
            # It is claimed first, so that two who approve it at once do not add it twice.
            self._move(idea, (WAITING,), ADDED, name)
            try:
                study.add_option(name, "" if text == name else text)
            except CopelandError:
                self._move(idea, (ADDED,), WAITING, None)
                raise
        elif state == DECLINED:
            self._move(idea, (WAITING,), DECLINED, None)
        elif state == WAITING:
            if idea.option in {option.name for option in study.options}:
                raise InvalidParameter(
                    f"This idea is the option '{idea.option}'; retire the option instead."
                )
            self._move(idea, (ADDED, DECLINED), WAITING, None)

    def _move(self, idea: Idea, before: tuple[str, ...], state: str, option: str | None) -> None:
        here = (ideas.c.id == idea.id) & ideas.c.state.in_(before)
        change = sa.update(ideas).where(here).values(state=state, option=option)
        if not self._storage.transact(lambda connection: connection.execute(change).rowcount):
            raise InvalidParameter("Somebody else has settled this idea just now; look again.")

    def _rows(self, query: sa.Select) -> list[Any]:
        return self._storage.transact(lambda connection: [*connection.execute(query)], reads=True)


def check_idea(text: str) -> str:
    """Return the words of an idea without spaces around them; refuse none, too many, or invisible ones."""
    text = text.strip()
    if not look_of(text):
        raise InvalidParameter("Write what you suggest.")
    if len(text) > LETTERS:
        raise InvalidParameter(f"This has {len(text):,} letters; up to {LETTERS} are possible.")
    check_text("an idea's ", text=text)
    return text


def may_suggest(page: VotingPage, done: int, pairs: int) -> bool:
    """Tell whether a voter has answered enough to suggest an option, where the owner lets voters do so."""
    return page.ideas and done >= max(1, min(FEW, pairs))


def find_obstacle(server: Server, page: VotingPage, study: Study) -> str:
    """Return why voters cannot suggest options for a study; empty if they can."""
    if not kind_of(study.settings).serves_pages:
        return "Judges read the options of this study, on cases that are fixed."
    if page.items:
        return "Every option of this study has a text for each item, and an idea is one text."
    if server.panes(page):
        return "The options of this study are images or recordings, and an idea is a text."
    return study.look_at_state(lambda state: _find_refusal(study, state))


def require_ideas(server: Server, page: VotingPage, study: Study) -> None:
    """Refuse to let voters suggest options where they cannot."""
    obstacle = find_obstacle(server, page, study)
    if obstacle:
        raise InvalidParameter(f"{obstacle} So voters cannot suggest any.")


def switch_ideas(server: Server, page: VotingPage, on: bool) -> None:
    """Let voters suggest options, or no longer."""
    server.store.save_page(replace(page, ideas=on))


def _find_refusal(study: Study, state: StudyState) -> str:
    try:
        study.transactions.kind.check_adding(state)
    except InvalidParameter as error:
        return str(error)
    return ""
