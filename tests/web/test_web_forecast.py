"""What a form says of the study to be, before there is one."""

import re
from html import unescape

import pytest
from web_client import send

from copeland.study import Settings
from copeland.web.pages.create import Intent, expectation_of, fewest_voters, forecast_voters

pytestmark = pytest.mark.slow  # left out of `make fast`

PASTED = "\n".join(f"option {i}" for i in range(12))


def expected(site, admin=None, headers=None, **said):
    admin = admin or site.admin()
    form = admin.get("/admin/new")
    said = {"pasted": PASTED, **said}
    return send(admin, form, "/admin/new/expect", headers=headers, **said)


def sentences(page):
    return [unescape(one) for one in re.findall(r"<p[^>]*>([^<]+)</p>", page.text)]


def test_few_voters_are_told_what_they_cannot_prove_and_panels_that_they_end(site):
    page = expected(site, people="5")
    said = sentences(page)
    assert said[0] == "With 12 options and 5 voters who answer 4 pairs each, you get 20 answers."
    assert "cannot prove a winner" in said[1] and "Exactly these people" in page.text
    assert site.server.store.pages() == []
    part = expected(site, headers={"X-Fragment": "expected"}, people="5")
    assert part.text.startswith("<section") and "<html" not in part.text
    page = expected(site, voters="panel", members="Ann\nBen\nCid", pasted="a\nb\nc")
    assert "exactly 3 voters" in page.text and "It takes about" in page.text


@pytest.mark.quick
@pytest.mark.parametrize(
    "said", [{"pasted": "alone"}, {"people": "0"}, {"people": "nan"}, {"voters": "panel"}]
)
def test_what_cannot_be_is_said_in_a_sentence(site, said):
    page = expected(site, **said)
    assert page.status_code == 422 and 'class="error"' in page.text


@pytest.mark.quick
def test_a_stranger_is_told_nothing(site):
    answer = site.browser().post("/admin/new/expect", data={"pasted": PASTED})
    assert answer.url.path == "/admin/enter"


def test_more_voters_and_a_margin_prove_no_less_and_very_many_options_are_not_simulated():
    exact, wide = (Intent(6, Settings(margin=margin), 15) for margin in (0.0, 0.1))
    assert sum(forecast_voters(wide).votes) < sum(forecast_voters(exact).votes)
    assert fewest_voters(exact) <= min(forecast_voters(exact).votes)  # a bound from below
    intent = Intent(400, Settings(), 20)
    assert any("nothing more" in one for one in expectation_of(intent, 10))
