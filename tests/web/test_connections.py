"""Connections that say nothing, or never finish, hold up nobody."""

import socket
import threading
import time
from types import SimpleNamespace

import pytest
from web_client import Site

pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
import uvicorn

from copeland.web import connections, security
from copeland.web.connections import GuardedProtocol, find_most_connections, is_trusted

pytestmark = pytest.mark.slow  # they start a server

ASKED = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
UNFINISHED = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@pytest.fixture
def port(monkeypatch):
    """A server as `copeland serve` starts it, with room for few connections, and little patience."""
    monkeypatch.setattr(connections, "find_most_connections", lambda: 20)
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.4)
    listening = socket.create_server(("127.0.0.1", 0))
    how = {"log_level": "critical", "lifespan": "off", "ws": "none", "access_log": False}
    server = uvicorn.Server(uvicorn.Config(Site().app, http=GuardedProtocol, **how))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = server.force_exit = True
    thread.join()


def connect(port, said=b""):
    made = socket.create_connection(("127.0.0.1", port), timeout=5)
    made.sendall(said)
    return made


def answer(made):
    """What somebody reads: empty if the connection was ended."""
    try:
        return made.recv(20)
    except ConnectionResetError:
        return b""


def is_healthy(port):
    with connect(port, ASKED) as made:
        return answer(made).startswith(b"HTTP/1.1 200")


def test_requests_that_never_end_are_ended(port):
    with connect(port, UNFINISHED) as slow, connect(port) as silent:
        assert answer(slow) == b"" and answer(silent) == b""
    assert is_healthy(port)
    with connect(port, ASKED) as made:
        assert answer(made).startswith(b"HTTP/1.1 200")
        made.sendall(UNFINISHED)
        while answer(made):
            pass


def test_whoever_opens_many_connections_keeps_nobody_out(port, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 60.0)
    slow = []
    for _ in range(60):
        slow.append(connect(port))
        time.sleep(0.002)
    assert is_healthy(port) and is_healthy(port)
    for one in slow:
        one.settimeout(0.02)
    assert sum(_is_ended(one) for one in slow) >= 40
    for one in slow:
        one.close()


def _is_ended(made):
    try:
        return answer(made) == b""
    except TimeoutError:
        return False


def test_one_address_takes_only_its_share(port, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 60.0)
    monkeypatch.setattr(connections, "is_trusted", lambda *_: False)
    monkeypatch.setattr(connections, "EACH", 3)
    made = []
    for _ in range(5):
        made.append(connect(port))
        time.sleep(0.02)
    for one in made:
        one.settimeout(0.1)
    assert [_is_ended(one) for one in made] == [True, True, False, False, False]
    for one in made:
        one.close()


def test_a_request_that_is_too_long_before_it_begins_is_ended(port):
    with connect(port, UNFINISHED) as made, pytest.raises(OSError):
        for _ in range(100):
            made.sendall(b"x" * 10_000)
            time.sleep(0.005)
    assert is_healthy(port)


def test_a_body_that_does_not_come_is_not_waited_for(port, monkeypatch):
    monkeypatch.setattr(security, "BODY_SECONDS", 0.3)
    head = b"POST /v/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\nx"
    with connect(port, head) as made:
        assert answer(made).startswith(b"HTTP/1.1 408")


def test_there_is_room_for_other_files(monkeypatch):
    import resource

    for files, most in ((1024, 724), (256, 128), (1_000_000, 10_000), (-1, 10_000)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert find_most_connections() == most


@pytest.mark.quick
def test_proxies_bring_many_people():
    assert is_trusted("127.0.0.1", None) and is_trusted("::1", None) and is_trusted("", None)
    assert is_trusted("10.0.0.2", "10.0.0.2") and is_trusted("192.0.2.1", "*")
    assert not is_trusted("10.0.0.3", "10.0.0.2") and not is_trusted("10.0.0.3", "nonsense")


def test_the_command_starts_such_a_server(monkeypatch, tmp_path):
    from commands import run

    told = SimpleNamespace()
    monkeypatch.setattr(uvicorn, "run", lambda _, **how: vars(told).update(how))
    run("serve", "--storage", f"sqlite:///{tmp_path}/s.db")
    assert told.http is GuardedProtocol and told.backlog == 50
