"""A space of options: named parameters, which points are feasible, and their places in the unit cube.

A *place* is a row of numbers between 0 and 1, one for each parameter; integers and choices sit at the centres of
their cells. Distances are measured in *coordinates*: a place in which each choice is replaced by its indicators
over √2, so that two options of a choice are 1 apart.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from copeland.errors import InvalidParameter
from copeland.support.arrays import Floats, Ints
from copeland.support.escaping import inert
from copeland.support.phrasing import join_names
from copeland.tuning.constraints import feasible_of
from copeland.tuning.parameters import Choice, Integer, Parameter, Real

Point = dict[str, Any]
PointLike = Mapping[str, Any]
Feasible = Callable[..., bool] | str | Sequence[str] | None

CONSTRAINT = "constraint"  # the key of a text or a list of texts; a table makes it a parameter
MOST_PARAMETERS = 16
TRIES = 2**15  # places looked at for feasible ones
_BATCH = 256
EXAMPLE = """constraint = "layers < 6 or rate < 0.1"

[rate]
low = 0.0001
high = 1.0
log = true

[layers]
low = 1
high = 8
integer = true

[style]
choices = ["short", "warm"]
"""
_KEYS = {"low", "high", "log", "integer"}  # of a table that describes a range

_SPREAD = 0.7  # of the logarithm of a step's length
_TO_FACE = 0.03
_REDRAWN = 0.3  # a choice
_FEW = 1.5  # parameters that a partial step moves, on average


class Space:
    """The options of a tuning: every feasible combination of named parameters.

    Parameters
    ----------
    parameters
        A name for each :class:`Real`, :class:`Integer` or :class:`Choice`.
    feasible
        Which points the tuner may ask about: a constraint in words, a list of them, which must all hold, or a
        function that takes the parameters by name. Only words can be written to a file.

    Examples
    --------
    >>> space = Space({"rate": Real(1e-4, 1, log=True), "layers": Integer(1, 8), "style": Choice("short", "warm")},
    ...               feasible="layers < 6 or rate < 0.1")
    >>> space.point([0.5, 0.0625, 0.75])
    {'rate': 0.01, 'layers': 1, 'style': 'warm'}
    >>> space.allows({"rate": 0.5, "layers": 7, "style": "warm"})
    False
    """

    def __init__(self, parameters: Mapping[str, Parameter], feasible: Feasible = None):
        self.parameters = MappingProxyType(_check_parameters(parameters))  # stays as it is
        self.constraints = _in_words(feasible)
        if self.constraints:
            feasible = feasible_of(self.constraints, self.parameters)
        self.feasible = feasible if callable(feasible) else None
        self.cells = np.array([one.cells for one in self.parameters.values()])
        self._require_two_points()

    def __repr__(self) -> str:
        inside = ", ".join(f"{name!r}: {one!r}" for name, one in self.parameters.items())
        words = str(list(self.constraints)) if self.constraints else "..."
        return inert(f"Space({{{inside}}}{'' if self.feasible is None else f', feasible={words}'})")

    @property
    def d(self) -> int:
        """The number of parameters."""
        return len(self.parameters)

    @property
    def lengths(self) -> Ints:
        """To which parameter each coordinate belongs."""
        return np.repeat(
            np.arange(self.d),
            [one.cells if isinstance(one, Choice) else 1 for one in self.parameters.values()],
        )

    def point(self, place: Any) -> Point:
        """Return the point at a place of the unit cube."""
        return self._point(self._rows([place])[0])

    def _point(self, at: Floats) -> Point:
        return {
            name: one.value(x) for (name, one), x in zip(self.parameters.items(), at, strict=True)
        }

    def _rows(self, places: Any) -> Floats:
        """Places as rows; refuse what is none."""
        try:
            rows = np.asarray(places, float)
        except (TypeError, ValueError, OverflowError):
            rows = np.zeros((0, 0))
        if rows.ndim != 2 or rows.shape[1] != self.d or not ((rows >= 0) & (rows <= 1)).all():
            raise InvalidParameter(f"a place must have {self.d} numbers between 0 and 1.")
        return rows

    def place(self, point: PointLike) -> Floats:
        """Return the place of a point; refuse one outside the space."""
        if not isinstance(point, Mapping) or set(point) != set(self.parameters):
            raise InvalidParameter(
                f"a point must have a value for each of {join_names(list(self.parameters))}, and no others."
            )
        found = []
        for name, one in self.parameters.items():
            at = one.place(point[name])
            if at is None:
                value = str(point[name])[:40]
                raise InvalidParameter(
                    inert(f"{name} is {value!r}; in this space it must be {one.words}.")
                )
            found.append(at)
        if not self.allows(point):
            raise InvalidParameter(f"the point {dict(point)} is not feasible in this space.")
        return np.array(found)

    def allows(self, point: PointLike) -> bool:
        """Tell whether a point is feasible."""
        if self.feasible is None:
            return True
        try:
            return bool(self.feasible(**point))
        except Exception as error:
            raise InvalidParameter(
                inert(f"feasible failed at {dict(point)}: {type(error).__name__}: {error}.")
            ) from error

    def snapped(self, places: Floats) -> Floats:
        """Return places with integers and choices at the centres of their cells."""
        places, n = self._rows(places), np.maximum(self.cells, 1)
        centres = (np.minimum(np.floor(places * n), n - 1) + 0.5) / n
        return np.where(self.cells > 0, centres, places)

    def kept(self, places: Floats) -> Floats:
        """Return those places that are feasible, snapped."""
        found = self.snapped(places)
        if self.feasible is None:
            return found
        return found[[self.allows(self._point(one)) for one in found]]

    def spread(self, n: int, rng: np.random.Generator) -> Floats:
        """Return ``n`` feasible places spread evenly; if few are feasible, some are repeated."""
        if self.feasible is None:
            return self.snapped(even(n, self.d, rng))
        found, tried = np.zeros((0, self.d)), 0
        while len(found) < n and tried < TRIES:
            size = max(_BATCH, n)
            found = np.vstack([found, self.kept(even(size, self.d, rng))])
            tried += size
        if not len(found):
            raise InvalidParameter(
                f"no point of the space is feasible: {tried:,} were tried; ease the constraint."
            )
        return np.resize(found, (n, self.d))

    def coordinates(self, places: Floats) -> Floats:
        """Return the coordinates in which distances are measured."""
        columns, places = [], self._rows(places)
        for column, one in zip(places.T, self.parameters.values(), strict=True):
            if isinstance(one, Choice):
                chosen = np.minimum((column * one.cells).astype(int), one.cells - 1)
                columns.extend(np.eye(one.cells)[chosen].T / np.sqrt(2))
            else:
                columns.append(column)
        return np.array(columns).T.reshape(len(places), len(self.lengths))

    def to_json(self) -> str:
        """Return the parameters and the constraints as text; a function is only mentioned."""
        kinds = {}
        for name, one in self.parameters.items():
            given = one.options if isinstance(one, Choice) else (one.low, one.high)
            log = [one.log] if isinstance(one, Real) else []
            kinds[name] = [type(one).__name__, *given, *log]
        told = {"parameters": kinds, "constrained": self.feasible is not None}
        if self.constraints:
            told["constraints"] = self.constraints
        return json.dumps(told)

    @classmethod
    def from_json(cls, text: str, feasible: Callable[..., bool] | None = None) -> Space:
        """Return the space that :meth:`to_json` wrote; give its constraint if it is a function."""
        kinds = {"Real": Real, "Integer": Integer, "Choice": Choice}
        try:
            read = json.loads(text)
            parameters = {
                name: kinds[kind](*rest) for name, (kind, *rest) in read["parameters"].items()
            }
            return cls(parameters, feasible or read.get("constraints"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, InvalidParameter):
                raise
            raise InvalidParameter("the text does not describe a space.") from error

    def _require_two_points(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(TRIES // _BATCH):
            found = self.spread(_BATCH, rng)
            if (found != found[0]).any():
                return
        raise InvalidParameter(
            "the space has only one feasible point; there is nothing to compare."
        )


def lacks_constraint(text: str) -> bool:
    """Tell whether the text of a space only mentions a constraint, because it is a function."""
    told = json.loads(text)
    return bool(told.get("constrained")) and not told.get("constraints")


def even(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Return ``n`` points spread evenly over the unit cube: multiples of the powers of a root, shifted at random.

    The root solves r^(d+1) = r + 1, the golden ratio in one dimension (Roberts's sequence).
    """
    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (d + 1))
    return (rng.random(d) + np.outer(np.arange(1, n + 1), root ** -np.arange(1.0, d + 1))) % 1


