"""A bar for what takes long: after two seconds, in a terminal or a notebook, and nowhere else."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

AFTER = 2.0  # seconds
_AGAIN = 0.3  # seconds between two looks of a bar in a notebook

Tell = Callable[[int, int], None]


class _Bar(Protocol):
    def start(self) -> None: ...
    def tell(self, done: int, total: int) -> None: ...
    def stop(self) -> None: ...


@contextmanager
def waiting(what: str, progress: Tell | None = None) -> Iterator[Tell]:
    """Give a function to be called with (done, in all, 0 if nobody knows): a bar shows it if that takes long.

    Parameters
    ----------
    what
        What is counted: ``"runs"``.
    progress
        The caller's own function, which is then given back; there is no bar.
    """
    bar = None if progress is not None else _bar(what)
    if bar is None:
        yield progress or (lambda done, total: None)
        return
    # Compiling takes long before anything is done, so a clock shows the bar, not the first news.
    clock = threading.Timer(AFTER, copy_context().run, [bar.start])
    clock.daemon = True
    clock.start()
    try:
        yield bar.tell
    finally:
        clock.cancel()
        bar.stop()


def columns_bar(console: Console, shown: bool = True) -> Progress:
    """Return a bar of rich with what is done, how long it took and how long it will take."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not shown,
        speed_estimate_period=600,  # pieces take from moments to minutes: look far back
    )


def _bar(what: str) -> _Bar | None:
    """The bar that can be shown here; none in a thread, as a server would have it in its log."""
    if threading.current_thread() is not threading.main_thread():
        return None
    if _is_notebook():
        return _NotebookBar(what)
    return _TerminalBar(what) if sys.stderr is not None and sys.stderr.isatty() else None


def _is_notebook() -> bool:
    known = sys.modules.get("IPython")
    shell = None if known is None else known.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _TerminalBar:
    """A bar on standard error."""

    def __init__(self, what: str) -> None:
        from rich.console import Console

        self._bar = columns_bar(Console(file=sys.stderr))
        self._task = self._bar.add_task(what, total=None)
        self._lock, self._over = threading.Lock(), False

    def start(self) -> None:
        with self._lock:
            if not self._over:
                self._bar.start()

    def tell(self, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total or None)

    def stop(self) -> None:
        with self._lock:
            self._over = True
            self._bar.stop()


class _NotebookBar:
    """A bar below the cell, which is gone at the end; it needs no widgets."""

    def __init__(self, what: str) -> None:
        self._what, self._begun, self._looked = what, time.monotonic(), 0.0
        self._done, self._total = 0, 0
        self._shown: Any = None
        self._lock, self._over = threading.Lock(), False

    def start(self) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found]

        with self._lock:
            if not self._over:
                self._shown = display(HTML(self._text()), display_id=True)

    def tell(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        if time.monotonic() - self._looked > _AGAIN:
            self._looked = time.monotonic()
            self._update(self._text())

    def stop(self) -> None:
        with self._lock:
            self._over = True
        self._update("")

    def _update(self, text: str) -> None:
        if self._shown is not None:
            from IPython.display import HTML  # type: ignore[import-not-found]

            self._shown.update(HTML(text))

    def _text(self) -> str:
        passed = f"{time.monotonic() - self._begun:.0f} s"
        if not self._total:
            return f"<progress></progress> {self._what}: {passed}"
        bar = f'<progress value="{self._done}" max="{self._total}"></progress>'
        return f"{bar} {self._what}: {self._done:,} of {self._total:,}, {passed}"
