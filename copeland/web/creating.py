"""A new study out of a form: pasted texts, a CSV file or images, and settings in plain words."""

from __future__ import annotations

import math
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import FormData, UploadFile

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Option, Study, create_study, read_options
from copeland.study.record.texts import check_text
from copeland.tables import rows_of_file
from copeland.web.media import image_of
from copeland.web.page import KINDS, QUESTION
from copeland.web.records import Pane
from copeland.web.server import Server
from copeland.web.sessions import said
from copeland.web.texts import names_in

SHORT = 80  # letters of a line that is its own name
NAME = 40  # letters of a name that is made of a longer text
MOST = 200  # images
MANY = 1_000_000  # pairs: a member of a panel is asked until all is settled
DIVIDER = "---"  # a line between pasted texts of several lines
VOTERS = ("people", "panel", "independent")
_TOO_FEW = "A study needs at least 2 options; paste them, or choose files."
WHOLE = {
    "people": "How many voters",
    "calls": "Calls",
    "per_voter": "Pairs for each voter",
    "check_every": "Pairs between two checks",
    "failures": "Known answers that exclude",
}
LIMITS = {"question": 300, "guidance": 5_000, "code": 100, "language": 40}


@dataclass(frozen=True)
class Described:
    """An image that is to be an option."""

    digest: str
    name: str
    alt: str


@dataclass(frozen=True)
class Draft:
    """What a form says of a study to be."""

    name: str
    options: list[Option]
    images: list[Described]
    settings: dict[str, object]
    page: dict[str, object]
    outputs: list[tuple[str, str, str]]  # item, option, text
    members: list[str]  # who votes, where these are all


@dataclass(frozen=True)
class Intent:
    """How large a study is to be, and how its answers count: all that a forecast needs of a form."""

    options: int
    settings: dict[str, object]
    members: list[str]
    per_voter: int


def intent_of(form: FormData) -> Intent:
    """Return what a form intends, named or not; no file of it is kept."""
    images = sum(
        isinstance(one, UploadFile) and bool(one.filename) for one in form.getlist("images")
    )
    number = images or len(_texts(form)[0])
    if number < 2:
        raise InvalidParameter(_TOO_FEW)
    settings = _settings(form)
    members = _members(form) if "panel" in settings else []
    return Intent(number, settings, members, _pairs(form))


def draft_of(form: FormData, server: Server) -> Draft:
    """Return what a form says, once its files have been read."""
    name = said(form, "name")
    if not name:
        raise InvalidParameter("The study has no name; give it one. Only you see it.")
    kind = said(form, "kind")
    images = [*_described(form), *_uploaded(form, server)]
    options, outputs = ([], []) if images else _texts(form)
    if len(options) + len(images) < 2:
        raise InvalidParameter(_TOO_FEW)
    page = {
        "question": _limited(form, "question") or QUESTION,
        "guidance": _limited(form, "guidance"),
        "kind": kind if kind in KINDS else "text",
        "language": _limited(form, "language"),
        "per_voter": _pairs(form),
        "ties": said(form, "ties") == "on",
        "both_bad": said(form, "both_bad") in ("tie", "drop"),
        "code": _limited(form, "code"),
        "items": bool(outputs),
        **_checks(form),
    }
    settings = _settings(form)
    members = _members(form) if "panel" in settings else []
    if members:
        page["per_voter"] = MANY
    return Draft(name, options, images, settings, page, outputs, members)


def created(server: Server, draft: Draft) -> Study:
    """Create the study of a draft, with its page and an open link; return it."""
    shown = [*draft.options, *(Option(image.name) for image in draft.images)]
    study = create_study(
        draft.name,
        shown,
        server.storage,
        clock=server.clock,
        **draft.settings,  # type: ignore[arg-type]
    )
    key = server.storage.key(draft.name)
    if draft.outputs:
        server.keep.add_outputs(key, draft.outputs)
    server.keep.add_page(key, draft.page)
    for image in draft.images:
        server.keep.show(key, image.name, Pane(image.digest, image.alt))
    if draft.members:
        voters = study.settings.panel
        server.keep.add_links(key, server.signer, draft.members, personal=True, voters=voters)
    else:
        server.keep.add_links(key, server.signer, ["Open link"], personal=False)
    return study


def hints_of(study: Study, panes: dict[str, Pane]) -> list[str]:
    """Return the options in whose text or alt text a voter could read a name."""
    names = [option.name for option in study.options]
    texts = {o.name: o.text for o in study.options} | {name: p.alt for name, p in panes.items()}
    return names_in(texts, names)


