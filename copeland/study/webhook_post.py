"""A message of a webhook on its way: signed, sent once, without following anybody elsewhere."""

from __future__ import annotations

import hmac
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import NamedTuple
from urllib.parse import urlsplit

from copeland.study.webhooks import Delivery, Webhook
from copeland.version import __version__

SILENCE = 10.0  # seconds for which a receiver may say nothing
LONGEST = 20.0  # seconds that all of it may take


class Outcome(NamedTuple):
    """What a receiver did with a message."""

    is_taken: bool
    answer: str  # its status, or what went wrong


def sign_message(secret: str, body: str, now: float) -> str:
    """Return the header by which a receiver knows who sent a message, and when.

    Examples
    --------
    >>> sign_message("whsec_x", "{}", 1_800_000_000.0)[:30]
    't=1800000000,v1=98e27452f1257e'
    """
    signed = f"{int(now)}.{body}".encode()
    return f"t={int(now)},v1={hmac.new(secret.encode(), signed, 'sha256').hexdigest()}"


def post_message(hook: Webhook, delivery: Delivery, now: float) -> Outcome:
    """Send a message; any status from 200 to 299 says that it was taken."""
    headers = {
        "Content-Type": "application/json",
        "Copeland-Id": delivery.id,
        "Copeland-Signature": sign_message(hook.secret, delivery.body, now),
        "User-Agent": f"copeland/{__version__}",
    }
    try:
        status = _post(hook.url, delivery.body.encode(), headers)
    except TimeoutError:
        return Outcome(False, "no answer in time")
    except ssl.SSLError as error:
        return Outcome(False, f"no secure connection: {error.reason or 'it failed'}")
    except (OSError, HTTPException, ValueError) as error:
        return Outcome(False, getattr(error, "strerror", None) or type(error).__name__)
    if 300 <= status < 400:
        return Outcome(False, f"{status}: it leads elsewhere, which is not followed")
    return Outcome(200 <= status < 300, str(status))


def _post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Return the status of an answer; its body is not read."""
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=SILENCE)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.connect()
        # A receiver that says a byte now and then would never be silent for long.
        timer = Timer(LONGEST, _break_off, (connection.sock,))
        timer.daemon = True
        timer.start()
        try:
            connection.request("POST", path, body, dict(headers))
            return connection.getresponse().status
        finally:
            timer.cancel()
    finally:
        connection.close()


def _break_off(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)
