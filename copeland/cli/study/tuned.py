"""How the terminal shows a study of a space: what is proved, and what is estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from copeland.cli.shell import print_json, show

if TYPE_CHECKING:
    from copeland.study import Study


def show_tuned(work: Study, as_json: bool) -> None:
    """Say where a study of a space stands."""
    if as_json:
        print_json(work.tuned().to_dict() | {"settings": work.settings.to_dict()})
    else:
        show(str(work.verdict()))


def listed(work: Study) -> dict[str, Any]:
    """Return the row of a study of a space in a list, without any estimate, which would take a while."""
    books = work.books()
    return {
        "study": work.name,
        "options": books.k,
        "votes": books.votes,
        "verdict": "open",
        "best": [],
        "leader": None,
        "closed": books.closed,
        "stands": "points of a space: see its status",
    }
