"""Pages and the HTTP API of studies with goals beyond one winner."""

import re

import pytest
from web_client import TEAS

ROOT = "/api/v1/studies"
FIRST, SECOND, BASE = TEAS


def add(study, *pairs):
    study.add_votes([{"left": i, "right": j, "outcome": "left"} for i, j in pairs * 30])


@pytest.fixture
def study(site):
    return site.study(goal=f"above:{BASE}", voters="independent")


def row_of(site):
    page = re.sub(r"<[^>]+>", " ", site.admin().get("/admin").text)
    return " ".join(page.split())


@pytest.mark.slow
def test_one_option_above_the_baseline_does_not_end_it(site, study):
    add(study, (FIRST, BASE))
    told = site.key("read").get(f"{ROOT}/tea/results").json()
    assert told["verdict"] == "open" and told["best"] == [FIRST] and told["votes_left"] != 0
    assert f"ahead {FIRST} open" in row_of(site)


def test_a_goal_that_is_reached_is_named_in_the_list(site, study):
    add(study, (FIRST, BASE), (SECOND, BASE))
    assert f"proved better than {BASE} {FIRST}, {SECOND} decided" in row_of(site)


def test_nobody_above_the_baseline_is_an_answer_too(site, study):
    add(study, (BASE, FIRST), (BASE, SECOND))
    told = site.key("read").get(f"{ROOT}/tea/results").json()
    assert told["verdict"] == "reached" and told["best"] == [] and told["votes_left"] == 0
    assert f"proved better than {BASE} - decided" in row_of(site)


@pytest.mark.slow
def test_the_dashboard_speaks_of_no_chance_to_be_best(site, study):
    add(study, (FIRST, BASE))
    admin = site.admin()
    link = re.search(r'href="([^"]*/admin/s/[^"]+)"', admin.get("/admin").text)
    assert link and "chance to be best" not in admin.get(link[1]).text
