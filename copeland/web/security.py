"""Tokens, how often somebody may come, and what stands before every page."""

from __future__ import annotations

import asyncio
import hmac
import json
import math
import secrets
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Network, ip_address
from struct import Struct
from typing import Any, NamedTuple, NoReturn, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from fastapi import HTTPException
from itsdangerous import BadData, URLSafeSerializer
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BALLOT = Struct(">QH?")  # what a token hides: all are of one length
MANY = 10_000  # names that are remembered before old ones are looked for
READ = 10_000  # signed values that are remembered: a voter's cookie comes with every answer
BODY = 1_000_000  # bytes
UPLOADS = 64_000_000  # bytes of a form with images, which only admins send
BODY_SECONDS = 60.0  # until a body is there
UPLOAD_SECONDS = 600.0
LARGE = ("/admin/new", "/admin/s/")  # where such forms go
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}
HSTS = f"max-age={180 * 86_400}"

V = TypeVar("V")


def require(value: V | None) -> V:
    """Return a value, or answer that nothing is here."""
    if value is None:
        raise HTTPException(404)
    return value


def new_token() -> str:
    """Return 128 random bits as text."""
    return secrets.token_urlsafe(16)


def hash_text(token: str) -> str:
    """Return what is stored of a token."""
    return sha256(token.encode()).hexdigest()


class HiddenBallot(NamedTuple):
    """What the token of a ballot hides. A check looks like any other ballot."""

    ballot: int  # its number; of a check, the ballot that it repeats, 0 if its answer is known
    turn: int  # how often its answer was undone; of a check, its place among the voter's checks
    is_check: bool = False


class Signer:
    """What one server's secret makes and recognises."""

    def __init__(self, secret: str):
        self._secret = secret.encode()
        self._cipher = AESSIV(hmac.digest(self._secret, b"ballot", "sha512"))
        self._serializer = cache(lambda purpose: URLSafeSerializer(self._secret, salt=purpose))
        # What was not signed raises an error, and so is not remembered.
        self._load = lru_cache(READ)(lambda purpose, token: self._serializer(purpose).loads(token))

    def link(self, nonce: str) -> str:
        """Return the token of a link, which is stored nowhere and can be shown again."""
        return _text(self._digest("link", nonce.encode())[:16])

    def sign(self, purpose: str, value: Any) -> str:
        """Return a value that can be read by everybody and changed by nobody."""
        return str(self._serializer(purpose).dumps(value))

    def read(self, purpose: str, token: str) -> Any:
        """Return a value that was signed for this purpose, None if it was not."""
        try:
            return self._load(purpose, token)
        except BadData:
            return None

    def form(self, holder: str) -> str:
        """Return what a form carries, so that only a page of this server can have sent it."""
        return _text(self._digest("form", holder.encode())[:16])

    def is_form(self, holder: str, token: str) -> bool:
        """Tell whether a form carries what it should."""
        return hmac.compare_digest(self.form(holder).encode(), token.encode())

    def draw(self, purpose: str, *about: str) -> int:
        """Return a number of 32 bits that only this server can tell, and the same each time."""
        return int.from_bytes(self._digest(purpose, *(part.encode() for part in about))[:4], "big")

    def seal(self, study: str, voter: str, hidden: HiddenBallot) -> str:
        """Return the token of a ballot.

        A ballot's number tells how much has happened in a study, so its token hides the number. It is sealed for one
        study and one voter, and the same ballot has the same token each time, so that a browser finds its images again.
        """
        body = _BALLOT.pack(*hidden._replace(turn=min(hidden.turn, 65535)))
        return _text(self._cipher.encrypt(body, [study.encode(), voter.encode()]))

    def unseal(self, study: str, voter: str, token: str) -> HiddenBallot | None:
        """Return what a token hides, None if it is not of this study and voter."""
        try:
            raw = urlsafe_b64decode(token.encode() + b"==")
            body = self._cipher.decrypt(raw, [study.encode(), voter.encode()])
        except (ValueError, InvalidTag):
            return None
        return HiddenBallot(*_BALLOT.unpack(body))

    def _digest(self, purpose: str, *parts: bytes) -> bytes:
        framed = b"".join(
            len(part).to_bytes(4, "big") + part for part in (purpose.encode(), *parts)
        )
        return hmac.digest(self._secret, framed, "sha256")


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


@lru_cache(MANY)
def group_address(address: str) -> str:
    """Return what stands for an address where visitors are counted: who has one of IPv6 has all that begin like it."""
    try:
        found = ip_address(address)
    except ValueError:  # a socket that has none
        return address
    if isinstance(found, IPv4Address) or found.is_loopback:
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))


