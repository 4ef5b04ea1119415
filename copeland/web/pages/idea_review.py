"""What an owner does with the options that voters suggest: let them suggest, add one, decline one."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from copeland.errors import CopelandError
from copeland.web.ideas import Idea, Ideas, require_ideas, switch_ideas
from copeland.web.pages.admin import Form, Here, ManagedStudy
from copeland.web.pages.option_texts import options_page
from copeland.web.render import redirect
from copeland.web.security import require
from copeland.web.sessions import parse_number, read_field

router = APIRouter(prefix="/admin/s/{slug}/ideas")


@router.post("")
def review(request: Request, here: Here, form: Form) -> Response:
    """Switch suggestions on or off, add an idea as an option, decline it, or let it wait again."""
    does = read_field(form, "does")
    try:
        if does in ("on", "off"):
            if does == "on":
                require_ideas(here.server, here.page, here.study)
            switch_ideas(here.server, here.page, does == "on")
        else:
            _settle(here, require(_find(here, form)), does, form)
    except CopelandError as error:
        return options_page(request, here, str(error))
    return redirect(request, f"/admin/s/{here.page.slug}/options#ideas")


def _find(here: ManagedStudy, form: FormData) -> Idea | None:
    number = parse_number(read_field(form, "idea"), 2**31 - 1)
    return None if number is None else _ideas(here).find(here.page.study, number)


def _settle(here: ManagedStudy, idea: Idea, does: str, form: FormData) -> None:
    if does == "approve":
        text = read_field(form, "text") or idea.text
        _ideas(here).approve(here.study, idea, read_field(form, "name") or idea.title, text)
    elif does == "decline":
        _ideas(here).decline(idea)
    elif does == "reconsider":
        _ideas(here).reconsider(here.study, idea)


def _ideas(here: ManagedStudy) -> Ideas:
    return Ideas(here.server.storage, here.server.clock)
