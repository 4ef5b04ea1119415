import io
import struct
import zlib
from pathlib import Path

import pytest
from web_client import HOME, Site, fields, send, vote

from copeland.errors import InvalidParameter
from copeland.web.images import image_of
from copeland.web.render import render_text
from copeland.web.security import POLICY, HiddenBallot, Signer


def posted(browser, page, headers=None, **said):
    data = {**fields(page), "outcome": "left", **said}
    return browser.post(page.url.path, data=data, headers=headers)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("headers", "csrf", "status"),
    [
        ({}, True, 200),
        ({}, False, 403),
        ({"Sec-Fetch-Site": "same-origin"}, False, 200),
        ({"Sec-Fetch-Site": "cross-site"}, True, 403),
        ({"Sec-Fetch-Site": "same-site"}, True, 403),
        ({"Origin": HOME}, False, 200),
        ({"Origin": "https://evil.example"}, True, 403),
        ({"Origin": "null"}, True, 403),
    ],
)
def test_a_form_counts_only_from_our_own_pages(site, headers, csrf, status):
    study = site.study()
    browser, page = site.voter()
    token = fields(page)["csrf"] if csrf else "x"
    assert posted(browser, page, headers, csrf=token).status_code == status
    assert len(study.votes()) == (status == 200)


@pytest.mark.parametrize(
    "path", ["/admin/new", "/admin/leave", "/admin/s/SLUG/manage", "/admin/s/SLUG/share"]
)
def test_an_admins_form_counts_only_from_our_own_pages(site, path):
    study = site.study()
    admin = site.admin()
    path = path.replace("SLUG", site.page().slug)
    evil = {"Sec-Fetch-Site": "cross-site"}
    for headers in (evil, {"Origin": "https://evil.example"}, {}):
        data = {"does": "close", "name": "x", "pasted": "a\nb"}
        assert admin.post(path, data=data, headers=headers).status_code == 403
    assert not study.closed and len(site.server.store.pages()) == 1


@pytest.mark.slow
def test_a_ballot_of_another_voter_another_study_or_nobody_is_refused(site):
    study = site.study()
    site.study("other")
    (one, mine), (_, theirs) = site.voter(), site.voter()
    _, elsewhere = site.voter(site.link("other"), name="other")
    good = fields(mine)["ballot"]
    forged = [
        fields(theirs)["ballot"],
        fields(elsewhere)["ballot"],
        "",
        "x",
        good[:-2],
        good + "AA",
    ]
    forged += [("B" if good[0] == "A" else "A") + good[1:], "é", "\x00"]
    for token in forged:
        assert posted(one, mine, ballot=token).status_code == 404
    assert study.votes() == []


@pytest.mark.slow
def test_a_cookie_that_was_changed_is_nobody(site):
    site.study()
    browser, page = site.voter()
    name, value = next(iter(browser.cookies.items()))
    for changed in (value[:-1], "x" + value, ""):
        other = site.browser()
        other.cookies.set(name, changed)
        assert other.get(page.url.path).status_code == 404


@pytest.mark.slow
def test_links_that_ended_and_links_that_never_were_look_alike(site):
    site.study()
    link = site.link(expires=site.clock.now + 60)
    browser, page = site.voter(link)
    site.clock.now += 61
    ended, unknown = site.browser().get(link), site.browser().get("/v/AAAAAAAAAAAAAAAAAAAAAA")
    assert (ended.status_code, ended.text) == (unknown.status_code, unknown.text)
    assert ended.status_code == 404
    assert vote(browser, page).status_code == 404


def test_whoever_guesses_links_has_to_wait_and_others_do_not(site):
    site.study()
    browser = site.browser()
    for _ in range(10):
        assert browser.get("/v/guess").status_code == 404
    refused = browser.get("/v/guess")
    assert refused.status_code == 429 and refused.headers["Retry-After"]
    assert browser.get(site.link()).status_code == 200  # others may share the address
    site.clock.now += 61
    assert browser.get("/v/guess").status_code == 404


@pytest.mark.slow
def test_wrong_tokens_keep_nobody_out_who_has_the_right_one(site):
    browser = site.browser()
    door = browser.get("/admin/enter")
    found = [send(browser, door, token="guess").status_code for _ in range(11)]
    assert found == [403] * 10 + [429]
    assert send(browser, door, token=site.server.new_admin_token(), headers=None).status_code == 200


@pytest.mark.slow
def test_many_who_come_at_once_cost_no_more_each():
    """Old times are looked for only when there are twice as many as after the last time."""
    from copeland.web import security

    limits, rate, now = security.Limits(lambda: now), security.Rate(2, 10.0), 5.0
    sweeps, most = 0, security.MANY
    for n in range(3 * most):
        before = limits._most
        limits.wait(rate, str(n))
        sweeps += limits._most != before
    assert sweeps == 2 and limits.wait(rate, "0") == 0 and limits.wait(rate, "0") == 10
    now = 50.0
    for n in range(3 * most):
        limits.wait(rate, f"later {n}")
    assert len(limits._seen) < 5 * most


