"""What a running server knows: its storage, its secret, its studies, and who comes too often."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from copeland.study import Storage, Study, create_study, open_study
from copeland.web.cache import Past, Readings, Tunings
from copeland.web.images import Drawing, drawing_in
from copeland.web.models import Link, Page, Pane
from copeland.web.security import Limits, Signer, hashed, new_token
from copeland.web.store import Keep

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SESSION = 12 * 3600.0  # seconds
RENEWED = 5.0  # seconds after which another process's new images are seen
ARRIVED = (
    1.0  # seconds after which another process's revoking of a link, or pausing of a page, is seen
)
ARRIVALS = 10_000  # voters who are remembered
FOLLOWED = 0.45  # seconds for which the number of the last event is good
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
    judges: str = ""  # the file that names judges; empty: none are started from pages

    @property
    def secure(self) -> bool:
        """Whether browsers come by https."""
        return self.url.startswith("https://")

    @property
    def base(self) -> str:
        """What every path begins with, for a server below another address."""
        return urlsplit(self.url).path.rstrip("/")

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the server answers: another one may be a trap for browsers."""
        named = urlsplit(self.url).netloc.rpartition("@")[2].lower()
        return (*LOOPBACK, named.rsplit(":", 1)[0] if named.rsplit(":", 1)[-1].isdigit() else named)


class Server:
    """One process of a server."""

    def __init__(
        self,
        config: Config,
        storage: Storage | None = None,
        clock: Callable[[], float] = time.time,
    ):
        self.config = config
        self.clock = clock
        self.storage = storage or Storage(config.storage)
        self.keep = Keep(self.storage, clock)
        self.signer = Signer(config.secret or self.keep.secret())
        self.limits = Limits(clock)
        self.streams = 0
        self.ends = threading.Event()  # set when the process is to end
        self._studies: dict[str, Study] = {}
        self._panes: dict[int, tuple[float, dict[str, Pane]]] = {}  # by study, and when it was read
        self._texts: dict[tuple[int, str], str] = {}  # by study and option
        self._outputs: dict[int, dict[str, dict[str, str]]] = {}  # by study, item and option
        self._sizes: dict[str, tuple[int, int]] = {}
        self._readings: dict[int, Readings] = {}
        self._tunings: dict[int, Tunings] = {}
        self.past = Past()
        self._latest: dict[int, tuple[float, int]] = {}  # when it was looked up, and the number
        self._arrivals: dict[tuple[str, str, int], tuple[float, tuple[Page, Link] | None]] = {}
        self._turn = threading.Lock()

    def study(self, page: Page) -> Study:
        """Return the study of a page; one for all requests of this process."""
        with self._turn:
            if page.name not in self._studies:
                self._studies[page.name] = open_study(page.name, self.storage, clock=self.clock)
            return self._studies[page.name]

    def readings(self, page: Page) -> Readings:
        """Return what is known of a study's votes."""
        study = self.study(page)
        with self._turn:
            return self._readings.setdefault(page.study, Readings(study, self.clock))

    def tunings(self, page: Page) -> Tunings:
        """Return what is known of the votes on a space."""
        study = self.study(page)
        with self._turn:
            return self._tunings.setdefault(page.study, Tunings(study, self.clock))

    def latest(self, page: Page) -> int:
        """Return the number of the last event, as of half a second ago at most: one look for all streams."""
        seen, number = self._latest.get(page.study, (0.0, 0))
        if time.monotonic() - seen > FOLLOWED:
            number = self.keep.last_number(page.study)
            self._latest[page.study] = time.monotonic(), number
        return number

    def arrival(self, slug: str, nonce: str) -> tuple[Page, Link] | None:
        """Return a page and one of its links, which a voter's cookie names; asked for at every answer."""
        key = slug, nonce, self.keep.changes
        seen, found = self._arrivals.get(key, (0.0, None))
        if time.monotonic() - seen > ARRIVED:
            found = self.keep.arrival(slug, nonce)
            if len(self._arrivals) >= ARRIVALS:
                self._arrivals.clear()
            self._arrivals[key] = time.monotonic(), found
        return found

    def panes(self, page: Page) -> dict[str, Pane]:
        """Return the images of a page's options; they change only when an option is added here."""
        found = self._panes.get(page.study)
        if found is None or found[0] < self.clock() - RENEWED:
            found = self.clock(), self.keep.panes(page.study)
            self._panes[page.study] = found
        return found[1]

    def text(self, page: Page, name: str) -> str:
        """Return the text of an option, which never changes."""
        key = page.study, name
        if key not in self._texts:
            self._texts |= {(page.study, one.name): one.text for one in self.study(page).options}
        return self._texts[key]

    def drawing(self, page: Page, name: str) -> Drawing | None:
        """Return the drawing of an option; None if it is shown as text."""
        return drawing_in(self.text(page, name)) if self.study(page).settings.space else None

    def outputs(self, page: Page) -> dict[str, dict[str, str]]:
        """Return what is shown for each option, by item; it is fixed when the study is created."""
        if page.study not in self._outputs:
            self._outputs[page.study] = self.keep.outputs(page.study) if page.items else {}
        return self._outputs[page.study]

    def size(self, digest: str) -> tuple[int, int]:
        """Return the width and height of an image."""
        if digest not in self._sizes:
            image = self.keep.image(digest)
            self._sizes[digest] = (image.width, image.height) if image else (0, 0)
        return self._sizes[digest]

    def forget_panes(self, page: Page) -> None:
        """Read the images of a page's options anew."""
        self._panes.pop(page.study, None)

    def new_admin_token(self) -> str:
        """Return a token by which an admin comes in; the one before it opens nothing any more."""
        token = new_token()
        self.keep.set_value("admin", hashed(token))
        return token

    def is_admin_token(self, token: str) -> bool:
        """Tell whether a token is the one that was printed."""
        return hashed(token) == self.keep.value("admin")

    def address(self, connection: HTTPConnection, path: str = "") -> str:
        """Return an address as people outside type it."""
        if self.config.url:
            return self.config.url.rstrip("/") + path
        return f"{connection.url.scheme}://{connection.headers.get('host', '127.0.0.1')}{path}"


def server_of(connection: HTTPConnection) -> Server:
    """Return the server that a request came to."""
    return connection.app.state.server


def prepared(storage: str, url: str, demo: bool) -> str:
    """Make the tables and, if wished for, a study to try; return the admin's new token."""
    kept = Storage(storage)
    server = Server(Config(storage, url), kept)
    if demo and DEMO not in kept.names():
        create_study(DEMO, LINES, kept, voters="people", batch=10)
        key = kept.key(DEMO)
        server.keep.add_page(key, {"question": "Which line welcomes you better?", "per_voter": 10})
        server.keep.add_links(key, server.signer, ["Open link"], personal=False)
    token = server.new_admin_token()
    kept.dispose()
    return token