def _texts(form: FormData) -> tuple[list[Option], list[tuple[str, str, str]]]:
    """The options, and what is shown for each on items if they differ from item to item."""
    file = form.get("csv")
    if isinstance(file, UploadFile) and file.filename:
        return from_csv(file.file.read())
    return from_lines(said(form, "pasted")), []


def from_lines(pasted: str) -> list[Option]:
    r"""Return options out of pasted text: one a line, or texts of several lines with ``---`` between them.

    Examples
    --------
    >>> [option.name for option in from_lines("green tea\n\nblack tea\n")]
    ['green tea', 'black tea']
    >>> [option.text for option in from_lines("Dear all,\nhello.\n---\nHi!")]
    ['Dear all,\nhello.', 'Hi!']
    """
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


def from_csv(content: bytes) -> tuple[list[Option], list[tuple[str, str, str]]]:
    """Return the options of a CSV file with the columns ``name`` and ``text``.

    With a column ``item`` each row is what an option makes of that item; these come second.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "options.csv")
        path.write_bytes(content)
        try:
            rows = [row for _, row in rows_of_file(path, needed=("name",))]
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
    return options, []


def _of_items(rows: list[Mapping[str, str]]) -> tuple[list[Option], list[tuple[str, str, str]]]:
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
    return options, [(item, name, text) for (item, name), text in told.items()]


def _uploaded(form: FormData, server: Server) -> list[Described]:
    """The images of a form, stored, and still without words."""
    files = [
        file for file in form.getlist("images") if isinstance(file, UploadFile) and file.filename
    ]
    if len(files) > MOST:
        raise InvalidParameter(f"{len(files)} images came; a form takes {MOST} at a time.")
    found = []
    for file in files:
        name = Path(file.filename or "image").name
        image = image_of(file.file.read(), name)
        server.keep.add_image(image)
        found.append(Described(image.digest, Path(name).stem[:NAME] or "image", ""))
    return found


def _described(form: FormData) -> list[Described]:
    rows = zip(*(form.getlist(f"image_{part}") for part in ("digest", "name", "alt")), strict=False)
    return [Described(*(str(part).strip() for part in row)) for row in rows]


def _checks(form: FormData) -> dict[str, object]:
    """What tests voters: texts of which the first is better, two by two, and how often."""
    blocks = f"\n{said(form, 'known')}".split(f"\n{DIVIDER}")
    texts = [text.strip() for text in blocks if text.strip()]
    if len(texts) % 2:
        raise InvalidParameter(
            "Known answers come two by two, the better text first, with a line --- between all of them."
        )
    known = [list(pair) for pair in zip(texts[::2], texts[1::2], strict=True)]
    repeats = said(form, "repeats") == "on"
    every = whole(form, "check_every", 8, 2, 1_000) if known or repeats else 0
    failures = whole(form, "failures", 0, 0, 100) if known else 0
    return {"known": known, "repeats": repeats, "check_every": every, "failures": failures}


def _members(form: FormData) -> list[str]:
    lines = said(form, "members").splitlines()
    return list(dict.fromkeys(line.strip()[:200] for line in lines if line.strip()))


def _settings(form: FormData) -> dict[str, object]:
    voters = said(form, "voters") or VOTERS[0]
    if voters not in VOTERS:
        raise InvalidParameter("Say who votes: people, a panel, or independent visitors.")
    if voters == "panel":
        members = [f"voter-{secrets.token_hex(6)}" for _ in _members(form)]
        if not members:
            raise InvalidParameter("Name those who vote, one a line: each gets a link.")
        return {"voters": voters, "panel": members}
    told: dict[str, object] = {
        "delta": number(form, "delta", 0.05),
        "margin": number(form, "margin", 0.0),
        "voters": voters,
        "both_bad": "drop" if said(form, "both_bad") == "drop" else "tie",
    }
    return told if voters != "independent" else {**told, "repeats": "first"}


def _pairs(form: FormData) -> int:
    return whole(form, "per_voter", 20, 1, 10_000)


def _limited(form: FormData, name: str) -> str:
    text = said(form, name)
    if len(text) > LIMITS[name]:
        raise InvalidParameter(
            f"The {name} has {len(text):,} letters; it may have {LIMITS[name]:,}."
        )
    return text


def number(form: FormData, name: str, usual: float) -> float:
    """Return a number that a form says."""
    try:
        value = float(said(form, name) or usual)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidParameter(f"The {name} is no number.")
    return value


def whole(form: FormData, name: str, usual: int, least: int, most: int) -> int:
    """Return a whole number that a form says."""
    value = number(form, name, usual)
    if not value.is_integer() or not least <= value <= most:
        raise InvalidParameter(f"{WHOLE[name]}: say a whole number from {least} to {most:,}.")
    return int(value)
