"""copeland tune create: a study whose options are the points of a space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copeland.cli.options import Json, Number, Whole
from copeland.cli.shell import tell_result
from copeland.cli.study.group import STORAGE, Storage
from copeland.cli.tune.group import tune
from copeland.cli.tune.ranges import tables_of
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line, inert
from copeland.support.phrasing import format_count

if TYPE_CHECKING:
    from copeland.tuning import Space


@tune.command("create", epilog="Example: `copeland tune create sound --space space.toml`")
def create_command(
    name: Annotated[str, typer.Argument(metavar="STUDY", help="A name for the study.")],
    space: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A TOML file with a table for each parameter: low and high, optionally with log = true "
            "or integer = true, or else choices. Above them, constraint = a text or a list of texts.",
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter",
            "-p",
            metavar="TEXT",
            help="A parameter without a file: hue=0:360, rate=0.001:1:log, layers=1:8:integer or "
            "style=short,warm; as often as you like.",
            show_default=False,
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="What a point must satisfy, as in 'width + height <= 10'; as often as you like.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="What voters see of a point: a text with {name} or {name:.1f} for each parameter, or a "
            "drawing that begins with <svg.",
            show_default="its values",
        ),
    ] = "",
    storage: Storage = STORAGE,
    voters: Annotated[
        str,
        typer.Option(help="people, who each answer a pair once; or independent, fresh draws."),
    ] = "people",
    delta: Annotated[
        float, Number(help="The largest probability that any of the audits is wrong.")
    ] = 0.05,
    both_bad: Annotated[
        str, typer.Option(help="What 'both are bad' counts as: tie, or drop to leave it out.")
    ] = "tie",
    lease: Annotated[
        float, Number(help="Seconds for which the study counts on an unanswered ballot.")
    ] = 600.0,
    open_ballots: Annotated[
        int, Whole(help="How many unanswered ballots a voter may hold at a time.")
    ] = 8,
    seed: Annotated[int, Whole(help="Same seed, same answers: same ballots.")] = 0,
    load_if_exists: Annotated[
        bool, typer.Option("--load-if-exists", help="Continue the study if it exists.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Create a study that tunes the parameters of a TOML file, or of options; you cannot change them later."""
    from copeland.study import create_study

    tuned = _space(space, parameter or [], constraint or [])
    made = create_study(
        name,
        storage=storage,
        space=tuned,
        show=show,
        voters=voters,
        delta=delta,
        both_bad=both_bad,
        lease=lease,
        open_ballots=open_ballots,
        seed=seed,
        load_if_exists=load_if_exists,
    )
    names = list(tuned.parameters)
    said = (
        f"Study '{name}' tunes {format_count(len(names), 'parameter')}. Vote with: "
        f"{command_line('copeland', 'tune', 'vote', name)}"
    )
    told = {"study": name, "parameters": names, "settings": made.settings.to_dict()}
    tell_result(said, told, as_json)


def _space(file: Path | None, parameters: list[str], constraints: list[str]) -> Space:
    """The space of a file and of options."""
    from copeland.support.atomic_files import read_text
    from copeland.tuning.spaces import space_of, tables_in

    if file is None and not parameters:
        raise InvalidParameter("there is nothing to tune; give --space FILE, or --parameter.")
    tables, more = {} if file is None else tables_in(read_text(file)), tables_of(parameters)
    twice = [name for name in more if name in tables]
    if twice:
        raise InvalidParameter(inert(f"the parameter '{twice[0]}' is in {file}, too."))
    return space_of(tables | more, constraints)
