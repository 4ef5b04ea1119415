"""Tokens: random ones for links and keys, sealed ones for ballots, signed ones for cookies and forms.

A ballot's number tells how much has happened in a study, so its token hides the number. It is sealed for one study and
one voter, and the same ballot has the same token each time, so that a browser finds its images again.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from hashlib import sha256
from struct import Struct
from typing import Any

from itsdangerous import BadData, URLSafeSerializer

_NONCE, _TAG = 8, 16  # bytes
_BALLOT = Struct(">QH")  # its number, and how often its answer was undone


def new_token() -> str:
    """Return 128 random bits as text."""
    return secrets.token_urlsafe(16)


def hashed(token: str) -> str:
    """Return what is stored of a token."""
    return sha256(token.encode()).hexdigest()


class Signer:
    """What one server's secret makes and recognises."""

    def __init__(self, secret: str):
        self._secret = secret.encode()
        self._serializer = cache(lambda purpose: URLSafeSerializer(self._secret, salt=purpose))

    def link(self, nonce: str) -> str:
        """Return the token of a link, which is stored nowhere and can be shown again."""
        return _text(self._digest("link", nonce.encode())[:16])

    def sign(self, purpose: str, value: Any) -> str:
        """Return a value that can be read by everybody and changed by nobody."""
        return str(self._serializer(purpose).dumps(value))

    def read(self, purpose: str, token: str) -> Any:
        """Return a value that was signed for this purpose, None if it was not."""
        try:
            return self._serializer(purpose).loads(token)
        except BadData:
            return None

    def form(self, holder: str) -> str:
        """Return what a form carries, so that only a page of this server can have sent it."""
        return _text(self._digest("form", holder.encode())[:16])

    def is_form(self, holder: str, token: str) -> bool:
        """Tell whether a form carries what it should."""
        return hmac.compare_digest(self.form(holder).encode(), token.encode())

    def seal(self, study: str, voter: str, ballot: int, attempt: int) -> str:
        """Return the token of a ballot."""
        body, whose = _BALLOT.pack(ballot, min(attempt, 65535)), f"{study}\n{voter}".encode()
        nonce = self._digest("nonce", body, whose)[:_NONCE]
        hidden = nonce + _xor(body, self._digest("pad", nonce))
        return _text(hidden + self._digest("tag", hidden, whose)[:_TAG])

    def unseal(self, study: str, voter: str, token: str) -> tuple[int, int] | None:
        """Return the number of a ballot and of its attempt, None if the token is not of this study and voter."""
        try:
            raw = urlsafe_b64decode(token.encode() + b"==")
        except ValueError:
            return None
        hidden, tag = raw[:-_TAG], raw[-_TAG:]
        whose = f"{study}\n{voter}".encode()
        if len(hidden) != _NONCE + _BALLOT.size:
            return None
        if not hmac.compare_digest(tag, self._digest("tag", hidden, whose)[:_TAG]):
            return None
        pad = self._digest("pad", hidden[:_NONCE])
        ballot, attempt = _BALLOT.unpack(_xor(hidden[_NONCE:], pad))
        return ballot, attempt

    def _digest(self, purpose: str, *parts: bytes) -> bytes:
        framed = b"".join(
            len(part).to_bytes(4, "big") + part for part in (purpose.encode(), *parts)
        )
        return hmac.digest(self._secret, framed, "sha256")


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=False))


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")
