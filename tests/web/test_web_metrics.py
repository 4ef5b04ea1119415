"""How long answers take, as Prometheus reads it."""

import re

import pytest
from web_client import vote

COUNT = re.compile(r"copeland_request_seconds_count\{(.*)\} (\S+)")


def counts(site):
    told = site.key("read", name=None).get("/metrics").text
    found = {}
    for labels, value in COUNT.findall(told):
        known = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        found[known["method"], known["route"], known["status"]] = float(value)
    return found, told


@pytest.mark.slow
def test_answers_are_counted_by_route_and_name_nobody(site):
    site.study()
    browser, page = site.voter()
    vote(browser, page)
    site.browser().get("/v/guessed")
    site.browser().get("/nowhere/at/all")
    site.key("read").get("/api/v1/studies/tea/results")
    found, told = counts(site)
    assert found["POST", "/vote/{slug}", "303"] == 1
    assert found["GET", "/v/{token}", "404"] == 1
    assert found["-", "unknown", "404"] == 1
    assert found["GET", "/api/v1/studies/{study}/results", "200"] == 1
    assert "guessed" not in told and site.page().slug not in told


def test_a_key_for_one_study_does_not_see_the_server_and_a_histogram_adds_up(site):
    site.study()
    assert "request_seconds" not in site.key("read").get("/metrics").text
    site.browser().get("/healthz")
    _, told = counts(site)
    line = r'copeland_request_seconds_bucket\{le="(\S+)",method="GET",process="\d+",route="/healthz",status="200"\} (\S+)'
    assert [float(value) for _, value in re.findall(line, told)][-1] == 1.0


@pytest.mark.slow
def test_whoever_comes_too_often_or_guesses_keys_has_to_wait(site):
    site.study()
    key, guess = site.key("read"), site.browser(Authorization="Bearer guess")
    for one, status in ((key, 200), (guess, 404)):
        assert [one.get("/metrics").status_code for _ in range(11)] == [status] * 10 + [429]
    site.clock.now += 61
    assert key.get("/metrics").status_code == 200
