"""The end of a study on a server: deleted with its images and links, once its name was typed."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from copeland.errors import InvalidParameter
from copeland.study import delete_study
from copeland.support.escaping import command_line
from copeland.web.pages.admin import Form, Here, ManagedStudy, show_study
from copeland.web.pages.judges import AT_WORK, JudgeJobs
from copeland.web.render import redirect
from copeland.web.sessions import read_field

router = APIRouter(prefix="/admin")


@router.get("/s/{slug}/delete")
def confirm(request: Request, here: Here) -> HTMLResponse:
    """Ask for the name of the study, and say how to keep a copy."""
    return _page(request, here)


def _page(request: Request, here: ManagedStudy, error: str = "") -> HTMLResponse:
    known = here.study.look_at_state(lambda state: (state.votes, state.k))
    links = len(here.server.store.links(here.page.study))
    images = len(here.server.panes(here.page))
    values = {"votes": known[0], "options": known[1], "links": links, "images": images}
    return show_study(
        request, here, "delete_study", error, tab="manage", backup=_backup_command(here), **values
    )


def _backup_command(here: ManagedStudy) -> str:
    """The command that copies the whole storage; a database in memory has none, and others have their own."""
    url = here.server.storage.url
    if not url.startswith("sqlite"):
        return ""
    return command_line("copeland", "backup", "votes-backup.db", "--storage", url)


@router.post("/s/{slug}/delete")
def delete(request: Request, here: Here, form: Form) -> Response:
    """Delete the study if its name was typed."""
    try:
        _require_name(here, read_field(form, "name"))
    except InvalidParameter as error:
        return _page(request, here, str(error))
    delete_study(here.page.name, here.server.storage)
    here.server.forget_study(here.page)
    return redirect(request, "/admin?deleted=1")


def _require_name(here: ManagedStudy, typed: str) -> None:
    if typed != here.page.name.strip():
        raise InvalidParameter(
            f"The name that you typed is not '{here.page.name}', so nothing was deleted."
        )
    now, jobs = here.server.clock(), JudgeJobs(here.server.store, here.page)
    if any(job.state(now) == AT_WORK for job in jobs.find_all()):
        raise InvalidParameter("A judge is at work on this study; stop it first, under Judges.")
