"""A real server on a free port of this machine, and real browsers that visit it."""

import socket
import threading

import pytest
from web_client import Site

uvicorn = pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

PATIENCE = 20_000  # ms until something that should be there is missed: machines are busy
CALM = 350  # ms, a little more than the page ignores answers to a new pair
LATER = """ms => {
  const now = performance.now.bind(performance);
  performance.now = () => now() + ms;
}"""
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 320, "height": 640}


def free_port():
    """A port that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class LiveSite(Site):
    """A server in a thread. It can be stopped, and started again at the same address."""

    def __init__(self, storage=None):
        super().__init__(storage)
        self.port = 0
        self.start()

    @property
    def home(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        listening = socket.create_server(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        how = {"log_level": "critical", "lifespan": "off", "ws": "none", "access_log": False}
        self._server = uvicorn.Server(uvicorn.Config(self.app, **how))
        self._thread = threading.Thread(target=self._server.run, args=([listening],))
        self._thread.start()

    def stop(self):
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()

    def restart(self):
        """Begin anew with nothing but the storage, as after a crash; the clock goes on."""
        self.stop()
        clock = self.clock
        super().__init__(self.storage)
        self.clock.now = clock.now
        self.start()


class Somebody:
    """A person with a browser of their own: what they do, and what went wrong in it."""

    def __init__(self, browser, site, **how):
        self.site = site
        self.context = browser.new_context(base_url=site.home, **{"viewport": DESK, **how})
        self.context.set_default_timeout(PATIENCE)
        self.troubles = []
        self.context.on("weberror", lambda error: self.troubles.append(str(error.error)))
        self.context.on("console", self._heard)
        self.page = self.context.new_page()

    def _heard(self, message):
        # A connection that fails is told by the browser too; tests of that look at the page instead.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.troubles.append(message.text)

    def open(self, path):
        self.page.goto(path)
        return self.page

    def begin(self, link=None, name="tea"):
        """Follow a link, and start."""
        page = self.open(link or self.site.link(name))
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/vote/*")
        return page

    def come_in(self, path="/admin"):
        """Enter as an admin: by the door to the first page, with a session of before to any other."""
        if path != "/admin":
            for cookie in self.site.admin().cookies.jar:
                kept = {"name": cookie.name, "value": cookie.value, "url": self.site.home}
                self.context.add_cookies([kept])
            return self.open(path)
        self.open(f"/admin/enter?token={self.site.server.new_admin_token()}")
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/admin")
        return self.page

    def see_study(self, tab="", name="tea"):
        """Enter as an admin, and open a study."""
        return self.come_in(f"/admin/s/{self.site.page(name).slug}{tab}")


def answer(page, outcome="left"):
    """Answer a pair by its button, and wait for what follows."""
    token = ballot(page)
    page.click(f"[value={outcome}]")
    followed(page, token)


def await_next(page, token):
    """Wait until another pair than that of a token is shown, or none."""
    page.wait_for_function("t => document.querySelector('[name=ballot]')?.value !== t", arg=token)


def followed(page, token):
    """Wait until another pair than that of a token is shown, or none, and let it take answers at once."""
    await_next(page, token)
    page.evaluate(LATER, CALM)


def ballot(page):
    return page.input_value("[name=ballot]")


def shown(page):
    """The two texts of a pair."""
    return page.locator(".side .content").all_inner_texts()


def says(place, text):
    api.expect(place).to_contain_text(text, timeout=PATIENCE)


def shows(place):
    api.expect(place).to_be_visible(timeout=PATIENCE)


def outcomes(study):
    return [vote.outcome for vote in study.votes() if not vote.undone]
