"""A server below a path of another address, behind a proxy that takes the path away."""

import re
from html import unescape

import pytest
from test_admin import png
from web_client import HOME, Site, TestClient, asks, fields

OURS = re.compile(r'\b(?:href|src|action|formaction|data-live|data-ahead)="([^"]*)"')


class Proxy:
    """What nginx does with `location /votes/ { proxy_pass http://server/; }`; counts what went astray."""

    def __init__(self, app, path):
        self._app, self._path = app, path
        self.astray = []

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            if not scope["path"].startswith(f"{self._path}/"):
                self.astray.append(scope["path"])
                await send({"type": "http.response.start", "status": 502, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
            path = scope["path"].removeprefix(self._path)
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)


@pytest.fixture(
    params=[
        "/votes",
        pytest.param("/vote", marks=pytest.mark.slow),  # the beginning of our own paths
        pytest.param("/a/b", marks=pytest.mark.slow),
    ]
)
def below(request):
    path = request.param
    site = Site(url=f"{HOME}{path}")
    site.proxy = Proxy(site.app, path)
    site.path = path
    return site


def client(site):
    return TestClient(site.proxy, base_url=HOME, raise_server_exceptions=False)


def addresses(page):
    return {unescape(one) for one in OURS.findall(page.text)} - {"", "#content"}


def send(browser, page, path, files=None, **said):
    known = {key: value for key, value in fields(page).items() if key in ("csrf", "ballot")}
    return browser.post(path, data={**known, **said}, files=files)


def within(site, page):
    """Assert that all addresses of a page lead below the path, and return them."""
    assert page.status_code == 200, page.url
    found = addresses(page)
    inside = (f"{site.path}/", f"{HOME}{site.path}/", "?")
    assert [one for one in found if not one.startswith(inside)] == []
    return found


@pytest.mark.slow
def test_everything_works_below_a_path(below):
    site, admin = below, client(below)
    token = site.server.new_admin_token()
    door = admin.get(f"{site.path}/admin/enter?token={token}")
    within(site, door)
    inside = send(admin, door, f"{site.path}/admin/enter", token=token)
    assert inside.url.path == f"{site.path}/admin"
    within(site, inside)
    form = admin.get(f"{site.path}/admin/new")
    within(site, form)
    files = [("images", (f"{n}.png", png((9 * n, 9, 9)), "image/png")) for n in range(3)]
    asked = send(admin, form, f"{site.path}/admin/new", files=files, name="shots")
    within(site, asked)
    said = {
        part: re.findall(rf'name="image_{part}"[^>]*value="([^"]*)"', asked.text)
        for part in ("digest", "name")
    }
    said = {f"image_{part}": values for part, values in said.items()} | {"image_alt": list("abc")}
    shared = send(admin, asked, f"{site.path}/admin/new", name="shots", **said)
    link = next(one for one in within(site, shared) if "/v/" in one)
    people_vote(site, link)
    slug = site.page("shots").slug
    for tab in ("", "/summary", "/figures", "/options", "/manage", "/preview"):
        within(site, admin.get(f"{site.path}/admin/s/{slug}{tab}"))
    manage = admin.get(f"{site.path}/admin/s/{slug}/manage")
    send(admin, manage, f"{site.path}/admin/s/{slug}/manage", does="results", results="live")
    within(site, client(site).get(f"{site.path}/r/{slug}"))
    assert site.proxy.astray == []


def people_vote(site, link):
    browser = client(site)
    start = browser.get(link)
    within(site, start)
    page = send(browser, start, link)
    assert page.url.path.startswith(f"{site.path}/vote/")
    for address in within(site, page):
        if "/m/" in address or "/static/" in address:
            assert browser.get(address).status_code == 200
    ahead = send(browser, page, f"{page.url.path}/ahead").json()["images"]
    assert all(browser.get(one).status_code == 200 for one in ahead)
    page = send(browser, page, page.url.path, outcome="left")
    assert asks(page)
    within(site, send(browser, page, f"{page.url.path}/undo"))
    assert site.server.study(site.page("shots")).standing().undone == 1


def test_programs_and_the_client_find_it_there(below):
    site, browser = below, client(below)
    site.study()
    token = site.server.store.add_key(site.page().study, "a program", ("ask", "tell", "read"))
    browser.headers["Authorization"] = f"Bearer {token}"
    api = f"{site.path}/api/v1"
    assert browser.get(f"{api}/openapi.json").json()["servers"] == [{"url": api}]
    ballots = browser.post(f"{api}/studies/tea/ballots", json={"voter": "a"}).json()["ballots"]
    kept = browser.post(
        f"{api}/studies/tea/ballots/{ballots[0]['id']}/vote", json={"outcome": "left"}
    )
    assert kept.status_code == 201
    refused = browser.get(f"{api}/studies/other/results").json()
    assert browser.get(refused["type"]).status_code == 200
    assert browser.get(f"{site.path}/healthz").text == "ok\n"


@pytest.mark.slow
def test_a_browser_votes_and_watches_below_a_path(somebody_below):
    live, person = somebody_below
    live.study()
    admin = person()
    admin.open(f"{live.path}/admin/enter?token={live.server.new_admin_token()}")
    admin.page.get_by_role("button", name="Sign in").click()
    admin.page.wait_for_url(f"**{live.path}/admin")
    admin.open(f"{live.path}/admin/s/{live.page().slug}")
    voter = person().open(f"{live.path}{live.link()}")
    voter.get_by_role("button", name="Start").click()
    voter.wait_for_url(f"**{live.path}/vote/*")
    browsing().answer(voter)  # by a script, and the dashboard follows by a stream
    browsing().says(admin.page.locator(".tiles div").first, "1")
    assert live.proxy.astray == []


def browsing():
    import browsing

    return browsing


@pytest.fixture
def somebody_below(browser, monkeypatch):
    """A real server behind such a proxy, and people with browsers; afterwards nothing has gone wrong in any."""
    monkeypatch.setattr(
        "copeland.study.report.study_page.image", lambda figure, kind: b"<svg></svg>"
    )

    class Below(browsing().LiveSite):
        path = "/votes"

        def start(self):
            self.port = self.port or browsing().free_port()
            settings = {"url": f"{self.home}{self.path}"}
            Site.__init__(self, self.storage, **settings)
            self.proxy = self.app = Proxy(self.app, self.path)
            super().start()

    live, people = Below(), []

    def new():
        people.append(browsing().Somebody(browser, live))
        return people[-1]

    yield live, new
    for one in people:
        one.context.close()
    live.stop()
    assert [trouble for one in people for trouble in one.troubles] == []
