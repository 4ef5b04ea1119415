"""Webhooks: the address that is told once when a study ends, and every message to it, kept in the storage.

A study ends when its verdict is proved or when it is closed, whichever comes first. A message is kept before it is
sent, so that a server that restarts goes on with it.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy import Connection, select

from copeland.errors import InvalidParameter
from copeland.study.log.schema import server
from copeland.study.log.storage import Storage

LONGEST = 2_000  # characters of an address
DAY = 86_400.0  # seconds after which a message is given up
PAUSES = (10.0, 3.0, 4 * 3600.0)  # seconds: the first, how much longer each is, the longest
LEASE = 60.0  # seconds for which nobody else sends a message that is being sent
KEPT = 20  # messages of a study that are remembered
_name, _value = server.c.name, server.c.value


@dataclass(frozen=True)
class Webhook:
    """Where a study tells of its end."""

    id: str
    url: str
    secret: str
    created: float
    home: str = ""  # how people reach the server, as its owner did
    has_ended: bool = False  # as far as it was told
    endings: int = 0  # that it was told of


@dataclass(frozen=True)
class Delivery:
    """A message, and what became of it."""

    id: str
    body: str
    made: float
    due: float | None  # when it is sent next; None: never
    attempts: int = 0
    answer: str = ""  # to the last attempt
    sent: float | None = None  # when it was taken

    @property
    def state(self) -> str:
        """Where it stands, in a word or two."""
        if self.sent is not None:
            return "sent"
        return "given up" if self.due is None else "waiting"

    def take(self, now: float) -> Delivery:
        """Return it as it is while somebody sends it."""
        return replace(self, due=now + LEASE, attempts=self.attempts + 1)

    def note(self, is_taken: bool, answer: str, now: float) -> Delivery:
        """Return it as it is after an attempt."""
        if is_taken:
            return replace(self, due=None, answer=answer, sent=now)
        due = now + pause_after(self.attempts)
        return replace(self, due=due if due < self.made + DAY else None, answer=answer)


def pause_after(attempts: int) -> float:
    """Return for how many seconds to wait after so many attempts that failed.

    Examples
    --------
    >>> [pause_after(n) for n in (1, 2, 3, 20)]
    [10.0, 30.0, 90.0, 14400.0]
    """
    first, factor, longest = PAUSES
    return min(first * factor ** min(attempts - 1, 20), longest)


def check_hook_address(url: str) -> str:
    """Return an address that a message can be sent to, or refuse it.

    Examples
    --------
    >>> check_hook_address(" https://ci.example.org/copeland ")
    'https://ci.example.org/copeland'
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        is_good &= "@" not in parts.netloc
    except ValueError:
        is_good = False
    if not is_good or len(url) > LONGEST or not re.fullmatch(r"[!-\[\]-~]+", url):
        raise InvalidParameter(
            f"the address of the webhook is '{url[:100]}'; give one in full and without a password, as in "
            "https://ci.example.org/copeland."
        )
    return url


