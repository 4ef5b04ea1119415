"""A panel on the web: exactly these people, each by a link of their own."""

import re
import shlex
from html import unescape

import pytest
from commands import run
from web_client import Site, asks, send, vote

from copeland.study import Storage

pytestmark = pytest.mark.slow  # left out of `make fast`


def test_a_panel_votes_by_personal_links_until_it_is_settled(site):
    admin = site.admin()
    said = {"name": "jury", "pasted": "a one\nb two\nc three", "voters": "panel"}
    refused = send(admin, admin.get("/admin/new"), **said)
    assert refused.status_code == 422 and "Panel has no names" in refused.text
    shared = send(admin, admin.get("/admin/new"), members="Ann\nBob\nCleo", **said)
    assert shared.url.path.endswith("/share") and "Cleo" in shared.text
    page = site.page("jury")
    study = site.server.study(page)
    links = site.server.store.links(page.study)
    assert {link.voter for link in links} == set(study.settings.panel) and len(links) == 3
    assert admin.get(f"/admin/s/{page.slug}").status_code == 200  # before the first answer
    for link in links:
        assert admin.get(f"/admin/s/{page.slug}/summary").status_code == 200
        browser, shown = site.voter(f"/v/{site.server.signer.link(link.nonce)}", name="jury")
        again = browser.get(shown.url.path)
        assert asks(shown) == asks(again)
        for _ in range(4):
            if asks(shown):
                first = shown.text.index("a one") if "a one" in shown.text else 9**9
                other = min(shown.text.find(t) for t in ("b two", "c three") if t in shown.text)
                shown = vote(browser, shown, "left" if first < other else "right")
    assert not asks(shown) and study.certificate().best == (0,)
    for path in ("", "/share", "/options", "/manage", "/summary", "/certificate.json"):
        assert admin.get(f"/admin/s/{page.slug}{path}").status_code == 200, path
    assert "Ann" not in "".join(map(str, study.log()))
    key = site.key("read", name="jury")
    assert key.get("/api/v1/studies/jury/results").json()["best"] == ["a one"]


def test_pairs_are_counted_as_members_meet_them(site):
    admin, path = make_jury(site)
    # Two members and three options: 4 answers in the middle case, so 2 of each.
    path = path.removesuffix("/share")
    assert "1 of about 2<" in admin.get(f"{path}/preview").text
    shown = admin.get(f"{path}/manage").text
    assert "about 2<" in shown and "confidence" not in shown and "margin" not in shown


def make_jury(site, members="Ann\nBob"):
    admin = site.admin()
    said = {"name": "jury", "pasted": "a one\nb two\nc three", "voters": "panel"}
    send(admin, admin.get("/admin/new"), members=members, **said)
    return admin, f"/admin/s/{site.page('jury').slug}/share"


def test_a_link_that_could_not_vote_is_refused_in_a_sentence(site):
    admin, path = make_jury(site)
    before = site.server.store.links(site.page("jury").study)
    for does in ({"does": "open"}, {"does": "personal", "names": "Eve"}):
        refused = send(admin, admin.get(path), path, **does)
        assert refused.status_code == 422 and "Exactly these people vote" in refused.text
    assert site.server.store.links(site.page("jury").study) == before


def test_a_member_who_is_excused_is_told_so(site):
    make_jury(site)
    page = site.page("jury")
    study, link = site.server.study(page), site.server.store.links(page.study)[0]
    address = f"/v/{site.server.signer.link(link.nonce)}"
    browser, shown = site.voter(address, name="jury")
    assert asks(shown)
    study.excuse(link.voter)
    assert "You are excused" in browser.get(shown.url.path).text
    assert "You are excused" in browser.get(address).text


def test_a_panel_of_the_command_line_gets_links_by_its_own_names(site):
    study = site.study("jury", voters="panel", panel=["ann", "bob"])
    admin, path = site.admin(), f"/admin/s/{site.page('jury').slug}/share"
    assert "no link" in admin.get(path).text
    made = send(admin, admin.get(path), path, does="renew", person="2")
    assert made.status_code == 200 and 'value="bob"' in made.text
    link = site.server.store.links(site.page("jury").study)[0]
    browser, shown = site.voter(f"/v/{site.server.signer.link(link.nonce)}", name="jury")
    vote(browser, shown)
    assert [one.voter for one in study.votes()] == ["bob"]


def test_somebody_invited_again_by_name_is_who_they_were(site):
    site.study()
    admin, path = site.admin(), f"/admin/s/{site.page().slug}/share"
    send(admin, admin.get(path), path, does="personal", names="Ann\nBob")
    ann, bob = site.server.store.links(site.page().study)
    twice = send(admin, admin.get(path), path, does="personal", names="Ann")
    assert twice.status_code == 422 and "Ann has a link already" in twice.text
    send(admin, admin.get(path), path, does="revoke", link=str(ann.id))
    send(admin, admin.get(path), path, does="personal", names="Ann\nCleo")
    links = site.server.store.links(site.page().study)
    assert [(one.label, one.revoked) for one in links] == [
        ("Ann", True),
        ("Bob", False),
        ("Cleo", False),
        ("Ann", False),
    ]
    assert links[3].voter == ann.voter and links[2].voter not in (ann.voter, bob.voter)
    send(admin, admin.get(path), path, does="forget", person="1")
    labels = [one.label for one in site.server.store.links(site.page().study)]
    assert labels == ["", "Bob", "Cleo", ""]


