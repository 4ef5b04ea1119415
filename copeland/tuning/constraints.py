"""Constraints in words, such as ``width + height <= 10``: read into a function, and never run as Python."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from copeland.errors import InvalidParameter
from copeland.support.escaping import inert
from copeland.support.phrasing import join_names
from copeland.tuning.parameters import Choice, Parameter

MOST_CONSTRAINTS, LONGEST = 64, 300
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_COMPUTED: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,  # which has no complex numbers
}
_SIGNED: dict[type[ast.unaryop], Callable[[float], float]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}

Parameters = Mapping[str, Parameter]
Test = Callable[[Mapping[str, Any]], bool]
Number = Callable[[Mapping[str, Any]], float]


class _Misread(Exception):
    """What is wrong with a constraint, as the end of a sentence."""


def feasible_of(constraints: Sequence[str], parameters: Parameters) -> Callable[..., bool]:
    """Return a function that takes the parameters by name and tells whether they satisfy all constraints.

    A point at which a constraint cannot be computed, as where it divides by 0, is not feasible.

    Examples
    --------
    >>> from copeland.tuning.parameters import Choice, Integer
    >>> small = feasible_of(["width < 6 or style == 'plain'"], {"width": Integer(1, 9), "style": Choice("plain", "bold")})
    >>> small(width=7, style="plain"), small(width=7, style="bold")
    (True, False)
    """
    if len(constraints) > MOST_CONSTRAINTS:
        raise InvalidParameter(
            f"there are {len(constraints):,} constraints; give {MOST_CONSTRAINTS} at most."
        )
    tests = [_test(text, parameters) for text in constraints]

    def feasible(**point: Any) -> bool:
        try:
            return all(test(point) for test in tests)
        except (ArithmeticError, ValueError):
            return False

    return feasible


def _test(text: str, parameters: Parameters) -> Test:
    """The function of one constraint."""
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST or not text.isprintable():
        raise InvalidParameter(
            f"a constraint must be a line of 1 to {LONGEST} characters, such as 'width + height <= 10'."
        )
    try:
        return _truth(ast.parse(text.strip(), mode="eval").body, parameters)
    except (_Misread, SyntaxError, ValueError, MemoryError, RecursionError) as error:
        why = "cannot be read; write a comparison, such as width + height <= 10"
        if isinstance(error, _Misread):
            why = str(error)
        elif isinstance(error, RecursionError):
            why = "is nested too deeply"
        raise InvalidParameter(inert(f"the constraint '{text}' {why}.")) from None


def _truth(node: ast.expr, parameters: Parameters) -> Test:
    """What is true or false: comparisons, joined by and, or, not."""
    if isinstance(node, ast.BoolOp):
        parts = [_truth(part, parameters) for part in node.values]
        joined = all if isinstance(node.op, ast.And) else any
        return lambda point: joined(part(point) for part in parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        denied = _truth(node.operand, parameters)
        return lambda point: not denied(point)
    if isinstance(node, ast.Compare):
        return _comparison(node, parameters)
    raise _Misread("is not a comparison; write one with <, <=, >, >=, == or !=")


def _comparison(node: ast.Compare, parameters: Parameters) -> Test:
    sides = [node.left, *node.comparators]
    if not all(type(op) in _COMPARED for op in node.ops):
        raise _Misread("compares by something else than <, <=, >, >=, == or !=")
    ops = [_COMPARED[type(op)] for op in node.ops]
    if any(_choice(side, parameters) for side in sides):
        return _compare_choice(sides, ops, parameters)
    numbers = [_number(side, parameters) for side in sides]

    def holds(point: Mapping[str, Any]) -> bool:
        values = [number(point) for number in numbers]
        return all(op(a, b) for op, a, b in zip(ops, values, values[1:], strict=False))

    return holds


def _choice(node: ast.expr, parameters: Parameters) -> Choice | None:
    """The choice that a name stands for, if it does."""
    found = parameters.get(node.id) if isinstance(node, ast.Name) else None
    return found if isinstance(found, Choice) else None


def _compare_choice(
    sides: Sequence[ast.expr], ops: Sequence[Callable[[Any, Any], bool]], parameters: Parameters
) -> Test:
    """A choice that is, or is not, one of its options."""
    name = next(side for side in sides if _choice(side, parameters))
    offered = _choice(name, parameters)
    assert isinstance(name, ast.Name) and offered is not None
    if len(sides) > 2 or ops[0] not in (operator.eq, operator.ne):
        raise _Misread(f"compares the choice {name.id}; a choice can only be == or != an option")
    try:
        option = ast.literal_eval(sides[1] if name is sides[0] else sides[0])
    except (ValueError, TypeError):
        option = None
    if offered.place(option) is None:
        raise _Misread(f"compares {name.id} with something else than {offered.words}")
    op, key = ops[0], name.id
    return lambda point: op(point[key], option)


def _number(node: ast.expr, parameters: Parameters) -> Number:
    """What is a number: numbers, names of numbers, and arithmetic with them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return _constant(node.value)
    if isinstance(node, ast.Name):
        return _read_parameter(node.id, parameters)
    if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        op = _COMPUTED[type(node.op)]
        a, b = _number(node.left, parameters), _number(node.right, parameters)
        return lambda point: op(a(point), b(point))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNED:
        sign, of = _SIGNED[type(node.op)], _number(node.operand, parameters)
        return lambda point: sign(of(point))
    raise _Misread("is more than arithmetic with names and numbers, which is +, -, *, /, % and **")


def _constant(value: float) -> Number:
    if isinstance(value, bool):
        raise _Misread("computes with True or False")
    try:
        number = float(value)  # so that no power of integers takes for ever
    except OverflowError:
        raise _Misread("has a number that is too large") from None
    return lambda _point: number


def _read_parameter(name: str, parameters: Parameters) -> Number:
    if name not in parameters:
        raise _Misread(f"names '{name}', but the space has only {join_names(list(parameters))}")
    if isinstance(parameters[name], Choice):
        raise _Misread(f"computes with the choice {name}; a choice can only be == or != an option")
    return lambda point: float(point[name])
