"""The bar that long commands show: what is done, how long it took and how long it will take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from copeland.cli.shell import progress_console
from copeland.waiting import Bar, columns_bar, ends_at

if TYPE_CHECKING:
    from rich.progress import Progress

COMPILING = "starting (the first time, compiling)"


@contextmanager
def progress_bar(what: str, starting: str = COMPILING) -> Iterator[Bar]:
    """Show a bar with the time left on standard error, if that is a terminal.

    Gives a function to be called with (done, in all); until it is, the bar says ``starting``.
    """
    console = progress_console()
    with columns_bar(console, shown=console.is_terminal) as bar:
        yield _Advance(bar, what, starting)


class _Advance:
    """Moves a bar of rich."""

    def __init__(self, bar: Progress, what: str, starting: str) -> None:
        self._bar, self._what, self._begun = bar, what, False
        self._task = bar.add_task(starting, total=None)

    def __call__(self, done: int, total: int) -> None:
        if not self._begun:
            # What was done before took no time now: the estimate begins here.
            self._begun = True
            self._bar.reset(self._task, description=self._what, completed=done, total=total)
        self._bar.update(self._task, completed=done)

    def say(self, sentence: str) -> None:
        self._bar.update(self._task, description=sentence)

    def left(self, seconds: float | None) -> None:
        self._bar.update(self._task, ends=ends_at(seconds))
