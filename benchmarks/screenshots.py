"""Pictures of the real pages for the docs: a server with studies to show, and a browser that looks at it.

`python -m benchmarks.screenshots` writes docs/images; with a folder, every page in every way, to be looked at; after
it, the names of some pages.
"""

import io
import random
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
from typing import Any

import uvicorn
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

from copeland.study import Ballot, Storage, create_study
from copeland.web.app import create_app
from copeland.web.ideas import Ideas
from copeland.web.images import image_of
from copeland.web.server import SESSION, Config, Server
from copeland.web.sessions import ADMIN
from copeland.web.store import Pane
from examples.voter import WORTH, draw_number

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "images"
DESK, PHONE = {"width": 1120, "height": 720}, {"width": 360, "height": 720}
COLOURS = 96  # of a picture in the docs; a page has few
VOTERS, SEED = 24, 7
OFFICE = "http://192.168.1.20:8000"  # where others reach it, as pages say

REPLIES = {
    "formal": "Dear Ms Okafor,\n\nthank you for your message. Your parcel left our warehouse on Monday and should "
    "arrive by Thursday. Please accept our apologies for the delay.",
    "brief": "Hi! It left on Monday and should be with you by Thursday. Sorry for the wait.",
    "warm": "Oh no, we know how it is to wait for a parcel! Yours is on its way since Monday; Thursday at the latest it rings your bell.",
    "detailed": "Your parcel left on Monday at 16:20. It is now in the sorting centre and is planned for Thursday "
    "between 9 and 12. If it is late, we send another one free of charge.",
}
ORDER = ("brief", "detailed", "formal", "warm")
REPLY_PAGE = {
    "question": "Which reply would you rather get?",
    "guidance": "You asked a shop where your parcel is. Read both replies, then say which one **you** would like better.",
    "per_voter": 4,
    "results": "live",
    "known": [["Thank you for your patience.", "Go away."]],
    "check_every": 4,
    "failures": 1,
}

MEALS = ("Soup", "Salad", "Stew", "Curry")
LUNCHES = {f"lunch {n}": f"{meal} with bread." for n, meal in enumerate(MEALS)}
SUGGESTED = (
    "Dumplings, steamed, with a sauce of soy and ginger, for those who like it hot.",
    "Pancakes",
    "Nothing at all",
)


class Show:
    """A server with studies to show, and the way to its pages."""

    def __init__(self, storage: Storage):
        self.app = create_app(Config("memory", OFFICE), storage)
        self.server: Server = self.app.state.server
        self.storage = storage
        self.slugs = {"replies": self._replies(), "screens": self._screens()}
        self.slugs["lunches"] = self._lunches()

    def _replies(self) -> str:
        study = create_study("Parcel replies", REPLIES, self.storage, voters="people")
        key = self.storage.key("Parcel replies")
        self.server.store.add_page(key, REPLY_PAGE)
        self.server.store.add_links(key, self.server.signer, ["Open link"], personal=False)
        names = ["Ann Miller", "Bo Chen", "carla@example.org"]
        self.server.store.add_links(key, self.server.signer, names, personal=True)
        draw = random.Random(SEED)
        for voter in range(VOTERS):
            for _ in range(6):
                ballot = study.ask(voter=f"visitor-{voter:02}")
                if not hasattr(ballot, "left"):
                    break
                ahead = ORDER.index(ballot.right) - ORDER.index(ballot.left)
                right = draw.random() > 0.5 + 0.14 * ahead
                study.tell(ballot, "tie" if draw.random() < 0.1 else "right" if right else "left")
        study.undo(study.votes()[5], "a colleague who knew the texts")
        return self.server.store.find_page_by_name("Parcel replies").slug

    def _screens(self) -> str:
        names = {"top": 60, "middle": 210, "bottom": 360}
        create_study("Login screens", list(names), self.storage, voters="people")
        key = self.storage.key("Login screens")
        self.server.store.add_page(key, {"question": "Which screen is clearer?"})
        self.server.store.add_links(key, self.server.signer, ["Open link"], personal=False)
        for name, y in names.items():
            image = image_of(screen(y), name)
            self.server.store.add_image(image)
            alt = f"A login page with the button at the {name}"
            self.server.store.show(key, name, Pane(image.digest, alt))
        return self.server.store.find_page_by_name("Login screens").slug

    def _lunches(self) -> str:
        study = create_study("Lunches", LUNCHES, self.storage, voters="people", batch=6)
        key = self.storage.key("Lunches")
        self.server.store.add_page(key, {"question": "Which lunch?", "ideas": True})
        self.server.store.add_links(key, self.server.signer, ["Open link"], personal=False)
        for voter in range(4):
            for ballot in study.ask(voter=f"visitor-{voter}", n=6):
                study.tell(ballot, "left")
        ideas = Ideas(self.storage)
        for voter, text in enumerate(SUGGESTED):
            ideas.add(key, f"visitor-{voter}", text)
        ideas.settle(study, ideas.find_all(key)[-1], "declined")
        return self.server.store.find_page_by_name("Lunches").slug

    def link(self, name: str) -> str:
        page = self.server.store.find_page(self.slugs[name])
        assert page is not None
        nonce = self.server.store.links(page.study)[0].nonce
        return f"/v/{self.server.signer.link(nonce)}"


