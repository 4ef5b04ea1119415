"""The bar that long commands show: what is done, how long it took and how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from copeland.cli.shell import progress_console
from copeland.waiting import columns_bar

COMPILING = "starting (the first time, compiling)"


@contextmanager
def progress_bar(what: str, starting: str = COMPILING) -> Iterator[Callable[[int, int], None]]:
    """Show a bar with the time left on standard error, if that is a terminal.

    Gives a function to be called with (done, in all); until it is, the bar says ``starting``.
    """
    console = progress_console()
    with columns_bar(console, shown=console.is_terminal) as bar:
        task = bar.add_task(starting, total=None)
        begun: list[int] = []

        def advance(done: int, total: int) -> None:
            if not begun:
                # What was done before took no time now: the estimate begins here.
                begun.append(done)
                bar.reset(task, description=what, completed=done, total=total)
            bar.update(task, completed=done)

        yield advance
