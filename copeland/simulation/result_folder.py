"""The result folder of a simulation: a manifest and one table, each written whole or not at all.

``manifest.json`` says what was run and with which versions; ``runs.npz`` holds the long table of
:meth:`copeland.Runs.columns`, one array for each column, with the marks, and the seconds of each algorithm.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copeland.errors import FolderExists, InvalidParameter, InvalidResult
from copeland.simulation.runs import Curves, Runs
from copeland.support.atomic_files import write_file
from copeland.support.npz import pack_arrays, read_arrays
from copeland.support.rng import versions
from copeland.version import __version__

FORMAT = 1
MANIFEST = "manifest.json"
TABLE = "runs.npz"
UNFINISHED = "unfinished"  # holds the runs of a simulation that is not finished

_ABOUT = ("problem", "key", "k", "redrawn", "horizon", "seed", "regret", "interrupted")


def write(
    runs: Runs,
    folder: str | Path,
    force: bool = False,
    command: str = "",
    lower_bound: float | None = None,
) -> None:
    """Write a simulation into a folder, which is made if need be.

    Parameters
    ----------
    force
        Replace the results in a folder that is not empty; files of other names stay.
    command
        The command that gives these numbers again, for the manifest.
    lower_bound
        The least regret per ln T that theory allows, to be drawn beside them.
    """
    check_folder(folder, force)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # The manifest goes first and comes last: with one, a folder is complete.
    (folder / MANIFEST).unlink(missing_ok=True)
    seconds = np.array([curve.seconds for curve in runs.curves])
    write_file(
        folder / TABLE, pack_arrays({**runs.columns(), "marks": runs.marks, "seconds": seconds})
    )
    text = json.dumps(_describe_runs(runs, command, lower_bound), indent=2) + "\n"
    write_file(folder / MANIFEST, text.encode())


def read(folder: str | Path) -> Runs:
    """Return the simulation that :func:`write` put into a folder."""
    about = manifest(folder)
    with _refusing_damage(Path(folder) / TABLE) as path:
        table = read_arrays(path)
        runs = _restore_runs(about, table)
        if not all(_same(table[name], column) for name, column in runs.columns().items()):
            raise ValueError(f"the table does not fit {MANIFEST}")
        return runs


def manifest(folder: str | Path) -> dict[str, Any]:
    """Return what a result folder says about itself: the problem, seed, versions, command."""
    if not os.path.isdir(folder):  # which is False for names that no file can have
        raise InvalidResult(f"{folder}: there is no such folder.")
    with _refusing_damage(Path(folder) / MANIFEST) as path:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["format"] == FORMAT:
            return about
    raise InvalidResult(
        f"{folder}: the results have format {about['format']}, and copeland {__version__} reads "
        f"format {FORMAT}; read them with the version that wrote them."
    )


def check_folder(folder: str | Path, force: bool = False, command: str = "") -> None:
    """Refuse a folder that :func:`write` could not use: to be called before a long simulation.

    One in which the same command was stopped can be used.
    """
    folder = Path(folder)
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.exists(path))
    if not there.is_dir():
        raise InvalidParameter(f"{folder}: {there} is a file; name a folder.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InvalidParameter(f"{folder}: no permission to write in {there}; name another folder.")
    if there == folder and not (force or _may_go_on(folder, command)):
        raise FolderExists(
            f"{folder} exists and is not empty; name another folder, or replace the results in it "
            "with --force (in Python: force=True)."
        )


def _may_go_on(folder: Path, command: str) -> bool:
    """Whether there is nothing in a folder but what the same command left when it was stopped."""
    if {path.name for path in folder.iterdir()} <= {UNFINISHED}:
        return True
    try:
        about = manifest(folder)
        return bool(command) and about["command"] == command and about["interrupted"]
    except (InvalidResult, KeyError, TypeError):
        return False


def _describe_runs(runs: Runs, command: str, lower_bound: float | None) -> dict[str, Any]:
    done = [
        {
            "name": curve.name,
            "params": curve.params,
            "runs": len(curve.regret),
            "marks": len(curve.marks),
            "independent": curve.independent,
        }
        for curve in runs.curves
    ]
    return {
        "format": FORMAT,
        **{name: getattr(runs, name) for name in _ABOUT},
        "algorithms": done,
        "versions": versions(),
        "command": command,
        "lower_bound": lower_bound,
    }


def _restore_runs(about: dict[str, Any], table: dict[str, NDArray[Any]]) -> Runs:
    shapes = [(done["runs"], done["marks"]) for done in about["algorithms"]]
    ends = np.cumsum([runs * marks for runs, marks in shapes])
    columns = {
        name: [
            part.reshape(shape)
            for part, shape in zip(np.split(table[name], ends[:-1]), shapes, strict=True)
        ]
        for name in ("t", "regret", "comparisons", "answer", "correct")
    }
    curves = tuple(
        Curves(
            name=done["name"],
            params=done["params"],
            marks=columns["t"][place][0],
            answers=columns["answer"][place],
            **{name: columns[name][place] for name in ("regret", "comparisons", "correct")},
            seconds=float(table["seconds"][place]),
            independent=done["independent"],
        )
        for place, done in enumerate(about["algorithms"])
    )
    return Runs(**{name: about[name] for name in _ABOUT}, marks=table["marks"], curves=curves)


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two columns are equal; a run that was cut has no number where it did not come to."""
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def folders(folder: str | Path) -> list[Path]:
    """Return the result folders at a place: the folder itself, or those right below it.

    A reproduction has one below it for each of its experiments.
    """
    folder = Path(folder)
    if (folder / MANIFEST).exists() or not folder.is_dir():
        return [folder]
    return sorted(path.parent for path in folder.glob(f"*/{MANIFEST}")) or [folder]


@contextmanager
def _refusing_damage(path: Path) -> Iterator[Path]:
    """Give a file of the folder to read; what goes wrong with it becomes a sentence."""
    try:
        yield path
    except FileNotFoundError:
        raise InvalidResult(
            f"{path.parent}: there is no {path.name} in it; it is not the result folder of a "
            "simulation, or a crash left it unfinished."
        ) from None
    except KeyError as error:
        raise InvalidResult(f"{path} is damaged: {error} is missing.") from error
    except RecursionError:
        raise InvalidResult(f"{path} is damaged: it is nested too deeply.") from None
    except (OSError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise InvalidResult(f"{path} is damaged: {error}.") from error
