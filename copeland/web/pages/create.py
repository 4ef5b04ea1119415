"""A new study out of a form: pasted texts, a CSV file or images, and settings in plain words."""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import HTMLResponse, Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.forecast.forecast import Way, forecast_of
from copeland.forecast.panel_forecast import questions_sentence
from copeland.forecast.prospects import FEW
from copeland.forecast.races import MOST_PEOPLE, fewest_people
from copeland.forecast.start import PLANNED, Start, new_start, nobody
from copeland.kernels.vote_evidence import fewest_votes
from copeland.study import Option, Study, create_study
from copeland.study.kinds import kind_of
from copeland.study.kinds.presentation import count_pairs
from copeland.study.settings import (
    BATCH,
    JUDGE,
    NEVER_PANEL,
    PANEL,
    PEOPLE,
    SETTINGS,
    Settings,
    usual_settings,
)
from copeland.study.text_edits import LONGEST
from copeland.support.goal import BEST
from copeland.support.phrasing import capital, format_count
from copeland.web.pages.admin import Form, Session
from copeland.web.pages.option_texts import (
    DIVIDER,
    NAME,
    OptionTable,
    from_csv,
    from_lines,
    match_images,
)
from copeland.web.recordings import medium_of
from copeland.web.render import redirect, render_page
from copeland.web.server import Server, server_of
from copeland.web.sessions import admin, read_field, read_files, read_whole
from copeland.web.store import KINDS, QUESTION, Image, Pane

router = APIRouter(prefix="/admin")

MOST = 200  # images
MANY = 1_000_000  # pairs: a member of a panel is asked until all is settled
_TOO_FEW = "A study needs at least 2 options; paste them, or choose files."
LIMITS = {**LONGEST, "code": 100, "language": 40}


@router.get("/new")
def new(request: Request, session: Session) -> HTMLResponse:
    """Show the form of a new study."""
    return _form(request, session, {})


@router.post("/new")
def create(request: Request, form: Form) -> Response:
    """Create a study, or ask what is still missing."""
    server, session = server_of(request), admin(request)
    told = {key: value for key, value in form.items() if isinstance(value, str)}
    try:
        draft = draft_of(form)
        if any(not image.alt for image in draft.images):
            for upload in draft.uploads:  # which the next form names by their digests
                server.store.add_image(upload)
            csrf = server.signer.form(session)
            kinds = {one.digest: server.kind(one.digest) for one in draft.images}
            values = {"told": told, "images": draft.images, "kinds": kinds, "csrf": csrf}
            return render_page(request, "describe", **values)
        create_from(server, draft)
    except CopelandError as error:
        server.store.remove_unused_images(map(str, form.getlist("image_digest")))
        return _form(request, session, told, error)
    page = server.store.find_page_by_name(draft.name)
    assert page is not None
    return redirect(request, f"/admin/s/{page.slug}/share")


def _form(
    request: Request, session: str, told: dict[str, str], error: CopelandError | None = None
) -> HTMLResponse:
    values = {
        "told": told,
        "usual": {name: one.metadata["usual"] for name, one in SETTINGS.items()},
        "csrf": server_of(request).signer.form(session),
        "error": "" if error is None else capital(str(error)),
        "wrong": getattr(error, "field", None),
    }
    return render_page(request, "new", 200 if error is None else 422, **values)


class DescribedImage(NamedTuple):
    """An image that is to be an option."""

    digest: str
    name: str
    alt: str


@dataclass(frozen=True)
class Draft:
    """What a form says of a study to be."""

    name: str
    options: list[Option]
    images: list[DescribedImage]
    settings: dict[str, Any]
    page: dict[str, object]
    outputs: Sequence[tuple[str, str, str]]  # item, option, text
    members: list[str] | None  # who votes, where these are all
    shots: list[tuple[str, Pane]]  # images that a CSV file describes, and what they are kept under
    uploads: list[Image]  # that are not stored yet


