"""A CSV file of people comes in, and goes out again with a link for each: a list for a mail program.

The server keeps names beside links, and no addresses. Whoever gives the same file again gets the same links.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from copeland.errors import CopelandError, InvalidParameter
from copeland.support.escaping import cell, file_name
from copeland.web.pages.admin import Form, Here, ManagedStudy
from copeland.web.pages.invitations import (
    LABEL,
    MOST,
    Invited,
    Person,
    invite,
    list_people,
    read_people,
)
from copeland.web.pages.share import address_of, read_expiry, share_page
from copeland.web.sessions import read_field, read_files

router = APIRouter(prefix="/admin")
COLUMNS = ("name", "email", "link", "answers", "left")


@router.post("/s/{slug}/invite")
def send_list(request: Request, here: Here, form: Form) -> Response:
    """Make links for those in a file who have none, and return the list with all links."""
    lines = map(str.strip, read_field(form, "names").splitlines())
    try:
        people = [Invited(line[:LABEL], "") for line in lines if line]
        for file in read_files(form, "csv"):
            people += read_people(file.file.read())
        found = _find_links(here, people, read_expiry(here, form))
    except CopelandError as error:
        return share_page(request, here, str(error))
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for asked, person in zip(people, found, strict=True):
        link = "" if person.link is None else address_of(request, here, person.link)
        row = (cell(asked.name), cell(asked.email), link, person.answers, person.left)
        writer.writerow(row)
    name = file_name(here.page.name).encode("ascii", "replace").decode().replace("?", "-")
    header = {"Content-Disposition": f'attachment; filename="{name}-invitations.csv"'}
    return Response(file.getvalue(), media_type="text/csv; charset=utf-8", headers=header)


def _find_links(
    here: ManagedStudy, people: Sequence[Invited], expires: float | None
) -> list[Person]:
    """Those whom a file names, each with a link; a panel takes nobody new."""
    _require_distinct(people)
    known = {one.label: one for one in list_people(here) if one.link is not None}
    fresh = [one.name for one in people if one.name not in known]
    if fresh and here.study.settings.panel:
        raise InvalidParameter(
            f"Exactly these people vote, and '{fresh[0]}' has no link; make one in the list, or leave out the name."
        )
    if fresh:
        invite(here, fresh, expires)
        known = {one.label: one for one in list_people(here) if one.link is not None}
    return [known[one.name] for one in people]


def _require_distinct(people: Sequence[Invited]) -> None:
    if not people:
        raise InvalidParameter("Nobody is named; write one name per line, or choose a CSV file.")
    if len(people) > MOST:
        raise InvalidParameter(f"There are {len(people):,} names; give up to {MOST:,} at a time.")
    name, times = Counter(one.name for one in people).most_common(1)[0]
    if times > 1:
        raise InvalidParameter(
            f"'{name}' is there {times:,} times, and each needs a link; tell them apart by their names."
        )
