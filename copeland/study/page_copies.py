"""The voting page of a study, its images and its items, given to a copy of the study."""

from __future__ import annotations

import secrets
from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy import Connection, select

from copeland.study.log.schema import outputs, pages, panes
from copeland.study.text_edits import ADDRESS


def copy_page(connection: Connection, old: int, new: int, options: Collection[str]) -> None:
    """Give a study the page of another, at an address of its own, with what is shown for these options."""
    body = connection.execute(select(pages.c.body).where(pages.c.study == old)).scalar()
    if body is not None:
        row = {
            "study": new,
            "slug": secrets.token_urlsafe(ADDRESS),
            "body": {**body, "paused": False, "results": "off"},
        }
        connection.execute(sa.insert(pages), row)
    for table in (panes, outputs):
        found = connection.execute(select(table).where(table.c.study == old)).mappings()
        # An image may be of an option on one item: then the name follows after a line break.
        rows = [
            {**row, "study": new} for row in found if row["option"].rpartition("\n")[2] in options
        ]
        if rows:
            connection.execute(sa.insert(table), rows)
