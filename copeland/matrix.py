"""PreferenceMatrix: the probabilities with which options beat each other, checked once and frozen."""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from copeland.errors import InvalidMatrix, InvalidParameter, InvalidRow
from copeland.formats import count_file, has_vote_columns, vote_suffixes
from copeland.support.arrays import Floats
from copeland.support.atomic_files import whole_file
from copeland.support.escaping import cell, inert, uncell
from copeland.support.notebook_html import MOST_ROWS, html_table
from copeland.support.npz import read_array, read_arrays
from copeland.support.phrasing import join_names, some
from copeland.support.row_files import file_type, lines_of, text_of
from copeland.support.vote_tables import is_votes

LARGEST_COUNT = 1e300  # of votes: four of them can be added
R = TypeVar("R")
TOLERANCE = 1e-6  # how far P + P^T may be off 1, and the diagonal off 1/2


@dataclass(frozen=True, eq=False)
class PreferenceMatrix:
    """Who beats whom, and how often: ``p[i, j]`` is the probability that option i beats option j.

    A value of this class is valid: square, K >= 2, every entry in [0, 1], P + P^T = 1 and 1/2 on the
    diagonal. Input that is off by rounding (at most 1e-6) is made exact. Entries of exactly 0, 1 and 1/2
    (an exact tie) are legal. The array is read-only.

    Parameters
    ----------
    p
        K x K probabilities.
    labels
        One name for each option; ``"0"``, ``"1"``, ... by default.
    name
        What the matrix is called in tables and figures.

    Examples
    --------
    >>> m = PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]], labels=["a", "b"])
    >>> m.k, m.labels, float(m.p[0, 1])
    (2, ('a', 'b'), 0.7)
    >>> m
    <PreferenceMatrix of 2 options: a, b; Condorcet winner a>
    """

    p: Floats
    labels: tuple[str, ...]
    name: str = field(default="")

    def __init__(self, p: ArrayLike, labels: Sequence[str] | None = None, name: str = ""):
        probabilities = _check_probabilities(p)
        object.__setattr__(self, "p", probabilities)
        object.__setattr__(self, "labels", _check_labels(labels, len(probabilities)))
        object.__setattr__(self, "name", name)

    @property
    def k(self) -> int:
        """The number of options."""
        return len(self.p)

    @property
    def key(self) -> str:
        """A digest of the probabilities only: the same numbers have the same key under any name."""
        return hashlib.sha256(self.p.tobytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PreferenceMatrix):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.p, other.p)

    def __hash__(self) -> int:
        return hash((self.key, self.labels))

    def __repr__(self) -> str:
        return inert(f"<PreferenceMatrix{self._about}: {some(self.labels)}; {self._best}>")

    def _repr_html_(self) -> str:
        few = self.labels[:MOST_ROWS]
        head = ["", *few, *(["..."] if self.k > len(few) else [])]
        rows = [
            [label, *(f"{p:.3g}" for p in row[: len(few)]), *head[len(few) + 1 :]]
            for label, row in zip(few, self.p, strict=False)
        ]
        away = self.p[: len(few), : len(few)] - 0.5
        shades = (0.7 * np.sign(away) * np.sqrt(np.abs(away))).tolist()  # a few percent show
        sentence = f"PreferenceMatrix{self._about}; {self._best}."
        return html_table(sentence, head, rows, self.k, shades)

    @property
    def _about(self) -> str:
        return f"{f' {self.name!r}' if self.name else ''} of {self.k} options"

    @property
    def _best(self) -> str:
        # Those of copeland.winners, which is made of matrices.
        wins = (self.p > 0.5).sum(axis=1)
        best = [self.labels[i] for i in np.flatnonzero(wins == wins.max())]
        kind = "Condorcet" if wins.max() == self.k - 1 else "Copeland"
        return f"{kind} winner{'s' if len(best) > 1 else ''} {join_names(best)}"

    def index(self, option: int | str) -> int:
        """Return the index of an option given by index or by label."""
        if isinstance(option, str):
            if option not in self.labels:
                raise InvalidMatrix(
                    f"no option is labelled {option!r}; labels: {some(self.labels)}."
                )
            return self.labels.index(option)
        if not -self.k <= option < self.k:
            raise InvalidMatrix(f"option {option} is outside 0..{self.k - 1}.")
        return int(option) % self.k

    def sub(self, options: Sequence[int | str]) -> PreferenceMatrix:
        """Return the problem among only these ``options``, in the order given.

        Examples
        --------
        >>> m = PreferenceMatrix([[.5, .6, .7], [.4, .5, .8], [.3, .2, .5]], labels="abc")
        >>> m.sub(["c", "a"]).p.tolist()
        [[0.5, 0.3], [0.7, 0.5]]
        """
        chosen = [self.index(option) for option in options]
        if len(set(chosen)) != len(chosen):
            raise InvalidMatrix(f"an option is named twice in {list(options)}; name each once.")
        labels = [self.labels[i] for i in chosen]
        return replace(self, p=self.p[np.ix_(chosen, chosen)], labels=labels)

    def relabelled(self, labels: Sequence[str]) -> PreferenceMatrix:
        """Return the same probabilities under other labels."""
        return replace(self, labels=labels)

    @classmethod
    def from_wins(
        cls,
        wins: ArrayLike,
        ties: ArrayLike | None = None,
        prior: float = 0.0,
        labels: Sequence[str] | None = None,
        name: str = "",
    ) -> PreferenceMatrix:
        """Return the matrix estimated from counts: ``wins[i, j]`` votes for i over j.

        Parameters
        ----------
        wins
            K x K counts; the diagonal is not read.
        ties
            K x K symmetric counts of ties; each is half a win for both.
        prior
            Pseudo-votes added to each side of every pair. With 0, a pair without votes is refused.

        Examples
        --------
        >>> PreferenceMatrix.from_wins([[0, 8], [2, 0]], prior=1).p.tolist()
        [[0.5, 0.75], [0.25, 0.5]]
        """
        won = _square(wins, "wins")
        drawn = np.zeros_like(won) if ties is None else _square(ties, "ties")
        if drawn.shape != won.shape:
            raise InvalidMatrix(f"ties are {drawn.shape}, wins are {won.shape}; make them equal.")
        counts = np.append([won, drawn], prior)
        if not ((counts >= 0) & (counts <= LARGEST_COUNT)).all():
            raise InvalidMatrix(
                f"counts and prior must be finite, at least 0 and at most {LARGEST_COUNT:g}."
            )
        if not np.array_equal(drawn, drawn.T):
            i, j = np.argwhere(drawn != drawn.T)[0]
            raise InvalidMatrix(
                f"ties must be symmetric, but ties[{i}, {j}] is {drawn[i, j]:g} "
                f"and ties[{j}, {i}] is {drawn[j, i]:g}."
            )
        score = won + drawn / 2 + prior
        total = score + score.T
        empty = (total == 0) & ~np.eye(len(won), dtype=bool)
        if empty.any():
            i, j = np.argwhere(empty)[0]
            raise InvalidMatrix(
                f"options {i} and {j} were never compared; vote on them or set prior > 0."
            )
        with np.errstate(invalid="ignore"):
            p = score / total
        np.fill_diagonal(p, 0.5)
        return cls(p, labels, name)

    @classmethod
    def load(
        cls,
        path: str | Path,
        key: str | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> PreferenceMatrix:
        """Read a matrix from a .csv, .npy, .npz or .json file, or from a table of votes.

        Parameters
        ----------
        path
            A .csv may have a header of labels, and then a first column of the same labels, as pandas writes it. It may also
            hold counts of wins, with 0 on the diagonal, or votes in any form that :func:`copeland.formats.read_votes` reads, as a .tsv,
            .jsonl, .json or .parquet file does, or rankings of PrefLib. An .npz may hold one square 2-D array under any name
            (of several, ``p`` or the one that ``key`` names) and labels under ``labels``. A .json holds the rows, or an
            object with ``p`` and ``labels``.
        key
            The array to take from an .npz.
        columns
            Which columns of a table of votes are left, right and outcome, if their names do not say.
        """
        path = Path(path)
        read = _find_reader(path)
        try:
            p, labels = read(path, key) if columns is None else _read_votes(path, columns)
            return cls(p, labels, name=path.stem)
        except FileNotFoundError:
            raise InvalidMatrix(f"{path}: there is no such file.") from None
        except InvalidMatrix as error:
            raise InvalidMatrix(f"{path}: {error}") from None
        except InvalidRow as error:  # says where
            raise InvalidMatrix(str(error)) from None
        except RecursionError:
            raise InvalidMatrix(f"{path}: it is nested too deeply to be a matrix.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InvalidMatrix(f"{path}: cannot be read as a matrix: {reason}.") from error

    def save(self, path: str | Path) -> None:
        """Write the matrix to a .csv, .npy (numbers only), .npz or .json file."""
        path = Path(path)
        write = _find_by_type(path, path.suffix.lower(), _WRITERS)
        try:
            with whole_file(path) as file:
                write(self, file)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InvalidMatrix(f"{path}: cannot be written: {reason}.") from error


def numbers_of(values: ArrayLike, what: str) -> Floats:
    """Return values as a new array of numbers; refuse what is none.

    Examples
    --------
    >>> numbers_of([[1, 2]], "wins").tolist()
    [[1.0, 2.0]]
    """
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"{what} must be numbers, in rows of one length.") from None


def _square(values: ArrayLike, what: str) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidMatrix(f"{what} must be a square table of numbers.") from None
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InvalidMatrix(
            f"{what} must be square, one row and one column for each option; got shape {array.shape}."
        )
    if len(array) < 2:
        raise InvalidMatrix(f"{what} must have at least 2 options; got {len(array)}.")
    return array


def _check_probabilities(values: ArrayLike) -> Floats:
    p = _square(values, "a preference matrix")
    outside = ~((p >= 0) & (p <= 1))  # true also for NaN
    if outside.any():
        i, j = np.argwhere(outside)[0]
        raise InvalidMatrix(
            f"p[{i}, {j}] is {p[i, j]}; every entry must be a probability between 0 and 1."
        )
    diagonal = np.abs(np.diag(p) - 0.5)
    if diagonal.max() > TOLERANCE:
        i = int(diagonal.argmax())
        raise InvalidMatrix(
            f"p[{i}, {i}] is {p[i, i]:g}; an option ties with itself, so set the diagonal to 0.5."
        )
    off = np.abs(p + p.T - 1)
    if off.max() > TOLERANCE:
        i, j = np.unravel_index(int(off.argmax()), off.shape)
        raise InvalidMatrix(
            f"P + P^T must be 1, but p[{i}, {j}] + p[{j}, {i}] = {p[i, j]:g} + {p[j, i]:g} "
            f"= {p[i, j] + p[j, i]:g} (the worst pair); if these are counts of wins, turn them into shares first."
        )
    if off.max() > 0 or diagonal.max() > 0:
        # The upper triangle is kept to the digit; only what disagrees with it is made exact.
        upper = np.triu(p, 1)
        lower = np.where(off > 0, 1 - p.T, p)
        p = upper + np.tril(lower, -1) + np.diag(np.full(len(p), 0.5))
    p.setflags(write=False)
    return p


def _check_labels(labels: Sequence[str] | None, k: int) -> tuple[str, ...]:
    if labels is None:
        return tuple(str(i) for i in range(k))
    names = tuple(str(label).strip() for label in labels)
    if len(names) != k:
        raise InvalidMatrix(
            f"each of the {k} options needs one label; the number of labels is {len(names)}."
        )
    if "" in names:
        raise InvalidMatrix(
            f"the label of option {names.index('')} is missing; give each option a label."
        )
    if len(set(names)) != k:
        twice = next(label for label in names if names.count(label) > 1)
        raise InvalidMatrix(f"the label {twice!r} is repeated; labels must differ.")
    return names


_Read = tuple[ArrayLike, Sequence[str] | None]


def _read_csv(path: Path, key: str | None) -> _Read:
    lines = list(lines_of(path))
    if not lines:
        raise InvalidMatrix("the file is empty.")
    rows = [row for _, row in lines]
    if is_votes(rows[0]) or has_vote_columns(rows[0]):
        return _read_votes(path)
    rows = _without_index(rows)
    # Labels may themselves be numbers: one row more than columns is then the sign of a header.
    headed = len(rows) == len(rows[0]) + 1 or not all(_is_number(cell) for cell in rows[0])
    labels = [uncell(label) for label in rows.pop(0)] if headed else None
    width = len(rows[0]) if rows else 0
    numbers = []
    for line, row in enumerate(rows, start=1 if labels is None else 2):
        if len(row) != width:
            raise InvalidMatrix(
                f"line {line} has {len(row)} values, but the lines before it have {width}."
            )
        bad = next((cell for cell in row if not _is_number(cell)), None)
        if bad is not None:
            raise InvalidMatrix(f"line {line} holds {bad!r}, which is not a number.")
        numbers.append([float(cell) for cell in row])
    if _are_counts(numbers):
        return _shares(np.array(numbers), None, labels), labels
    return numbers, labels


def _without_index(rows: list[list[str]]) -> list[list[str]]:
    """The rows without a first column that only repeats the header, as pandas writes it."""
    head, *rest = rows
    columns, index = [name.strip() for name in head[1:]], [row[0].strip() for row in rest]
    if _is_number(head[0]):
        return rows
    if columns and columns == index:
        return [row[1:] for row in rows]
    if columns and not head[0].strip():
        raise InvalidMatrix(
            f"its columns are {join_names(columns)}, but its rows {join_names(index)}; name both alike, in the same order."
        )
    return rows


def _read_votes(path: Path, columns: Mapping[str, str] | None = None) -> _Read:
    votes = count_file(path, columns=columns)
    if not votes.labels:
        raise InvalidMatrix("it has the names of columns but no votes.")
    return _shares(votes.wins, votes.ties, votes.labels), votes.labels


def _are_counts(rows: list[list[float]]) -> bool:
    """Tell counts of wins from probabilities: whole numbers, and 0 for an option against itself."""
    table = np.array(rows)
    return (
        table.ndim == 2
        and table.shape[0] == table.shape[1] >= 2
        and bool((table >= 0).all() and (np.diag(table) == 0).all() and (table % 1 == 0).all())
    )


def _shares(wins: Floats, ties: Floats | None, labels: Sequence[str] | None) -> Floats:
    """The matrix of counts in a file, in which every two options must have met."""
    met = wins + wins.T + (0 if ties is None else ties) + np.eye(len(wins))
    if not met.all():
        names = labels or [str(i) for i in range(len(wins))]
        one, other = (names[i] for i in np.argwhere(met == 0)[0])
        raise InvalidMatrix(
            f"{one!r} and {other!r} never met in these votes, but a matrix needs every pair; "
            "`copeland study import` takes votes with gaps."
        )
    return PreferenceMatrix.from_wins(wins, ties).p


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read_npz(path: Path, key: str | None) -> _Read:
    arrays = read_arrays(path)
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    if key is None and "p" in tables:
        key = "p"  # what `save` and estimates from clicks call it, with counts beside it
    if key is None and len(tables) != 1:
        raise InvalidMatrix(
            f"the file holds {len(tables)} two-dimensional arrays ({', '.join(tables) or 'none'}); "
            "keep one of them, or call one p."
        )
    name = key if key is not None else tables[0]
    if name not in arrays:
        raise InvalidMatrix(f"there is no array {name!r}; it holds {', '.join(arrays) or 'none'}.")
    labels = [str(label) for label in arrays["labels"].ravel()] if "labels" in arrays else None
    return arrays[name], labels


def _read_json(path: Path, key: str | None) -> _Read:
    text = text_of(path)
    if _is_json_lines(text):
        return _read_votes(path)
    content = json.loads(text)
    if isinstance(content, list) and content and all(isinstance(one, dict) for one in content):
        return _read_votes(path)
    if isinstance(content, dict):
        if "p" not in content:
            raise InvalidMatrix('the object has no \'p\'; write {"p": rows, "labels": names}.')
        labels = content.get("labels")
        if labels is not None and not isinstance(labels, list):
            raise InvalidMatrix("the labels must be a list of names.")
        return content["p"], labels
    return content, None


def _is_json_lines(text: str) -> bool:
    """Tell whether the first line is the object of a vote, not a part of a matrix."""
    try:
        first = json.loads(text.lstrip().partition("\n")[0])
    except ValueError:
        return False
    return isinstance(first, dict) and (is_votes(list(first)) or has_vote_columns(list(first)))


def _write_csv(matrix: PreferenceMatrix, file: BinaryIO) -> None:
    lines = codecs.getwriter("utf-8")(file)
    writer = csv.writer(lines)
    if matrix.labels != _check_labels(None, matrix.k):
        writer.writerow(cell(label) for label in matrix.labels)
    writer.writerows([[repr(float(value)) for value in row] for row in matrix.p])


def _write_json(matrix: PreferenceMatrix, file: BinaryIO) -> None:
    content = {"p": matrix.p.tolist(), "labels": list(matrix.labels)}
    file.write(json.dumps(content).encode())


_READERS: dict[str, Callable[[Path, str | None], _Read]] = {
    ".csv": _read_csv,
    ".npy": lambda path, key: (read_array(path), None),
    ".npz": _read_npz,
    ".json": _read_json,
    ".tsv": _read_csv,
}
_WRITERS: dict[str, Callable[[PreferenceMatrix, BinaryIO], None]] = {
    ".csv": _write_csv,
    ".npy": lambda matrix, file: np.save(file, matrix.p),
    ".npz": lambda matrix, file: np.savez_compressed(
        file, p=matrix.p, labels=np.array(matrix.labels)
    ),
    ".json": _write_json,
}


def list_file_types() -> list[str]:
    """Return what files end in that hold a matrix, or votes.

    Examples
    --------
    >>> list_file_types()[:3]
    ['.csv', '.npy', '.npz']
    """
    return [*_READERS, *vote_suffixes()]


def is_matrix_file(path: str | Path) -> bool:
    """Tell whether a name is that of a file with a matrix, or votes, by what it ends in.

    Examples
    --------
    >>> is_matrix_file("votes.soc"), is_matrix_file("votes.csv.gz"), is_matrix_file("easy-20:seed=3")
    (True, True, False)
    """
    kind = file_type(Path(path))
    return kind in _READERS or (bool(kind) and kind in vote_suffixes())


def _find_reader(path: Path) -> Callable[[Path, str | None], _Read]:
    """Return what reads files that end like this one, as a matrix or as votes."""
    votes = dict.fromkeys(vote_suffixes(), lambda path, key: _read_votes(path))
    return _find_by_type(path, file_type(path), {**_READERS, **votes})


def _find_by_type(path: Path, kind: str, known: dict[str, Callable[..., R]]) -> Callable[..., R]:
    """Return what reads or writes files of a kind."""
    if kind not in known:
        raise InvalidMatrix(
            f"{path}: files of type {kind or 'none'} hold no matrix; use one of {', '.join(known)}."
        )
    return known[kind]
