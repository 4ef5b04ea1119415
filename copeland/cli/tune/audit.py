"""copeland tune audit: prove how good a setting is."""

from __future__ import annotations

from typing import Annotated

import typer

from copeland.cli.options import Json, Whole
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Name, Storage, opened
from copeland.cli.tune.group import tune
from copeland.support.phrasing import format_count


@tune.command("audit", epilog="Example: `copeland tune audit sound --votes 200`")
def audit_command(
    name: Name,
    votes: Annotated[int, Whole(help="How many votes.")] = 200,
    option: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A setting that voters were asked about; by default the one to take now.",
        ),
    ] = None,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """Pit a setting against random ones from now on; status says what the votes prove.

    The error probabilities of all audits of a study add up to its delta at most.
    """
    from copeland.study.options import values_of

    work = opened(name, storage)
    work.audit(None if option is None else work.option(option).point, votes)
    begun = work.tuned().audits[-1]
    said = (
        f"The next {format_count(votes, 'vote')} will audit {values_of(begun.point)}. "
        "Vote, or let a judge vote; status says what the votes prove."
    )
    told = {"study": name, "point": dict(begun.point), "votes": votes, "delta": begun.delta}
    tell_result(said, told, as_json)
