"""The pages that problem documents point to."""

import re
from pathlib import Path

import pytest
from web_client import Site

import copeland.web.api
from copeland.web.api.error_documents import STATUSES, TITLES


@pytest.mark.quick
def test_a_program_that_is_refused_finds_a_page_under_the_type(site):
    site.study()
    refused = site.browser().get("/api/v1/studies/tea/results").json()
    page = site.browser().get(refused["type"])
    assert page.status_code == 200 and STATUSES[401][1] in page.text.replace("&#39;", "'")


@pytest.mark.slow
def test_every_problem_has_advice_and_a_page(site):
    browser = site.browser()
    assert all(browser.get(f"/problems/{kind}").status_code == 200 for kind in TITLES)
    listed = browser.get("/problems").text
    assert all(f'id="{kind}"' in listed for kind in TITLES)
    assert listed.count("<section>") == len(TITLES) == len(set(re.findall("<p>.*?</p>", listed)))
    assert browser.get("/problems/nothing").status_code == 404


def test_every_kind_that_the_calls_name_is_known_below_a_path_too():
    folder = Path(copeland.web.api.__file__).parent
    sources = "".join(file.read_text() for file in folder.glob("*.py"))
    assert set(re.findall(r'Problem\(\d+, "([^"]+)"', sources)) <= set(TITLES)
    site = Site(url="http://127.0.0.1:8000/votes")
    refused = site.browser().get("/api/v1/studies/tea/results").json()
    assert refused["type"] == "/votes/problems/no-key"
