import csv
import io
import json
import re

import pytest
from web_client import Site, asks, send, vote

from copeland.study import objections, read_certificate
from copeland.study.results.certificate_file import Filed
from copeland.web.images import image_of

pytestmark = pytest.mark.slow  # left out of `make fast`


def png(colour=(200, 30, 30), size=(40, 30)):
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


def create(admin, **said):
    said = {"name": "tea", "pasted": "green\nblack\nwhite", "ties": "on", **said}
    return send(admin, admin.get("/admin/new"), **said)


def links(page):
    return re.findall(r'value="http://127\.0\.0\.1:8000(/v/[^"]+)"', page.text)


@pytest.mark.quick
def test_nobody_comes_in_without_the_token(site):
    browser = site.browser()
    site.server.new_admin_token()
    for path in ("/admin", "/admin/new", "/admin/s/x", "/admin/s/x/log.jsonl", "/admin/media/x"):
        answer = browser.get(path)
        assert answer.url.path == "/admin/enter" and "Token" in answer.text
    refused = send(browser, browser.get("/admin/enter"), token="guess")
    assert refused.status_code == 403 and not browser.cookies


@pytest.mark.quick
def test_the_token_is_exchanged_by_a_button_and_a_newer_one_ends_it(site):
    old = site.server.new_admin_token()
    browser = site.browser()
    door = browser.get(f"/admin/enter?token={old}")
    assert door.status_code == 200 and not browser.cookies  # looking alone spends nothing
    inside = send(browser, door, token=old)
    assert inside.url.path == "/admin" and "token" not in str(inside.url)
    site.server.new_admin_token()
    assert send(site.browser(), door, token=old).status_code == 403


def test_a_session_ends_by_leaving_and_by_time(site):
    admin = site.admin()
    page = admin.get("/admin")
    assert page.url.path == "/admin"
    site.clock.now += 13 * 3600
    assert admin.get("/admin").url.path == "/admin/enter"
    other = site.admin()
    send(other, other.get("/admin"), "/admin/leave")
    assert other.get("/admin").url.path == "/admin/enter"


def test_from_pasted_lines_to_a_vote_to_the_dashboard(site):
    admin = site.admin()
    shared = create(admin, question="Which tea?")
    assert shared.url.path.endswith("/share")
    browser, page = site.voter(links(shared)[0])
    assert "Which tea?" in page.text
    vote(browser, page)
    slug = site.page().slug
    dashboard = admin.get(f"/admin/s/{slug}")
    assert "Who beats whom" in dashboard.text and "style=" not in dashboard.text
    assert "1 answers" in admin.get(f"/admin/s/{slug}/share").text
    assert site.server.study(site.page()).settings.voters == "people"


def test_from_a_csv_file(site):
    admin = site.admin()
    content = b"name,text\nA,Be brief.\nB,Be kind.\n"
    create(admin, pasted="", files={"csv": ("options.csv", content, "text/csv")})
    options = site.server.study(site.page()).options
    assert [(o.name, o.text) for o in options] == [("A", "Be brief."), ("B", "Be kind.")]


def test_from_a_csv_file_with_items(site):
    admin = site.admin()
    rows = ["item,name,text", "Why?,gpt,Because.", "Why?,kimi,Who knows.", "How?,gpt,So."]
    rows += ["How?,kimi,Thus.", "When?,gpt,Now."]
    files = {"csv": ("a.csv", "\n".join(rows).encode(), "text/csv")}
    shared = create(admin, pasted="", files=files)
    study = site.server.study(site.page())
    assert [o.name for o in study.options] == ["gpt", "kimi"]
    outputs = {"Why?": {"Because.", "Who knows."}, "How?": {"So.", "Thus."}}
    for _ in range(6):
        browser, page = site.voter(links(shared)[0])
        item = next(item for item in outputs if item in page.text)
        assert all(text in page.text for text in outputs[item]) and "gpt" not in page.text
        vote(browser, page)
        assert study.votes()[-1].item == item
    assert {v.item for v in study.votes()} <= set(outputs)


