"""Somebody votes in a real browser: by mouse, by keys, by touch and without scripts."""

import pytest
from browsing import (
    CALM,
    DESK,
    LATER,
    PHONE,
    answer,
    await_next,
    ballot,
    followed,
    outcomes,
    says,
    shown,
    shows,
)
from test_admin import png
from test_security import HOSTILE

from copeland.web.images import image_of
from copeland.web.store import Pane

pytestmark = pytest.mark.slow  # left out of `make fast`

FOCUSED = "document.activeElement.getAttribute('value') || document.activeElement.ariaLabel || document.activeElement.innerText"


def test_by_mouse_pair_after_pair_until_thanks(live, somebody):
    study = live.study()
    page = somebody().begin()
    seen = []
    for outcome in ("left", "right", "tie"):
        seen.append(frozenset(shown(page)))
        answer(page, outcome)
    says(page.locator("h1"), "Thank you")
    assert outcomes(study) == ["left", "right", "tie"] and len(set(seen)) == 3


def test_hostile_texts_do_nothing(live, somebody):
    live.study(
        options={f"<b>{i}</b>": text for i, text in enumerate(HOSTILE[::2])},
        page={"kind": "markdown", "per_voter": 6, "guidance": HOSTILE[0]},
    )
    voter, elsewhere = somebody(), []
    voter.page.on("dialog", lambda dialog: elsewhere.append(dialog.message))
    voter.page.on(
        "request", lambda sent: elsewhere.append(sent.url) if live.home not in sent.url else None
    )
    page = voter.begin()
    for _ in range(6):
        assert page.locator("#sides :is(script, style, iframe, svg, img, form)").count() == 0
        answer(page)
    admin = somebody()
    admin.page.on("dialog", lambda dialog: elsewhere.append(dialog.message))
    for tab in ("", "/options", "/preview"):
        admin.see_study(tab)
        assert admin.page.locator("main :is(script, iframe, b b)").count() == 0
    assert elsewhere == []


