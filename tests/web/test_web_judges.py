"""Judges that an admin starts from a page, and what the page says of them."""

import json
import re
import shlex
import sys
import threading
from dataclasses import replace
from html import unescape

import pytest
from fake_chat import FakeChat, says
from web_client import send

from copeland.errors import InvalidParameter
from copeland.study.judges import judge_study
from copeland.web.judge_file import Appointed, read_judges
from copeland.web.judge_jobs import JudgeJobs
from copeland.web.judge_worker import PAUSED, start_job

SHORTER = "import sys; a, b = sys.argv[1:]; print('left' if len(a) <= len(b) else 'right')"
COMMAND = shlex.join([sys.executable, "-c", SHORTER, "{left}", "{right}"])


class Obedient(Appointed):
    """A judge in the test's own thread, which waits until it may answer."""

    may = threading.Event()

    def judge(self):
        def judged(left, right, item):
            self.may.wait(20)
            return "left" if len(left.text) <= len(right.text) else "right"

        return judged


@pytest.fixture
def obedient(site):
    site.study()
    site.app.state.judges = (Obedient("shorter", {}),)
    Obedient.may.set()
    yield site.app.state.judges[0]
    Obedient.may.set()


@pytest.fixture
def voting(site):
    """The same, in a study that judges decide."""
    site.study(voters="judge")
    site.app.state.judges = (Obedient("shorter", {}),)
    Obedient.may.set()
    yield site.app.state.judges[0]
    Obedient.may.set()


def path(site):
    return f"/admin/s/{site.page().slug}/judges"


def jobs_in(site):
    return JudgeJobs(site.server.store, site.page())


def started(site, admin, **said):
    said = {"judge": "shorter", "calls": "200", **said}
    answer = send(admin, admin.get(path(site)), path(site), does="start", **said)
    for thread in threading.enumerate():
        if thread.name.startswith("judge ") and Obedient.may.is_set():
            thread.join(20)
    return answer


@pytest.mark.slow
def test_a_judge_answers_all_it_can(site, voting):
    admin = site.admin()
    started(site, admin)
    study = site.server.study(site.page())
    assert study.standing().votes > 0
    (run,) = jobs_in(site).find_all()
    assert run.errors == 0 and run.ended


@pytest.mark.slow
def test_a_judge_that_votes_is_shown_with_its_answers(site, voting):
    admin = site.admin()
    started(site, admin, calls="2")
    assert site.server.study(site.page()).standing().votes == 2
    page = admin.get(path(site)).text
    assert re.findall(r"<td>([^<]*)</td>", page)[:2] == ["2", "0"]
    assert "2 answers from 2 of 2 calls." in page


@pytest.mark.slow
def test_judges_decide_the_cases_of_a_csv_file_and_nobody_is_asked_one_by_one(site):
    site.study(voters="judge", cases=2, page={"items": True})
    texts = [("Why?", "x"), ("How?", "yyyyyy")]
    told = [
        (item, option.name, text if option.name == "bai-3" else "zzz")
        for item, text in texts
        for option in site.server.study(site.page()).options
    ]
    site.server.store.add_outputs(site.page().study, told)
    start_job(site.server, site.page(), Appointed("p", {"command": COMMAND}), 20, None).join(20)
    study = site.server.study(site.page())
    assert {vote.item for vote in study.votes()} == {"Why?", "How?"}
    assert study.verdict().claim.startswith("On these 2 cases, by the judge p: ")
    assert study.following("ann") is None


def test_where_judges_decide_no_visitor_votes(site):
    study = site.study(voters="judge", cases=1)
    assert study.following("ann") is None
    page = site.admin().get(f"/admin/s/{site.page().slug}/share").text
    assert "Judges decide this study" in page and "Make an open link" not in page


def test_where_people_vote_no_judge_does(site, obedient):
    admin = site.admin()
    answer = started(site, admin)
    assert answer.status_code == 422 and "this study is for people" in answer.text.lower()
    assert "Start a judge" not in admin.get(path(site)).text


@pytest.mark.slow
def test_a_judge_at_work_is_not_started_twice_and_stops_when_told(site, voting, monkeypatch):
    monkeypatch.setattr("copeland.web.judge_worker.TOLD", 0.0)
    admin = site.admin()
    Obedient.may.clear()
    thread = start_job(site.server, site.page(), voting, 200, None)
    assert ">At work</span>" in admin.get(path(site)).text
    again = started(site, admin)
    assert again.status_code == 422 and "at work already" in again.text
    (run,) = jobs_in(site).find_all()
    send(admin, admin.get(path(site)), path(site), does="stop", run=run.id)
    Obedient.may.set()
    thread.join(20)
    (run,) = jobs_in(site).find_all()
    assert run.votes == 1 and "told to" in run.ended


