"""copeland study tell: the answer to a ballot."""

from __future__ import annotations

from typing import Annotated

import typer

from copeland.cli.options import Json, whole
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, Voter, opened, study


@study.command("tell", epilog="Example: `copeland study tell tea 17 left --voter ann`")
def tell_command(
    name: Name,
    ballot: Annotated[
        int, typer.Argument(metavar="BALLOT", parser=whole, help="Its number, as `ask` gave it.")
    ],
    outcome: Annotated[
        str,
        typer.Argument(
            metavar="OUTCOME", help="left, right, tie, both_bad, skip, error, or the winner's name."
        ),
    ],
    voter: Voter = None,
    event_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Your own id for the vote; if you send it twice, it counts once."
        ),
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the options were compared on.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Where the vote comes from.")
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Store the answer to a ballot; it is on disk when the command returns."""
    vote = opened(name, storage).tell(ballot, outcome, voter, event_id, item=item, source=source)
    kept = f"Kept as vote {vote.event_id}: {vote.outcome}, of {vote.left} and {vote.right}."
    tell_result(kept, vote._asdict(), as_json)
