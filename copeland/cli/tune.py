"""copeland tune: continuous options. The commands that only it has, and those that it has from studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.arguments import STORAGE, Json, Storage, Whole, take_settings
from copeland.cli.output import print_json, print_line, tell_result
from copeland.cli.output import show as show_lines
from copeland.cli.program import Group, app
from copeland.cli.study import Name, open_study
from copeland.errors import InvalidParameter
from copeland.support.escaping import command_line, inert
from copeland.support.phrasing import format_count

if TYPE_CHECKING:
    from copeland.tuning import Space


def _borrow(name: str, module: str, example: str, help: str | None = None) -> Callable[[], None]:
    """Return what registers a command of studies here, as a tuning is a study."""

    def register() -> None:
        command = getattr(import_module(f"copeland.cli.study.{module}"), f"{name}_command")
        tune.command(name, help=help, epilog=f"Example: `copeland tune {name} sound{example}`")(
            command
        )

    return register


tune = Group(
    "tune",
    modules={
        "audit": "copeland.cli.tune",
        "create": "copeland.cli.tune",
        "ask": _borrow("ask", "ballots", " --voter ann --json"),
        "tell": _borrow("tell", "ballots", " 17 left"),
        "vote": _borrow("vote", "ballots", " --voter ann"),
        "judge": _borrow(
            *("judge", "judge"),
            ' --command "python judge.py {left.rate} {right.rate}" --calls 100',
        ),
        "status": _borrow(
            *("status", "results", ""),
            "Say what is proved, what is estimated, and which setting to take now.",
        ),
        "report": _borrow(
            *("report", "files", " --out sound.html"),
            "Write one self-contained page: the setting to take, pictures of the estimates, and what is proved.",
        ),
        "shortlist": "copeland.cli.tune",
    },
    invoke_without_command=True,
)
app.add(tune)

_KINDS = ("log", "integer")
_EXAMPLE = """constraint = "layers < 6 or rate < 0.1"

[rate]
low = 0.0001
high = 1.0
log = true

[layers]
low = 1
high = 8
integer = true

[style]
choices = ["short", "warm"]
"""


@tune.callback(epilog="Example: `copeland tune create sound --space space.toml`")
def example_command(context: typer.Context, as_json: Json = False) -> None:
    """Find the best setting of numbers and choices by votes on two at a time. Without a command, print an example of a space."""
    if context.invoked_subcommand is not None:
        return
    if as_json:
        import tomllib

        print_json(tomllib.loads(_EXAMPLE))
        return
    print_line(_EXAMPLE.rstrip())


@tune.command("create", epilog="Example: `copeland tune create sound --space space.toml`")
@take_settings(
    *("voters", "delta", "both_bad", "lease", "open_ballots", "seed"),
    delta="The largest probability that any of the audits is wrong.",
)
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
    *,
    voters: Annotated[
        str,
        typer.Option(help="people, who each answer a pair once; or independent, fresh draws."),
    ] = "people",
    load_if_exists: Annotated[
        bool, typer.Option("--load-if-exists", help="Continue the study if it exists.")
    ] = False,
    as_json: Json = False,
    **settings: Any,
) -> None:
    """Create a study that tunes the parameters of a TOML file, or of options; you cannot change them later."""
    from copeland.study import create_study

    tuned = _space(space, parameter or [], constraint or [])
    settings |= {"space": tuned, "show": show, "voters": voters, "load_if_exists": load_if_exists}
    made = create_study(name, storage=storage, **settings)
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


def tables_of(options: Sequence[str]) -> dict[str, Any]:
    """Return the tables of parameters, as a space file has them.

    Examples
    --------
    >>> tables_of(["rate=0.001:1:log", "style=short,warm"])
    {'rate': {'low': 0.001, 'high': 1, 'log': True}, 'style': {'choices': ['short', 'warm']}}
    """
    tables: dict[str, Any] = {}
    for option in options:
        name, equals, said = option.partition("=")
        if not equals or not name.strip() or not said.strip():
            raise _misread(option)
        if name.strip() in tables:
            raise InvalidParameter(inert(f"the parameter '{name.strip()[:40]}' is there twice."))
        choices = {"choices": [_value(one.strip()) for one in said.split(",")]}
        tables[name.strip()] = _range(option, said) if ":" in said else choices
    return tables


def _range(option: str, said: str) -> dict[str, Any]:
    low, high, *kinds = (part.strip() for part in said.split(":"))
    ends = [_value(end) for end in (low, high)]
    if any(isinstance(end, str) for end in ends) or kinds[1:] or not set(kinds) <= set(_KINDS):
        raise _misread(option)
    return {"low": ends[0], "high": ends[1], **dict.fromkeys(kinds, True)}


def _value(text: str) -> int | float | str:
    """A number if it is one, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _misread(option: str) -> InvalidParameter:
    return InvalidParameter(
        inert(
            f"the parameter '{option[:60]}' must be NAME=LOW:HIGH, NAME=LOW:HIGH:log, NAME=LOW:HIGH:integer "
            "or NAME=A,B,C."
        )
    )


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

    work = open_study(name, storage)
    work.audit(None if option is None else work.option(option).point, votes)
    begun = work.tuned().audits[-1]
    said = (
        f"The next {format_count(votes, 'vote')} will audit {values_of(begun.point)}. "
        "Vote, or let a judge vote; status says what the votes prove."
    )
    told = {"study": name, "point": dict(begun.point), "votes": votes, "delta": begun.delta}
    tell_result(said, told, as_json)


@tune.command("shortlist", epilog="Example: `copeland tune shortlist sound -n 4`")
def shortlist_command(
    name: Name,
    n: Annotated[int, Whole("--n", "-n", help="How many settings.")] = 6,
    storage: Storage = STORAGE,
    as_json: Json = False,
) -> None:
    """List settings that may well include the best one; a study of them proves which is best of these alone."""
    from copeland.study.options import values_of

    points = open_study(name, storage).shortlist(n)
    if as_json:
        print_json(points)
        return
    for place, point in enumerate(points, 1):
        show_lines(f"{place}. {values_of(point)}")
