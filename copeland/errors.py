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
    """Numbers, labels or a file that cannot be a preference matrix.

    Examples
    --------
    >>> import copeland
    >>> copeland.PreferenceMatrix([[0.5, 1.2], [-0.2, 0.5]])
    Traceback (most recent call last):
    copeland.errors.InvalidMatrix: p[0, 1] is 1.2; every entry must be a probability between 0 and 1.
    """


class InvalidParameter(CopelandError, ValueError):
    """A parameter outside the range in which it means anything; ``field`` names it if it is a setting of a study.

    Examples
    --------
    >>> import copeland
    >>> copeland.Policy("ccb", k=3, alpha=0.4)
    Traceback (most recent call last):
    copeland.errors.InvalidParameter: ccb: alpha is 0.4; Algorithm 1 requires alpha > 1/2.
    """

    def __init__(self, message: str = "", field: str | None = None):
        super().__init__(message)
        self.field = field


class Undefined(CopelandError, ValueError):
    """A quantity that does not exist for this problem.

    Examples
    --------
    >>> import copeland
    >>> copeland.gaps.gap_min(copeland.PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]))
    Traceback (most recent call last):
    copeland.errors.Undefined: Delta_min is undefined: every pair ties exactly, so no gap is ...
    """


class UnknownName(CopelandError, KeyError):
    """A name that nothing is registered under.

    Examples
    --------
    >>> import copeland
    >>> try:
    ...     copeland.load("no-such-problem")
    ... except UnknownName:
    ...     print("refused")
    refused
    """


class UnknownAlgorithm(UnknownName):
    """A name that no algorithm has.

    Examples
    --------
    >>> import copeland
    >>> copeland.Policy("cbb", k=3)
    Traceback (most recent call last):
    copeland.errors.UnknownAlgorithm: there is no algorithm 'cbb'; did you mean 'scb'?
    """


class InvalidAlgorithm(CopelandError, ImportError):
    """An algorithm that cannot be loaded from its file or package, or that names an option which is not there.

    Examples
    --------
    >>> import copeland
    >>> copeland.simulate("cyclic-4", "no_such_file.py:MINE", 100)
    Traceback (most recent call last):
    copeland.errors.InvalidAlgorithm: there is no file no_such_file.py to take an algorithm from.
    """


class UnknownProblem(UnknownName):
    """A name that is neither a problem nor a file.

    Examples
    --------
    >>> import copeland
    >>> copeland.load("no-such-problem")
    Traceback (most recent call last):
    copeland.errors.UnknownProblem: there is no problem 'no-such-problem', nor is it a file ...
    """


class UnknownDuel(CopelandError, KeyError):
    """An answer to a duel that was never asked, or was answered before.

    Examples
    --------
    >>> import copeland
    >>> duel = copeland.Policy("ccb", k=3).ask()
    >>> copeland.Policy("ccb", k=3).tell(duel, winner=0)
    Traceback (most recent call last):
    copeland.errors.UnknownDuel: Duel(id=1, first=0, second=2) was never asked, or was ...
    """


class FolderExists(CopelandError, FileExistsError):
    """A result folder or a file that exists and must not be replaced.

    Examples
    --------
    >>> issubclass(FolderExists, FileExistsError)  # `except FileExistsError` catches it, too
    True
    """


class InvalidResult(CopelandError, ValueError):
    """A folder that does not hold the results of a simulation, or holds damaged ones.

    Examples
    --------
    >>> import tempfile
    >>> import copeland.simulation.result_folder
    >>> copeland.simulation.result_folder.read(tempfile.mkdtemp())
    Traceback (most recent call last):
    copeland.errors.InvalidResult: ...: there is no manifest.json in it; it is not the result folder ...
    """


class DataError(CopelandError, RuntimeError):
    """A data set that cannot be downloaded, cannot be stored, or is not there yet.

    Examples
    --------
    >>> issubclass(DataError, RuntimeError)  # `except RuntimeError` catches it, too
    True
    """


class UnknownStudy(UnknownName):
    """A name that no study of this storage has.

    Examples
    --------
    >>> import copeland
    >>> copeland.open_study("tea", copeland.study.Storage("memory"))
    Traceback (most recent call last):
    copeland.errors.UnknownStudy: there is no study 'tea' in memory; there are none yet.
    """


class UnknownOption(UnknownName):
    """A name that no option of the study has.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> study.pause_option("white")
    Traceback (most recent call last):
    copeland.errors.UnknownOption: there is no option 'white'; known names: black, green.
    """


class UnknownBallot(CopelandError, KeyError):
    """A ballot that the study never handed out.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> study.tell(99, "left")
    Traceback (most recent call last):
    copeland.errors.UnknownBallot: there is no ballot 99; ask for one first.
    """


