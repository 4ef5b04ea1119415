"""The mark, and the compiled twins of what is marked."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

# What only other kernels call needs no way in from Python or C: half of the time of compiling.
UNWRAPPED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Mark a function as one that can be compiled; it stays the plain function that it is.

    Inside: arrays, scalars, named tuples of arrays, ``for``; ``math`` on scalars; other kernels. No
    Python objects and no exceptions (check before the loop).
    """
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def apart(function: Function) -> Function:
    """Mark a kernel that is compiled apart, not into each of its callers: what is large, and called rarely."""
    function.__apart__ = True  # type: ignore[attr-defined]
    return kernel(function)


def is_kernel(value: object) -> bool:
    """Tell whether ``value`` is a marked function."""
    return getattr(value, "__kernel__", False) is True and isinstance(value, FunctionType)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a marked function compiled, to be called from Python (made once, on first use)."""
    import numba

    space = _twins(function.__module__)
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    return numba.njit(**_options())(copy)


def _twin(function: Callable[..., Any]) -> Any:
    """Return the compiled twin of a marked function, to be called by other twins."""
    return _twins(function.__module__)[function.__name__]


@cache
def _twins(module: str) -> dict[str, Any]:
    """The globals of a module, with a compiled twin in the place of every kernel.

    A twin is the kernel's own code over these globals instead of the module's: so it calls twins
    where the kernel calls kernels, and the module itself never notices.
    """
    import numba

    plain = vars(sys.modules[module])
    twins = dict(plain)
    for name, value in plain.items():
        if not is_kernel(value):
            continue
        if value.__module__ == module:
            copy = FunctionType(value.__code__, twins, value.__name__, value.__defaults__)
            inline = not hasattr(value, "__apart__")
            twins[name] = numba.njit(**_options(inline), **UNWRAPPED)(copy)
        else:
            twins[name] = _twin(value)
    return twins


@cache
def _options(inline: bool = True) -> dict[str, Any]:
    """Compile into one piece, without reference counts where this numba can do without.

    A state has some twenty arrays. Handing it from function to function, with every array counted
    in and out, took more than nine tenths of the time of a duel on five options. Kernels allocate
    nothing, so there is nothing to count.
    """
    from numba.core.cpu import CPUTargetOptions

    uncounted = {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}
    return {"forceinline": inline, **uncounted}


def bound(
    template: Callable[..., Any],
    parts: dict[str, Any],
    name: str,
    home: str | None,
    compile: bool,
) -> Callable[..., Any]:
    """Return a copy of ``template`` in which each global named in ``parts`` is that part.

    Parts that are kernels are compiled with it. numba keeps a compiled function on disk, beside the
    file ``home``, only if it reads no functions from its arguments: hence the copy. Its name carries
    a digest of every source it is made of, so a change in any of them compiles anew.
    """
    source = template.__code__
    if not compile:
        plain = {**vars(sys.modules[template.__module__]), **parts}
        return FunctionType(source, plain, name, template.__defaults__)

    import numba

    twins = {key: _twin(part) if is_kernel(part) else part for key, part in parts.items()}
    space = {**_twins(template.__module__), **twins}
    modules = {template.__module__, *(p.__module__ for p in parts.values() if is_kernel(p))}
    full_name = f"{name}_{source_digest(modules)}"
    code = source.replace(co_name=full_name, co_qualname=full_name)
    on_disk = home is not None and Path(home).is_file()
    if home is not None and on_disk:
        code = code.replace(co_filename=home)
    copy = FunctionType(code, space, full_name, template.__defaults__)
    return numba.njit(cache=on_disk, **_options())(copy)


def source_digest(modules: set[str]) -> str:
    """A digest of the source of these modules and of every module whose kernels they use."""
    seen: set[str] = {__name__}  # how things are compiled counts too
    while modules - seen:
        for module in modules - seen:
            seen.add(module)
            used = vars(sys.modules[module]).values()
            modules = modules | {v.__module__ for v in used if is_kernel(v)}
    text = hashlib.sha256()
    for module in sorted(seen):
        file = getattr(sys.modules[module], "__file__", None)
        text.update(Path(file).read_bytes() if file else module.encode())
    return text.hexdigest()[:12]
