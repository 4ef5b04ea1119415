"""A chat endpoint over HTTP: a request sent once, and whatever goes wrong as a sentence without the key."""

from __future__ import annotations

import os
import re
import ssl
import weakref
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from copeland.errors import InvalidParameter, need
from copeland.study.judges.answers import JudgeFailed, quoted
from copeland.study.record.texts import json_of

if TYPE_CHECKING:
    import httpx

REFUSED_WAIT = (
    0.25  # seconds until a refused connection is tried again: it says at once that nobody listens
)
LONGEST_WAIT = 120.0  # seconds; a server that asks for a longer pause is not waited for

_PATH = "/chat/completions"
_NAMED = {'"': "quot", "&": "amp", "<": "lt", ">": "gt", "'": "apos"}  # in HTML


class PassingFailure(JudgeFailed):
    """A failure that another attempt may mend.

    ``wait`` is how many seconds the server asks for, if it does; ``billed`` whether the request may
    have been answered, and be paid for, all the same.
    """

    def __init__(self, message: str, wait: float | None = None, billed: bool = False):
        super().__init__(message)
        self.wait = wait
        self.billed = billed


class Endpoint:
    """An address that speaks OpenAI's chat completions.

    The key is read from the environment for every request: it is not kept, and is taken out of
    whatever the server says, once that is decoded. Redirects are not followed.
    """

    def __init__(self, url: str, key_variable: str | None, timeout: float):
        self.url = _completions(url)
        self.shown = _without_secrets(self.url)
        self.key_variable = key_variable
        self.timeout = timeout
        self._client = _client(timeout)
        weakref.finalize(self, self._client.close)

    def key(self) -> str | None:
        """Return the key; None if none is needed. Refuse to go on without one that is."""
        if self.key_variable is None:
            return None
        key = os.environ.get(self.key_variable, "").strip()
        if not key:
            raise InvalidParameter(
                f"there is no key for {self.shown}: set the environment variable "
                f"{self.key_variable}, or name no variable if the server needs none."
            )
        if not (key.isascii() and key.isprintable()):
            raise InvalidParameter(
                f"the environment variable {self.key_variable} holds characters that a key "
                "cannot have; copy the key again."
            )
        return key

    def send(self, body: bytes) -> dict[str, Any]:
        """Return the server's answer to a request, which is sent once.

        Raises
        ------
        PassingFailure
            Nothing came in time, the connection was lost, or the status is 408, 429 or 5xx.
        JudgeFailed
            Any other status, a pause longer than is waited for, or an answer that is not JSON.
        """
        key = self.key()
        response = self._posted(body, key)
        answer = without_key(_object(response.text), key)
        if response.status_code == 200 and answer:
            return answer
        said = quoted(_complaint(answer) or without_key(response.text, key))
        place = without_key(self.shown, key)
        raise self._failure(response, f"{place} answers {response.status_code} ({said})")

    def _posted(self, body: bytes, key: str | None) -> httpx.Response:
        import httpx

        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        wait, billed = None, False
        try:
            return self._client.post(self.url, content=body, headers=headers)
        except httpx.ConnectError as error:
            reason, wait = f"there is no connection to {self.shown} ({error})", REFUSED_WAIT
        except (httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            reason = f"there is no connection to {self.shown} ({error})"
        except httpx.TimeoutException:
            reason, billed = f"{self.shown} gave no answer in {self.timeout:g} seconds", True
        except httpx.TransportError:
            reason, billed = f"the connection to {self.shown} was lost", True
        # Outside of the handlers: what httpx raised may quote the request, and so the key.
        raise PassingFailure(f"{without_key(reason, key)}.", wait, billed)

    def _failure(self, response: httpx.Response, said: str) -> JudgeFailed:
        status = response.status_code
        if status == 200:
            return JudgeFailed(f"{said}, which is not a chat completion; check the address.")
        if status not in (408, 429) and status < 500:
            return JudgeFailed(f"{said}; check the address, the model and the key.")
        wait = _retry_after(response.headers)
        if wait is not None and wait > LONGEST_WAIT:
            return JudgeFailed(
                f"{said} and asks for {wait:.0f} seconds of pause; continue after that."
            )
        return PassingFailure(f"{said}.", wait)


def without_key(said: Any, key: str | None) -> Any:
    r"""Return what a server said without the key, in every text of it and however the key is written there.

    What comes as JSON is given decoded. A text in it may be encoded once more, as JSON, in an address or in
    HTML, so each character of the key is looked for in all of these forms.

    Examples
    --------
    >>> without_key({"error": ['no: a"b', r"no: \u0061%22b"]}, 'a"b')
    {'error': ['no: [key]', 'no: [key]']}
    """
    if not key:
        return said
    if isinstance(said, dict):
        return {without_key(name, key): without_key(value, key) for name, value in said.items()}
    if isinstance(said, list):
        return [without_key(value, key) for value in said]
    if not isinstance(said, str):
        return said
    pattern = "".join(_forms(part) for part in re.findall(r"\\+|[^\\]", key))
    return re.sub(pattern, "[key]", said)


def _forms(part: str) -> str:
    """Return a pattern of a character of the key, or of a run of backslashes, in whatever form.

    Quantifiers are bounded, so that no text takes long to look through.
    """
    number = ord(part[0])
    forms = [
        r"\\" if part[0] == "\\" else rf"\\{{0,8}}+{re.escape(part)}",
        rf"\\{{1,8}}+(?i:u00{number:02x}|x{number:02x})",
        rf"%(?:25){{0,4}}(?i:{number:02x})",
        rf"&(?:amp;){{0,4}}\#(?i:0{{0,4}}{number}|x0{{0,4}}{number:x});",
        rf"&(?:amp;){{0,4}}{_NAMED.get(part, 'none')};",
        r"\+" if part == " " else r"(?!)",  # in a form
    ]
    once = f"(?:{'|'.join(reversed(forms))})"
    return f"{once}{{1,64}}" if part[0] == "\\" else once


def _object(text: str) -> dict[str, Any]:
    try:
        found = json_of(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _complaint(answer: dict[str, Any]) -> str | None:
    """Return what a server says is wrong, where servers say so."""
    error = answer.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: it names them, or a date."""
    asked = headers.get("retry-after", "")
    if asked.strip().isdigit():
        return float(asked)
    try:
        date = parsedate_to_datetime(asked)
    except ValueError:
        return None
    zoned = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (zoned - datetime.now(UTC)).total_seconds())


def _completions(url: str) -> str:
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError
    except ValueError:  # of urlsplit too: an open bracket, a port that is none
        raise InvalidParameter(
            f"{quoted(_without_secrets(url))} is not the address of a chat endpoint; give one "
            "such as http://localhost:8000/v1."
        ) from None
    path = parts.path.rstrip("/")
    return parts._replace(path=path if path.endswith(_PATH) else path + _PATH).geturl()


def _without_secrets(url: str) -> str:
    """Return an address without what may be secret in it: a user, a password, a query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2].partition("?")[0]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _client(timeout: float) -> httpx.Client:
    need("tenacity", "judges", "a chat judge")
    httpx = need("httpx", "judges", "a chat judge")
    certificates = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    return httpx.Client(timeout=timeout, verify=_trusted(*certificates))


@cache  # reading all certificates takes longer than many a request
def _trusted(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Whom HTTPS trusts, by the certificates that these variables of the environment name."""
    import httpx

    return httpx.create_ssl_context()