def _in_words(feasible: Any) -> tuple[str, ...]:
    """The constraints in words; none of a function."""
    if isinstance(feasible, str):
        return (feasible,)
    if isinstance(feasible, list | tuple):
        return tuple(feasible)
    if feasible is None or callable(feasible):
        return ()
    raise InvalidParameter(
        "feasible must be a constraint in words, a list of them, or a function that takes the parameters by name."
    )


def _check_parameters(parameters: Mapping[str, Parameter]) -> dict[str, Parameter]:
    if not isinstance(parameters, Mapping) or not 1 <= len(parameters) <= MOST_PARAMETERS:
        raise InvalidParameter(
            f"a space must have 1 to {MOST_PARAMETERS} parameters; give a name and a range for each."
        )
    for name, one in parameters.items():
        if not isinstance(name, str) or not isinstance(one, Parameter):
            raise InvalidParameter(
                inert(f"the parameter {str(name)[:40]!r} must be a Real, an Integer or a Choice.")
            )
    return dict(parameters)


def near(space: Space, centres: Floats, n: int, step: float, rng: np.random.Generator) -> Floats:
    """Return up to ``n`` feasible places around random ones of ``centres``, at steps of about this length."""
    shape = (n, space.d)
    places = centres[rng.integers(len(centres), size=n)]
    lengths = step * np.exp(_SPREAD * rng.normal(size=(n, 1)))
    few = rng.random(shape) < _FEW / space.d
    moving = few | (rng.random((n, 1)) < 0.5)  # in half of the rows all parameters, else a few
    folded = (places + lengths * moving.astype(float) * rng.normal(size=shape)) % 2
    moved = np.where(folded > 1, 2 - folded, folded)  # a step over a face turns back
    moved = np.where(rng.random(shape) < _TO_FACE, np.round(moved), moved)
    # Choices have no order: now and then they are redrawn, and they never move along.
    fresh = np.where(rng.random(shape) < _REDRAWN, rng.random(shape), places)
    chosen = np.array([isinstance(one, Choice) for one in space.parameters.values()])
    return space.kept(np.where(chosen, fresh, moved))


