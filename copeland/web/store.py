"""What is kept beside the logs: voting pages, links, keys, images, sessions and checks, as values and in tables.

Votes are in the logs alone.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection, func, select
from sqlalchemy.dialects import postgresql, sqlite

from copeland.study.log.event_log import times
from copeland.study.log.events import UNDONE, VOTED, is_storable
from copeland.study.log.schema import (
    checks,
    events,
    keys,
    links,
    media,
    outputs,
    pages,
    panes,
    server,
    sessions,
    studies,
)
from copeland.study.log.sides import ONCE
from copeland.study.log.storage import Storage
from copeland.study.text_edits import USUAL_QUESTION
from copeland.web.security import Signer, hash_text, new_token

KINDS = ("text", "markdown", "code")  # how an option's text is shown; an image is shown as it is
RESULTS = ("off", "closed", "live")  # for the public: never, after closing, always
QUESTION = USUAL_QUESTION
CODE_NAME = "pid"
SCOPES = ("ask", "tell", "read", "admin")


@dataclass(frozen=True)
class VotingPage:
    """What voters are told and shown."""

    study: int  # its key
    name: str  # its name, which voters never see
    slug: str
    question: str = QUESTION
    guidance: str = ""
    kind: str = "text"
    language: str = ""  # of code
    per_voter: int = 20
    ties: bool = True
    both_bad: bool = True
    items: bool = False  # whether options are compared on items, with a text for each
    known: list[list[str]] = field(default_factory=list)  # texts of which the first is better
    check_every: int = 0  # pairs between two checks; 0: none
    repeats: bool = False  # whether earlier pairs come again, swapped, to see how steady a voter is
    failures: int = 0  # known answers that exclude who fails them; 0: nobody is excluded
    paused: bool = False
    results: str = "off"
    code: str = ""  # shown at the end, for those who must prove that they took part
    completion: str = ""  # where voters go after the last question; {code} is the panel's
    code_name: str = CODE_NAME  # under which the panel puts its code into links
    named: bool = False  # whether the owner sees who answered what; voters are told
    ideas: bool = False  # whether voters may suggest options, which the owner adds or declines

    @property
    def body(self) -> dict[str, Any]:
        """What is stored beside the study and the address."""
        told = asdict(self)
        return {name: told[name] for name in told if name not in ("study", "name", "slug")}


def page_of(study: int, name: str, slug: str, body: Mapping[str, Any]) -> VotingPage:
    """Return the page that was stored."""
    return VotingPage(study, name, slug, **body)


class Link(NamedTuple):
    """A way to a voting page: for everybody, or for one voter."""

    id: int
    study: int
    nonce: str
    hash: str
    voter: str | None
    label: str
    created: float
    expires: float | None
    revoked: bool

    def is_open(self, now: float) -> bool:
        """Tell whether it still leads anywhere."""
        return not self.revoked and (self.expires is None or now < self.expires)

    @property
    def source(self) -> str:
        """What the log says of votes that came this way."""
        return f"link {self.nonce[:8]}"


class Key(NamedTuple):
    """What a program may do."""

    id: int
    study: int | None  # None: all studies
    hash: str
    client: str
    label: str
    scopes: str
    created: float
    revoked: bool

    @property
    def source(self) -> str:
        """What the log says of ballots and votes that came this way."""
        return f"key {self.client}"

    def sign(self, source: str | None = None) -> str:
        """Return what the log says of what came this way, with what the program says of where it has that from."""
        return f"{self.source} {source}" if source else self.source

    def has_signed(self, source: str) -> bool:
        """Tell whether something came this way, by what the log says of it."""
        return f"{source} ".startswith(f"{self.source} ")

    def allows(self, scope: str) -> bool:
        """Tell whether it is for this."""
        return scope in self.scopes.split()


class Image(NamedTuple):
    """An image as it is sent; a recording, too, which has no size."""

    digest: str
    kind: str
    content: bytes
    width: int
    height: int


class Pane(NamedTuple):
    """The image of an option, and words for those who do not see it."""

    media: str
    alt: str


def pane_key(option: str, item: str | None) -> str:
    """Return what the image of an option is kept under, of one item if it has one for each.

    A name holds no line break, so no option is taken for another's image.
    """
    return option if item is None else f"{hash_text(item)}\n{option}"


def option_of(key: str) -> str:
    """Return the option whose image is kept under a key."""
    return key.rpartition("\n")[2]


class Checked(NamedTuple):
    """What became of a check."""

    voter: str
    kind: str
    good: bool | None  # None: it tells nothing, as it was skipped


_arrivals = (
    select(pages.c.study, studies.c.name, pages.c.slug, pages.c.body, *links.c)
    .join(studies, studies.c.id == pages.c.study)
    .join(links, links.c.study == pages.c.study)
)
_ARRIVAL = _arrivals.where(
    pages.c.slug == sa.bindparam("slug"), links.c.nonce == sa.bindparam("nonce")
)
_OPENING = _arrivals.where(links.c.hash == sa.bindparam("hash"))

_e = events.c
V = TypeVar("V")


class Store:
    """The tables beside the logs."""

    def __init__(self, storage: Storage, clock: Callable[[], float] = time.time):
        self.storage = storage
        self.changes = 0  # that this process made, to whatever is kept here
        self._clock = clock

    # The server

    def secret(self) -> str:
        """Return the secret that all processes of the server share; made at the first start."""
        if self.value("secret") is None:  # another process may be faster
            self._insert_new(server, {"name": "secret", "value": secrets.token_hex(32)})
        return str(self.value("secret"))

    def value(self, name: str) -> str | None:
        """Return what is stored under a name."""
        return self._one(select(server.c.value).where(server.c.name == name))

    def set_value(self, name: str, value: str) -> None:
        """Store something under a name."""
        self._write(lambda connection: put_value(connection, name, value))

    def note_time(self) -> None:
        """Store the time, to see whether anything can be stored; nobody reads it."""
        self.storage.transact(lambda connection: put_value(connection, "ready", str(self._clock())))

    # Pages

    def pages(self) -> list[VotingPage]:
        """Return the page of every study, the newest first; a study without one gets it."""
        without = select(studies.c.id).where(studies.c.id.not_in(select(pages.c.study)))
        for (study,) in self._rows(without):
            self.add_page(study, {})
        return [page_of(*row) for row in self._rows(self._pages().order_by(studies.c.id.desc()))]

    def find_page(self, slug: str) -> VotingPage | None:
        """Return the page at an address."""
        if not is_storable(slug):  # databases refuse to look for it
            return None
        return self._first(self._pages().where(pages.c.slug == slug), page_of)

    def find_page_of(self, study: int) -> VotingPage | None:
        """Return the page of a study, by the study's key."""
        return self._first(self._pages().where(pages.c.study == study), page_of)

    def find_page_by_name(self, name: str) -> VotingPage | None:
        """Return the page of a study, by the study's name or by its own address."""
        if not is_storable(name):
            return None
        here = (studies.c.name == name) | (pages.c.slug == name)
        query = self._pages().where(here).order_by(studies.c.name != name)
        return self._first(query, page_of)

    def add_page(self, study: int, body: Mapping[str, Any]) -> None:
        """Give a study a page at a random address, unless it has one."""
        row = {"study": study, "slug": secrets.token_urlsafe(9), "body": dict(body)}
        self._insert_new(pages, row)

    def save_page(self, page: VotingPage) -> None:
        """Store what a page says."""
        here = pages.c.study == page.study
        self._execute(sa.update(pages).where(here).values(body=page.body))

    def _pages(self) -> sa.Select:
        columns = (pages.c.study, studies.c.name, pages.c.slug, pages.c.body)
        return select(*columns).join(studies, studies.c.id == pages.c.study)

    # Images

    def add_image(self, image: Image) -> None:
        """Store an image, once."""
        self._insert_new(media, image._asdict())

    def remove_unused_images(self, digests: Iterable[str]) -> None:
        """Remove images that no option shows."""
        unused = media.c.digest.in_(list(digests)) & media.c.digest.not_in(select(panes.c.media))
        self._execute(sa.delete(media).where(unused))

    def image(self, digest: str) -> Image | None:
        """Return an image."""
        return self._first(select(media).where(media.c.digest == digest), Image)

    def media_kind(self, digest: str) -> str:
        """Return the type of an image or a recording, without its content; empty if there is none."""
        return self._one(select(media.c.kind).where(media.c.digest == digest)) or ""

    def show(self, study: int, option: str, pane: Pane) -> None:
        """Let an image be shown for an option."""
        row = {"study": study, "option": option, **pane._asdict()}
        self._execute(sa.insert(panes), row)

    def describe_image(self, study: int, key: str, alt: str) -> None:
        """Change the words for an image that is shown."""
        here = (panes.c.study == study) & (panes.c.option == key)
        self._execute(sa.update(panes).where(here).values(alt=alt))

    def panes(self, study: int) -> dict[str, Pane]:
        """Return what images are shown, by option."""
        query = select(panes.c.option, panes.c.media, panes.c.alt).where(panes.c.study == study)
        return {option: Pane(*rest) for option, *rest in self._rows(query)}

    def add_outputs(self, study: int, rows: Iterable[tuple[str, str, str]]) -> None:
        """Store what is shown for options on items: item, option and text."""
        told = [
            {"study": study, "digest": hash_text(item), "item": item, "option": name, "text": text}
            for item, name, text in rows
        ]
        self._execute(sa.insert(outputs), told)

    def outputs(self, study: int) -> dict[str, dict[str, str]]:
        """Return what is shown for each option, by item."""
        found: dict[str, dict[str, str]] = {}
        query = select(outputs.c.item, outputs.c.option, outputs.c.text)
        for item, option, text in self._rows(query.where(outputs.c.study == study)):
            found.setdefault(item, {})[option] = text
        return found

    # Checks

    def add_check(
        self, study: int, voter: str, kind: str, index: int, outcome: str, good: bool | None
    ) -> None:
        """Store the answer to a voter's check of this index, unless there is one."""

        def work(connection: Connection) -> None:
            lock_study(connection, study)  # a browser may send it twice, to two processes
            here = (checks.c.study == study) & (checks.c.voter == voter)
            bodies = connection.execute(select(checks.c.body).where(here)).scalars()
            if all(body["index"] != index for body in bodies):
                body = {"index": index, "outcome": outcome, "good": good}
                row = {"study": study, "voter": voter, "kind": kind, "time": self._clock()}
                connection.execute(sa.insert(checks), {**row, "body": body})

        self._write(work)

    def checks_of(self, study: int, voter: str | None = None) -> list[Checked]:
        """Return the checks that a voter answered, or all of a study."""
        query = select(checks.c.voter, checks.c.kind, checks.c.body).where(checks.c.study == study)
        if voter is not None:
            query = query.where(checks.c.voter == voter)
        rows = self._rows(query.order_by(checks.c.id))
        return [Checked(who, kind, body["good"]) for who, kind, body in rows]

    # Links

    def add_links(
        self,
        study: int,
        signer: Signer,
        labels: Sequence[str],
        personal: bool,
        expires: float | None = None,
        voters: Sequence[str] = (),
    ) -> None:
        """Make links: for one voter each, who is known to the log by a random name, or for everybody.

        ``voters`` are these names, if there are some already.
        """
        rows, known = [], iter(voters)
        for label in labels:
            nonce = new_token()
            voter = next(known, f"voter-{secrets.token_hex(6)}") if personal else None
            row = {"study": study, "nonce": nonce, "hash": hash_text(signer.link(nonce))}
            row |= {"voter": voter, "label": label, "created": self._clock()}
            rows.append(row | {"expires": expires, "revoked": False})
        self._execute(sa.insert(links), rows)

    def links(self, study: int) -> list[Link]:
        """Return all links of a study, the oldest first."""
        rows = self._rows(select(links).where(links.c.study == study).order_by(links.c.id))
        return list(map(Link._make, rows))

    def opening(self, token: str) -> tuple[VotingPage, Link] | None:
        """Return the page and the link of a token."""
        return self._arrive(_OPENING, {"hash": hash_text(token)})

    def link_by_nonce(self, nonce: str) -> Link | None:
        """Return a link that a voter's cookie names."""
        return self._first(select(links).where(links.c.nonce == nonce), Link)

    def arrival(self, slug: str, nonce: str) -> tuple[VotingPage, Link] | None:
        """Return a page and one of its links, which a voter's cookie names."""
        return self._arrive(_ARRIVAL, {"slug": slug, "nonce": nonce})

    def _arrive(self, query: sa.Select, bound: dict[str, str]) -> tuple[VotingPage, Link] | None:
        found = self._read(lambda connection: connection.execute(query, bound).first())
        return None if found is None else (page_of(*found[:4]), Link(*found[4:]))

    def revoke_link(self, study: int, link: int, revoked: bool = True) -> None:
        """Let a link lead nowhere, or on again."""
        here = (links.c.study == study) & (links.c.id == link)
        self._execute(sa.update(links).where(here).values(revoked=revoked))

    def name_voter(self, study: int, voter: str, label: str) -> None:
        """Say who a voter is, beside all links of that voter; an empty name is forgotten."""
        here = (links.c.study == study) & (links.c.voter == voter)
        self._execute(sa.update(links).where(here).values(label=label))

    def last_number(self, study: int) -> int:
        """Return the number of the last event of a log."""
        return self._one(select(func.max(events.c.number)).where(events.c.study == study)) or 0

    # What logs say of where answers came from

    def votes_by_source(self, study: int, last: int | None = None) -> dict[str, int]:
        """Return how many answers came from where, up to an event; "" is where nothing was said."""
        came = (_e.study == study, _e.kind == VOTED, _until(last))
        # Judges give a reason with each vote.
        source = sa.case((_e.source.startswith(ONCE), ONCE), else_=_e.source).label("way")
        query = select(source, func.sum(times)).where(*came).group_by(sa.text("way"))
        return {source or "": int(votes) for source, votes in self._rows(query)}

    def answers_by_voter(self, study: int) -> dict[str, int]:
        """Return how many answers of each voter stand."""
        sign = sa.case((_e.kind == VOTED, times), else_=-times)
        given = (_e.study == study, _e.kind.in_((VOTED, UNDONE)), _e.voter.is_not(None))
        query = select(_e.voter, func.sum(sign)).where(*given).group_by(_e.voter)
        return {voter: int(answers) for voter, answers in self._rows(query)}

    def undone(self, study: int, last: int | None = None) -> list[Mapping[str, Any] | None]:
        """Return what was said when votes were undone, up to an event."""
        taken = (_e.study == study, _e.kind == UNDONE, _until(last))
        return [body for (body,) in self._rows(select(_e.body).where(*taken))]

    # Keys

    def add_key(self, study: int | None, label: str, scopes: Sequence[str]) -> str:
        """Return a new key, which is shown this once."""
        client = secrets.token_hex(4)
        key = f"cop_{client}_{new_token()}"
        row = {"study": study, "hash": hash_text(key), "client": client, "label": label}
        row |= {"scopes": " ".join(scopes), "created": self._clock(), "revoked": False}
        self._execute(sa.insert(keys), row)
        return key

    def key(self, token: str) -> Key | None:
        """Return the key of a token, unless it was revoked."""
        known = (keys.c.hash == hash_text(token)) & ~keys.c.revoked
        return self._first(select(keys).where(known), Key)

    def is_open(self, key: Key) -> bool:
        """Tell whether a key has not been revoked."""
        here = (keys.c.id == key.id) & ~keys.c.revoked
        return self._one(select(keys.c.id).where(here)) is not None

    def keys(self, study: int | None) -> list[Key]:
        """Return the keys of a study, or those of all studies."""
        here = keys.c.study.is_(None) if study is None else keys.c.study == study
        return [Key(*row) for row in self._rows(select(keys).where(here).order_by(keys.c.id))]

    def is_revoked(self, source: str) -> bool:
        """Tell whether what came from a source came by a key that opens nothing any more."""
        client = source.removeprefix("key ").partition(" ")[0]
        known = keys.c.revoked & (keys.c.client == client)
        return bool(self._rows(select(keys.c.id).where(known)))

    def revoke_key(self, study: int | None, key: int) -> None:
        """Let a key open nothing."""
        owner = keys.c.study.is_(None) if study is None else keys.c.study == study
        here = owner & (keys.c.id == key)
        self._execute(sa.update(keys).where(here).values(revoked=True))

    # Sessions

    def add_session(self, expires: float) -> str:
        """Return the token of a new session; those that have ended are forgotten."""
        token = new_token()

        def work(connection: Connection) -> None:
            connection.execute(sa.delete(sessions).where(sessions.c.expires < self._clock()))
            connection.execute(sa.insert(sessions).values(hash=hash_text(token), expires=expires))

        self._write(work)
        return token

    def has_session(self, token: str) -> bool:
        """Tell whether a session goes on."""
        query = select(sessions.c.expires).where(sessions.c.hash == hash_text(token))
        expires = self._one(query)
        return expires is not None and self._clock() < expires

    def end_session(self, token: str) -> None:
        """End a session."""
        self._execute(sa.delete(sessions).where(sessions.c.hash == hash_text(token)))

    # Transactions

    def _write(self, work: Callable[[Connection], Any]) -> Any:
        try:
            return self.storage.transact(work)
        finally:
            self.changes += 1

    def _read(self, work: Callable[[Connection], Any]) -> Any:
        return self.storage.transact(work, reads=True)

    def _execute(self, statement: sa.Executable, rows: Any = None) -> None:
        self._write(lambda connection: connection.execute(statement, rows))

    def _insert_new(self, table: sa.Table, row: Mapping[str, Any]) -> None:
        """Insert a row, unless there is one with its key: another process may be faster."""
        self._write(
            lambda connection: connection.execute(
                make_insert(connection, table).on_conflict_do_nothing(), row
            )
        )

    def _rows(self, query: sa.Select) -> list[Any]:
        return self._read(lambda connection: connection.execute(query).all())

    def _first(self, query: sa.Select, make: Callable[..., V]) -> V | None:
        row = self._read(lambda connection: connection.execute(query).first())
        return None if row is None else make(*row)

    def _one(self, query: sa.Select) -> Any:
        return self._read(lambda connection: connection.execute(query).scalar())


def make_insert(connection: Connection, table: sa.Table) -> Any:
    """Return an insertion that can say what to do with a row that is there already."""
    is_sqlite = connection.dialect.name == "sqlite"
    return sqlite.insert(table) if is_sqlite else postgresql.insert(table)


def put_value(connection: Connection, name: str, value: str) -> None:
    """Store something under a name of the server's table, in place of what another process may store at the same time."""
    row = make_insert(connection, server).values(name=name, value=value)
    connection.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": value}))


def lock_study(connection: Connection, study: int) -> bool:
    """Let no other process write about a study until this transaction ends; tell whether there is such a study."""
    row = select(studies.c.id).where(studies.c.id == study).with_for_update()
    return connection.execute(row).first() is not None


def _until(last: int | None) -> sa.ColumnElement[bool]:
    return sa.true() if last is None else _e.number <= last