def come_from(site, address):
    from web_client import TestClient

    return TestClient(site.app, base_url=HOME, client=(address, 5000))


def begin(site, link, address):
    browser = come_from(site, address)
    return browser, send(browser, browser.get(link))


@pytest.mark.slow
def test_one_address_brings_only_so_many_new_visitors_by_a_link_for_everybody(site):
    site.study()
    link = site.link()
    found = [begin(site, link, "203.0.113.7")[1].status_code for _ in range(32)]
    assert found == [200] * 30 + [429] * 2
    assert begin(site, link, "203.0.113.8")[1].status_code == 200
    found = [begin(site, link, f"2001:db8::{n}")[1].status_code for n in range(1, 32)]
    assert found == [200] * 30 + [429]  # one household has them all
    personal = site.link(label="Ann", personal=True)
    assert begin(site, personal, "203.0.113.7")[1].status_code == 200
    assert begin(site, link, "127.0.0.1")[1].status_code == 200  # a proxy that speaks for all
    site.clock.now += 61
    assert begin(site, link, "203.0.113.7")[1].status_code == 200


@pytest.mark.slow
def test_one_address_gives_only_so_many_votes_by_a_link_for_everybody(site):
    names = [f"tea {n}" for n in range(9)]
    study, link = site.study(options=names, batch=12, page={"per_voter": 12}), site.link()
    for _ in range(3):
        browser, page = begin(site, link, "203.0.113.7")
        for _ in range(12):
            answer = vote(browser, page)
            page = answer if answer.status_code == 200 else page
    assert len(study.votes()) == 20 and answer.status_code == 429
    assert int(answer.headers["Retry-After"]) <= 5
    vote(*begin(site, link, "203.0.113.8"))
    vote(*begin(site, site.link(label="Ann", personal=True), "203.0.113.7"))
    assert len(study.votes()) == 22


@pytest.mark.slow
def test_every_answer_has_its_shields(site):
    site.study()
    browser, page = site.voter()
    for answer in (
        page,
        browser.get("/static/vote.js"),
        browser.get("/nowhere"),
        browser.get("/api/v1/studies/x"),
    ):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
    assert page.headers["cache-control"] == "no-store"
    assert "unsafe" not in POLICY


def test_over_https_cookies_are_for_this_host_alone():
    site = Site(url="https://vote.example.org")
    site.study()
    browser = site.browser(host="vote.example.org")
    start = browser.get(site.link())
    begun = browser.post(start.url.path, data=fields(start), follow_redirects=False)
    cookie = begun.headers["set-cookie"]
    assert cookie.startswith("__Host-")
    assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"))
    assert "strict-transport-security" in start.headers


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/v/x", "/vote/x", "/admin/enter", "/api/v1/studies/x/votes"])
def test_a_body_that_is_too_large_is_refused(site, path):
    answer = site.browser().post(path, content=b"x" * 1_100_000)
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_without_a_length_is_cut_off(site):
    pieces = (b"x" * 100_000 for _ in range(20))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = site.browser().post("/admin/enter", content=pieces, headers=form)
    assert answer.status_code == 413


HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "[click](javascript:alert(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "![x](https://evil.example/pixel.png)",
    '<a href="javascript:alert(1)">x</a>',
    "<svg onload=alert(1)>",
    "<style>body{display:none}</style>",
    "<iframe src=//evil.example></iframe>",
    '"><script>alert(1)</script>',
    "`<script>`\n\n    <script>alert(1)</script>",
    "<form action=//evil.example><input name=x></form>",
    "[x]: javascript:alert(1)\n[x]",
    "<!-- <script> -->",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]


@pytest.mark.parametrize("kind", ["text", "markdown", "code"])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_anything_that_acts(kind, text):
    import re

    html = str(render_text(kind, text, "html"))
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z]+)", html))
    assert tags <= {"p", "pre", "code", "div", "span", "a", "br", "em", "strong", "h3", "ul", "li"}
    assert not re.search(r"<[^>]*\s(on\w+|style|src)\s*=", html)
    assert not re.search(r'<a[^>]* href="(?!https?:|mailto:)', html)


@pytest.mark.slow
def test_hostile_texts_stay_texts_on_every_page(site):
    names = {f"<script>n{i}</script>": text for i, text in enumerate(HOSTILE[:4])}
    site.study(
        options=names, page={"question": "<script>q</script>", "guidance": "<script>g</script>"}
    )
    browser = site.browser()
    start = browser.get(site.link())
    page = send(browser, start)
    vote(browser, page)
    admin, path = site.admin(), f"/admin/s/{site.page().slug}"
    pages = [start, page, *(admin.get(path + end) for end in ("", "/options", "/share", "/manage"))]
    for one in pages:
        assert one.status_code == 200 and "<script>" not in one.text


