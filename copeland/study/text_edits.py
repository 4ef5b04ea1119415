"""Change what voters read: the text of an option, the question, the guidance. The log says who changed it, and when."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, select

from copeland.errors import InvalidParameter
from copeland.study.log.event_log import Log
from copeland.study.log.events import EDITED, GUIDANCE, OPTION_TEXT, QUESTION, Event, check_text
from copeland.study.log.schema import pages
from copeland.study.log.storage import Storage
from copeland.study.session import OpenedStudy

USUAL_QUESTION = "Which is better?"
LONGEST = {QUESTION: 300, GUIDANCE: 5_000}  # characters
ADDRESS = 9  # random bytes in the address of a page


def edit_option(study: OpenedStudy, name: str, text: str, source: str | None = None) -> bool:
    """Change the text that voters see for an option, as :meth:`Study.edit_option` says."""
    check_text("an option's ", text=text or None)
    work = study.transactions

    def decide(_log: Log) -> list[Event]:
        i = work.state.index(name)
        return _change(study, OPTION_TEXT, work.state.options[i].text, text, i, source)

    return bool(work.append(decide))


def edit_page(
    study: OpenedStudy,
    storage: Storage,
    question: str | None = None,
    guidance: str | None = None,
    source: str | None = None,
) -> bool:
    """Change the question or the guidance, as :meth:`Study.edit_page` says."""
    key = storage.key(study.name)
    now = storage.transact(lambda connection: _read_page(connection, key), reads=True)
    before = {QUESTION: now.get(QUESTION, USUAL_QUESTION), GUIDANCE: now.get(GUIDANCE, "")}
    told = {QUESTION: question, GUIDANCE: guidance}
    new = {part: text.strip() for part, text in told.items() if text is not None}
    new = {part: text for part, text in new.items() if text != before[part]}
    if not new:
        return False
    for part, text in new.items():
        _check_page_text(part, text)

    def decide(_log: Log) -> list[Event]:
        changes = [
            _change(study, part, before[part], text, None, source) for part, text in new.items()
        ]
        numbered = enumerate(
            (one for some in changes for one in some), study.transactions.state.number + 1
        )
        return [event._replace(number=number) for number, event in numbered]

    study.transactions.append(decide)  # first, because a study that is closed refuses
    storage.transact(lambda connection: _save_page(connection, key, new))
    return True


def note_edit(
    study: OpenedStudy, part: str, option: str, before: str, text: str, source: str
) -> None:
    """Let the log say that a text beside the options was changed, of an option."""
    work = study.transactions
    work.append(lambda _log: _change(study, part, before, text, work.state.index(option), source))


def _change(
    study: OpenedStudy, part: str, before: str, text: str, option: int | None, source: str | None
) -> list[Event]:
    if before == text:
        return []
    if source is not None:
        check_text(source=source)
    digest = sha256(before.encode()).hexdigest()  # by which the log knows what it was before
    body = {"part": part, "before": digest, "text": text}
    number = study.transactions.state.number + 1
    return [Event(number, EDITED, study.now(), left=option, source=source, body=body)]


def _check_page_text(part: str, text: str) -> None:
    if part == QUESTION and not text:
        raise InvalidParameter("The question is empty; say what voters are to decide.")
    check_text(f"the {part}, as a ", text=text or None)
    if len(text) > LONGEST[part]:
        raise InvalidParameter(
            f"The {part} has {len(text):,} letters; it may have {LONGEST[part]:,}."
        )


def _read_page(connection: Connection, key: int) -> dict[str, Any]:
    found = connection.execute(select(pages.c.body).where(pages.c.study == key)).scalar()
    return dict(found or {})


def _save_page(connection: Connection, key: int, new: Mapping[str, str]) -> None:
    """Store new texts of a page; a study that no server has shown yet gets its page now."""
    body = _read_page(connection, key) | dict(new)
    changed = connection.execute(sa.update(pages).where(pages.c.study == key).values(body=body))
    if not changed.rowcount:
        row = {"study": key, "slug": secrets.token_urlsafe(ADDRESS), "body": body}
        connection.execute(sa.insert(pages), row)
