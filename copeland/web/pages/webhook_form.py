"""The form by which an owner says who is told when a study ends."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from copeland.errors import InvalidParameter
from copeland.study.webhooks import Webhooks
from copeland.web.pages.admin import Form, Here, manage_page
from copeland.web.render import redirect
from copeland.web.sessions import read_field

router = APIRouter(prefix="/admin/s/{slug}/webhook")


@router.post("")
def change(request: Request, here: Here, form: Form) -> Response:
    """Set the address, and show its secret this once; or remove it."""
    server, study = here.server, here.page.study
    hooks = Webhooks(server.storage, server.clock)
    if read_field(form, "does") == "remove":
        hooks.remove(study)
        return redirect(request, f"/admin/s/{here.page.slug}/manage#webhook")
    try:
        hook = hooks.set(study, read_field(form, "url"), server.address(request))
    except InvalidParameter as error:
        return manage_page(request, here, error=str(error))
    return manage_page(request, here, new_secret=hook.secret)
