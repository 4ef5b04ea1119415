"""What voters see beside the options, as one text whose digest goes into the log: question, guidance, images, items.

The log holds the options with their texts. The page around them, the images and what each option makes of an item are in
tables beside it. So whoever changes one of them changes the digest, and the log says from when on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256

from copeland.errors import StudyClosed
from copeland.study import Event, Study
from copeland.study.log.event_log import Log
from copeland.study.log.events import PRESENTED
from copeland.web.store import Pane, VotingPage

FIELDS = ("question", "guidance", "kind", "language", "ties", "both_bad")  # of a page


def describe_presentation(
    page: VotingPage,
    panes: Mapping[str, Pane],
    outputs: Mapping[str, Mapping[str, str]],
) -> str:
    """Return what voters see as JSON: the same text for the same things, whatever their order.

    Examples
    --------
    >>> describe_presentation(VotingPage(1, "tea", "x"), {}, {"Why?": {"a": "So."}})[:37]
    '{"both_bad":true,"guidance":"","image'
    """
    told = asdict(page)
    shown = {name: told[name] for name in FIELDS}
    images = {key: [pane.media, pane.alt] for key, pane in panes.items()}
    content = {**shown, "images": images, "items": outputs}
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def digest_of(presentation: str) -> str:
    """Return the digest under which the log knows it."""
    return sha256(presentation.encode()).hexdigest()


def note_presentation(study: Study, digest: str) -> None:
    """Let the log say what voters see from now on, unless it does already."""

    def note(log: Log) -> list[Event]:
        last = log.last_of(PRESENTED)
        if last is not None and (last.body or {}).get("digest") == digest:
            return []
        number = study.transactions.state.number + 1
        return [Event(number, PRESENTED, study.now(), body={"digest": digest})]

    with suppress(StudyClosed):  # then nobody votes
        study.transactions.append(note)
