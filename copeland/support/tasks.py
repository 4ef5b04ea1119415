"""Tasks whose results are kept: what is finished is never done twice, wherever it was done.

A task says what its result depends on; the digest of that names the file in which the result is kept. So
a run that was stopped goes on where it was, and a change of a seed, a size or an algorithm's source
redoes just what depends on it. Tasks run through joblib: on this machine, or on a Dask or Ray cluster.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from copeland.errors import Interrupted, InvalidParameter, need
from copeland.support.atomic_files import write_file
from copeland.support.npz import pack_arrays, read_arrays
from copeland.support.progress import Load, Pace, Tell, progress_bar, samples_first, tell_left

BACKENDS = ("loky", "dask", "ray")
FOLDER = "cells"

Arrays = dict[str, NDArray[Any]]


class Task(Protocol):
    """A piece of work whose result is fixed by what it says about itself.

    The result may hold ``seconds``: how long it took, without what is done once, such as compiling.
    """

    def about(self) -> dict[str, Any]:
        """Return everything that the result depends on, ready for JSON."""
        ...

    def run(self) -> Arrays:
        """Return the result."""
        ...


def key_of(task: Task) -> str:
    """Return the name under which a task's result is kept."""
    text = json.dumps(task.about(), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def finish(
    tasks: Sequence[Task],
    folder: Path | None,
    jobs: int = 1,
    backend: str = "loky",
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[str], None] | None = None,
    loads: Sequence[Load] | None = None,
) -> list[Arrays]:
    """Return the results of all tasks, in their order; those on disk are read, the rest are run.

    Ctrl-C raises :class:`~copeland.errors.Interrupted`, whose ``runs`` are the results so far, with
    None in the place of those that lack.

    Parameters
    ----------
    folder
        Where results are kept, in a folder of their own; None keeps nothing.
    jobs
        Processes, or workers of a local cluster; no number depends on it.
    backend
        ``loky`` (this machine), ``dask`` or ``ray``: the cluster this process is connected to, else a
        local one of ``jobs`` workers.
    progress
        Called with (tasks done, tasks in all); by default a bar shows it, if it takes over two seconds.
    note
        Called with a sentence for each damaged file, which is then done again.
    loads
        What is like each task, for the estimate of the time left; by default all tasks are alike.
    """
    check_workers(jobs, backend)
    files = _files(tasks, folder)
    results = [_read(file, note) for file in files]
    missing = [place for place, arrays in enumerate(results) if arrays is None]
    loads = [Load("task")] * len(tasks) if loads is None else loads
    pace = _pace(loads, results, jobs)
    order = [missing[at] for at in samples_first([loads[place] for place in missing])]
    done = len(tasks) - len(missing)
    try:
        with progress_bar("parts", progress) as tell:
            _tell(tell, done, len(tasks), pace)
            for place, arrays, seconds in _run_all({at: tasks[at] for at in order}, jobs, backend):
                file = files[place]
                if file is not None:
                    write_file(file, pack_arrays(arrays))
                results[place] = arrays
                done += 1
                pace.mark_done(loads[place], seconds)
                _tell(tell, done, len(tasks), pace)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped after {done} of {len(tasks)} tasks.", results) from None
    return [arrays for arrays in results if arrays is not None]


def _pace(loads: Sequence[Load], results: Sequence[Arrays | None], jobs: int) -> Pace:
    """How fast tasks went so far: those on disk may say how long they took."""
    pairs = list(zip(loads, results, strict=True))
    pace = Pace([load for load, arrays in pairs if arrays is None], jobs)
    for load, arrays in pairs:
        if arrays is not None and "seconds" in arrays:
            pace.learn(load, float(arrays["seconds"].sum()))
    return pace


def _tell(tell: Tell, done: int, total: int, pace: Pace) -> None:
    tell_left(tell, pace.left())
    tell(done, total)


def is_kept(task: Task, folder: Path) -> bool:
    """Tell whether a folder has the result of a task."""
    return _file(task, folder).exists()


def check_workers(jobs: int, backend: str) -> None:
    """Refuse what :func:`finish` could not run tasks on: to be called before what takes long."""
    if jobs < 1:
        raise InvalidParameter(f"jobs is {jobs}; it must be at least 1.")
    if backend not in BACKENDS:
        raise InvalidParameter(f"backend is {backend!r}; choose one of {', '.join(BACKENDS)}.")


def _files(tasks: Sequence[Task], folder: Path | None) -> list[Path | None]:
    """Where the result of each task is kept."""
    if folder is None:
        return [None] * len(tasks)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    return [_file(task, folder) for task in tasks]


def _file(task: Task, folder: Path) -> Path:
    return folder / FOLDER / f"{key_of(task)}.npz"


def _run_all(
    tasks: dict[int, Task], jobs: int, backend: str
) -> Iterator[tuple[int, Arrays, float]]:
    items = list(tasks.items())
    if backend == "loky" and (jobs == 1 or len(items) == 1):
        yield from (_run(*item) for item in items)
        return
    if not items:
        return
    import joblib

    # More processes than tasks, and on this machine than cores, would only wait for each other.
    jobs = min(jobs, len(items), max(2, joblib.cpu_count()) if backend == "loky" else jobs)
    with _CLUSTERS[backend](jobs), joblib.parallel_config(backend=backend, n_jobs=jobs):
        # Clusters hand results back together only, so they get the work in portions.
        portion = len(items) if backend == "loky" else 8 * jobs
        how = "generator_unordered" if backend == "loky" else "list"
        for first in range(0, len(items), portion):
            parallel = joblib.Parallel(n_jobs=jobs, return_as=how)
            part = items[first : first + portion]
            yield from parallel(joblib.delayed(_run)(*item) for item in part)  # type: ignore[misc]


def _run(place: int, task: Task) -> tuple[int, Arrays, float]:
    start = time.perf_counter()
    arrays = task.run()
    passed = time.perf_counter() - start
    return place, arrays, float(arrays["seconds"].sum()) if "seconds" in arrays else passed


@contextmanager
def _dask(jobs: int) -> Iterator[None]:
    client = need("dask.distributed", "dask", "the dask backend").Client
    try:
        client.current()
    except ValueError:
        # Any free port: another cluster on this machine may have the usual one.
        with client(n_workers=jobs, threads_per_worker=1, dashboard_address=":0"):
            yield
    else:
        yield


@contextmanager
def _ray(jobs: int) -> Iterator[None]:
    ray = need("ray", "ray", "the ray backend")
    need("ray.util.joblib", "ray", "the ray backend").register_ray()
    started = not ray.is_initialized()
    if started:
        ray.init(num_cpus=jobs, include_dashboard=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        if started:
            ray.shutdown()


# The cluster at hand, or a local one that is taken down again.
_CLUSTERS = {"loky": nullcontext, "dask": _dask, "ray": _ray}


def _read(path: Path | None, note: Callable[[str], None] | None) -> Arrays | None:
    """Return a kept result; None if there is none, or none that can be read."""
    if path is None or not path.exists():
        return None
    try:
        return read_arrays(path)
    except (OSError, ValueError) as error:
        if note is not None:
            note(f"{path} is damaged ({error}); this part is done again.")
        return None
