"""The page from which an admin starts a judge, and sees what each has said and how far it agrees."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study.log.events import ERROR
from copeland.study.results.agreement import flip_sentences
from copeland.study.results.standing import Standing
from copeland.support.escaping import command_line
from copeland.support.phrasing import capital, percent
from copeland.web.judge_file import Appointed
from copeland.web.judge_jobs import JudgeJobs
from copeland.web.judge_worker import start_job
from copeland.web.pages.admin import Form, Here, ManagedStudy, show_study
from copeland.web.render import redirect
from copeland.web.sessions import read_field, read_number, read_whole

router = APIRouter(prefix="/admin/s/{slug}/judges")

CALLS = 200  # unless the form says otherwise
MOST = 1_000_000
SHOWN = 20  # jobs


@router.get("")
def show_judges(request: Request, here: Here) -> HTMLResponse:
    """Show what each judge has said, how far it agrees, and how one is started."""
    return _page(request, here)


@router.post("")
def change_judges(request: Request, here: Here, form: Form) -> Response:
    """Start a judge, or stop one."""
    try:
        if read_field(form, "does") == "stop":
            jobs = JudgeJobs(here.server.store, here.page)
            jobs.stop(read_field(form, "run"), here.server.clock())
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
    start_job(here.server, here.page, chosen[0], calls, cost)


def _page(request: Request, here: ManagedStudy, error: str = "") -> HTMLResponse:
    now, jobs = here.server.clock(), JudgeJobs(here.server.store, here.page).find_all()
    settings, seen = here.study.settings, here.server.analyses(here.page).latest()
    judges = here.server.store.judges(here.page.study)
    standing = seen.reading.standing
    return show_study(
        request,
        here,
        "judges",
        error,
        rows=_agreement(standing, judges),
        flips=list(flip_sentences(standing.swaps)),
        jobs=[(job, job.goes_on(now), capital(job.state(now))) for job in jobs[:SHOWN]],
        spent=sum(job.spent for job in jobs),
        able=request.app.state.judges,
        reads=not here.server.panes(here.page),
        for_people=bool(settings.missing),
        commands=_commands(here),
    )


def _agreement(standing: Standing, judges: set[str]) -> list[tuple[str, str, str, str]]:
    """What each judge said, and how far all others agree."""
    return [
        (
            voter.name,
            f"{voter.votes:,}",
            f"{voter.outcomes[ERROR]:,}",
            _share(voter.agreement, voter.compared),
        )
        for voter in standing.voters
        if voter.name in judges
    ]


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

    return [
        ("A language model votes", type_out(*model)),
        ("A program votes", type_out("--command", "python judge.py {left} {right}")),
    ]
