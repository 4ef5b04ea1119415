"""A chat endpoint on this machine, which answers what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple


class Reply(NamedTuple):
    status: int
    body: str
    headers: Mapping[str, str] = MappingProxyType({})
    silent: bool = False  # nothing is sent before the server is closed


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return self.body["messages"][0]["content"]


SILENCE = Reply(200, "", silent=True)


def says(text: object, usage: object = (100, 1)) -> Reply:
    """A completion; usage is (prompt tokens, completion tokens), or None for a server that keeps quiet."""
    body: dict[str, Any] = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    if isinstance(usage, tuple):
        body["usage"] = dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=True))
    return Reply(200, json.dumps(body))


def refuses(status: int, message: str = "no", **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps({"error": {"message": message}}), named)


class FakeChat:
    """Serve on a free port while in a ``with``: replies in turn, the last one for ever, or a function of requests."""

    def __init__(self, *replies: Reply | Callable[[Request], Reply]):
        self.replies = list(replies)
        self.requests: list[Request] = []
        self._turn = threading.Lock()
        self._closing = threading.Event()

    def __enter__(self) -> FakeChat:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = Request(self.path, dict(self.headers), body)
                reply = fake.reply_to(request)
                if reply.silent:
                    fake._closing.wait()
                    return
                content = reply.body.encode()
                self.send_response(reply.status)
                for name, value in {**reply.headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False  # so that closing waits for them
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def reply_to(self, request: Request) -> Reply:
        with self._turn:
            self.requests.append(request)
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply(request) if callable(reply) else reply
