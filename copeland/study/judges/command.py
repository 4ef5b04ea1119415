"""Your own program as a judge: it reads two options and prints one word."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from copeland.errors import InvalidParameter
from copeland.study.judges.parse import JudgeFailed, Reasoned, parse_word, quote_answer
from copeland.study.judges.prompts import (
    answer_of,
    check_template,
    fill,
    has_fields,
    is_field,
    item_text,
    name_of,
)

MOST = 100_000  # bytes of an answer, which is one word
PIECE = 10_000  # bytes read at a time, and kept of complaints


class CommandJudge:
    """A judge that runs a program for every comparison and reads one word from its standard output, and its reason from the lines after it.

    The command is split as a shell would, but no shell runs it: a text that is filled in is always one
    argument. Standard input gets the same as JSON: ``{"left": {"name": ..., "text": ..., "path": ...},
    "right": ..., "item": ...}``, where item is null or has a name and a text too.

    Parameters
    ----------
    command
        The program and its arguments. ``{left}``, ``{right}``, ``{item}`` and ``{expected}`` stand for texts,
        ``{left.name}`` and ``{left.path}`` for names and files; without any of them the program reads its
        standard input.
    timeout
        Seconds that it may take.
    name
        The name it votes under; by default that of the program.

    Examples
    --------
    >>> import sys
    >>> shorter = "import sys; a, b = sys.argv[1:]; print('left' if len(a) <= len(b) else 'right')"
    >>> judge = CommandJudge(f'{sys.executable} -c "{shorter}" {{left}} {{right}}')
    >>> judge("tea", "coffee", None)
    'left'
    """

    def __init__(self, command: str, timeout: float = 60.0, name: str | None = None):
        self.arguments, self.template = split_command(command), command
        if has_fields(command):
            # Braces within an argument may be the program's own.
            ours = " ".join(filter(is_field, self.arguments))
            check_template(command, f"the command {quote_answer(command)}", ours)
        if not timeout > 0:
            raise InvalidParameter(f"timeout is {timeout}; it must be more than 0 seconds.")
        self.timeout = timeout
        self.name = name or Path(self.arguments[0]).name

    def __call__(self, left: Any, right: Any, item: Any = None) -> str:
        """Return the outcome that the program prints."""
        arguments = [fill(argument, left, right, item) for argument in self.arguments]
        shown = {"left": _describe_option(left, item), "right": _describe_option(right, item)}
        told = json.dumps(shown | {"item": None if item is None else _describe_item(item)})
        answer = run_program(self.name, arguments, told, self.timeout)
        if not answer.strip():
            raise JudgeFailed(f"{self.name} printed nothing; it must print left, right, tie ...")
        word, _, reason = answer.strip().partition("\n")
        try:
            return Reasoned(parse_word(word), reason.strip())
        except JudgeFailed as error:
            raise JudgeFailed(f"{self.name}: {error}") from None


def split_command(command: str) -> list[str]:
    """Return a command's program and arguments, split as a shell would; refuse a program that is not there."""
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise InvalidParameter(
            f"the command {quote_answer(command)} has {error}; fix it."
        ) from None
    if not arguments:
        raise InvalidParameter("the command is empty; name a program.")
    if shutil.which(arguments[0]) is None:
        raise InvalidParameter(
            f"there is no program '{arguments[0]}'; check its spelling, its path and "
            "whether it may be executed."
        )
    return arguments


def run_program(name: str, arguments: list[str], shown: str, timeout: float) -> str:
    """Return what a program prints that reads this on its standard input; refuse one that fails, is too slow or prints too much."""
    pipe = subprocess.PIPE
    try:
        # In a session of its own: Ctrl-C is for the study, which lets calls under way finish.
        process = subprocess.Popen(
            arguments, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except (OSError, ValueError) as error:  # too long an argument, a null byte, a lost program
        raise JudgeFailed(f"{name} cannot be run: {error}.") from None
    answer, complaint = _Output(process.stdout, MOST), _Output(process.stderr)
    threading.Thread(target=_feed, args=(process.stdin, shown.encode()), daemon=True).start()
    try:
        end = time.monotonic() + timeout
        answer.join(max(0.0, end - time.monotonic()))
        if answer.is_too_long:
            raise JudgeFailed(f"{name} printed more than {MOST:,} bytes; it must print one word.")
        complaint.join(max(0.0, end - time.monotonic()))
        process.wait(max(0.0, end - time.monotonic()))
        if answer.is_alive() or complaint.is_alive():  # what it started goes on
            raise subprocess.TimeoutExpired(name, timeout)
    except subprocess.TimeoutExpired:
        raise JudgeFailed(
            f"{name} gave no answer within {timeout:g} seconds; "
            "make it faster, or raise the timeout."
        ) from None
    finally:
        _kill(process)
    if process.returncode != 0:
        last = complaint.text.strip().splitlines()[-1:] or ["nothing on standard error"]
        said = quote_answer(last[0])[1:-1]
        raise JudgeFailed(f"{name} ended with code {process.returncode}: {said}.")
    return answer.text


class _Output(threading.Thread):
    """What a program prints: all of it up to so many bytes, or else the last of it."""

    def __init__(self, stream: IO[bytes] | None, most: int | None = None):
        super().__init__(daemon=True)
        assert stream is not None
        self._stream, self._most = stream, most
        self._said = b""
        self.start()

    def run(self) -> None:
        """Read to the end; a program that prints too much finds nobody who reads."""
        with self._stream as stream:
            while (piece := stream.read1(PIECE)) and not self.is_too_long:  # type: ignore[attr-defined]
                self._said += piece
                if self._most is None:
                    self._said = self._said[-PIECE:]

    @property
    def is_too_long(self) -> bool:
        """Whether it is more than is read."""
        return self._most is not None and len(self._said) > self._most

    @property
    def text(self) -> str:
        """It as text."""
        return self._said.decode("utf-8", "replace")


def _feed(stream: IO[bytes], shown: bytes) -> None:
    with suppress(OSError), stream:  # it may end without having read
        stream.write(shown)


def _describe_option(option: Any, item: Any) -> dict[str, Any]:
    answer = answer_of(option, item)
    text = getattr(option, "text", "") if answer is None else answer
    return {"name": name_of(option), "text": text, "path": getattr(option, "path", "")}


def _describe_item(item: Any) -> dict[str, str]:
    expected = getattr(item, "expected", "")
    about = {"name": name_of(item), "text": item_text(item)}
    return about | ({"expected": expected} if expected else {})


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program that is still running, with whatever it has started."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