def test_by_keys_alone(live, somebody):
    study = live.study(page={"per_voter": 3})
    page = somebody().open(live.link())
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/vote/*")
    for key, said in (
        ("ArrowLeft", "Vote kept. Pair 2 of 3."),
        ("u", "Your last answer is taken back. Pair 1 of 3."),
        ("2", "Vote kept. Pair 2 of 3."),
    ):
        page.keyboard.press(key)
        says(page.locator("#live"), said)
        assert page.evaluate("document.activeElement.id") == "question"
        page.evaluate(LATER, CALM)
    page.keyboard.press("?")
    shows(page.get_by_role("heading", name="How to answer"))
    page.keyboard.press("t")  # in the help it answers nothing
    page.get_by_label("Use letters").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    assert outcomes(study) == ["right"]
    token = ballot(page)
    page.keyboard.press("ArrowRight")
    followed(page, token)
    assert outcomes(study) == ["right", "right"]


def test_tabs_go_in_the_order_of_reading(live, somebody):
    live.study(page={"per_voter": 3})
    page = somebody().begin()
    answer(page)
    order = []
    for _ in range(8):
        page.keyboard.press("Tab")
        order.append(page.evaluate(FOCUSED))
    assert order == ["Text of A", "Text of B", "left", "right", "tie", "both_bad", "skip", "1"]
    page.keyboard.press("Shift+Tab")
    token = ballot(page)
    page.keyboard.press("Enter")  # on Skip
    followed(page, token)
    assert page.locator(".count").inner_text().startswith("3 of 3")


def test_on_a_small_phone_by_touch(live, somebody):
    study = live.study(options={name: "word " * 200 for name in ("x1", "y2", "z3")})
    page = somebody(viewport=PHONE, has_touch=True, is_mobile=True).begin()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for button in page.locator(".answers button:visible").all():
        box = button.bounding_box()
        assert box["height"] >= 44 and box["y"] + box["height"] <= 640 and box["x"] >= 0
        assert box["x"] + box["width"] <= 320
    token = ballot(page)
    page.get_by_role("button", name="B is better").tap()
    followed(page, token)
    assert outcomes(study) == ["right"] and page.evaluate("scrollY") == 0


def test_without_scripts(live, somebody):
    study = live.study()
    page = somebody(java_script_enabled=False).begin()
    assert page.locator("button:visible").all_inner_texts() == [
        "A is better",
        "B is better",
        "Tie",
        "Both bad",
        "Skip",
    ]
    page.click("[value=left]")
    says(page.locator(".count"), "2 of 3")
    page.click("[name=undo]")
    says(page.locator(".count"), "1 of 3")
    for _ in range(3):
        page.click("[value=right]")
    says(page.locator("h1"), "Thank you")
    assert outcomes(study) == ["right"] * 3


def test_undo_asks_the_pair_anew_until_the_next_answer(live, somebody):
    study = live.study()
    page = somebody().begin()
    first = shown(page)
    answer(page, "left")
    token = ballot(page)
    page.click("[name=undo]")
    followed(page, token)
    assert shown(page) == first and page.locator("[name=undo]").count() == 0
    answer(page, "right")
    assert outcomes(study) == ["right"] and len(study.votes()) == 2


def test_a_double_click_is_one_vote(live, somebody):
    study = live.study()
    page = somebody().begin()
    page.evaluate(
        "let now = performance.now() + 1e4; performance.now = () => now; wait = () => now += 1e4"
    )
    for is_followed in (False, True):  # within a click, and once the next pair is there
        token, box = ballot(page), page.locator("[value=left]").bounding_box()
        at = box["x"] + 40, box["y"] + 20
        page.mouse.click(*at)
        if is_followed:
            await_next(page, token)
        page.mouse.click(*at, click_count=2)
        followed(page, token)
        page.evaluate("wait()")
    assert outcomes(study) == ["left", "left"] and page.locator(".count").inner_text().startswith(
        "3 of"
    )


@pytest.mark.quick
def test_a_held_key_is_one_vote(live, somebody):
    study = live.study()
    page = somebody().begin()
    token = ballot(page)
    for _ in range(20):  # what a browser sends of a key that is held
        page.keyboard.down("ArrowLeft")
        page.wait_for_timeout(30)
    page.keyboard.up("ArrowLeft")
    followed(page, token)
    assert outcomes(study) == ["left"]


def test_an_answer_without_a_connection_waits_and_is_sent_once(live, somebody):
    study = live.study()
    voter = somebody()
    page = voter.begin()
    token = ballot(page)
    voter.context.set_offline(True)
    page.keyboard.press("ArrowRight")
    says(page.get_by_role("alert"), "offline")
    page.keyboard.press("ArrowLeft")  # the first answer stands
    assert study.votes() == []
    voter.context.set_offline(False)
    followed(page, token)
    says(page.locator("#live"), "Vote kept. Pair 2 of 3.")
    assert outcomes(study) == ["right"] and page.locator("#trouble").is_hidden()


def show_images(live, size):
    """A study of three images of one size."""
    live.study(options=["x1", "y2", "z3"])
    store, study = live.server.store, live.page().study
    for n, name in enumerate(("x1", "y2", "z3")):
        image = image_of(png((80 * n, 60, 90), size), name)
        store.add_image(image)
        store.show(study, name, Pane(image.digest, f"picture {n}"))
    live.server.forget_panes(live.page())


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("size", "scripts"), [((390, 1900), True), ((390, 1900), False), ((1200, 500), True)]
)
def test_on_a_phone_both_images_are_seen_at_once(live, somebody, size, scripts):
    show_images(live, size)
    how = {"viewport": {"width": 360, "height": 700}, "is_mobile": True, "has_touch": True}
    page = somebody(java_script_enabled=scripts, **how).begin()
    page.wait_for_load_state("networkidle")
    buttons = page.locator("form.answers").bounding_box()
    for image in page.locator("#sides img").all():
        box = image.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= buttons["y"] and box["width"] > 60


def test_one_image_at_a_time_says_which_is_shown_and_what_comes_next(live, somebody):
    show_images(live, (390, 1900))
    page = somebody(viewport=PHONE, is_mobile=True, has_touch=True).begin()
    images, button = page.locator("#sides img"), page.locator("[data-does=flip]")
    says(button, "One at a time")
    button.tap()
    assert [image.is_visible() for image in images.all()] == [True, False]
    assert images.first.bounding_box()["width"] > 240  # as wide as the phone
    says(button, "Show B")
    button.tap()
    assert [image.is_visible() for image in images.all()] == [False, True]
    page.get_by_role("button", name="Show both").tap()
    assert [image.is_visible() for image in images.all()] == [True, True]
    images.first.tap()
    says(page.locator("#large"), "Show B")
    first = page.locator("#large img").get_attribute("src")
    assert page.locator("#large img").bounding_box()["width"] > 300
    page.get_by_role("button", name="Show B").tap()
    says(page.locator("#large-name"), "B")
    assert page.locator("#large img").get_attribute("src") != first


def test_on_a_phone_a_long_text_says_that_the_other_is_below(live, somebody):
    live.study(options={name: "word " * 300 for name in ("x1", "y2", "z3")})
    page = somebody(viewport=PHONE, has_touch=True, is_mobile=True).begin()
    other = page.locator("#label-B")
    assert other.bounding_box()["y"] > PHONE["height"]
    page.get_by_role("link", name="B is below").tap()
    page.wait_for_function(
        "() => document.querySelector('#label-B').getBoundingClientRect().y < 100"
    )
    desk = somebody(viewport=DESK).begin()
    assert desk.locator(".other-side").first.is_hidden()
