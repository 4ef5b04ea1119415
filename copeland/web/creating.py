"""A new study out of a form: pasted texts, a CSV file or images, and settings in plain words."""

from __future__ import annotations

import math
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import FormData, UploadFile

from copeland.errors import InvalidParameter
from copeland.study import Option, Study, create_study
from copeland.study.log.arrivals import AGAINST, IGNORED
from copeland.study.settings import BATCH
from copeland.web.media import image_of
from copeland.web.offered import DIVIDER, NAME, Offered, from_csv, from_lines, pictured
from copeland.web.page import KINDS, QUESTION
from copeland.web.records import Pane, option_of
from copeland.web.server import Server
from copeland.web.sessions import said
from copeland.web.texts import names_in

if TYPE_CHECKING:
    from copeland.tuning import Space

MOST = 200  # images
MANY = 1_000_000  # pairs: a member of a panel is asked until all is settled
VOTERS = ("people", "panel", "independent", "judge")
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
    outputs: Sequence[tuple[str, str, str]]  # item, option, text
    members: list[str]  # who votes, where these are all
    shots: list[tuple[str, Pane]]  # images that a CSV file describes, and what they are kept under
    space: Space | None = None  # whose points are the options
    show: str = ""


@dataclass(frozen=True)
class Intent:
    """How large a study is to be, and how its answers count: all that a forecast needs of a form."""

    options: int
    settings: dict[str, object]
    members: list[str]
    per_voter: int


def intent_of(form: FormData) -> Intent:
    """Return what a form intends, named or not; no file of it is kept."""
    if said(form, "space"):
        raise InvalidParameter(
            "Nobody can say before how many votes a space of settings takes; create it, and see."
        )
    offered = _offered(form)
    number = len(offered.options) if offered.shots else len(_files(form)) or len(offered.options)
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
    space = _space(form)
    offered = Offered([]) if space else _offered(form)
    shots = pictured(offered.shots, _files(form), server) if offered.shots else []
    images = [] if shots or space else [*_described(form), *_uploaded(form, server)]
    options, outputs = ([], ()) if images else (offered.options, offered.outputs)
    if space is None and len(options) + len(images) < 2:
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
    if settings["voters"] == "judge":
        settings["cases"] = _cases(options, outputs, bool(images or shots or space))
    made = Draft(name, options, images, settings, page, outputs, members, shots)
    return made if space is None else replace(made, space=space, show=said(form, "show"))


def _space(form: FormData) -> Space | None:
    """The space that a form describes; options beside it would mean nothing."""
    from copeland.tuning.spaces import read_space

    if not said(form, "space"):
        return None
    file = form.get("csv")
    if said(form, "pasted") or _files(form) or (isinstance(file, UploadFile) and file.filename):
        raise InvalidParameter("Give options, or settings to tune, but not both.")
    return read_space(said(form, "space"))


def created(server: Server, draft: Draft) -> Study:
    """Create the study of a draft, with its page and an open link; return it."""
    shown = [*draft.options, *(Option(image.name) for image in draft.images)]
    study = create_study(
        draft.name,
        None if draft.space is not None else shown,
        server.storage,
        space=draft.space,
        show=draft.show,
        clock=server.clock,
        **draft.settings,  # type: ignore[arg-type]
    )
    key = server.storage.key(draft.name)
    if draft.outputs:
        server.keep.add_outputs(key, draft.outputs)
    server.keep.add_page(key, draft.page)
    for image in draft.images:
        server.keep.show(key, image.name, Pane(image.digest, image.alt))
    for shown_for, pane in draft.shots:
        server.keep.show(key, shown_for, pane)
    if draft.members:
        voters = study.settings.panel
        server.keep.add_links(key, server.signer, draft.members, personal=True, voters=voters)
    else:
        server.keep.add_links(key, server.signer, ["Open link"], personal=False)
    return study


def hints_of(
    study: Study, panes: Mapping[str, Pane], outputs: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return the options in whose text or alt text a voter could read a name."""
    names = [option.name for option in study.options]
    texts = [(option.name, option.text) for option in study.options]
    texts += [(option_of(key), pane.alt) for key, pane in panes.items()]
    texts += [(name, text) for told in outputs.values() for name, text in told.items()]
    found = {name for name, text in texts if names_in({name: text}, names)}
    return [name for name in names if name in found]


def _offered(form: FormData) -> Offered:
    """The options that a form pastes or has in a CSV file."""
    file = form.get("csv")
    if isinstance(file, UploadFile) and file.filename:
        return from_csv(file.file.read())
    return Offered(from_lines(said(form, "pasted")))


def _files(form: FormData) -> list[UploadFile]:
    """The images of a form."""
    files = [one for one in form.getlist("images") if isinstance(one, UploadFile) and one.filename]
    if len(files) > MOST:
        raise InvalidParameter(f"you chose {len(files)} images; a form takes {MOST} at a time.")
    return files


def _uploaded(form: FormData, server: Server) -> list[Described]:
    """The images of a form, stored, and still without words."""
    found = []
    for file in _files(form):
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
        raise InvalidParameter("Say who votes: people, a panel, independent visitors, or judges.")
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
    if voters == "judge":
        return told
    if voters == "independent":
        return {**told, "repeats": "first"}
    missing = IGNORED if said(form, "missing") == IGNORED else AGAINST
    return told if said(form, "space") else {**told, "batch": _pairs(form), "missing": missing}


def _cases(
    options: Sequence[Option], outputs: Sequence[tuple[str, str, str]], unreadable: bool
) -> int:
    """How many test cases judges decide: the items of a CSV file, or else the options themselves."""
    if unreadable:
        raise InvalidParameter("Judges read texts; let people vote on images and settings.")
    items = Counter(item for item, _, _ in outputs)
    lacking = next((item for item, n in items.items() if n != len(options)), None)
    if lacking is not None:
        raise InvalidParameter(
            f"On '{lacking}' not every option has an output; judges compare all options on each case."
        )
    return len(items) or 1


def _pairs(form: FormData) -> int:
    return whole(form, "per_voter", BATCH, 1, 10_000)


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
