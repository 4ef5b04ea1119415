"""What ends a command early: Ctrl-C, when no code of a command could catch it, and a reader who leaves, as ``head`` does."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 130  # the exit code
READER_LEFT = 141  # the exit code: 128 + SIGPIPE, as shells report a program that the signal ended


def stop_at_once(*_signal: Any) -> NoReturn:
    """Say so and end: while Python imports, an exception may come out as another or be lost."""
    os.write(2, b"copeland: stopped.\n")
    os._exit(INTERRUPTED)


def stop_unless_running() -> AbstractContextManager[None]:
    """Stop at once on Ctrl-C wherever no command runs, and not at all while Python ends."""
    return _handle(signal.default_int_handler, stop_at_once, signal.SIG_IGN)


def raise_while_running() -> AbstractContextManager[None]:
    """Have Ctrl-C raise KeyboardInterrupt while a command runs, which can clean up."""
    return _handle(stop_at_once, _raise_unless_importing, stop_at_once)


def _raise_unless_importing(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; but commands import what they need when they begin, and then stop at once."""
    caller = frame
    while caller is not None:
        if caller.f_code.co_filename.startswith("<frozen importlib"):
            stop_at_once()
        caller = caller.f_back
    signal.default_int_handler(number, frame)


@contextmanager
def _handle(before: Any, during: Any, after: Any) -> Iterator[None]:
    """Have Ctrl-C do ``during`` and then ``after``, if it does ``before`` now."""
    if signal.getsignal(signal.SIGINT) is not before:
        yield  # whoever started the program has other plans
        return
    signal.signal(signal.SIGINT, during)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, after)


@contextmanager
def exit_when_reader_leaves() -> Iterator[None]:
    """Exit without a word, with 141, if nobody reads an output any more.

    The signal itself would also end a server whose visitor hangs up, so we catch the error instead.
    """
    try:
        yield
    except (BrokenPipeError, SystemExit) as end:
        # Typer and rich turn the error into SystemExit(1), which would mean that the answer is no.
        if not isinstance(end.__context__ if isinstance(end, SystemExit) else end, BrokenPipeError):
            raise
        drop_output("stdout", "stderr")
        sys.exit(READER_LEFT)


def drop_output(*names: str) -> None:
    """Let what is still to be written go nowhere, or Python would complain about it at its end."""
    for name in names:
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, getattr(sys, name).fileno())
            os.close(nowhere)