def screen(button: int) -> bytes:
    """A made-up login page, with its button somewhere."""
    drawing = Image.new("RGB", (720, 480), "#f2f4f8")
    pen = ImageDraw.Draw(drawing)
    pen.rounded_rectangle((160, 30, 560, 450), 16, "#ffffff", "#d5dae3")
    rows = [y for y in (60, 135, 210, 285, 360) if y != button][:3]
    for y in rows:
        pen.rounded_rectangle((200, y, 520, y + 46), 8, "#ffffff", "#9aa3b2")
    pen.rounded_rectangle((200, button, 520, button + 46), 8, "#2350d0")
    file = io.BytesIO()
    drawing.save(file, "PNG")
    return file.getvalue()


@contextmanager
def served(app: object) -> Iterator[str]:
    """Serve an application on a free port; yield its address."""
    listening = create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


def start(page: Page, show: Show) -> None:
    page.goto(show.link("replies"))


def vote(page: Page, show: Show, name: str = "replies") -> None:
    page.goto(show.link(name))
    page.click("main button")
    page.wait_for_url("**/vote/*")
    page.wait_for_load_state("networkidle")


def plain(page: Page, show: Show) -> None:
    """A pair without scripts."""
    vote(page, show)
    page.click("summary")


def screens(page: Page, show: Show) -> None:
    vote(page, show, "screens")


def suggestion(page: Page, show: Show) -> None:
    """Where a voter suggests an option, after a few pairs."""
    suggesting(page, show)
    page.click("text=Suggest an option")
    page.wait_for_url("**/idea")
    page.fill("textarea", "Dumplings")
    page.click("button.primary")
    page.wait_for_url("**kept=1")


def suggesting(page: Page, show: Show) -> None:
    """A pair from which a way leads there."""
    vote(page, show, "lunches")
    for _ in range(3):
        token = page.input_value("[name=ballot]")
        page.wait_for_timeout(400)
        page.click("[value=left]")
        page.wait_for_function(
            "t => document.querySelector('[name=ballot]')?.value !== t", arg=token
        )


def ideas(page: Page, show: Show) -> None:
    """What voters suggested, with one form and the settled ones open."""
    _admin(page, show, f"/admin/s/{show.slugs['lunches']}/options")
    page.click("#ideas details summary >> nth=0")
    page.click("text=Settled ideas")


def _admin(page: Page, show: Show, path: str) -> None:
    session = show.server.store.add_session(show.server.clock() + SESSION)
    home = page.evaluate("location.origin")
    page.context.add_cookies([{"name": ADMIN, "value": session, "url": home}])
    page.goto(path)


def dashboard(page: Page, show: Show) -> None:
    _admin(page, show, f"/admin/s/{show.slugs['replies']}")


def share(page: Page, show: Show) -> None:
    _admin(page, show, f"/admin/s/{show.slugs['replies']}/share")


def options(page: Page, show: Show) -> None:
    _admin(page, show, f"/admin/s/{show.slugs['screens']}/options")


def manage(page: Page, show: Show) -> None:
    _admin(page, show, f"/admin/s/{show.slugs['replies']}/manage")


def preview(page: Page, show: Show) -> None:
    _admin(page, show, f"/admin/s/{show.slugs['screens']}/preview")


def studies(page: Page, show: Show) -> None:
    _admin(page, show, "/admin")


