"""What an admin does with studies as a whole: come in, list, pause, close."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Standing, Study
from copeland.study.text_edits import USUAL_QUESTION
from copeland.support.escaping import file_name
from copeland.support.phrasing import capital
from copeland.web import sessions
from copeland.web.completion import check_code_name, check_completion_address
from copeland.web.ideas import WAITING, Ideas
from copeland.web.pages.question_counts import usual_questions
from copeland.web.render import redirect, render_page
from copeland.web.security import ATTEMPTS, require
from copeland.web.server import Server, server_of
from copeland.web.sessions import read_field
from copeland.web.store import CODE_NAME, RESULTS, VotingPage

router = APIRouter(prefix="/admin")
ENTER = "enter"  # whose form it is, before there is a session
SOURCE = "admin page"  # what the log says of texts that are changed here


class ManagedStudy(NamedTuple):
    """A study that an admin looks at."""

    server: Server
    page: VotingPage
    study: Study
    session: str

    @property
    def csrf(self) -> str:
        """What its forms carry."""
        return self.server.signer.form(self.session)

    def path(self, tab: str) -> str:
        """Return where a tab of it is."""
        return f"/admin/s/{self.page.slug}/{tab}"

    def save(self, **changes: Any) -> None:
        """Change what its page says."""
        self.server.store.save_page(replace(self.page, **changes))


def find_study(request: Request, slug: str) -> ManagedStudy:
    """Return the study at an address, to an admin."""
    session, server = sessions.admin(request), server_of(request)
    page = require(server.store.find_page(slug))
    return ManagedStudy(server, page, server.study(page), session)


Here = Annotated[ManagedStudy, Depends(find_study)]
Session = Annotated[str, Depends(sessions.admin)]
Form = Annotated[FormData, Depends(sessions.admin_form)]


# Coming in


@router.get("/enter")
def door(request: Request, token: str = "") -> HTMLResponse:
    """Ask for the token; one in the address is sent on by a button, so that nothing else spends it."""
    csrf = server_of(request).signer.form(ENTER)
    return render_page(request, "enter", token=token, csrf=csrf, error="")


@router.post("/enter")
def enter(request: Request, form: Annotated[FormData, Depends(sessions.form_of)]) -> Response:
    """Let an admin in."""
    server = server_of(request)
    sessions.require_ours(request, form, ENTER)
    if not server.is_admin_token(read_field(form, "token")):
        server.limits.require(ATTEMPTS, sessions.address_of(request))
        error = "This is not the token that the server printed last. Look in the terminal where it was started."
        values = {"token": "", "csrf": server.signer.form(ENTER), "error": error}
        return render_page(request, "enter", 403, **values)
    answer = redirect(request, "/admin")
    sessions.begin_session(server, answer)
    return answer


@router.post("/leave")
def leave(request: Request, form: Form) -> Response:
    """Let an admin out."""
    answer = redirect(request, "/admin/enter")
    sessions.end_session(request, answer)
    return answer


# Studies


@router.get("")
def studies(request: Request, session: Session, deleted: str = "") -> HTMLResponse:
    """List all studies; say so if one was deleted just now."""
    return list_studies(request, session, deleted=bool(deleted))


def list_studies(
    request: Request, session: str, new_key: str = "", deleted: bool = False
) -> HTMLResponse:
    """Return the list of all studies, with the keys that open them all."""
    server = server_of(request)
    rows = [_row(server, page) for page in server.store.pages()]
    keys = [key for key in server.store.keys(None) if not key.revoked]
    csrf = server.signer.form(session)
    values = {"rows": rows, "keys": keys, "new_key": new_key, "deleted": deleted, "csrf": csrf}
    return render_page(request, "studies", **values)


def _row(server: Server, page: VotingPage) -> dict[str, Any]:
    study = server.study(page)
    known = study.standing(voters=False)
    first, leader = _name_first(known)
    running = "paused" if page.paused else "open"
    state = "closed" if known.closed else "decided" if known.certificate.decided else running
    told = {"votes": known.votes, "options": len(known.options), "first": first, "leader": leader}
    return {"page": page, "state": state, **told}


def _name_first(known: Standing) -> tuple[str, str | None]:
    """Who is to be named of a study, and as what: those that its goal asks for, once it is reached."""
    claims = known.certificate.claims
    chosen = ", ".join(known.labels[i] for i in claims.chosen)
    if not claims.is_reached or not (chosen or claims.goal.name):
        return "ahead", known.leader
    return f"proved {claims.name}", chosen or None


def manage_page(
    request: Request, here: ManagedStudy, new_key: str = "", error: str = ""
) -> HTMLResponse:
    """Show what can be changed of a study, and its end; with a new key, or with what is wrong."""
    keys = here.server.store.keys(here.page.study)
    pairs = usual_questions(here.page, here.study)
    values = {"settings": here.study.settings, "keys": keys, "new_key": new_key, "pairs": pairs}
    values |= {"ended": has_ended(here.study), "check": _verify_command(here.page)}
    return show_study(request, here, "manage", error, **values)


def has_ended(study: Study) -> bool:
    """Tell whether a study is closed, or has its answer: then nobody is asked any more."""
    return study.closed or study.standing(voters=False).certificate.decided


def _verify_command(page: VotingPage) -> str:
    """What checks a downloaded certificate, in any folder that has it and the log."""
    name = file_name(page.name)
    files = f"{name}-certificate.json", "--votes", f"{name}-log.jsonl"
    return shlex.join(("copeland", "study", "verify", *files))


# Forms, each of which says in its field `does` what is to be done

Action = Callable[[ManagedStudy, FormData], str | None]  # returns where to go next, if not back


def add_actions(
    router: APIRouter, path: str, show: Callable[..., Response], actions: Mapping[str, Action]
) -> None:
    """Let the forms that are sent to a path of a study do something; what is refused is said where ``show`` shows it."""

    def act(request: Request, here: Here, form: Form) -> Response:
        action = actions.get(read_field(form, "does"), actions.get(""))
        try:
            onward = action and action(here, form)
        except CopelandError as error:
            return show(request, here, error=str(error))
        return redirect(request, onward or here.path(path))

    router.post(f"/s/{{slug}}/{path}")(act)


def add_tab(
    router: APIRouter, path: str, show: Callable[..., Response], actions: Mapping[str, Action]
) -> None:
    """Let a tab of a study be seen, and its forms do something."""

    def look(request: Request, here: Here) -> Response:
        return show(request, here)

    router.get(f"/s/{{slug}}/{path}")(look)
    add_actions(router, path, show, actions)


def _delete(here: ManagedStudy, form: FormData) -> str:
    if read_field(form, "name") != here.page.name:
        raise InvalidParameter(
            "This is not the name of the study; type it as it stands above, and nothing else."
        )
    here.server.delete(here.page)
    return "/admin?deleted=1"


def _set_results(here: ManagedStudy, form: FormData) -> str:
    if read_field(form, "results") in RESULTS:
        here.save(results=read_field(form, "results"))
    return here.path("manage?saved=1")


def _edit_words(here: ManagedStudy, form: FormData) -> str:
    """Change the question and the guidance; the log says which was changed."""
    question, guidance = (read_field(form, part) for part in ("question", "guidance"))
    here.study.edit_page(question or USUAL_QUESTION, guidance, SOURCE)
    here.server.store.changes += 1  # so that voters of this process read it at once
    return here.path("manage?saved=1")


def _set_completion(here: ManagedStudy, form: FormData) -> str:
    """Store the address, and the name under which the panel gives its code."""
    completion = check_completion_address(read_field(form, "completion"))
    code_name = check_code_name(read_field(form, "code_name") or CODE_NAME)
    here.save(completion=completion, code_name=code_name)
    return here.path("manage#completion")


MANAGE: dict[str, Action] = {
    "pause": lambda here, form: here.save(paused=True),
    "resume": lambda here, form: here.save(paused=False),
    "close": lambda here, form: here.study.close(),
    "reopen": lambda here, form: here.study.reopen(),
    "results": _set_results,
    "words": _edit_words,
    "delete": _delete,
}
add_tab(router, "manage", manage_page, MANAGE)
add_actions(router, "completion", manage_page, {"": _set_completion})


def show_study(
    request: Request,
    here: ManagedStudy,
    template: str,
    error: str = "",
    tab: str = "",
    **values: Any,
) -> HTMLResponse:
    """Return a page of a study, with its head and with what is wrong; its tab is named as its template."""
    head = {
        "page": here.page,
        "saved": request.query_params.get("saved") == "1",
        "tab": tab or template,
        "closed": here.study.closed,
        "csrf": here.csrf,
        "is_panel": bool(here.study.settings.panel),
        "new_ideas": Ideas(here.server.storage).count(here.page.study, state=WAITING)
        if here.page.ideas
        else 0,
        "error": capital(error),
    }
    return render_page(request, template, 422 if error else 200, **head, **values)
