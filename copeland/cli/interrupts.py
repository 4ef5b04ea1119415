"""Ctrl-C before a command begins and after it has ended, when no code of ours could catch it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

INTERRUPTED = 130  # the exit code


def stop_at_once(*_signal: Any) -> NoReturn:
    """Say so and end: while Python imports, an exception may come out as another or be lost."""
    os.write(2, b"copeland: stopped.\n")
    os._exit(INTERRUPTED)


@contextmanager
def guarded() -> Iterator[None]:
    """Stop at once on Ctrl-C wherever no command runs, and not at all while Python ends."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # whoever started the program has other plans
        return
    signal.signal(signal.SIGINT, stop_at_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt while a command runs, which can clean up."""
    if signal.getsignal(signal.SIGINT) is not stop_at_once:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, stop_at_once)
