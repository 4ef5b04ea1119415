"""The program: its groups of commands, and whatever is wrong as one sentence."""

from __future__ import annotations

import importlib
import inspect
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from copeland.cli.arguments import take_options
from copeland.cli.interrupts import (
    INTERRUPTED,
    drop_output,
    exit_when_reader_leaves,
    raise_while_running,
)
from copeland.cli.output import complain, note
from copeland.errors import CopelandError
from copeland.version import __version__

BAD_INPUT = 2
FAILURE = 1
_FIRST = inspect.Parameter.POSITIONAL_OR_KEYWORD
Modules = Mapping[str, Sequence[str]]


class Group(typer.Typer):
    """A group that imports and builds a command when it is called.

    ``modules`` says which commands each module registers; without it, whoever makes the group registers all of them.
    """

    def __init__(self, name: str | None = None, modules: Modules | None = None, **how: Any):
        self.commands = _Commands(modules or {})
        kind = type("Built", (how.pop("cls", _Group),), {"lazy": self.commands})
        super().__init__(name=name, cls=kind, **_LOOKS | how)

    def command(self, name: str | None = None, **how: Any) -> Callable[[Any], Any]:
        """Register a function as a command, as :func:`~copeland.cli.arguments.take_options` reads it."""
        assert name is not None
        self.commands.parts[name] = one = typer.Typer(**_LOOKS)

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            run, text = take_options(function)
            one.command(name, cls=_Command, help=text, **how)(run)
            return function

        return register

    def callback(self, **how: Any) -> Callable[[Any], Any]:
        """Register what a group does without a subcommand: by default it shows its help."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            run, text = take_options(function)

            @wraps(run)
            def start(context: typer.Context, **given: Any) -> None:
                if context.invoked_subcommand is None:
                    run(**given)
                    print(context.get_help())
                elif given.get("as_json"):  # before a subcommand, it does what it does after it
                    called = context.invoked_subcommand
                    context.default_map = {called: _json_for_all(self.commands.get(called))}

            own = inspect.signature(run).parameters.values()
            context = inspect.Parameter("context", _FIRST, annotation=typer.Context)
            vars(start)["__signature__"] = inspect.Signature([context, *own])
            super(Group, self).callback(invoke_without_command=True, help=text, **how)(start)
            return function

        return register

    def add(self, group: Group) -> None:
        """Register a group as a command."""
        assert isinstance(group.info.name, str)
        self.commands.parts[group.info.name] = group


_LOOKS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "markdown",
}


def _json_for_all(command: Any) -> dict[str, Any]:
    below = getattr(command, "commands", {})
    return {name: _json_for_all(one) for name, one in below.items()} | {"as_json": True}


class _Commands(Mapping[str, Any]):
    """The commands of a group by name; each is imported and built when it is looked up, once."""

    def __init__(self, modules: Modules):
        pairs = ((name, module) for module, names in modules.items() for name in names)
        self.modules = dict(sorted(pairs))
        self.parts: dict[str, typer.Typer] = {}
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            if name in self.modules:
                importlib.import_module(self.modules[name])
            self._built[name] = typer.main.get_command(self.parts[name])
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules or self.parts)

    def __len__(self) -> int:
        return len(self.modules or self.parts)


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> Any:
        return _simplify(super().get_params(ctx))


class _Group(TyperGroup):
    lazy: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, **how: Any):
        how["commands"] = self.lazy
        super().__init__(**how)

    def get_params(self, ctx: Any) -> Any:
        return _simplify(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)


def _simplify(options: Any) -> Any:
    """Let the help name no type where nothing is to be given, and read plain text without pydantic."""
    for option in options:
        if getattr(option, "is_flag", False) and option.metavar is None:
            option.metavar = ""
        if "process_value" not in vars(option) and hasattr(option, "type_descriptor"):
            option.process_value = _make_reader(option)
    return options


def _make_reader(option: Any) -> Callable[[Any, Any], Any]:
    """Return what reads the value of an option: itself for text, paths and what has a parser, else typer.

    Typer would have pydantic read them, whose import takes longer than all else before a command's own work.
    """
    by_typer, kind = option.process_value, option.type_descriptor.annotation
    parse = option.type_descriptor.parameter_info.parser
    several = option.multiple or option.nargs == -1
    make: Any = parse or {str: str, list[str]: str, Path: Path}.get(kind)

    def read(context: Any, value: Any) -> Any:
        values = [] if value is None else value if several else [value]
        if (option.required and option.value_is_missing(value)) or not all(
            parse or (make and isinstance(one, str) and one.isprintable()) for one in values
        ):
            return by_typer(context, value)
        made = [make(one) for one in values]
        made = made if several else made[0] if made else None
        return made if option.callback is None else option.callback(context, option, made)

    return read


class _Program(_Group):
    """The commands, with whatever is wrong said in one sentence on standard error."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command and exit: 0, 2 for bad input, 1 for what the machine refuses, 141 if nobody reads on, or its own code."""
        with _outputs(), exit_when_reader_leaves():
            try:
                code = super().main(*args, standalone_mode=False, **extra)
                sys.stdout.flush()  # here, where a refusal can still be said
            except (KeyboardInterrupt, typer.Abort):
                note("copeland: stopped.")
                code = INTERRUPTED
            except (CopelandError, MemoryError, _usage_error()) as error:
                complain(error)
                code = BAD_INPUT
            except BrokenPipeError:
                raise
            except OSError as error:
                complain(error)
                drop_output("stdout")
                code = FAILURE
            sys.exit(code or 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; one that Ctrl-C stops says so, unless it said so itself."""
        try:
            with raise_while_running():
                return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            note(f"copeland: {str(stop).split(';')[0].rstrip('.') or 'stopped'}.")
            raise typer.Exit(INTERRUPTED) from None


app = Group(
    cls=_Program,
    add_completion=True,
    modules={
        "copeland.cli.algorithms": ("algorithms", "compile", "doctor", "formats"),
        "copeland.cli.board": ("board",),
        "copeland.cli.clicks": ("clicks",),
        "copeland.cli.gate": ("gate",),
        "copeland.cli.judges": ("judges",),
        "copeland.cli.matrices": ("bounds", "data", "problems", "winners"),
        "copeland.cli.rankers": ("rankers",),
        "copeland.cli.reproduce": ("reproduce",),
        "copeland.cli.serve": ("backup", "serve"),
        "copeland.cli.simulate": ("report", "simulate"),
        "copeland.cli.study": ("study",),
        "copeland.cli.tune": ("tune",),
    },
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"copeland {__version__}")
        raise typer.Exit


@app.callback(epilog="Example: `copeland simulate mslr-5 -a ccb --horizon 1e8 --runs 20`")
def _start(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Find the best of many options from noisy pairwise comparisons, even when they run in cycles."""


@contextmanager
def _outputs() -> Iterator[None]:
    """Give both outputs somewhere to go, and letters for what their encoding does not have."""
    with ExitStack() as opened:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by whoever started the program
                nowhere = opened.enter_context(open(os.devnull, "w", encoding="utf-8"))
                opened.callback(setattr, sys, name, None)
                setattr(sys, name, nowhere)
            stream = getattr(sys, name)
            if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
                stream.reconfigure(errors="backslashreplace")
        yield


def _usage_error() -> type[Exception]:
    """The error of a wrong option or argument, which typer does not give a name of its own."""
    base = typer.BadParameter.__base__
    assert base is not None and issubclass(base, Exception)
    return base