@dataclass(frozen=True)
class Intent:
    """How large a study is to be, and how its answers count: all that a forecast needs of a form."""

    options: int
    settings: Settings
    per_voter: int

    @property
    def each(self) -> int:
        """How many pairs a voter answers."""
        return min(self.per_voter, count_pairs(self.options))

    @property
    def start(self) -> Start:
        """The study before its first vote."""
        terms = {name: getattr(self.settings, name) for name in ("delta", "margin", "people")}
        return new_start(self.options, epoch=1, **terms)


def intent_of(form: FormData) -> Intent:
    """Return what a form intends, named or not; no file of it is kept."""
    offered = _read_options(form)
    number = len(offered.options) if offered.shots else len(_images(form)) or len(offered.options)
    if number < 2:
        raise InvalidParameter(_TOO_FEW)
    return Intent(number, Settings(**_settings(form)), _pairs(form))


def draft_of(form: FormData) -> Draft:
    """Return what a form says, once its files have been read."""
    name = read_field(form, "name")
    if not name:
        raise InvalidParameter("The study has no name; give it one. Only you see it.")
    kind = read_field(form, "kind")
    offered = _read_options(form)
    shots, uploads = match_images(offered.shots, _images(form)) if offered.shots else ([], [])
    images = []
    if not shots:
        images, uploads = _read_images(form)
    options, outputs = ([], ()) if images else (offered.options, offered.outputs)
    if len(options) + len(images) < 2:
        raise InvalidParameter(_TOO_FEW)
    page: dict[str, object] = {name: _read_short(form, name) for name in LIMITS}
    page |= {
        "question": page["question"] or QUESTION,
        "kind": kind if kind in KINDS else "text",
        "per_voter": _pairs(form),
        "ties": read_field(form, "ties") == "on",
        "both_bad": read_field(form, "both_bad") in ("tie", "drop"),
        "named": read_field(form, "named") == "on",
        "items": bool(outputs),
        "ideas": _takes_ideas(form, bool(outputs or images or shots)),
        **_checks(form),
    }
    settings, members = _settings(form), _members(form)
    if members:
        page["per_voter"] = MANY
    if settings["voters"] == JUDGE:
        settings["cases"] = _cases(options, outputs, bool(images or shots))
    return Draft(name, options, images, settings, page, outputs, members, shots, uploads)


def create_from(server: Server, draft: Draft) -> Study:
    """Create the study of a draft, with its page and an open link; return it."""
    if any(server.store.image(one.digest) is None for one in draft.images if one.alt):
        raise InvalidParameter("An image is not here any more; choose all images again.")
    shown = [*draft.options, *(Option(image.name) for image in draft.images)]
    study = create_study(
        draft.name,
        shown,
        server.storage,
        clock=server.clock,
        **draft.settings,
    )
    key = server.storage.key(draft.name)
    if draft.outputs:
        server.store.add_outputs(key, draft.outputs)
    server.store.add_page(key, draft.page)
    for upload in draft.uploads:
        server.store.add_image(upload)
    for image in draft.images:
        server.store.show(key, image.name, Pane(image.digest, image.alt))
    for shown_for, pane in draft.shots:
        server.store.show(key, shown_for, pane)
    if draft.members:
        voters = list(study.settings.panel)
        secrets.SystemRandom().shuffle(voters)  # or the order in the log would say who is who
        server.store.add_links(key, server.signer, draft.members, personal=True, voters=voters)
    else:
        server.store.add_links(key, server.signer, ["Open link"], personal=False)
    return study


def _read_options(form: FormData) -> OptionTable:
    """The options that a form pastes or has in a CSV file."""
    for file in read_files(form, "csv"):
        return from_csv(file.file.read())
    return OptionTable(from_lines(read_field(form, "pasted")))


def _images(form: FormData) -> list[UploadFile]:
    files = read_files(form, "images")
    if len(files) > MOST:
        raise InvalidParameter(f"you chose {len(files)} images; a form takes {MOST} at a time.")
    return files