def new(page: Page, show: Show) -> None:
    """The form with the fields of a panel and of checks open."""
    _admin(page, show, "/admin/new")
    page.check("[value=panel]")
    page.click("details summary")


def expected(page: Page, show: Show) -> None:
    """The form with its forecast."""
    _admin(page, show, "/admin/new")
    page.fill("[name=pasted]", "\n".join(f"Slogan {n}" for n in range(1, 13)))
    page.fill("[name=people]", "5")
    page.click("[data-into=expected]")
    page.wait_for_selector("#expected .claim")


def describe(page: Page, show: Show) -> None:
    _admin(page, show, "/admin/new")
    page.fill("[name=name]", "More screens")
    files = [{"name": f"{n}.png", "mimeType": "image/png", "buffer": screen(n)} for n in (60, 360)]
    page.set_input_files("[name=images]", files)
    page.click("button.primary")
    page.wait_for_selector(".described")


def results(page: Page, show: Show) -> None:
    page.goto(f"/r/{show.slugs['replies']}")


def verdict(page: Page, _show: Show) -> None:
    """The page of the study in the README, with its simulated voter."""
    options = ROOT / "examples" / "prompts.csv"
    study = create_study("prompts", options, voters="independent", seed=7)
    with tempfile.TemporaryDirectory() as folder:
        count = Path(folder, "voter.txt")
        while ballot := study.ask("python"):
            assert isinstance(ballot, Ballot)
            left, right = WORTH[ballot.left], WORTH[ballot.right]
            study.tell(ballot, "left" if draw_number(count) < left / (left + right) else "right")
        page.goto(study.report(Path(folder, "verdict.html")).as_uri())
        page.wait_for_load_state("networkidle")


def nothing(page: Page, show: Show) -> None:
    page.goto("/v/nowhere")


def problems(page: Page, show: Show) -> None:
    page.goto("/problems")


PAGES: tuple[Callable[[Page, Show], None], ...] = (
    *(start, vote, plain, screens, dashboard, share, options, manage, preview, studies),
    *(new, expected, describe, results, problems, nothing, suggesting, suggestion, ideas),
)
IN_DOCS = {
    "start": (start, DESK),
    "vote": (vote, DESK),
    "vote-phone": (vote, PHONE),
    "dashboard": (dashboard, {"width": 1120, "height": 1180}),
    "sharing": (share, DESK),
    "results": (results, DESK),
    "verdict": (verdict, {"width": 1120, "height": 808}),
}


def reduced(png: bytes) -> bytes:
    """The picture in few colours: a fifth of the bytes, and no difference to the eye."""
    file = io.BytesIO()
    few = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(file, "PNG", optimize=True)
    return file.getvalue()


def take(
    browser: Browser,
    home: str,
    does: Callable[[Page, Any], None],
    show: Any,
    size: dict,
    scheme: str,
    full: bool,
    scripts: bool = True,
) -> bytes:
    """A picture of a page."""
    is_phone = size["width"] < 500
    how: dict[str, Any] = {"has_touch": is_phone, "is_mobile": is_phone}
    how |= {"viewport": size, "color_scheme": scheme, "java_script_enabled": scripts}
    context = browser.new_context(base_url=home, **how)
    page = context.new_page()
    page.goto("/healthz")
    does(page, show)
    page.wait_for_timeout(300)
    png = page.screenshot(full_page=full)
    context.close()
    return png


def main() -> None:
    """Take them."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        show = Show(Storage())
        browser = playwright.chromium.launch(executable_path=program)

        def taken(does: Callable[[Page, Show], None], size: dict, full: bool, scheme: str) -> bytes:
            return take(browser, home, does, show, size, scheme, full, scripts=does is not plain)

        with served(show.app) as home:
            if len(sys.argv) > 1:
                Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
                for does in (
                    one for one in PAGES if one.__name__ in sys.argv[2:] or not sys.argv[2:]
                ):
                    for size in (DESK, PHONE):
                        for scheme in ("light", "dark"):
                            path = Path(
                                sys.argv[1], f"{does.__name__}-{size['width']}-{scheme}.png"
                            )
                            path.write_bytes(taken(does, size, True, scheme))
            else:
                DOCS.mkdir(exist_ok=True)
                for name, (does, size) in IN_DOCS.items():
                    (DOCS / f"{name}.png").write_bytes(reduced(taken(does, size, False, "light")))
        browser.close()


if __name__ == "__main__":
    main()
