"""What all commands share: the program, its two outputs, and bad input as one sentence."""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from copeland.cli.interrupts import INTERRUPTED, interruptible
from copeland.errors import AlgorithmWarning, AssumptionWarning, CopelandError, FolderExists
from copeland.support.escaping import inert
from copeland.version import __version__

if TYPE_CHECKING:
    from rich.console import Console

BAD_INPUT = 2
FAILURE = 1

_PIPE_WIDTH = 130  # columns of a table that no terminal limits


class _Program(TyperGroup):
    """The commands, with whatever is wrong said in one sentence on standard error."""

    def __init__(self, *args: Any, **how: Any):
        super().__init__(*args, **how)
        _show_flags_as_flags(self)

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command and exit: 0, 2 for bad input, 1 for what the machine refuses, or its own code."""
        with _outputs():
            try:
                code = super().main(*args, standalone_mode=False, **extra)
                sys.stdout.flush()  # here, where a refusal can still be said
            except (KeyboardInterrupt, typer.Abort):
                note("copeland: stopped.")
                code = INTERRUPTED
            except (CopelandError, MemoryError, _usage_error()) as error:
                complain(error)
                code = BAD_INPUT
            except BrokenPipeError:  # the reader has what it wanted, as in `copeland ... | head`
                _drop_output()
                code = FAILURE
            except OSError as error:
                complain(error)
                _drop_output()
                code = FAILURE
            sys.exit(code or 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; one that Ctrl-C stops says so, unless it said so itself."""
        try:
            with interruptible():
                return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            note(f"copeland: {str(stop).split(';')[0].rstrip('.') or 'stopped'}.")
            raise typer.Exit(INTERRUPTED) from None


def _show_flags_as_flags(command: Any) -> None:
    """Let the help of a command, and of those below it, name no type where nothing is to be given."""
    given = command.get_params

    def plain(context: Any) -> Any:
        options = given(context)
        for option in options:
            if getattr(option, "is_flag", False) and option.metavar is None:
                option.metavar = ""
        return options

    command.get_params = plain
    for below in getattr(command, "commands", {}).values():
        _show_flags_as_flags(below)


app = typer.Typer(
    cls=_Program,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["--help", "-h"]},
)


@app.callback(
    invoke_without_command=True,
    epilog="Example: `copeland simulate mslr-5 -a ccb --horizon 1e8 --runs 20`",
)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Find the best of many options from noisy pairwise comparisons, even when they run in cycles."""
    if version:
        print(f"copeland {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def print_json(value: Any) -> None:
    """Put a value on standard output as JSON."""
    # JSON in ASCII escapes every other control character.
    print(json.dumps(value, allow_nan=False).replace("\x7f", "\\u007f"))


def show(*things: Any) -> None:
    """Put text and tables on standard output."""
    terminal = _console(stderr=False)
    for thing in things:
        shown = inert(thing) if isinstance(thing, str) else thing
        terminal.print(shown, markup=False, highlight=False)


def require_new(path: Path, force: bool) -> None:
    """Refuse to replace a file unless that was asked for."""
    if path.exists() and not force:
        raise FolderExists(f"{path} exists; name another file, or replace it with --force.")


def tell_result(sentence: str, result: dict[str, Any], as_json: bool, hint: str = "") -> None:
    """Say what was done: as JSON, or in a sentence and a hint, which stays on one line to be copied."""
    if as_json:
        print_json(result)
        return
    show(sentence)
    if hint:
        print_line(hint)


def print_line(text: str) -> None:
    """Put a line on standard output that is not to be broken, however long."""
    print(inert(text))


def width() -> int:
    """Return how many characters a line of standard output holds."""
    return _console(stderr=False).width


def note(text: str) -> None:
    """Put a sentence on standard error, where it does not mix with results."""
    print(inert(text), file=sys.stderr)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Say on standard error, in a sentence, what is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssumptionWarning)
        warnings.simplefilter("always", AlgorithmWarning)
        try:
            yield
        finally:
            for warning in caught:
                note(f"copeland: {warning.message}")


def complain(error: BaseException) -> None:
    """Say on standard error what is wrong, in one line."""
    describe = getattr(error, "format_message", error.__str__)
    sentence = " ".join(describe().split()) or type(error).__name__
    if isinstance(error, OSError) and error.strerror and not isinstance(error, CopelandError):
        what = f"{error.filename}: " if error.filename is not None else ""
        sentence = f"{what}{error.strerror}."
    if isinstance(error, MemoryError):
        sentence = f"this is too large for the memory of this machine: {sentence}."
    context = getattr(error, "ctx", None)
    if context is not None:
        # Typer's own sentences begin with a capital, and do not say where to look.
        sentence = sentence[0].lower() + sentence[1:]
        if not sentence.endswith("?"):
            sentence = f"{sentence.rstrip('.')}; see {context.command_path} --help."
    note(f"copeland: {sentence}")


def progress_console() -> Console:
    """Return the console on standard error, for a progress bar."""
    return _console(stderr=True)


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


def _drop_output() -> None:
    """Let what is still to be written go nowhere, or Python would complain about it at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _console(stderr: bool) -> Console:
    """A console that shows text, in tables and bars too, and obeys none of it."""
    from rich.console import Console
    from rich.segment import Segment

    class Inert(Console):
        # What is shown passes here, as text apart from the escape sequences that rich makes of styles.
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else inert(text), style, control)

    stream = sys.stderr if stderr else sys.stdout
    limited = stream.isatty() or "COLUMNS" in os.environ
    return Inert(stderr=stderr, width=None if limited else _PIPE_WIDTH)


def _usage_error() -> type[Exception]:
    """The error of a wrong option or argument, which typer does not give a name of its own."""
    base = typer.BadParameter.__base__
    assert base is not None and issubclass(base, Exception)
    return base
