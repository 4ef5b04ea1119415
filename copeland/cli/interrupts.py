"""Ctrl-C before a command begins and after it has ended, when no code of ours could catch it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 130  # the exit code


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
