"""What an admin changes of the texts of a study: the question, the guidance, and what voters see for an option."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study.log.events import IMAGE_TEXT
from copeland.study.text_edits import note_edit
from copeland.web.pages.admin import Form, Here, ManagedStudy, show_study
from copeland.web.render import redirect
from copeland.web.sessions import read_field
from copeland.web.store import Pane

router = APIRouter(prefix="/admin")
SOURCE = "admin page"  # what the log says of changes that are made here
ALT = 1_000  # letters that say what an image shows


class EditedText(NamedTuple):
    """A text of an option, as it stands in its form."""

    name: str
    text: str
    pane: Pane | None  # its image, which the text then describes


@router.get("/s/{slug}/edit")
def edit(request: Request, here: Here, saved: str = "") -> HTMLResponse:
    """Show the texts that voters read, to be changed."""
    return _page(request, here, saved=saved)


def _page(
    request: Request,
    here: ManagedStudy,
    error: str = "",
    saved: str = "",
    told: FormData | None = None,
) -> HTMLResponse:
    votes = here.study.look_at_state(lambda state: state.votes)
    return show_study(
        request,
        here,
        "edit_study",
        error,
        tab="options",
        texts=_list_texts(here),
        votes=votes,
        saved=saved,
        told={} if told is None else {name: read_field(told, name) for name in told},
    )


def _list_texts(here: ManagedStudy) -> list[EditedText]:
    """The texts of the options; a space writes those of its points by itself, and items have texts of their own."""
    if here.study.settings.space or here.page.items:
        return []
    panes = here.server.panes(here.page)
    return [
        EditedText(one.name, pane.alt if pane else one.text, pane)
        for one in here.study.options
        for pane in [panes.get(one.name)]
    ]


@router.post("/s/{slug}/edit")
def save(request: Request, here: Here, form: Form) -> Response:
    """Change the question and the guidance, or the text of an option."""
    option = read_field(form, "option")
    try:
        if option:
            changed = _save_option(here, option, read_field(form, "text"))
        else:
            question, guidance = (read_field(form, part) for part in ("question", "guidance"))
            changed = here.study.edit_page(question, guidance, SOURCE)
            here.server.store.changes += 1  # so that voters of this process see it at once
    except CopelandError as error:
        return _page(request, here, str(error), told=form)
    return redirect(request, f"/admin/s/{here.page.slug}/edit?saved={'yes' if changed else 'no'}")


def _save_option(here: ManagedStudy, option: str, text: str) -> bool:
    pane = here.server.panes(here.page).get(option)
    if pane is None:
        if text == here.study.option(option).text.strip():  # as a form gives it back
            return False
        return here.study.edit_option(option, text, SOURCE)
    if not text:
        raise InvalidParameter("Say in words what the image shows, for those who do not see it.")
    if text == pane.alt:
        return False
    if len(text) > ALT:
        raise InvalidParameter(f"The description has {len(text):,} letters; it may have {ALT:,}.")
    note_edit(here.study, IMAGE_TEXT, option, pane.alt, text, SOURCE)
    here.server.store.describe_image(here.page.study, option, text)
    here.server.forget_panes(here.page)
    return True
