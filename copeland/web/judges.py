"""Judges of a study, for its admin: what each has said, how far it agrees, how one is started."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study.log.events import ERROR
from copeland.study.results.agreement import flip_sentences
from copeland.study.results.standing import Standing
from copeland.support.escaping import command_line
from copeland.support.phrasing import capital, counted, percent
from copeland.web.admin import Form, Here, Managed, common
from copeland.web.creating import number, whole
from copeland.web.judging import AT_WORK, Run, runs_of, start, stop
from copeland.web.logs import judges as judges_in
from copeland.web.sessions import said
from copeland.web.views import page as html
from copeland.web.views import see

router = APIRouter(prefix="/admin/s/{slug}/judges")

CALLS = 200  # unless the form says otherwise
MOST = 1_000_000
SHOWN = 20  # runs


@router.get("")
def judges(request: Request, here: Here) -> HTMLResponse:
    """Show the judges."""
    return _page(request, here)


@router.post("")
def change(request: Request, here: Here, form: Form) -> Response:
    """Start a judge, or stop one."""
    try:
        if said(form, "does") == "stop":
            stop(here.server, here.page, said(form, "run"))
        elif said(form, "does") == "start":
            _start(here, form)
    except CopelandError as error:
        return _page(request, here, str(error))
    return see(request, f"/admin/s/{here.page.slug}/judges")


def _start(here: Managed, form: Any) -> None:
    chosen = [one for one in here.server.judges if one.name == said(form, "judge")]
    if not chosen:
        raise InvalidParameter("the server knows no such judge; choose one of the list.")
    cost = number(form, "cost", 0) or None
    if cost is not None and cost < 0:
        raise InvalidParameter("The cost is below 0; say how much may be spent.")
    calls = whole(form, "calls", CALLS, 1, MOST)
    start(here.server, here.page, chosen[0], said(form, "role") == "guide", calls, cost)


def _page(request: Request, here: Managed, error: str = "") -> HTMLResponse:
    now = here.server.clock()
    runs = runs_of(here.server, here.page)
    return html(
        request,
        "judges",
        422 if error else 200,
        **common(here, "judges"),
        error=capital(error),
        rows=_rows_of(here),
        flips=_flips_of(here),
        runs=[
            (run, run.state(now) == AT_WORK, capital(run.state(now)), _done(run))
            for run in runs[:SHOWN]
        ],
        spent=sum(run.spent for run in runs),
        able=here.server.judges,
        reads=not here.server.panes(here.page),
        is_panel=bool(here.study.settings.panel),
        proves=bool(here.study.settings.space or here.study.settings.cases),
        for_people=bool(here.study.settings.missing),
        commands=_commands(here),
    )


def _rows_of(here: Managed) -> list[tuple[str, str, str, str]]:
    """What each judge said; of a space nobody else says anything of the same pairs."""
    if here.study.settings.space:
        return []
    standing = here.server.readings(here.page).seen().reading.standing
    return _rows(standing, judges_in(here.server.storage, here.page.study))


def _flips_of(here: Managed) -> list[str]:
    """What judges did when the sides were swapped."""
    if here.study.settings.space:
        return []
    return list(flip_sentences(here.server.readings(here.page).seen().reading.standing.swaps))


def _rows(standing: Standing, judges: set[str]) -> list[tuple[str, str, str, str]]:
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


def _done(run: Run) -> str:
    """What a judge did so far, in a sentence."""
    said = [f"{counted(run.votes, 'answer')} from {run.made:,} of {counted(run.calls, 'call')}"]
    said += [counted(run.errors, "error")] if run.errors else []
    if run.cost is not None or run.spent:
        of = "" if run.cost is None else f" of {run.cost:,.4g}"
        said.append(f"{run.spent:,.4g}{of} spent")
    return f"{', '.join(said)}."


def _share(share: float | None, n: int) -> str:
    return "-" if share is None else f"{percent(share)} of {n:,}"


def _commands(here: Managed) -> list[tuple[str, str]]:
    """How a judge is started where the votes are kept, and what each way is for."""
    at = ["--storage", here.server.storage.url]
    on = ["--items", "FILE"] if here.study.settings.cases > 1 else []
    work = ["copeland", "study", "judge", here.page.name, *at, "--calls", CALLS, *on]
    model = ["--model", "MODEL", "--url", "https://api.example.org/v1"]
    guiding = ("A language model guides, and people prove", _typed(*work, *model, "--guide"))
    if here.study.settings.missing:
        return [guiding]
    return [
        ("A language model votes", _typed(*work, *model)),
        *([] if here.study.settings.space else [guiding]),
        ("A program votes", _typed(*work, "--command", "python judge.py {left} {right}")),
    ]


def _typed(*words: object) -> str:
    head, options = words[:4], words[4:]
    return f"{command_line(*head)} {command_line(*options).removeprefix('-- ')}"
