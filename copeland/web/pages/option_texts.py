"""The options of a study: read from what an admin pastes or uploads, shown, added, paused and retired."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Option, Study, read_options
from copeland.study.log.events import IMAGE_TEXT, check_text
from copeland.study.text_edits import note_edit
from copeland.support.row_files import rows_of_file
from copeland.web.ideas import (
    ADDED,
    DECLINED,
    FEW,
    WAITING,
    Ideas,
    find_obstacle,
    require_ideas,
    switch_ideas,
)
from copeland.web.pages.admin import (
    SOURCE,
    Action,
    Here,
    ManagedStudy,
    Session,
    add_actions,
    add_tab,
    show_study,
)
from copeland.web.pages.question_counts import usual_questions
from copeland.web.pages.vote import side_of
from copeland.web.recordings import medium_of, send_medium
from copeland.web.security import require
from copeland.web.server import Server, server_of
from copeland.web.sessions import read_field, read_files, read_id
from copeland.web.store import Image, Pane, VotingPage, option_of, pane_key

router = APIRouter(prefix="/admin")

SHORT = 80  # letters of a line that is its own name
NAME = 40  # letters of a name that is made of a longer text
ALT = 1_000  # letters that say what an image shows
DIVIDER = "---"  # a line between pasted texts of several lines


class Shot(NamedTuple):
    """A row that names an image."""

    item: str
    name: str
    image: str
    text: str  # what the image shows


class OptionTable(NamedTuple):
    """Options, and what is shown for them where that is not their own text."""

    options: list[Option]
    outputs: Sequence[tuple[str, str, str]] = ()  # item, option, text
    shots: Sequence[Shot] = ()


def from_lines(pasted: str) -> list[Option]:
    """Return options out of pasted text: one a line, or texts of several lines with ``---`` between them."""
    lines = pasted.splitlines()
    if any(line.strip() == DIVIDER for line in lines):
        texts = [text.strip() for text in "\n".join(lines).split(f"\n{DIVIDER}")]
        texts = [text.removeprefix(DIVIDER).strip() for text in texts]
    else:
        texts = [line.strip() for line in lines]
        if all(len(text) <= SHORT for text in texts):
            return [Option(text) for text in texts if text]
    texts = [text for text in texts if text]
    return [Option(f"{n}. {_title(text)}", text) for n, text in enumerate(texts, 1)]


def _title(text: str) -> str:
    first = text.splitlines()[0]
    return first if len(first) <= NAME else f"{first[:NAME].rstrip()}…"


def from_csv(content: bytes) -> OptionTable:
    """Return the options of a CSV file with the columns ``name`` and ``text``.

    With a column ``item`` each row is what an option makes of that item. With a column ``image`` it names a file
    that is shown, and the text says in words what that shows.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "options.csv")
        path.write_bytes(content)
        try:
            rows = [row for _, row in rows_of_file(path, needed=("name",))]
            if any(row.get("image", "").strip() for row in rows):
                return _of_images(rows)
            if any(row.get("item", "").strip() for row in rows):
                return _of_items(rows)
            options = read_options(path)
        except CopelandError as error:  # its sentence names the file in a folder that nobody knows
            raise InvalidParameter(str(error).replace(str(path), "The CSV file")) from error
    if any(option.path for option in options):
        raise InvalidParameter(
            "The CSV file has a column path, and a server opens no files by their names; upload "
            "the images instead."
        )
    return OptionTable(options)


def _of_images(rows: list[Mapping[str, str]]) -> OptionTable:
    """Options that are images: one for each, or one for each item."""
    shots = [Shot(*(row.get(part, "").strip() for part in Shot._fields)) for row in rows]
    with_items = any(shot.item for shot in shots)
    if not all(
        shot.name and shot.image and shot.text and bool(shot.item) == with_items for shot in shots
    ):
        raise InvalidParameter(
            "The CSV file has a row without a name, an image, a text that says what the image shows, or an "
            "item that others have."
        )
    if with_items:
        return _of_items(rows)._replace(shots=shots)
    for shot in shots:
        check_text(name=shot.name, text=shot.text)
    return OptionTable([Option(shot.name) for shot in shots], shots=shots)


