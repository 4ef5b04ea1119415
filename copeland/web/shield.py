"""What stands before every page: names the server answers to, sizes of bodies, and headers of answers."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY = 1_000_000  # bytes
UPLOADS = 64_000_000  # bytes of a form with images, which only admins send
LARGE = ("/admin/new", "/admin/s/")  # where such forms go

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
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
DAY = 86_400


class TooLarge(Exception):
    """A body that goes on beyond what is read."""


class Shield:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], secure: bool):
        self._app = app
        self._hosts = hosts
        headers = dict(HEADERS)
        if secure:
            headers["Strict-Transport-Security"] = f"max-age={180 * DAY}"
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, begun = dict(scope["headers"]), False
        most = UPLOADS if scope["path"].startswith(LARGE) else BODY

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
            if _announced(headers) > most:
                raise TooLarge
            await self._app(scope, _counted(receive, most), answer)
        except TooLarge:
            if not begun:
                await _refuse(
                    answer, 413, f"This is more than {most:,} bytes; send less at a time."
                )


def _host(headers: dict[bytes, bytes]) -> str:
    host = headers.get(b"host", b"").decode("latin-1").lower()
    name, _, port = host.rpartition(":")
    return name if port.isdigit() and name else host


def _announced(headers: dict[bytes, bytes]) -> int:
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() and len(length) < 19 else 0


def _counted(receive: Receive, most: int) -> Receive:
    """A way to receive a body that ends with an error once it is too large."""
    came = 0

    async def counted() -> Message:
        nonlocal came
        message = await receive()
        came += len(message.get("body", b""))
        if came > most:
            raise TooLarge
        return message

    return counted


async def _refuse(send: Send, status: int, title: str) -> None:
    body = json.dumps({"type": "about:blank", "title": title, "status": status}).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