@pytest.mark.parametrize(
    "content",
    [
        b"item,name,text\nWhy?,a,x\nWhy?,a,y\n",
        b"item,name,text\nWhy?,a,\nWhy?,b,y\n",
        b"name,path\nA,/etc/passwd\nB,b.png\n",
        b"title\nA\n",
        b"\xff\xfe\x00",
        b"name\nA\nA\n",
        b'name,text\n"A,unclosed\n',
        b"name\nleft\nright\n",
        b"",
    ],
)
def test_a_bad_csv_file_is_refused_in_a_sentence_and_creates_nothing(site, content):
    admin = site.admin()
    files = {"csv": ("../../etc/x.csv", content, "text/csv")}
    answer = create(admin, pasted="", files=files)
    assert answer.status_code == 422 and 'role="alert"' in answer.text and "/tmp" not in answer.text
    assert site.server.store.pages() == []


def test_from_images_each_with_words(site):
    admin = site.admin()
    files = [
        ("images", ("../../taken from above.png", png((9, 9, 200)), "image/png")),
        ("images", ("v2.png", png((9, 200, 9)), "image/png")),
    ]
    form = admin.get("/admin/new")
    asked = send(admin, form, name="shots", files=files)
    assert "Describe the files" in asked.text
    digests = re.findall(r'name="image_digest" value="([^"]+)"', asked.text)
    names = re.findall(r'name="image_name" required maxlength="200" value="([^"]+)"', asked.text)
    assert names == ["taken from above", "v2"]
    said = {"image_digest": digests, "image_name": names, "image_alt": ["blue", "green"]}
    done = send(admin, asked, name="shots", **said)
    assert done.url.path.endswith("/share")
    _, page = site.voter(links(done)[0])
    assert asks(page) and 'alt="blue"' in page.text and "taken from above" not in page.text


def test_images_of_a_refused_form_are_not_kept(site):
    admin, content = site.admin(), png((9, 9, 200))
    digest = image_of(content, "v1").digest
    files = [("images", (f"v{n}.png", content, "image/png")) for n in (1, 2)]
    create(admin)  # the name is taken
    asked = send(admin, admin.get("/admin/new"), name="tea", files=files)
    said = {"image_digest": [digest] * 2, "image_name": ["v1", "v2"], "image_alt": ["a", "b"]}
    assert site.server.store.image(digest) is not None
    assert send(admin, asked, name="tea", **said).status_code == 422
    assert site.server.store.image(digest) is None
    again = send(admin, asked, name="other", **said)
    assert again.status_code == 422 and "choose all images again" in again.text


def test_the_image_of_a_refused_option_is_not_kept(site):
    site.study()
    admin, content = site.admin(), png((9, 9, 200))
    path = f"/admin/s/{site.page().slug}/options"
    said = {"option": "bai-3", "does": "add", "alt": "A square."}
    files = {"image": ("x.png", content, "image/png")}
    assert send(admin, admin.get(path), path, files=files, **said).status_code == 422
    assert site.server.store.image(image_of(content, "x").digest) is None


def test_a_form_that_was_refused_keeps_what_was_typed(site):
    answer = create(site.admin(), pasted="alone", question="Which one?")
    assert answer.status_code == 422 and "Which one?" in answer.text and "alone" in answer.text


def test_a_name_that_voters_could_read_is_pointed_out(site):
    site.study(options={"gpt-x": "I am GPT-X, and I say tea.", "other": "Coffee."})
    page = site.admin().get(f"/admin/s/{site.page().slug}/options")
    assert "could read a name" in page.text and "gpt-x" in page.text


def test_options_are_paused_resumed_retired_and_added(site):
    study = site.study()
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}/options"
    for does, state in (("pause", "paused"), ("resume", "active"), ("retire", "retired")):
        send(admin, admin.get(path), path, option="bai-3", does=does)
        assert study.option("bai-3").state == state
    files = {"image": ("x.png", png(), "image/png")}
    refused = send(admin, admin.get(path), path, option="new", does="add", files=files)
    assert refused.status_code == 422 and len(study.options) == 3
    send(admin, admin.get(path), path, option="new", does="add", alt="A square.", files=files)
    assert len(study.options) == 4 and "new" in site.server.store.panes(site.page().study)
    assert "media" in admin.get(path).text