def _of_items(rows: list[Mapping[str, str]]) -> OptionTable:
    told: dict[tuple[str, str], str] = {}
    for row in rows:
        item, name, text = (row.get(part, "").strip() for part in ("item", "name", "text"))
        check_text(item=item or None, name=name or None, text=text or None)
        if not (item and name and text):
            raise InvalidParameter("The CSV file has a row without an item, a name or a text.")
        if (item, name) in told:
            raise InvalidParameter(f"The CSV file has two texts of '{name}' for one item.")
        told[item, name] = text
    options = [Option(name) for name in dict.fromkeys(name for _, name in told)]
    return OptionTable(options, [(item, name, text) for (item, name), text in told.items()])


def match_images(
    shots: Sequence[Shot], files: list[UploadFile]
) -> tuple[list[tuple[str, Pane]], list[Image]]:
    """Return what is shown for the rows, each with what it is kept under, and the images that they name."""
    chosen = {Path(file.filename or "").name: file for file in files}
    missing = [shot.image for shot in shots if Path(shot.image).name not in chosen]
    if missing:
        raise InvalidParameter(
            f"The CSV file names the image '{missing[0]}', which was not chosen; choose all images with it."
        )
    unused = set(chosen) - {Path(shot.image).name for shot in shots}
    if unused:
        raise InvalidParameter(f"The CSV file has no row for the image '{min(unused)}'.")
    images = {name: medium_of(file.file.read(), name) for name, file in chosen.items()}
    panes = [
        (
            pane_key(shot.name, shot.item or None),
            Pane(images[Path(shot.image).name].digest, shot.text),
        )
        for shot in shots
    ]
    return panes, list(images.values())


def find_hints(here: ManagedStudy) -> list[str]:
    """Return the options in whose text or alt text a voter could read a name."""
    server, page, options = here.server, here.page, here.study.options
    names = [option.name for option in options]
    texts = [(option.name, option.text) for option in options]
    texts += [(option_of(key), pane.alt) for key, pane in server.panes(page).items()]
    texts += [pair for told in server.outputs(page).values() for pair in told.items()]
    told = [name.lower() for name in names if len(name.strip()) > 2]
    found = {name for name, text in texts if any(one in text.lower() for one in told)}
    return [name for name in names if name in found]


@router.get("/media/{digest}")
def medium(request: Request, session: Session, digest: str) -> Response:
    """Return an image, to an admin."""
    return send_medium(request, server_of(request).store.image(digest))


# One study


@router.get("/s/{slug}/preview")
def preview(request: Request, here: Here, left: int = 0, right: int = 1) -> HTMLResponse:
    """Show a ballot as voters see it; nothing is asked or kept."""
    options = here.study.options
    chosen = [options[i % len(options)].name for i in (left, right)]
    outputs = here.server.outputs(here.page)  # of which the first item is shown that has both
    item = next((item for item, texts in outputs.items() if set(chosen) <= set(texts)), None)
    sides = [
        side_of(here.server, here.page, name, label, _medium(here, name, item), item)
        for name, label in zip(chosen, "AB", strict=True)
    ]
    pairs = usual_questions(here.page, here.study)
    values = {"sides": sides, "item": item, "left": left, "k": len(options), "pairs": pairs}
    return show_study(request, here, "preview", tab="options", **values)


def _medium(here: ManagedStudy, name: str, item: str | None) -> str:
    key, panes = pane_key(name, item), here.server.panes(here.page)
    return f"/admin/media/{panes[key].media}" if key in panes else ""


