"""The mark of functions that can be compiled, and what such functions call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


def reach_kernels(kernels: Iterable[Callable[..., Any]]) -> list[Callable[..., Any]]:
    """Return these kernels and all that they call, each once, in an order that depends on their code alone."""
    order: dict[Callable[..., Any], None] = {}
    waiting = list(kernels)[::-1]
    while waiting:
        one = waiting.pop()
        if one not in order:
            order[one] = None
            space = one.__globals__
            names = one.__code__.co_names[::-1]
            waiting += [space[name] for name in names if is_kernel(space.get(name))]
    return list(order)
