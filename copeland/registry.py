"""An algorithm as a record of functions, and where it comes from: this package, another one, or a file."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import math
import pickle
import pkgutil
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from copeland.errors import (
    AlgorithmWarning,
    CopelandError,
    InvalidAlgorithm,
    InvalidParameter,
    UnknownAlgorithm,
    UnknownName,
    nearest,
)
from copeland.kernels.mark import is_kernel
from copeland.support.spec import Spec

GROUP = "copeland.algorithms"  # the entry points by which an installed package names its algorithms

MOST_OPTIONS = 10_000_000

TARGETS = ("copeland", "condorcet", "borda", "von neumann", "random walk", "several")

State = Any  # a named tuple of arrays (or of such named tuples)

_TAKES = {  # what the parts that every algorithm has are called with
    "select": ("state", "t", "rng"),
    "update": ("state", "winner", "loser", "rng"),
    "recommend": ("state",),
}


@dataclass(frozen=True)
class Algorithm:
    """What an algorithm is: a few plain functions over its state, and what it can do.

    ``init(k, **parameters)`` returns a state; ``select(state, t, rng)`` names a pair and changes
    nothing; ``update(state, winner, loser, rng)`` takes an answer; ``recommend(state)`` names the best
    option so far. The rest is optional: see :mod:`copeland.kernels.loop` for what each does and
    what happens without it. All these but ``init`` are kernels.

    The last ones serve live use. ``absorb(state, wins, ties)`` takes whole matrices of votes, and
    ``grow(state, k)`` adds options; both return the new state, and so does ``enlarge(state)``, which a
    sparse state needs when it is ``crowded``. ``pause(state, option, paused)`` says which option not to
    ask about, ``pend(state, first, second, change)`` how many answers to a pair are under way.
    ``claims(state)`` lists the pairs by which the plan is to be proved, the riskiest first.

    ``hand_over(parameters)`` names another algorithm that is to run with these parameters, if any:
    see :meth:`with_parameters`.

    Examples
    --------
    >>> ccb = find("ccb")
    >>> ccb.target, ccb.needs_horizon, ccb.parameters["alpha"]
    ('copeland', False, 0.51)
    """

    name: str
    paper: str
    summary: str
    target: str  # the notion of winner it looks for, one of TARGETS
    init: Callable[..., State]
    select: Callable[..., tuple[int, int]]
    update: Callable[..., None]
    recommend: Callable[..., int]
    advance: Callable[..., None] | None = None
    rest: Callable[..., int] | None = None
    resting: Callable[..., int] | None = None
    finished: Callable[..., bool] | None = None
    tie: Callable[..., None] | None = None
    crowded: Callable[..., bool] | None = None
    enlarge: Callable[..., State] | None = None
    absorb: Callable[..., State] | None = None
    grow: Callable[..., State] | None = None
    pause: Callable[..., None] | None = None
    pend: Callable[..., None] | None = None
    claims: Callable[..., list[tuple[int, int]]] | None = None
    hand_over: Callable[..., str | None] | None = None
    assumes_condorcet: bool = False

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            known = nearest(str(self.target), TARGETS)
            raise InvalidParameter(f"{self.name}: target is {self.target!r}; {known}")
        for name, wanted in _TAKES.items():
            _check_arguments(self.name, name, getattr(self, name), wanted)

    @property
    def needs_horizon(self) -> bool:
        """Whether it must know in advance how long it will run."""
        return _takes_horizon(self.init)

    @property
    def stops(self) -> bool:
        """Whether it ends by itself, with an answer."""
        return self.finished is not None

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters and their defaults."""
        return dict(_parameters(self.init))

    def with_parameters(self, params: Mapping[str, Any]) -> Algorithm:
        """Return the algorithm that runs with these parameters: itself, or the one it hands over to.

        Examples
        --------
        >>> [find("cpc-pac").with_parameters({"goal": goal}).name for goal in ("best", "top:3")]
        ['cpc-pac', 'cpc-goal']
        """
        other = None if self.hand_over is None else self.hand_over(params)
        return self if other is None else find(other)

    def start(self, k: int, horizon: int | None = None, **params: Any) -> State:
        """Return the first state; refuse parameters that do not fit."""
        for name, value in params.items():
            self._check(name, value)
        if k < 2:
            raise InvalidParameter(f"{self.name}: a duel needs at least 2 options; got {k}.")
        if k > MOST_OPTIONS:
            raise InvalidParameter(
                f"{self.name}: k is above {MOST_OPTIONS:,}, which is too many options."
            )
        try:
            return self._begin(k, horizon, params)
        except (MemoryError, OverflowError, ValueError) as error:
            if isinstance(error, CopelandError):
                raise
            raise InvalidParameter(
                f"{self.name} cannot begin with {k:,} options and {params}: {error}."
            ) from error

    def check_pair(self, first: int, second: int, k: int, t: int) -> None:
        """Refuse a pair that it named at step t unless both are among K options."""
        if not (0 <= first < k and 0 <= second < k):
            raise InvalidAlgorithm(
                f"{self.name} named the options {first} and {second} at step {t}; "
                f"the options are 0 to {k - 1}."
            )

    def _begin(self, k: int, horizon: int | None, params: Mapping[str, Any]) -> State:
        if not self.needs_horizon:
            return self.init(k, **params)
        if horizon is None:
            raise InvalidParameter(f"{self.name} must know its horizon in advance; give one.")
        return self.init(k, horizon=horizon, **params)

    def _check(self, name: str, value: Any) -> None:
        known = _parameters(self.init)
        if name not in known:
            hint = nearest(name, known) if known else "it takes none."
            raise InvalidParameter(f"{self.name} has no parameter '{name}'; {hint}")
        default = known[name]
        boolean = isinstance(value, bool) and not isinstance(default, bool)
        number = isinstance(value, int | float) and not boolean
        if isinstance(default, int | float) and not (number and math.isfinite(value)):
            raise InvalidParameter(f"{self.name}: {name} is {value!r}; it must be a number.")

    def part(self, name: str) -> Callable[..., Any] | None:
        """Return one of its functions by name, None if it was left out."""
        if not hasattr(self, name):
            raise UnknownName(f"no part of an algorithm is called '{name}'; {nearest(name, PARTS)}")
        return getattr(self, name)

    def kernels(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that the duel loop calls, by name."""
        return {name: part for name in PARTS if (part := self.part(name)) is not None}

    def __reduce__(self) -> Any:
        # Other processes may not know the file it is from: what they cannot import goes with it.
        return _unpack, (_pack(self),)


@cache
def _check_arguments(
    algorithm: str, name: str, part: Callable[..., Any], wanted: tuple[str, ...]
) -> None:
    """Refuse a function that the simulator could not call: its error would name our code, not theirs."""
    try:
        inspect.signature(part).bind(*wanted)
    except TypeError:
        takes = str(inspect.signature(part)) if callable(part) else repr(part)
        raise InvalidParameter(
            f"{algorithm}: {name} takes {takes}; it must take ({', '.join(wanted)})."
        ) from None
    except ValueError:
        return  # Python does not know the arguments of what is written in C


@cache  # every run asks for it, and every question of a study
def _takes_horizon(init: Callable[..., Any]) -> bool:
    return "horizon" in inspect.signature(init).parameters


@cache
def _parameters(init: Callable[..., Any]) -> Mapping[str, Any]:
    given = inspect.signature(init).parameters.values()
    return {p.name: p.default for p in given if p.name not in ("k", "horizon")}


# All parts, by which `register` finds them in a file; those that it must find.
FUNCTIONS = tuple(one.name for one in fields(Algorithm) if str(one.type).startswith("Callable"))
REQUIRED = ("init", *_TAKES)
ALIKE = 0.75  # of 1: how much a name has in common with a part's if it is likely misspelt

PARTS = (  # what the duel loop calls
    "select",
    "update",
    "recommend",
    "advance",
    "rest",
    "resting",
    "finished",
    "tie",
    "crowded",
)

_registry: dict[str, Algorithm] = {}


def register(algorithm: Algorithm | str, **record: Any) -> Algorithm:
    """Make an algorithm known by its name; return it.

    Parameters
    ----------
    algorithm
        The algorithm. Or ``__name__``, at the foot of a file: then each of its functions that has the name of
        a part is that part.
    record
        Fields of :class:`Algorithm`: with ``__name__`` its name, paper, summary and target, and what
        differs from the file's functions (those of other files; None leaves a part out).

    Examples
    --------
    >>> register(find("ccb")).name
    'ccb'
    """
    if isinstance(algorithm, str):
        caller = sys._getframe(1)
        if caller.f_globals.get("__name__") != algorithm:
            raise InvalidAlgorithm(
                f"register was given '{algorithm}'; give an Algorithm, or __name__ in its own file."
            )
        algorithm = _collect(caller.f_globals, record, caller.f_code.co_names)
    elif record:
        algorithm = replace(algorithm, **record)
    _registry[algorithm.name] = algorithm
    return algorithm


def _collect(space: dict[str, Any], record: dict[str, Any], names: Collection[str]) -> Algorithm:
    """Return the algorithm of a file whose code says these names; refuse a part that would go unnoticed."""
    title = record.get("name", space["__name__"])
    own = {key: f for key, f in space.items() if getattr(f, "__globals__", None) is space}
    parts = {name: own[name] for name in FUNCTIONS if name in own} | record
    missing = [name for name in FUNCTIONS if name not in parts]
    called = {name for key, f in own.items() for name in f.__code__.co_names if name != key}
    for name, function in own.items():
        if name in called or name in parts or function in parts.values():
            continue
        variant = name.startswith(tuple(f"{part}_" for part in FUNCTIONS))  # of another algorithm
        alike = difflib.get_close_matches(name, missing, 1, ALIKE)
        if alike or (is_kernel(function) and not variant):
            raise InvalidAlgorithm(
                f"{title}: nothing calls `{name}`, and no part of an algorithm has this name; "
                f"{nearest(name, missing)}"
            )
    for name in missing:
        if name in REQUIRED or name in names:
            raise InvalidAlgorithm(
                f"{title}: the file defines no function `{name}` above `register`; move `register` to"
                f" its foot, or give `{name}=` if the function is from another file."
            )
    return Algorithm(**parts)


def algorithms() -> dict[str, Algorithm]:
    """Return every algorithm that has a name, in alphabetical order.

    It leaves out an installed package's algorithm that cannot be loaded, with a warning.
    """
    _import_all()
    for name, point in _list_entry_points().items():
        try:
            _load(name, point)
        except InvalidAlgorithm as error:
            warnings.warn(str(error), AlgorithmWarning, stacklevel=2)
    return dict(sorted(_registry.items()))


def list_algorithms() -> list[str]:
    """Return the names of all algorithms, in alphabetical order.

    Examples
    --------
    >>> "ccb" in list_algorithms()
    True
    """
    return list(algorithms())


def find(name: str) -> Algorithm:
    """Return the algorithm of this name; an installed package's is loaded when first asked for."""
    _import_all()
    if name in _registry:
        return _registry[name]
    installed = _list_entry_points()
    if name not in installed:
        known = nearest(name, [*_registry, *installed])
        raise UnknownAlgorithm(f"there is no algorithm '{name}'; {known}")
    return _load(name, installed[name])


def entrant(given: str | Algorithm) -> tuple[Algorithm, Spec]:
    """Return the algorithm that is meant, and its name with its parameters.

    Parameters
    ----------
    given
        ``name``, or ``FILE.py:NAME`` for one that a file defines under that name; parameters may follow
        both. Or the algorithm itself.

    Examples
    --------
    >>> entrant("ccb:alpha=1.01")[1]
    Spec(name='ccb', params={'alpha': 1.01})
    """
    if isinstance(given, Algorithm):
        return given, Spec(given.name, {})
    in_file = re.fullmatch(r"(.+\.py)(?::(\w+)(:.*)?)?", given)
    if in_file is None:
        spec = Spec.parse(given)
        return find(spec.name).with_parameters(spec.params), spec
    algorithm = _find_in_file(Path(in_file[1]), in_file[2] or "")
    spec = Spec.parse(algorithm.name + (in_file[3] or ""))
    return algorithm.with_parameters(spec.params), spec


@cache
def _import_all() -> None:
    """Import every file of ``copeland.algorithms``: each registers what it defines."""
    package = importlib.import_module("copeland.algorithms")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)


