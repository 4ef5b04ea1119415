"""Jobs of judges that any worker can take: one at a time, the next one after a lease, and no question is paid for twice."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from commands import run
from test_several_servers import at_once, every_database
from web_client import Site, send

from copeland.errors import InvalidParameter
from copeland.study import create_study, open_study
from copeland.web.judge_file import Appointed
from copeland.web.judge_jobs import LEASE, JudgeJob, JudgeJobs
from copeland.web.judge_worker import JudgeWorker, start_job
from copeland.web.server import ELSEWHERE
from copeland.web.store import Store


class Counting(Appointed):
    """A judge that notes what it is asked, and answers when it may."""

    def __init__(self, name="counts"):
        super().__init__(name, {})
        object.__setattr__(self, "asked", [])
        object.__setattr__(self, "may", threading.Event())
        self.may.set()

    def judge(self):
        def judged(left, right, item):
            self.asked.append((left.text, right.text))
            self.may.wait(20)
            return "left" if len(left.text) <= len(right.text) else "right"

        return judged


@pytest.fixture
def judge():
    return Counting()


@pytest.fixture
def elsewhere(judge):
    """A server that leaves judges to workers, with a study that they decide."""
    site = Site(judging=ELSEWHERE)
    site.app.state.judges = (judge,)
    site.study(voters="judge")
    return site


def path(site):
    return f"/admin/s/{site.page().slug}/judges"


def jobs_in(site):
    return JudgeJobs(site.server.store, site.page())


def worker_of(site, judge):
    """A worker in a process of its own, as far as it can tell."""
    other = Site(site.storage)
    other.clock = other.server.clock = site.clock
    return JudgeWorker(other.server, (judge,))


def finish(worker):
    for thread in worker.look():
        thread.join(20)


@pytest.mark.slow
def test_what_a_page_starts_waits_until_a_worker_takes_it(elsewhere, judge):
    admin = elsewhere.admin()
    form = admin.get(path(elsewhere))
    send(admin, form, path(elsewhere), does="start", judge="counts", calls="200")
    assert "Waits for a worker" in admin.get(path(elsewhere)).text and judge.asked == []
    finish(worker_of(elsewhere, judge))
    (job,) = jobs_in(elsewhere).find_all()
    assert job.ended == "the study has nothing left to ask." and job.votes == len(judge.asked) > 0


def test_a_job_that_waits_ends_when_it_is_stopped(elsewhere, judge):
    assert start_job(elsewhere.server, elsewhere.page(), judge, 200, None) is None
    (job,) = jobs_in(elsewhere).find_all()
    jobs_in(elsewhere).stop(job.id, elsewhere.clock.now)
    finish(worker_of(elsewhere, judge))
    assert jobs_in(elsewhere).find_all()[0].ended == "it was told to." and judge.asked == []


def test_a_worker_leaves_judges_that_it_does_not_know(elsewhere, judge):
    start_job(elsewhere.server, elsewhere.page(), judge, 200, None)
    assert worker_of(elsewhere, Counting("another")).look() == []


def test_a_job_that_a_newer_server_wrote_can_be_read(elsewhere, judge):
    start_job(elsewhere.server, elsewhere.page(), judge, 200, None)
    ((name, kept),) = elsewhere.server.store.values("judging ").items()
    elsewhere.server.store.set_value(name, json.dumps({**json.loads(kept), "colour": "red"}))
    assert jobs_in(elsewhere).find_all()[0].judge == "counts"


@pytest.mark.slow
@every_database
def test_workers_that_look_at_once_take_a_job_once(storage_of, kind):
    kept, taken = storage_of(kind), []
    create_study("tea", ["green", "black"], kept, voters="judge")
    store = Store(kept)
    store.add_page(kept.key("tea"), {})
    jobs = JudgeJobs(store, store.find_page_by_name("tea"))
    for turn in range(10):
        jobs.add(JudgeJob(f"{turn}", f"judge {turn}", 5, None, 0.0, 0.0))

    def take(turn):
        job = jobs.take(f"{turn}", f"worker {threading.get_ident()}", 1.0)
        taken.extend([] if job is None else [job.id])

    assert at_once(take) == [] and sorted(taken) == sorted(f"{turn}" for turn in range(10))


@pytest.mark.slow
@every_database
def test_a_judge_that_is_started_twice_at_once_has_one_job(storage_of, kind):
    kept = storage_of(kind)
    create_study("tea", ["green", "black"], kept, voters="judge")
    store = Store(kept)
    store.add_page(kept.key("tea"), {})
    jobs = JudgeJobs(store, store.find_page_by_name("tea"))

    def add(turn):
        job = JudgeJob(os.urandom(4).hex(), f"judge {turn}", 5, None, 0.0, 0.0)
        try:
            jobs.add(job)
        except InvalidParameter as error:
            assert "at work already" in str(error)

    assert at_once(add) == [] and len(jobs.find_all()) == 10


def test_a_job_moves_when_its_worker_was_silent_for_a_lease(elsewhere, judge):
    start_job(elsewhere.server, elsewhere.page(), judge, 200, None)
    (job,) = jobs_in(elsewhere).find_all()
    assert jobs_in(elsewhere).take(job.id, "killed soon", elsewhere.clock.now)
    worker = worker_of(elsewhere, judge)
    elsewhere.clock.now += LEASE - 1
    assert worker.look() == []
    elsewhere.clock.now += 1
    finish(worker)
    assert "nothing left" in jobs_in(elsewhere).find_all()[0].ended


@pytest.mark.slow
def test_a_worker_that_was_away_for_a_lease_asks_nothing_more(elsewhere, judge):
    judge.may.clear()
    start_job(elsewhere.server, elsewhere.page(), judge, 200, None)
    (stalled,) = worker_of(elsewhere, judge).look()
    while not judge.asked:
        time.sleep(0.01)
    elsewhere.clock.now += LEASE
    other = Counting()
    finish(worker_of(elsewhere, other))
    assert "nothing left" in jobs_in(elsewhere).find_all()[0].ended
    judge.may.set()
    stalled.join(20)
    assert len(judge.asked) == 1
    assert "nothing left" in jobs_in(elsewhere).find_all()[0].ended


def test_a_worker_that_ends_gives_its_job_back_at_once(elsewhere, judge, monkeypatch):
    monkeypatch.setattr("copeland.web.judge_worker.TOLD", 0.0)
    start_job(elsewhere.server, elsewhere.page(), judge, 200, None)
    judge.may.clear()
    worker = worker_of(elsewhere, judge)
    threads = worker.look()
    worker._server.ends.set()
    judge.may.set()
    threads[0].join(20)
    (job,) = jobs_in(elsewhere).find_all()
    assert job.state(elsewhere.clock.now) == "waits for a worker" and job.made == len(judge.asked)
    finish(worker_of(elsewhere, judge))
    assert "nothing left" in jobs_in(elsewhere).find_all()[0].ended
    assert len(judge.asked) == len(set(judge.asked))


def test_who_takes_a_job_over_keeps_to_its_calls_by_the_log(elsewhere, judge):
    start_job(elsewhere.server, elsewhere.page(), judge, 2, None)
    finish(worker_of(elsewhere, judge))
    (job,) = jobs_in(elsewhere).find_all()
    assert job.made == len(judge.asked) == 2
    lied = replace(job, ended="", made=0, votes=0)  # as if its worker was killed before it told
    assert jobs_in(elsewhere).save(lied)
    elsewhere.clock.now += LEASE
    finish(worker_of(elsewhere, judge))
    (job,) = jobs_in(elsewhere).find_all()
    assert len(judge.asked) == 2 == job.made == job.votes and "used up" in job.ended


def test_a_job_whose_money_is_spent_is_not_begun_again(elsewhere):
    paid = Counting()
    paid.terms["prices"] = (1.0, 1.0)
    start_job(elsewhere.server, elsewhere.page(), paid, 200, 1.0)
    (job,) = jobs_in(elsewhere).find_all()
    assert jobs_in(elsewhere).take(job.id, "killed soon", elsewhere.clock.now)
    assert jobs_in(elsewhere).save(replace(job, worker="killed soon", spent=1.0))
    elsewhere.clock.now += LEASE
    finish(worker_of(elsewhere, paid))
    assert paid.asked == [] and "used up" in jobs_in(elsewhere).find_all()[0].ended


SLOWLY = (
    "import sys, time; a, b, file = sys.argv[1:]; open(file, 'a').write(f'{a}|{b}\\n'); time.sleep(0.3); "
    "print('left' if a < b else 'right')"
)
WORK = (
    "import copeland.web.judge_jobs as jobs, copeland.web.judge_worker as worker; "
    "jobs.LEASE = worker.LEASE = 2.0; worker.RENEWED, worker.EVERY = 0.5, 0.2; "
    "from copeland.cli import main; main()"
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_killed_workers_job_moves_and_no_question_is_asked_of_two(kind, tmp_path, request):
    file, asked = f"sqlite:///{tmp_path / 'votes.db'}", tmp_path / "asked"
    storage = file if kind == "sqlite" else request.getfixturevalue("postgres_url")
    judges = judges_file(tmp_path, [sys.executable, "-c", SLOWLY, "{left}", "{right}", str(asked)])
    site, page = queue(storage, calls=50)

    def start():
        command = [sys.executable, "-c", WORK, "judges", "work", str(judges), "--storage", storage]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL)

    workers = [start(), start()]
    try:
        await_lines(asked, 3)
        (job,) = JudgeJobs(site.server.store, page).find_all()
        holder = next(one for one in workers if f" {one.pid} " in job.worker)
        holder.send_signal(signal.SIGKILL)
        await_end(site, page)
    finally:
        for worker in workers:
            worker.terminate()
        assert {worker.wait(20) for worker in workers} == {-signal.SIGKILL, 0}
    (job,) = JudgeJobs(site.server.store, page).find_all()
    study, lines = open_study("tea", storage), asked.read_text().split()
    assert "nothing left" in job.ended and job.made == job.votes == len(study.votes()) > 3
    # Only the question that was under way is asked again: its answer died with the worker.
    assert job.made <= len(lines) <= job.made + 1 and len(lines) - len(set(lines)) <= 1
    assert study.misfit() is None and study.state() == study.replay()
    site.storage.dispose()


@pytest.mark.slow
def test_the_command_works_off_what_waits(tmp_path):
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    judges = judges_file(tmp_path, [sys.executable, "-c", "print('left')", "{left}", "{right}"])
    site, page = queue(storage, calls=3)
    done = run("judges", "work", str(judges), "--storage", storage, "--once", "--json")
    assert json.loads(done.stdout)["judges"] == ["slow"]
    (job,) = JudgeJobs(site.server.store, page).find_all()
    assert job.made == 3 and "cap of 3 calls" in job.ended


def judges_file(folder, command):
    file = folder / "judges.toml"
    file.write_text(f"[slow]\ncommand = {json.dumps(shlex.join(command))}\n")
    return file


def queue(storage, calls):
    """A study with a job that waits; time passes as it does."""
    from copeland.study import Storage

    site = Site(Storage(storage), judging=ELSEWHERE)
    site.server.clock = time.time
    options = {f"option {i}": f"text-{i}" for i in range(8)}
    create_study("tea", options, site.storage, voters="judge")
    site.server.store.add_page(site.storage.key("tea"), {})
    page = site.server.store.find_page_by_name("tea")
    start_job(site.server, page, Appointed("slow", {"command": "true"}), calls, None)
    return site, page


def await_lines(file, n, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if file.exists() and len(file.read_text().splitlines()) >= n:
            return
        time.sleep(0.05)
    raise TimeoutError("no worker began")


def await_end(site, page, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if JudgeJobs(site.server.store, page).find_all()[0].ended:
            return
        time.sleep(0.1)
    raise TimeoutError("no worker took it over")
