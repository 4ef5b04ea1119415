"""The members of a panel as their links name them: the log may know each by a random name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from copeland.errors import InvalidParameter
from copeland.study.log.schema import links
from copeland.support.phrasing import join_names
from copeland.support.readable_names import name_voters

if TYPE_CHECKING:
    from copeland.study.study import Study


def name_members(study: Study) -> dict[str, str]:
    """Return what to call each member of a panel, by the name in the log: the name beside the last link, if there is one."""
    panel = study.settings.panel
    key = study.storage.key(study.name)
    named = (links.c.study == key, links.c.voter.is_not(None), links.c.label != "")
    query = select(links.c.voter, links.c.label).where(*named).order_by(links.c.id)
    rows = study.storage.transact(lambda connection: connection.execute(query).all(), reads=True)
    return name_voters(panel, "member") | {voter: label for voter, label in rows if voter in panel}


def find_member(study: Study, name: str) -> str:
    """Return the name in the log of a member, who is named so there or beside a link."""
    if name in study.settings.panel or not study.settings.panel:
        return name  # a study without a panel refuses it in its own words
    names = name_members(study)
    found = [voter for voter, label in names.items() if label == name]
    if not found:
        raise InvalidParameter(
            f"'{name}' is not on the panel, which is {join_names(sorted(names.values()))}."
        )
    if len(found) > 1:
        raise InvalidParameter(
            f"{len(found)} members are called '{name}'; rename one on the page that shares the study."
        )
    return found[0]
