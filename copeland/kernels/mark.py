"""The mark, and the compiled twins of what is marked."""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Mark a function as one that can be compiled; it stays the plain function that it is.

    Inside: arrays, scalars, named tuples of arrays, ``for``; ``math`` on scalars; other kernels. No
    Python objects and no exceptions (check before the loop).
    """
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def apart(function: Function) -> Function:
    """Mark a kernel that no numba must compile into each of its callers: what is large, and called rarely."""
    function.__apart__ = True  # type: ignore[attr-defined]
    return kernel(function)


def is_kernel(value: object) -> bool:
    """Tell whether ``value`` is a marked function."""
    return getattr(value, "__kernel__", False) is True and isinstance(value, FunctionType)


def reached(kernels: Iterable[Callable[..., Any]]) -> set[Callable[..., Any]]:
    """Return these kernels and all that they call."""
    seen: set[Callable[..., Any]] = set()
    new = list(kernels)
    while new:
        one = new.pop()
        if one not in seen:
            seen.add(one)
            space = one.__globals__
            new += [space[name] for name in one.__code__.co_names if is_kernel(space.get(name))]
    return seen


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a marked function compiled, to be called from Python (made once, on first use)."""
    space = _twins(function.__globals__)
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    return _njit(copy, whole=True)


def _twin(function: Callable[..., Any]) -> Any:
    """Return the compiled twin of a marked function, to be called by other twins."""
    _twins(function.__globals__)
    return _made(function)


# By the identity of a module's globals, which are kept beside it: a function that came from another
# process has globals of its own, and no module.
_spaces: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}


def _twins(plain: dict[str, Any]) -> dict[str, Any]:
    """The globals of a module, with a compiled twin in the place of every kernel.

    A twin is the kernel's own code over these globals instead of the module's: so it calls twins
    where the kernel calls kernels, and the module itself never notices.
    """
    if id(plain) not in _spaces:
        twins = dict(plain)
        _spaces[id(plain)] = plain, twins
        for name, value in plain.items():
            if is_kernel(value):
                twins[name] = _made(value) if value.__globals__ is plain else _twin(value)
    return _spaces[id(plain)][1]


@cache
def _made(function: Callable[..., Any]) -> Any:
    space = _spaces[id(function.__globals__)][1]
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    return _njit(copy, inline=not hasattr(function, "__apart__"))


@cache
def _options(whole: bool = False, inline: bool = False) -> dict[str, Any]:
    """Compile without reference counts where this numba can do without: kernels allocate nothing.

    A state has some twenty arrays. Handing it from function to function, with every array counted
    in and out, took more than nine tenths of the time of a duel on five options. A numba that hands it over by
    value compiles kernels into one piece, but for those apart.
    """
    from numba.core.cpu import CPUTargetOptions

    from copeland.kernels.parts import compiler, tried

    uncounted = {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}
    # What only other kernels call needs no way in from Python or C: half of the time of compiling.
    wrapped = {"no_cpython_wrapper": not whole, "no_cfunc_wrapper": not whole}
    return {"forceinline": inline and not tried(), **wrapped, **uncounted, **compiler(whole)}


def bound(
    template: Callable[..., Any],
    parts: dict[str, Any],
    name: str,
    home: str | None,
    compile: bool,
    whole: bool = True,
) -> Callable[..., Any]:
    """Return a copy of ``template`` in which each global named in ``parts`` is that part.

    Parts that are kernels are compiled with it. If it is ``whole``, Python can call it, else other
    kernels alone. numba keeps a compiled function on disk, beside the file ``home``, only if it reads
    no functions from its arguments: hence the copy. Its name carries a digest of every source it is
    made of and of which functions of them, so a change in any compiles anew.
    """
    source = template.__code__
    if not compile:
        plain = {**template.__globals__, **parts}
        return FunctionType(source, plain, name, template.__defaults__)

    twins = {key: _twin(part) if is_kernel(part) else part for key, part in parts.items()}
    space = {**_twins(template.__globals__), **twins}
    kernels = {key: part for key, part in parts.items() if is_kernel(part)}
    which = [(key, f.__module__, f.__code__.co_firstlineno) for key, f in kernels.items()]
    chosen = hashlib.sha256(repr(sorted(which)).encode()).hexdigest()[:8]
    full_name = f"{name}_{source_digest(template, *kernels.values())}_{chosen}"
    code = source.replace(co_name=full_name, co_qualname=full_name)
    on_disk = home is not None and Path(home).is_file()
    if home is not None and on_disk:
        code = code.replace(co_filename=home)
    copy = FunctionType(code, space, full_name, template.__defaults__)
    return _njit(copy, whole, cache=on_disk)


def _njit(
    copy: Callable[..., Any], whole: bool = False, cache: bool = False, inline: bool = False
) -> Any:
    """Let numba compile a function: to be called from Python if it is ``whole``, else by other kernels alone."""
    import numba

    from copeland.kernels.parts import tried

    if whole and tried():
        copy = _entry(copy, numba.njit(**_options())(copy))
    return numba.njit(cache=cache, **_options(whole, inline))(copy)


def _entry(copy: Callable[..., Any], core: Any) -> Callable[..., Any]:
    """Return a function under the name of a copy that calls the core with named tuples by their addresses."""
    from copeland.kernels.references import by_address

    old = copy.__code__
    names = old.co_varnames[: old.co_argcount]
    handed = ", ".join(f"by_address({name})" for name in names)
    space = {"by_address": by_address, "core": core, "__name__": copy.__module__}
    text = f"def entry({', '.join(names)}):\n    return core({handed})\n"
    exec(compile(text, old.co_filename, "exec"), space)
    place = {"co_name": old.co_name, "co_qualname": old.co_qualname}
    code = space["entry"].__code__.replace(co_firstlineno=old.co_firstlineno, **place)
    return FunctionType(code, space, old.co_name, copy.__defaults__)


def source_digest(*sources: str | Callable[..., Any]) -> str:
    """A digest of the source of these modules and of every module whose kernels they use.

    A module is given by its name, or by a function of it.
    """
    seen = {id(globals()): globals()}  # how things are compiled counts too
    new = [_globals_of(source) for source in sources]
    while new:
        space = new.pop()
        if id(space) not in seen:
            seen[id(space)] = space
            new += [value.__globals__ for value in space.values() if is_kernel(value)]
    text = hashlib.sha256()
    for name in ("parts.py", "references.py"):
        text.update(Path(__file__).with_name(name).read_bytes())
    for content in sorted({_source(space) for space in seen.values()}):
        text.update(content)
    return text.hexdigest()[:12]


def _globals_of(source: str | Callable[..., Any]) -> dict[str, Any]:
    if isinstance(source, str):
        return vars(sys.modules[source])
    return getattr(source, "__globals__", None) or vars(sys.modules[source.__module__])


def _source(space: dict[str, Any]) -> bytes:
    """The file that these globals are of; without one, the code of the functions among them."""
    file = space.get("__file__")
    if file and Path(file).is_file():
        return Path(file).read_bytes()
    functions = {name: value for name, value in space.items() if isinstance(value, FunctionType)}
    return marshal.dumps([(name, functions[name].__code__) for name in sorted(functions)])