def options_page(request: Request, here: ManagedStudy, error: str = "") -> HTMLResponse:
    """List the options, with what voters suggest, and with what is wrong."""
    panes = here.server.panes(here.page)
    return show_study(
        request,
        here,
        "options",
        error,
        options=here.study.options,
        panes=panes,
        kinds={pane.media: here.server.kind(pane.media) for pane in panes.values()},
        hints=find_hints(here),
        voted=here.study.standing(voters=False).votes > 0,
        **_show_ideas(here),
    )


def _show_ideas(here: ManagedStudy) -> dict[str, Any]:
    """What voters suggested: ideas that wait, and those that are settled, the newest first."""
    found = Ideas(here.server.storage).find_all(here.page.study)
    return {
        "waiting": [idea for idea in found if idea.state == WAITING],
        "settled": [idea for idea in reversed(found) if idea.state != WAITING],
        "may_suggest": not find_obstacle(here.server, here.page, here.study),
        "few": FEW,
    }


def _option(form: FormData) -> str:
    return read_field(form, "option")


def _add(here: ManagedStudy, form: FormData) -> None:
    """Add an option, with its image if there is one."""
    name, alt, image = read_field(form, "option"), read_field(form, "alt"), None
    for file in read_files(form, "image"):
        if not alt:
            raise InvalidParameter(
                "Say in words what the file shows, for those who do not see or hear it."
            )
        image = medium_of(file.file.read(), "The file")
    here.study.add_option(name, read_field(form, "text"))  # which may be refused
    if image is not None:
        here.server.store.add_image(image)
        here.server.store.show(here.page.study, name, Pane(image.digest, alt))
        here.server.forget_panes(here.page)


def _edit(here: ManagedStudy, form: FormData) -> str:
    """Change the text of an option, or the words for its image, unless the form gives back what it showed."""
    name, text = _option(form), read_field(form, "text")
    known, pane = here.study.option(name), here.server.panes(here.page).get(name)
    if pane is not None or text != (known.text or known.name).strip():
        edit_text(here.server, here.page, here.study, name, text, SOURCE)
    return here.path("options?saved=1")


def edit_text(
    server: Server, page: VotingPage, study: Study, name: str, text: str, source: str
) -> bool:
    """Change what voters read of an option, or the words for its image; the log says who changed it. Return whether it was another one."""
    pane = server.panes(page).get(name)
    if pane is None:
        return study.edit_option(name, text, source)
    if not text:
        raise InvalidParameter("Say in words what the image shows, for those who do not see it.")
    if len(text) > ALT:
        raise InvalidParameter(f"The description has {len(text):,} letters; it may have {ALT:,}.")
    if text == pane.alt:
        return False
    note_edit(study, IMAGE_TEXT, name, pane.alt, text, source)
    server.store.describe_image(page.study, name, text)
    server.forget_panes(page)
    return True


OPTIONS: dict[str, Action] = {
    "add": _add,
    "edit": _edit,
    "pause": lambda here, form: here.study.pause_option(_option(form)),
    "resume": lambda here, form: here.study.resume_option(_option(form)),
    "retire": lambda here, form: here.study.retire_option(_option(form)),
}
add_tab(router, "options", options_page, OPTIONS)


# What voters suggest


def _switch(here: ManagedStudy, is_on: bool) -> str:
    if is_on:
        require_ideas(here.server, here.page, here.study)
    switch_ideas(here.server, here.page, is_on)
    return here.path("options#ideas")


def _settle(here: ManagedStudy, form: FormData) -> str:
    ideas = Ideas(here.server.storage, here.server.clock)
    idea = require(ideas.find(here.page.study, read_id(form, "idea")))
    state = SETTLED.get(read_field(form, "does"), "")
    ideas.settle(here.study, idea, state, read_field(form, "name"), read_field(form, "text"))
    return here.path("options#ideas")


SETTLED = {"approve": ADDED, "decline": DECLINED, "reconsider": WAITING}
IDEAS: dict[str, Action] = {
    "on": lambda here, form: _switch(here, True),
    "off": lambda here, form: _switch(here, False),
    "": _settle,
}
add_actions(router, "ideas", options_page, IDEAS)
