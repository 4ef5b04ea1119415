"""Studies of a space in a browser: drawings for voters, estimates and proofs for the admin."""

import re
from dataclasses import replace

import pytest
from test_admin import create, links
from web_client import vote

from copeland import Integer, Real, Space
from copeland.study import create_study

SPACE = Space({"hue": Real(0, 360), "size": Integer(1, 9)})
DRAWN = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect fill="hsl({hue:.0f},70%,50%)"/></svg>'


def made(site, name="tea", **how):
    how = {"voters": "people", "space": SPACE, **how}
    create_study(name, storage=site.storage, clock=site.clock, **how)
    site.server.store.add_page(site.storage.key(name), {"per_voter": 5})
    return site.server.study(site.page(name))


@pytest.mark.slow
def test_a_voter_is_shown_drawings_that_cannot_act(site):
    study = made(site, show=DRAWN)
    browser, page = site.voter()
    images = re.findall(
        r'<img src="([^"]+)" alt="(Drawing [AB])" width="80" height="60"', page.text
    )
    assert len(images) == 2 and "hue=" not in page.text  # a point's name is not told
    drawing = browser.get(images[0][0])
    assert drawing.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in drawing.headers["content-security-policy"]
    assert re.search(r'fill="hsl\(\d+,70%,50%\)"', drawing.text)
    vote(browser, page)
    assert study.tuner().votes == 1


def test_a_drawing_says_in_words_what_its_title_says(site):
    made(site, show=DRAWN.replace("</svg>", "<title>Tea &amp; {size} leaves</title></svg>"))
    assert re.findall(r'alt="Tea &amp; \d leaves"', site.voter()[1].text)


@pytest.mark.slow
def test_a_voter_reads_the_template_and_goes_on_to_the_end(site):
    study = made(site, show="hue {hue:.0f} in size {size}")
    browser, page = site.voter()
    for _ in range(5):
        assert re.search(r"hue \d+ in size \d", page.text)
        page = vote(browser, page)
    assert "Thank" in page.text
    assert len(study.votes()) == 5 and study.tuner().votes == 5


@pytest.mark.slow
def test_the_admin_sees_what_is_estimated_and_what_is_proved(site):
    study = made(site, show=DRAWN, voters="independent")
    admin = site.admin()
    slug = site.page().slug
    assert "no votes yet" in admin.get(f"/admin/s/{slug}").text
    study.audit({"hue": 100.0, "size": 5}, votes=10)
    for _ in range(10):
        ballot = study.ask("a program")
        study.tell(
            ballot, next(n for n in (ballot.left, ballot.right) if n.startswith("hue=100, "))
        )
    site.clock.now += 60
    shown = admin.get(f"/admin/s/{slug}")
    assert shown.status_code == 200 and "is proved to beat at least" in shown.text
    assert "Estimated, not proved" in shown.text and "<svg" in shown.text
    for path in ("summary", "figures", "options", "preview", "judges", "manage", "share"):
        assert admin.get(f"/admin/s/{slug}/{path}").status_code == 200, path
    picture = re.search(r'src="([^"]+drawing[^"]+)"', admin.get(f"/admin/s/{slug}/preview").text)
    assert admin.get(picture[1].replace("&amp;", "&")).text.startswith("<svg")
    assert admin.get(f"/admin/s/{slug}/certificate.json").json()["audits"][0]["votes"] == 10
    assert "tea" in admin.get("/admin").text


@pytest.mark.slow
def test_programs_get_points_and_results(site):
    study = made(site, voters="independent")
    key = site.key("ask", "tell", "read")
    (ballot,) = key.post("/api/v1/studies/tea/ballots", json={"voter": "p"}).json()["ballots"]
    assert set(ballot["points"]) == {"left", "right"} and set(ballot["points"]["left"]) == {
        "hue",
        "size",
    }
    kept = key.post(f"/api/v1/studies/tea/ballots/{ballot['id']}/vote", json={"outcome": "left"})
    assert kept.status_code == 201
    told = key.get("/api/v1/studies/tea/results").json()
    assert (
        told["votes"] == 1 and told["audits"] == [] and set(told["estimated"]) >= {"point", "score"}
    )
    filed = key.get("/api/v1/studies/tea/certificate").json()
    assert filed["statement"] == "Nothing is proved yet." and filed["events"] == study.number
    assert study.number > 3


@pytest.mark.slow
def test_results_can_be_public_and_quoted(site):
    study = made(site, voters="independent")
    site.server.store.save_page(replace(site.page(), results="live"))
    study.tell(study.ask("a"), "left")
    slug, number = site.page().slug, study.number
    now = site.browser().get(f"/r/{slug}")
    assert "Estimated best so far" in now.text and "Nothing is proved yet" in now.text
    study.tell(study.ask("a"), "left")
    frozen = site.browser().get(f"/r/{slug}@{number}")
    assert f"as of event {number}" in frozen.text and "1 vote" in frozen.text


def test_numbers_for_prometheus_include_it(site):
    made(site).ask("ann")
    key = site.key("read", name=None)
    assert 'copeland_ballots_open{study="tea"} 1.0' in key.get("/metrics").text


@pytest.mark.slow
def test_an_admin_describes_a_space_in_the_form(site):
    space = "constraint = 'hue < 180'\n[hue]\nlow = 0\nhigh = 360\n"
    told = {"pasted": "", "space": space, "show": "hue {hue:.0f}"}
    shared = create(site.admin(), **told)
    assert shared.url.path.endswith("/share")
    browser, page = site.voter(links(shared)[0])
    assert re.search(r"hue \d+", page.text)
    vote(browser, page)
    tuner = site.server.study(site.page()).tuner()
    assert tuner.votes == 1 and tuner.space.constraints == ("hue < 180",)


def test_a_space_that_cannot_be_is_said_on_the_form(site):
    admin, space = site.admin(), "[hue]\nlow = 0\nhigh = 360\n"
    for told, words in (
        ({"space": space}, "but not both"),
        ({"space": "[hue]\nlow = 0\n", "pasted": ""}, "needs low and high"),
        ({"space": space, "pasted": "", "show": "{x}"}, "not a parameter"),
    ):
        refused = create(admin, **told)
        assert refused.status_code == 422 and words in refused.text
    assert site.server.store.pages() == []