def bomb(width, height):
    """A PNG that is small as a file and enormous as an image."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 10_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bomb(60_000, 60_000), "pixels"),
        (bomb(6_000, 6_000), "damaged"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no image"),
        (b"", "no image"),
        (b"GIF89a", "no image"),
        (b"\x89PNG\r\n\x1a\n", "no image"),
        (b"x" * 10_000_001, "bytes"),
        (b"%PDF-1.7", "no image"),
    ],
)
def test_what_is_no_image_or_too_large_a_one_is_refused(content, words):
    with pytest.raises(InvalidParameter, match=words):
        image_of(content, "x.png")


def test_an_image_is_made_anew_upright_and_without_metadata():
    from PIL import Image

    file = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010E] = "secret-name"
    Image.new("RGB", (40, 20), (1, 2, 3)).save(file, "JPEG", exif=exif, comment=b"secret-name")
    made = image_of(file.getvalue(), "x.jpg")
    assert (made.width, made.height) == (20, 40) and b"secret-name" not in made.content


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the peak there")
@pytest.mark.parametrize(
    ("kind", "mode", "size"), [("PNG", "RGBA", (8000, 5000)), ("WEBP", "RGB", (5000, 4000))]
)
def test_the_largest_image_takes_only_so_much_memory(kind, mode, size, tmp_path):
    """In a process of its own, whose peak is known: 40 million pixels are 160 MB, and once more for the file's own format."""
    import subprocess
    import sys

    from PIL import Image

    file = tmp_path / "image"
    Image.new(mode, size).save(file, kind, quality=1)
    program = (
        "import re, sys\n"
        "from copeland.web.images import image_of\n"
        "def peak(): return int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) // 1024\n"
        "before = peak()\n"
        "image_of(open(sys.argv[1], 'rb').read(), 'x')\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, file], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 500


@pytest.mark.slow
def test_a_large_webp_is_refused_before_it_is_read():
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (6000, 4000)).save(file, "WEBP", quality=1, method=0)
    with pytest.raises(InvalidParameter, match="24,000,000 pixels; such an image may have 20,000"):
        image_of(file.getvalue(), "x.webp")


@pytest.mark.parametrize(
    ("kind", "mode", "kept"),
    [
        ("PNG", "LA", True),
        ("PNG", "P", False),
        ("PNG", "I;16", False),
        ("PNG", "1", False),
        ("JPEG", "CMYK", False),
        ("JPEG", "L", False),
        ("GIF", "P", False),
        ("PNG", "RGBA", True),
    ],
)
def test_every_kind_of_pixel_is_kept_small_and_in_colour(kind, mode, kept, monkeypatch):
    from PIL import Image

    from copeland.web import images

    monkeypatch.setattr(images, "SIDE", 50)
    file = io.BytesIO()
    Image.new(mode, (200, 100)).save(file, kind)
    made = image_of(file.getvalue(), "x")
    with Image.open(io.BytesIO(made.content)) as again:
        assert (again.size, again.mode) == ((50, 25), "RGBA" if kept else "RGB")


def test_a_sealed_ballot_is_for_its_study_and_voter_alone():
    signer, other = Signer("one"), Signer("two")
    token = signer.seal("study", "ann", HiddenBallot(4711, 2))
    assert signer.unseal("study", "ann", token) == HiddenBallot(4711, 2)
    assert signer.seal("study", "ann", HiddenBallot(4711, 2)) == token
    for found in (
        other.unseal("study", "ann", token),
        signer.unseal("study", "bob", token),
        signer.unseal("studya", "nn", token),
        signer.unseal("study", "ann", ("B" if token[0] == "A" else "A") + token[1:]),
        signer.unseal("study", "ann", token[:-4]),
        signer.unseal("study", "ann", ""),
    ):
        assert found is None


def test_a_storage_that_goes_away_is_said_without_its_address(site):
    from copeland.errors import StorageError

    site.study()
    browser, page = site.voter()

    def gone(*_words, **_how):
        raise StorageError("postgresql://me:secret@host/votes does not answer")

    site.storage.write = gone
    answer = vote(browser, page)
    assert answer.status_code == 503 and answer.headers["Retry-After"]
    assert "secret" not in answer.text and "postgresql" not in answer.text


def test_health_is_there_without_the_storage(site):
    from copeland.errors import StorageError

    def gone(*_words, **_how):
        raise StorageError("no")

    site.storage.transact = gone
    assert site.browser().get("/healthz").text == "ok\n"
    assert site.browser().get("/readyz").status_code == 503


def test_only_what_was_signed_is_remembered():
    signer = Signer("one")
    token = signer.sign("voter", ["tea", "ann"])
    assert signer.read("voter", token) == signer.read("voter", token) == ["tea", "ann"]
    assert signer.read("voter", token + "x") is signer.read("admin", token) is None
    assert signer._load.cache_info().currsize == 1
