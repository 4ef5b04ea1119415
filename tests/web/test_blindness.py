"""Nothing that a voter receives tells a name, a count, a standing or a place."""

import re
from base64 import urlsafe_b64decode
from html import unescape

import pytest
from web_client import Site, asks, fields, send, vote

from copeland.web.images import image_of

NAMES = ["claude-opus-x", "gpt-sol-y", "kimi-z"]
TEXTS = ["First wording.", "Second wording.", "Third wording."]


def everything(answer):
    """An answer and those that led to it, with their heads."""
    found = []
    for one in (*answer.history, answer):
        found += [f"{name}: {value}" for name, value in one.headers.items()]
        found += [str(one.url), unescape(one.text)]
    return "\n".join(found)


@pytest.fixture
def watched():
    site = Site()
    study = site.study("secret-study-name", dict(zip(NAMES, TEXTS, strict=True)))
    study.add_votes(
        [
            {"left": NAMES[0], "right": NAMES[1], "outcome": "left", "voter": f"v{n}"}
            for n in range(1234)
        ]
    )
    return site, study


FORBIDDEN = [*NAMES, "secret-study-name", "1234", "1,234", "1235", "sqlite", "/tmp", "Traceback"]


def assert_blind(answer):
    text = everything(answer)
    assert [word for word in FORBIDDEN if word in text] == []


@pytest.mark.quick
def test_no_page_of_a_voter_tells_a_name_or_a_count(watched):
    site, _ = watched
    browser = site.browser()
    answer = browser.get(site.link("secret-study-name"))
    assert_blind(answer)
    answer = send(browser, answer)
    while asks(answer):
        assert_blind(answer)
        part = send(browser, answer, headers={"X-Fragment": "pair"}, outcome="skip")
        assert_blind(part)
        answer = browser.get(answer.url.path)
    assert_blind(answer)
    for name, value in browser.cookies.items():
        assert not [word for word in FORBIDDEN if word in name + value]


@pytest.mark.slow
def test_no_error_tells_them_either(watched):
    site, study = watched
    browser, page = site.voter(site.link("secret-study-name"))
    path, token = page.url.path, fields(page)["ballot"]
    answers = [
        vote(browser, page, NAMES[0]),
        send(browser, page, ballot="forged", outcome="left"),
        browser.post(path),
        browser.put(path),
        browser.get("/vote/unknown"),
        browser.get(f"/m{path.removeprefix('/vote')}/{token}/a"),
        browser.get(f"/m{path.removeprefix('/vote')}/{token}/c"),
        browser.get("/v/unknown"),
    ]
    vote(browser, page)
    answers.append(vote(browser, page, "right"))
    study.close()
    answers.append(vote(browser, page))
    assert all(answer.status_code < 500 for answer in answers)
    for answer in answers:
        assert_blind(answer)


@pytest.mark.slow
def test_tokens_of_ballots_hide_their_numbers(watched):
    site, study = watched
    _, page = site.voter(site.link("secret-study-name"))
    number = str(study.log()[-1].number)
    raw = urlsafe_b64decode(fields(page)["ballot"] + "==")
    assert number.encode() not in raw and int(number).to_bytes(8, "big") not in raw


def png(colour=(200, 30, 30), size=(40, 30), **extra):
    import io

    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG", **extra)
    return file.getvalue()


@pytest.mark.slow
def test_an_image_is_had_by_its_ballot_alone_and_tells_nothing_else(tmp_path):
    from PIL import PngImagePlugin

    from copeland.web.store import Pane

    site = Site()
    study = site.study("secret-study-name", NAMES)
    about = PngImagePlugin.PngInfo()
    about.add_text("Title", NAMES[0])
    for i, name in enumerate(NAMES):
        image = image_of(png((60 * i, 30, 30), pnginfo=about), f"{name}.png")
        assert name.encode() not in image.content
        site.server.store.add_image(image)
        site.server.store.show(
            site.page("secret-study-name").study, name, Pane(image.digest, "A square.")
        )
    browser, page = site.voter(site.link("secret-study-name"))
    assert_blind(page)
    paths = re.findall(r'<img src="([^"]+)"', page.text)
    assert len(paths) == 2 and 'alt="A square."' in page.text
    for path in paths:
        answer = browser.get(path)
        assert answer.status_code == 200 and answer.headers["content-type"] == "image/webp"
        assert not [name for name in NAMES if name.encode() in answer.content]
        assert_blind(browser.head(path))
    other, _ = site.voter(site.link("secret-study-name"))
    assert other.get(paths[0]).status_code == 404
    assert site.browser().get(paths[0]).status_code == 404
    assert study.votes() == []
