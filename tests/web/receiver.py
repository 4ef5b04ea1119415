"""A receiver of webhooks on this machine, which fails as often as it is told to."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """What came, and where."""

    def __init__(self, url):
        self.url, self.came = url, []  # headers and bodies

    @property
    def bodies(self):
        return [body for _, body in self.came]


@contextmanager
def receive(*statuses):
    """A receiver that answers with these statuses, and then with 200."""
    answers, seen = iter(statuses), Receiver("")

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            seen.came.append((dict(self.headers), self.rfile.read(length)))
            status = next(answers, 200)
            self.send_response(status)
            if status in (301, 302, 307, 308):
                self.send_header("Location", seen.url + "/elsewhere")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        seen.url = f"http://127.0.0.1:{server.server_address[1]}/hook?of=tea"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield seen
        server.shutdown()