def test_personal_links_are_made_listed_and_revoked(site):
    study = site.study()
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}"
    send(
        admin, admin.get(f"{path}/share"), f"{path}/share", names="Ann\n=cmd()\n\n", does="personal"
    )
    rows = list(csv.reader(io.StringIO(admin.get(f"{path}/links.csv").text)))
    assert [row[0] for row in rows] == ["name", "Ann", "'=cmd()"]
    link = rows[1][1].removeprefix("http://127.0.0.1:8000")
    browser, page = site.voter(link)
    vote(browser, page)
    assert "Ann" not in "".join(str(event) for event in study.log())
    made = site.server.store.links(site.page().study)[0]
    code = admin.get(f"{path}/qr/{made.id}.png")
    assert code.status_code == 200 and code.content.startswith(b"\x89PNG")
    send(admin, admin.get(f"{path}/share"), f"{path}/share", does="revoke", link=str(made.id))
    assert site.browser().get(link).status_code == 404
    assert browser.get(page.url.path).status_code == 404
    assert "Ann" in str(site.server.store.links(site.page().study))  # it can be taken back
    send(admin, admin.get(f"{path}/share"), f"{path}/share", does="forget", person="1")
    assert "Ann" not in str(site.server.store.links(site.page().study))


def test_closing_gives_a_certificate_that_can_be_checked(site, tmp_path):
    study = site.study()
    browser, page = site.voter()
    vote(browser, page)
    admin = site.admin()
    path = f"/admin/s/{site.page().slug}"
    send(admin, admin.get(f"{path}/manage"), f"{path}/manage", does="close")
    assert study.closed
    file = tmp_path / "certificate.json"
    answer = admin.get(f"{path}/certificate.json")
    assert "attachment" in answer.headers["content-disposition"]
    file.write_bytes(answer.content)
    filed = read_certificate(file)
    assert isinstance(filed, Filed) and objections(filed, study) == ()


def test_exports_hold_every_vote_and_no_formula(site):
    study = site.study("=tea", {"=1+1": "one", "b": "two"})
    vote(*site.voter(name="=tea"))
    admin, path = site.admin(), f"/admin/s/{site.page('=tea').slug}"
    rows = list(csv.reader(io.StringIO(admin.get(f"{path}/votes.csv").text)))
    assert len(rows) == 2 and "'=1+1" in rows[1]
    lines = admin.get(f"{path}/log.jsonl").text.splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(1, study.number + 1))


def test_a_study_from_elsewhere_gets_a_page(site):
    from copeland.study import create_study

    create_study("by hand", ["one", "two"], site.storage, voters="independent")
    assert "by hand" in site.admin().get("/admin").text
    assert site.page("by hand") is not None


def test_the_preview_asks_nothing(site):
    study = site.study(page={"kind": "markdown"})
    admin = site.admin()
    page = admin.get(f"/admin/s/{site.page().slug}/preview")
    assert "Grassy" in page.text and study.number == 1


def test_an_excluded_vote_is_shown_with_its_reason(site):
    study = site.study()
    vote(*site.voter())
    study.undo(study.votes()[0], "a robot")
    page = site.admin().get(f"/admin/s/{site.page().slug}")
    assert "(a robot)" in page.text


def test_the_stream_of_a_dashboard_says_when_something_is_new():
    site = Site()
    site.study()
    admin = site.admin()
    answers = []
    import asyncio

    from copeland.web.pages.dashboard import _changes

    class Gone:
        looks = 0

        async def is_disconnected(self):
            self.looks += 1
            return self.looks > 1

    async def read():
        async for event in _changes(Gone(), site.server, site.page()):
            answers.append(event)

    asyncio.run(read())
    assert answers == ["event: changed\nid: 1\ndata: 1\n\n"]
    assert admin.get("/admin").status_code == 200


def test_people_sign_in_and_out_and_a_study_is_open(site):
    assert "<h1>Sign in</h1>" in site.browser().get("/admin/enter").text
    site.study()
    page = site.admin().get(f"/admin/s/{site.page().slug}").text
    assert ">Sign out</button>" in page and '<span class="badge live">Keep going</span>' in page
    assert "oting goes on" not in page


def test_a_form_makes_a_study_that_judges_decide(site):
    create(site.admin(), voters="judge")
    settings = site.server.study(site.page()).settings
    assert (settings.voters, settings.cases, settings.population) == ("judge", 1, "these")
