"""Pictures of the study in docs/tutorial-design.md: six designs as images, and a panel of five with a link each.

`python -m benchmarks.design_pictures` writes docs/images; with a folder, the pages of that study in every way, to be looked at.
"""

import io
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

from benchmarks.screenshots import DESK, DOCS, OFFICE, PHONE, reduced, served, take
from copeland.study import Ballot, Storage, Study, create_study
from copeland.web.app import create_app
from copeland.web.images import image_of
from copeland.web.server import SESSION, Config, Server
from copeland.web.sessions import ADMIN
from copeland.web.store import Pane

NAME, SEED = "Landing page", 4
QUESTION = "Which page makes you want to know more?"
PEOPLE = ("Ann", "Bo", "Carla", "Dan", "Eve")
MEMBERS = tuple(f"voter-{n:012x}" for n in range(1, 6))
DESIGNS = {  # the colour, where the text stands, and what a picture shows
    "large picture": (
        "#2350d0",
        "below",
        "A wide blue area, with a few lines of text below",
    ),
    "green columns": ("#1f7a4d", "columns", "A page in green with three columns"),
    "text first": ("#7a3b9a", "left", "A page with text on the left and a picture on the right"),
    "orange band": (
        "#c4571b",
        "below",
        "A wide area in a warm colour, with a few lines of text below",
    ),
    "dark columns": ("#27303f", "columns", "A dark page with three columns"),
    "red side": ("#b3263f", "left", "A page with text on the left and a red picture"),
}
ORDER = tuple(DESIGNS)  # as the panel likes them, on the whole


def design(colour: str, layout: str) -> bytes:
    """A made-up landing page."""
    drawing = Image.new("RGB", (720, 480), "#ffffff")
    pen = ImageDraw.Draw(drawing)
    pen.rectangle((0, 0, 720, 44), "#eef0f4")
    pen.rounded_rectangle((24, 12, 120, 32), 6, colour)
    if layout == "columns":
        pen.rectangle((0, 44, 720, 190), colour)
        for x in (40, 262, 484):
            pen.rounded_rectangle((x, 230, x + 196, 400), 12, "#eef0f4")
            write_lines(pen, x + 18, 250, 150)
    elif layout == "left":
        pen.rounded_rectangle((390, 90, 680, 400), 14, colour)
        write_lines(pen, 40, 120, 300)
        pen.rounded_rectangle((40, 280, 190, 326), 10, colour)
    else:
        pen.rectangle((0, 44, 720, 290), colour)
        write_lines(pen, 160, 320, 400)
    file = io.BytesIO()
    drawing.save(file, "PNG")
    return file.getvalue()


def write_lines(pen: ImageDraw.ImageDraw, x: int, y: int, width: int) -> None:
    """Bars in place of text."""
    for n, share in enumerate((1.0, 0.85, 0.6)):
        pen.rounded_rectangle((x, y + 34 * n, x + width * share, y + 34 * n + 14), 6, "#9aa3b2")


class Tutorial:
    """A server with the study of the tutorial, before anybody has voted."""

    def __init__(self, storage: Storage):
        self.app = create_app(Config("memory", OFFICE), storage)
        self.server: Server = self.app.state.server
        self.study: Study = create_study(
            NAME, list(DESIGNS), storage, voters="panel", panel=list(MEMBERS)
        )
        self._draw = random.Random(SEED)
        key, store = storage.key(NAME), self.server.store
        store.add_page(key, {"question": QUESTION})
        store.add_links(key, self.server.signer, PEOPLE, personal=True, voters=MEMBERS)
        for name, (colour, layout, alt) in DESIGNS.items():
            image = image_of(design(colour, layout), name)
            store.add_image(image)
            store.show(key, name, Pane(image.digest, alt))
        page = store.find_page_by_name(NAME)
        assert page is not None
        self.page = page

    def answer(self, member: str, most: int) -> None:
        """Let a member answer, up to so many questions."""
        for _ in range(most):
            ballot = self.study.ask(voter=member)
            if not isinstance(ballot, Ballot):
                return
            ahead = ORDER.index(ballot.right) - ORDER.index(ballot.left)
            is_left = self._draw.random() < 0.5 + 0.2 * ahead
            self.study.tell(ballot, "left" if is_left else "right")

    def finish(self) -> None:
        """Let all answer until it is settled, and show the results to everybody."""
        while not self.study.certificate().decided:
            for member in MEMBERS:
                self.answer(member, 1)
        self.server.store.save_page(replace(self.page, results="closed"))

    def open(self, page: Page, path: str) -> None:
        """Open a page as the owner."""
        session = self.server.store.add_session(self.server.clock() + SESSION)
        home = page.evaluate("location.origin")
        page.context.add_cookies([{"name": ADMIN, "value": session, "url": home}])
        page.goto(f"/admin/s/{self.page.slug}{path}")


Does = Callable[[Page, Tutorial], None]


def share(page: Page, show: Tutorial) -> None:
    show.open(page, "/share")


def excuse(page: Page, show: Tutorial) -> None:
    show.open(page, "/share")
    page.get_by_label("Excuse Eve…").click()


def dashboard(page: Page, show: Tutorial) -> None:
    show.open(page, "")


def manage(page: Page, show: Tutorial) -> None:
    show.open(page, "/manage?saved=1")


def options(page: Page, show: Tutorial) -> None:
    show.open(page, "/options")


def start(page: Page, show: Tutorial) -> None:
    nonce = show.server.store.links(show.page.study)[-1].nonce
    page.goto(f"/v/{show.server.signer.link(nonce)}")


def phone(page: Page, show: Tutorial) -> None:
    start(page, show)
    page.click("main button")
    page.wait_for_url("**/vote/*")
    page.wait_for_load_state("networkidle")


def results(page: Page, show: Tutorial) -> None:
    page.goto(f"/r/{show.page.slug}")


RUNNING: dict[str, Does] = {
    one.__name__: one for one in (share, excuse, dashboard, manage, options, start, phone)
}
ENDED: dict[str, Does] = {one.__name__: one for one in (results, share, dashboard, manage)}
IN_DOCS = {
    "design-share": (share, {"width": 1120, "height": 960}),
    "design-phone": (phone, {"width": 390, "height": 844}),
    "design-dashboard": (dashboard, {"width": 1120, "height": 1000}),
    "design-results": (results, {"width": 1120, "height": 900}),
}


def main() -> None:
    """Take them."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        show = Tutorial(Storage())
        for member in MEMBERS[:-1]:
            show.answer(member, 4)
        browser = playwright.chromium.launch(executable_path=program)
        with served(show.app) as home:
            for is_ended, pages in ((False, RUNNING), (True, ENDED)):
                if is_ended:
                    show.finish()
                if len(sys.argv) > 1:
                    for name, does in pages.items():
                        for size in (DESK, PHONE):
                            for scheme in ("light", "dark"):
                                when = "ended" if is_ended else "running"
                                file = f"{name}-{when}-{size['width']}-{scheme}.png"
                                png = take(browser, home, does, show, size, scheme, True)
                                Path(sys.argv[1], file).write_bytes(png)
                    continue
                for name, (does, size) in IN_DOCS.items():
                    if (does is results) == is_ended:
                        png = take(browser, home, does, show, size, "light", False)
                        (DOCS / f"{name}.png").write_bytes(reduced(png))
        browser.close()


if __name__ == "__main__":
    main()
