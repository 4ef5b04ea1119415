"""The worker that lets judges vote: it takes jobs that pages started, and goes on with those of workers that were killed.

Any process can be one: those of a server, or ``copeland judges work`` on any machine. A worker that lost its job makes no
further call, and what a judge has said is in the log before anybody tells of it.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from copeland.errors import CopelandError, InvalidParameter, StorageError
from copeland.study import Study
from copeland.study.judges import Item, Judged, judge_study, sleep_until
from copeland.study.judges.call import BudgetSpent
from copeland.study.log.events import ERROR, NOTHING, SKIP, VOTED, spent_on
from copeland.web.judge_file import Appointed
from copeland.web.judge_jobs import ASKED_TO, LEASE, PREFIX, WAITS, JudgeJob, JudgeJobs, read_job
from copeland.web.server import ELSEWHERE, Server
from copeland.web.store import VotingPage

TOLD = 1.0  # seconds between two notes of how far a judge is
RENEWED = 5.0  # seconds after which a worker says again that it is there
EVERY = 2.0  # seconds between two looks for jobs
AT_ONCE = 8  # jobs of one worker
PAUSED = "the voting was paused."
LOG = logging.getLogger("copeland.web")


def start_job(
    server: Server,
    page: VotingPage,
    appointed: Appointed,
    calls: int,
    cost: float | None,
) -> threading.Thread | None:
    """Let a judge vote in a study: here in a thread, which is returned, or wherever a worker takes the job."""
    now, jobs = server.clock(), JudgeJobs(server.store, page)
    _require_able(server, page, appointed, cost)
    last = server.store.last_number(page.study)
    job = JudgeJob(secrets.token_hex(6), appointed.name, calls, cost, now, now, number=last)
    jobs.add(job)
    if server.config.judging == ELSEWHERE:
        return None
    return JudgeWorker(server, (appointed,)).take(page, job.id, appointed)


def _require_able(
    server: Server, page: VotingPage, appointed: Appointed, cost: float | None
) -> None:
    if server.panes(page):
        raise InvalidParameter("judges read texts, and this study shows images.")
    if server.study(page).settings.panel:
        raise InvalidParameter("in a panel only its members vote.")
    if server.study(page).settings.missing:
        raise InvalidParameter(
            "this study is for people, so a judge's votes prove nothing here; create a study for judges."
        )
    if cost is not None and not appointed.is_paid:
        raise InvalidParameter(f"{appointed.name} has no prices, so no cost can be kept to.")


class JudgeWorker:
    """What one process does for judges: it takes jobs that wait, and lets each judge vote in a thread."""

    def __init__(self, server: Server, judges: Sequence[Appointed]):
        self._server = server
        self._judges = {one.name: one for one in judges}
        self._id = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"
        self._threads: list[threading.Thread] = []

    def start(self) -> threading.Thread:
        """Look for jobs every few seconds, until the server ends."""
        thread = threading.Thread(target=self.run, name="jobs of judges", daemon=True)
        thread.start()
        return thread

    def run(self) -> None:
        """Do the same in this thread."""
        while not self._server.ends.wait(EVERY):
            try:
                self.look()
            except StorageError as error:  # it is away, and comes back
                LOG.warning("judges wait: %s", error)
            except Exception:
                LOG.warning("judges", exc_info=True)

    def look(self) -> list[threading.Thread]:
        """Take what waits, as far as this worker knows the judges; return the threads at work."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        now = self._server.clock()
        for name, kept in self._server.store.values(PREFIX).items():
            job = read_job(kept)
            if len(self._threads) >= AT_ONCE:
                break
            if job.judge in self._judges and job.state(now) == WAITS:
                page = self._server.store.find_page_of(int(name.split()[1]))
                taken = page and self.take(page, job.id, self._judges[job.judge])
                self._threads += [taken] if taken else []
        return self._threads

    def finish(self, seconds: float) -> None:
        """Wait for those at work, for some seconds at most, once the process is to end."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def take(self, page: VotingPage, id: str, appointed: Appointed) -> threading.Thread | None:
        """Take one job, and return the thread in which its judge votes; None if another worker was faster."""
        jobs = JudgeJobs(self._server.store, page)
        job = jobs.take(id, self._id, self._server.clock())
        if job is None:
            return None
        run = _JobRun(self._server, page, appointed, job, jobs)
        thread = threading.Thread(target=run.work, name=f"judge {job.id}", daemon=True)
        thread.start()
        return thread


class _JobRun:
    """One judge at work."""

    def __init__(
        self,
        server: Server,
        page: VotingPage,
        appointed: Appointed,
        job: JudgeJob,
        jobs: JudgeJobs,
    ):
        self._server, self._page, self._appointed, self._jobs = server, page, appointed, jobs
        self._job = self._before = job
        self._told = time.monotonic()
        self._why = ""
        self._has_lapsed = False  # whether the storage was away for longer than the lease
        self._turn = threading.Lock()  # of those who save the job
        self._is_done = threading.Event()

    def work(self) -> None:
        """Judge until there is a reason to stop, and say which."""
        beat = threading.Thread(target=self._renew, name=f"lease {self._job.id}", daemon=True)
        beat.start()
        try:
            ended = self._judge()
        except CopelandError as error:
            ended = str(error)
        except Exception:
            LOG.exception("a judge failed")
            ended = "it failed; the server's messages say how."
        self._is_done.set()
        if self._server.ends.is_set() or self._has_lapsed:
            self._jobs.give_back(self._job, self._server.clock())
        else:
            self._save(ended=ended)

    def _judge(self) -> str:
        self._why = self._find_reason()
        if self._why:
            return self._why
        study = self._server.study(self._page)
        self._before = self._job = add_up(study, self._job)
        calls = self._job.calls - self._job.made
        cost = None if self._job.cost is None else self._job.cost - self._job.spent
        if calls < 1 or (cost is not None and cost <= 0):
            return "its calls or its money are used up."
        outputs = self._server.outputs(self._page)
        done = judge_study(
            study,
            {self._job.judge: LeasedJudge(self._appointed.judge(), self._require_lease)},
            calls=calls,
            cost=cost,
            items=[Item(item, item, texts) for item, texts in outputs.items() if len(texts) > 1]
            or None,
            progress=self._note,
            rest=self._rest,
        )
        self._count(done.calls, done.cost)
        return self._why or done.stopped

    def _count(self, calls: int, cost: float, votes: int = 0, errors: int = 0) -> None:
        with self._turn:
            self._job = replace(
                self._job,
                made=self._before.made + calls,
                spent=self._before.spent + cost,
                votes=self._job.votes + votes,
                errors=self._job.errors + errors,
            )

    def _note(self, judged: Judged) -> None:
        is_error = judged.outcome == ERROR
        is_vote = judged.outcome not in (ERROR, SKIP)
        self._count(judged.calls, judged.cost, int(is_vote), int(is_error))
        if time.monotonic() - self._told >= TOLD:
            self._told = time.monotonic()
            self._save()
            self._check_stop()

    def _rest(self, wait: Any) -> None:
        self._check_stop()
        sleep_until(wait)

    def _renew(self) -> None:
        """Say every few seconds that this worker is there: one call to a judge may take longer than that."""
        while not self._is_done.wait(RENEWED):
            try:
                self._save()
            except StorageError as error:  # it is away, and comes back, or else the lease ends
                LOG.warning("a judge goes on: %s", error)

    def _save(self, ended: str = "") -> None:
        """Keep how far the job is, and with it the lease, unless another worker has it by now."""
        with self._turn:
            job = replace(self._job, seen=self._server.clock(), ended=ended)
            if self._jobs.save(job):
                self._job = job
            else:
                self._why = "another worker has it."

    def _require_lease(self) -> None:
        """Refuse a call that another worker may be making at the same time."""
        self._has_lapsed |= self._server.clock() - self._job.seen >= LEASE
        if self._why or self._has_lapsed:
            raise BudgetSpent(self._why or "another worker may have it.")

    def _check_stop(self) -> None:
        """Stop as by Ctrl-C if there is a reason."""
        self._why = self._why or self._find_reason()
        if self._why:
            raise KeyboardInterrupt

    def _find_reason(self) -> str:
        """Why to stop: somebody asked for it, the process ends, or the voting is paused; empty if nothing is."""
        if self._server.ends.is_set() or self._jobs.is_to_stop(self._job.id):
            return ASKED_TO
        now = self._server.store.find_page(self._page.slug)
        return PAUSED if now is None or now.paused else ""


class LeasedJudge:
    """A judge that is asked only while its worker has the job.

    Examples
    --------
    >>> asked = []
    >>> judge = LeasedJudge(lambda left, right, item: "left", lambda: asked.append("held?"))
    >>> judge("tea", "milk", None), asked
    ('left', ['held?'])
    """

    def __init__(self, judge: Any, require: Callable[[], None]):
        self._judge, self._require = judge, require

    def __call__(self, *asked: Any) -> str:
        """Ask it."""
        self._require()
        return self._judge(*asked)

    def __getattr__(self, name: str) -> Any:
        """Return what else a judge may have: ``check``, and ``charged``, by which it is asked if it costs money."""
        own = getattr(self._judge, name)
        if name != "charged":
            return own

        def ask(*asked: Any, **how: Any) -> str:
            self._require()
            return own(*asked, **how)

        return ask


def add_up(study: Study, job: JudgeJob) -> JudgeJob:
    """Return a job with what its log says was done and spent: its last worker may have told less."""
    answers = study.log(after=job.number, voter=job.judge)
    told = [one for one in answers if one.kind == VOTED]
    spent = NOTHING
    for one in told:
        spent = spent.plus(spent_on(one))
    return replace(
        job,
        made=max(job.made, spent.calls),
        spent=max(job.spent, spent.cost),
        votes=sum(one.outcome not in (ERROR, SKIP) for one in told),
        errors=sum(one.outcome == ERROR for one in told),
    )
