"""What can go wrong, in sentences. Each error is also a builtin, so you can catch either."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib import import_module
from typing import Any


class CopelandError(Exception):
    """Any error that this package raises on purpose.

    Examples
    --------
    >>> import copeland
    >>> try:
    ...     copeland.Policy("copelandpac", k=3)
    ... except copeland.CopelandError as error:
    ...     print(error)
    there is no algorithm 'copelandpac'; did you mean 'copeland-pac'?
    """

    def __str__(self) -> str:
        # KeyError would print its message in quotes; a sentence is printed as it is.
        return str(self.args[0]) if self.args else ""


class InvalidMatrix(CopelandError, ValueError):
    """Numbers, labels or a file that cannot be a preference matrix."""


class InvalidParameter(CopelandError, ValueError):
    """A parameter outside the range in which it means anything; ``field`` names it if it is a setting of a study."""

    def __init__(self, message: str = "", field: str | None = None):
        super().__init__(message)
        self.field = field


class Undefined(CopelandError, ValueError):
    """A quantity that does not exist for this problem."""


class UnknownName(CopelandError, KeyError):
    """A name that nothing is registered under."""


class UnknownAlgorithm(UnknownName):
    """A name that no algorithm has."""


class InvalidAlgorithm(CopelandError, ImportError):
    """An algorithm that cannot be loaded from its file or package, or that names an option which is not there."""


class UnknownProblem(UnknownName):
    """A name that is neither a problem nor a file."""


class UnknownDuel(CopelandError, KeyError):
    """An answer to a duel that was never asked, or was answered before."""


class FolderExists(CopelandError, FileExistsError):
    """A result folder or a file that exists and must not be replaced."""


class InvalidResult(CopelandError, ValueError):
    """A folder that does not hold the results of a simulation, or holds damaged ones."""


class DataError(CopelandError, RuntimeError):
    """A data set that cannot be downloaded, cannot be stored, or is not there yet."""


class UnknownStudy(UnknownName):
    """A name that no study of this storage has."""


class UnknownOption(UnknownName):
    """A name that no option of the study has."""


class UnknownBallot(CopelandError, KeyError):
    """A ballot that the study never handed out."""


class UnknownVote(CopelandError, KeyError):
    """A vote that is not in the log, or was undone before."""


class StudyExists(CopelandError, ValueError):
    """A study whose name, or whose settings, another one has taken."""


class StudyClosed(CopelandError, RuntimeError):
    """A study that takes no more votes."""


class InvalidVote(CopelandError, ValueError):
    """An answer that is not an outcome, or names an option that is not on the ballot."""


class InvalidRow(CopelandError, ValueError):
    """A row of a file or table that cannot be read as an option, a vote or an event."""


class AlreadyVoted(CopelandError, RuntimeError):
    """A ballot that was answered before."""


class Conflict(CopelandError, ValueError):
    """A vote under the ``event_id`` of another vote."""


class StorageError(CopelandError, RuntimeError):
    """A database that cannot be reached, read or written, or that another version made."""


class Interrupted(CopelandError, KeyboardInterrupt):
    """Work stopped by Ctrl-C; ``runs`` holds what was finished (None if nothing was)."""

    def __init__(self, message: str, runs: object = None):
        super().__init__(message)
        self.runs = runs


class MissingExtra(CopelandError, ImportError):
    """A package that something optional needs, and that is not installed."""


class AssumptionWarning(UserWarning):
    """An algorithm runs on a problem that does not meet its assumptions."""


class AlgorithmWarning(UserWarning):
    """An algorithm that cannot be compiled, or that its package cannot load."""


def need(package: str, extra: str, what: str) -> Any:
    """Return a package that an extra brings; if it is missing, say what needs it and how to get it.

    Examples
    --------
    >>> need("pendulums", extra="clocks", what="a clock")
    Traceback (most recent call last):
    copeland.errors.MissingExtra: a clock needs pendulums: pip install 'copeland[clocks]', or pip install '.[clocks]' in a checkout.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise missing(error.name or package, extra, what) from error


def missing(package: str, extra: str, what: str) -> MissingExtra:
    """Return the error that names what needs a package, and the extra that brings it.

    Examples
    --------
    >>> print(missing("pendulums", extra="clocks", what="a clock"))
    a clock needs pendulums: pip install 'copeland[clocks]', or pip install '.[clocks]' in a checkout.
    """
    return MissingExtra(
        f"{what} needs {package}: pip install 'copeland[{extra}]', or pip install '.[{extra}]' in a checkout."
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the known name closest to ``name``, or lists them all.

    Examples
    --------
    >>> nearest("coplend-pac", ["ccb", "copeland-pac"])
    "did you mean 'copeland-pac'?"
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else f"known names: {', '.join(names)}."
