"""What a certificate and a results page tell of open links and of votes that were undone."""

import json

import pytest
from web_client import send, vote

from copeland.study import objections, read_certificate
from copeland.study.results.notes import ANYBODY

pytestmark = pytest.mark.slow  # left out of `make fast`


def certificate(site):
    answer = site.admin().get(f"/admin/s/{site.page().slug}/certificate.json")
    return json.loads(answer.content), answer.content


def take_back(browser, page):
    return send(browser, page, f"{page.url.path}/undo")


def test_a_certificate_tells_how_voters_came_and_what_was_undone(site, tmp_path):
    study = site.study()
    browser, page = site.voter()
    take_back(browser, vote(browser, page))
    vote(*site.voter(site.link(label="Ann", personal=True)))
    content, raw = certificate(site)
    undone, came, anybody = content["notes"]
    assert undone == "Undone, and not counted: 1 vote (the voter took it back: 1)."
    assert (
        came == "Answers came by open links (1) and by personal links (1)." and anybody == ANYBODY
    )
    file = tmp_path / "certificate.json"
    file.write_bytes(raw)
    assert objections(read_certificate(file), study) == ()
    assert "Ann" not in raw.decode()


def test_personal_links_alone_raise_no_doubt_about_persons(site):
    site.study()
    vote(*site.voter(site.link(label="Ann", personal=True)))
    assert certificate(site)[0]["notes"] == ["Answers came by personal links (1)."]


@pytest.mark.quick
def test_without_votes_there_is_nothing_to_note(site):
    site.study()
    assert "notes" not in certificate(site)[0]


def test_the_results_page_tells_the_same_and_stays_frozen(site):
    study = site.study(page={"results": "live"})
    browser, page = site.voter()
    page = vote(browser, page)
    before = study.number
    take_back(browser, page)
    slug = site.page().slug
    now, then = (site.browser().get(f"/r/{slug}{at}").text for at in ("", f"@{before}"))
    assert ANYBODY in now and ANYBODY in then
    assert "the voter took it back: 1" in now and "Undone" not in then


def test_programs_and_judges_are_told_apart(site):
    site.study()
    program = site.key("ask", "tell", "read")
    ballot = program.post("/api/v1/studies/tea/ballots", json={"voter": "a"}).json()["ballots"][0]
    program.post(f"/api/v1/studies/tea/ballots/{ballot['id']}/vote", json={"outcome": "left"})
    study = site.server.study(site.page())
    study.tell(study.ask("model"), "left", source="judge")
    study.tell(study.ask("ann"), "left")
    notes = program.get("/api/v1/studies/tea/certificate").json()["notes"]
    assert notes == [
        "Answers came from programs with a key (1), from judges (1) and from elsewhere (1)."
    ]


def test_a_file_that_hides_what_was_undone_is_found(site, tmp_path):
    from copeland.study.results.certificate_file import seal_of

    study = site.study()
    browser, page = site.voter()
    take_back(browser, vote(browser, page))
    content, _ = certificate(site)
    content["notes"] = content["notes"][1:]
    content["seal"] = seal_of(content)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(content))
    (wrong,) = objections(read_certificate(file), study)
    assert "undone" in wrong