def _list_entry_points() -> dict[str, metadata.EntryPoint]:
    """What installed packages name, not loaded; a name of this package's stays its own."""
    return {p.name: p for p in _read_entry_points(_folders()) if p.name not in _registry}


def _folders() -> tuple[tuple[str, int], ...]:
    """What is imported from, and when something last came into it or left it."""
    there = [Path(folder) for folder in sys.path]
    return tuple((str(one), one.stat().st_mtime_ns) for one in there if one.exists())


@lru_cache(maxsize=1)  # packages are many, and each has a file to read
def _read_entry_points(folders: tuple[tuple[str, int], ...]) -> tuple[metadata.EntryPoint, ...]:
    """The algorithms that packages in these folders name."""
    return tuple(metadata.entry_points(group=GROUP))


def _load(name: str, point: metadata.EntryPoint) -> Algorithm:
    """Load an algorithm of an installed package, and register it."""
    package = point.dist.name if point.dist is not None else point.value
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        raise InvalidAlgorithm(
            f"the algorithm '{name}' of the package {package} cannot be loaded: {_describe(error)}; "
            "update the package or remove it."
        ) from error
    if not isinstance(found, Algorithm) or found.name != name:
        raise InvalidAlgorithm(
            f"the package {package} offers {point.value} as the algorithm '{name}', and it is not an "
            "Algorithm of this name; update the package or remove it."
        )
    return register(found)


