"""copeland study epoch: count votes anew, because preferences have changed."""

from __future__ import annotations

from typing import Annotated

import typer

from copeland.cli.options import Json
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study
from copeland.support.phrasing import format_count


@study.command("epoch", epilog='Example: `copeland study epoch tea --reason "a new harvest"`')
def epoch_command(
    name: Name,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The reason, for the log.")
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Start counting votes from zero; earlier votes stay in the log and no longer prove anything."""
    work = opened(name, storage)
    before = work.standing(voters=False).votes
    epoch = work.begin_epoch(reason)
    tell_result(
        f"Epoch {epoch} begins: {format_count(before, 'vote')} stay in the log and no longer count.",
        {"study": name, "epoch": epoch, "left_behind": before},
        as_json,
    )
