"""Options and arguments that several commands take, and how their text is read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import partial, wraps
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer

from copeland.cli.output import Reply, print_reply
from copeland.errors import InvalidParameter


def number(text: str) -> float:
    """Read an option that is a number: ``1e8``."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a number.") from None


def whole(text: str) -> int:
    """Read an option that is a whole number: ``100`` or ``1e2``."""
    try:
        return int(text)
    except ValueError:
        value = number(text)
    if not value.is_integer():
        raise typer.BadParameter(f"'{text}' is not a whole number, such as 100.")
    return int(value)


Number = partial(typer.Option, parser=number, metavar="NUMBER")
Whole = partial(typer.Option, parser=whole, metavar="N")

Seed = Annotated[int, Whole(help="Same seed, same numbers.")]
Jobs = Annotated[int, Whole(help="Processes to run at once; the numbers stay the same.")]
Backend = Annotated[
    str, typer.Option(help="loky (this machine), dask or ray; the numbers stay the same.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Matrix = Annotated[
    str,
    typer.Argument(
        metavar="MATRIX",
        help="A built-in problem, or a .csv, .npy, .npz or .json file; or votes, in any of the "
        "formats that `copeland formats` lists.",
    ),
]

STORAGE = "sqlite:///copeland.db"


def _refuse_memory(url: str) -> str:
    """Refuse a storage that ends with the command."""
    if url == STORAGE:
        return url
    if "\0" in url:
        raise InvalidParameter("the storage has the character 0 in its name; name another file.")
    from copeland.study.log.addresses import is_lost

    if is_lost(url):
        raise InvalidParameter(
            f"'{url}' keeps a study in memory, so it would be lost when the command ends; name a "
            "file, as in sqlite:///copeland.db."
        )
    return url


Storage = Annotated[
    str,
    typer.Option(
        envvar="COPELAND_STORAGE",
        callback=_refuse_memory,
        metavar="URL",
        help="Where studies are kept: sqlite:///file.db or postgresql://user@host/database.",
    ),
]

# Which columns of a file of votes are which.
FORMS = (
    "A .csv, .tsv, .jsonl, .json or .parquet file: left, right, outcome; or model_a, model_b, winner; or winner, loser; "
    "or i, j, wins. Or a file in another format."
)

FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format of the file, if it does not show: see `copeland formats`.",
    ),
]


@dataclass(frozen=True)
class PairColumns:
    """Which columns of a file of votes are which: the two options and who won.

    --left COLUMN       The option on the left.
    --right COLUMN      The option on the right.
    --outcome COLUMN    left, right, tie, or the name of the winner.
    """

    panel: ClassVar[str] = "Columns of another file"  # of the help
    left: str | None = None
    right: str | None = None
    outcome: str | None = None

    @property
    def named(self) -> dict[str, str] | None:
        """The columns that were named, None if none was."""
        named = {role: name for role, name in vars(self).items() if name is not None}
        return {{"id_": "event_id"}.get(role, role): name for role, name in named.items()} or None


@dataclass(frozen=True)
class VoteColumns(PairColumns):
    """The same, and what else there is to a vote.

    --voter COLUMN      Who voted.
    --item COLUMN       What they were compared on.
    --time COLUMN       When: ISO 8601, or seconds since 1970.
    """

    voter: str | None = None
    item: str | None = None
    time: str | None = None


@dataclass(frozen=True)
class Columns(VoteColumns):
    """The same, and what tells a vote from all others.

    --id COLUMN         The column with an id that no two votes share.
    """

    id_: str | None = None


NO_COLUMNS = Columns()
NO_FLAGS: Mapping[str, str] = {}


def take_settings(
    *order: str, table: Mapping[str, Field[Any]] | None = None, flags: Mapping[str, str] = NO_FLAGS
) -> Callable[[Callable[..., Any]], Any]:
    """Let a command with ``**settings`` take these settings as options, in this order, after its other parameters.

    A parameter of its own that is named here stands in this place; its other keyword-only ones come last. A setting that is
    refused is named as it was typed. The ``table`` has the settings by name, by default those of a study; ``flags`` are the options that
    go by another name.
    """
    if table is None:
        from copeland.study.settings import SETTINGS as table
    names = {name: flags.get(name, f"--{name.replace('_', '-')}") for name in (*table, *order)}

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(command, eval_str=True)
        own = dict(signature.parameters)
        del own["settings"]
        placed = [own.pop(name, None) or _make_option(table[name], names[name]) for name in order]
        last = [one for one in own.values() if one.kind == _LAST]

        @wraps(command)
        def run(**given: Any) -> Any:
            try:
                return command(**given)
            except InvalidParameter as error:
                name, _, said = str(error).partition(" ")
                if name != error.field or name not in order:
                    raise
                raise InvalidParameter(f"{names[name]} {said}") from error

        first = [one for one in own.values() if one.kind != _LAST]
        vars(run)["__signature__"] = signature.replace(parameters=[*first, *placed, *last])
        return run

    return decorate


