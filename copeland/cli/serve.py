"""copeland serve and copeland backup: voting pages, a dashboard and an HTTP API; a copy of the storage while it is in use."""

from __future__ import annotations

import errno
import io
import ipaddress
import os
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from copeland.cli.arguments import STORAGE, Force, Json, Storage
from copeland.cli.output import Reply, print_json, print_line, require_new
from copeland.cli.program import app
from copeland.errors import InvalidParameter, need

KEEP_ALIVE = 75  # seconds: voters think longer than uvicorn waits by itself
GRACE = 5  # seconds that open streams have to end
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOST = LOOPBACK[0]
SECRET = "COPELAND_SECRET"
OUTSIDE = ("203.0.113.1", 9)  # nobody's address, kept for documents: nothing is sent to it


@app.command("serve", epilog="Example: `copeland serve --storage sqlite:///votes.db --port 8000`")
def serve_command(
    storage: Storage = STORAGE,
    office: bool = False,
    host: str = HOST,
    port: int = 8000,
    url: str = "",
    workers: int = 1,
    trust_proxy: str = "",
    demo: bool = False,
    as_json: Json = False,
) -> None:
    """Let people vote in a browser, and programs over HTTP.

    It prints a link that opens the admin pages. Without --office or --url it answers only on this machine.

    --office                 Let phones and computers on the same network open it.
    --host                   The address to listen at.
    --port                   The port to listen at.
    --url URL                The address at which people reach the server, such as https://vote.example.org.
    --workers                How many processes answer requests.
    --trust-proxy ADDRESS    A reverse proxy to believe about who visits.
    --demo                   Begin with a small study to try.
    """
    uvicorn = need("uvicorn", "serve", "copeland serve")
    need("fastapi", "serve", "copeland serve")
    if office:
        host, url = _find_office(host, port, url)
    _check(host, port, url, workers)
    _require_free_port(host, port)  # before there is a new link, which ends the one printed last
    from copeland.web.app import SETTINGS, create_app
    from copeland.web.connections import BACKLOG, GuardedProtocol
    from copeland.web.server import Config, prepare

    address = f"[{host}]" if ":" in host else host
    base = url.rstrip("/") or f"http://{address}:{port}"
    link = f"{base}/admin/enter?token={prepare(storage, url, demo)}"
    if as_json:
        print_json({"url": base, "admin": link})
    else:
        print_line(f"Admin: {link}")
        print_line("Anyone with this link can do everything; it expires when the server restarts.")
        if office and can_draw():
            print_line("For your own phone: this opens the admin pages. Do not share it.")
            print_line(draw_code(link))
        for line in _tell_reach(base, port, office, bool(url)):
            print_line(line)
    sys.stdout.flush()  # before the server begins, which does not end
    how: dict[str, Any] = {
        "host": host,
        "port": port,
        "timeout_keep_alive": KEEP_ALIVE,
        "timeout_graceful_shutdown": GRACE,
        "access_log": False,  # it would hold the tokens of links
        "log_level": "error",  # warnings are about what visitors send, however much of it
        "http": GuardedProtocol,
        "backlog": BACKLOG,
        "server_header": False,
        "proxy_headers": bool(trust_proxy),
        "forwarded_allow_ips": trust_proxy or None,
    }
    if workers == 1:
        config = Config(storage, url, os.environ.get(SECRET, ""))
        uvicorn.run(create_app(config), **how)
        return
    os.environ |= {SETTINGS["storage"]: storage, SETTINGS["url"]: url}
    uvicorn.run("copeland.web.app:from_environment", factory=True, workers=workers, **how)


def _find_office(host: str, port: int, url: str) -> tuple[str, str]:
    """Where to listen on the local network, and how others type it."""
    if url or host != HOST:
        raise InvalidParameter("--office finds the address by itself; leave --host and --url out.")
    address = find_network_address()
    if address is None:
        raise InvalidParameter(
            "--office found no local network: connect this computer to one, or give the address that others "
            "use with --host and --url."
        )
    return address, f"http://{address}:{port}"


def _tell_reach(base: str, port: int, office: bool, named: bool) -> list[str]:
    """Who can open the links of this server, and what it takes to let others do so."""
    if office:
        return [
            f"Phones and computers on the same network can open {base}; the internet cannot, unless your router lets it in.",
            f"If a phone cannot, allow port {port} in this computer's firewall, and check that the phone is on "
            "the same Wi-Fi. Guest networks often keep devices apart.",
            "Nothing is encrypted on the way. For voters on the internet, use https: put a proxy in front, and "
            "give its address with --url (docs/serving.md).",
        ]
    if named:
        return []
    return [
        "Only this computer can open it. For phones on the same network: copeland serve --office"
    ]


def can_draw() -> bool:
    """Tell whether standard output is a terminal that shows block characters."""
    return sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")


def draw_code(link: str) -> str:
    """Return a link as a QR code of block characters, for a terminal."""
    import segno

    file = io.StringIO()
    segno.make(link, error="l").terminal(out=file, border=2, compact=True)
    return file.getvalue()


def _check(host: str, port: int, url: str, workers: int) -> None:
    if not 0 < port < 65536:
        raise InvalidParameter(f"--port is {port}; give a number from 1 to 65535.")
    if not 1 <= workers <= 64:
        raise InvalidParameter(f"--workers is {workers}; give a number from 1 to 64.")
    if url and not _is_web_address(url):
        raise InvalidParameter(
            f"--url is '{url}'; give it in full, as in https://vote.example.org."
        )
    if not url and host not in LOOPBACK:
        raise InvalidParameter(
            f"--host is '{host}', which others can reach; say --office instead for the local network, or give the "
            "address they use, as in --url https://vote.example.org."
        )


def _require_free_port(host: str, port: int) -> None:
    if not is_port_taken(host, port):
        return
    near = range(port + 1, min(port + 20, 65536))
    free = next((one for one in near if not is_port_taken(host, one)), None)
    advice = "stop the program that uses it" if free is None else f"try --port {free}"
    raise InvalidParameter(f"port {port} is taken, perhaps by another copeland serve; {advice}.")


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:  # half of an address in brackets
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


@app.command("backup", epilog="Example: `copeland backup votes-2026-11-16.db`")
def backup_command(path: Path, storage: Storage = STORAGE, force: Force = False) -> Reply:
    """Copy all studies to a file, even while people vote; you can open the copy like the storage itself.

    For PostgreSQL, use pg_dump.

    FILE    Where to write the copy.
    """
    from copeland.study import Storage as Kept

    require_new(path, force)
    kept = Kept(storage, create=False)
    kept.copy_to(path)
    names = Kept(f"sqlite:///{path}", create=False).names()
    said = "1 study" if len(names) == 1 else f"{len(names):,} studies"
    return Reply({"file": str(path), "studies": names}, f"{path} holds {said} of {kept.url}.")


def find_network_address() -> str | None:
    """Return this computer's address on its local network; None if it is on none.

    An address that the whole internet could reach is not one.
    """
    found = [*_find_route(), *_look_up_name()]
    return next((address for address in found if is_local(address)), None)


def is_local(address: str) -> bool:
    """Tell whether an address is of a local network, and not of this computer alone."""
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
    """Tell whether another program listens at a port of this computer."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family):
            return False
    except OSError as error:  # anything else is said when the server starts
        return error.errno == errno.EADDRINUSE
