"""A server inside a test, and browsers that visit it: scripts off, cookies kept."""

import re
import warnings
from html import unescape

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would have another client than httpx
    TestClient = pytest.importorskip(
        "fastapi.testclient", reason="httpx is not installed"
    ).TestClient

from copeland.study import Storage, create_study
from copeland.web.app import create_app
from copeland.web.server import Config

HOME = "http://127.0.0.1:8000"
TEAS = {
    "sencha-7": "Grassy and bright.",
    "assam-9": "Malty and strong.",
    "bai-3": "Soft, a little sweet.",
}


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


class Site:
    """A server, with its clock and its storage."""

    def __init__(self, storage=None, **config):
        self.clock = Clock()
        self.storage = storage or Storage()
        self.app = create_app(Config(storage="memory", **config), self.storage, self.clock)
        self.server = self.app.state.server

    def browser(self, **headers):
        return TestClient(self.app, base_url=HOME, headers=headers, raise_server_exceptions=False)

    def admin(self):
        browser = self.browser()
        send(browser, browser.get("/admin/enter"), token=self.server.new_admin_token())
        return browser

    def study(self, name="tea", options=None, page=None, **settings):
        settings = {"voters": "people", **settings}
        if settings["voters"] == "people":
            settings.setdefault("batch", (page or {}).get("per_voter", 20))
        create_study(name, options or TEAS, self.storage, clock=self.clock, **settings)
        self.server.store.add_page(self.storage.key(name), page or {})
        return self.server.study(self.page(name))

    def page(self, name="tea"):
        return self.server.store.find_page_by_name(name)

    def link(self, name="tea", label="Open link", personal=False, expires=None):
        page = self.page(name)
        self.server.store.add_links(page.study, self.server.signer, [label], personal, expires)
        made = self.server.store.links(page.study)[-1]
        return f"/v/{self.server.signer.link(made.nonce)}"

    def voter(self, link=None, name="tea"):
        """Somebody who has begun: the browser, and the page that it shows."""
        browser = self.browser()
        shown = browser.get(link or self.link(name))
        return browser, send(browser, shown)

    def key(self, *scopes, name="tea"):
        study = None if name is None else self.page(name).study
        token = self.server.store.add_key(study, "a program", scopes)
        return self.browser(Authorization=f"Bearer {token}")


def fields(page):
    """The hidden fields of the first form that has some."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text)
    return {name: unescape(value) for name, value in found}


def send(browser, page, path=None, files=None, headers=None, **said):
    """Fill in the form of a page, and send it."""
    data = {
        **{key: value for key, value in fields(page).items() if key in ("csrf", "ballot")},
        **said,
    }
    return browser.post(path or page.url.path, data=data, files=files, headers=headers)


def vote(browser, page, outcome="left"):
    return send(browser, page, outcome=outcome)


def asks(page):
    return 'name="ballot"' in page.text