class Webhooks:
    """The webhooks of all studies in a storage, and their messages.

    Examples
    --------
    >>> from copeland import create_study
    >>> storage = Storage("memory")
    >>> key = create_study("tea", ["green", "black"], storage).storage.key("tea")
    >>> hooks = Webhooks(storage)
    >>> hooks.set(key, "https://ci.example.org/copeland").url
    'https://ci.example.org/copeland'
    """

    def __init__(self, storage: Storage, clock: Callable[[], float] = time.time):
        self._storage, self._clock = storage, clock

    def find(self, study: int) -> Webhook | None:
        """Return the webhook of a study, by the study's key."""
        return self.find_all().get(study)

    def find_all(self) -> dict[int, Webhook]:
        """Return all webhooks, by the keys of their studies."""
        return {
            int(name.split()[1]): Webhook(**told)
            for name, told in self._read_all("webhook ").items()
        }

    def set(self, study: int, url: str, home: str = "") -> Webhook:
        """Tell this address, and no other, when a study ends; its secret is new."""
        hook = Webhook(
            id=secrets.token_hex(6),
            url=check_hook_address(url),
            secret=f"whsec_{secrets.token_urlsafe(32)}",
            created=self._clock(),
            home=home,
        )

        def work(connection: Connection) -> None:
            _clear(connection, study)
            _insert(connection, _hook_name(study), hook)

        self._storage.transact(work)
        return hook

    def remove(self, study: int) -> None:
        """Tell nobody, and forget the messages."""
        self._storage.transact(lambda connection: _clear(connection, study))

    def note_end(self, study: int, hook: Webhook, body: Mapping[str, Any] | None) -> None:
        """Keep a message if a study has ended since the last look; ``body`` is None while it goes on.

        Several processes may look at once: one message is kept.
        """

        def work(connection: Connection) -> None:
            kept = _read(connection, _hook_name(study))
            now = Webhook(**kept) if kept else None
            if now is None or now.id != hook.id or now.has_ended == (body is not None):
                return
            after = replace(now, has_ended=body is not None, endings=now.endings + bool(body))
            _update(connection, _hook_name(study), after)
            if body is not None:
                _insert(connection, _delivery_name(study, after.endings), _message(body, clock()))
                _forget_old(connection, study, after.endings)

        clock = self._clock
        self._storage.transact(work)

    def deliveries(self, study: int) -> list[Delivery]:
        """Return the last messages of a study, the newest first."""
        found = self._read_all(f"delivery {study} ")
        return [Delivery(**found[name]) for name in sorted(found, reverse=True)]

    def take_due(self, most: int) -> list[tuple[str, Webhook, Delivery]]:
        """Return messages that are to be sent now, with their names; nobody else is given them for a minute."""
        now, found = self._clock(), self._read_all("delivery ")
        due = [name for name, told in found.items() if _is_due(told, now)][:most]
        taken = (self._take(name, now) for name in due)
        return [one for one in taken if one is not None]

    def _take(self, name: str, now: float) -> tuple[str, Webhook, Delivery] | None:
        def work(connection: Connection) -> tuple[str, Webhook, Delivery] | None:
            told, hook = (
                _read(connection, name),
                _read(connection, _hook_name(int(name.split()[1]))),
            )
            if told is None or hook is None or not _is_due(told, now):
                return None
            delivery = Delivery(**told).take(now)
            _update(connection, name, delivery)
            return name, Webhook(**hook), delivery

        return self._storage.transact(work)

    def save(self, name: str, delivery: Delivery) -> None:
        """Keep what became of a message, unless it was forgotten meanwhile."""
        self._storage.transact(lambda connection: _update(connection, name, delivery))

    def _read_all(self, prefix: str) -> dict[str, dict[str, Any]]:
        query = select(_name, _value).where(_name.startswith(prefix, autoescape=True))
        rows = self._storage.transact(lambda c: c.execute(query).all(), reads=True)
        return {name: json.loads(value) for name, value in rows}


def _hook_name(study: int) -> str:
    return f"webhook {study} address"


def _delivery_name(study: int, number: int) -> str:
    return f"delivery {study} {number:08}"


def _message(body: Mapping[str, Any], now: float) -> Delivery:
    id = f"msg_{secrets.token_hex(12)}"
    return Delivery(id, json.dumps({"id": id, **body}), now, due=now)


def _is_due(told: Mapping[str, Any], now: float) -> bool:
    return told["due"] is not None and told["due"] <= now


def _read(connection: Connection, name: str) -> dict[str, Any] | None:
    """What is kept under a name; no other process changes it before this transaction ends."""
    query = select(_value).where(_name == name).with_for_update()
    value = connection.execute(query).scalar()
    return None if value is None else json.loads(value)


def _insert(connection: Connection, name: str, value: Webhook | Delivery) -> None:
    connection.execute(sa.insert(server), {"name": name, "value": json.dumps(asdict(value))})


def _update(connection: Connection, name: str, value: Webhook | Delivery) -> None:
    connection.execute(
        sa.update(server).where(_name == name).values(value=json.dumps(asdict(value)))
    )


def _clear(connection: Connection, study: int) -> None:
    mine = _name.startswith(f"delivery {study} ", autoescape=True)
    connection.execute(sa.delete(server).where((_name == _hook_name(study)) | mine))


def _forget_old(connection: Connection, study: int, last: int) -> None:
    old = _name.startswith(f"delivery {study} ", autoescape=True)
    old &= _name <= _delivery_name(study, last - KEPT)
    connection.execute(sa.delete(server).where(old))