def _find_in_file(path: Path, name: str) -> Algorithm:
    """Return the algorithm that a file defines under this name."""
    if not path.is_file():
        raise InvalidAlgorithm(f"there is no file {path} to take an algorithm from.")
    found = vars(_module_at(path.resolve()))
    if not isinstance(found.get(name), Algorithm):
        there = [key for key, value in found.items() if isinstance(value, Algorithm)]
        asked = f"no Algorithm called {name} in {path}" if name else f"no name after {path}"
        has = f"it has {', '.join(there)}" if there else "it defines none"
        raise InvalidAlgorithm(f"there is {asked}; {has}. Write {path}:NAME.")
    return found[name]


@cache
def _module_at(path: Path) -> ModuleType:
    """Run a file of Python, once, and return what it defines; it may import its neighbours."""
    name = f"{path.stem}_{zlib.crc32(str(path).encode()):08x}"  # shadows no other module
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InvalidAlgorithm(f"{path} cannot be loaded: {_describe(error)}.") from error
    _by_value.append(module)
    return module


def _describe(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")


_by_value: list[ModuleType] = []  # which other processes cannot import by name


@cache
def _pack(algorithm: Algorithm) -> bytes:
    import cloudpickle

    for module in _by_value:
        cloudpickle.register_pickle_by_value(module)
    return cloudpickle.dumps({one.name: getattr(algorithm, one.name) for one in fields(algorithm)})


@cache  # the same functions for all tasks of a process: they are compiled once
def _unpack(content: bytes) -> Algorithm:
    return Algorithm(**pickle.loads(content))
