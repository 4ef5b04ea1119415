"""What a running server knows: its storage, its secret, its studies, and who comes too often."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from copeland.errors import StorageError, StudyClosed
from copeland.study import Event, Storage, Study, create_study, delete_study, open_study
from copeland.study.log.event_log import Log
from copeland.study.log.events import PRESENTED
from copeland.web.cache import Analyses, Cache, PastTexts
from copeland.web.security import Limits, Signer, hash_text, new_token
from copeland.web.store import Key, Link, Pane, Store, VotingPage

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SESSION = 12 * 3600.0  # seconds
RENEWED = 5.0  # seconds after which another process's new images are seen
ARRIVED = (
    1.0  # seconds after which another process's revoked links and keys, and paused pages, are seen
)
ARRIVALS = 10_000  # voters who are remembered
FOLLOWED = 0.45  # seconds for which the number of the last event is good
READY = 5.0  # seconds for which it is known whether the storage can be written
OPEN = 500  # studies that are kept in memory: beyond that, the one that nobody asked for longest is read anew
STREAMS = 200  # open at a time, in one process
DEMO = "Welcome lines"
LINES = {
    "plain": "Welcome back. Here is what changed since you were last here.",
    "short": "Hello again.",
    "question": "Good to see you. What would you like to do today?",
    "list": "Welcome back:\n- 3 new replies\n- 1 invitation\n- nothing overdue",
    "warm": "There you are! We kept your place, and your tea is still warm.",
}


@dataclass(frozen=True)
class Config:
    """How a server is reached."""

    storage: str = "sqlite:///copeland.db"
    url: str = ""  # as people type it; empty: on this machine alone
    secret: str = ""  # empty: the storage's own

    @property
    def secure(self) -> bool:
        """Whether browsers come by https."""
        return self.url.startswith("https://")

    @property
    def base(self) -> str:
        """What every path begins with, for a server below another address."""
        return urlsplit(self.url).path.rstrip("/")

    @property
    def is_here_alone(self) -> bool:
        """Whether only this machine can open the server's links."""
        return not self.url or (urlsplit(self.url).hostname or "") in (*LOOPBACK, "::1")

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the server answers: another one may be a trap for browsers."""
        named = urlsplit(self.url).netloc.rpartition("@")[2].lower()
        return (*LOOPBACK, named.rsplit(":", 1)[0] if named.rsplit(":", 1)[-1].isdigit() else named)


class Server:
    """One process of a server."""

    def __init__(
        self, config: Config, storage: Storage | None = None, clock: Callable[[], float] = time.time
    ):
        self.config = config
        self.clock = clock
        self.storage = storage or Storage(config.storage)
        self.store = Store(self.storage, clock)
        self.signer = Signer(config.secret or self.store.secret())
        self.limits = Limits(clock)
        self.streams = 0
        self.past = PastTexts()
        self._studies: Cache[Study] = Cache(most=OPEN)
        self._analyses: Cache[Analyses] = Cache(most=OPEN)
        self._numbers: Cache[int] = Cache(FOLLOWED, OPEN)  # of last events
        self._arrivals: Cache[tuple[VotingPage, Link] | None] = Cache(ARRIVED, ARRIVALS)
        self._open_keys: Cache[bool] = Cache(ARRIVED, ARRIVALS)
        self._writable: Cache[bool] = Cache(READY, clock=clock)
        self._panes: Cache[dict[str, Pane]] = Cache(RENEWED, OPEN, clock=clock)
        self._noted: dict[str, tuple[VotingPage, dict[str, Pane]]] = {}  # what logs say is seen
        self._texts: Cache[dict[str, str]] = Cache(most=OPEN)  # by option
        self._outputs: Cache[dict[str, dict[str, str]]] = Cache(most=OPEN)  # by item and option
        self._kinds: Cache[str] = Cache(most=ARRIVALS)
        self._sizes: Cache[tuple[int, int]] = Cache(most=ARRIVALS)

    def study(self, page: VotingPage) -> Study:
        """Return the study of a page; one for all requests of this process."""
        return self._studies.find(
            page.slug, lambda: open_study(page.name, self.storage, clock=self.clock)
        )

    def analyses(self, page: VotingPage) -> Analyses:
        """Return what is known of a study's votes."""
        return self._analyses.find(page.slug, lambda: Analyses(self.study(page), self.clock))

    def latest(self, page: VotingPage) -> int:
        """Return the number of the last event, as of half a second ago at most: one look for all streams."""
        return self._numbers.find(page.slug, lambda: self.store.last_number(page.study))

    def arrival(self, slug: str, nonce: str) -> tuple[VotingPage, Link] | None:
        """Return a page and one of its links, which a voter's cookie names; asked for at every answer."""
        key = slug, nonce, self.store.changes
        return self._arrivals.find(key, lambda: self.store.arrival(slug, nonce))

    def opening(self, token: str) -> tuple[VotingPage, Link] | None:
        """Return the page and the link of a token; asked for by everybody who begins."""
        key = hash_text(token), self.store.changes
        return self._arrivals.find(key, lambda: self.store.opening(token))

    def is_open_key(self, key: Key) -> bool:
        """Tell whether a key still opens something; asked for while a stream goes on."""
        return self._open_keys.find((key.id, self.store.changes), lambda: self.store.is_open(key))

    def is_writable(self) -> bool:
        """Tell whether the storage took something of late: a full disk can still be read."""

        def write() -> bool:
            try:
                self.store.note_time()
            except StorageError:
                return False
            return True

        return self._writable.find("storage", write)

    def panes(self, page: VotingPage) -> dict[str, Pane]:
        """Return the images of a page's options; they change only when an option is added here."""
        return self._panes.find(page.slug, lambda: self.store.panes(page.study))

    def text(self, page: VotingPage, name: str) -> str:
        """Return the text of an option, as of the last event that this process knows."""
        study = self.study(page)
        edited = study.transactions.state.edited  # a number, for which nobody needs a turn

        def read() -> dict[str, str]:
            return {one.name: one.text for one in study.options}

        key = page.slug, edited
        if name not in self._texts.find(key, read):  # the option is new
            self._texts.forget(key)
        return self._texts.find(key, read)[name]

    def outputs(self, page: VotingPage) -> dict[str, dict[str, str]]:
        """Return what is shown for each option, by item; it is fixed when the study is created."""
        if not page.items:
            return {}
        return self._outputs.find(page.slug, lambda: self.store.outputs(page.study))

    def presentation(self, page: VotingPage) -> str:
        """Return what voters see beside the options."""
        return describe_presentation(page, self.panes(page), self.outputs(page))

    def note_page(self, page: VotingPage) -> None:
        """Let the log say what voters see, before they vote on it; asked for at every answer."""
        seen = page, self.panes(page)
        if self._noted.get(page.slug) != seen:
            note_presentation(self.study(page), self.presentation(page))
            self._noted[page.slug] = seen

    def size(self, digest: str) -> tuple[int, int]:
        """Return the width and height of an image."""

        def read() -> tuple[int, int]:
            image = self.store.image(digest)
            return (image.width, image.height) if image else (0, 0)

        return self._sizes.find(digest, read)

    def kind(self, digest: str) -> str:
        """Return the type of an image or a recording."""
        return self._kinds.find(digest, lambda: self.store.media_kind(digest))

    def forget_panes(self, page: VotingPage) -> None:
        """Read the images of a page's options anew."""
        self._panes.forget(page.slug)

    def delete(self, page: VotingPage) -> None:
        """Remove a study with all that is kept of it; it is closed first, so that nobody votes meanwhile."""
        self.study(page).close()
        delete_study(page.name, self.storage)
        for cache in (self._studies, self._analyses, self._numbers, self._panes, self._outputs):
            cache.forget(page.slug)
        self._noted.pop(page.slug, None)
        self.store.changes += 1  # so that voters and keys of this process find nothing

    def new_admin_token(self) -> str:
        """Return a token by which an admin comes in; the one before it opens nothing any more."""
        token = new_token()
        self.store.set_value("admin", hash_text(token))
        return token

    def is_admin_token(self, token: str) -> bool:
        """Tell whether a token is the one that was printed."""
        return hash_text(token) == self.store.value("admin")

    def address(self, connection: HTTPConnection, path: str = "") -> str:
        """Return an address as people outside type it."""
        if self.config.url:
            return self.config.url.rstrip("/") + path
        return f"{connection.url.scheme}://{connection.headers.get('host', '127.0.0.1')}{path}"


