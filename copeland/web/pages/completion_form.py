"""The form by which an owner says where voters go after the last question."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from copeland.errors import InvalidParameter
from copeland.web.completion import check_code_name, check_completion_address
from copeland.web.pages.admin import Form, Here, manage_page
from copeland.web.render import redirect
from copeland.web.sessions import read_field
from copeland.web.store import CODE_NAME

router = APIRouter(prefix="/admin/s/{slug}/completion")


@router.post("")
def change_completion(request: Request, here: Here, form: Form) -> Response:
    """Store the address, and the name under which the panel gives its code."""
    try:
        completion = check_completion_address(read_field(form, "completion"))
        code_name = check_code_name(read_field(form, "code_name") or CODE_NAME)
    except InvalidParameter as error:
        return manage_page(request, here, error=str(error))
    here.server.store.save_page(replace(here.page, completion=completion, code_name=code_name))
    return redirect(request, f"/admin/s/{here.page.slug}/manage#completion")
