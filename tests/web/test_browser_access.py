"""Every page by the rules of WCAG as far as axe-core knows them: light and dark, on a desk and on a small phone."""

from functools import partial

import pytest
from browsers import AXE, found
from browsing import DESK, PHONE, Somebody, answer
from recorded import wav, webm
from test_admin import png

from copeland.web.ideas import Ideas
from copeland.web.images import image_of
from copeland.web.recordings import medium_of
from copeland.web.store import Pane

pytestmark = pytest.mark.usefixtures("few_worlds")
CODE = {"one": "def f(x):\n    return x + 1  # more\n" * 9, "two": "class A:\n    name = 'b' * 3\n"}


@pytest.fixture(scope="module")
def full():
    """A server with all kinds of studies: texts with votes, code, images, items, a panel, a decided one."""
    from browsing import LiveSite

    site = LiveSite()
    page = {
        "question": "Which tea?",
        "guidance": "Look at the **first** line.",
        "results": "live",
        "known": [["a", "b"]],
        "check_every": 2,
    }
    study = site.study(page=page)
    for n in range(9):
        study.tell(study.ask(voter=f"v{n % 3}"), ("left", "right", "tie")[n % 3])
    study.undo(study.votes()[0], "a robot")
    site.study("code", CODE, {"kind": "code", "language": "python"})
    shots(site)
    sounds(site)
    jury(site)
    suggestions(site)
    decided = site.study("decided", ["one", "two"], {"results": "live"}, voters="independent")
    decided.add_votes([{"left": "one", "right": "two", "outcome": "left"}] * 20)
    yield site
    site.stop()


def jury(site):
    """A panel of three, one of whom has no link any more; and people with personal links, of whom one is gone."""
    members = [f"voter-{letter * 12}" for letter in "abc"]
    site.study("jury", voters="panel", panel=members)
    store, signer = site.server.store, site.server.signer
    for name, voters in (("jury", members), ("code", ())):
        study = site.page(name).study
        store.add_links(study, signer, ["Ann", "Bob", "Cleo"], True, voters=voters)
        store.revoke_link(study, store.links(study)[1].id)


def shots(site):
    site.study("shots", ["v1", "v2"], {"completion": "https://panel.example.org/done"})
    for name, colour in (("v1", (200, 30, 30)), ("v2", (30, 30, 200))):
        image = image_of(png(colour, (400, 300)), name)
        site.server.store.add_image(image)
        site.server.store.show(site.page("shots").study, name, Pane(image.digest, "A square."))


def sounds(site):
    site.study("sounds", ["s1", "s2"])
    for name, content in (("s1", wav()), ("s2", webm())):
        sound = medium_of(content, name)
        site.server.store.add_image(sound)
        site.server.store.show(site.page("sounds").study, name, Pane(sound.digest, "A tone."))


def suggestions(site):
    """A study whose voters suggest options: one waits, one is added, one declined."""
    study = site.study("lunch", ["soup", "salad", "stew"], {"ideas": True})
    kept, key = Ideas(site.storage, site.clock), site.page("lunch").study
    for n, text in enumerate(("curry", "pie", "nothing")):
        kept.add(key, f"v{n}", text)
    kept.settle(study, kept.find_all(key)[1], "added", "pie", "pie")
    kept.settle(study, kept.find_all(key)[2], "declined")


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, PHONE], ids=lambda size: str(size["width"]))
def test_no_page_shuts_anybody_out(browser, full, size):
    person = Somebody(browser, full, viewport=size, reduced_motion="reduce")
    person.context.add_init_script(
        path=AXE
    )  # which the page's own rules about scripts do not forbid
    look = partial(found, dark=size is PHONE)  # an owner's dark pages are looked at by night
    wrong = [*voter_pages(person, full), *admin_pages(person, full, look)]
    person.context.close()
    assert wrong == [] and person.troubles == []


@pytest.mark.quick
def test_a_page_that_shuts_somebody_out_is_found(browser):
    page = browser.new_page(viewport=PHONE)
    page.add_init_script(path=AXE)
    page.goto("about:blank")
    page.set_content(
        "<html lang=en><title>x</title><main><img src=x><p style='color:#aaa;width:400px'>pale"
    )
    light, dark = found(page)[:3], found(page)[3:]
    assert [line.split(": ")[1] for line in light[:-1]] == ["color-contrast", "image-alt"]
    assert "too wide" in light[-1]
    assert [line.split(": ")[2] for line in dark[:-1]] == ["color-contrast"]
    assert "too wide" in dark[-1]
    page.close()


def voter_pages(person, site):
    wrong = found(person.open(site.link()))
    for name in ("tea", "code", "sounds", "shots"):
        page = person.begin(site.link(name), name)
        wrong += found(page)
    page.keyboard.press("?")
    wrong += found(page)
    page.keyboard.press("Escape")
    page.locator("a.picture").first.click()
    wrong += found(page)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    wrong += found(page)
    answer(page)
    wrong += found(page)
    wrong += suggesting(person, site)
    return wrong + found(person.open("/v/nowhere"))


def suggesting(person, site):
    """A pair with the way to suggest an option, and what follows."""
    page = person.begin(site.link("lunch"), "lunch")
    for _ in range(3):
        answer(page)
    wrong = found(page)
    page.get_by_role("link", name="Suggest an option").click()
    page.wait_for_url("**/idea")
    wrong += found(page)
    page.fill("textarea", "rice")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**kept=1")
    return wrong + found(page)


def admin_pages(person, site, look):
    wrong = look(person.open("/admin/enter"))
    person.come_in()
    tea = f"/admin/s/{site.page().slug}"
    paths = [
        "/admin",
        "/admin/new",
        f"/admin/s/{site.page('decided').slug}",
        f"/r/{site.page().slug}",
    ]
    paths += [f"{tea}{tab}" for tab in ("", "/share", "/options", "/manage", "/preview", "/votes")]
    paths += [f"/admin/s/{site.page(name).slug}/options" for name in ("sounds", "lunch")]
    paths += [f"/admin/s/{site.page(name).slug}/share" for name in ("jury", "code")]
    study = site.server.study(site.page())
    paths += [
        f"/admin/s/{site.page('jury').slug}",
        f"{tea}/votes/{study.log(voter='v1')[1].number}",
    ]
    for path in paths:
        page = person.open(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        wrong += look(page)
    return wrong + described(person, look)


def described(person, look):
    """The form that asks for words for images, and the fields of a panel."""
    page = person.open("/admin/new")
    page.check("[value=panel]")
    wrong = look(page)
    page.fill("[name=name]", "more")
    files = [
        {"name": f"{n}.png", "mimeType": "image/png", "buffer": png((n, 9, 9))} for n in (1, 2)
    ]
    page.set_input_files("[name=images]", files)
    page.check("[value=people]")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="Describe the files").wait_for()
    return wrong + look(page)