class Rate(NamedTuple):
    """So many times within so many seconds."""

    times: int
    seconds: float


VOTES = Rate(60, 60.0)  # of a voter
ATTEMPTS = Rate(10, 60.0)  # from an address, with links, keys and tokens that open nothing
NEWCOMERS = Rate(30, 60.0)  # from an address to a study, by links that are for everybody
SHARED_VOTES = Rate(20, 5.0)  # of all of them together, from an address to a study
REQUESTS = Rate(100, 1.0)  # of a key
SCRAPES = Rate(10, 10.0)  # of a key, for the numbers of all its studies


class Limits:
    """How often each came of late."""

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._seen: dict[tuple[Rate, str], deque[float]] = {}
        self._most = MANY
        self._turn = threading.Lock()

    def wait(self, rate: Rate, who: str) -> int:
        """Return for how many seconds somebody should wait, 0 if not at all; then this time counts."""
        now = self._clock()
        with self._turn:
            times = self._recent(rate, who, now)
            if len(times) >= rate.times:
                return max(1, math.ceil(times[0] + rate.seconds - now))
            times.append(now)
            return 0

    def require(self, rate: Rate, who: str) -> None:
        """Refuse who should wait, and say for how long."""
        wait = self.wait(rate, who)
        if wait:
            raise HTTPException(429, headers={"Retry-After": str(wait)})

    def refuse(self, rate: Rate, who: str) -> NoReturn:
        """Answer that nothing is here, to somebody who asked for what is not; or to wait, after many times."""
        self.require(rate, who)
        raise HTTPException(404)

    def _recent(self, rate: Rate, who: str, now: float) -> deque[float]:
        if len(self._seen) > self._most:
            self._seen = {
                (known, one): times
                for (known, one), times in self._seen.items()
                if times and times[-1] > now - known.seconds
            }
            self._most = max(MANY, 2 * len(self._seen))  # so this is done seldom
        times = self._seen.setdefault((rate, who), deque())
        while times and times[0] <= now - rate.seconds:
            times.popleft()
        return times


class BodyRefused(HTTPException):
    """A body that goes on beyond what is read, or for too long."""


class Shield:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], secure: bool):
        self._app, self._hosts = app, hosts
        headers = {**HEADERS, "Strict-Transport-Security": HSTS} if secure else HEADERS
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, begun = dict(scope["headers"]), False
        if scope["method"] != "DELETE":  # of a vote, whose id may end so
            # No redirect: it would have to know by which address people come.
            scope["path"] = scope["path"].rstrip("/") or "/"
        is_large = scope["path"].startswith(LARGE)
        most, seconds = (UPLOADS, UPLOAD_SECONDS) if is_large else (BODY, BODY_SECONDS)

        async def answer(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                told = list(message["headers"])
                names = {name for name, _ in told}
                message["headers"] = told + [one for one in self._headers if one[0] not in names]
            await send(message)

        if _host(headers) not in self._hosts:
            await _refuse(answer, 400, "This server does not go by that name.")
            return
        try:
            if _content_length(headers) > most:
                raise _too_large(most)
            await self._app(scope, _limit_body(receive, most, seconds), answer)
        except BodyRefused as error:
            if not begun:
                await _refuse(answer, error.status_code, error.detail)


def _host(headers: dict[bytes, bytes]) -> str:
    host = headers.get(b"host", b"").decode("latin-1").lower()
    name, _, port = host.rpartition(":")
    return name if port.isdigit() and name else host


def _content_length(headers: dict[bytes, bytes]) -> int:
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() and len(length) < 19 else 0


def _too_large(most: int) -> BodyRefused:
    return BodyRefused(413, f"This is more than {most:,} bytes; send less at a time.")


def _limit_body(receive: Receive, most: int, seconds: float) -> Receive:
    """A way to receive a body that ends with an error once it is too large, or takes too long."""
    came, is_whole = 0, False
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds

    async def receive_part() -> Message:
        nonlocal came, is_whole
        if is_whole:  # what comes now is that somebody leaves
            return await receive()
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            raise BodyRefused(408, "The body did not come in time; send it again.") from None
        came += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if came > most:
            raise _too_large(most)
        return message

    return receive_part


async def _refuse(send: Send, status: int, title: str) -> None:
    body = json.dumps({"type": "about:blank", "title": title, "status": status}).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
