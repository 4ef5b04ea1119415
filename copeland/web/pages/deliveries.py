"""The webhook of a study as its owner sees it: where it leads, and what became of the last messages."""

from __future__ import annotations

import json
import time
from typing import NamedTuple

from copeland.study.webhooks import Delivery, Webhook, Webhooks
from copeland.web.server import Server

SHOWN = 10  # messages


class ShownDelivery(NamedTuple):
    """A message in a table."""

    time: str
    about: str
    state: str
    attempts: int
    answer: str
    next: str  # when it is sent again, if ever


class ShownWebhook(NamedTuple):
    """A webhook on its page."""

    url: str
    deliveries: list[ShownDelivery]


def show_webhook(server: Server, study: int) -> ShownWebhook | None:
    """Return the webhook of a study, without its secret; None if it has none."""
    hooks = Webhooks(server.storage, server.clock)
    hook: Webhook | None = hooks.find(study)
    if hook is None:
        return None
    return ShownWebhook(hook.url, [_show(one) for one in hooks.deliveries(study)[:SHOWN]])


def _show(one: Delivery) -> ShownDelivery:
    about = json.loads(one.body)["ended"]
    again = "" if one.due is None else _clock_time(one.due)
    return ShownDelivery(_clock_time(one.made), about, one.state, one.attempts, one.answer, again)


def _clock_time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