def test_a_judge_stops_when_the_voting_is_paused(site, voting, monkeypatch):
    monkeypatch.setattr("copeland.web.judge_worker.TOLD", 0.0)
    site.server.store.save_page(replace(site.page(), paused=True))
    start_job(site.server, site.page(), voting, 200, None).join(20)
    assert jobs_in(site).find_all()[0].ended == PAUSED


def test_a_job_whose_server_ended_waits_for_an_hour(site, voting):
    Obedient.may.clear()
    thread = start_job(site.server, site.page(), voting, 200, None)
    (run,) = jobs_in(site).find_all()
    assert run.state(site.clock.now) == "at work"
    assert run.state(site.clock.now + 600) == "waits for a worker"
    assert run.state(site.clock.now + 3600) == "no worker took it within an hour."
    jobs_in(site).stop("no such run", site.clock.now)
    jobs_in(site).stop(run.id, site.clock.now)
    Obedient.may.set()
    thread.join(20)


@pytest.mark.slow
def test_money_spent_on_judges_is_on_the_dashboard(site):
    site.study(voters="judge")
    with FakeChat(says("left")) as chat:
        terms = {"model": "m", "url": chat.url, "prices": (1e6, 1e6), "key_variable": None}
        start_job(site.server, site.page(), Appointed("m", terms), 4, 1e9).join(20)
    (run,) = jobs_in(site).find_all()
    assert run.spent > 0
    board = site.admin().get(f"/admin/s/{site.page().slug}/summary")
    assert "spent on judges" in board.text


def test_texts_for_items_are_what_a_judge_reads(site):
    site.study(voters="independent", page={"items": True})
    told = [("Why?", name, text) for name, text in (("sencha-7", "x"), ("bai-3", "yy"))]
    site.server.store.add_outputs(site.page().study, told)
    start_job(site.server, site.page(), Appointed("p", {"command": COMMAND}), 1, None).join(20)
    vote = site.server.study(site.page()).votes()[-1]
    assert vote.item == "Why?"


@pytest.mark.parametrize("said", [{"judge": "rm"}, {"calls": "0"}, {"cost": "-1"}, {"cost": "1"}])
def test_what_cannot_be_started_is_said_in_a_sentence(site, obedient, said):
    answer = started(site, site.admin(), **said)
    assert answer.status_code == 422 and jobs_in(site).find_all() == []


def test_the_page_says_what_to_type_and_hides_passwords(site):
    site.study("tea; rm", voters="independent")
    admin = site.admin()
    page = admin.get(f"/admin/s/{site.page('tea; rm').slug}/judges")
    said = unescape(page.text)
    assert "copeland study judge 'tea; rm' --storage memory --calls 200 --model MODEL" in said
    assert "--judges FILE" in said


@pytest.mark.parametrize(
    "text",
    [
        "[a]\n",
        "a = 1\n",
        "[a]\ncommand = 'no-such-program'\n",
        "[a]\nmodel = 'm'\nurl = 'http://x/v1'\nshell = 'x'\n",
        "[a]\nmodel = 'm'\nurl = 'http://x/v1'\nprices = 'x'\n",
        "[a\n",
    ],
)
def test_a_damaged_file_of_judges_is_refused(tmp_path, text):
    file = tmp_path / "judges.toml"
    file.write_text(text)
    with pytest.raises(InvalidParameter, match=r"judges\.toml"):
        read_judges(str(file))


def test_a_file_names_judges(tmp_path):
    file = tmp_path / "judges.toml"
    file.write_text(
        f"[shorter]\ncommand = {json.dumps(COMMAND)}\ntimeout = 5\n\n"
        '["small model"]\nmodel = "m"\nurl = "http://127.0.0.1:1/v1"\nprompt = "ask.txt"\nkey_variable = ""\n'
    )
    (tmp_path / "ask.txt").write_text("{left} or {right}?")
    shorter, model = read_judges(str(file))
    assert shorter.judge()("a", "bb", None) == "left"
    assert model.name == "small model" and model.judge().prompt == "{left} or {right}?"
    assert model.terms["key_variable"] is None


@pytest.mark.slow
def test_the_page_says_how_often_a_judge_flipped(site):
    study = site.study(voters="judge", cases=1)
    judge_study(study, {"gpt": lambda left, right, item: "left"}, swap="confirm", calls=20)
    page = unescape(site.admin().get(path(site)).text)
    assert re.search(r"gpt flipped on (\d+) of \1 ballots? when the sides were swapped", page)
