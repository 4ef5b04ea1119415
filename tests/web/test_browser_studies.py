"""A study and its voters in real browsers at once: what one does, the others see."""

import re

import httpx
import pytest
from browsing import answer, ballot, followed, outcomes, says, shown
from web_client import TEAS

from copeland.study import Storage

pytestmark = pytest.mark.usefixtures("few_worlds", "plain_board")
CSV = b"name,text\nsencha-7,Grassy and bright.\nassam-9,Malty and strong.\nbai-3,Soft.\n"
GOOD, BAD = "Paris is in France.", "Paris is in Peru."


@pytest.fixture
def plain_board(monkeypatch):
    """Leave the figures of dashboards empty: drawing takes most of their time."""
    monkeypatch.setattr(
        "copeland.study.report.study_page.image", lambda figure, kind: b"<svg></svg>"
    )


def tile(page, name="votes"):
    return page.locator(".tiles div", has=page.locator(f"dt:text-is('{name}')")).locator("dd")


def open_link(page):
    return page.get_by_label("Link", exact=True).input_value()


@pytest.mark.slow
def test_from_a_csv_file_to_a_vote_to_the_dashboard(live, somebody):
    page = somebody().come_in()
    page.get_by_role("link", name="New study").click()
    page.fill("[name=name]", "tea")
    page.fill("[name=question]", "Which tea?")
    file = {"name": "teas.csv", "mimeType": "text/csv", "buffer": CSV}
    page.get_by_label("or a CSV file").set_input_files(file)
    page.get_by_role("button", name="What can we expect?").click()
    says(page.locator("#expected"), "With 3 options and 10 voters")
    page.get_by_role("button", name="Create").click()  # the file is still chosen
    page.wait_for_url("**/share")
    voter = somebody().begin(open_link(page))
    says(voter.locator("h1"), "Which tea?")
    page.get_by_role("link", name="Dashboard").click()
    answer(voter)
    says(tile(page), "1")
    says(page.locator(".events"), " over ")


@pytest.mark.slow
def test_two_voters_get_different_pairs_and_the_dashboard_follows(live, somebody):
    live.study(options=[*TEAS, "matcha", "mint", "camomile"], page={"per_voter": 2})
    board = somebody().see_study()
    one, other = somebody().begin(), somebody().begin()
    assert set(shown(one)) != set(shown(other))
    for votes, page in enumerate((one, other, one), 1):
        token = ballot(page)
        page.click("[value=left]")
        says(tile(board), re.compile(f"^{votes}$"))
        followed(page, token)


@pytest.mark.quick
def test_a_late_answer_counts(live, somebody):
    study = live.study()
    page = somebody().begin()
    live.clock.now += 3 * 86_400
    answer(page)
    assert [vote.counted for vote in study.votes()] == [True]


def answers(voter):
    """What a voter is shown until all is answered."""
    seen = []
    while voter.locator("[name=ballot]").count():
        seen += shown(voter)
        answer(voter)
    return seen


@pytest.mark.slow
def test_an_option_added_while_people_vote_is_asked_of_people_who_come_later(live, somebody):
    study = live.study()
    early = somebody().begin()
    answer(early)
    admin = somebody().see_study("/options")
    form = admin.locator("form", has=admin.locator("[value=add]"))
    form.locator("[name=option]").fill("matcha-1")
    form.locator("[name=text]").fill("Thick.")
    form.get_by_role("button", name="Add").click()
    says(admin.locator(".options"), "matcha-1")
    seen = [answers(voter) for voter in (early, somebody().begin())]
    assert [("Thick." in texts) for texts in seen] == [False, True]
    assert len(study.votes()) == 3 + 6


@pytest.mark.slow
def test_who_fails_the_checks_is_told_and_excluded_with_the_reason(live, somebody):
    page = {"known": [[GOOD, BAD]], "check_every": 2, "per_voter": 3, "failures": 1}
    study = live.study(page=page)
    voter = somebody().begin()
    while voter.locator("[name=ballot]").count():
        answer(voter, "left" if shown(voter)[0] == BAD or GOOD not in shown(voter) else "right")
    says(voter.locator("main"), "not counted")
    admin = somebody().see_study()
    says(admin.locator("#figures"), "the voter failed 1 known answer")
    assert outcomes(study) == [] and len(study.votes()) == 2


def read(url, token, after, until):
    """Numbers of the events of a stream that goes on after an event, until one has come."""
    told = {"Authorization": f"Bearer {token}", "Last-Event-ID": str(after)}
    numbers = []
    with httpx.stream("GET", url, headers=told, timeout=20) as stream:
        for line in stream.iter_lines():
            numbers += [int(line[4:])] if line.startswith("id: ") else []
            if numbers and numbers[-1] >= until:
                return numbers
    return numbers


@pytest.mark.slow
def test_a_server_that_starts_again_has_one_vote_and_no_gap_in_its_stream(live, somebody, tmp_path):
    live.stop()
    live.storage = Storage(f"sqlite:///{tmp_path / 'votes.db'}")
    live.restart()
    live.study()
    token = live.server.store.add_key(live.page().study, "reader", ["read"])
    url = f"{live.home}/api/v1/studies/tea/events"
    voter = somebody().begin()
    board = somebody().see_study()
    answer(voter)
    before = read(url, token, 0, live.server.study(live.page()).number)
    live.stop()
    first = ballot(voter)
    voter.keyboard.press("ArrowRight")
    says(voter.get_by_role("alert"), "offline")
    live.restart()
    followed(voter, first)
    study = live.server.study(live.page())
    assert outcomes(study) == ["left", "right"]
    assert before + read(url, token, before[-1], study.number) == list(range(1, study.number + 1))
    says(tile(board), "2")
    live.stop()
    live.storage.dispose()