def tables_in(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, TypeError) as error:
        raise InvalidParameter(
            inert(f"the description of the space is not TOML: {error}.")
        ) from error


def space_of(tables: Mapping[str, Any], constraints: Sequence[str] = ()) -> Space:
    """Return the space of such tables, with more constraints."""
    named, given = dict(tables), tables.get(CONSTRAINT)
    if isinstance(given, str | list):
        del named[CONSTRAINT]
        constraints = [*([given] if isinstance(given, str) else given), *constraints]
    parameters = {name: _parameter(name, table) for name, table in named.items()}
    return Space(parameters, list(constraints))


def _parameter(name: str, table: Any) -> Parameter:
    if isinstance(table, Mapping) and isinstance(table.get("choices"), list) and len(table) == 1:
        return Choice(*table["choices"])
    if not isinstance(table, Mapping) or not {"low", "high"} <= set(table) <= _KEYS:
        raise InvalidParameter(
            inert(
                f"the parameter '{name[:40]}' needs low and high, optionally with log = true or "
                "integer = true, or else only choices."
            )
        )
    if table.get("integer", False):
        return Integer(table["low"], table["high"])
    return Real(table["low"], table["high"], log=table.get("log", False))


_KINDS = ("log", "integer")


def tables_of(options: Sequence[str]) -> dict[str, Any]:
    """Return the same tables of parameters in short, such as ``rate=0.001:1:log``.

    Examples
    --------
    >>> tables_of(["rate=0.001:1:log", "style=short,warm"])
    {'rate': {'low': 0.001, 'high': 1, 'log': True}, 'style': {'choices': ['short', 'warm']}}
    """
    tables: dict[str, Any] = {}
    for option in options:
        name, equals, said = option.partition("=")
        if not equals or not name.strip() or not said.strip():
            raise _misread(option)
        if name.strip() in tables:
            raise InvalidParameter(inert(f"the parameter '{name.strip()[:40]}' is there twice."))
        choices = {"choices": [_value(one.strip()) for one in said.split(",")]}
        tables[name.strip()] = _range(option, said) if ":" in said else choices
    return tables


def _range(option: str, said: str) -> dict[str, Any]:
    low, high, *kinds = (part.strip() for part in said.split(":"))
    ends = [_value(end) for end in (low, high)]
    if any(isinstance(end, str) for end in ends) or kinds[1:] or not set(kinds) <= set(_KINDS):
        raise _misread(option)
    return {"low": ends[0], "high": ends[1], **dict.fromkeys(kinds, True)}


def _value(text: str) -> int | float | str:
    """A number if it is one, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _misread(option: str) -> InvalidParameter:
    return InvalidParameter(
        inert(
            f"the parameter '{option[:60]}' must be NAME=LOW:HIGH, NAME=LOW:HIGH:log, NAME=LOW:HIGH:integer "
            "or NAME=A,B,C."
        )
    )
