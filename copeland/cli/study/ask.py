"""copeland study ask: the next ballot, for a program of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.options import Json, Whole
from copeland.cli.shell import print_json, show, tell_result
from copeland.cli.study.group import (
    STORAGE,
    AsGuide,
    Name,
    Storage,
    Voter,
    let_guide,
    nothing_left,
    opened,
    refuse_cases,
    study,
    wait_first,
)
from copeland.support.escaping import command_line

if TYPE_CHECKING:
    from copeland.study import Ballot, Study


@study.command("ask", epilog="Example: `copeland study ask tea --voter ann --json`")
def ask_command(
    name: Name,
    voter: Voter = None,
    n: Annotated[int, Whole("--n", "-n", help="How many ballots.")] = 1,
    available: Annotated[
        list[str] | None,
        typer.Option(metavar="OPTION", help="Ask only about these options; repeat for each."),
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the options are compared on.")
    ] = None,
    guide: AsGuide = False,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Hand out ballots. The JSON is a list, which is empty if nothing is left to ask.

    A voter who holds as many ballots as the study allows gets the oldest again. For a panel, without
    --voter, each ballot says which member to ask.
    """
    from copeland.study import Wait

    work = opened(name, storage)
    if guide:
        let_guide(work, voter)
    else:
        refuse_cases(work)
    ballots = work.ask(voter, n=n, available=available, item=item)
    if not ballots:
        asked = work.ask(voter, available=available, item=item)
        if isinstance(asked, Wait):
            tell_result(wait_first(asked), {"wait_until": asked.until}, as_json)
            return
        ballots = [asked] if asked is not None else []
    if as_json:
        print_json([_described(work, ballot) for ballot in ballots])
        return
    for ballot in ballots:
        whom = f" for {ballot.voter}" if work.settings.panel else ""
        show(
            f"Ballot {ballot.id}{whom}: {ballot.left} (left) or {ballot.right} (right)?"
            f" Answer: {command_line('copeland', 'study', 'tell', name, ballot.id, 'left')}"
        )
    if not ballots:
        show(nothing_left(work, voter))


def _described(work: Study, ballot: Ballot) -> dict[str, Any]:
    """A ballot with what is to be shown for both sides."""
    return {
        "ballot": ballot.id,
        "left": work.option(ballot.left).shown,
        "right": work.option(ballot.right).shown,
        "voter": ballot.voter,
        "item": ballot.item,
        "expires": ballot.expires,
    }