class UnknownVote(CopelandError, KeyError):
    """A vote that is not in the log, or was undone before.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> study.undo("no-such-event")
    Traceback (most recent call last):
    copeland.errors.UnknownVote: there is no vote 'no-such-event' in this study.
    """


class StudyExists(CopelandError, ValueError):
    """A study whose name, or whose settings, another one has taken.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> copeland.create_study("tea", ["green", "black"], study.storage)
    Traceback (most recent call last):
    copeland.errors.StudyExists: there is a study 'tea' in memory already; open it, or choose ...
    """


class StudyClosed(CopelandError, RuntimeError):
    """A study that takes no more votes.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> ballot = study.ask()
    >>> study.close()
    >>> study.tell(ballot, "left")
    Traceback (most recent call last):
    copeland.errors.StudyClosed: the study is closed; it takes no more votes, unless you reopen it.
    """


class InvalidVote(CopelandError, ValueError):
    """An answer that is not an outcome, or names an option that is not on the ballot.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> study.tell(study.ask(), "maybe")
    Traceback (most recent call last):
    copeland.errors.InvalidVote: 'maybe' is not an outcome; known names: both_bad, error, ...
    """


class InvalidRow(CopelandError, ValueError):
    """A row of a file or table that cannot be read as an option, a vote or an event.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> study.add_votes([{"left": "green", "right": "green", "outcome": "left"}])
    Traceback (most recent call last):
    copeland.errors.InvalidRow: row 0: 'green' is on both sides. Nothing was imported.
    """


class InvalidToken(CopelandError, ValueError):
    """The token of an interleaved list that was forged or damaged, or is of another study.

    Examples
    --------
    >>> import copeland
    >>> rankers = copeland.create_study("rankers", ["bm25", "neural"], voters="people")
    >>> rankers.impressions(secret="0" * 32).clicks("forged", [1])
    Traceback (most recent call last):
    copeland.errors.InvalidToken: this token of a list was forged, damaged or signed with ...
    """


class AlreadyVoted(CopelandError, RuntimeError):
    """A ballot that was answered before.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> ballot = study.ask()
    >>> _ = study.tell(ballot, "left")
    >>> study.tell(ballot, "right")
    Traceback (most recent call last):
    copeland.errors.AlreadyVoted: ballot 2 was answered before; to change the answer, undo ...
    """


class Conflict(CopelandError, ValueError):
    """A vote under the ``event_id`` of another vote.

    Examples
    --------
    >>> import copeland
    >>> study = copeland.create_study("tea", ["green", "black"])
    >>> ballot, other = study.ask(n=2)
    >>> _ = study.tell(ballot, "left", event_id="one")
    >>> study.tell(other, "left", event_id="one")
    Traceback (most recent call last):
    copeland.errors.Conflict: another vote has the event_id 'one', so this one was not kept; ...
    """


class StorageError(CopelandError, RuntimeError):
    """A database that cannot be reached, read or written, or that a newer version wrote.

    Examples
    --------
    >>> import copeland
    >>> copeland.open_study("tea", "sqlite:////no/such/folder/votes.db")
    Traceback (most recent call last):
    copeland.errors.StorageError: there is no file ...
    """


class Interrupted(CopelandError, KeyboardInterrupt):
    """Work stopped by Ctrl-C; ``runs`` holds what was finished (None if nothing was).

    Examples
    --------
    >>> import copeland
    >>> def stop(done, total):
    ...     if done == 2:
    ...         raise KeyboardInterrupt
    >>> try:
    ...     copeland.simulate("cyclic-4", "random", 100, compiled=False, progress=stop)
    ... except Interrupted as stopped:
    ...     print(stopped.runs.runs)
    2
    """

    def __init__(self, message: str, runs: object = None):
        super().__init__(message)
        self.runs = runs


class MissingExtra(CopelandError, ImportError):
    """A package that something optional needs, and that is not installed.

    Examples
    --------
    >>> need("pendulums", extra="clocks", what="a clock")
    Traceback (most recent call last):
    copeland.errors.MissingExtra: a clock needs pendulums: pip install 'copeland[clocks]', or pip install '.[clocks]' in a checkout.
    """


class AssumptionWarning(UserWarning):
    """An algorithm runs on a problem that does not meet its assumptions.

    Examples
    --------
    >>> import warnings
    >>> import copeland
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", AssumptionWarning)  # rucb assumes a Condorcet winner
    ...     runs = copeland.simulate("cyclic-4", "rucb", 100, runs=1, compiled=False)
    """


class AlgorithmWarning(UserWarning):
    """An algorithm that cannot be compiled, or that its package cannot load.

    Examples
    --------
    >>> import warnings
    >>> import copeland
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", AlgorithmWarning)  # rather stop than run slowly
    ...     runs = copeland.simulate("cyclic-4", "random", 100, runs=1)
    """


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
