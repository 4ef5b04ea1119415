"""The compiled twins of kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from copeland.kernels.compiler import cache_anchor
from copeland.kernels.compiler.digest import digest_kernels
from copeland.kernels.mark import is_kernel


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a marked function compiled, to be called from Python (made once, on first use)."""
    space = _find_twins(function.__globals__)
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    return _compile(copy, whole=True)


def _find_twin(function: Callable[..., Any]) -> Any:
    """Return the compiled twin of a marked function, to be called by other twins."""
    _find_twins(function.__globals__)
    return _compile_twin(function)


# By the identity of a module's globals, which are kept beside it: a function that came from another
# process has globals of its own, and no module.
_spaces: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}


def _find_twins(plain: dict[str, Any]) -> dict[str, Any]:
    """The globals of a module, with a compiled twin in the place of every kernel.

    A twin is the kernel's own code over these globals instead of the module's: so it calls twins
    where the kernel calls kernels, and the module itself never notices.
    """
    if id(plain) not in _spaces:
        twins = dict(plain)
        _spaces[id(plain)] = plain, twins
        for name, value in plain.items():
            if is_kernel(value):
                twins[name] = (
                    _compile_twin(value) if value.__globals__ is plain else _find_twin(value)
                )
    return _spaces[id(plain)][1]


@cache
def _compile_twin(function: Callable[..., Any]) -> Any:
    space = _spaces[id(function.__globals__)][1]
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    return _compile(copy, inline=not hasattr(function, "__apart__"))


@cache
def _choose_options(whole: bool = False, inline: bool = False) -> dict[str, Any]:
    """Compile without reference counts where this numba can do without: kernels allocate nothing.

    A state has some twenty arrays. Handing it from function to function, with every array counted
    in and out, took more than nine tenths of the time of a duel on five options. A numba that hands it over by
    value compiles kernels into one piece, but for those apart.
    """
    from numba.core.cpu import CPUTargetOptions

    from copeland.kernels.compiler.numba_internals import choose_compiler, is_tried

    uncounted = {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}
    # What only other kernels call needs no way in from Python or C: half of the time of compiling.
    wrapped = {"no_cpython_wrapper": not whole, "no_cfunc_wrapper": not whole}
    return {
        "forceinline": inline and not is_tried(),
        **wrapped,
        **uncounted,
        **choose_compiler(whole),
    }


def bind_parts(
    template: Callable[..., Any],
    parts: dict[str, Any],
    name: str,
    compile: bool,
    keep: bool = False,
    whole: bool = True,
) -> Callable[..., Any]:
    """Return a copy of ``template`` in which each global named in ``parts`` is that part.

    Parts that are kernels are compiled with it. If it is ``whole``, Python can call it, else other
    kernels alone. numba keeps a compiled function on disk only if it reads no functions from its
    arguments: hence the copy. Its name carries a digest of all that it is made of, so a change in any
    of it compiles anew, and nothing else does.
    """
    if not compile:
        plain = {**template.__globals__, **parts}
        return FunctionType(template.__code__, plain, name, template.__defaults__)

    twins = {key: _find_twin(part) if is_kernel(part) else part for key, part in parts.items()}
    space = {**_find_twins(template.__globals__), **twins}
    full_name = f"{name}_{digest_kernels(template, parts)}"
    code = template.__code__.replace(co_name=full_name, co_qualname=full_name)
    if keep:
        code = code.replace(co_filename=cache_anchor.__file__, co_firstlineno=1)
        space["__name__"] = cache_anchor.__name__  # the module that numba asks for later
    copy = FunctionType(code, space, full_name, template.__defaults__)
    return _compile(copy, whole, cache=keep)


@cache
def compile_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled twin of a kernel, kept on disk; it is taken from there once a process."""
    return bind_parts(function, {}, function.__name__, compile=True, keep=True)


def is_from_file(function: Callable[..., Any]) -> bool:
    """Tell whether a function stands in a file, so that the next process meets it again."""
    return Path(function.__globals__.get("__file__") or "-").is_file()


def _compile(
    copy: Callable[..., Any], whole: bool = False, cache: bool = False, inline: bool = False
) -> Any:
    """Let numba compile a function: to be called from Python if it is ``whole``, else by other kernels alone."""
    import numba

    from copeland.kernels.compiler.numba_internals import is_tried

    if whole and is_tried():
        copy = _write_entry(copy, numba.njit(**_choose_options())(copy))
    return numba.njit(cache=cache, **_choose_options(whole, inline))(copy)


def _write_entry(copy: Callable[..., Any], core: Any) -> Callable[..., Any]:
    """Return a function under the name of a copy that calls the core with named tuples by their addresses."""
    from copeland.kernels.compiler.numba_internals import by_address

    old = copy.__code__
    names = old.co_varnames[: old.co_argcount]
    handed = ", ".join(f"by_address({name})" for name in names)
    space = {"by_address": by_address, "core": core, "__name__": copy.__module__}
    text = f"def entry({', '.join(names)}):\n    return core({handed})\n"
    exec(compile(text, old.co_filename, "exec"), space)
    place = {"co_name": old.co_name, "co_qualname": old.co_qualname}
    code = space["entry"].__code__.replace(co_firstlineno=old.co_firstlineno, **place)
    return FunctionType(code, space, old.co_name, copy.__defaults__)
