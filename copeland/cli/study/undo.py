"""copeland study undo: count a vote, or all votes of an import, no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.options import Json
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, Voter, opened, study
from copeland.errors import InvalidParameter, UnknownVote

if TYPE_CHECKING:
    from copeland.study import Study


@study.command("undo", epilog="Example: `copeland study undo tea --last --voter ann`")
def undo_command(
    name: Name,
    event_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The vote's event_id.")
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="The last vote that still counts.")] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--import",
            metavar="SOURCE",
            help="Undo every vote imported from this source: the file's name, or the name given with --source.",
        ),
    ] = None,
    voter: Voter = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Stop counting a vote; it stays in the log, and so does its undoing.

    What is proved then holds with and without the vote, so you may undo votes for any reason.
    """
    if [event_id is not None, last, source is not None].count(True) != 1:
        raise InvalidParameter(
            "say which vote to undo: either its event_id, or --last, or --import SOURCE."
        )
    work = opened(name, storage)
    if source is not None:
        _undo_import(work, source, as_json)
        return
    chosen = event_id or _last(work, voter)
    work.undo(chosen)
    tell_result(f"The vote {chosen} no longer counts.", {"study": name, "undone": chosen}, as_json)


def _undo_import(work: Study, source: str, as_json: bool) -> None:
    from copeland.support.phrasing import format_count

    undone = work.undo_import(source)
    tell_result(
        f"Undid {format_count(undone, 'vote')} imported from '{source}'.",
        {"study": work.name, "source": source, "undone": undone},
        as_json,
    )


def _last(work: Study, voter: str | None) -> str:
    """The last vote, of one voter if so told, that was not undone."""
    for vote in reversed(work.votes()):
        if not vote.undone and voter in (None, vote.voter):
            return vote.event_id
    whose = "" if voter is None else f" of '{voter}'"
    raise UnknownVote(f"there is no vote{whose} to undo.")
