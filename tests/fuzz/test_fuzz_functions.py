"""Every public function on input that means no good.

It answers, or raises an error of this package, or the OSError of a file that cannot be written. Functions are found
in the public modules, so that new ones are tried by themselves.
"""

import importlib
import inspect
import pkgutil
import signal
import traceback
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from fuzzing import (
    ALWAYS,
    CONTENTS,
    FILES,
    FUNCTION_CASES,
    LIMITED,
    PROBLEMS,
    WORDS,
    cases,
    ending,
    place,
)
from hypothesis import given
from hypothesis import strategies as st

import copeland
from copeland.errors import CopelandError

pytestmark = pytest.mark.slow  # left out of `make fast`

if not hasattr(signal, "SIGALRM"):
    pytest.skip("this system has no alarm clock", allow_module_level=True)


INTEGERS = [0, 1, 2, 3, -1, 10**30, -(10**30), 2**31, 2**63, 10**400]
REALS = [0.0, 0.5, 1.0, -1.0, 0.05, 1e-300, 1e300, float("nan"), float("inf"), -float("inf")]


def public(module):
    """The public callables of a module: those that it names, or those that it defines."""
    for name in getattr(module, "__all__", None) or sorted(vars(module)):
        value = getattr(module, name)
        if name.startswith("_") or not callable(value) or _is_error(value):
            continue
        if getattr(value, "_is_protocol", False):  # says what others have, and cannot be called
            continue
        if hasattr(module, "__all__") or getattr(value, "__module__", "") == module.__name__:
            yield value


def _is_error(value):
    return isinstance(value, type) and issubclass(value, BaseException | Warning)


def callables():
    """Every public function, constructor and method, by name."""
    # Those of archives leave it to whoever reads a file to name it; those of the last three are told by this package alone.
    hidden = {
        "cli",
        "kernels",
        "testing",
        "algorithms",
        "cells",
        "archives",
        "errors",
        "words",
        "sentences",
    }
    names = ["copeland", "copeland.study.judges", "copeland.problems.generators"]
    names += [f"copeland.{m.name}" for m in pkgutil.iter_modules(copeland.__path__)]
    names += [f"copeland.ranking.{m}" for m in ("letor", "trec", "clicks", "evaluation")]
    for name in names:
        if name.split(".")[-1] in hidden:
            continue
        for value in public(importlib.import_module(name)):
            yield f"{value.__module__}.{value.__qualname__}", value
            if isinstance(value, type):
                for method, one in inspect.getmembers(value):
                    if not method.startswith("_") and callable(one) and method in vars(value):
                        yield f"{value.__module__}.{value.__qualname__}.{method}", one


CALLABLES = dict(callables())


@cache
def samples(kind):
    """Good values of a type of this package; None if there is no way to make one up."""
    make = {
        "PreferenceMatrix": lambda: [
            copeland.load("cyclic-4"),
            copeland.PreferenceMatrix(np.full((3, 3), 0.5)),
        ],
        "Problem": lambda: [*map(copeland.problems.problem_of, ("cyclic-4", "implicit-5"))],
        "Policy": lambda: [copeland.Policy("ccb", 3, 0)],
        "Algorithm": lambda: [copeland.registry.algorithms()["ccb"]],
        "Runs": lambda: [copeland.simulate("cyclic-4", "random", 10, 2, compiled=False)],
        "Collection": lambda: [_collection()],
        "Ranker": lambda: copeland.ranking.all_features(_collection()),
        "Certificate": lambda: [copeland.certificate.certificate.certify([[0, 9], [1, 0]])],
        "Space": lambda: [_space()],
        "Tuner": lambda: [copeland.Tuner(_space())],
        "Option": lambda: [copeland.study.Option("x")],
        "Study": lambda: [
            copeland.create_study("tea", ["green", "black", "left or right"], voters="independent")
        ],
    }
    return make[kind]() if kind in make else None


def _space():
    return copeland.Space({"x": copeland.Real(0, 1), "c": copeland.Choice("a", "b")})


def _collection():
    return copeland.ranking.synthetic(queries=2, documents=3, features=5, seed=0)