def test_people_are_invited_by_a_csv_file_and_reminded_by_a_list(site):
    site.study()
    admin, path = site.admin(), f"/admin/s/{site.page().slug}/share"
    nobody = send(admin, admin.get(path), path, does="personal", names="")
    assert nobody.status_code == 422 and "Nobody is named" in nobody.text
    table = {"csv": ("people.csv", b"name,email\nAnn,a@example.org\n,b@example.org\n", "text/csv")}
    shown = send(admin, admin.get(path), path, files=table, does="personal", names="Cleo")
    labels = [one.label for one in site.server.store.links(site.page().study)]
    assert labels == ["Cleo", "Ann", "b@example.org"]
    assert "Ann: 0 answers given, about 3 left: http://127.0.0.1:8000/v/" in shown.text


def test_a_member_is_excused_on_the_page_and_waited_for_again(site):
    admin, path = make_jury(site)
    study = site.server.study(site.page("jury"))
    shown = admin.get(path).text
    assert 'aria-label="Excuse Bob…"' in shown and "you can take this back" in shown
    excused = send(admin, admin.get(path), path, does="excuse", person="2")
    assert 'aria-label="Wait for Bob again"' in excused.text
    assert 'aria-label="Excuse Bob…"' not in excused.text
    bob = site.server.store.links(site.page("jury").study)[1].voter
    assert study.standing().panel.excused == (bob,)
    assert "Bob" not in admin.get(path.removesuffix("/share")).text.split("Who is left")[1]
    send(admin, admin.get(path), path, does="readmit", person="2")
    assert study.standing().panel.excused == ()


def test_a_study_without_a_panel_has_nobody_to_excuse(site):
    site.study()
    site.link(label="Ann", personal=True)
    admin, path = site.admin(), f"/admin/s/{site.page().slug}/share"
    assert "Excuse" not in admin.get(path).text
    refused = send(admin, admin.get(path), path, does="excuse", person="1")
    assert refused.status_code == 422 and "no panel" in refused.text


def test_the_command_excuses_by_the_names_of_links(tmp_path):
    storage = Storage(f"sqlite:///{tmp_path / 'jury.db'}")
    site = Site(storage)
    make_jury(site)
    study, at = site.server.study(site.page("jury")), ("--storage", storage.url)
    unknown = run("study", "excuse", "jury", "Eve", *at)
    assert unknown.exit_code == 2
    assert "'Eve' is not on the panel, which " in unknown.stderr
    assert "Ann" in unknown.stderr and "Bob" in unknown.stderr
    done = run("study", "excuse", "jury", "Bob", *at)
    assert done.exit_code == 0, done.output
    assert "Bob is excused. With Bob excused" in " ".join(done.stdout.split())
    bob = site.server.store.links(site.page("jury").study)[1].voter
    assert study.standing().panel.excused == (bob,)
    back = run("study", "readmit", "jury", "Bob", *at)
    assert "waits for the answers of Bob" in back.stdout and "voter-" not in back.stdout


def test_the_command_on_the_page_checks_what_was_downloaded_in_any_folder(
    site, tmp_path, monkeypatch
):
    admin, path = make_jury(site)
    study, home = site.server.study(site.page("jury")), path.removesuffix("/share")
    send(admin, admin.get(path), path, does="excuse", person="2")
    while ballot := study.ask():
        study.tell(ballot, "left")
    shown = admin.get(f"{home}/manage").text
    assert "The study has its answer" in shown and "asked as they come" not in shown
    command = unescape(re.search(r"copeland study verify [^<]+", shown)[0])
    monkeypatch.chdir(tmp_path)
    for name in ("certificate.json", "log.jsonl"):
        (tmp_path / f"jury-{name}").write_text(admin.get(f"{home}/{name}").text)
    checked = run(*shlex.split(command)[1:])
    assert checked.exit_code == 0, checked.output
    assert "holds: " in checked.stdout
    alone = run("study", "verify", "jury-certificate.json")
    assert alone.exit_code == 2
    assert "copeland study verify jury-certificate.json --votes FILE" in " ".join(
        alone.stderr.split()
    )


def test_the_code_of_a_link_is_shown_on_the_page_by_name():
    site = Site(url="http://192.168.1.20:8000")
    admin, path = make_jury(site)
    shown = admin.get(path).text
    assert 'alt="QR code of the link of Ann"' in shown and 'loading="lazy"' in shown
    code = re.search(r'<img class="qr" src="([^"]+)"', shown)[1]
    assert admin.get(code).headers["content-type"] == "image/png"


@pytest.mark.quick
def test_nobody_waits_for_a_revoked_link_unless_the_study_is_a_panels(site):
    site.study()
    site.link(label="Ann", personal=True)
    site.link(label="Bob", personal=True)
    admin, page = site.admin(), site.page()
    site.server.store.revoke_link(page.study, site.server.store.links(page.study)[0].id)
    left = admin.get(f"/admin/s/{page.slug}").text.split("<h2>Who is left</h2>")[1]
    assert "Bob" in left and "Ann" not in left
