"""A reader that leaves early, as ``head`` does in ``copeland algorithms | head``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

READER_LEFT = 141  # the exit code: 128 + SIGPIPE, as shells report a program that the signal ended


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
