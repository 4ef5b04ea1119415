"""A study and its voters in real browsers at once: what one does, the others see."""

import re

import httpx
import pytest
from browsing import answer, ballot, followed, outcomes, says, shown, shows
from commands import flat, run
from test_admin import png
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


@pytest.mark.nightly
@pytest.mark.slow
def test_from_images_with_words_to_a_vote(live, somebody):
    page = somebody().come_in("/admin/new")
    page.fill("[name=name]", "tea")
    files = [
        {
            "name": f"shot-{n}.png",
            "mimeType": "image/png",
            "buffer": png((90 * n, 30, 30), (400, 300)),
        }
        for n in range(2)
    ]
    page.get_by_label("or images").set_input_files(files)
    page.get_by_role("button", name="Create").click()
    for field, words in zip(
        page.get_by_label("Description for voters").all(), ("black", "red"), strict=True
    ):
        field.fill(words)
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/share")
    voter = somebody().begin(open_link(page))
    images = voter.locator("#sides img")
    assert [image.evaluate("i => i.naturalWidth") for image in images.all()] == [400, 400]
    assert "shot-" not in voter.content()
    images.first.click()
    shows(voter.locator("#large img"))
    voter.keyboard.press("Escape")
    voter.keyboard.press("f")
    assert [image.is_visible() for image in images.all()] == [True, False]
    voter.keyboard.press("f")
    assert [image.is_visible() for image in images.all()] == [False, True]
    answer(voter, "tie")
    assert outcomes(live.server.study(live.page())) == ["tie"]


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


@pytest.mark.slow
@pytest.mark.quick
def test_a_late_answer_counts(live, somebody):
    study = live.study()
    page = somebody().begin()
    live.clock.now += 3 * 86_400
    answer(page)
    assert [vote.counted for vote in study.votes()] == [True]


@pytest.mark.nightly
@pytest.mark.slow
def test_an_option_paused_while_it_is_shown_takes_the_answer_and_is_shown_no_more(live, somebody):
    study = live.study()
    voter = somebody().begin()
    gone = shown(voter)[0]
    name = next(option.name for option in study.options if option.text == gone)
    admin = somebody().see_study("/options")
    admin.locator(".options li", has_text=name).get_by_role("button", name="Pause").click()
    says(admin.locator(".options li", has_text=name), "paused")
    answer(voter)
    assert len(study.votes()) == 1 and (
        not voter.locator(".side").count() or gone not in shown(voter)
    )


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


@pytest.mark.nightly
@pytest.mark.slow
def test_a_study_closed_while_somebody_votes_says_so(live, somebody):
    study = live.study()
    voter = somebody().begin()
    admin = somebody().see_study("/manage")
    admin.get_by_text("Close the study").click()
    admin.get_by_role("button", name="Close it").click()
    says(admin.locator("main"), "takes no more votes")
    answer(voter)
    says(voter.locator("main"), "The voting has ended")
    assert study.votes() == []


@pytest.mark.nightly
@pytest.mark.slow
def test_the_certificate_of_a_decided_study_is_downloaded_and_holds(live, somebody, tmp_path):
    study = live.study(options=["one", "two"], voters="independent")
    study.add_votes([{"left": "one", "right": "two", "outcome": "left"}] * 20)
    admin = somebody().see_study()
    says(admin.locator(".badge").first, "Winner")
    says(somebody().begin().locator("main"), "has its answer")
    admin.get_by_role("link", name="Manage").click()
    files = {}
    for link in ("Certificate", "Votes as CSV"):
        with admin.expect_download() as download:
            admin.get_by_role("link", name=link, exact=True).click()
        files[link] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[link])
    told = run("study", "verify", files["Certificate"], "--votes", files["Votes as CSV"])
    assert told.exit_code == 0 and "holds" in flat(told.stdout)


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


@pytest.mark.nightly
@pytest.mark.slow
def test_a_link_is_looked_at_for_nothing_and_opens_nothing_once_it_has_ended(live, somebody):
    study = live.study()
    brief, personal = live.link(expires=live.clock.now + 60), live.link(label="Ann", personal=True)
    looked = somebody()
    looked.open(personal)
    assert study.number == 1 and looked.context.cookies() == []
    voter = somebody().begin(personal)
    admin = somebody().see_study("/share")
    admin.get_by_label("Change Ann").click()
    admin.get_by_label("Revoke the link of Ann…").click()
    admin.get_by_role("button", name="Revoke the link of Ann").click()
    says(admin.locator("main"), "1 link has ended")
    voter.click("[value=left]")
    says(voter.locator("h1"), "Nothing is here")
    live.clock.now += 61
    for link in (brief, personal):
        says(looked.open(link).locator("h1"), "Nothing is here")
    assert study.votes() == []


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
