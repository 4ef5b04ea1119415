"""A real browser, and what it finds wrong with a page: by the rules of WCAG as far as axe-core knows them, and in width."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
AXE = Path(__file__).parent / "web" / "vendor" / "axe.min.js"
RUN = "async (only) => (await axe.run(document, {resultTypes: ['violations'], ...only})).violations"
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that differs in the dark
SERIOUS = ("serious", "critical")


@contextmanager
def chromium():
    """A browser without a window; skips where the machine has none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no Chromium is installed; `make browser` does so where it may")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


def found(page, dark=True):
    """What is wrong with a page, light and, if it is asked, dark, in a line each."""
    in_the_dark = []
    if dark:
        page.emulate_media(color_scheme="dark")
        in_the_dark = violations(page, COLOURS) + wider(page)
        page.emulate_media(color_scheme="light")
    return violations(page) + wider(page) + [f"dark: {one}" for one in in_the_dark]


def violations(page, only=None):
    return [
        f"{page.url}: {one['id']}: {one['nodes'][0]['html'][:150]} {one['nodes'][0]['failureSummary'][:200]}"
        for one in page.evaluate(RUN, only or {})
        if one["impact"] in SERIOUS
    ]


def wider(page):
    """A page that must be moved sideways."""
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"{page.url} is {width} pixels too wide"] if width > 0 else []
