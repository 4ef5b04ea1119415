"""Jobs of judges: what a page asked for and what became of it, kept in the storage, so that any process on any machine can do it.

A worker has a job for half a minute, and renews that while it works. If it is killed, another one may take the job.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace

from sqlalchemy import Connection, select

from copeland.errors import InvalidParameter
from copeland.study.log.schema import server as values
from copeland.support.phrasing import format_count
from copeland.web.store import Store, VotingPage, lock_study, put_value

LEASE = 30.0  # seconds of silence after which another worker may take a job
PATIENCE = 3600.0  # seconds after which a job that no worker took is given up
AT_WORK, WAITS = "at work", "waits for a worker"
UNTAKEN = "no worker took it within an hour."
ASKED_TO = "it was told to."
PREFIX = "judging "


@dataclass(frozen=True)
class JudgeJob:
    """What a judge was told to do, and did so far."""

    id: str
    judge: str
    calls: int  # at most
    cost: float | None  # at most
    begun: float
    seen: float  # when its worker was last heard of; while it has none, when it began to wait
    made: int = 0  # calls
    votes: int = 0
    errors: int = 0
    spent: float = 0.0
    ended: str = ""  # why; empty while it works
    worker: str = ""  # who has it; empty while it waits
    number: int = 0  # of the last event before it

    def state(self, now: float) -> str:
        """Return why it ended, or that it works or waits, in a few words."""
        if self.ended:
            return self.ended
        if self.worker and now - self.seen < LEASE:
            return AT_WORK
        return WAITS if now - self.seen < PATIENCE else UNTAKEN

    def goes_on(self, now: float) -> bool:
        """Tell whether it works, or may be taken."""
        return self.state(now) in (AT_WORK, WAITS)

    @property
    def summary(self) -> str:
        """What was done so far, in a sentence."""
        said = [
            f"{format_count(self.votes, 'answer')} from {self.made:,} of {format_count(self.calls, 'call')}"
        ]
        said += [format_count(self.errors, "error")] if self.errors else []
        if self.cost is not None or self.spent:
            of = "" if self.cost is None else f" of {self.cost:,.4g}"
            said.append(f"{self.spent:,.4g}{of} spent")
        return f"{', '.join(said)}."


class JudgeJobs:
    """The jobs of a study, as all processes of all servers see them."""

    def __init__(self, store: Store, page: VotingPage):
        self._store, self._study = store, page.study
        self._jobs, self._stops = f"{PREFIX}{page.study} ", f"stop {page.study} "

    def find_all(self) -> list[JudgeJob]:
        """Return all jobs, the newest first."""
        kept = self._store.values(self._jobs).values()
        return sorted((read_job(one) for one in kept), key=lambda job: -job.begun)

    def add(self, job: JudgeJob) -> None:
        """Keep a new job, unless its judge has one, also if two are added at once."""

        def work(connection: Connection) -> bool:
            is_there = lock_study(connection, self._study)
            begins = values.c.name.startswith(self._jobs, autoescape=True)
            known = connection.execute(select(values.c.value).where(begins)).scalars()
            others = [read_job(kept) for kept in known]
            if any(one.judge == job.judge and one.goes_on(job.begun) for one in others):
                return False
            if is_there:
                self._put(connection, job)
            return True

        if not self._store.storage.transact(work):
            raise InvalidParameter(f"{job.judge} is at work already; wait for it, or stop it.")

    def take(self, id: str, worker: str, now: float) -> JudgeJob | None:
        """Give a job that waits to a worker; None if another one has it."""

        def work(connection: Connection) -> JudgeJob | None:
            job = self._read(connection, id)
            if job is None or job.state(now) != WAITS:
                return None
            job = replace(job, worker=worker, seen=now)
            self._put(connection, job)
            return job

        return self._store.storage.transact(work)

    def save(self, job: JudgeJob) -> bool:
        """Keep how far a job is; False if it is not its worker's any more, or its study was deleted."""

        def work(connection: Connection) -> bool:
            known = self._read(connection, job.id)
            if known is None or known.worker != job.worker:
                return False
            self._put(connection, job)
            return True

        return self._store.storage.transact(work)

    def give_back(self, job: JudgeJob, now: float) -> None:
        """Let another worker take a job at once."""

        def work(connection: Connection) -> None:
            known = self._read(connection, job.id)
            if known is not None and known.worker == job.worker:
                self._put(connection, replace(job, worker="", seen=now))

        self._store.storage.transact(work)

    def stop(self, id: str, now: float) -> None:
        """Ask a judge to stop after the answers under way; a job that waits ends at once."""

        def work(connection: Connection) -> None:
            job = self._read(connection, id)
            if job is not None and job.state(now) == WAITS:
                self._put(connection, replace(job, ended=ASKED_TO, worker=""))
            elif job is not None:
                put_value(connection, self._stops + id, "stop")

        self._store.storage.transact(work)

    def is_to_stop(self, id: str) -> bool:
        """Tell whether somebody asked for that."""
        return self._store.value(self._stops + id) is not None

    @property
    def spent(self) -> float:
        """What the judges of the study have cost."""
        return sum(job.spent for job in self.find_all())

    def _read(self, connection: Connection, id: str) -> JudgeJob | None:
        """A job; no other process changes it before this transaction ends."""
        row = select(values.c.value).where(values.c.name == self._jobs + id).with_for_update()
        kept = connection.execute(row).scalar()
        return None if kept is None else read_job(kept)

    def _put(self, connection: Connection, job: JudgeJob) -> None:
        put_value(connection, self._jobs + job.id, json.dumps(asdict(job)))


def read_job(kept: str) -> JudgeJob:
    """A job as it was stored; what a newer version on another machine added is left out."""
    known = {one.name for one in fields(JudgeJob)}
    return JudgeJob(**{name: value for name, value in json.loads(kept).items() if name in known})
