"""Many voters at once, each a browser in few lines: what takes no time here is left to the server."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from copeland.study import Storage, create_study
from copeland.web.server import Config, Server

HOST = "127.0.0.1"
OURS = "Sec-Fetch-Site: same-origin"
MAIN = "from copeland.cli import main; main()"
UNREACHED = 503
PATIENCE = 30.0  # seconds that a voter waits for an answer
OUTCOMES = ("left", "right", "left", "right", "left", "right", "left", "right", "tie", "skip")


class Reply(NamedTuple):
    """What a server said."""

    status: int
    head: str
    body: bytes


class Browser:
    """A connection that stays open, and a cookie."""

    def __init__(self, port: int):
        self._port = port
        self.cookie = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> Reply:
        return await self._send(f"GET {path} HTTP/1.1", b"")

    async def post(self, path: str, **said: str) -> Reply:
        return await self._send(f"POST {path} HTTP/1.1", urlencode(said).encode())

    async def _send(self, line: str, body: bytes) -> Reply:
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(HOST, self._port)
            reader, writer = self._streams
            writer.write(self._head(line, body).encode() + body)
            return await asyncio.wait_for(self._read(reader), PATIENCE)
        except (OSError, EOFError, TimeoutError):
            self.close()
            raise

    def _head(self, line: str, body: bytes) -> str:
        kind = "\r\nContent-Type: application/x-www-form-urlencoded" if body else ""
        return (
            f"{line}\r\nHost: {HOST}:{self._port}\r\n{OURS}\r\nX-Fragment: pair\r\n"
            f"Cookie: {self.cookie}\r\nContent-Length: {len(body)}{kind}\r\n\r\n"
        )

    async def _read(self, reader: asyncio.StreamReader) -> Reply:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:])
        }
        if "set-cookie" in fields:
            self.cookie = fields["set-cookie"].partition(";")[0]
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        return Reply(int(head.split(" ", 2)[1]), head, body)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class Spread(Browser):
    """A browser whose every request goes to another server: none of them may know what the others do not."""

    def __init__(self, ports: Sequence[int], choose: Callable[[str, int], int]):
        super().__init__(ports[0])
        self._browsers = [Browser(port) for port in ports]
        self._choose = choose  # which one a request goes to, by its path and how many there are

    async def _send(self, line: str, body: bytes) -> Reply:
        browser = self._browsers[self._choose(line.split()[1], len(self._browsers))]
        browser.cookie = self.cookie
        reply = await browser._send(line, body)
        self.cookie = browser.cookie
        return reply

    def close(self) -> None:
        for browser in self._browsers:
            browser.close()


class Acknowledged(NamedTuple):
    """A vote of which a voter was told that it is kept."""

    at: float
    took: float  # seconds
    ballot: str  # its token
    cookie: str  # of the voter


@dataclass
class Tally:
    """What voters saw."""

    acknowledged: list[Acknowledged] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    breaks: int = 0  # of connections

    def between(self, start: float, end: float) -> list[float]:
        """Return the seconds that each answer took which came within a time."""
        return sorted(one.took for one in self.acknowledged if start <= one.at < end)


async def crowd(
    port: int | Callable[[], Browser],
    link: str,
    voters: int,
    seconds: float,
    pause: float = 0.0,
    stubborn: bool = False,
    enough: Callable[[Tally], bool] = lambda tally: bool(tally.acknowledged),
) -> Tally:
    """Let so many people vote at once, for some seconds and until it is enough; whoever is done makes room for somebody new.

    Instead of a port, give what makes a browser. ``stubborn`` voters send an answer again when the connection breaks or
    the server cannot reach its votes, as a browser's page does.
    """
    tally, end = Tally(), time.monotonic() + seconds

    def is_over() -> bool:
        late = time.monotonic() - end
        return late > PATIENCE or (late >= 0 and enough(tally))

    coins = [random.Random(i) for i in range(voters)]
    make = (lambda: Browser(port)) if isinstance(port, int) else port
    people = (_Voter(make, link, is_over, pause, stubborn, tally, coin) for coin in coins)
    await asyncio.gather(*(one.vote() for one in people))
    return tally


@dataclass
class _Voter:
    """Somebody who votes, and when all pairs are answered comes as somebody new, until it is over."""

    make: Callable[[], Browser]
    link: str
    is_over: Callable[[], bool]
    pause: float
    stubborn: bool
    tally: Tally
    coin: random.Random

    async def vote(self) -> None:
        await asyncio.sleep(self.coin.random() * max(self.pause, 0.2))
        while not self.is_over():
            browser = self.make()
            try:
                await self._visit(browser)
            except (OSError, EOFError, TimeoutError) as error:
                self.tally.breaks += 1
                if not self.stubborn:
                    self.tally.errors.append(repr(error))
                await asyncio.sleep(0.05)
            finally:
                browser.close()

    async def _visit(self, browser: Browser) -> None:
        """One person from the link to the last pair, or until time is up."""
        begun = await browser.post(self.link)
        where = urlsplit(_field(begun.head, "location: ", "\r")).path
        page = await browser.get(where)
        if self.stubborn and UNREACHED in (begun.status, page.status):
            raise ConnectionError("the votes cannot be reached")
        while page.status == 200 and not self.is_over():
            ballot = _field(page.body.decode(), 'name="ballot" value="', '"')
            if not ballot:
                return
            await asyncio.sleep(self.pause * (0.5 + self.coin.random()))
            page = await self._answer(browser, where, ballot, self.coin.choice(OUTCOMES))
        if page.status != 200:
            self.tally.errors.append(f"{page.status} {page.body[:200]!r}")

    async def _answer(self, browser: Browser, where: str, ballot: str, outcome: str) -> Reply:
        start = time.monotonic()
        while True:
            try:
                page = await browser.post(where, ballot=ballot, outcome=outcome)
                if page.status == UNREACHED and self.stubborn:
                    raise ConnectionError("the votes cannot be reached")
                break
            except (OSError, EOFError, TimeoutError):
                self.tally.breaks += 1
                if not self.stubborn or time.monotonic() - start > PATIENCE:
                    raise
                await asyncio.sleep(0.05)
        now = time.monotonic()
        if page.status == 200 and b'data-said="Vote kept.' in page.body:
            kept = Acknowledged(now, now - start, ballot, browser.cookie)
            self.tally.acknowledged.append(kept)
        elif page.status == 200:
            self.tally.errors.append("an answer was not acknowledged")
        return page


def _field(text: str, before: str, after: str) -> str:
    return text.partition(before)[2].partition(after)[0]


# Servers


def prepared(storage: str, options: int, name: str = "load", **page: object) -> tuple[Server, str]:
    """Make a study of people with an open link; return what a server knows, and the link."""
    kept = Storage(storage)
    server = Server(Config(storage), kept)
    texts = {f"option {i}": f"Text number {i}. " * 6 for i in range(options)}
    create_study(name, texts, kept, voters="people")
    key = kept.key(name)
    server.store.add_page(key, {"per_voter": 20, **page})
    server.store.add_links(key, server.signer, ["Open link"], personal=False)
    nonce = server.store.links(key)[0].nonce
    return server, f"/v/{server.signer.link(nonce)}"


def free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        return one.getsockname()[1]


@contextmanager
def running(command: list[str], port: int):
    """Run a server, in a group of its own; yield its process once it answers."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        await_server(process, port)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def serve(storage: str, port: int, workers: int = 1) -> list[str]:
    """Return the command that serves a storage."""
    start = [sys.executable, "-c", MAIN, "serve", "--storage", storage, "--json"]
    return [*start, "--port", str(port), "--workers", str(workers)]


def await_server(process: subprocess.Popen, port: int, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection((HOST, port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the server did not start")


def votes_in(server: Server, name: str = "load") -> list[str]:
    """Return the ids of all votes in the log."""
    study = server.study(server.store.find_page_by_name(name))
    return [str(event.event_id) for event in study.log() if event.kind == "voted"]
