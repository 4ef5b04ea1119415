"""Judges of a server: the file that names them, their jobs, and the page from which an admin starts one.

No page and no request can name a program or an address: whoever writes the file can run what it says anyway. Each job
runs in a thread, and what it did and cost is kept in the storage. So every process of a server shows the same, and any of
them can ask a judge to stop. What a judge has said is in the log before its job tells of it: a server that ends in the
middle loses no vote.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study.input_limits import check_text
from copeland.study.judges import (
    ChatJudge,
    CommandJudge,
    Item,
    Judged,
    judge_study,
    sleep_until,
)
from copeland.study.log.events import ERROR, SKIP
from copeland.study.results.agreement import flip_sentences
from copeland.study.results.standing import Standing
from copeland.support.atomic_files import read_text
from copeland.support.escaping import command_line
from copeland.support.phrasing import capital, format_count, percent
from copeland.web.cache import VoteAnalysis
from copeland.web.pages.admin import Form, Here, ManagedStudy, show_study
from copeland.web.render import redirect
from copeland.web.server import Server
from copeland.web.sessions import read_field, read_number, read_whole
from copeland.web.store import Store, VotingPage

router = APIRouter(prefix="/admin/s/{slug}/judges")

PROGRAM = {"command", "timeout"}
MODEL = {"model", "url", "prompt", "prices", "key_variable", "timeout", "max_tokens", "options"}
TOLD = 1.0  # seconds between two notes of how far a judge is
GONE = 180.0  # seconds of silence after which a judge has ended with its server
AT_WORK = "at work"
PAUSED, ASKED_TO = "the voting was paused.", "it was told to."
CALLS = 200  # unless the form says otherwise
MOST = 1_000_000
SHOWN = 20  # jobs


# The file that names judges


@dataclass(frozen=True)
class Appointed:
    """A judge that can be started, and what is known of its price."""

    name: str  # the voter that it is
    terms: dict[str, Any]

    @property
    def is_paid(self) -> bool:
        """Whether it tells what it costs."""
        return "prices" in self.terms

    def judge(self) -> ChatJudge | CommandJudge:
        """Return the judge itself."""
        kind = CommandJudge if "command" in self.terms else ChatJudge
        return kind(**self.terms, name=self.name)


def read_judges(path: str) -> tuple[Appointed, ...]:
    """Return the judges of a TOML file, one a table; a damaged file names nobody."""
    if not path:
        return ()
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InvalidParameter(f"{path} is no TOML: {error}.") from None
    return tuple(_read_judge(path, name, terms) for name, terms in content.items())


def _read_judge(path: str, name: str, terms: Any) -> Appointed:
    check_text(voter=name)
    who = f"{path}: the judge '{name}'"
    if not isinstance(terms, dict) or not ("command" in terms or {"model", "url"} <= set(terms)):
        raise InvalidParameter(f"{who} needs a command, or a model and its url.")
    known = PROGRAM if "command" in terms else MODEL
    unknown = sorted(set(terms) - known)
    if unknown:
        raise InvalidParameter(f"{who} has '{unknown[0]}'; it may have {', '.join(sorted(known))}.")
    terms = dict(terms)
    if "prompt" in terms:
        terms["prompt"] = read_text(Path(path).parent / str(terms["prompt"]))
    if terms.get("key_variable") == "":
        terms["key_variable"] = None
    appointed = Appointed(name, terms)
    try:
        appointed.judge()  # better now than when somebody presses a button
    except InvalidParameter as error:
        raise InvalidParameter(f"{who}: {error}") from None
    except TypeError:
        raise InvalidParameter(f"{who} has a value of a wrong kind.") from None
    return appointed


# Jobs


@dataclass(frozen=True)
class JudgeJob:
    """What a judge was told to do, and did so far."""

    id: str
    judge: str
    guide: bool
    calls: int  # at most
    cost: float | None  # at most
    begun: float
    seen: float
    made: int = 0  # calls
    votes: int = 0
    errors: int = 0
    spent: float = 0.0
    ended: str = ""  # why; empty while it works

    def state(self, now: float) -> str:
        """Return why it ended, or that it works, in a few words."""
        if self.ended:
            return self.ended
        return AT_WORK if now - self.seen < GONE else "it ended with the server."

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
    """The jobs of a study, as all processes of a server see them."""

    def __init__(self, store: Store, page: VotingPage):
        self._store = store
        self._jobs, self._stops = f"judging {page.study} ", f"stop {page.study} "

    def find_all(self) -> list[JudgeJob]:
        """Return all jobs, the newest first."""
        kept = self._store.values(self._jobs).values()
        return sorted((JudgeJob(**json.loads(one)) for one in kept), key=lambda job: -job.begun)

    def save(self, job: JudgeJob) -> None:
        """Store how far a job is."""
        self._store.set_value(self._jobs + job.id, json.dumps(asdict(job)))

    def stop(self, job: str) -> None:
        """Ask a judge to stop after the answers under way."""
        if any(one.id == job for one in self.find_all()):
            self._store.set_value(self._stops + job, "stop")

    def is_to_stop(self, job: str) -> bool:
        """Tell whether somebody asked for that."""
        return self._store.value(self._stops + job) is not None

    @property
    def spent(self) -> float:
        """What the judges of the study have cost."""
        return sum(job.spent for job in self.find_all())


def start_job(
    server: Server,
    page: VotingPage,
    appointed: Appointed,
    guide: bool,
    calls: int,
    cost: float | None,
) -> threading.Thread:
    """Let a judge vote in a study, in a thread of its own; return that."""
    now, jobs = server.clock(), JudgeJobs(server.store, page)
    _require_able(server, page, appointed, guide, cost)
    if any(job.judge == appointed.name and job.state(now) == AT_WORK for job in jobs.find_all()):
        raise InvalidParameter(f"{appointed.name} is at work already; wait for it, or stop it.")
    job = JudgeJob(secrets.token_hex(6), appointed.name, guide, calls, cost, now, now)
    jobs.save(job)
    worker = _Worker(server, page, appointed, job)
    thread = threading.Thread(target=worker.work, name=f"judge {job.id}", daemon=True)
    thread.start()
    return thread


def _require_able(
    server: Server, page: VotingPage, appointed: Appointed, guide: bool, cost: float | None
) -> None:
    if server.panes(page):
        raise InvalidParameter("judges read texts, and this study shows images.")
    if server.study(page).settings.panel:
        raise InvalidParameter("in a panel only its members vote.")
    if server.study(page).settings.missing and not guide:
        raise InvalidParameter(
            "this study is for people, so a judge's votes prove nothing here; let it guide, or create a study for judges."
        )
    if cost is not None and not appointed.is_paid:
        raise InvalidParameter(f"{appointed.name} has no prices, so no cost can be kept to.")


class _Worker:
    """One judge at work."""

    def __init__(self, server: Server, page: VotingPage, appointed: Appointed, job: JudgeJob):
        self._server, self._page, self._appointed, self._job = server, page, appointed, job
        self._jobs = JudgeJobs(server.store, page)
        self._told = time.monotonic()
        self._why = ""

    def work(self) -> None:
        """Judge until there is a reason to stop, and say which."""
        try:
            ended = self._judge()
        except CopelandError as error:
            ended = str(error)
        except Exception:
            logging.getLogger("copeland.web").exception("a judge failed")
            ended = "it failed; the server's messages say how."
        self._jobs.save(replace(self._job, ended=ended, seen=self._server.clock()))

    def _judge(self) -> str:
        outputs = self._server.outputs(self._page)
        done = judge_study(
            self._server.study(self._page),
            {self._job.judge: self._appointed.judge()},
            calls=self._job.calls,
            cost=self._job.cost,
            items=[Item(item, item, texts) for item, texts in outputs.items() if len(texts) > 1]
            or None,
            role="guide" if self._job.guide else None,
            progress=self._note,
            rest=self._rest,
        )
        self._job = replace(self._job, made=done.calls, spent=done.cost)
        return self._why or done.stopped

    def _note(self, judged: Judged) -> None:
        job, outcome = self._job, judged.outcome
        self._job = replace(
            job,
            made=judged.calls,
            spent=judged.cost,
            votes=job.votes + (outcome not in (ERROR, SKIP)),
            errors=job.errors + (outcome == ERROR),
            seen=self._server.clock(),
        )
        if time.monotonic() - self._told >= TOLD:
            self._told = time.monotonic()
            self._jobs.save(self._job)
            self._check_stop()

    def _rest(self, wait: Any) -> None:
        self._check_stop()
        sleep_until(wait)

    def _check_stop(self) -> None:
        """Stop as by Ctrl-C if somebody asked for it, the voting is paused or the server ends."""
        now = self._server.store.find_page(self._page.slug)
        if self._server.ends.is_set() or self._jobs.is_to_stop(self._job.id):
            self._why = ASKED_TO
        elif now is None or now.paused:
            self._why = PAUSED
        if self._why:
            raise KeyboardInterrupt


# The page


@router.get("")
def show_judges(request: Request, here: Here) -> HTMLResponse:
    """Show what each judge has said, how far it agrees, and how one is started."""
    return _page(request, here)


@router.post("")
def change_judges(request: Request, here: Here, form: Form) -> Response:
    """Start a judge, or stop one."""
    try:
        if read_field(form, "does") == "stop":
            JudgeJobs(here.server.store, here.page).stop(read_field(form, "run"))
        elif read_field(form, "does") == "start":
            _start(here, form, request.app.state.judges)
    except CopelandError as error:
        return _page(request, here, str(error))
    return redirect(request, f"/admin/s/{here.page.slug}/judges")


def _start(here: ManagedStudy, form: FormData, able: Sequence[Appointed]) -> None:
    chosen = [one for one in able if one.name == read_field(form, "judge")]
    if not chosen:
        raise InvalidParameter("the server knows no such judge; choose one of the list.")
    cost = read_number(form, "cost", 0) or None
    if cost is not None and cost < 0:
        raise InvalidParameter("The cost is below 0; say how much may be spent.")
    calls = read_whole(form, "calls", CALLS, 1, MOST)
    start_job(here.server, here.page, chosen[0], read_field(form, "role") == "guide", calls, cost)


def _page(request: Request, here: ManagedStudy, error: str = "") -> HTMLResponse:
    now, jobs = here.server.clock(), JudgeJobs(here.server.store, here.page).find_all()
    settings, seen = here.study.settings, here.server.analyses(here.page).latest()
    judges = here.server.store.judges(here.page.study)
    standing = seen.reading.standing if isinstance(seen, VoteAnalysis) else None
    return show_study(
        request,
        here,
        "judges",
        error,
        rows=_agreement(standing, judges) if standing else [],
        flips=list(flip_sentences(standing.swaps)) if standing else [],
        jobs=[(job, job.state(now) == AT_WORK, capital(job.state(now))) for job in jobs[:SHOWN]],
        spent=sum(job.spent for job in jobs),
        able=request.app.state.judges,
        reads=not here.server.panes(here.page),
        proves=bool(settings.space or settings.cases),
        for_people=bool(settings.missing),
        commands=_commands(here),
    )


def _agreement(standing: Standing, judges: set[str]) -> list[tuple[str, str, str, str]]:
    """What each judge said, and how far others agree: of a guide, the people; of others, all others."""
    guides = [
        (f"{one.name} (guide)", f"{one.votes:,}", "-", _share(one.agreement, one.compared))
        for one in standing.guides
    ]
    proving = [
        (
            voter.name,
            f"{voter.votes:,}",
            f"{voter.outcomes[ERROR]:,}",
            _share(voter.agreement, voter.compared),
        )
        for voter in standing.voters
        if voter.name in judges
    ]
    return [*guides, *proving]


def _share(share: float | None, n: int) -> str:
    return "-" if share is None else f"{percent(share)} of {n:,}"


def _commands(here: ManagedStudy) -> list[tuple[str, str]]:
    """How a judge is started where the votes are kept, and what each way is for."""
    settings = here.study.settings
    start = command_line("copeland", "study", "judge", here.page.name)
    at = ["--storage", here.server.storage.url, "--calls", CALLS]
    at += ["--items", "FILE"] if settings.cases > 1 else []
    model = ["--model", "MODEL", "--url", "https://api.example.org/v1"]

    def type_out(*options: object) -> str:
        return f"{start} {command_line(*at, *options).removeprefix('-- ')}"

    guiding = ("A language model guides, and people prove", type_out(*model, "--guide"))
    if settings.missing:
        return [guiding]
    return [
        ("A language model votes", type_out(*model)),
        *([] if settings.space else [guiding]),
        ("A program votes", type_out("--command", "python judge.py {left} {right}")),
    ]
