"""A bar for what takes long: after two seconds, in a terminal or a notebook, and nowhere else."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

AFTER = 2.0  # seconds
_AGAIN = 0.3  # seconds between two looks of a bar in a notebook

Tell = Callable[[int, int], None]


class Bar(Protocol):
    """What shows progress, and the time left where somebody knows it better than by counting."""

    def __call__(self, done: int, total: int) -> None:
        """Show what is done."""
        ...

    def left(self, seconds: float | None) -> None:
        """Show how long the rest takes, from now on; None says that nobody can tell yet."""
        ...

    def say(self, sentence: str) -> None:
        """Show what is being done, until something is counted."""
        ...


class _Bar(Bar, Protocol):
    def start(self) -> None: ...
    def stop(self) -> None: ...


def tell_left(tell: Tell, seconds: float | None) -> None:
    """Hand an estimate to a bar; a function of the caller's own hears only what is done."""
    left = getattr(tell, "left", None)
    if left is not None:
        left(seconds)


def tell_what(tell: Tell, sentence: str) -> None:
    """Let a bar show what takes time before anything is counted."""
    say = getattr(tell, "say", None)
    if say is not None:
        say(sentence)


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
        yield bar
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
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        _left_column(),
        console=console,
        transient=True,
        disable=not shown,
        speed_estimate_period=600,  # pieces take from moments to minutes: look far back
    )


def _left_column() -> ProgressColumn:
    """The time left: as a task was told it, or by counting where it was not."""
    from rich.progress import Task, TimeRemainingColumn
    from rich.text import Text

    class Left(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            if "ends" not in task.fields or task.total is None:
                return super().render(task)
            ends = task.fields["ends"]
            if ends is None:
                return Text("-:--:--", style="progress.remaining")
            seconds = max(0, round(ends - time.monotonic()))
            return Text(str(timedelta(seconds=seconds)), style="progress.remaining")

    return Left()


def ends_at(seconds: float | None) -> float | None:
    """Return when, by the clock of this process, what takes so many seconds more is over."""
    return None if seconds is None else time.monotonic() + seconds


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
        self._what, self._task = what, self._bar.add_task(what, total=None)
        self._lock, self._over = threading.Lock(), False

    def start(self) -> None:
        with self._lock:
            if not self._over:
                self._bar.start()

    def __call__(self, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total or None, description=self._what)

    def say(self, sentence: str) -> None:
        self._bar.update(self._task, description=sentence)

    def left(self, seconds: float | None) -> None:
        self._bar.update(self._task, ends=ends_at(seconds))

    def stop(self) -> None:
        with self._lock:
            self._over = True
            self._bar.stop()


class _NotebookBar:
    """A bar below the cell, which is gone at the end; it needs no widgets."""

    def __init__(self, what: str) -> None:
        self._what, self._begun, self._looked = what, time.monotonic(), 0.0
        self._done, self._total = 0, 0
        self._said = ""
        self._left: float | None = None
        self._shown: Any = None
        self._lock, self._over = threading.Lock(), False

    def start(self) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found]

        with self._lock:
            if not self._over:
                self._shown = display(HTML(self._text()), display_id=True)

    def left(self, seconds: float | None) -> None:
        self._left = seconds

    def say(self, sentence: str) -> None:
        self._said = sentence
        self._update(self._text())

    def __call__(self, done: int, total: int) -> None:
        self._done, self._total, self._said = done, total, ""
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
        if not self._total or self._said:
            return f"<progress></progress> {self._said or self._what}: {passed}"
        bar = f'<progress value="{self._done}" max="{self._total}"></progress>'
        left = "" if self._left is None else f", about {timedelta(seconds=round(self._left))} left"
        return f"{bar} {self._what}: {self._done:,} of {self._total:,}, {passed}{left}"
