"""A bar for what takes long, and how long the rest takes, judged by what is done.

A bar shows after two seconds, in a terminal or a notebook, and nowhere else.

Tasks differ in cost by orders of magnitude, so they are not counted evenly: a task is judged by those of its own kind,
and by size between those that were seen. Where nothing like it was seen, there is no estimate.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from contextvars import copy_context
from typing import Any, NamedTuple

import numpy as np

from copeland.support.escaping import inert

AFTER = 2.0  # seconds
_AGAIN = 0.1  # seconds between two looks of a bar
_LEAST = 1e-9  # seconds: a clock may say that no time passed

Tell = Callable[[int, int], None]


@contextmanager
def progress_bar(what: str, progress: Tell | None = None, starting: str = "") -> Iterator[Tell]:
    """Give a function to be called with (done, in all, 0 if nobody knows): a bar shows it if that takes long.

    Parameters
    ----------
    what
        What is counted: ``"runs"``.
    progress
        The caller's own function, which is then given back; there is no bar.
    starting
        What the bar says until something is counted; it is then shown at once.
    """
    if progress is not None or not _is_watched():
        yield progress or (lambda done, total: None)
        return
    bar = Bar(what, starting)
    # A thread of its own, as compiling takes long before anything is counted, and tqdm looks at its delay only
    # when something is. The context says below which cell of a notebook the bar belongs.
    thread = threading.Thread(target=copy_context().run, args=[bar.show], daemon=True)
    thread.start()
    try:
        yield bar
    finally:
        bar.over.set()
        thread.join()


def tell_left(tell: Tell, seconds: float | None) -> None:
    """Hand an estimate to a bar; a function of the caller's own hears only what is done."""
    getattr(tell, "left", lambda seconds: None)(seconds)


def tell_what(tell: Tell, sentence: str) -> None:
    """Let a bar show what takes time before anything is counted."""
    getattr(tell, "say", lambda sentence: None)(sentence)


def _is_watched() -> bool:
    """Whether somebody sees a bar; a server's threads would have it in its log."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    return in_main_thread and (_is_notebook() or _is_terminal())


def _is_notebook() -> bool:
    known = sys.modules.get("IPython")
    shell = None if known is None else known.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class Bar:
    """What is done, shown by tqdm; the time left is as it was told, or by counting where it was not."""

    def __init__(self, what: str, starting: str) -> None:
        with warnings.catch_warnings():  # not in the thread, as filters are everybody's
            warnings.simplefilter("ignore")  # a notebook without widgets shows letters
            from tqdm.auto import tqdm
            from tqdm.contrib import DummyTqdmFile

        self.over = threading.Event()
        self._tqdm: Any = tqdm
        self._lines_above: Any = DummyTqdmFile
        self._what, self._said = what, starting or what
        self._after = 0.0 if starting else AFTER
        self._done = self._total = 0
        self._first: int | None = None  # what was done before took no time now
        self._begun = time.time()
        self._unknown, self._ends = "{remaining}", 0.0

    def __call__(self, done: int, total: int) -> None:
        """Show what is done."""
        if self._first is None:
            self._first, self._begun = done, time.time()
        self._done, self._total, self._said = done, total, self._what

    def left(self, seconds: float | None) -> None:
        """Show how long the rest takes, from now on; None says that nobody can tell yet."""
        self._unknown = "?"
        self._ends = 0.0 if seconds is None else time.time() + seconds

    def say(self, sentence: str) -> None:
        """Show what is being done, until something is counted."""
        self._said = sentence

    def show(self) -> None:
        """Show the bar, if it is not over before; at the end it is gone."""
        if self.over.wait(self._after):
            return
        file = sys.stderr
        # Sentences that others write go above the bar.
        above = redirect_stderr(self._lines_above(file)) if _is_terminal() else nullcontext()
        # tqdm would hide a bar in a terminal that says that it has no size.
        size = {"ncols": 80, "nrows": 24} if _has_no_size(file) else {"dynamic_ncols": True}
        bar = self._tqdm(file=file, leave=False, smoothing=0, bar_format=" ", **size)
        with above:
            while not self.over.wait(_AGAIN):
                self._draw(bar)
        bar.total = None  # or a notebook would keep what was interrupted
        bar.close()

    def _draw(self, bar: Any) -> None:
        if self._first is None:
            bar.bar_format = "{desc} [{elapsed}]"
        else:
            seconds = max(0.0, self._ends - time.time())
            left = bar.format_interval(seconds) if self._ends else self._unknown
            bar.bar_format = (
                f"{{desc}} |{{bar}}| {{n_fmt}}/{{total_fmt}} [{{elapsed}}, left: {left}]"
            )
        if self._total and bar.total != self._total:
            bar.reset(self._total)
        bar.n, bar.initial, bar.start_t = self._done, self._first or 0, self._begun
        bar.set_description_str(inert(self._said))


def _has_no_size(file: Any) -> bool:
    try:
        return 0 in os.get_terminal_size(file.fileno())
    except (OSError, ValueError):  # no terminal
        return False


class Load(NamedTuple):
    """What a task costs, as far as one can tell before it runs."""

    kind: Hashable  # tasks of one kind and size take about as long
    size: float = 1.0  # what makes one longer than another of its kind, such as a horizon
    times: int = 1  # how often the same is done


def samples_first(loads: Sequence[Load]) -> list[int]:
    """Return the places of tasks in the order to run them: the smallest and the largest of each kind come first."""
    ends: dict[Hashable, tuple[int, int]] = {}
    for place, load in enumerate(loads):
        least, most = ends.get(load.kind, (place, place))
        ends[load.kind] = (
            place if load.size < loads[least].size else least,
            place if load.size > loads[most].size else most,
        )
    first = sorted({place for pair in ends.values() for place in pair})
    return first + sorted(set(range(len(loads))) - set(first))


class Pace:
    """What is left to do, and how long the same took so far."""

    def __init__(self, loads: Sequence[Load], workers: int = 1) -> None:
        self._left = Counter(loads)
        self._workers = workers
        self._seen: dict[Hashable, dict[float, tuple[float, int]]] = defaultdict(dict)

    def learn(self, load: Load, seconds: float) -> None:
        """Take note of how long a task took that was done before."""
        took, times = self._seen[load.kind].get(load.size, (0.0, 0))
        self._seen[load.kind][load.size] = took + seconds, times + load.times

    def mark_done(self, load: Load, seconds: float) -> None:
        """Take note of a task that is done now."""
        self._left -= Counter([load])
        self.learn(load, seconds)

    def left(self) -> float | None:
        """Return the seconds that the rest takes; None while a part of it is like nothing that was seen."""
        each = {load: self._seconds(load) for load in self._left}
        if any(seconds is None for seconds in each.values()):
            return None
        total = sum(self._left[load] * (seconds or 0.0) for load, seconds in each.items())
        return total / max(1, min(self._workers, self._left.total()))

    def _seconds(self, load: Load) -> float | None:
        """What a task will take: between two sizes that were seen, as a power of the size."""
        seen = self._seen.get(load.kind, {})
        if not seen or not min(seen) <= load.size <= max(seen):
            return None
        sizes = sorted(seen)
        means = [max(took / times, _LEAST) for took, times in map(seen.__getitem__, sizes)]
        if load.size in seen:
            return load.times * means[sizes.index(load.size)]
        each = np.exp(np.interp(np.log(load.size), np.log(sizes), np.log(means)))
        return load.times * float(each)
