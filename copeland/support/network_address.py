"""The address under which other computers of the same network reach this one, and whether a port of it is free."""

from __future__ import annotations

import errno
import ipaddress
import socket

OUTSIDE = ("203.0.113.1", 9)  # nobody's address, kept for documents: nothing is sent to it


def find_network_address() -> str | None:
    """Return this computer's address on its local network; None if it is on none.

    An address that the whole internet could reach is not one.

    Examples
    --------
    >>> address = find_network_address()
    >>> address is None or address.count(".") == 3
    True
    """
    found = [*_find_route(), *_look_up_name()]
    return next((address for address in found if is_local(address)), None)


def is_local(address: str) -> bool:
    """Tell whether an address is of a local network, and not of this computer alone.

    Examples
    --------
    >>> [is_local(one) for one in ("192.168.1.20", "127.0.0.1", "0.0.0.0", "8.8.8.8", "tea")]
    [True, False, False, False, False]
    """
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (known.is_global or known.is_loopback or known.is_unspecified or known.is_multicast)


def _find_route() -> list[str]:
    """The address from which this computer would talk to the outside; a UDP socket says it and sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(OUTSIDE)
        except OSError:  # a network without a way out
            return []
        return [one.getsockname()[0]]


def _look_up_name() -> list[str]:
    """The addresses that this computer's own name stands for."""
    try:
        return socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:
        return []


def is_port_taken(host: str, port: int) -> bool:
    """Tell whether another program listens at a port of this computer.

    Examples
    --------
    >>> with socket.create_server(("127.0.0.1", 0)) as one:
    ...     is_port_taken("127.0.0.1", one.getsockname()[1])
    True
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family):
            return False
    except OSError as error:  # anything else is said when the server starts
        return error.errno == errno.EADDRINUSE
