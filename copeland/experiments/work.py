"""The work of a reproduction: tasks of several kinds, done and kept in one place, told of as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from copeland.cells import Cell
from copeland.comparisons import load_of as load_of_cell
from copeland.compiling import compiled_where_possible
from copeland.experiments.subset_tasks import SubsetTask
from copeland.pace import Load
from copeland.tasks import Arrays, Task, finish, is_kept
from copeland.waiting import Tell, tell_left, waiting


@dataclass
class Work:
    """Where work is done and kept, and who is told of its progress."""

    folder: Path
    jobs: int
    backend: str
    progress: Tell | None
    note: Callable[[str], None] | None
    total: int
    before: int = 0  # what earlier calls have finished

    def finish(self, tasks: Sequence[Task]) -> Iterator[Arrays]:
        """Give the results of tasks, in their order."""
        tasks = _compiled(tasks, self.folder, self.note)
        loads = [load_of(task) for task in tasks]
        with waiting("parts", self.progress) as tell:
            told = _Told(tell, self.before, self.total, last=self.before + len(tasks) >= self.total)
            done = finish(tasks, self.folder, self.jobs, self.backend, told, self.note, loads)
        self.before += len(tasks)
        return iter(done)


@dataclass(frozen=True)
class _Told:
    """Tells of a part of the work as of all of it."""

    tell: Tell
    before: int
    total: int
    last: bool

    def __call__(self, done: int, total: int) -> None:
        self.tell(self.before + done, self.total)

    def left(self, seconds: float | None) -> None:
        """Show an estimate only in the last part: what comes after another is like nothing that was seen."""
        tell_left(self.tell, seconds if self.last else None)


def load_of(task: Task) -> Load:
    """Return what is like a task."""
    if isinstance(task, Cell):
        return load_of_cell(task)
    if isinstance(task, SubsetTask):
        return Load(("subsets", task.matrix.key, task.lotteries), task.k)
    return Load(type(task).__qualname__)


def _compiled(
    tasks: Sequence[Task], folder: Path, note: Callable[[str], None] | None
) -> list[Task]:
    """Compile what is still to be run before the work begins: two processes would each compile it."""
    cells = {
        place: task
        for place, task in enumerate(tasks)
        if isinstance(task, Cell) and not is_kept(task, folder)
    }
    ready = dict(zip(cells, compiled_where_possible(list(cells.values()), note), strict=True))
    return [ready.get(place, task) for place, task in enumerate(tasks)]