def _read_images(form: FormData) -> tuple[list[DescribedImage], list[Image]]:
    """The images that a form describes, or has and are still without words; and those that it has."""
    rows = zip(*(form.getlist(f"image_{part}") for part in ("digest", "name", "alt")), strict=False)
    described = [DescribedImage(*(str(part).strip() for part in row)) for row in rows]
    uploads = []
    for file in _images(form):
        name = Path(file.filename or "image").name
        uploads.append(medium_of(file.file.read(), name))
        described.append(DescribedImage(uploads[-1].digest, Path(name).stem[:NAME] or "image", ""))
    return described, uploads


def _checks(form: FormData) -> dict[str, object]:
    """What tests voters: texts of which the first is better, two by two, and how often."""
    blocks = f"\n{read_field(form, 'known')}".split(f"\n{DIVIDER}")
    texts = [text.strip() for text in blocks if text.strip()]
    if len(texts) % 2:
        raise InvalidParameter(
            "Known answers come two by two, the better text first, with a line --- between all of them."
        )
    known = [list(pair) for pair in zip(texts[::2], texts[1::2], strict=True)]
    repeats = read_field(form, "repeats") == "on"
    every = (
        read_whole(form, "check_every", "Pairs between two checks", 8, 2, 1_000)
        if known or repeats
        else 0
    )
    failures = read_whole(form, "failures", "Known answers that exclude", 0, 0, 100) if known else 0
    return {"known": known, "repeats": repeats, "check_every": every, "failures": failures}


def _takes_ideas(form: FormData, is_fixed: bool) -> bool:
    """Tell whether voters may suggest options; refuse where an idea, which is one text, could not be one."""
    is_wished = read_field(form, "ideas") == "on"
    if is_wished and (is_fixed or read_field(form, "voters") == JUDGE):
        raise InvalidParameter(
            "Voters can suggest options only where people vote on texts, without items; take that tick away."
        )
    return is_wished


def _members(form: FormData) -> list[str] | None:
    """Those who vote, where these are all; None where others may."""
    if read_field(form, "voters") != PANEL:
        return None
    lines = read_field(form, "members").splitlines()
    return list(dict.fromkeys(line.strip()[:200] for line in lines if line.strip()))


def _settings(form: FormData) -> dict[str, Any]:
    """What a form says of the settings; what it leaves out follows from them."""
    names, members = ("goal", "delta", "margin", "both_bad", "missing"), _members(form)
    said = {name: read_field(form, name) for name in names}
    told: dict[str, Any] = {name: _value(text) for name, text in said.items() if text}
    if said["both_bad"] == "no":  # none is offered
        del told["both_bad"]
    told |= {"voters": read_field(form, "voters") or PEOPLE, "repeats": "first"}
    if members is None:
        if usual_settings(told["voters"], ())["batch"]:
            told["batch"] = _pairs(form)
        return told
    if said["both_bad"] == "drop":
        raise InvalidParameter(
            "“Both bad” counts as a tie if exactly these people vote; choose that, or do not offer it."
        )
    told["panel"] = [f"voter-{secrets.token_hex(6)}" for _ in members]
    return {name: value for name, value in told.items() if name not in NEVER_PANEL}


def _value(text: str) -> float | str:
    """What a field says; a number that cannot be read stays text, which the settings refuse."""
    try:
        return float(text)
    except ValueError:
        return text


def _cases(
    options: Sequence[Option], outputs: Sequence[tuple[str, str, str]], unreadable: bool
) -> int:
    """How many test cases judges decide: the items of a CSV file, or else the options themselves."""
    if unreadable:
        raise InvalidParameter("Judges read texts; let people vote on images.")
    items = Counter(item for item, _, _ in outputs)
    lacking = next((item for item, n in items.items() if n != len(options)), None)
    if lacking is not None:
        raise InvalidParameter(
            f"On '{lacking}' not every option has an output; judges compare all options on each case."
        )
    return len(items) or 1


def _pairs(form: FormData) -> int:
    return read_whole(form, "per_voter", "Pairs for each voter", BATCH, 1, 10_000)


def _read_short(form: FormData, name: str) -> str:
    text = read_field(form, name)
    if len(text) > LIMITS[name]:
        raise InvalidParameter(
            f"The {name} has {len(text):,} letters; it may have {LIMITS[name]:,}."
        )
    return text


