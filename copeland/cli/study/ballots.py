"""copeland study ask, tell and undo: ballots for programs of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.arguments import STORAGE, Json, Storage, Whole, whole
from copeland.cli.output import print_json, show, tell_result
from copeland.cli.study import (
    Item,
    Name,
    Voter,
    nothing_left,
    open_study,
    study,
    wait_first,
)
from copeland.errors import InvalidParameter, UnknownVote
from copeland.study.kinds import kind_of
from copeland.support.escaping import command_line
from copeland.support.phrasing import format_count

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
    item: Item = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Hand out ballots. The JSON is a list, which is empty if nothing is left to ask.

    A voter who holds as many ballots as the study allows gets the oldest again. For a panel, without
    --voter, each ballot says which member to ask.
    """
    from copeland.study import Wait

    work = open_study(name, storage)
    kind_of(work.settings).refuse_loose_ballot(work.name, work.settings)
    about: dict[str, Any] = {"available": available, "item": item}
    ballots = work.ask(voter, n=n, **about)
    if not ballots:
        asked = work.ask(voter, **about)
        if isinstance(asked, Wait):
            tell_result(wait_first(asked), {"wait_until": asked.until}, as_json)
            return
        ballots = [asked] if asked is not None else []
    if as_json:
        print_json([_describe(work, ballot) for ballot in ballots])
        return
    for ballot in ballots:
        whom = "" if ballot.voter in (None, voter) else f" for {ballot.voter}"
        show(
            f"Ballot {ballot.id}{whom}: {ballot.left} (left) or {ballot.right} (right)?"
            f" Answer: {command_line('copeland', 'study', 'tell', name, ballot.id, 'left')}"
        )
    if not ballots:
        show(nothing_left(work, voter))


def _describe(work: Study, ballot: Ballot) -> dict[str, Any]:
    """A ballot with what is to be shown for both sides."""
    return {
        "ballot": ballot.id,
        "left": work.option(ballot.left).shown,
        "right": work.option(ballot.right).shown,
        "voter": ballot.voter,
        "item": ballot.item,
        "expires": ballot.expires,
    }


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
    vote = open_study(name, storage).tell(
        ballot, outcome, voter, event_id, item=item, source=source
    )
    kept = f"Kept as vote {vote.event_id}: {vote.outcome}, of {vote.left} and {vote.right}."
    tell_result(kept, vote._asdict(), as_json)


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
    work = open_study(name, storage)
    if source is not None:
        undone = work.undo_import(source)
        tell_result(
            f"Undid {format_count(undone, 'vote')} imported from '{source}'.",
            {"study": work.name, "source": source, "undone": undone},
            as_json,
        )
        return
    chosen = event_id or _last(work, voter)
    work.undo(chosen)
    tell_result(f"The vote {chosen} no longer counts.", {"study": name, "undone": chosen}, as_json)


def _last(work: Study, voter: str | None) -> str:
    """The last vote, of one voter if so told, that was not undone."""
    for vote in reversed(work.votes()):
        if not vote.undone and voter in (None, vote.voter):
            return vote.event_id
    whose = "" if voter is None else f" of '{voter}'"
    raise UnknownVote(f"there is no vote{whose} to undo.")
