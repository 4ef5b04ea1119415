"""Who is told when a study ends: set the address, look at the last messages, remove it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, Field

from copeland.study.webhooks import LONGEST, Delivery, Webhook, Webhooks
from copeland.web.api.access import Admins, Body, Call, new_router
from copeland.web.api.voting import iso

router = new_router("/studies/{study}/webhook")


class Address(Body):
    """Where to tell."""

    url: Annotated[str, Field(min_length=1, max_length=LONGEST)]


class Sent(BaseModel):
    """A message, and what became of it."""

    id: str
    state: str
    time: str
    attempts: int
    answer: str
    next: str | None


class Hooked(BaseModel):
    """A webhook; its secret is told when the address is set, and never again."""

    url: str | None
    secret: str | None = None
    deliveries: list[Sent] = []


@router.get("")
def webhook(call: Admins) -> Hooked:
    """Return who is told when a study ends, and the last messages."""
    hooks = _hooks(call)
    hook = hooks.find(call.page.study)
    return _tell(hook, hooks.deliveries(call.page.study))


@router.put("")
def set_webhook(call: Admins, request: Request, given: Address) -> Hooked:
    """Set the address that is told when a study ends, with a new secret; what was set before is forgotten."""
    hook = _hooks(call).set(call.page.study, given.url, call.server.address(request))
    return _tell(hook, []).model_copy(update={"secret": hook.secret})


@router.delete("", status_code=204)
def remove_webhook(call: Admins) -> None:
    """Tell nobody."""
    _hooks(call).remove(call.page.study)


def _hooks(call: Call) -> Webhooks:
    return Webhooks(call.server.storage, call.server.clock)


def _tell(hook: Webhook | None, deliveries: list[Delivery]) -> Hooked:
    told = [
        Sent(
            id=one.id,
            state=one.state,
            time=iso(one.made),
            attempts=one.attempts,
            answer=one.answer,
            next=None if one.due is None else iso(one.due),
        )
        for one in deliveries
    ]
    return Hooked(url=hook.url if hook else None, deliveries=told)