# What such a study can expect to prove: its form says how large it is, plausible worlds say the rest, as they do for
# `copeland study create --people`.

VOTERS = 10  # who are expected, unless the form says otherwise
OPTIONS = 50  # beyond which nothing is worked out while somebody waits
WIDER = 0.05  # the margin that is proposed where there is none
_TURN = threading.Lock()  # one forecast at a time: voters come first


@router.post("/new/expect")
def expect(request: Request, form: Form, session: Session) -> HTMLResponse:
    """Say what the study of a form can expect, as a page or as a part of one; nothing is made or kept."""
    try:
        voters = read_whole(form, "people", "How many voters", VOTERS, 1, MOST_PEOPLE)
        said, error = list(expectation_of(intent_of(form), voters)), ""
    except CopelandError as refused:
        said, error = [], capital(str(refused))
    template = "expected" if request.headers.get("x-fragment") == "expected" else "expect"
    csrf = server_of(request).signer.form(session)
    return render_page(request, template, 422 if error else 200, said=said, error=error, csrf=csrf)


def expectation_of(intent: Intent, voters: int) -> Iterator[str]:
    """Yield what so many voters can settle, in sentences."""
    settings, options, pairs = intent.settings, intent.options, intent.each
    certain = kind_of(settings).expect(settings, options)
    if certain:
        yield from certain
        return
    answer, each = ("answers", "") if voters < 2 else ("answer", " each")
    yield (
        f"With {format_count(options, 'option')} and {format_count(voters, 'voter')} who {answer} "
        f"{format_count(pairs, 'pair')}{each}, you get {format_count(voters * pairs, 'answer')}."
    )
    if settings.goal == BEST:
        yield from _proof(intent, voters)
    else:
        yield "How many it takes to reach the goal, the results tell after the first votes."
    if settings.people and 1 < voters <= FEW:
        yield (
            "If nobody else matters, choose “Exactly these people”: the result is then certain for them. "
            f"{questions_sentence(voters, options)}"
        )
    if settings.goal == BEST:
        yield "Without a proof, the results still say who leads, and how likely each option is to be best."


def _proof(intent: Intent, voters: int) -> Iterator[str]:
    """Whether that can prove a winner, and how often it does."""
    fewest = fewest_voters(intent)
    if voters < fewest:
        yield (
            "They cannot prove a winner, whatever they say: even if all of them agree, that takes "
            f"{format_count(fewest, 'voter')}."
        )
    if intent.options > OPTIONS:
        yield f"For more than {OPTIONS} options, this page works out nothing more."
        return
    needed = forecast_voters(intent)
    tried = len(needed.votes)
    enough = sum(number <= voters for number in needed.votes if number < needed.most)
    if voters >= fewest:
        yield f"That proves a winner in {enough} of {format_count(tried, 'plausible world')}."
    yield f"A proof takes {needed.range.people_words}."
    if intent.settings.margin == 0 and enough < tried / 2:
        wider = replace(intent, settings=replace(intent.settings, margin=WIDER))
        words = forecast_voters(wider).range.people_words
        yield f"If 45 to 55 % of the votes is too close to matter to you, it takes {words}."


def fewest_voters(intent: Intent) -> int:
    """Return with how many voters a proof is possible, if all of them agree."""
    settings = intent.settings
    people = fewest_people(intent.start) if settings.people else 1
    votes = fewest_votes(intent.options, delta=settings.delta, margin=settings.margin)
    return max(people, -(-votes // intent.each))


def forecast_voters(intent: Intent) -> Way:
    """Return how many voters are enough in each plausible world."""
    with _TURN:
        return _forecast(intent)


@lru_cache(100)
def _forecast(intent: Intent) -> Way:
    start, each = intent.start, intent.each
    found = forecast_of(start, voters=nobody(start, each), ways=(PLANNED,))
    if found.people is not None:
        return found.people
    voters = tuple(-(-votes // each) for votes in found.way(PLANNED).votes)
    return Way("voters", voters, -(-found.most // each))
