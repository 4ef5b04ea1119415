"""What tells the owners of studies that these have ended: a thread that looks, and one for each message on its way.

No vote waits for it: it reads the log from outside, and a receiver that is dead holds only a thread of its own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from copeland.errors import StorageError
from copeland.study.webhook_post import post_message
from copeland.study.webhooks import Delivery, Webhook, Webhooks
from copeland.web.cache import SpaceAnalysis, VoteAnalysis
from copeland.web.server import Server
from copeland.web.store import VotingPage

EVERY = 2.0  # seconds between two looks
AT_ONCE = 8  # messages on their way
EVENT = "study.ended"
LOG = logging.getLogger("copeland.web")


class EndingWatch:
    """What one process of a server does for webhooks."""

    def __init__(self, server: Server):
        self._server = server
        self._hooks = Webhooks(server.storage, server.clock)
        self._looked: dict[int, tuple[str, int]] = {}  # up to which event, by study
        self._sending: list[threading.Thread] = []

    def start(self) -> threading.Thread:
        """Look every few seconds, until the server ends."""
        thread = threading.Thread(target=self._run, name="webhooks", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        while not self._server.ends.wait(EVERY):
            try:
                self.look()
                self.send_due()
            except StorageError as error:  # it is away, and comes back
                LOG.warning("webhooks wait: %s", error)
            except Exception:
                LOG.warning("webhooks", exc_info=True)

    def look(self) -> None:
        """Keep a message for every study that has ended since the last look."""
        for study, hook in self._hooks.find_all().items():
            try:
                self._look_at(study, hook)
            except Exception:  # of one study, so that the others are looked at
                LOG.warning("the webhook of study %d", study, exc_info=True)

    def _look_at(self, study: int, hook: Webhook) -> None:
        looked = hook.id, self._server.store.last_number(study)
        if self._looked.get(study) != looked:
            self._hooks.note_end(study, hook, self._describe_end(study, hook))
            self._looked[study] = looked

    def send_due(self) -> list[threading.Thread]:
        """Send every message that is due, each in a thread; return those."""
        self._sending = [thread for thread in self._sending if thread.is_alive()]
        new = [
            threading.Thread(target=self._send, args=one, name=f"webhook {one[0]}", daemon=True)
            for one in self._hooks.take_due(AT_ONCE - len(self._sending))
        ]
        for thread in new:
            thread.start()
        self._sending += new
        return new

    def _send(self, name: str, hook: Webhook, delivery: Delivery) -> None:
        outcome = post_message(hook, delivery, self._server.clock())
        self._hooks.save(name, delivery.note(*outcome, self._server.clock()))

    def _describe_end(self, study: int, hook: Webhook) -> Mapping[str, Any] | None:
        """What a message says; None if the study goes on."""
        page = self._find_page(study)
        if not has_ended(self._server, page):
            return None
        seen = self._server.analyses(page).latest()
        if not (seen.closed or _is_proved(seen)):  # a vote was taken back just now
            return None
        base = self._server.config.url or hook.home
        return describe_end(page, seen, base.rstrip("/"), self._server.clock())

    def _find_page(self, study: int) -> VotingPage:
        store = self._server.store
        if store.find_page_of(study) is None:  # it was made on the command line
            store.add_page(study, {})
        page = store.find_page_of(study)
        assert page is not None
        return page


def has_ended(server: Server, page: VotingPage) -> bool:
    """Tell whether a study is closed, or has its answer: then nobody is asked any more."""
    work = server.study(page)
    if work.closed or work.settings.space:
        return work.closed
    return work.standing(voters=False).certificate.decided


def _is_proved(seen: VoteAnalysis | SpaceAnalysis) -> bool:
    return isinstance(seen, VoteAnalysis) and seen.reading.standing.certificate.decided


def describe_end(
    page: VotingPage, seen: VoteAnalysis | SpaceAnalysis, base: str, now: float
) -> dict[str, Any]:
    """Return what a message says of a study that has ended."""
    told = seen.to_dict()
    is_proved = _is_proved(seen)
    path = f"/admin/s/{page.slug}" if page.results == "off" else f"/r/{page.slug}"
    return {
        "event": EVENT,
        "study": page.name,
        "ended": "proved" if is_proved else "closed",
        **{name: told[name] for name in ("verdict", "claim")},
        "winners": told["best"] if is_proved else [],
        **{name: told[name] for name in ("leaders", "votes", "closed", "number")},
        "results": base + path if base else None,
        "time": datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
