"""Digests of code: what tells a compiled kernel, or a result that is kept, from that of other code.

A compiled kernel depends on the bytecode that numba reads, not on comments, docstrings, line numbers or other functions. The
names of its modules and of their named tuples count, because numba looks for them when it loads what it compiled. A
result also depends on plain functions, so there whole modules count, as syntax trees without docstrings.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from copeland.kernels.mark import is_kernel, reach_kernels

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
COMPILER = ("compile.py", "numba_internals.py")  # how things are compiled counts too


def digest_kernels(template: Callable[..., Any], parts: dict[str, Any]) -> str:
    """Return a digest of all that numba reads to compile a kernel with these parts among its globals."""
    outer = {**template.__globals__, **parts}
    inner = [outer[name] for name in template.__code__.co_names if is_kernel(outer.get(name))]
    order = reach_kernels(inner)
    places = {one: place for place, one in enumerate(order)}
    functions = [(template, outer), *((one, one.__globals__) for one in order)]
    spaces = {id(space): space for _, space in functions}.values()
    text = hashlib.sha256(digest_compiler().encode())
    text.update(repr(sorted({one for space in spaces for one in _list_records(space)})).encode())
    for function, space in functions:
        text.update(repr(_describe(function, space, places)).encode())
    return text.hexdigest()[:16]


def _list_records(space: dict[str, Any]) -> list[tuple[str, ...]]:
    """The named tuples that a module knows, as numba finds them again: module, name and fields."""
    classes = [value for value in space.values() if isinstance(value, type)]
    return [
        (one.__module__, one.__qualname__, *fields)
        for one in classes
        if (fields := getattr(one, "_fields", None)) is not None
    ]


def _describe(function: Callable[..., Any], space: dict[str, Any], places: dict[Any, int]) -> Any:
    """A function's code and the values of the globals that it reads; other kernels are named by their places."""
    read = [(name, space[name]) for name in function.__code__.co_names if name in space]
    values = [(name, places[v] if is_kernel(v) else _describe_value(v)) for name, v in read]
    marks = function.__defaults__, hasattr(function, "__apart__"), space.get("__name__")
    return _describe_code(function.__code__, function.__doc__), marks, values


def _describe_code(code: CodeType, docstring: str | None = None) -> Any:
    constants = [
        _describe_code(one) if isinstance(one, CodeType) else None if one is docstring else one
        for one in code.co_consts
    ]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_exceptiontable


def _describe_value(value: Any) -> Any:
    """What numba sees of a global: a constant's value, a class's fields, the name of anything else."""
    if isinstance(value, tuple):
        return [_describe_value(one) for one in value]
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, type):
        return value.__qualname__, getattr(value, "_fields", ())
    if isinstance(value, ModuleType):
        return value.__name__
    if callable(value):
        plain = getattr(value, "py_func", value)  # of a function that numba compiles
        code = getattr(plain, "__code__", None)
        return getattr(plain, "__name__", ""), code and _describe_code(code)
    return repr(value)


@cache
def digest_compiler() -> str:
    """Return a digest of the code that compiles kernels."""
    folder = Path(__file__).parent
    return hashlib.sha256(
        "".join(_read_tree(folder / name) for name in COMPILER).encode()
    ).hexdigest()


def digest_sources(*sources: str | Callable[..., Any]) -> str:
    """Return a digest of these modules and of every module whose kernels they use.

    A module is given by its name, or by a function of it.
    """
    seen: dict[int, dict[str, Any]] = {}
    waiting = [_find_globals(source) for source in sources]
    while waiting:
        space = waiting.pop()
        if id(space) not in seen:
            seen[id(space)] = space
            waiting += [value.__globals__ for value in space.values() if is_kernel(value)]
    text = hashlib.sha256(digest_compiler().encode())
    for content in sorted({_read_source(space) for space in seen.values()}):
        text.update(content.encode())
    return text.hexdigest()[:12]


def _find_globals(source: str | Callable[..., Any]) -> dict[str, Any]:
    if isinstance(source, str):
        return vars(sys.modules[source])
    return getattr(source, "__globals__", None) or vars(sys.modules[source.__module__])


def _read_source(space: dict[str, Any]) -> str:
    """The file that these globals are of, as a tree; without one, the code of the functions among them."""
    file = space.get("__file__")
    if file and Path(file).is_file():
        return _read_tree(Path(file))
    functions = {name: value for name, value in space.items() if isinstance(value, FunctionType)}
    return repr([(name, _describe_code(functions[name].__code__)) for name in sorted(functions)])


@cache
def _read_tree(file: Path) -> str:
    """A file's syntax tree as text: without comments, docstrings and line numbers."""
    tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)
