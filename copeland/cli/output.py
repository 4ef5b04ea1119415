"""What commands say: results on standard output, notes, faults and a bar on standard error."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from copeland.errors import AlgorithmWarning, AssumptionWarning, CopelandError, FolderExists
from copeland.support.escaping import inert

if TYPE_CHECKING:
    from rich.console import Console

    from copeland.support.progress import Tell

COMPILING = "starting (the first time, compiling)"

_PIPE_WIDTH = 130  # columns of a table that no terminal limits


def print_json(value: Any) -> None:
    """Put a value on standard output as JSON."""
    import json

    # JSON in ASCII escapes every other control character.
    print(json.dumps(value, allow_nan=False).replace("\x7f", "\\u007f"))


class Line(str):
    """A line that is not to be broken, however long: a command to be copied, say."""


class Reply(NamedTuple):
    """What a command answers: values for ``--json``, or else lines, among them tables; then a note, and its exit code.

    A function that returns values, and an iterator of lines, are called only where their result is shown.
    """

    values: Any
    lines: str | Iterable[Any] = ()
    note: str = ""
    code: int = 0


def print_reply(reply: Reply, as_json: bool) -> None:
    """Say what a command answers."""
    if as_json:
        print_json(reply.values() if callable(reply.values) else reply.values)
    else:
        show(*([reply.lines] if isinstance(reply.lines, str) else reply.lines))
    if reply.note:
        note(reply.note)


def show(*things: Any) -> None:
    """Put text and tables on standard output."""
    terminal = None
    for thing in things:
        if isinstance(thing, Line):
            print_line(thing)
            continue
        terminal = terminal or _console()
        text = inert(thing) if isinstance(thing, str) else thing
        terminal.print(text, markup=False, highlight=False)


def require_new(path: Path, force: bool) -> None:
    """Refuse to replace a file unless that was asked for."""
    if path.exists() and not force:
        raise FolderExists(f"{path} exists; name another file, or replace it with --force.")


def print_line(text: str) -> None:
    """Put a line on standard output that is not to be broken, however long."""
    print(inert(text))


def width() -> int:
    """Return how many characters a line of standard output holds."""
    return _console().width


def note(text: str) -> None:
    """Put a sentence on standard error, where it does not mix with results."""
    print(inert(text), file=sys.stderr)


def spell_command(*words: str, **options: Any) -> str:
    """Return a command to be typed again; an option is repeated for each of several values, and left out for none."""
    import shlex

    spelt = list(words)
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, list | tuple) else [value]:
            spelt += (
                [] if one is None or one is False else [flag] if one is True else [flag, str(one)]
            )
    return shlex.join(spelt)


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


def progress_bar(what: str, starting: str = COMPILING) -> AbstractContextManager[Tell]:
    """Show a bar with the time left on standard error, if that is a terminal.

    Gives a function to be called with (done, in all); until it is, the bar says ``starting``.
    """
    from copeland.support import progress

    return progress.progress_bar(what, starting=starting)


def _console() -> Console:
    """A console that shows text, in tables too, and obeys none of it."""
    from rich.console import Console
    from rich.segment import Segment

    class Inert(Console):
        # What is shown passes here, as text apart from the escape sequences that rich makes of styles.
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else inert(text), style, control)

    limited = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Inert(width=None if limited else _PIPE_WIDTH)
