"""Connections: how many there may be, and how long one may take to say what it wants.

Each takes a file of the process, and a process has only so many. Without limits, whoever opens some hundreds and never
finishes a request silences the server for everybody.
"""

from __future__ import annotations

import asyncio
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from copeland.web.security import group_address

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    HttpProtocol = AutoHTTPProtocol  # the faster one, if it is installed

MOST = 10_000  # connections
SPARE = 300  # files for everything else: databases, images, connections that are about to end
EACH = 300  # from one address: many people may share one
HEAD = 65_536  # bytes of a request before its body
HEAD_SECONDS = 15.0  # until they are there
BACKLOG = 50  # connections taken at a time: before they are counted, each takes a file


class GuardedProtocol(HttpProtocol):
    """HTTP as uvicorn speaks it, with limits on what somebody may hold who says nothing."""

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None):
        super().__init__(config, server_state, app_state, _loop)
        self._timer: asyncio.TimerHandle | None = None
        self._came = 0  # bytes of the request that has not begun
        self._address = ""  # from where somebody comes
        self._heard = 0.0  # when somebody last said something here

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection; if these are too many, end the one that has been silent for longest."""
        super().connection_made(transport)
        self._address = group_address(self.client[0]) if self.client else ""
        self._heard = self.loop.time()
        self._begin_waiting()
        silent = [one for one in self._find_crowd() if one._is_idle]
        if silent:
            min(silent, key=lambda one: one._heard).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read on, unless a request is too long before it has begun."""
        self._heard = self.loop.time()
        if self._is_idle:
            self._begin_waiting()
            self._came += len(data)
        if self._is_idle and self._came > HEAD + len(data):
            self.transport.abort()
            return
        super().data_received(data)
        if not self._is_idle:
            self._end_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._end_waiting()
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _find_crowd(self) -> list[GuardedProtocol]:
        """The connections of which one has to go, if there are too many: all, or those of this address."""
        everybody = [one for one in self.connections if isinstance(one, GuardedProtocol)]
        most = find_most_connections()
        if len(everybody) > most:
            return everybody
        if self.client is None or is_trusted(self.client[0], self.config.forwarded_allow_ips):
            return []
        same = [one for one in everybody if one._address == self._address]
        return same if len(same) > min(EACH, most // 2) else []

    def _begin_waiting(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _end_waiting(self) -> None:
        self._came = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def find_most_connections() -> int:
    """Return how many connections a process may hold, by how many files it may open."""
    try:
        import resource
    except ImportError:  # on Windows
        return MOST
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if files < 0 else min(MOST, max(files // 2, files - SPARE))


def is_trusted(address: str, proxies: str | list[str] | None) -> bool:
    """Tell whether an address is this machine's, or that of a proxy, which brings many people."""
    try:
        visitor = ip_address(address)
    except ValueError:  # a socket that has no address
        return True
    if visitor.is_loopback:
        return True
    named = proxies.split(",") if isinstance(proxies, str) else proxies or []
    return any(_has(one.strip(), visitor) for one in named)


def _has(network: str, visitor: Any) -> bool:
    try:
        return network == "*" or visitor in ip_network(network, strict=False)
    except ValueError:
        return False