ARRAYS = [
    *(
        [],
        [[]],
        [[[]]],
        5,
        None,
        "x",
        [[1, 2], [3]],
        [[0, 1], [2, 0]],
        [[0, 9], [1, 0]],
        [[0.5] * 2] * 2,
    ),
    *(
        [[0, 10**400], [1, 0]],
        [[float("nan")] * 2] * 2,
        [["a", "b"], ["c", "d"]],
        [[0, -1], [1, 0]],
    ),
    *(np.zeros((0, 0)), np.full((2, 2), np.inf), np.eye(3), np.zeros((2, 3)), np.ones(4), {"a": 1}),
    *(np.full((3, 3), 0.5), [[0, 1e308], [1e308, 0]], [[0, 2**60], [1, 0]], [0, 1, 2], [2, 1, 0]),
]


def arguments(name, annotation):
    """Hostile values of an annotation; None where only what the function itself offers will do."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    found = [one for part in _parts(text) if (one := _of(name, part)) is not None]
    return st.one_of(found) if found else None


def _parts(text):
    """The members of a union, brackets kept together."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _of(name, part):
    outer, _, inner = part.partition("[")
    outer, inner = outer.rsplit(".", 1)[-1], inner.removesuffix("]")
    if outer == "tuple" and inner and "..." not in inner:
        members = [arguments(name, one.strip()) for one in inner.split(",")]
        return None if None in members else st.tuples(*members)
    if outer in ("Sequence", "Iterable", "Collection", "list", "tuple") and inner:
        each = arguments(name, inner.removesuffix(", ..."))
        return None if each is None else st.lists(each, max_size=4)
    if samples(outer):
        return st.sampled_from(samples(outer))
    if outer in ("ArrayLike", "NDArray", "Reals", "Ints", "Floats", "Bools"):
        return st.sampled_from(ARRAYS)
    if outer in ("Path", "PathLike"):
        return st.sampled_from([*FILES, "votes.csv", "letor.txt", "results", "estimate.npz"]).map(
            Path
        )
    if name in LIMITED and outer in ("int", "float"):
        numbers = [value for word in LIMITED[name] if (value := _number(word)) is not None]
        return st.sampled_from(
            [int(v) for v in numbers if _whole(v)] if outer == "int" else numbers
        )
    if name in LIMITED and outer == "str":
        return st.sampled_from(LIMITED[name])
    return {
        "str": st.sampled_from([*WORDS, *(PROBLEMS if name == "name" else ())]),
        "int": st.sampled_from(INTEGERS),
        "float": st.sampled_from(REALS),
        "bool": st.booleans(),
        "None": st.none(),
        "bytes": st.sampled_from(list(CONTENTS.values())),
    }.get(outer)


def _number(word):
    with suppress(ValueError):
        return float(word)
    return None


def _whole(value):
    return np.isfinite(value) and value == int(value)


@st.composite
def calls(draw, function):
    """Arguments of a function; None if they cannot be made up."""
    positional, named = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            owner = samples(function.__qualname__.split(".")[0])
            if not owner:
                return None
            positional.append(draw(st.sampled_from(owner)))
            continue
        must = parameter.default is inspect.Parameter.empty or name in ALWAYS
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        known = arguments(name, parameter.annotation)
        if known is None and must:
            return None
        if known is not None and (must or draw(st.booleans())):
            named[name] = draw(known)
    return positional, named


def _functions():
    """The functions; one of them is tried by `make fast` too."""
    for name in CALLABLES:
        marks = [pytest.mark.quick] if name == "copeland.matrix.PreferenceMatrix" else []
        yield pytest.param(name, id=name, marks=marks)


@pytest.mark.parametrize("name", list(_functions()))
def test_a_function_answers_or_raises_an_error_of_this_package(template, name):
    function = CALLABLES[name]
    try:
        inspect.signature(function)
    except ValueError:
        pytest.skip("it has no signature")

    @cases(FUNCTION_CASES)
    @given(calls(function))
    def tried(called):
        if called is None:
            return
        positional, named = called
        with place(template), ending(), warnings.catch_warnings():
            try:
                result = function(*positional, **named)
                if inspect.isgenerator(result):
                    list(result)
            except CopelandError as error:
                assert str(error)
            except OSError as error:  # what the system itself says of a file
                assert error.strerror
            except Exception as error:
                trace = "".join(traceback.format_exception(error))
                pytest.fail(f"{name}(*{positional!r:.400}, **{named!r:.400})\n{trace[-2500:]}")

    tried()