def _make_option(one: Field[Any], flag: str) -> inspect.Parameter:
    kind: Any = _TYPES[str(one.type).removesuffix(" | None")]
    option = inspect.Parameter(one.name, _LAST, default=one.default, annotation=kind)
    usual = ""
    if one.default is None:
        option = option.replace(annotation=kind | None)
        usual = f" [default: {one.metadata['usual']}]" if one.metadata["usual"] else ""
    return _annotate(option, flag, None, one.metadata["help"] + usual)


# How a command says which options it takes

# Of an option or an argument: its names, or what stands for it; what stands for the value of an option; and its help.
_LINE = re.compile(r"(-[\w-]+(?:, -[\w-]+)*|[\[A-Z]\S*)(?: (\S+))?  +(\S.*)")
_TYPES = {"int": int, "float": float, "str": str, "bool": bool}
_KINDS = {int: (whole, "N"), float: (number, "NUMBER")}
_LAST = inspect.Parameter.KEYWORD_ONLY


def take_options(command: Callable[..., Reply | None]) -> tuple[Callable[..., None], str]:
    """Return a command as typer takes it, and its help: what its docstring says, without its end.

    The end of the docstring describes options and arguments as the help shows them; one with a note in its annotation needs no
    line. A parameter that is a dataclass stands for its fields, and keyword-only ones come last. What a command returns is
    printed as the option ``--json`` says::

        FILE           What to read.
        --limit N      How many to show. [default: all of them]
    """
    signature = inspect.signature(command, eval_str=True)
    own = [*signature.parameters.values()]
    parts: dict[str, Any] = {one.name: one for one in own if is_dataclass(one.annotation)}
    text, parameters = _describe(command.__doc__, own)
    for part in parts.values():
        at, kind = parameters.index(part), part.annotation
        says = "\n".join(inspect.cleandoc(one.__doc__ or "") for one in kind.__mro__[-2::-1])
        panel = getattr(kind, "panel", None)
        parameters[at : at + 1] = _describe(says, _fields_of(part), panel)[1]
    knows = any(one.name == "as_json" for one in parameters)
    if not knows and signature.return_annotation is not None:
        parameters.append(inspect.Parameter("as_json", _LAST, default=False, annotation=Json))

    @wraps(command)
    def run(**given: Any) -> None:
        as_json = given["as_json"] if knows else given.pop("as_json", False)
        for name, part in parts.items():
            own_fields = {one.name: given.pop(one.name) for one in fields(part.annotation)}
            given[name] = part.annotation(**own_fields)
        reply = command(**given)
        if reply is not None:
            print_reply(reply, as_json)
            raise typer.Exit(reply.code)

    parameters.sort(key=lambda one: one.kind == _LAST)
    vars(run)["__signature__"] = inspect.Signature([one.replace(kind=_LAST) for one in parameters])
    return run, text


def _fields_of(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    kind: Any = parameter.annotation
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            _LAST if one.kw_only else parameter.kind,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(kind)
    ]


def _describe(
    docstring: str | None, parameters: list[inspect.Parameter], panel: str | None = None
) -> tuple[str, list[inspect.Parameter]]:
    """Return a docstring without the lines that describe parameters, and the parameters with what those say."""
    text, rows = [], []
    for line in inspect.cleandoc(docstring or "").splitlines():
        if match := _LINE.fullmatch(line):
            rows.append([*match.groups()])
        elif rows and line.startswith(" "):
            rows[-1][2] += f" {line.strip()}"
        else:
            text.append(line)
    options = {names.split(",")[0]: row for row in rows if (names := row[0])[0] == "-"}
    arguments = iter([row for row in rows if row[0][0] != "-"])
    described = []
    for one in parameters:
        flag = f"--{one.name.strip('_').replace('_', '-')}"
        if get_origin(one.annotation) is not Annotated and not is_dataclass(one.annotation):
            names, metavar, help = options.pop(flag, None) or next(arguments)
            one = _annotate(one, names, metavar, help, panel)
        described.append(one)
    assert not options and next(arguments, None) is None, docstring
    return "\n".join(text).strip(), described


def _annotate(
    parameter: inspect.Parameter,
    names: str,
    metavar: str | None,
    help: str,
    panel: str | None = None,
) -> inspect.Parameter:
    """Return a parameter with what typer is to know of it."""
    kind = parameter.annotation
    help, _, usual = help.partition(" [default: ")
    how: dict[str, Any] = {"help": help, "show_default": usual.rstrip("]") or True}
    for one in (kind, *get_args(kind)):
        if one in _KINDS:
            how["parser"], how["metavar"] = _KINDS[one]
    if names[0] == "-":
        how |= {"metavar": metavar} if metavar else {}
        note = typer.Option(*names.split(", "), rich_help_panel=panel, **how)
    else:
        how["metavar"] = names
        note = typer.Argument(**how)
    return parameter.replace(annotation=Annotated[kind, note])