def server_of(connection: HTTPConnection) -> Server:
    """Return the server that a request came to."""
    return connection.app.state.server


def prepare(storage: str, url: str, demo: bool) -> str:
    """Make the tables and, if wished for, a study to try; return the admin's new token."""
    kept = Storage(storage)
    server = Server(Config(storage, url), kept)
    if demo and DEMO not in kept.names():
        create_study(DEMO, LINES, kept, voters="people", batch=10)
        key = kept.key(DEMO)
        server.store.add_page(key, {"question": "Which line welcomes you better?", "per_voter": 10})
        server.store.add_links(key, server.signer, ["Open link"], personal=False)
    token = server.new_admin_token()
    kept.dispose()
    return token


# What voters see beside the options, as one text whose digest goes into the log. The log holds the options with their texts; the
# rest is in tables beside it. So whoever changes a part of it changes the digest, and the log says from when on.


def describe_presentation(
    page: VotingPage, panes: Mapping[str, Pane], outputs: Mapping[str, Mapping[str, str]]
) -> str:
    """Return what voters see as JSON: the same text for the same things, whatever their order.

    Examples
    --------
    >>> describe_presentation(VotingPage(1, "tea", "x"), {}, {"Why?": {"a": "So."}})[:37]
    '{"both_bad":true,"guidance":"","image'
    """
    parts = "question", "guidance", "kind", "language", "ties", "both_bad"
    shown = {name: getattr(page, name) for name in parts}
    images = {key: [pane.media, pane.alt] for key, pane in panes.items()}
    content = {**shown, "images": images, "items": outputs}
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def note_presentation(study: Study, presentation: str) -> None:
    """Let the log say what voters see from now on, unless it does already."""
    digest = sha256(presentation.encode()).hexdigest()

    def note(log: Log) -> list[Event]:
        last = log.last_of(PRESENTED)
        if last is not None and (last.body or {}).get("digest") == digest:
            return []
        number = study.transactions.state.number + 1
        return [Event(number, PRESENTED, study.now(), body={"digest": digest})]

    with suppress(StudyClosed):  # then nobody votes
        study.transactions.append(note)
